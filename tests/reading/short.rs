//! Short texts, all of them; longer ones cut everywhere, and with every byte replaced by every other.

use super::agreement::{agree, agree_on_bytes};
use super::naive::is_beginning;
use super::text::{BLOCK, laid};

/// Between them they have every kind of token, character and escape.
const TEXTS: &[&str] = &[
    r#"[{"role":"user","content":"a"}]"#,
    r#" [ {"a":[1,-2.50e+3,true,false,null,"",{}], "b" : {"c":"\"\\\/\b\u00e9\ud83d\ude00\ud83d"} } , {} ] "#,
    "[{\"\u{e9}\":\"\u{4e2d}\u{2028}\u{1f600}\\u2029\\\\\"},\r\n\t{\"d\":[[[]],{\"e\":{}}]}]",
];

#[test]
fn the_empty_text_is_refused_at_its_end() {
    agree("");
}

#[test]
fn every_text_of_one_byte_and_of_two_is_read_right() {
    for first in 0..=u8::MAX {
        agree_on_bytes(&[first]);
        for second in 0..=u8::MAX {
            agree_on_bytes(&[first, second]);
        }
    }
}

#[test]
fn every_message_of_one_or_two_bytes_is_read_right() {
    for first in 0..=u8::MAX {
        agree_on_bytes(&[b'[', first, b']']);
        for second in 0..=u8::MAX {
            agree_on_bytes(&[b'[', first, second, b']']);
        }
    }
}

/// What no JSON text begins with needs no continuation: it is refused at the same place.
#[test]
fn every_text_of_six_bytes_that_mean_something_is_read_right() {
    const BYTES: &[u8] = b"{}[]:,\"\\0-.eutr \x0c";
    fn agree_on_every_continuation(text: &mut String) {
        agree(text);
        if text.len() == 6 || !is_beginning(text.as_bytes()) {
            return;
        }
        for &byte in BYTES {
            text.push(char::from(byte));
            agree_on_every_continuation(text);
            text.pop();
        }
    }
    agree_on_every_continuation(&mut String::new());
}

#[test]
fn a_text_may_end_anywhere() {
    for text in TEXTS {
        for place in 0..BLOCK {
            let text = laid(place, "", text);
            for end in 0..=text.len() {
                agree_on_bytes(&text.as_bytes()[..end]);
            }
        }
    }
}

#[test]
fn a_text_may_end_at_the_edge_of_a_block() {
    for length in 0..=4 * BLOCK {
        for before in [
            "[{}]",
            r#"[{"a":1}]"#,
            "0",
            "true",
            r#"[{"a":"#,
            r#"[{"a":""#,
            "[",
            "",
            r#"[{"a":"\"#,
            r#"[{"a":"\u00"#,
        ] {
            agree(&format!("{before:length$}"));
            agree(&format!("{before:>length$}"));
        }
    }
}

#[test]
fn any_byte_in_place_of_any_other_is_read_right() {
    for text in TEXTS {
        for place in [0, BLOCK - 24] {
            let text = laid(place, "", text);
            let blank = text.len() - text.trim_start_matches(' ').len();
            let mut bytes = text.into_bytes();
            for at in blank..bytes.len() {
                let own = bytes[at];
                for other in 0..=u8::MAX {
                    bytes[at] = other;
                    agree_on_bytes(&bytes);
                }
                bytes[at] = own;
            }
        }
    }
}

#[test]
fn any_byte_too_much_or_missing_is_noticed() {
    for text in TEXTS {
        for place in [0, BLOCK - 24] {
            let text = laid(place, "", text).into_bytes();
            for at in 0..=text.len() {
                let (before, behind) = text.split_at(at);
                if let Some((_, behind)) = behind.split_first() {
                    agree_on_bytes(&[before, behind].concat());
                }
                for more in (0..0x80).chain([0x80, 0xA0, 0xC3, 0xE2, 0xED, 0xF0, 0xFF]) {
                    agree_on_bytes(&[before, &[more], behind].concat());
                }
            }
        }
    }
}
