//! What is wrong with a text that is not UTF-8 or not JSON, and where: read byte by byte, since it happens once.

use super::{Kind, escape, is_space};
use crate::error::{Error, Found};

/// The first fault of `text`, which errors call `name` and [`scan`](super::scan) refused.
pub(super) fn find(name: &'static str, text: &[u8]) -> Error {
    match std::str::from_utf8(text) {
        Err(error) => Error::Utf8 {
            text: name,
            at: error.valid_up_to(),
        },
        Ok(text) => {
            let Fault { at, expected } = in_grammar(text);
            Error::Json {
                text: name,
                at,
                expected,
                found: Found(text.get(at..).and_then(|rest| rest.chars().next())),
            }
        }
    }
}

/// Where the first fault is, in bytes, and what JSON allows there.
struct Fault {
    at: usize,
    expected: &'static str,
}

fn in_grammar(text: &str) -> Fault {
    let mut scanner = Scanner {
        text: text.as_bytes(),
        at: 0,
        nesting: Nesting::default(),
    };
    scanner.space();
    if let Err(fault) = scanner.value("a value") {
        return fault;
    }
    scanner.space();
    scanner.fault("the end of the text")
}

struct Scanner<'t> {
    text: &'t [u8],
    at: usize,
    nesting: Nesting,
}

impl Scanner<'_> {
    /// Reads one value, whatever its depth.
    fn value(&mut self, mut expected: &'static str) -> Result<(), Fault> {
        loop {
            self.space();
            match self.peek() {
                Some(b'{') => {
                    self.at += 1;
                    self.space();
                    if self.peek() == Some(b'}') {
                        self.at += 1;
                    } else {
                        self.enter(Kind::Object)?;
                        self.key("a key or `}`")?;
                        expected = "a value";
                        continue;
                    }
                }
                Some(b'[') => {
                    self.at += 1;
                    self.space();
                    if self.peek() == Some(b']') {
                        self.at += 1;
                    } else {
                        self.enter(Kind::Array)?;
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
    fn after_value(&mut self) -> Result<bool, Fault> {
        while let Some(container) = self.nesting.innermost() {
            self.space();
            match (container, self.peek()) {
                (Kind::Object, Some(b',')) => {
                    self.at += 1;
                    self.space();
                    self.key("a key")?;
                    return Ok(true);
                }
                (_, Some(b',')) => {
                    self.at += 1;
                    return Ok(true);
                }
                (Kind::Object, Some(b'}')) | (Kind::Array, Some(b']')) => {
                    self.at += 1;
                    self.nesting.leave();
                }
                (Kind::Object, _) => return Err(self.fault("`,` or `}`")),
                _ => return Err(self.fault("`,` or `]`")),
            }
        }
        Ok(false)
    }

    fn enter(&mut self, container: Kind) -> Result<(), Fault> {
        match self.nesting.enter(container) {
            Some(()) => Ok(()),
            None => Err(self.fault("less nesting, for which there is memory,")),
        }
    }

    fn key(&mut self, expected: &'static str) -> Result<(), Fault> {
        if self.peek() != Some(b'"') {
            return Err(self.fault(expected));
        }
        self.string()?;
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.fault("`:`"));
        }
        self.at += 1;
        Ok(())
    }

    fn string(&mut self) -> Result<(), Fault> {
        self.at += 1;
        loop {
            self.at += plain(self.rest());
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => match escape::read(self.rest()) {
                    Ok((_, taken)) => self.at += taken,
                    Err(offset) => {
                        self.at += offset;
                        return Err(self.fault(if offset == 1 {
                            "one of `\"\\/bfnrtu` after a backslash"
                        } else {
                            "four hexadecimal digits after `\\u`"
                        }));
                    }
                },
                Some(_) => return Err(self.fault("an escape in place of a control character")),
                None => return Err(self.fault("`\"` at the end of a string")),
            }
        }
    }

    fn number(&mut self) -> Result<(), Fault> {
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
        Ok(())
    }

    fn some_digits(&mut self) -> Result<(), Fault> {
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

    fn literal(&mut self, word: &[u8], expected: &'static str) -> Result<(), Fault> {
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
        Ok(())
    }

    fn space(&mut self) {
        self.at += self
            .rest()
            .iter()
            .take_while(|&&byte| is_space(byte))
            .count();
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn fault(&self, expected: &'static str) -> Fault {
        Fault {
            at: self.at,
            expected,
        }
    }
}

/// How many bytes at the start of `text` stand for themselves inside a string.
fn plain(text: &[u8]) -> usize {
    text.iter()
        .take_while(|&&byte| !matches!(byte, b'"' | b'\\' | ..0x20))
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
    /// `None` if there is no memory for another level.
    fn enter(&mut self, container: Kind) -> Option<()> {
        let object = u64::from(container == Kind::Object);
        let bit = self.depth % 64;
        let word = match self.depth / 64 {
            0 => &mut self.first,
            word => {
                if word > self.more.len() {
                    self.more.try_reserve(1).ok()?;
                    self.more.push(0);
                }
                self.more.get_mut(word - 1)?
            }
        };
        *word = *word & !(1 << bit) | object << bit;
        self.depth += 1;
        Some(())
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
