//! Brackets, commas and colons: every short order of tokens, and nesting of any depth.

use super::agreement::{agree, is_faulty_at, is_json};
use super::naive::is_beginning;
use super::text::laid;

const TOKENS: &[&str] = &["{", "}", "[", "]", ":", ",", r#""""#, "1", "true", " "];

/// What no JSON text begins with needs no continuation: it is refused at the same place.
fn agree_on_every_continuation(place: usize, tokens: &mut Vec<&'static str>, most: usize) {
    let text = tokens.concat();
    agree(&laid(place, "", &text));
    if tokens.len() == most || !is_beginning(text.as_bytes()) {
        return;
    }
    for token in TOKENS {
        // A run of white space is tried elsewhere.
        if *token == " " && tokens.last() == Some(token) {
            continue;
        }
        tokens.push(token);
        agree_on_every_continuation(place, tokens, most);
        tokens.pop();
    }
}

#[test]
fn every_order_of_eight_tokens_is_read_right() {
    agree_on_every_continuation(0, &mut vec![], 8);
}

#[test]
fn every_order_of_four_tokens_is_read_right_across_an_edge() {
    for place in 58..64 {
        agree_on_every_continuation(place, &mut vec![], 4);
        agree_on_every_continuation(place, &mut vec!["[", "{", r#""""#, ":"], 9);
    }
}

/// A fault is not forgotten, whatever comes after it: here every continuation is tried.
#[test]
fn every_order_of_a_few_tokens_is_read_right_beyond_its_fault() {
    fn agree_on_all(place: usize, tokens: &mut Vec<&'static str>, most: usize) {
        agree(&laid(place, "", &tokens.concat()));
        if tokens.len() < most {
            for token in TOKENS {
                tokens.push(token);
                agree_on_all(place, tokens, most);
                tokens.pop();
            }
        }
    }
    for begun in [&[][..], &["["], &["{"], &["[", "{", r#""""#, ":"]] {
        agree_on_all(0, &mut begun.to_vec(), begun.len() + 5);
        for place in 61..64 {
            agree_on_all(place, &mut begun.to_vec(), begun.len() + 3);
        }
    }
}

/// A nest of containers, outermost first; `true` is an object.
fn nested(objects: &[bool], inside: &str) -> String {
    let mut text = opened(objects);
    text.push_str(inside);
    for &object in objects.iter().rev() {
        text.push(if object { '}' } else { ']' });
    }
    text
}

fn opened(objects: &[bool]) -> String {
    objects
        .iter()
        .map(|&object| if object { r#"{"":"# } else { "[" })
        .collect()
}

/// Ways to nest: only arrays, only objects, in turn, in pairs, by chance.
fn nests(depth: usize) -> [Vec<bool>; 5] {
    let nest = |kind: fn(usize) -> bool| (0..depth).map(kind).collect();
    [
        nest(|_| false),
        nest(|_| true),
        nest(|level| level % 2 == 0),
        nest(|level| level / 2 % 2 == 0),
        nest(|level| (level * level * 2_654_435_761) >> 13 & 1 == 0),
    ]
}

#[test]
fn containers_nest_to_any_depth() {
    for depth in (1..=140).chain(185..=200).chain([255, 256, 257, 1000]) {
        for nest in nests(depth) {
            for inside in ["0", "[]", "{}", r#""]}""#] {
                let nest = nested(&nest, inside);
                is_json(&nest);
                is_json(&format!("[{nest}]"));
                is_json(&format!(
                    r#"[{{"a":{nest},"b":1}},{{"c":[{nest},{nest}]}}]"#
                ));
            }
        }
    }
}

#[test]
fn depth_that_comes_and_goes_is_kept_track_of() {
    for low in [0, 1, 62, 63, 64, 65, 127, 128, 129] {
        for high in [1, 2, 63, 64, 65, 66, 127, 128, 130, 200] {
            for (outer, inner) in nests(low).iter().zip(nests(high)) {
                let member = r#""":0"#;
                let inner = nested(&inner, "{}");
                let array = nested(outer, &format!("[{inner},{inner},{inner}]"));
                let object = nested(
                    outer,
                    &format!(r#"{{{member},"a":{inner},"b":{inner},{member}}}"#),
                );
                is_json(&format!(r#"[{{"a":{array},"b":{object}}}]"#));
                agree(&format!(r#"[{{"a":{array},"b":{object}]]"#));
            }
        }
    }
}

#[test]
fn a_wrong_closer_is_refused_at_every_level() {
    for depth in [1, 2, 5, 63, 64, 65, 66, 127, 128, 129, 130, 200] {
        for nest in nests(depth) {
            let text = format!(r#"[{{"a":{}}}]"#, nested(&nest, "0"));
            for level in 0..depth {
                let at = text.len() - "}]".len() - 1 - level;
                let wrong = if text.as_bytes()[at] == b'}' {
                    "]"
                } else {
                    "}"
                };
                let text = format!("{}{wrong}{}", &text[..at], &text[at + 1..]);
                is_faulty_at(&text, at);
            }
        }
    }
}

#[test]
fn closers_too_few_and_too_many_are_refused() {
    for depth in [1, 2, 5, 63, 64, 65, 66, 127, 128, 129, 130, 200] {
        for nest in nests(depth) {
            let text = format!(r#"[{{"a":{}}}]"#, nested(&nest, "0"));
            for missing in 1..=depth + 2 {
                let cut = text.len() - missing;
                is_faulty_at(&text[..cut], cut);
            }
            for more in ["]", "}", "]]", ",", "[]", "{}", "0", r#""""#] {
                is_faulty_at(&format!("{text}{more}"), text.len());
            }
        }
    }
}

#[test]
fn a_million_levels_are_read_like_one() {
    const DEPTH: usize = 1_000_000;
    let (open, close) = ("[".repeat(DEPTH), "]".repeat(DEPTH));
    is_json(&format!("{open}{close}"));
    is_json(&format!(r#"[{{"a":{open}{close}}}]"#));
    is_faulty_at(&open, DEPTH);
    is_faulty_at(&format!("{open}}}{close}"), DEPTH);
    is_faulty_at(&format!("{open}{close}]"), 2 * DEPTH);
    is_faulty_at(&format!("{open}{}", &close[1..]), 2 * DEPTH - 1);
    let members = r#"{"":"#.repeat(DEPTH);
    is_json(&format!("[{members}0{}]", "}".repeat(DEPTH)));
    is_faulty_at(&format!("[{members}0]"), 1 + members.len() + 1);
}

#[test]
fn a_text_that_is_no_array_of_objects_is_told_from_one_that_is_no_json() {
    for other in [
        "0", "-1.5e3", r#""a""#, "true", "false", "null", "[]", "[{}]",
    ] {
        for place in 0..64 {
            is_json(&laid(place, "", other));
            is_json(&laid(place, "[", &format!("{other}]")));
            is_json(&laid(place, "[{},", &format!("{{}} , {other},1,{{}}]")));
            is_json(&laid(place, r#"{"a":"#, &format!("{other}}}")));
            let text = laid(place, "[{},", &format!("{other},"));
            is_faulty_at(&text, text.len());
            let text = laid(place, "[{},", &format!("{other}}}"));
            is_faulty_at(&text, text.len() - 1);
        }
    }
}
