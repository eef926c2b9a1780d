//! Everything that the reader says of a text, held against the naive reading.

use std::fmt;

use tn_compactor::{CharUnit, Compactor, Error, Options, estimate_tokens};

use super::bytes;
use super::naive::{self, Reading, UNITS};

/// A text in the message of a failed test; of a long one the two ends.
pub struct Shown<'t>(pub &'t [u8]);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        const END: usize = 400;
        let length = self.0.len();
        if length <= 2 * END {
            return write!(out, "{length} bytes: {}", self.0.escape_ascii());
        }
        write!(
            out,
            "{length} bytes: {} ... {}",
            self.0[..END].escape_ascii(),
            self.0[length - END..].escape_ascii()
        )
    }
}

/// The reader and the naive one agree on a text: whether and why it is refused and where, or what each message counts.
#[track_caller]
pub fn agree(text: &str) {
    let shown = Shown(text.as_bytes());
    match naive::read(text) {
        Reading::Messages(messages) => {
            refuses_nothing(text, &messages);
            for index in 0..messages.len() {
                counts_exactly(text, &messages, index);
            }
        }
        reading => {
            for unit in UNITS {
                let refused = estimate_tokens(text, unit).map(|tokens| format!("{tokens} tokens"));
                is_refused_as(&reading, refused, &shown);
            }
            let planned = Compactor::new(Options::new(0)).plan(text);
            is_refused_as(&reading, planned.map(|_| "a plan".to_owned()), &shown);
        }
    }
}

/// The same for bytes that may be no text at all, through the C interface too.
#[track_caller]
pub fn agree_on_bytes(bytes: &[u8]) {
    let expected = match std::str::from_utf8(bytes) {
        Ok(text) => {
            agree(text);
            UNITS.map(|unit| estimate_tokens(text, unit).map_err(|error| error.to_string()))
        }
        Err(error) => {
            let refusal = format!("messages: byte {}: not UTF-8", error.valid_up_to());
            UNITS.map(|_| Err(refusal.clone()))
        }
    };
    let is_text = std::str::from_utf8(bytes).is_ok();
    let told = |answer: Result<u64, bytes::Refusal>| {
        answer.map_err(|(status, error)| {
            assert_eq!(status == "TN_ERR_UTF8", !is_text, "{}", Shown(bytes));
            error
        })
    };
    let estimated = [0, 1, 2].map(|unit| told(bytes::estimate(bytes, unit)));
    assert_eq!(estimated, expected, "{}", Shown(bytes));
    let planned = told(bytes::planned_tokens(bytes));
    assert_eq!(planned, expected[0], "the plan of {}", Shown(bytes));
}

/// A text that is JSON, whatever else it is.
#[track_caller]
pub fn is_json(text: &str) {
    let reading = naive::read(text);
    assert!(
        !matches!(reading, Reading::NotJson(_)),
        "meant to be JSON, but {reading:?}: {}",
        Shown(text.as_bytes())
    );
    agree(text);
}

/// A text that is not JSON, and the first byte that cannot stand there.
#[track_caller]
pub fn is_faulty_at(text: &str, at: usize) {
    let reading = naive::read(text);
    assert!(
        matches!(reading, Reading::NotJson(place) if place == at),
        "meant to be faulty at byte {at}, but {reading:?}: {}",
        Shown(text.as_bytes())
    );
    agree(text);
}

#[track_caller]
fn is_refused_as(expected: &Reading, found: Result<String, Error>, shown: &Shown) {
    let error = match found {
        Ok(found) => panic!("expected {expected:?}, got {found}\n{shown}"),
        Err(error) => error,
    };
    let agrees = match (expected, &error) {
        (&Reading::NotJson(at), Error::Json { at: found_at, .. }) => at == *found_at,
        (&Reading::NotAnObject(index), Error::NotAnObject { index: found, .. }) => index == *found,
        (Reading::NotAnArray, Error::NotAnArray { .. }) => true,
        _ => false,
    };
    assert!(agrees, "expected {expected:?}, got {error}\n{shown}");
    if let Error::Json { at, found, .. } = error {
        let there = std::str::from_utf8(&shown.0[at..])
            .ok()
            .map(|rest| rest.chars().next());
        assert_eq!(Some(found.0), there, "what was found at byte {at}\n{shown}");
    }
}

/// The estimates of a transcript, and where its array starts and ends.
#[track_caller]
fn refuses_nothing(text: &str, messages: &[&str]) {
    let shown = Shown(text.as_bytes());
    let mut sums = [0; 3];
    for message in messages {
        for (sum, size) in sums.iter_mut().zip(naive::sizes(message)) {
            *sum += size.div_ceil(4);
        }
    }
    assert_eq!(estimates(text), sums, "the estimates in {UNITS:?}\n{shown}");

    let counted_here = Compactor::new(Options::new(0)).plan_counting(text, |slice| {
        let array = text.trim_matches([' ', '\t', '\n', '\r']);
        assert_eq!(
            (slice.first, slice.count, slice.json),
            (0, messages.len(), array),
            "the whole of {shown}"
        );
        Ok(0)
    });
    if let Err(error) = counted_here {
        panic!("planned by the host's count: {error}\n{shown}");
    }
}

/// The estimate hides up to three characters. So the message gets four further members, one after the other, each a character
/// longer: the four estimates add up to the size and a constant.
#[track_caller]
fn counts_exactly(text: &str, messages: &[&str], index: usize) {
    let message = messages[index];
    let end = message.as_ptr() as usize - text.as_ptr() as usize + message.len() - 1;
    let is_empty = message[1..message.len() - 1].trim_ascii().is_empty();
    let comma = if is_empty { "" } else { "," };
    let with = |member: &str| format!("{}{comma}{member}{}", &text[..end], &text[end..]);

    let mut found = [0; 3];
    for digits in ["1", "11", "111", "1111"] {
        for (sum, tokens) in found
            .iter_mut()
            .zip(estimates(&with(&format!(r#""":{digits}"#))))
        {
            *sum += tokens;
        }
    }
    let mut expected = [0; 3];
    for (other, message) in messages.iter().enumerate() {
        for (sum, size) in expected.iter_mut().zip(naive::sizes(message)) {
            *sum += if other == index {
                size + comma.len() as u64 + 4 + 3
            } else {
                4 * size.div_ceil(4)
            };
        }
    }
    let surplus: Vec<i64> = found
        .iter()
        .zip(expected)
        .map(|(&found, expected)| found.cast_signed() - expected.cast_signed())
        .collect();
    assert_eq!(
        surplus,
        [0; 3],
        "what messages[{index}] counts too much in {UNITS:?}\n{}",
        Shown(text.as_bytes())
    );

    // What stands before it in the message does not hide a member.
    if index == 0 {
        let instruction = with(r#""role":"system","content":"do""#);
        let head_end = Compactor::new(Options::new(u64::MAX))
            .plan(&instruction)
            .map(|plan| plan.head_end());
        assert!(
            matches!(head_end, Ok(1..)),
            "expected a leading instruction, got {head_end:?}\n{}",
            Shown(instruction.as_bytes())
        );
    }
}

#[track_caller]
fn estimates(text: &str) -> [u64; 3] {
    UNITS.map(|unit: CharUnit| {
        estimate_tokens(text, unit)
            .unwrap_or_else(|error| panic!("{error}\n{}", Shown(text.as_bytes())))
    })
}
