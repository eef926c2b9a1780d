//! A sequence of calls through the C interface, as the worst host that keeps its contract makes them: any order, any length, NULL
//! wherever a pointer may be, callbacks that answer wrongly, twice or not at all, call back, or throw. Every text has an allocation of
//! exactly its size, so that the sanitizer sees a byte read beyond it.

#![no_main]

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::{NonNull, null, null_mut};

use ::tn_compactor::ffi::*;
use ::tn_compactor::{CharUnit, Error, Options, estimate_tokens};
use arbitrary::{Arbitrary, Unstructured};
use libfuzzer_sys::fuzz_target;

const MOST_CALLS: usize = 12;
const MOST_ANSWERS: usize = 5;
const LONGEST_TEXT: usize = 60;
const MOST_MESSAGES: usize = 20;

#[derive(Arbitrary, Debug)]
enum Call<'b> {
    New {
        #[arbitrary(with = options)]
        options: Text<'b>,
        outputs: Outputs,
    },
    Free(u8),
    Apply {
        compactor: u8,
        #[arbitrary(with = messages)]
        messages: Text<'b>,
        #[arbitrary(with = perhaps_texts)]
        summarize: Option<Vec<Answer<'b>>>,
        #[arbitrary(with = perhaps_counts)]
        count_tokens: Option<Vec<Answer<'b>>>,
        outputs: Outputs,
    },
    Plan {
        compactor: u8,
        #[arbitrary(with = messages)]
        messages: Text<'b>,
        #[arbitrary(with = perhaps_counts)]
        count_tokens: Option<Vec<Answer<'b>>>,
        outputs: Outputs,
    },
    Look(u8),
    Finish {
        plan: u8,
        summary: Text<'b>,
        outputs: Outputs,
    },
    FreePlan(u8),
    Estimate {
        #[arbitrary(with = messages)]
        messages: Text<'b>,
        unit: i8,
        outputs: Outputs,
    },
    Names(i32),
}

/// Which outputs the host gives an address for. An error may always be left out.
#[derive(Arbitrary, Clone, Copy, Debug)]
struct Outputs {
    no_result: [bool; 3],
    error: bool,
}

impl Outputs {
    /// Seldom none: most calls are to get beyond it.
    fn result<T>(self, place: &mut T) -> *mut T {
        if self.no_result == [true; 3] {
            null_mut()
        } else {
            place
        }
    }

    fn error(self, place: &mut *mut c_char) -> *mut *mut c_char {
        if self.error { place } else { null_mut() }
    }
}

/// A pointer and a length.
#[derive(Arbitrary, Debug)]
enum Text<'b> {
    Exact(#[arbitrary(with = short)] &'b [u8]),
    Terminated(#[arbitrary(with = short)] &'b [u8]),
    /// NULL and a length.
    Null(u16),
    NullTerminated,
    /// An address that nothing is at, and no length.
    Nowhere,
    /// More than any text can be.
    TooLong(u8),
    /// Each byte is a message of [`MESSAGES`].
    Conversation(#[arbitrary(with = few)] &'b [u8]),
    Options(u8),
    /// So many brackets, and not all of them closed.
    Deep(u16, u16),
}

fn up_to<'b>(most: usize, bytes: &mut Unstructured<'b>) -> arbitrary::Result<&'b [u8]> {
    let length = bytes.int_in_range(0..=most)?;
    bytes.bytes(length.min(bytes.len()))
}

fn short<'b>(bytes: &mut Unstructured<'b>) -> arbitrary::Result<&'b [u8]> {
    up_to(LONGEST_TEXT, bytes)
}

fn few<'b>(bytes: &mut Unstructured<'b>) -> arbitrary::Result<&'b [u8]> {
    up_to(MOST_MESSAGES, bytes)
}

// Most calls are to get beyond their arguments.

fn options<'b>(bytes: &mut Unstructured<'b>) -> arbitrary::Result<Text<'b>> {
    match bytes.ratio(3, 4)? {
        true => Ok(Text::Options(bytes.arbitrary()?)),
        false => bytes.arbitrary(),
    }
}

