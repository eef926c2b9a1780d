//! What is refused, and in which words.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_void};

use ::tn_compactor::ffi::*;
use ::tn_compactor::{CharUnit, Compactor, Error, Options, Split, estimate_tokens};

fn options_error(options: &str) -> String {
    Options::from_json(options).unwrap_err().to_string()
}

fn json_error(messages: &str) -> String {
    estimate_tokens(messages, CharUnit::CodePoint)
        .unwrap_err()
        .to_string()
}

#[test]
fn an_option_that_is_not_known_is_named_however_it_is_written() {
    for (options, named) in [
        (
            r#"{"max_tokens":5,"kep_tail":1}"#,
            r#"option "kep_tail": not known"#,
        ),
        (
            r#"{"max_tokens":5,"ot\u0068er\/kept":1}"#,
            r#"option "other/kept": not known"#,
        ),
        (
            r#"{"max_tokens":5,"\ud800a":1}"#,
            r#"option "\ud800a": not known"#,
        ),
        (
            "{\"max_tokens\":5,\"a\u{202e}b\":1}",
            r#"option "a\u{202e}b": not known"#,
        ),
        (r#"{"zeta":1,"alpha":2}"#, r#"option "zeta": not known"#),
    ] {
        let error = options_error(options);
        assert!(error.starts_with(named), "{options}: {error}");
    }
    let long = format!(r#"{{"{}":1}}"#, "k".repeat(1_000_000));
    assert!(options_error(&long).len() < 300);
}

#[test]
fn options_that_are_no_json_are_refused_as_that() {
    for (options, place) in [
        (r#"{"max_tokens":5},"x""#, 16),
        (r#"{"max_tokens":5},":""#, 16),
        (r#"{"max_tokens":5},"#, 16),
        (r#""","""#, 2),
        (r#"{"max_tokens":5}{}"#, 16),
        (r#"{"max_tokens" 5}"#, 14),
    ] {
        let error = options_error(options);
        assert!(
            error.contains(&format!("byte {place}:")),
            "{options}: {error}"
        );
    }
}

#[test]
fn an_option_value_is_shown_on_one_line() {
    let error = options_error("{\"max_tokens\":5,\"split\":{\"a\": [1,\n2]}}");
    assert_eq!(
        error,
        r#"option "split": found {"a": [1,\n2]}, allowed: "steps", "turns""#
    );
}

#[test]
fn numbers_that_are_no_plain_integers_are_refused() {
    for value in [
        "-1",
        "-0",
        "1.0",
        "1e3",
        "18446744073709551616",
        "\"5\"",
        "null",
        "[5]",
    ] {
        let error = options_error(&format!(r#"{{"max_tokens":{value}}}"#));
        let start = format!(r#"option "max_tokens": found {value}, allowed: an integer from 0"#);
        assert!(error.starts_with(&start), "{error}");
    }
}

#[test]
fn the_character_found_is_shown_as_it_stands_in_the_text() {
    assert!(json_error("['a']").ends_with("found `'`"));
    assert!(json_error(r#"[{"a":1 "b":2}]"#).ends_with("found `\"`"));
    assert!(json_error(r"[\]").ends_with(r"found `\`"));
    assert!(json_error("[\u{1}]").ends_with(r"found `\u{1}`"));
    assert!(json_error("[").ends_with("found the end of the text"));
}

#[test]
fn what_the_hosts_function_failed_with_is_the_cause_itself() {
    #[derive(Debug, thiserror::Error)]
    #[error("the model is away")]
    struct Away(#[source] std::fmt::Error);

    let messages = r#"[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]"#;
    let error = Compactor::new(Options::new(1))
        .apply(messages, |_| Err(Away(std::fmt::Error).into()))
        .unwrap_err();
    assert_eq!(error.to_string(), "the model is away");
    let source = std::error::Error::source(&error).map(ToString::to_string);
    assert_eq!(source, Some(std::fmt::Error.to_string()));
    assert!(matches!(error, Error::Host(_)));
}

/// An empty call under one spelling must not hide the call under the other.
#[test]
fn of_two_spellings_of_a_call_in_one_part_each_counts() {
    let messages = r#"[
        {"role":"user","parts":[{"text":"old request, some words long"}]},
        {"role":"model","parts":[{"functionCall":{},"function_call":{"name":"f"}}]},
        {"role":"user","parts":[{"text":"an interjection"}]},
        {"role":"user","parts":[{"functionResponse":{"name":"f"}}]},
        {"role":"model","parts":[{"text":"done"}]},
        {"role":"user","parts":[{"text":"next"}]}
    ]"#;
    let mut options = Options::new(10);
    options.keep_tail = Some(1000);
    options.split = Split::Turns;
    let plan = Compactor::new(options).plan(messages).unwrap();
    assert_eq!(plan.tail_start(), 5, "the pair at 1 and 3 lies across 2");
}

unsafe extern "C-unwind" fn answers_then_talks_on(
    _user_data: *mut c_void,
    _json: *const c_char,
    _json_len: usize,
    _first: usize,
    _count: usize,
    out: *mut tn_sink,
) {
    // SAFETY: the sink is the callback's own, the texts are constants.
    unsafe {
        assert_eq!(tn_sink_set_text(out, c"good".as_ptr(), 4), tn_status::TN_OK);
        let second = tn_sink_set_text(out, c"\xFF".as_ptr(), 1);
        assert_eq!(second, tn_status::TN_ERR_ARGUMENT);
    }
}

#[test]
fn a_second_answer_is_ignored_whatever_it_says() {
    let messages = r#"[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]"#;
    let (mut compactor, mut result) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: all pointers are to what lives here, and what comes back is freed once.
    unsafe {
        let options = br#"{"max_tokens":1}"#;
        tn_compactor_new(
            options.as_ptr().cast(),
            options.len(),
            &raw mut compactor,
            std::ptr::null_mut(),
        );
        let status = tn_compactor_apply(
            compactor,
            messages.as_ptr().cast(),
            messages.len(),
            Some(answers_then_talks_on),
            None,
            std::ptr::null_mut(),
            &raw mut result,
            std::ptr::null_mut(),
        );
        assert_eq!(status, tn_status::TN_OK);
        let text = std::ffi::CStr::from_ptr(result).to_str().unwrap();
        assert!(text.contains(r"conversation]\ngood"), "{text}");
        tn_string_free(result);
        tn_compactor_free(compactor);
    }
}
