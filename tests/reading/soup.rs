//! Texts by chance: transcripts written oddly, the same with a few things broken, and plain soup.

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::agreement::{agree, agree_on_bytes, is_json};
use super::naive::{self, Reading, is_beginning};
use super::text::filler;

/// `PROPTEST_CASES` in the environment asks for more.
fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    let cases = match std::env::var_os("PROPTEST_CASES") {
        Some(_) => usual.cases,
        None => 2000,
    };
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..usual
    }
}

fn space() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => Just(String::new()),
        2 => select(vec![" ", "\n", "\t", "\r\n"]).prop_map(str::to_owned),
        1 => "[ \t\r\n]{1,80}",
    ]
}

fn string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[ -!#-\\[\\]-~]{0,12}",
        1 => (0usize..150).prop_map(filler),
        2 => "\\\\(u[0-9a-fA-F]{4}|[\"\\\\/bfnrt])",
        1 => "(\\\\\\\\){1,70}",
        1 => "\\\\u[dD][89abAB][0-9a-f]{2}\\\\u[dD][c-fC-F][0-9a-f]{2}",
        1 => "\\\\u[dD][89abAB][0-9a-f]{2}",
        1 => "\\\\u202[789aA]",
        2 => "[\u{80}-\u{7ff}\u{2020}-\u{2030}\u{4e00}-\u{4fff}\u{1f600}-\u{1f64f}]{1,40}",
    ];
    prop::collection::vec(piece, 0..5).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        select(vec!["true", "false", "null", "[]", "{}", "0", "-0"]).prop_map(str::to_owned),
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,5})?",
        string(),
    ];
    leaf.prop_recursive(5, 40, 6, |inside| {
        prop_oneof![list('[', inside.clone(), ']'), object(inside)]
    })
}

fn object(inside: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let member = (string(), space(), space(), inside)
        .prop_map(|(key, before, behind, value)| format!("{key}{before}:{behind}{value}"));
    list('{', member, '}')
}

fn list(
    open: char,
    item: impl Strategy<Value = String>,
    close: char,
) -> impl Strategy<Value = String> {
    let item = (space(), item, space())
        .prop_map(|(before, item, behind)| format!("{before}{item}{behind}"));
    (prop::collection::vec(item, 0..5), space()).prop_map(move |(items, space)| {
        let items = if items.is_empty() {
            space
        } else {
            items.join(",")
        };
        format!("{open}{items}{close}")
    })
}

fn transcript() -> impl Strategy<Value = String> {
    let transcript = list('[', object(value()), ']');
    ("[ \n]{0,70}", transcript, space()).prop_map(|(before, text, behind)| before + &text + &behind)
}

const TOKENS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "\"\"",
    "\"a\"",
    "\\",
    "\\\\",
    "\\\"",
    "\\u",
    "\\u00e9",
    "\\ud83d",
    "\\ude00",
    "u",
    "0",
    "1",
    "-",
    ".",
    "e",
    "+",
    "1.5e3",
    "true",
    "tru",
    "null",
    "false",
    " ",
    "\n",
    "\t",
    "\r",
    "\u{0}",
    "\u{c}",
    "\u{1a}",
    "\u{1f}",
    "\u{7f}",
    "\u{e9}",
    "\u{2028}",
    "\u{feff}",
    "\u{1f600}",
    "{\"a\":",
    "[{",
    "}]",
    "},{",
    "/",
    "'",
];

#[derive(Clone, Debug)]
enum Change {
    Insert(Index, &'static str),
    Remove(Index, usize),
    Replace(Index, &'static str),
    Repeat(Index, Index),
    Cut(Index),
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<Index>;
    prop_oneof![
        3 => (at(), select(TOKENS)).prop_map(|(at, token)| Change::Insert(at, token)),
        3 => (at(), 1usize..4).prop_map(|(at, count)| Change::Remove(at, count)),
        3 => (at(), select(TOKENS)).prop_map(|(at, token)| Change::Replace(at, token)),
        1 => (at(), at()).prop_map(|(from, to)| Change::Repeat(from, to)),
        1 => at().prop_map(Change::Cut),
    ]
}

fn changed(text: &str, changes: &[Change]) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for change in changes {
        let place = |at: &Index| at.index(characters.len() + 1);
        match change {
            Change::Insert(at, token) => {
                let at = place(at);
                characters.splice(at..at, token.chars());
            }
            Change::Remove(at, count) => {
                let at = place(at);
                let end = characters.len().min(at + count);
                characters.drain(at..end);
            }
            Change::Replace(at, token) => {
                let at = place(at);
                let end = characters.len().min(at + 1);
                characters.splice(at..end, token.chars());
            }
            Change::Repeat(from, to) => {
                let (from, to) = (place(from), place(to));
                let run = characters[from.min(to)..from.max(to)].to_vec();
                let at = from.max(to);
                characters.splice(at..at, run);
            }
            Change::Cut(at) => {
                let at = place(at);
                characters.truncate(at);
            }
        }
    }
    characters.into_iter().collect()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_transcript_is_read_right_however_it_is_written(text in transcript()) {
        is_json(&text);
    }

    #[test]
    fn a_transcript_with_something_broken_is_read_right(
        text in transcript(),
        changes in prop::collection::vec(change(), 1..4),
    ) {
        agree(&changed(&text, &changes));
    }

    #[test]
    fn a_soup_of_tokens_is_read_right(tokens in prop::collection::vec(select(TOKENS), 0..60), blank in 0usize..70) {
        agree(&format!("{:blank$}{}", "", tokens.concat()));
    }

    #[test]
    fn a_soup_of_tokens_inside_a_string_is_read_right(tokens in prop::collection::vec(select(TOKENS), 0..60), blank in 0usize..70) {
        agree(&format!("{:blank$}[{{\"a\":\"{}\"}}]", "", tokens.concat()));
    }

    #[test]
    fn any_bytes_are_read_right(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        agree_on_bytes(&bytes);
        agree_on_bytes(&[br#"[{"a":""#, &*bytes, br#""}]"#].concat());
    }

    #[test]
    fn a_transcript_with_a_byte_replaced_is_read_right(text in transcript(), at in any::<Index>(), byte in any::<u8>()) {
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        agree_on_bytes(&bytes);
    }

    /// The place of a fault, by what it means.
    #[test]
    fn up_to_its_first_fault_a_text_is_the_beginning_of_json_and_with_it_no_more(
        text in transcript(),
        changes in prop::collection::vec(change(), 1..4),
    ) {
        let text = changed(&text, &changes);
        if let Reading::NotJson(at) = naive::read(&text) {
            let bytes = text.as_bytes();
            prop_assert!(is_beginning(&bytes[..at]), "{text:?} up to byte {at}");
            prop_assert!(at == bytes.len() || !is_beginning(&bytes[..=at]), "{text:?} with byte {at}");
        }
    }
}
