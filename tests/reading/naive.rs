//! The naive reading: `serde_json` says what is JSON, plain loops count.

use serde_json::value::RawValue;
use tn_compactor::CharUnit;

pub const UNITS: [CharUnit; 3] = [CharUnit::CodePoint, CharUnit::Utf16, CharUnit::Utf8];

/// What a text is, as a transcript.
#[derive(Debug)]
pub enum Reading<'t> {
    /// Each message's own bytes.
    Messages(Vec<&'t str>),
    NotAnArray,
    /// With the index of the first element that is none.
    NotAnObject(usize),
    /// With the offset of the first byte that cannot stand there.
    NotJson(usize),
}

/// Raw values are skipped, not built: neither depth nor a number's size nor a lone surrogate is a reason to refuse one.
pub fn read(text: &str) -> Reading<'_> {
    let Ok(whole) = serde_json::from_str::<&RawValue>(text) else {
        return Reading::NotJson(first_fault(text.as_bytes()));
    };
    if !whole.get().starts_with('[') {
        return Reading::NotAnArray;
    }
    let elements: Vec<&RawValue> =
        serde_json::from_str(text).expect("an array splits into raw values");
    match elements
        .iter()
        .position(|element| !element.get().starts_with('{'))
    {
        Some(index) => Reading::NotAnObject(index),
        None => Reading::Messages(elements.iter().map(|element| element.get()).collect()),
    }
}

/// Where `text`, which is not JSON, stops being the beginning of one: its length if it is just cut short.
///
/// `serde_json` names, by line and column, the last byte that it took. That is the place, with two exceptions: it takes the four
/// digits of an escape before it looks at them, and where the text ends in the middle of a number it names the byte before.
pub fn first_fault(text: &[u8]) -> usize {
    if is_beginning(text) {
        return text.len();
    }
    let error = skipped(text).expect_err("asked only about what is not JSON");
    let line_start: usize = text
        .split_inclusive(|&byte| byte == b'\n')
        .take(error.line() - 1)
        .map(<[u8]>::len)
        .sum();
    let last_taken = if error.is_eof() {
        text.len()
    } else {
        line_start + error.column()
    };
    let mut at = last_taken - 1;
    while !is_beginning(&text[..at]) {
        at -= 1;
    }
    at
}

/// Whether something can follow `text` so that the whole is JSON. `text` may end inside a character.
pub fn is_beginning(text: &[u8]) -> bool {
    let may_go_on = |text: &[u8]| match skipped(text) {
        Ok(()) => true,
        Err(error) => error.is_eof(),
    };
    let mut longer = text.to_vec();
    longer.resize(text.len() + missing_hex_digits(text), b'0');
    if may_go_on(&longer) {
        return true;
    }
    // A number that lacks a digit.
    longer.push(b'0');
    matches!(text.last(), Some(b'-' | b'+' | b'.' | b'e' | b'E')) && may_go_on(&longer)
}

fn skipped(text: &[u8]) -> Result<(), serde_json::Error> {
    serde_json::from_reader::<_, Box<RawValue>>(text).map(|_| ())
}

/// How many digits the escape lacks that `text` ends in.
fn missing_hex_digits(text: &[u8]) -> usize {
    for digits in 0..4 {
        let Some(before) = text.len().checked_sub(digits + 1) else {
            break;
        };
        let backslashes = text[..before]
            .iter()
            .rev()
            .take_while(|&&byte| byte == b'\\')
            .count();
        if text[before] == b'u' && backslashes % 2 == 1 {
            return 4 - digits;
        }
    }
    0
}

/// The length of a message's compact JSON.
pub fn size(message: &str, unit: CharUnit) -> u64 {
    let mut size = 0;
    let mut rest = message.chars();
    while let Some(character) = rest.next() {
        size += match character {
            '"' => 2 + inside_of_string(&mut rest, unit),
            ' ' | '\t' | '\n' | '\r' => 0,
            _ => 1,
        };
    }
    size
}

/// The sizes in the order of [`UNITS`].
pub fn sizes(message: &str) -> [u64; 3] {
    UNITS.map(|unit| size(message, unit))
}