fn messages<'b>(bytes: &mut Unstructured<'b>) -> arbitrary::Result<Text<'b>> {
    match bytes.ratio(3, 4)? {
        true => Ok(Text::Conversation(few(bytes)?)),
        false => bytes.arbitrary(),
    }
}

fn perhaps_texts<'b>(bytes: &mut Unstructured<'b>) -> arbitrary::Result<Option<Vec<Answer<'b>>>> {
    match bytes.int_in_range(0..=7)? {
        0 => Ok(None),
        1..=3 => Ok(Some(vec![Answer::Text(Text::Exact(b"a recap"))])),
        _ => answers(bytes).map(Some),
    }
}

fn perhaps_counts<'b>(bytes: &mut Unstructured<'b>) -> arbitrary::Result<Option<Vec<Answer<'b>>>> {
    match bytes.int_in_range(0..=7)? {
        0..=2 => Ok(None),
        3..=5 => Ok(Some(vec![Answer::Quarter])),
        _ => answers(bytes).map(Some),
    }
}

fn answers<'b>(bytes: &mut Unstructured<'b>) -> arbitrary::Result<Vec<Answer<'b>>> {
    let count = bytes.int_in_range(0..=MOST_ANSWERS)?;
    (0..count).map(|_| bytes.arbitrary()).collect()
}

/// As many calls as the bytes are enough for.
#[derive(Debug)]
struct Calls<'b>(Vec<Call<'b>>);

impl<'b> Arbitrary<'b> for Calls<'b> {
    fn arbitrary(bytes: &mut Unstructured<'b>) -> arbitrary::Result<Self> {
        let mut calls = Vec::new();
        while !bytes.is_empty() && calls.len() < MOST_CALLS {
            calls.push(bytes.arbitrary()?);
        }
        Ok(Calls(calls))
    }

    fn arbitrary_take_rest(mut bytes: Unstructured<'b>) -> arbitrary::Result<Self> {
        Self::arbitrary(&mut bytes)
    }
}

const MESSAGES: [&str; 16] = [
    r#"{"role":"system","content":"be kind"}"#,
    r#"{"role":"user","content":"a request that is some words long"}"#,
    r#"{"role":"assistant","content":"an answer, \ud83d\ude00, and \ud83d alone"}"#,
    r#"{"role":"assistant","tool_calls":[{"id":"a"},{"id":"b"}]}"#,
    r#"{"role":"tool","tool_call_id":"a","content":"found"}"#,
    r#"{"role":"tool","tool_call_id":"b","content":"found"}"#,
    r#"{"role":"assistant","content":[{"type":"thinking"},{"type":"tool_use","id":"\u0061"}]}"#,
    r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}"#,
    r#"{"role":"model","parts":[{"functionCall":{"name":"f"}}]}"#,
    r#"{"role":"user","parts":[{"functionResponse":{"name":"f"}}]}"#,
    r#"{"type":"function_call","call_id":"c"}"#,
    r#"{"type":"function_call_output","call_id":"c"}"#,
    r#"{"role":"system","content":"[Summary of earlier conversation]\nso far"}"#,
    r#"{"role":"assistant","function_call":{"name":"f"}}"#,
    "{}",
    "null",
];

const OPTIONS: [&str; 6] = [
    r#"{"max_tokens":0}"#,
    r#"{"max_tokens":40,"keep_tail":20}"#,
    r#"{"max_tokens":60,"split":"turns","char_unit":"utf8"}"#,
    r#"{"max_tokens":9,"flush_to_memory":true,"summary_role":"user"}"#,
    r#"{"max_tokens":18446744073709551615,"keep_tail":0}"#,
    r#"{"max_tokens":30,"char_unit":"utf16","summary_role":"assistant"}"#,
];

