//! How long a piece of JSON is in its compact form, in any unit.

/// What one character is, for the estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CharUnit {
    /// A Unicode code point, as Python counts.
    #[default]
    CodePoint,
    /// A UTF-16 code unit, as JavaScript and the JVM count.
    Utf16,
    /// A UTF-8 byte, as Go counts. U+2028 and U+2029 count 6, since Go's encoder writes them as escapes.
    Utf8,
}

/// What the length of compact JSON depends on, gathered without knowing the unit.
///
/// Compact JSON has no white space between tokens and writes strings as ECMAScript's `JSON.stringify` does. An escape
/// adds what the character it stands for adds, so the length does not depend on how the text was escaped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Length {
    /// Bytes of the compact form in UTF-8.
    pub(crate) bytes: u64,
    /// Those of them that continue a character.
    pub(crate) continuation: u64,
    /// Characters beyond the Basic Multilingual Plane: four bytes, two UTF-16 units.
    pub(crate) astral: u64,
    /// U+2028 and U+2029.
    pub(crate) separators: u64,
}

impl Length {
    /// Adds a character that an escape stands for, as `JSON.stringify` would write it. Surrogates are code points here.
    pub(crate) fn add_escaped(&mut self, code: u32) {
        let (bytes, continuation) = match code {
            // `"`, `\` and the controls that have a short escape.
            0x22 | 0x5C | 0x08 | 0x09 | 0x0A | 0x0C | 0x0D => (2, 0),
            0x00..0x20 => (6, 0),
            0x20..0x80 => (1, 0),
            0x80..0x800 => (2, 1),
            0x800..0x1_0000 => (3, 2),
            _ => (4, 3),
        };
        self.bytes += bytes;
        self.continuation += continuation;
        self.astral += u64::from(code >= 0x1_0000);
        self.separators += u64::from(matches!(code, 0x2028 | 0x2029));
    }

    /// The length in `unit`.
    pub(crate) fn chars(self, unit: CharUnit) -> u64 {
        match unit {
            CharUnit::CodePoint => self.bytes - self.continuation,
            CharUnit::Utf16 => self.bytes - self.continuation + self.astral,
            CharUnit::Utf8 => self.bytes + 3 * self.separators,
        }
    }
}
