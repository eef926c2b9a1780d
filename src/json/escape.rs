//! The escapes of JSON strings (RFC 8259, section 7).

/// The code point that the escape at the start of `text` stands for, and how many bytes the escape takes.
///
/// A surrogate pair is one code point; a surrogate without its other half stands for itself. `Err` is the offset from
/// the backslash of the first byte that cannot stand there.
pub(super) fn read(text: &[u8]) -> Result<(u32, usize), usize> {
    let code = match text.get(1) {
        Some(b'"') => 0x22,
        Some(b'\\') => 0x5C,
        Some(b'/') => 0x2F,
        Some(b'b') => 0x08,
        Some(b'f') => 0x0C,
        Some(b'n') => 0x0A,
        Some(b'r') => 0x0D,
        Some(b't') => 0x09,
        Some(b'u') => return unicode(text),
        _ => return Err(1),
    };
    Ok((code, 2))
}

fn unicode(text: &[u8]) -> Result<(u32, usize), usize> {
    let high = hex4(text, 2)?;
    if (0xD800..0xDC00).contains(&high)
        && text.get(6) == Some(&b'\\')
        && text.get(7) == Some(&b'u')
        && let Ok(low) = hex4(text, 8)
        && (0xDC00..0xE000).contains(&low)
    {
        return Ok((0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00), 12));
    }
    Ok((high, 6))
}

fn hex4(text: &[u8], at: usize) -> Result<u32, usize> {
    let mut code = 0;
    for offset in at..at + 4 {
        let digit = text
            .get(offset)
            .and_then(|&byte| char::from(byte).to_digit(16))
            .ok_or(offset)?;
        code = code * 16 + digit;
    }
    Ok(code)
}
