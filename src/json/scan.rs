//! One pass over a text: the whole grammar of JSON (RFC 8259), the elements of its array, their lengths.
//!
//! Accepted beyond what value trees take: numbers of any length, escapes of lone surrogates, any depth.

use super::{Kind, Length, Span, escape, is_space};
use crate::error::{Found, SyntaxError};

/// One element of the outermost array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    pub(crate) span: Span,
    pub(crate) kind: Kind,
    pub(crate) length: Length,
}

/// What the text as a whole is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Document {
    pub(crate) kind: Kind,
    /// Without the white space around it.
    pub(crate) span: Span,
}

/// Reads `text` to its end and calls `each` for every element of the outermost array, in order.
///
/// `each` has seen the elements before the fault when the text turns out not to be JSON. Where the outermost value is no
/// array, `each` is never called.
pub(crate) fn elements<E: From<SyntaxError>>(
    text: &str,
    mut each: impl FnMut(Element) -> Result<(), E>,
) -> Result<Document, E> {
    let mut scanner = Scanner {
        text,
        bytes: text.as_bytes(),
        at: 0,
        length: Length::default(),
        nesting: Nesting::default(),
    };
    scanner.space();
    let start = scanner.at;
    let kind = match scanner.peek() {
        Some(b'[') => {
            scanner.array(&mut each)?;
            Kind::Array
        }
        Some(first) => {
            scanner.value("a value")?;
            Kind::starting_with(first)
        }
        None => return Err(scanner.fault("a value").into()),
    };
    let span = Span {
        start,
        end: scanner.at,
    };
    scanner.space();
    if scanner.at < scanner.bytes.len() {
        return Err(scanner.fault("the end of the text").into());
    }
    Ok(Document { kind, span })
}

struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    /// Of the element being read.
    length: Length,
    nesting: Nesting,
}

impl Scanner<'_> {
    fn array<E: From<SyntaxError>>(
        &mut self,
        each: &mut impl FnMut(Element) -> Result<(), E>,
    ) -> Result<(), E> {
        self.at += 1;
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(());
        }
        let mut expected = "a value or `]`";
        loop {
            self.space();
            let start = self.at;
            let kind = Kind::starting_with(self.peek().unwrap_or_default());
            self.length = Length::default();
            self.value(expected)?;
            expected = "a value";
            each(Element {
                span: Span {
                    start,
                    end: self.at,
                },
                kind,
                length: self.length,
            })?;
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Err(self.fault("`,` or `]`").into()),
            }
        }
    }

    /// Reads one value, whatever its depth.
    fn value(&mut self, mut expected: &'static str) -> Result<(), SyntaxError> {
        loop {
            self.space();
            match self.peek() {
                Some(b'{') => {
                    self.symbol();
                    self.space();
                    if self.peek() == Some(b'}') {
                        self.symbol();
                    } else {
                        self.nesting.enter(Kind::Object);
                        self.key("a key or `}`")?;
                        expected = "a value";
                        continue;
                    }
                }
                Some(b'[') => {
                    self.symbol();
                    self.space();
                    if self.peek() == Some(b']') {
                        self.symbol();
                    } else {
                        self.nesting.enter(Kind::Array);
                        expected = "a value or `]`";
                        continue;
                    }
                }
                Some(b'"') => self.string()?,
                Some(b't') => self.literal(b"true", "`true`")?,
                Some(b'f') => self.literal(b"false", "`false`")?,
                Some(b'n') => self.literal(b"null", "`null`")?,
                Some(b'-' | b'0'..=b'9') => self.number()?,
                _ => return Err(self.fault(expected)),
            }
            if !self.after_value()? {
                return Ok(());
            }
            expected = "a value";
        }
    }

    /// Closes what ends here. Whether another value follows inside the one being read.
    fn after_value(&mut self) -> Result<bool, SyntaxError> {
        while let Some(container) = self.nesting.innermost() {
            self.space();
            match (container, self.peek()) {
                (Kind::Object, Some(b',')) => {
                    self.symbol();
                    self.space();
                    self.key("a key")?;
                    return Ok(true);
                }
                (_, Some(b',')) => {
                    self.symbol();
                    return Ok(true);
                }
                (Kind::Object, Some(b'}')) | (Kind::Array, Some(b']')) => {
                    self.symbol();
                    self.nesting.leave();
                }
                (Kind::Object, _) => return Err(self.fault("`,` or `}`")),
                _ => return Err(self.fault("`,` or `]`")),
            }
        }
        Ok(false)
    }

    fn key(&mut self, expected: &'static str) -> Result<(), SyntaxError> {
        if self.peek() != Some(b'"') {
            return Err(self.fault(expected));
        }
        self.string()?;
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.fault("`:`"));
        }
        self.symbol();
        Ok(())
    }

    fn string(&mut self) -> Result<(), SyntaxError> {
        self.symbol();
        loop {
            let plain = plain_ascii(self.rest());
            self.length.add_ascii(plain);
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.symbol();
                    return Ok(());
                }
                Some(b'\\') => match escape::read(self.rest()) {
                    Ok((code, taken)) => {
                        self.length.add_escaped(code);
                        self.at += taken;
                    }
                    Err(offset) => {
                        self.at += offset;
                        return Err(self.fault(if offset == 1 {
                            "one of `\"\\/bfnrtu` after a backslash"
                        } else {
                            "four hexadecimal digits after `\\u`"
                        }));
                    }
                },
                Some(0x80..) => self.beyond_ascii(),
                Some(_) => return Err(self.fault("an escape in place of a control character")),
                None => return Err(self.fault("`\"` at the end of a string")),
            }
        }
    }

    /// Takes a run of bytes beyond ASCII; the text is known to be UTF-8.
    fn beyond_ascii(&mut self) {
        let rest = self.rest();
        let run = rest.iter().take_while(|&&byte| byte >= 0x80).count();
        let mut length = self.length;
        length.bytes += run as u64;
        for (offset, &byte) in rest.iter().take(run).enumerate() {
            length.continuation += u64::from(byte < 0xC0);
            length.astral += u64::from(byte >= 0xF0);
            if byte == 0xE2 {
                // U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
                let separator =
                    matches!(rest.get(offset + 1..offset + 3), Some([0x80, 0xA8 | 0xA9]));
                length.separators += u64::from(separator);
            }
        }
        self.length = length;
        self.at += run;
    }

    fn number(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(self.fault("a digit")),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.some_digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.some_digits()?;
        }
        self.length.add_ascii(self.at - start);
        Ok(())
    }

    fn some_digits(&mut self) -> Result<(), SyntaxError> {
        if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(self.fault("a digit"));
        }
        self.digits();
        Ok(())
    }

    fn digits(&mut self) {
        self.at += self
            .rest()
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
    }

    fn literal(&mut self, word: &[u8], expected: &'static str) -> Result<(), SyntaxError> {
        let same = self
            .rest()
            .iter()
            .zip(word)
            .take_while(|(have, want)| have == want)
            .count();
        self.at += same;
        if same < word.len() {
            return Err(self.fault(expected));
        }
        self.length.add_ascii(same);
        Ok(())
    }

    /// Takes one byte that counts.
    fn symbol(&mut self) {
        self.at += 1;
        self.length.add_ascii(1);
    }

    fn space(&mut self) {
        self.at += self
            .rest()
            .iter()
            .take_while(|&&byte| is_space(byte))
            .count();
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn fault(&self, expected: &'static str) -> SyntaxError {
        SyntaxError {
            at: self.at,
            expected,
            found: Found(
                self.text
                    .get(self.at..)
                    .and_then(|rest| rest.chars().next()),
            ),
        }
    }
}

