//! Characters of every length, and bytes that are none, across the edges of blocks and of the encoding's strides.

use super::agreement::{agree_on_bytes, is_faulty_at, is_json};
use super::text::{BLOCK, STRIDE, in_string, laid};

/// The first, the last and some others of every length, and the neighbours of what counts in its own way.
const CHARACTERS: &[char] = &[
    'a',
    '\u{7f}',
    '\u{80}',
    '\u{a0}',
    '\u{e9}',
    '\u{ff}',
    '\u{7ff}',
    '\u{800}',
    '\u{fff}',
    '\u{1000}',
    '\u{2000}',
    '\u{2027}',
    '\u{2028}',
    '\u{2029}',
    '\u{202a}',
    '\u{20a8}',
    '\u{2068}',
    '\u{2128}',
    '\u{3042}',
    '\u{4e2d}',
    '\u{cfff}',
    '\u{d000}',
    '\u{d7ff}',
    '\u{e000}',
    '\u{feff}',
    '\u{fffd}',
    '\u{ffff}',
    '\u{10000}',
    '\u{1f600}',
    '\u{22028}',
    '\u{3ffff}',
    '\u{40000}',
    '\u{fffff}',
    '\u{100000}',
    '\u{10ffff}',
];

const NO_CHARACTERS: &[&[u8]] = &[
    // Continuations of nothing.
    b"\x80",
    b"\xBF",
    b"\x80\x80",
    b"\xC3\xA9\xA9",
    b"\xE4\xB8\xAD\xAD",
    b"\xF0\x9F\x98\x80\x80",
    // Too long for what they say.
    b"\xC0\x80",
    b"\xC0\xAF",
    b"\xC1\xBF",
    b"\xE0\x80\x80",
    b"\xE0\x9F\xBF",
    b"\xF0\x80\x80\x80",
    b"\xF0\x8F\xBF\xBF",
    b"\xC0\xA2",
    b"\xC0\xDC",
    // Surrogates, alone and as a pair.
    b"\xED\xA0\x80",
    b"\xED\xAF\xBF",
    b"\xED\xB0\x80",
    b"\xED\xBF\xBF",
    b"\xED\xA0\xBD\xED\xB8\x80",
    // Beyond U+10FFFF, and bytes that never occur.
    b"\xF4\x90\x80\x80",
    b"\xF5\x80\x80\x80",
    b"\xF7\xBF\xBF\xBF",
    b"\xF8\x88\x80\x80\x80",
    b"\xFC\x84\x80\x80\x80\x80",
    b"\xFE",
    b"\xFF",
    b"\xFE\xFF",
    // Cut short.
    b"\xC3",
    b"\xDF",
    b"\xE0",
    b"\xE0\xA0",
    b"\xE2",
    b"\xE2\x80",
    b"\xEF\xBF",
    b"\xF0",
    b"\xF0\x90",
    b"\xF0\x9F\x98",
    b"\xF4",
    b"\xF4\x8F\xBF",
    // Broken by another character.
    b"\xC3\x28",
    b"\xE2\x28\xA8",
    b"\xE2\x80\x28",
    b"\xF0\x28\x8C\xBC",
    b"\xF0\x90\x28\xBC",
    b"\xF0\x9F\x98\x28",
    b"\xC3\xC3\xA9",
    b"\xE2\xE2\x80\xA8",
    b"\xE2\x80\xE2\x80\xA8",
    b"\xF0\xF0\x9F\x98\x80",
    b"\xF0\x9F\xC3\xA9",
];

#[test]
fn every_character_is_counted_wherever_it_stands() {
    for character in CHARACTERS {
        for place in 0..BLOCK {
            for deep in [false, true] {
                is_json(&in_string(place, deep, &format!("{character}")));
                is_json(&in_string(place, deep, &format!("b{character}b")));
                is_json(&in_string(place, deep, &format!("{character}{character}")));
            }
        }
    }
}

#[test]
fn characters_side_by_side_are_counted_each_for_itself() {
    for first in CHARACTERS {
        for second in CHARACTERS {
            for place in BLOCK - 9..BLOCK {
                is_json(&in_string(place, false, &format!("{first}{second}{first}")));
            }
        }
    }
}