impl Text<'_> {
    /// What the library may read there; `None` where it must refuse to read.
    fn readable(&self) -> Option<Vec<u8>> {
        match self {
            Text::Exact(bytes) => Some(bytes.to_vec()),
            Text::Terminated(bytes) => Some(
                bytes
                    .iter()
                    .copied()
                    .take_while(|&byte| byte != 0)
                    .collect(),
            ),
            Text::Null(0) | Text::Nowhere => Some(Vec::new()),
            Text::Null(_) | Text::NullTerminated | Text::TooLong(_) => None,
            Text::Conversation(bytes) => {
                let messages: Vec<&str> = bytes
                    .iter()
                    .map(|&byte| MESSAGES[usize::from(byte) % MESSAGES.len()])
                    .collect();
                Some(format!("[{}]", messages.join(",")).into_bytes())
            }
            Text::Options(which) => Some(
                OPTIONS[usize::from(*which) % OPTIONS.len()]
                    .as_bytes()
                    .to_vec(),
            ),
            Text::Deep(open, close) => {
                let (open, close) = (usize::from(*open), usize::from(*close));
                Some(format!("{}{}", "[".repeat(open), "]".repeat(close)).into_bytes())
            }
        }
    }

    fn lend<T>(&self, to: impl FnOnce(*const c_char, usize) -> T) -> T {
        match self {
            Text::Null(length) => to(null(), (*length).into()),
            Text::NullTerminated => to(null(), TN_NUL_TERMINATED),
            Text::Nowhere => to(NonNull::dangling().as_ptr(), 0),
            Text::TooLong(more) => {
                let one = Box::new(0);
                to(
                    &raw const *one,
                    isize::MAX as usize + 1 + usize::from(*more),
                )
            }
            Text::Terminated(_) => {
                let mut bytes = self.readable().unwrap_or_default();
                bytes.push(0);
                to(bytes.into_boxed_slice().as_ptr().cast(), TN_NUL_TERMINATED)
            }
            _ => {
                let bytes = self.readable().unwrap_or_default().into_boxed_slice();
                to(bytes.as_ptr().cast(), bytes.len())
            }
        }
    }
}

/// One thing that a callback does.
#[derive(Arbitrary, Debug)]
enum Answer<'b> {
    Text(Text<'b>),
    Count(u64),
    /// A quarter of the text that is to be counted.
    Quarter,
    Error(Text<'b>),
    /// Each setter, without a sink.
    NoSink,
    CallBack,
    Throw,
}

/// What is thrown through the library.
struct Thrown;

/// How a call must end after what a callback did.
#[derive(Debug)]
enum End {
    /// With this text, or any where there is none.
    Fails(Option<String>),
    Thrown,
}

struct Host<'b> {
    compactor: *const tn_compactor,
    summarize: &'b [Answer<'b>],
    count_tokens: &'b [Answer<'b>],
    summarized: bool,
    end: Option<End>,
}

/// What is expected of a sink.
#[derive(Default)]
struct Expected {
    answered: bool,
    blank: bool,
    refused: bool,
    error: Option<String>,
}

/// # Safety
///
/// As the C interface promises its callbacks.
unsafe fn called(
    host: &mut Host,
    wants_text: bool,
    (json, json_len): (*const c_char, usize),
    (first, count): (usize, usize),
    out: *mut tn_sink,
) {
    assert!(host.end.is_none(), "called again after {:?}", host.end);
    assert!(count > 0, "called with an empty list");
    // SAFETY: the contract promises so many bytes.
    let json = unsafe { std::slice::from_raw_parts(json.cast::<u8>(), json_len) };
    let json = std::str::from_utf8(json).expect("a callback is given UTF-8");
    let tokens = estimate_tokens(json, CharUnit::CodePoint);
    assert!(tokens.is_ok(), "messages {first} and {count} more: {json}");

    let answers = if wants_text {
        host.summarize
    } else {
        host.count_tokens
    };
    let mut expected = Expected::default();
    for answer in answers {
        // SAFETY: the sink is the callback's own, the texts live until the setter returns.
        let (status, wanted) = unsafe {
            match answer {
                Answer::Text(text) => (
                    text.lend(|text, length| tn_sink_set_text(out, text, length)),
                    expected.text(text, wants_text),
                ),
                Answer::Count(count) => {
                    (tn_sink_set_count(out, *count), expected.count(wants_text))
                }
                Answer::Quarter => (
                    tn_sink_set_count(out, json.len() as u64 / 4),
                    expected.count(wants_text),
                ),
                Answer::Error(text) => (
                    text.lend(|text, length| tn_sink_set_error(out, text, length)),
                    expected.error(text),
                ),
                Answer::NoSink => {
                    let none = null_mut();
                    assert_eq!(
                        tn_sink_set_text(none, c"a".as_ptr(), 1),
                        tn_status::TN_ERR_ARGUMENT
                    );
                    assert_eq!(
                        tn_sink_set_error(none, c"a".as_ptr(), 1),
                        tn_status::TN_ERR_ARGUMENT
                    );
                    (tn_sink_set_count(none, 1), tn_status::TN_ERR_ARGUMENT)
                }
                Answer::CallBack => (call_back(host.compactor, json), tn_status::TN_OK),
                Answer::Throw => {
                    host.end = Some(End::Thrown);
                    // Without the hook, which would end the process.
                    resume_unwind(Box::new(Thrown));
                }
            }
        };
        assert_eq!(status, wanted, "{answer:?}");
    }
    host.end = expected.end();
}

