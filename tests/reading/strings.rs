//! Strings of every length, and where they end.

use super::agreement::{agree, is_faulty_at, is_json};
use super::text::{BLOCK, filler, laid};

#[test]
fn a_value_of_any_length_is_read_wherever_it_starts() {
    for length in 0..=200 {
        let rest = format!(r#""{}"}}]"#, filler(length));
        for place in 0..BLOCK {
            is_json(&laid(place, r#"[{"s":"#, &rest));
        }
    }
}

#[test]
fn a_key_of_any_length_is_read_wherever_it_starts() {
    for length in 0..=200 {
        let rest = format!(r#""{}" :1, "b":{{}} }}]"#, filler(length));
        for place in 0..BLOCK {
            is_json(&laid(place, r#"[{"#, &rest));
        }
    }
}

#[test]
fn many_short_strings_in_a_block_do_not_get_mixed_up() {
    for length in 0..=9 {
        let inside = filler(length);
        let list = vec![format!(r#""{inside}""#); 40].join(",");
        let members = vec![format!(r#""{inside}":"{inside}""#); 40].join(",");
        for place in 0..BLOCK {
            is_json(&laid(
                place,
                "[",
                &format!(r#"{{"":[{list}],{members}}},{{}}]"#),
            ));
        }
    }
}

#[test]
fn a_string_that_does_not_end_is_refused_at_the_end_of_the_text() {
    for length in 0..=200 {
        for place in 0..BLOCK {
            let text = laid(place, r#"[{"s":"#, &format!(r#""{}"#, filler(length)));
            is_faulty_at(&text, text.len());
        }
    }
}

#[test]
fn a_quote_more_or_less_is_seen_wherever_it_stands() {
    for place in 0..BLOCK {
        for broken in [
            r#"""""#,
            r#""a""b""#,
            r#""a"b"#,
            r#""a" "b""#,
            r#"a""#,
            r#""a\""#,
            r#"\"a""#,
            r#"'a'"#,
        ] {
            agree(&laid(place, r#"[{"s":"#, &format!("{broken}}}]")));
            agree(&laid(place, r#"[{"#, &format!("{broken}:1}}]")));
            agree(&laid(place, r#"[{"s":"a""#, &format!("{broken}}}]")));
        }
    }
}

/// Even runs escape only themselves; behind an odd one the next character is escaped.
#[test]
fn a_run_of_backslashes_of_any_length_ends_the_string_or_does_not() {
    for length in 0..=200 {
        let run = "\\".repeat(length);
        for after in [r#"""#, r#""","#, r#"n""#, r#"u00e9""#, r#" "#, r#"""":""#] {
            let rest = format!("{run}{after}}}]");
            for place in 0..BLOCK {
                agree(&laid(place, r#"[{"s":""#, &rest));
            }
        }
    }
}

#[test]
fn runs_of_backslashes_side_by_side_do_not_touch_each_other() {
    for first in 0..=9 {
        for second in 0..=9 {
            for between in ["a", "\\\"", "n", "é"] {
                let inside = format!(
                    "{}{between}{}{between}",
                    "\\\\".repeat(first),
                    "\\\\".repeat(second)
                );
                for place in BLOCK - 24..BLOCK {
                    is_json(&laid(place, r#"[{"s":""#, &format!(r#"{inside}"}}]"#)));
                }
            }
        }
    }
}

#[test]
fn a_backslash_outside_a_string_is_a_fault() {
    for place in 0..BLOCK {
        for (before, after) in [
            ("", "[]"),
            ("[", r#"{"a":1}]"#),
            (r#"[{"#, r#""a":1}]"#),
            (r#"[{"a""#, ":1}]"),
            (r#"[{"a":"#, "1}]"),
            (r#"[{"a":1"#, "}]"),
            (r#"[{"a":true"#, "}]"),
            (r#"[{"a":"b""#, "}]"),
            (r#"[{}"#, "]"),
            (r#"[{}]"#, ""),
        ] {
            for run in 1..=3 {
                let text = laid(place, before, &format!("{}{after}", "\\".repeat(run)));
                let at = text.find('\\').expect("it is there");
                is_faulty_at(&text, at);
            }
        }
    }
}

#[test]
fn a_control_character_inside_a_string_is_a_fault_where_it_stands() {
    for control in '\0'..' ' {
        for place in 0..BLOCK {
            for before in [
                r#"[{"s":""#.to_owned(),
                format!(r#"[{{"s":"{}"#, filler(70)),
                r#"[{"s\\"#.to_owned(),
                r#"[{"s":"é\""#.to_owned(),
            ] {
                let text = laid(place, &before, &format!(r#"{control}b":1}}]"#));
                let at = text.len() - r#"?b":1}]"#.len();
                is_faulty_at(&text, at);
            }
        }
    }
}

#[test]
fn the_first_of_several_faults_is_the_one_named() {
    for place in 0..BLOCK {
        for (before, faulty) in [
            (r#"[{"s":""#, "\u{1} \\x \u{2}\"}}}"),
            (r#"[{"s":""#, "\\x \u{1} \\u12\"}}}"),
            (r#"[{"s":"\u12"#, "z \u{1} \\q"),
            (r#"[{"s":"a""#, "x \"\u{1}\\x"),
            (r#"[{"s":"a"}"#, "} \"\u{1}\\x"),
            (r#"[{"s":tru"#, "  \"\u{1}\\x"),
            (r#"[{"s":1"#, "1a \"\u{1}\\x\""),
        ] {
            agree(&laid(place, before, faulty));
            let distance = "x".repeat(130);
            agree(&laid(place, before, &format!("{faulty}{distance}{faulty}")));
        }
    }
}
