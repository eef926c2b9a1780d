//! Compacting in one call.

use std::ffi::{c_char, c_void};

use super::compactor::tn_compactor;
use super::guard::guard;
use super::plan::{finished, planned};
use super::sink::{call_summarize, tn_count_tokens_fn, tn_summarize_fn};
use super::status::{status, tn_status};
use super::text::{bytes_in, clear, null, reference};

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
