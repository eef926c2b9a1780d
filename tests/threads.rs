//! One compactor and one plan, used from eight threads at once.
//!
//! The threads are the C library's own. Those of the standard library, which is not compiled for ThreadSanitizer, hand over what
//! they share in ways that it does not see, and it reports races where there are none. For the same reason this is a program of its
//! own, without libtest and without any crate but the library.

#![allow(unsafe_code, reason = "threads are started by a C function")]

use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};

use tn_compactor::{Compactor, Options, Outcome, estimate_tokens};

const THREADS: usize = 8;

/// What glibc and musl have for `pthread_t`.
type Thread = std::ffi::c_ulong;

unsafe extern "C" {
    fn pthread_create(
        thread: *mut Thread,
        attributes: *const c_void,
        start: extern "C" fn(*mut c_void) -> *mut c_void,
        argument: *mut c_void,
    ) -> c_int;
    fn pthread_join(thread: Thread, result: *mut *mut c_void) -> c_int;
}

/// Calls `work` on eight threads at once, with the number of each, and waits for them. A panic on one of them ends the process.
fn on_eight_threads(work: &(dyn Fn(usize) + Sync)) {
    struct Start<'a> {
        work: &'a (dyn Fn(usize) + Sync),
        number: usize,
    }
    extern "C" fn start(argument: *mut c_void) -> *mut c_void {
        // SAFETY: each thread is given a `Start` of its own, which outlives it.
        let start = unsafe { &*argument.cast::<Start>() };
        (start.work)(start.number);
        null_mut()
    }
    let mut starts: Vec<_> = (0..THREADS).map(|number| Start { work, number }).collect();
    let threads: Vec<_> = starts
        .iter_mut()
        .map(|argument| {
            let mut thread = 0;
            // SAFETY: `start` and what it is given live until the thread is joined below.
            let status = unsafe {
                pthread_create(
                    &raw mut thread,
                    null(),
                    start,
                    std::ptr::from_mut(argument).cast(),
                )
            };
            assert_eq!(status, 0, "a thread cannot be started");
            thread
        })
        .collect();
    for thread in threads {
        // SAFETY: it was started above, and is joined once.
        assert_eq!(unsafe { pthread_join(thread, null_mut()) }, 0);
    }
}

fn transcript() -> String {
    let mut json = String::from(r#"[{"role":"system","content":"You read logs."}"#);
    for turn in 0..40 {
        json.push_str(&format!(
            r#",{{"role":"user","content":"What does line {turn} say?"}},{{"role":"assistant","content":null,"tool_calls":[{{"id":"c{turn}","type":"function","function":{{"name":"read","arguments":"{{}}"}}}}]}},{{"role":"tool","tool_call_id":"c{turn}","content":"{}"}}"#,
            "一行 of the log, ".repeat(20)
        ));
    }
    json.push(']');
    json
}

fn compactor_for(text: &str) -> Compactor {
    let options = Options::new(1);
    let tokens = estimate_tokens(text, options.char_unit).unwrap();
    Compactor::new(Options::new(tokens / 2))
}

fn eight_threads_share_one_compactor() {
    let text = transcript();
    let compactor = compactor_for(&text);
    let want = compactor.apply(&text, |_| Ok("a recap".into())).unwrap();
    assert!(want.is_some());
    on_eight_threads(&|number| {
        for round in 0..20 {
            if (number + round) % 4 == 0 {
                let failed = compactor.apply(&text, |_| Err("the model is down".into()));
                assert_eq!(failed.unwrap_err().to_string(), "the model is down");
            }
            let result = compactor.apply(&text, |_| Ok("a recap".into())).unwrap();
            assert_eq!(result, want);
        }
    });
}

fn eight_threads_finish_one_plan_whose_text_none_has_asked_for() {
    let text = transcript();
    let compactor = compactor_for(&text);
    for _ in 0..20 {
        let plan = compactor.plan(&text).unwrap().into_owned().unwrap();
        assert_eq!(plan.outcome(), Outcome::Compact);
        on_eight_threads(&|number| {
            let summary = format!("by thread {number}");
            let older = plan.older().unwrap().unwrap();
            assert_eq!(older.count, plan.tail_start() - plan.head_end());
            let result = plan.finish(&summary).unwrap().unwrap();
            assert!(result.contains(&summary));
        });
    }
}

fn main() {
    let tests: [(&str, fn()); 2] = [
        (
            "eight_threads_share_one_compactor",
            eight_threads_share_one_compactor,
        ),
        (
            "eight_threads_finish_one_plan_whose_text_none_has_asked_for",
            eight_threads_finish_one_plan_whose_text_none_has_asked_for,
        ),
    ];
    for (name, test) in tests {
        test();
        println!("test {name} ... ok");
    }
    // A test that fails ends the process before this line, which is libtest's.
    let passed = tests.len();
    println!("\ntest result: ok. {passed} passed; 0 failed; 0 ignored");
}
