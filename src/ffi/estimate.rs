//! The estimate alone.

use std::ffi::c_char;

use super::guard::{guard, planted_fault};
use super::status::{status, tn_status};
use super::text::{bytes_in, clear, null};
use crate::error::Error;
use crate::json::CharUnit;
use crate::transcript::estimate_tokens_in;

/// What one character is, for the estimate.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tn_char_unit {
    /// A Unicode code point, as Python counts.
    TN_CODE_POINT = 0,
    /// A UTF-16 code unit, as JavaScript and the JVM count.
    TN_UTF16 = 1,
    /// A UTF-8 byte, as Go counts. U+2028 and U+2029 count 6, since Go's encoder writes them as escapes,
    /// but not `<`, `>` and `&`, as with `SetEscapeHTML(false)`.
    TN_UTF8 = 2,
}

/// Estimates the tokens of a transcript: for each message a quarter of its characters in compact JSON, rounded up.
///
/// White space between tokens does not count, and strings count as ECMAScript's `JSON.stringify` writes them, however the
/// text spells them, but that half a surrogate pair alone counts as one character, in UTF-8 as three bytes. Numbers count as
/// they are spelled. It is an estimate, not a tokenizer.
///
/// @param messages The transcript: a JSON array of message objects in UTF-8, read during the call.
/// @param messages_len Its length in bytes, or `TN_NUL_TERMINATED`.
/// @param unit A `tn_char_unit`.
/// @param tokens Receives the estimate; not written on failure.
/// @param error NULL, or receives on failure what is wrong, to be freed with `tn_string_free`; NULL on success.
///
/// @return `TN_OK`; `TN_ERR_ARGUMENT`, also for an unknown unit; `TN_ERR_UTF8`; `TN_ERR_JSON`; `TN_ERR_TRANSCRIPT`;
///   `TN_ERR_MEMORY`, for text that is nested very deep; `TN_ERR_INTERNAL`.
///
/// Thread-safety: may be called from any thread.
///
/// # Safety
///
/// The pointers are as described.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tn_estimate_tokens(
    messages: *const c_char,
    messages_len: usize,
    unit: i32,
    tokens: *mut u64,
    error: *mut *mut c_char,
) -> tn_status {
    // SAFETY: the host vouches for its output.
    unsafe { clear(error) };
    let estimated = guard(|| {
        if tokens.is_null() {
            return Err(null("tokens"));
        }
        let unit = char_unit(unit)?;
        // SAFETY: the host vouches for the text during this call.
        let messages = unsafe { bytes_in("messages", messages, messages_len) }?;
        planted_fault(messages, "planning");
        let estimate = estimate_tokens_in(messages, unit)?;
        // SAFETY: not NULL, and the host vouches for the write.
        unsafe { tokens.write(estimate) };
        Ok(())
    });
    // SAFETY: the host vouches for its output.
    unsafe { status(estimated, error) }
}

fn char_unit(unit: i32) -> Result<CharUnit, Error> {
    const UNITS: [(tn_char_unit, CharUnit); 3] = [
        (tn_char_unit::TN_CODE_POINT, CharUnit::CodePoint),
        (tn_char_unit::TN_UTF16, CharUnit::Utf16),
        (tn_char_unit::TN_UTF8, CharUnit::Utf8),
    ];
    UNITS
        .iter()
        .find(|(known, _)| *known as i32 == unit)
        .map(|&(_, unit)| unit)
        .ok_or_else(|| Error::Argument {
            name: "unit",
            problem: format!("{unit}, allowed: TN_CODE_POINT (0), TN_UTF16 (1), TN_UTF8 (2)"),
        })
}
