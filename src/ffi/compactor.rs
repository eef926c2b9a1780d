//! The compactor, and compacting in one call.

use std::ffi::{c_char, c_void};

use super::guard::{guard, planted_fault};
use super::plan::planned;
use super::sink::{call_summarize, tn_count_tokens_fn, tn_summarize_fn};
use super::status::{status, tn_status};
use super::text::{bytes_in, clear, null, reference, text_in, text_out};
use crate::error::Error;
use crate::options::Options;
use crate::plan::{Compactor, Plan};

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

/// Compacts a transcript in one call: plans, asks `summarize` for the summary, and builds the new transcript.
///
/// Both functions are called on this thread and before this call returns, `summarize` at most once, `count_tokens` first
/// with the whole transcript and, over budget, with the leading instructions, the request, and a number of tails that grows
/// with the logarithm of the number of messages. A C++ exception that one of them throws passes through.
///
/// The new transcript is: the leading instructions, the summary message, the reminder if asked for, the request if one is
/// kept, and the tail. Every kept message is byte for byte the input's.
///
/// @param compactor The compactor.
/// @param messages The transcript: a JSON array of message objects in UTF-8, read during the call.
/// @param messages_len Its length in bytes, or `TN_NUL_TERMINATED`.
/// @param summarize The host's function. It may not be NULL, even where it would not be called.
/// @param count_tokens The host's function, or NULL: the estimate is used.
/// @param user_data Passed to both functions, and not looked at.
/// @param result Receives the new transcript, NUL-terminated UTF-8, to be freed with `tn_string_free`. NULL with `TN_OK`
///   means unchanged: keep what you have. NULL on failure.
/// @param error NULL, or receives on failure what is wrong, to be freed with `tn_string_free`; NULL on success.
///
/// @return `TN_OK`; `TN_ERR_ARGUMENT`; `TN_ERR_UTF8`; `TN_ERR_JSON`; `TN_ERR_TRANSCRIPT`; `TN_ERR_CALLBACK`;
///   `TN_ERR_MEMORY`; `TN_ERR_INTERNAL`. The host still has its transcript, unchanged, whatever happens.
///
/// Thread-safety: may be called from any thread, also with one compactor from several at once. No lock is held.
///
/// # Safety
///
/// The pointers are as described.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tn_compactor_apply(
    compactor: *const tn_compactor,
    messages: *const c_char,
    messages_len: usize,
    summarize: tn_summarize_fn,
    count_tokens: tn_count_tokens_fn,
    user_data: *mut c_void,
    result: *mut *mut c_char,
    error: *mut *mut c_char,
) -> tn_status {
    // SAFETY: the host vouches for its outputs.
    unsafe {
        clear(result);
        clear(error);
    }
    let applied = || {
        if result.is_null() {
            return Err(null("result"));
        }
        let Some(summarize) = summarize else {
            return Err(null("summarize"));
        };
        // SAFETY: the host vouches for the compactor and the text during this call.
        let compactor = unsafe { reference("compactor", compactor) }?;
        // SAFETY: the same.
        let messages = unsafe { bytes_in("messages", messages, messages_len) }?;
        // SAFETY: the host vouches for its function.
        let plan = unsafe { planned(&compactor.0, messages, count_tokens, user_data) }?;
        let Some(older) = guard(|| plan.older())? else {
            return Ok(());
        };
        // SAFETY: the host vouches for its function.
        let summary = unsafe { call_summarize(summarize, user_data, older) }?;
        let text = guard(|| finished(&plan, &summary))?;
        // SAFETY: not NULL, and the host vouches for the write.
        unsafe { result.write(text) };
        Ok(())
    };
    let applied = applied();
    // SAFETY: the host vouches for its output.
    unsafe { status(applied, error) }
}

/// The new transcript as the host gets it; NULL where nothing changes.
pub(super) fn finished(plan: &Plan<'_>, summary: &str) -> Result<*mut c_char, Error> {
    planted_fault(summary.as_bytes(), "finishing");
    match plan.pieces(summary)? {
        None => Ok(std::ptr::null_mut()),
        Some(pieces) => text_out(pieces.len(), |write| pieces.each(write)),
    }
}
