//! Looking into JSON text that [`scan`](super::scan) found valid. On other text the answers mean nothing, but are given.

use std::borrow::Cow;

use super::{Kind, escape, is_space, skip};
use crate::error::{Error, reserve};

/// A value inside valid text. What it is, its first byte says; where it ends is found out when somebody has to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'t> {
    /// From the first byte of the value on; what follows the value may follow.
    text: &'t [u8],
}

impl<'t> Value<'t> {
    /// The value that `text` starts with.
    pub(crate) fn new(text: &'t [u8]) -> Self {
        Self { text }
    }

    /// No value at all.
    pub(crate) const NOTHING: Value<'static> = Value { text: &[] };

    pub(crate) fn is_there(self) -> bool {
        !self.text.is_empty()
    }

    pub(crate) fn kind(self) -> Kind {
        Kind::starting_with(self.text.first().copied().unwrap_or_default())
    }

    pub(crate) fn is_object(self) -> bool {
        self.kind() == Kind::Object
    }

    /// The string, if the value is one.
    pub(crate) fn string(self) -> Option<Text<'t>> {
        if self.kind() != Kind::String {
            return None;
        }
        Some(Text { quoted: self.text })
    }

    /// The members of the object in the text's order, repeated keys and all; none if the value is no object.
    pub(crate) fn members(self) -> Members<'t> {
        Members {
            rest: self.inside(Kind::Object),
        }
    }

    /// The elements of the array; none if the value is no array.
    pub(crate) fn elements(self) -> Elements<'t> {
        Elements {
            rest: self.inside(Kind::Array),
        }
    }

    fn inside(self, container: Kind) -> &'t [u8] {
        if self.kind() == container {
            self.text.get(1..).unwrap_or_default()
        } else {
            &[]
        }
    }

    /// Whether this is the first element of `array`, both of which stand in one text.
    pub(crate) fn is_first_of(self, array: Self) -> bool {
        let first = after_space(array.inside(Kind::Array));
        first.len() == self.text.len()
    }
}

/// The string that `text` starts with.
pub(crate) fn string(text: &[u8]) -> Text<'_> {
    Text { quoted: text }
}

/// The value behind a key, from where that ends.
pub(crate) fn behind_key(text: &[u8]) -> Option<Value<'_>> {
    let colon = after_space(text);
    let text = after_space(colon.get(1..)?);
    Some(Value { text })
}

/// The members of an object.
pub(crate) struct Members<'t> {
    rest: &'t [u8],
}

impl<'t> Iterator for Members<'t> {
    type Item = (Text<'t>, Value<'t>);

    fn next(&mut self) -> Option<Self::Item> {
        let key = string(next_item(self.rest)?);
        let value = behind_key(key.behind())?;
        self.rest = value.text.get(end_of_value(value.text)..)?;
        Some((key, value))
    }
}

/// The elements of an array.
pub(crate) struct Elements<'t> {
    rest: &'t [u8],
}

impl<'t> Iterator for Elements<'t> {
    type Item = Value<'t>;

    fn next(&mut self) -> Option<Value<'t>> {
        let text = next_item(self.rest)?;
        self.rest = text.get(end_of_value(text)..)?;
        Some(Value { text })
    }
}

/// What follows the bracket or comma at the start of `rest`; `None` at the end of the container.
fn next_item(rest: &[u8]) -> Option<&[u8]> {
    let mut item = after_space(rest);
    if item.first() == Some(&b',') {
        item = after_space(item.get(1..)?);
    }
    match item.first() {
        None | Some(b'}' | b']') => None,
        Some(_) => Some(item),
    }
}

#[inline]
fn after_space(text: &[u8]) -> &[u8] {
    if text.first().is_some_and(|&byte| !is_space(byte)) {
        return text;
    }
    let space = text.iter().take_while(|&&byte| is_space(byte)).count();
    text.get(space..).unwrap_or_default()
}

/// The offset behind the value that `text` starts with.
fn end_of_value(text: &[u8]) -> usize {
    match text.first() {
        Some(b'"') => skip::string(text),
        Some(b'{' | b'[') => skip::container(text),
        _ => text
            .iter()
            .position(|&byte| is_space(byte) || matches!(byte, b',' | b']' | b'}'))
            .unwrap_or(text.len()),
    }
}

/// A string. Compared and decoded as the characters it means; its end is looked for only where it has to be known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'t> {
    /// From the quote that opens it on; what follows the string may follow.
    quoted: &'t [u8],
}