/// How many bytes at the start of `text` are ASCII that stands for itself inside a string.
fn plain_ascii(text: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // The high bit of each byte of `word` that is zero; bytes above the lowest zero may be marked in error, which is
    // harmless, since only the lowest mark is used.
    let zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let mut done = 0;
    let (words, _) = text.as_chunks::<8>();
    for &word in words {
        let word = u64::from_le_bytes(word);
        let quote = zero(word ^ (ONES * 0x22));
        let backslash = zero(word ^ (ONES * 0x5C));
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
        let stop = quote | backslash | control | (word & HIGH);
        if stop != 0 {
            return done + (stop.trailing_zeros() / 8) as usize;
        }
        done += 8;
    }
    let tail = text.get(done..).unwrap_or_default();
    done + tail
        .iter()
        .take_while(|&&byte| !matches!(byte, b'"' | b'\\' | ..0x20 | 0x80..))
        .count()
}

/// Which containers are open, innermost last: one bit each, the first 64 without a list.
#[derive(Default)]
struct Nesting {
    depth: usize,
    first: u64,
    more: Vec<u64>,
}

impl Nesting {
    fn enter(&mut self, container: Kind) {
        let object = u64::from(container == Kind::Object);
        let bit = self.depth % 64;
        let word = match self.depth / 64 {
            0 => &mut self.first,
            word => {
                if word > self.more.len() {
                    self.more.push(0);
                }
                match self.more.get_mut(word - 1) {
                    Some(word) => word,
                    None => return,
                }
            }
        };
        *word = *word & !(1 << bit) | object << bit;
        self.depth += 1;
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    fn innermost(&self) -> Option<Kind> {
        let last = self.depth.checked_sub(1)?;
        let word = match last / 64 {
            0 => self.first,
            word => self.more.get(word - 1).copied()?,
        };
        Some(if word >> (last % 64) & 1 == 1 {
            Kind::Object
        } else {
            Kind::Array
        })
    }
}