impl Expected {
    fn text(&mut self, text: &Text, wants_text: bool) -> tn_status {
        if !wants_text {
            self.refused = true;
            return tn_status::TN_ERR_ARGUMENT;
        }
        let Some(bytes) = text.readable().filter(|_| !self.answered) else {
            return tn_status::TN_ERR_ARGUMENT;
        };
        match String::from_utf8(bytes) {
            Ok(text) => {
                self.answered = true;
                self.blank = text.trim().is_empty();
                tn_status::TN_OK
            }
            Err(_) => {
                self.refused = true;
                tn_status::TN_ERR_UTF8
            }
        }
    }

    fn count(&mut self, wants_text: bool) -> tn_status {
        if wants_text {
            self.refused = true;
            return tn_status::TN_ERR_ARGUMENT;
        }
        if self.answered {
            return tn_status::TN_ERR_ARGUMENT;
        }
        self.answered = true;
        tn_status::TN_OK
    }

    fn error(&mut self, text: &Text) -> tn_status {
        let Some(bytes) = text.readable().filter(|_| self.error.is_none()) else {
            return tn_status::TN_ERR_ARGUMENT;
        };
        match String::from_utf8(bytes) {
            Ok(text) => {
                self.error = Some(text.replace('\0', "\u{FFFD}"));
                tn_status::TN_OK
            }
            Err(_) => {
                self.refused = true;
                tn_status::TN_ERR_UTF8
            }
        }
    }

    fn end(self) -> Option<End> {
        match self.error {
            Some(error) => Some(End::Fails(Some(error))),
            None if self.refused || !self.answered || self.blank => Some(End::Fails(None)),
            None => None,
        }
    }
}

/// "A callback may call any function": a whole compaction, with the compactor that is at work.
///
/// # Safety
///
/// The compactor is valid.
unsafe fn call_back(compactor: *const tn_compactor, messages: &str) -> tn_status {
    let (mut plan, mut result) = (null_mut(), null_mut());
    // SAFETY: the outputs are ours, and what comes out is freed once.
    unsafe {
        let status = tn_plan_new(
            compactor,
            messages.as_ptr().cast(),
            messages.len(),
            None,
            null_mut(),
            &raw mut plan,
            null_mut(),
        );
        assert_eq!(status, tn_status::TN_OK);
        let status = tn_plan_finish(
            plan,
            c"a".as_ptr(),
            TN_NUL_TERMINATED,
            &raw mut result,
            null_mut(),
        );
        tn_string_free(result);
        tn_plan_free(plan);
        status
    }
}

unsafe extern "C-unwind" fn on_summarize(
    user_data: *mut c_void,
    json: *const c_char,
    json_len: usize,
    first: usize,
    count: usize,
    out: *mut tn_sink,
) {
    // SAFETY: `user_data` is the host of the running call; the rest is the library's.
    unsafe {
        let host = &mut *user_data.cast::<Host>();
        assert!(!host.summarized, "summarize was called twice");
        host.summarized = true;
        called(host, true, (json, json_len), (first, count), out);
    }
}

unsafe extern "C-unwind" fn on_count_tokens(
    user_data: *mut c_void,
    json: *const c_char,
    json_len: usize,
    first: usize,
    count: usize,
    out: *mut tn_sink,
) {
    // SAFETY: the same.
    unsafe {
        let host = &mut *user_data.cast::<Host>();
        called(host, false, (json, json_len), (first, count), out);
    }
}