impl<'t> Text<'t> {
    /// Its length as it stands in the text, with its quotes.
    fn length(self) -> usize {
        // Most are short: keys, roles, types.
        let short = self.quoted.iter().skip(1).take(SHORT);
        match short.copied().position(|byte| matches!(byte, b'"' | b'\\')) {
            Some(at) if self.quoted.get(at + 1) == Some(&b'"') => at + 2,
            _ => skip::string(self.quoted),
        }
    }

    /// What follows.
    pub(crate) fn behind(self) -> &'t [u8] {
        self.quoted.get(self.length()..).unwrap_or_default()
    }

    /// As it stands in the text, without its quotes.
    pub(crate) fn raw(self) -> &'t [u8] {
        let end = self.length().saturating_sub(1);
        self.quoted.get(1..end).unwrap_or_default()
    }

    /// From its first character on.
    #[inline]
    pub(crate) fn inside(self) -> &'t [u8] {
        self.quoted.get(1..).unwrap_or_default()
    }

    #[inline]
    pub(crate) fn is(self, word: &str) -> bool {
        let inside = self.inside();
        match inside.strip_prefix(word.as_bytes()) {
            Some(rest) => rest.first() == Some(&b'"'),
            // The same with escapes, or another: mostly the first byte tells.
            None => {
                let first = inside.first();
                (first == word.as_bytes().first() || first == Some(&b'\\'))
                    && self.chars().eq(word.chars().map(u32::from))
            }
        }
    }

    pub(crate) fn starts_with(self, word: &str) -> bool {
        let mut chars = self.chars();
        word.chars().all(|want| chars.next() == Some(want.into()))
    }

    pub(crate) fn ends_with(self, word: &str) -> bool {
        // An escape has at most six bytes for each of the word's.
        let raw = self.raw();
        let longest = raw.len().min(6 * word.len());
        let (_, tail) = raw.split_at(raw.len() - longest);
        if !tail.contains(&b'\\') {
            return tail.ends_with(word.as_bytes());
        }
        let ending = word.chars().count();
        let before = self.chars().count().checked_sub(ending);
        before.is_some_and(|before| {
            let chars = self.chars().skip(before);
            chars.eq(word.chars().map(u32::from))
        })
    }

    /// The characters as UTF-8, borrowed where there is no escape. A lone surrogate takes the three bytes that the same
    /// scheme gives it, so that different strings stay different.
    pub(crate) fn decoded(self) -> Result<Cow<'t, [u8]>, Error> {
        let raw = self.raw();
        if memchr::memchr(b'\\', raw).is_none() {
            return Ok(Cow::Borrowed(raw));
        }
        let mut bytes = Vec::new();
        reserve(&mut bytes, raw.len())?;
        for code in self.chars() {
            match char::from_u32(code) {
                Some(char) => bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
                None => bytes.extend_from_slice(&[
                    0xE0 | (code >> 12) as u8,
                    0x80 | (code >> 6 & 0x3F) as u8,
                    0x80 | (code & 0x3F) as u8,
                ]),
            }
        }
        Ok(Cow::Owned(bytes))
    }

    /// The code points, lone surrogates among them.
    pub(crate) fn chars(self) -> Chars<'t> {
        Chars {
            rest: self.inside(),
        }
    }
}

/// So many bytes of a string are looked at one by one, before it is looked for the end of a long one.
const SHORT: usize = 24;

/// The code points of a string, to its end.
pub(crate) struct Chars<'t> {
    rest: &'t [u8],
}

impl Iterator for Chars<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let &first = self.rest.first()?;
        let (code, taken) = match first {
            b'"' => return None,
            b'\\' => escape::read(self.rest).ok()?,
            _ => utf8(self.rest, first),
        };
        self.rest = self.rest.get(taken..).unwrap_or_default();
        Some(code)
    }
}

/// The code point at the start of `text`, which is UTF-8, and its length in bytes.
fn utf8(text: &[u8], first: u8) -> (u32, usize) {
    let (lead_bits, length) = match first {
        0x00..0x80 => return (first.into(), 1),
        0x80..0xE0 => (0x1F, 2),
        0xE0..0xF0 => (0x0F, 3),
        0xF0.. => (0x07, 4),
    };
    let code = text
        .iter()
        .take(length)
        .skip(1)
        .fold(u32::from(first & lead_bits), |code, &byte| {
            code << 6 | u32::from(byte & 0x3F)
        });
    (code, length)
}