/// A string is a list of UTF-16 units here: so an escaped pair becomes one character, and only what stays single is alone.
fn inside_of_string(rest: &mut std::str::Chars, unit: CharUnit) -> u64 {
    let mut units: Vec<u16> = Vec::new();
    loop {
        match rest.next().expect("the string ends") {
            '"' => break,
            '\\' => units.push(escaped(rest)),
            character => units.extend_from_slice(character.encode_utf16(&mut [0; 2])),
        }
    }
    char::decode_utf16(units)
        .map(|character| match character {
            Ok(character) => as_written(character, unit),
            Err(_lone) if unit == CharUnit::Utf8 => 3,
            Err(_lone) => 1,
        })
        .sum()
}

fn escaped(rest: &mut std::str::Chars) -> u16 {
    match rest.next().expect("something is escaped") {
        'b' => 0x08,
        'f' => 0x0C,
        'n' => 0x0A,
        'r' => 0x0D,
        't' => 0x09,
        'u' => {
            let digits: String = rest.take(4).collect();
            u16::from_str_radix(&digits, 16).expect("four hexadecimal digits")
        }
        itself => itself as u16,
    }
}

/// How long `JSON.stringify` writes a character in a string; under UTF-8, how long Go's encoder does.
fn as_written(character: char, unit: CharUnit) -> u64 {
    match (character, unit) {
        ('"' | '\\' | '\u{8}' | '\u{c}' | '\n' | '\r' | '\t', _) => 2,
        (..' ', _) => 6,
        ('\u{2028}' | '\u{2029}', CharUnit::Utf8) => 6,
        (_, CharUnit::CodePoint) => 1,
        (_, CharUnit::Utf16) => character.len_utf16() as u64,
        (_, CharUnit::Utf8) => character.len_utf8() as u64,
    }
}

#[test]
fn the_naive_sizes_are_those_of_the_rules() {
    for (message, expected) in [
        ("{}", [2, 2, 2]),
        ("{ \"a\" : [ 1 , true ] }\n", [14, 14, 14]),
        (r#"{"a":"\u00e9"}"#, [9, 9, 10]),
        (r#"{"a":"é"}"#, [9, 9, 10]),
        (r#"{"a":"\/"}"#, [9, 9, 9]),
        (r#"{"a":"\u0041\n\u000a\u0001"}"#, [19, 19, 19]),
        (r#"{"a":"😀"}"#, [9, 10, 12]),
        (r#"{"a":"\ud83d\uDE00"}"#, [9, 10, 12]),
        (r#"{"a":"\ud83d"}"#, [9, 9, 11]),
        (r#"{"a":"\ud83d\ud83d\ude00"}"#, [10, 11, 15]),
        (r#"{"a":"\u2028"}"#, [9, 9, 14]),
    ] {
        assert_eq!(sizes(message), expected, "{message}");
    }
}

#[test]
fn the_naive_place_of_a_fault_is_where_the_beginning_of_a_json_text_stops() {
    for (text, expected) in [
        ("", 0),
        (" ", 1),
        ("[1", 2),
        ("[1 2]", 3),
        ("[1,]", 3),
        ("[-", 2),
        ("[-x]", 2),
        ("[1.", 3),
        ("[1.]", 3),
        ("[1e+", 4),
        ("[01]", 2),
        ("[\n\n1\n2]", 5),
        ("[1\n\u{b}]", 3),
        ("[tru]", 4),
        ("[tru", 4),
        (r#"["\x"]"#, 3),
        (r#"["\u12x4"]"#, 6),
        (r#"["\u1x"#, 5),
        (r#"["\u12"#, 6),
        (r#"["\u12"]"#, 6),
        (r#"["\\u1x"#, 7),
        ("[\"a\nb\"]", 3),
        (r#"{"a" 1}"#, 5),
        (r#"{"a":1,}"#, 7),
        ("[1]]", 3),
        ("\u{feff}[]", 0),
        ("[é]", 1),
    ] {
        assert_eq!(first_fault(text.as_bytes()), expected, "{text:?}");
        let bytes = text.as_bytes();
        for end in 0..=bytes.len() {
            assert_eq!(
                is_beginning(&bytes[..end]),
                end <= expected,
                "{text:?} up to byte {end}"
            );
        }
    }
}