/// What the host has of the library's.
#[derive(Default)]
struct Held {
    compactors: Vec<*mut tn_compactor>,
    plans: Vec<*mut tn_plan>,
}

/// The one that `number` means, or, seldom, NULL.
fn chosen<T>(from: &[*mut T], number: u8) -> *mut T {
    place_of(number, from.len()).map_or(null_mut(), |place| from[place])
}

fn place_of(number: u8, count: usize) -> Option<usize> {
    (number < 240 && count > 0).then(|| usize::from(number) % count)
}

fn removed<T>(from: &mut Vec<*mut T>, number: u8) -> *mut T {
    place_of(number, from.len()).map_or(null_mut(), |place| from.swap_remove(place))
}

fuzz_target!(|calls: Calls| {
    let mut held = Held::default();
    for call in &calls.0 {
        // SAFETY: what is passed is as the interface describes it.
        unsafe { make(call, &mut held) };
    }
    // SAFETY: ours, and freed once; plans may outlive their compactors.
    unsafe {
        for compactor in held.compactors {
            tn_compactor_free(compactor);
        }
        for plan in held.plans {
            look(plan);
            tn_plan_free(plan);
        }
    }
});

/// # Safety
///
/// What is held is the library's and not freed.
unsafe fn make(call: &Call, held: &mut Held) {
    // SAFETY: each output is ours, each text lives until the call returns, each handle is valid or NULL.
    unsafe {
        match call {
            Call::New { options, outputs } => {
                let (mut compactor, mut error) =
                    (NonNull::dangling().as_ptr(), NonNull::dangling().as_ptr());
                let place = outputs.result(&mut compactor);
                let status = options.lend(|options, length| {
                    tn_compactor_new(options, length, place, outputs.error(&mut error))
                });
                let wanted = wanted_of_options(options, place.is_null());
                told(*outputs, status, error, wanted, None);
                if !place.is_null() {
                    assert_eq!(compactor.is_null(), status != tn_status::TN_OK, "{call:?}");
                    held.compactors
                        .extend(NonNull::new(compactor).map(NonNull::as_ptr));
                }
            }
            Call::Free(number) => tn_compactor_free(removed(&mut held.compactors, *number)),
            Call::Apply {
                compactor,
                messages,
                summarize,
                count_tokens,
                outputs,
            } => {
                let compactor = chosen(&held.compactors, *compactor);
                let mut host = Host {
                    compactor,
                    summarize: summarize.as_deref().unwrap_or_default(),
                    count_tokens: count_tokens.as_deref().unwrap_or_default(),
                    summarized: false,
                    end: None,
                };
                let (mut result, mut error) =
                    (NonNull::dangling().as_ptr(), NonNull::dangling().as_ptr());
                let place = outputs.result(&mut result);
                let done = catch_unwind(AssertUnwindSafe(|| {
                    messages.lend(|messages, length| {
                        tn_compactor_apply(
                            compactor,
                            messages,
                            length,
                            summarize.as_ref().map(|_| on_summarize as _),
                            count_tokens.as_ref().map(|_| on_count_tokens as _),
                            (&raw mut host).cast(),
                            place,
                            outputs.error(&mut error),
                        )
                    })
                }));
                let refused = place.is_null() || summarize.is_none() || compactor.is_null();
                let Some(status) = ended(done, &host, messages, refused, *outputs, error) else {
                    assert!(
                        result.is_null(),
                        "a result came out of a call that was left"
                    );
                    return;
                };
                if !place.is_null() {
                    let new = owned(result);
                    assert!(new.is_none() || status == tn_status::TN_OK, "{call:?}");
                    assert_eq!(new.is_some(), host.summarized && status == tn_status::TN_OK);
                    if let Some(new) = new {
                        assert!(estimate_tokens(&new, CharUnit::Utf8).is_ok(), "{new}");
                    }
                }
            }
            Call::Plan {
                compactor,
                messages,
                count_tokens,
                outputs,
            } => {
                let compactor = chosen(&held.compactors, *compactor);
                let mut host = Host {
                    compactor,
                    summarize: &[],
                    count_tokens: count_tokens.as_deref().unwrap_or_default(),
                    summarized: false,
                    end: None,
                };
                let (mut plan, mut error) =
                    (NonNull::dangling().as_ptr(), NonNull::dangling().as_ptr());
                let place = outputs.result(&mut plan);
                let done = catch_unwind(AssertUnwindSafe(|| {
                    messages.lend(|messages, length| {
                        tn_plan_new(
                            compactor,
                            messages,
                            length,
                            count_tokens.as_ref().map(|_| on_count_tokens as _),
                            (&raw mut host).cast(),
                            place,
                            outputs.error(&mut error),
                        )
                    })
                }));
                let refused = place.is_null() || compactor.is_null();
                let Some(status) = ended(done, &host, messages, refused, *outputs, error) else {
                    assert!(plan.is_null(), "a plan came out of a call that was left");
                    return;
                };
                if !place.is_null() {
                    assert_eq!(plan.is_null(), status != tn_status::TN_OK, "{call:?}");
                    held.plans.extend(NonNull::new(plan).map(NonNull::as_ptr));
                }
            }
            Call::Look(number) => look(chosen(&held.plans, *number)),
            Call::Finish {
                plan,
                summary,
                outputs,
            } => {
                let plan = chosen(&held.plans, *plan);
                let (mut result, mut error) =
                    (NonNull::dangling().as_ptr(), NonNull::dangling().as_ptr());
                let place = outputs.result(&mut result);
                let status = summary.lend(|summary, length| {
                    tn_plan_finish(plan, summary, length, place, outputs.error(&mut error))
                });
                let compacts = tn_plan_outcome(plan) == tn_outcome::TN_COMPACT as i32;
                let wanted = match summary.readable().map(String::from_utf8) {
                    _ if place.is_null() || plan.is_null() => tn_status::TN_ERR_ARGUMENT,
                    None => tn_status::TN_ERR_ARGUMENT,
                    Some(Err(_)) => tn_status::TN_ERR_UTF8,
                    Some(Ok(text)) if compacts && text.trim().is_empty() => {
                        tn_status::TN_ERR_CALLBACK
                    }
                    Some(Ok(_)) => tn_status::TN_OK,
                };
                told(*outputs, status, error, wanted, None);
                if !place.is_null() {
                    let new = owned(result);
                    assert_eq!(
                        new.is_some(),
                        compacts && status == tn_status::TN_OK,
                        "{call:?}"
                    );
                }
            }
            Call::FreePlan(number) => tn_plan_free(removed(&mut held.plans, *number)),
            Call::Estimate {
                messages,
                unit,
                outputs,
            } => {
                const UNTOUCHED: u64 = 0x5555;
                let (mut tokens, mut error) = (UNTOUCHED, NonNull::dangling().as_ptr());
                let place = outputs.result(&mut tokens);
                let status = messages.lend(|messages, length| {
                    tn_estimate_tokens(
                        messages,
                        length,
                        (*unit).into(),
                        place,
                        outputs.error(&mut error),
                    )
                });
                let refused = place.is_null() || !(0..=2).contains(unit);
                told(
                    *outputs,
                    status,
                    error,
                    wanted_of_messages(messages, refused),
                    None,
                );
                assert!(
                    tokens == UNTOUCHED || status == tn_status::TN_OK,
                    "{call:?}"
                );
            }
            Call::Names(number) => {
                for name in [
                    tn_status_name(*number),
                    tn_version(),
                    tn_summary_prefix(),
                    tn_flush_reminder(),
                ] {
                    assert!(!CStr::from_ptr(name).to_bytes().is_empty());
                }
                tn_string_free(null_mut());
            }
        }
    }
}

