//! Escapes, whole and broken, across every edge of a block.

use super::agreement::{agree, agree_on_bytes, is_json};
use super::text::{BLOCK, STRIDE, filler, in_string, laid};

const ESCAPES: &[&str] = &[
    // The short ones.
    r#"\""#,
    r"\\",
    r"\/",
    r"\b",
    r"\f",
    r"\n",
    r"\r",
    r"\t",
    // Controls, and what has a short escape.
    r"\u0000",
    r"\u0001",
    r"\u0007",
    r"\u0008",
    r"\u0009",
    r"\u000a",
    r"\u000A",
    r"\u000b",
    r"\u000c",
    r"\u000D",
    r"\u000e",
    r"\u001f",
    r"\u001F",
    r"\u0022",
    r"\u002f",
    r"\u005c",
    r"\u005C",
    // ASCII, Latin-1, two bytes.
    r"\u0020",
    r"\u0041",
    r"\u007e",
    r"\u007F",
    r"\u0080",
    r"\u009f",
    r"\u00e9",
    r"\u00E9",
    r"\u00fF",
    r"\u0100",
    r"\u07ff",
    r"\u07FF",
    // Three bytes: every first digit.
    r"\u0800",
    r"\u0fff",
    r"\u0FfF",
    r"\u1000",
    r"\u1fff",
    r"\u2000",
    r"\u2027",
    r"\u202a",
    r"\u202A",
    r"\u2fff",
    r"\u3042",
    r"\u4e2d",
    r"\u4E2D",
    r"\u5b57",
    r"\u6f22",
    r"\u7fff",
    r"\u8000",
    r"\u9fa5",
    r"\ua000",
    r"\uAbCd",
    r"\ub000",
    r"\uBEEF",
    r"\uc000",
    r"\uCafe",
    r"\ud000",
    r"\ud7ff",
    r"\uD7FF",
    r"\ue000",
    r"\uE000",
    r"\uf8ff",
    r"\ufeff",
    r"\uFFFD",
    r"\uffff",
    r"\uFFFF",
    // The separators that Go escapes.
    r"\u2028",
    r"\u2029",
    // Pairs.
    r"\ud83d\ude00",
    r"\uD83D\uDE00",
    r"\ud83D\uDe00",
    r"\ud800\udc00",
    r"\udbff\udfff",
    r"\uDBFF\uDFFF",
    // Halves.
    r"\ud83d",
    r"\uDBFF",
    r"\ud800",
    r"\udc00",
    r"\ude00",
    r"\uDFFF",
    // Halves beside halves.
    r"\ud83d\ud83d\ude00",
    r"\ude00\ud83d",
    r"\ude00\ud83d\ude00",
    r"\ud83d\ude00\ude00",
    r"\ud83d\ud83d",
    r"\ude00\ude00",
    r"\ud83d\ude00\ud83d\ude00",
    r"\ud83d\ude00\ud83d",
    // What only looks like the other half.
    r"\\ud83d\ude00",
    r"\\\ud83d\ude00",
    r"\ud83d\\ude00",
    r"\ud83d\\\ude00",
    r"\ud83dude00",
    r"\ud83d \ude00",
    r"\ud83d\n",
    r"\ud83d\u0041",
    r"\ud83d\ue000",
    r"\ud83d\udbff",
    "\\ud83d\u{1f600}",
    "\u{1f600}\\ude00",
    "\\ud83d\u{e9}",
];

/// One of each kind, to be combined.
const KINDS: &[&str] = &[
    "",
    "a",
    "u",
    "\u{e9}",
    "\u{2028}",
    "\u{1f600}",
    r#"\""#,
    r"\\",
    r"\/",
    r"\n",
    r"\u0001",
    r"\u0041",
    r"\u00e9",
    r"\u0fff",
    r"\u2029",
    r"\u20ac",
    r"\u4e2d",
    r"\uD83D",
    r"\uDE00",
    r"\ud83d\ude00",
];

#[test]
fn every_escape_is_counted_as_what_it_stands_for_wherever_it_stands() {
    for escape in ESCAPES {
        for place in 0..BLOCK {
            for deep in [false, true] {
                is_json(&in_string(place, deep, escape));
                is_json(&in_string(place, deep, &format!("{escape}b")));
            }
        }
    }
}

