//! How much memory a call takes beside its input, at its peak, and how many allocations.

mod taken;

use std::sync::Mutex;

use taken::{refusing, taken};
use tn_compactor::{CharUnit, Compactor, Error, Options, Outcome, estimate_tokens};

/// The figures are the whole process's: one measurement at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Turns of a question, a call, its result and an answer, each text of `length` characters.
fn transcript(turns: usize, length: usize) -> String {
    let text = "a line of the log, 一行日志 ".repeat(length / 20 + 1);
    let mut json = String::from(r#"[{"role":"system","content":"You read logs."}"#);
    for turn in 0..turns {
        json.push_str(&format!(
            r#",{{"role":"user","content":"{text}"}},{{"role":"assistant","content":null,"tool_calls":[{{"id":"c{turn}","type":"function","function":{{"name":"read","arguments":"{{}}"}}}}]}},{{"role":"tool","tool_call_id":"c{turn}","content":"{text}"}},{{"role":"assistant","content":"{text}"}}"#
        ));
    }
    json.push(']');
    json
}

#[test]
fn under_budget_no_more_than_a_tenth_of_the_input_is_taken_and_a_handful_of_allocations() {
    let _alone = ALONE.lock().unwrap();
    for (turns, length) in [(300, 1000), (5000, 40), (20_000, 1)] {
        let text = transcript(turns, length);
        let compactor = Compactor::new(Options::new(u64::MAX));
        let (plan, plan_took) = taken(|| compactor.plan(&text).unwrap());
        assert_eq!(plan.outcome(), Outcome::UnderBudget);
        let (_, estimate_took) = taken(|| estimate_tokens(&text, CharUnit::Utf16).unwrap());
        for took in [plan_took, estimate_took] {
            assert!(
                took.bytes * 10 < text.len(),
                "{} bytes for a text of {}, messages of {length}",
                took.bytes,
                text.len()
            );
            assert!(took.allocations <= 8, "{} allocations", took.allocations);
        }
    }
}

#[test]
fn empty_messages_without_number_take_no_more_than_a_tenth_of_the_input_under_budget() {
    let _alone = ALONE.lock().unwrap();
    let text = format!("[{}]", vec!["{}"; 300_000].join(","));
    let compactor = Compactor::new(Options::new(u64::MAX));
    let (_, took) = taken(|| compactor.plan(&text).unwrap());
    assert!(took.bytes * 10 < text.len(), "{} bytes", took.bytes);
}

/// A few notes are made room for whatever the size.
#[test]
fn under_budget_a_short_transcript_takes_no_more_than_two_kilobytes() {
    let _alone = ALONE.lock().unwrap();
    for (turns, length) in [(0, 1), (1, 1), (5, 40), (15, 20)] {
        let text = transcript(turns, length);
        // By its length alone it might be over this budget, so notes are taken.
        let tokens = estimate_tokens(&text, CharUnit::CodePoint).unwrap();
        let compactor = Compactor::new(Options::new(tokens));
        let (plan, took) = taken(|| compactor.plan(&text).unwrap());
        assert_eq!(plan.outcome(), Outcome::UnderBudget);
        assert!(
            took.bytes <= 2048,
            "{} bytes for a text of {}",
            took.bytes,
            text.len()
        );
        assert!(took.allocations <= 8, "{} allocations", took.allocations);
    }
}

/// What stands first is asked whether it is an instruction, however much there is in it.
#[test]
fn leading_messages_take_no_more_than_a_tenth_of_the_input_under_budget() {
    let _alone = ALONE.lock().unwrap();
    let many = |item: &str, count: usize| vec![item; count].join(",");
    let one =
        |role: &str, blocks: String| format!(r#"[{{"role":"{role}","content":[{blocks}]}},{{}}]"#);
    let texts = [
        one("system", many("{}", 300_000)),
        one("user", many("{}", 300_000)),
        one("user", many(r#"{"type":"text","text":"hello"}"#, 30_000)),
        format!("[{}]", many(r#"{"role":"system"}"#, 100_000)),
        format!(
            "[{}]",
            many(
                r#"{"role":"system","content":"You are a gardener."}"#,
                100_000
            )
        ),
        format!(r#"{{"a":{{{}}}}}"#, many(r#""b":1"#, 300_000)),
        format!("[[{}]]", many("[{}]", 300_000)),
    ];
    for text in texts {
        for budget in [u64::MAX, text.len() as u64 / 2] {
            let compactor = Compactor::new(Options::new(budget));
            let (plan, took) = taken(|| compactor.plan(&text).map(|plan| plan.head_end()));
            let start = &text[..60];
            assert!(
                took.bytes * 10 < text.len(),
                "{} bytes of {}: {start}",
                took.bytes,
                text.len()
            );
            let instructions = match text.contains("system") {
                true => text.matches("role").count(),
                false => 0,
            };
            assert_eq!(plan.unwrap_or_default(), instructions, "{start}");
        }
    }
}

#[test]
fn apply_takes_less_than_twice_the_input_beside_the_input_itself() {
    let _alone = ALONE.lock().unwrap();
    for (turns, length) in [(300, 1000), (3000, 100)] {
        let text = transcript(turns, length);
        let tokens = estimate_tokens(&text, CharUnit::CodePoint).unwrap();
        for kept in [2, 10, 50, 90] {
            let mut options = Options::new(tokens - 1);
            options.keep_tail = Some(tokens * kept / 100);
            let compactor = Compactor::new(options);
            let (result, took) =
                taken(|| compactor.apply(&text, |older| Ok(format!("{} messages", older.count))));
            assert!(result.unwrap().is_some());
            assert!(
                took.bytes < 2 * text.len(),
                "{} bytes for a text of {} with {kept} % kept",
                took.bytes,
                text.len()
            );
        }
    }
}

/// An allocation that fails where nobody asks would end the process, and this test with it.
#[test]
fn where_memory_cannot_be_had_the_call_fails_and_the_process_lives() {
    let _alone = ALONE.lock().unwrap();
    let many = |item: &str, count: usize| vec![item; count].join(",");
    let turns = format!(
        r#"{{"role":"user","content":"a"}},{{"role":"assistant","content":"b"}},{}"#,
        many(r#"{"role":"user","content":"c"}"#, 30_000)
    );
    let inputs = [
        ("many messages", format!("[{turns}]")),
        (
            "one long message",
            format!(r#"[{{"content":"{}"}},{{}},{{}}]"#, "x".repeat(3_000_000)),
        ),
        (
            "many calls",
            format!(
                r#"[{{"role":"assistant","tool_calls":[{}]}}]"#,
                many(r#"{"id":"a"}"#, 100_000)
            ),
        ),
        (
            "many results",
            format!(
                r#"[{{"role":"user","content":[{}]}}]"#,
                many(r#"{"type":"tool_result"}"#, 100_000)
            ),
        ),
        (
            "a long id with an escape",
            format!(
                r#"[{{"role":"assistant","tool_calls":[{{"id":"\n{}"}}]}}]"#,
                "k".repeat(1_000_000)
            ),
        ),
        (
            "a long key with an escape",
            format!(r#"[{{"\n{}":1}},{{}}]"#, "k".repeat(1_000_000)),
        ),
        (
            "a long type with an escape",
            format!(r#"[{{"type":"{}\n"}},{{}}]"#, "k".repeat(1_000_000)),
        ),
        (
            "deep nesting",
            format!(
                r#"[{{"a":{}{}}}]"#,
                "[".repeat(5_000_000),
                "]".repeat(5_000_000)
            ),
        ),
        ("deep nesting that is not closed", "[".repeat(5_000_000)),
    ];
    for (name, text) in &inputs {
        for largest in [40_000, 300_000] {
            for (host_counts, budget) in [(false, 1), (true, 1), (false, u64::MAX)] {
                let compactor = Compactor::new(Options::new(budget));
                let finished = refusing(largest, || {
                    let plan = if host_counts {
                        compactor.plan_counting(text, |slice| Ok(slice.count as u64 * 100))
                    } else {
                        compactor.plan(text)
                    };
                    plan.and_then(|plan| plan.into_owned()?.finish("A summary."))
                });
                assert!(
                    matches!(
                        finished,
                        Ok(_) | Err(Error::OutOfMemory { .. } | Error::Json { .. })
                    ),
                    "{name}: {finished:?}"
                );
            }
        }
    }
}