/// How a call with callbacks ended: its status, or nothing where a callback threw.
///
/// # Safety
///
/// `error` is the call's.
unsafe fn ended(
    done: Result<tn_status, Box<dyn std::any::Any + Send>>,
    host: &Host,
    messages: &Text,
    refused: bool,
    outputs: Outputs,
    error: *mut c_char,
) -> Option<tn_status> {
    let status = match done {
        Ok(status) => status,
        Err(thrown) => {
            assert!(matches!(host.end, Some(End::Thrown)));
            assert!(
                thrown.is::<Thrown>(),
                "what was thrown arrived as something else"
            );
            assert!(
                !outputs.error || error.is_null(),
                "an error came out of a call that was left"
            );
            return None;
        }
    };
    let (wanted, text) = match &host.end {
        Some(End::Thrown) => panic!("what a callback threw did not arrive"),
        Some(End::Fails(text)) => (tn_status::TN_ERR_CALLBACK, text.as_deref()),
        None => (wanted_of_messages(messages, refused), None),
    };
    // SAFETY: as the caller vouches.
    unsafe { told(outputs, status, error, wanted, text) };
    Some(status)
}

/// # Safety
///
/// `error` is the call's.
unsafe fn told(
    outputs: Outputs,
    status: tn_status,
    error: *mut c_char,
    wanted: tn_status,
    text: Option<&str>,
) {
    assert_eq!(status, wanted, "{text:?}");
    if outputs.error {
        // SAFETY: as the caller vouches.
        let error = unsafe { owned(error) };
        assert_eq!(error.is_some(), status != tn_status::TN_OK, "{status:?}");
        if text.is_some() {
            assert_eq!(error.as_deref(), text);
        }
    }
}