#[test]
fn escapes_in_keys_are_counted_like_those_in_values() {
    for escape in ESCAPES {
        for place in (0..BLOCK).step_by(3) {
            let text = in_string(place, false, &format!(r#"","{escape}":"{escape}"#));
            is_json(&text);
        }
    }
}

#[test]
fn escapes_side_by_side_are_counted_each_for_itself() {
    for first in KINDS {
        for second in KINDS {
            for third in ["", r"\\", r"\ude00", r"\u2028"] {
                let inside = format!("{first}{second}{third}");
                for place in BLOCK - 20..BLOCK {
                    is_json(&in_string(place, false, &inside));
                }
            }
        }
    }
}

/// A transcript of one message with one string, in which `inside` starts at byte `at`.
fn at_byte(at: usize, inside: &str) -> String {
    let before = r#"[{"s":""#;
    format!(r#"{before}{}{inside}"}}]"#, filler(at - before.len()))
}

#[test]
fn every_escape_is_counted_across_the_edge_of_a_stride() {
    for edge in [STRIDE, 2 * STRIDE] {
        for escape in ESCAPES {
            for at in edge - 14..edge + 2 {
                is_json(&at_byte(at, escape));
                is_json(&at_byte(at, &format!("{escape}{}", filler(STRIDE))));
            }
        }
    }
}

/// What is left behind in one block or stride does not matter in one much later.
#[test]
fn an_escape_is_not_counted_with_what_stood_long_before() {
    for gap in [BLOCK, 2 * BLOCK, STRIDE, 2 * STRIDE] {
        for first in KINDS {
            for second in KINDS {
                for place in 0..14 {
                    let edge = STRIDE - 14 + place;
                    // The second one at the same place of its block or stride, and at the start of one.
                    for after in [gap, gap + 14 - place, gap + 15 - place] {
                        let between = filler(after.saturating_sub(first.len()));
                        is_json(&at_byte(edge, &format!("{first}{between}{second}")));
                    }
                }
            }
        }
    }
}

#[test]
fn broken_escapes_are_faults_at_the_edge_of_a_stride() {
    for edge in [STRIDE, 2 * STRIDE] {
        for at in edge - 8..edge + 2 {
            for broken in [
                r"\u",
                r"\u1",
                r"\u12",
                r"\u123",
                r"\u123g",
                r"\ud83d\u123",
                r"\x",
            ] {
                agree(&at_byte(at, broken));
                agree(&at_byte(at, &format!("{broken}{}", filler(STRIDE))));
                agree(at_byte(at, broken).trim_end_matches(r#""}]"#));
            }
        }
    }
}

#[test]
fn a_long_run_of_one_escape_is_counted_to_the_last() {
    for escape in ESCAPES {
        let run = escape.repeat(60);
        for place in 0..escape.len().min(BLOCK) {
            is_json(&in_string(place, false, &run));
        }
    }
}

#[test]
fn escapes_of_one_message_do_not_count_for_the_next() {
    for escape in ESCAPES {
        for place in (0..BLOCK).step_by(5) {
            let next = format!(r#""}},{{"{escape}":"{escape}"}},{{}},{{"b":"{escape}"#);
            is_json(&in_string(place, false, &format!("{escape}{next}")));
        }
    }
}

#[test]
fn a_backslash_may_stand_before_nine_characters_only() {
    for byte in 0..=u8::MAX {
        for place in BLOCK - 4..=BLOCK + 1 {
            let mut text = in_string(place % BLOCK, true, r"\?0041").into_bytes();
            let at = text
                .iter()
                .position(|&byte| byte == b'?')
                .expect("it is there");
            text[at] = byte;
            agree_on_bytes(&text);
        }
    }
}

#[test]
fn every_byte_but_a_hexadecimal_digit_is_refused_as_one() {
    for byte in 0..=u8::MAX {
        for digit in 2..6 {
            for place in BLOCK - 7..=BLOCK {
                let mut text = in_string(place % BLOCK, true, r"\u0000").into_bytes();
                let at = text
                    .iter()
                    .position(|&byte| byte == b'\\')
                    .expect("it is there");
                text[at + digit] = byte;
                agree_on_bytes(&text);
            }
        }
    }
}

/// More would be left out of the count than is there.
#[test]
fn broken_escapes_side_by_side_are_faults_however_many_there_are() {
    for broken in [r"\u\u0041", r"\u0\u0041", r"\u\ud83d\ude00", r"\u00\u000a"] {
        for times in 1..40 {
            for place in [0, 1, 30, 62] {
                let name = broken.repeat(times);
                let element = format!(r#"{{"{name}":1}}"#);
                agree(&laid(place, "[", &format!("{element}]")));
                agree(&laid(
                    place,
                    "[",
                    &format!("{element},{element},{element}]"),
                ));
            }
        }
    }
}

#[test]
fn broken_escapes_are_faults_wherever_they_stand() {
    let broken = [
        r"\x41",
        r"\a",
        r"\v",
        r"\0",
        r"\ ",
        r"\'",
        r"\U0041",
        r"\N",
        r"\B",
        "\\\n",
        "\\\u{e9}",
        "\\\u{1f600}",
        r"\u",
        r"\u1",
        r"\u12",
        r"\u123",
        r"\ug000",
        r"\u0g00",
        r"\u00g0",
        r"\u000g",
        r"\u000G",
        r"\u000/",
        r"\u000:",
        r"\u000@",
        r"\u000`",
        r"\u 041",
        r"\u+041",
        r"\u-041",
        r"\u{41}",
        r"\u\u0041",
        r"\u0\u0041",
        r"\u00\u0041",
        r"\u004\u0041",
        r"\u\\",
        "\\u\u{661}\u{662}\u{663}\u{664}",
        "\\u004\u{ff11}",
        "\\u00\u{e9}",
        "\\u12\u{1f600}",
        r"\ud83d\u",
        r"\ud83d\ude0",
        r"\ud83d\ude0x",
        r"\ud83d\uzzzz",
        r"\ud83d\x",
        r"\\\x",
        r"\\\u12",
        r"\n\q",
    ];
    for broken in broken {
        for place in 0..BLOCK {
            for deep in [false, true] {
                agree(&in_string(place, deep, broken));
                agree(&in_string(
                    place,
                    deep,
                    &format!("{broken}{}", "b".repeat(70)),
                ));
                // Cut right behind it.
                let cut = in_string(place, deep, broken);
                agree(&cut[..cut.len() - r#""}]"#.len()]);
            }
        }
    }
}
