//! White space between tokens, and what only looks like it.

use super::agreement::{agree, is_json};
use super::text::{BLOCK, laid};

/// A transcript with every kind of token, cut between its tokens.
const TOKENS: &[&str] = &[
    "[", "{", r#""a""#, ":", "1", ",", r#""b""#, ":", "[", "true", ",", "null", ",", "-2.5e3", ",",
    r#""c d""#, ",", "[", "]", ",", "{", "}", "]", ",", r#""é""#, ":", "{", r#""""#, ":", "false",
    "}", "}", ",", "{", "}", "]",
];

fn with_between(at: usize, between: &str) -> String {
    let (before, behind) = TOKENS.split_at(at);
    format!("{}{between}{}", before.concat(), behind.concat())
}

#[test]
fn white_space_may_stand_between_any_two_tokens() {
    for at in 0..=TOKENS.len() {
        for between in [" ", "\t", "\n", "\r", "\r\n", " \t\n\r "] {
            for place in [0, 17, BLOCK - 20, BLOCK - 3, BLOCK - 1] {
                is_json(&laid(place, "", &with_between(at, between)));
            }
        }
    }
    for between in ["", " ", "\t", "\n", "\r", "  ", " \n\t\r "] {
        for place in 0..BLOCK {
            is_json(&laid(place, "", &TOKENS.join(between)));
        }
    }
}

#[test]
fn white_space_of_any_length_counts_nothing() {
    for length in 0..=200 {
        for space in [" ", "\t", "\n", "\r"] {
            let run = space.repeat(length);
            is_json(&format!(
                r#"{run}[{{{run}"a"{run}:{run}1{run},{run}"b"{run}:{run}"{}"{run}}}{run},{run}{{}}{run}]{run}"#,
                " ".repeat(length)
            ));
        }
    }
}

#[test]
fn nothing_else_is_white_space() {
    let others = ('\0'..=' ')
        .filter(|control| !" \t\n\r".contains(*control))
        .chain([
            '\u{7f}', '\u{85}', '\u{a0}', '\u{1680}', '\u{180e}', '\u{2002}', '\u{200b}',
            '\u{2028}', '\u{2029}', '\u{202f}', '\u{205f}', '\u{2060}', '\u{3000}', '\u{feff}',
        ]);
    for other in others {
        for at in 0..=TOKENS.len() {
            for place in [0, BLOCK - 20, BLOCK - 3, BLOCK - 1] {
                agree(&laid(place, "", &with_between(at, &other.to_string())));
                agree(&laid(place, "", &with_between(at, &format!(" {other} "))));
            }
        }
    }
}

/// A table of operators that folds `[` and `{` together may take a control character for one.
#[test]
fn a_control_character_does_not_stand_for_a_token() {
    let text = TOKENS.concat();
    for at in 0..text.len() {
        if !text.is_char_boundary(at) || !text.is_char_boundary(at + 1) {
            continue;
        }
        for control in '\0'..' ' {
            for place in [0, BLOCK - 1 - at % BLOCK] {
                let replaced = format!("{}{control}{}", &text[..at], &text[at + 1..]);
                agree(&laid(place, "", &replaced));
            }
        }
    }
}

#[test]
fn a_byte_order_mark_is_a_fault() {
    for text in [
        "\u{feff}[]",
        "\u{feff}",
        " \u{feff}[]",
        "[\u{feff}]",
        "[]\u{feff}",
        "[{\u{feff}}]",
    ] {
        agree(text);
    }
}
