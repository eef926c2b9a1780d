//! Status codes, their names, and the version.

use std::ffi::{CStr, c_char};

use super::text::message_out;
use crate::error::Error;

/// What a call answers. 0 is success, below 0 is failure. Codes may be added, so treat every value below 0 as a failure.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tn_status {
    /// Success.
    TN_OK = 0,
    /// NULL where a value is needed, a length without text, an unknown unit; from a sink's setter: a second answer, or an
    /// answer of the wrong kind.
    TN_ERR_ARGUMENT = -1,
    /// A text is not UTF-8. The error names the text and the byte offset.
    TN_ERR_UTF8 = -2,
    /// A text is not JSON. The error names the text and the byte offset, what JSON allows there, and what was found.
    TN_ERR_JSON = -3,
    /// The messages are JSON, but no array of objects. The error names the index of the first element that is none.
    TN_ERR_TRANSCRIPT = -4,
    /// The options are JSON, but not usable. The error names the key, what was found and what is allowed.
    TN_ERR_OPTIONS = -5,
    /// A callback reported an error, which is then the error word for word, or answered nothing, or nothing usable.
    TN_ERR_CALLBACK = -6,
    /// A panic inside the library was caught: a bug in it.
    TN_ERR_INTERNAL = -7,
    /// The memory for a text or a list that grows with the transcript could not be had.
    TN_ERR_MEMORY = -8,
}

use tn_status::*;

impl tn_status {
    fn of(error: &Error) -> Self {
        match error {
            Error::Argument { .. } => TN_ERR_ARGUMENT,
            Error::Utf8 { .. } => TN_ERR_UTF8,
            Error::Json { .. } => TN_ERR_JSON,
            Error::NotAnArray { .. } | Error::NotAnObject { .. } => TN_ERR_TRANSCRIPT,
            Error::OptionsNotAnObject { .. }
            | Error::UnknownOption { .. }
            | Error::OptionValue { .. } => TN_ERR_OPTIONS,
            Error::Host(_) | Error::Answer { .. } | Error::AnswerUtf8 { .. } => TN_ERR_CALLBACK,
            Error::Internal(_) => TN_ERR_INTERNAL,
            Error::OutOfMemory { .. } => TN_ERR_MEMORY,
        }
    }
}

/// Turns the outcome of a call into its status, and writes the text of a failure to `error` if the host wants it.
///
/// # Safety
///
/// Unless it is NULL, `error` is valid for a write.
pub(super) unsafe fn status(result: Result<(), Error>, error: *mut *mut c_char) -> tn_status {
    let Err(failure) = result else {
        return TN_OK;
    };
    if !error.is_null() {
        // Without memory for the text, the status has to do.
        let text = message_out(&failure).unwrap_or(std::ptr::null_mut());
        // SAFETY: not NULL, and the caller vouches for the write.
        unsafe { error.write(text) };
    }
    tn_status::of(&failure)
}

/// The name of a status code, such as "TN_ERR_JSON".
///
/// @param status Any value, also one that this version of the library does not know.
///
/// @return A NUL-terminated constant, never NULL: "TN_UNKNOWN_STATUS" for an unknown value. Not to be freed.
///
/// Thread-safety: may be called from any thread at any time.
#[unsafe(no_mangle)]
pub extern "C" fn tn_status_name(status: i32) -> *const c_char {
    const NAMES: [(tn_status, &CStr); 9] = [
        (TN_OK, c"TN_OK"),
        (TN_ERR_ARGUMENT, c"TN_ERR_ARGUMENT"),
        (TN_ERR_UTF8, c"TN_ERR_UTF8"),
        (TN_ERR_JSON, c"TN_ERR_JSON"),
        (TN_ERR_TRANSCRIPT, c"TN_ERR_TRANSCRIPT"),
        (TN_ERR_OPTIONS, c"TN_ERR_OPTIONS"),
        (TN_ERR_CALLBACK, c"TN_ERR_CALLBACK"),
        (TN_ERR_INTERNAL, c"TN_ERR_INTERNAL"),
        (TN_ERR_MEMORY, c"TN_ERR_MEMORY"),
    ];
    NAMES
        .iter()
        .find(|(known, _)| *known as i32 == status)
        .map_or(c"TN_UNKNOWN_STATUS", |(_, name)| name)
        .as_ptr()
}

/// The version of the library that is loaded, such as "0.1.0"; the header's is in `TN_VERSION_MAJOR`, `_MINOR`, `_PATCH`.
///
/// @return A NUL-terminated constant, never NULL. Not to be freed.
///
/// Thread-safety: may be called from any thread at any time.
#[unsafe(no_mangle)]
pub extern "C" fn tn_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The version of the interface that the loaded library speaks. A host that was built against a header whose
/// `TN_ABI_VERSION` differs must not use the library.
///
/// It changes when, and only when, an old caller would break; functions, status codes and options are added without.
///
/// @return The number.
///
/// Thread-safety: may be called from any thread at any time.
#[unsafe(no_mangle)]
pub extern "C" fn tn_abi_version() -> u32 {
    0
}