#[test]
fn a_text_full_of_one_character_is_counted_to_the_last() {
    for character in CHARACTERS {
        for length in [21, 64, 65, 200] {
            let inside = String::from_iter(vec![*character; length]);
            for place in (0..BLOCK).step_by(7) {
                is_json(&in_string(place, false, &inside));
            }
        }
    }
}

#[test]
fn characters_count_in_keys_and_in_every_message() {
    for character in CHARACTERS {
        for place in (0..BLOCK).step_by(3) {
            let more = format!(
                r#"{character}","{character}":1}},{{"{character}":"{character}"}},{{}},{{"a":"{character}"#
            );
            is_json(&in_string(place, false, &more));
        }
    }
}

#[test]
fn a_character_outside_a_string_is_a_fault_where_it_starts() {
    for character in CHARACTERS {
        for place in 0..BLOCK {
            for (before, after) in [
                ("", "[]"),
                ("[", "{}]"),
                ("[{", "}]"),
                (r#"[{"a":"#, "1}]"),
                (r#"[{"a":1"#, "}]"),
                (r#"[{"a":null"#, "}]"),
                (r#"[{"a":"b""#, "}]"),
                ("[{}", "]"),
                ("[]", ""),
            ] {
                let text = laid(place, before, &format!("{character}{after}"));
                is_faulty_at(&text, text.len() - after.len() - character.len_utf8());
            }
        }
    }
}

#[test]
fn a_character_may_lie_across_the_edge_of_a_stride() {
    let prefix = r#"[{"s":""#;
    for edge in [STRIDE, 2 * STRIDE, 3 * STRIDE] {
        for character in CHARACTERS {
            for before in 0..=5 {
                let letters = "b".repeat(edge - before - prefix.len());
                for behind in ["", "b", "\u{e9}", "\u{1f600}"] {
                    is_json(&format!(r#"{prefix}{letters}{character}{behind}"}}]"#));
                }
            }
        }
    }
}

#[test]
fn a_text_of_many_strides_full_of_one_character_is_counted_to_the_last() {
    for character in CHARACTERS.iter().step_by(2) {
        for phase in 0..character.len_utf8() {
            let characters = String::from_iter(vec![*character; 3 * STRIDE / character.len_utf8()]);
            is_json(&format!(r#"[{{"s":"{}{characters}"}}]"#, "b".repeat(phase)));
        }
    }
}

#[test]
fn bytes_that_are_no_character_are_refused_wherever_they_stand() {
    for bytes in NO_CHARACTERS {
        for place in 0..BLOCK {
            for (before, after) in [
                (r#"[{"s":""#, r#""}]"#),
                (r#"[{"s":"\u00e9 é "#, r#"aé"}]"#),
                (r#"[{""#, r#"":1}]"#),
                (r#"[{"a":1"#, "}]"),
                ("[", "]"),
                ("[{}]", ""),
            ] {
                refused(laid(place, before, ""), bytes, after);
            }
        }
    }
}

#[test]
fn bytes_that_are_no_character_are_refused_at_the_edge_of_a_stride_too() {
    let prefix = r#"[{"s":""#;
    for edge in [STRIDE, 2 * STRIDE, 3 * STRIDE] {
        for bytes in NO_CHARACTERS {
            for before in 0..=8 {
                for filling in ["b", "\u{1f600}"] {
                    let length = edge - before - prefix.len();
                    let filled = filling.repeat(length / filling.len());
                    let letters = "b".repeat(length % filling.len());
                    for after in [r#""}]"#, "", r#"bbbbbbbbbbbbbbbb"}]"#] {
                        refused(format!("{prefix}{letters}{filled}"), bytes, after);
                    }
                }
            }
        }
    }
}

#[test]
fn a_long_run_of_continuations_is_refused_where_it_starts() {
    for length in [STRIDE - 1, STRIDE, STRIDE + 1, 2 * STRIDE, 3 * STRIDE + 5] {
        for before in ["", r#"[{"s":""#, r#"[{"s":"é"#] {
            refused(before.to_owned(), &vec![0x80; length], r#""}]"#);
        }
    }
}

fn refused(before: String, bytes: &[u8], after: &str) {
    let text = [before.as_bytes(), bytes, after.as_bytes()].concat();
    assert!(
        std::str::from_utf8(&text).is_err(),
        "meant to be no text: {}",
        text.escape_ascii()
    );
    agree_on_bytes(&text);
}