/// # Safety
///
/// `text` is NULL, or the library's and not freed.
unsafe fn owned(text: *mut c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: as the caller vouches.
    unsafe {
        let copy = CStr::from_ptr(text)
            .to_str()
            .expect("what the library hands out is UTF-8")
            .to_owned();
        // The host may write into what it owns.
        text.write(b'!'.cast_signed());
        tn_string_free(text);
        Some(copy)
    }
}

fn wanted_of_options(options: &Text, refused: bool) -> tn_status {
    match options.readable().map(String::from_utf8) {
        _ if refused => tn_status::TN_ERR_ARGUMENT,
        None => tn_status::TN_ERR_ARGUMENT,
        Some(Err(_)) => tn_status::TN_ERR_UTF8,
        Some(Ok(text)) => match Options::from_json(&text) {
            Ok(_) => tn_status::TN_OK,
            Err(Error::Json { .. }) => tn_status::TN_ERR_JSON,
            Err(_) => tn_status::TN_ERR_OPTIONS,
        },
    }
}

fn wanted_of_messages(messages: &Text, refused: bool) -> tn_status {
    match messages.readable().map(String::from_utf8) {
        _ if refused => tn_status::TN_ERR_ARGUMENT,
        None => tn_status::TN_ERR_ARGUMENT,
        Some(Err(_)) => tn_status::TN_ERR_UTF8,
        Some(Ok(text)) => match estimate_tokens(&text, CharUnit::CodePoint) {
            Ok(_) => tn_status::TN_OK,
            Err(Error::Json { .. }) => tn_status::TN_ERR_JSON,
            Err(_) => tn_status::TN_ERR_TRANSCRIPT,
        },
    }
}

/// The figures of a plan, or what stands for them without one.
///
/// # Safety
///
/// `plan` is NULL, or the library's and not freed.
unsafe fn look(plan: *const tn_plan) {
    // SAFETY: as the caller vouches.
    unsafe {
        let mut length = usize::MAX;
        let older = tn_plan_older(plan, &raw mut length);
        assert_eq!(older, tn_plan_older(plan, null_mut()));
        let outcome = tn_plan_outcome(plan);
        assert_eq!(older.is_null(), outcome != tn_outcome::TN_COMPACT as i32);
        let (head, tail) = (tn_plan_head_end(plan), tn_plan_tail_start(plan));
        let (start, end) = (tn_plan_request_start(plan), tn_plan_request_end(plan));
        assert!(head <= start && start <= end && end <= tail);
        if older.is_null() {
            assert_eq!((length, head), (0, tail));
        } else {
            let older = std::slice::from_raw_parts(older.cast(), length);
            let older = std::str::from_utf8(older).expect("older is UTF-8");
            assert!(estimate_tokens(older, CharUnit::Utf16).is_ok(), "{older}");
        }
        if plan.is_null() {
            assert_eq!((outcome, tail, end), (-1, 0, 0));
            assert_eq!((tn_plan_tokens(plan), tn_plan_tail_tokens(plan)), (0, 0));
        }
    }
}
