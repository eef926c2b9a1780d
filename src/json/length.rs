//! How long a character is in compact JSON, in any unit.

/// What one character is, for the estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CharUnit {
    /// A Unicode code point, as Python counts.
    #[default]
    CodePoint,
    /// A UTF-16 code unit, as JavaScript and the JVM count.
    Utf16,
    /// A UTF-8 byte, as Go counts. U+2028 and U+2029 count 6, since Go's encoder writes them as escapes
    /// (with `SetEscapeHTML(false)`, which leaves `<`, `>` and `&` as they are).
    Utf8,
}

/// What a character inside a string adds to the length of compact JSON, which is written as ECMAScript's `JSON.stringify`
/// does, but that half a surrogate pair alone counts as a character rather than as an escape.
pub(super) fn of_character(code: u32, unit: CharUnit) -> u64 {
    match (code, unit) {
        // `"`, `\` and the controls that have a short escape.
        (0x22 | 0x5C | 0x08 | 0x09 | 0x0A | 0x0C | 0x0D, _) => 2,
        (0x00..0x20, _) => 6,
        (0x2028 | 0x2029, CharUnit::Utf8) => 6,
        (0x80..0x800, CharUnit::Utf8) => 2,
        (0x800..0x1_0000, CharUnit::Utf8) => 3,
        (0x1_0000.., CharUnit::Utf8) => 4,
        (0x1_0000.., CharUnit::Utf16) => 2,
        _ => 1,
    }
}
