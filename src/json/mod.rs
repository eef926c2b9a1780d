//! Reading JSON text without building it: validity, spans, lengths.
//!
//! [`scan`] walks a text once, refuses what is not JSON, and hands out the elements of its array with their spans and
//! lengths, and in a [`trail`] where their keys are. [`value`] looks into text that `scan` found valid. Neither recurses
//! on the depth of the input, and what is copied is an id or a name that is written with escapes.

mod block;
mod carry;
mod characters;
mod escape;
mod fault;
mod grammar;
mod length;
mod masks;
mod scalars;
pub(crate) mod scan;
mod skip;
mod stride;
mod strings;
pub(crate) mod trail;
pub(crate) mod value;

pub use length::CharUnit;

/// Where something stands in a text: offsets in bytes, `end` excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Span {
    /// The piece of `text` that this span names.
    pub(crate) fn of(self, text: &[u8]) -> &[u8] {
        text.get(self.start..self.end).unwrap_or_default()
    }

    /// The same of text that is known to be UTF-8; the span's ends are those of JSON tokens, and so of characters.
    pub(crate) fn of_str(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// What a JSON value is, by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Object,
    Array,
    String,
    Number,
    Bool,
    Null,
}

impl Kind {
    /// The kind of the value that starts with `byte`, which stands in valid JSON.
    pub(crate) fn starting_with(byte: u8) -> Self {
        match byte {
            b'{' => Self::Object,
            b'[' => Self::Array,
            b'"' => Self::String,
            b't' | b'f' => Self::Bool,
            b'n' => Self::Null,
            _ => Self::Number,
        }
    }

    /// The kind in words, with its article.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Object => "an object",
            Self::Array => "an array",
            Self::String => "a string",
            Self::Number => "a number",
            Self::Bool => "a boolean",
            Self::Null => "null",
        }
    }
}

/// JSON's white space (RFC 8259, section 2).
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}
