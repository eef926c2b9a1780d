//! The compactor.

use std::ffi::c_char;

use super::guard::{guard, planted_fault};
use super::status::{status, tn_status};
use super::text::{clear, null, text_in};
use crate::options::Options;
use crate::plan::Compactor;

/// What to do with transcripts: the options, checked. Immutable, so it may be shared between threads.
pub struct tn_compactor(pub(super) Compactor);

/// Makes a compactor.
///
/// The options are one JSON object:
///
/// | key               | value                                              | default          |
/// |-------------------|----------------------------------------------------|------------------|
/// | "max_tokens"      | integer from 0 to 2^64 - 1, in digits alone: compact only when the transcript counts more | required |
/// | "keep_tail"       | integer from 0 to 2^64 - 1: token budget of the kept tail | max_tokens / 2 |
/// | "flush_to_memory" | true or false: add the reminder after the summary  | false            |
/// | "char_unit"       | "code_point", "utf16" or "utf8": what one character is, for the estimate | "code_point" |
/// | "split"           | "steps" or "turns": where the tail may start       | "steps"          |
/// | "summary_role"    | "system", "developer", "user" or "assistant"       | "system"         |
///
/// Of a repeated key the last counts.
///
/// @param options The options in UTF-8, read during the call.
/// @param options_len Their length in bytes, or `TN_NUL_TERMINATED`.
/// @param compactor Receives the compactor, which the host owns and gives to `tn_compactor_free`; NULL on failure.
/// @param error NULL, or receives on failure what is wrong, to be freed with `tn_string_free`; NULL on success.
///
/// @return `TN_OK`; `TN_ERR_ARGUMENT`; `TN_ERR_UTF8`; `TN_ERR_JSON`; `TN_ERR_OPTIONS` for a key that is not listed, a wrong
///   type, a negative, fractional or out-of-range number, or a missing "max_tokens"; `TN_ERR_MEMORY`; `TN_ERR_INTERNAL`.
///
/// Thread-safety: may be called from any thread.
///
/// @code{.c}
/// tn_compactor *compactor = NULL;
/// char *error = NULL;
/// if (tn_compactor_new("{\"max_tokens\":8000}", TN_NUL_TERMINATED, &compactor, &error) != TN_OK) {
///   fprintf(stderr, "%s\n", error ? error : "out of memory");
///   tn_string_free(error);
/// }
/// tn_compactor_free(compactor);
/// @endcode
///
/// # Safety
///
/// The pointers are as described.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tn_compactor_new(
    options: *const c_char,
    options_len: usize,
    compactor: *mut *mut tn_compactor,
    error: *mut *mut c_char,
) -> tn_status {
    // SAFETY: the host vouches for its outputs.
    unsafe {
        clear(compactor);
        clear(error);
    }
    let made = guard(|| {
        if compactor.is_null() {
            return Err(null("compactor"));
        }
        // SAFETY: the host vouches for the text during this call.
        let options = unsafe { text_in("options", options, options_len) }?;
        planted_fault(options.as_bytes(), "reading options");
        let made = tn_compactor(Compactor::new(Options::from_json(options)?));
        // SAFETY: not NULL, and the host vouches for the write.
        unsafe { compactor.write(Box::into_raw(Box::new(made))) };
        Ok(())
    });
    // SAFETY: the host vouches for its output.
    unsafe { status(made, error) }
}

/// Frees a compactor. Plans made with it stay valid.
///
/// @param compactor The compactor, or NULL, which does nothing. No call with it may be running, and it must not be used,
///   or freed, again.
///
/// Thread-safety: may be called from any thread.
///
/// # Safety
///
/// `compactor` is NULL or was returned by `tn_compactor_new` and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tn_compactor_free(compactor: *mut tn_compactor) {
    if !compactor.is_null() {
        // SAFETY: it came from `Box::into_raw` in `tn_compactor_new`, and the host vouches that it is not freed.
        drop(unsafe { Box::from_raw(compactor) });
    }
}
