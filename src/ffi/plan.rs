//! The plan: two calls, between which the host summarizes in its own time and its own language.

use std::ffi::{c_char, c_void};

use super::compactor::tn_compactor;
use super::guard::{guard, planted_fault};
use super::sink::{call_count_tokens, tn_count_tokens_fn};
use super::status::{status, tn_status};
use super::text::{bytes_in, clear, null, reference, text_in, text_out};
use crate::error::Error;
use crate::plan::{Compactor, Counter, Plan, Planning, Step};
use crate::split::Outcome;
use crate::transcript::survey;

/// What became of a plan. Outcomes may be added: treat one you do not know as unchanged.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tn_outcome {
    /// The older messages are to be summarized.
    TN_COMPACT = 0,
    /// Unchanged: the transcript counts no more than "max_tokens".
    TN_UNDER_BUDGET = 1,
    /// Unchanged: over budget, but nothing before the tail could be summarized.
    TN_NOTHING_OLDER = 2,
    /// Unchanged: over budget, but all there is before the tail is an earlier summary.
    TN_NOTHING_NEW = 3,
    /// Unchanged: over budget, but a tool call still waits for its result and there is no place to cut.
    TN_CALL_IN_FLIGHT = 4,
}

/// Where a transcript is cut, with a copy of what is needed to build the new one. Immutable, so it may be shared between
/// threads.
///
/// A host that has its messages as objects slices its own list by the indices, in this order: `[0, head_end)`, a summary
/// message, the reminder if it asked for one, `[request_start, request_end)`, `[tail_start, count)`. It needs neither
/// `tn_plan_older` nor `tn_plan_finish`.
pub struct tn_plan(Plan<'static>);

/// Plans where to cut a transcript.
///
/// @param compactor The compactor. The plan does not refer to it.
/// @param messages The transcript: a JSON array of message objects in UTF-8, read during the call.
/// @param messages_len Its length in bytes, or `TN_NUL_TERMINATED`.
/// @param count_tokens The host's function, or NULL: the estimate is used. It is called on this thread and before this
///   call returns. A C++ exception that it throws passes through.
/// @param user_data Passed to the function, and not looked at.
/// @param plan Receives the plan, also where nothing is to be changed; the host owns it and gives it to `tn_plan_free`.
///   NULL on failure.
/// @param error NULL, or receives on failure what is wrong, to be freed with `tn_string_free`; NULL on success.
///
/// @return `TN_OK`; `TN_ERR_ARGUMENT`; `TN_ERR_UTF8`; `TN_ERR_JSON`; `TN_ERR_TRANSCRIPT`; `TN_ERR_CALLBACK`;
///   `TN_ERR_MEMORY`; `TN_ERR_INTERNAL`.
///
/// Thread-safety: may be called from any thread, also with one compactor from several at once. No lock is held.
///
/// # Safety
///
/// The pointers are as described.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tn_plan_new(
    compactor: *const tn_compactor,
    messages: *const c_char,
    messages_len: usize,
    count_tokens: tn_count_tokens_fn,
    user_data: *mut c_void,
    plan: *mut *mut tn_plan,
    error: *mut *mut c_char,
) -> tn_status {
    // SAFETY: the host vouches for its outputs.
    unsafe {
        clear(plan);
        clear(error);
    }
    let made = || {
        if plan.is_null() {
            return Err(null("plan"));
        }
        // SAFETY: the host vouches for the compactor and the text during this call.
        let compactor = unsafe { reference("compactor", compactor) }?;
        // SAFETY: the same.
        let messages = unsafe { bytes_in("messages", messages, messages_len) }?;
        // SAFETY: the host vouches for its function.
        let made = unsafe { planned(&compactor.0, messages, count_tokens, user_data) }?;
        let made = guard(|| made.into_owned())?;
        // SAFETY: not NULL, and the host vouches for the write.
        unsafe { plan.write(Box::into_raw(Box::new(tn_plan(made)))) };
        Ok(())
    };
    let made = made();
    // SAFETY: the host vouches for its output.
    unsafe { status(made, error) }
}

/// Plans, with the host's `count_tokens` if there is one. Not to be called inside a guard: an exception passes through.
///
/// # Safety
///
/// `count_tokens` is NULL or a function as [`tn_count_tokens_fn`] describes it, and may be called with `user_data`.
pub(super) unsafe fn planned<'t>(
    compactor: &Compactor,
    messages: &'t [u8],
    count_tokens: tn_count_tokens_fn,
    user_data: *mut c_void,
) -> Result<Plan<'t>, Error> {
    let options = compactor.options();
    let budget = count_tokens.is_none().then_some(options.max_tokens);
    let (text, survey) = guard(|| {
        planted_fault(messages, "planning");
        let survey = survey(messages, options.char_unit, budget)?;
        // SAFETY: the survey refuses what is not UTF-8.
        Ok((unsafe { std::str::from_utf8_unchecked(messages) }, survey))
    })?;
    let Some(count_tokens) = count_tokens else {
        return guard(|| compactor.plan_surveyed(text, survey));
    };
    let mut planning = Planning::start(options, text, survey, Counter::Host);
    loop {
        match guard(|| planning.step())? {
            Step::Done(plan) => return Ok(plan),
            Step::Count => {
                // SAFETY: as the caller vouches.
                let tokens =
                    unsafe { call_count_tokens(count_tokens, user_data, planning.slice()) }?;
                planning.counted(tokens);
            }
        }
    }
}

/// The new transcript as the host gets it; NULL where nothing changes.
pub(super) fn finished(plan: &Plan<'_>, summary: &str) -> Result<*mut c_char, Error> {
    planted_fault(summary.as_bytes(), "finishing");
    match plan.pieces(summary)? {
        None => Ok(std::ptr::null_mut()),
        Some(pieces) => text_out(pieces.len(), |write| pieces.each(write)),
    }
}

/// # Safety
///
/// `plan` is NULL or was returned by `tn_plan_new` and not freed.
unsafe fn figure<T>(
    plan: *const tn_plan,
    default: T,
    figure: impl FnOnce(&Plan<'static>) -> T,
) -> T {
    // SAFETY: as the caller vouches.
    unsafe { plan.as_ref() }.map_or(default, |plan| figure(&plan.0))
}

/// What became of a plan.
///
/// @param plan The plan, or NULL.
///
/// @return A `tn_outcome`; -1 for NULL.
///
/// Thread-safety: may be called from any thread, also with one plan from several at once.
///
/// # Safety
///
/// `plan` is NULL or was returned by `tn_plan_new` and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tn_plan_outcome(plan: *const tn_plan) -> i32 {
    // SAFETY: as the host vouches.
    unsafe {
        figure(plan, -1, |plan| match plan.outcome() {
            Outcome::Compact => tn_outcome::TN_COMPACT as i32,
            Outcome::UnderBudget => tn_outcome::TN_UNDER_BUDGET as i32,
            Outcome::NothingOlder => tn_outcome::TN_NOTHING_OLDER as i32,
            Outcome::NothingNew => tn_outcome::TN_NOTHING_NEW as i32,
            Outcome::CallInFlight => tn_outcome::TN_CALL_IN_FLIGHT as i32,
        })
    }
}

/// The index after the leading instructions: the run of messages at the start whose role is "system" or "developer", up to
/// the first that is a summary message.
///
/// @param plan The plan, or NULL.
///
/// @return An index into the transcript, whatever the outcome; 0 for NULL.
///
/// Thread-safety: may be called from any thread, also with one plan from several at once.
///
/// # Safety
///
/// `plan` is NULL or was returned by `tn_plan_new` and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tn_plan_head_end(plan: *const tn_plan) -> usize {
    // SAFETY: as the host vouches.
    unsafe { figure(plan, 0, Plan::head_end) }
}

/// The index of the first message of the tail. The messages from `tn_plan_head_end` up to it are to be summarized.
///
/// @param plan The plan, or NULL.
///
/// @return An index into the transcript, equal to the number of messages where the tail is empty, and to
///   `tn_plan_head_end` unless the outcome is `TN_COMPACT`; 0 for NULL.
///
/// Thread-safety: may be called from any thread, also with one plan from several at once.
///
/// # Safety
///
/// `plan` is NULL or was returned by `tn_plan_new` and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tn_plan_tail_start(plan: *const tn_plan) -> usize {
    // SAFETY: as the host vouches.
    unsafe { figure(plan, 0, Plan::tail_start) }
}

/// The index of the first message of the request that is kept beside the tail, right before it. The request is also part of
/// what is to be summarized.
///
/// @param plan The plan, or NULL.
///
/// @return An index into the transcript, equal to `tn_plan_tail_start` where no request is kept; 0 for NULL.
///
/// Thread-safety: may be called from any thread, also with one plan from several at once.
///
/// # Safety
///
/// `plan` is NULL or was returned by `tn_plan_new` and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tn_plan_request_start(plan: *const tn_plan) -> usize {
    // SAFETY: as the host vouches.
    unsafe { figure(plan, 0, |plan| plan.request().start) }
}

/// The index after the request that is kept beside the tail.
///
/// @param plan The plan, or NULL.
///
/// @return An index into the transcript, equal to `tn_plan_request_start` where no request is kept; 0 for NULL.
///
/// Thread-safety: may be called from any thread, also with one plan from several at once.
///
/// # Safety
///
/// `plan` is NULL or was returned by `tn_plan_new` and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tn_plan_request_end(plan: *const tn_plan) -> usize {
    // SAFETY: as the host vouches.
    unsafe { figure(plan, 0, |plan| plan.request().end) }
}

/// Tokens of the whole transcript, by the estimate or by the host's count.
///
/// @param plan The plan, or NULL.
///
/// @return Tokens; 0 for NULL.
///
/// Thread-safety: may be called from any thread, also with one plan from several at once.
///
/// # Safety
///
/// `plan` is NULL or was returned by `tn_plan_new` and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tn_plan_tokens(plan: *const tn_plan) -> u64 {
    // SAFETY: as the host vouches.
    unsafe { figure(plan, 0, Plan::tokens) }
}

/// Tokens of the tail alone, by the estimate or by the host's count.
///
/// @param plan The plan, or NULL.
///
/// @return Tokens; 0 where the tail is empty, where the outcome is not `TN_COMPACT`, and for NULL.
///
/// Thread-safety: may be called from any thread, also with one plan from several at once.
///
/// # Safety
///
/// `plan` is NULL or was returned by `tn_plan_new` and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tn_plan_tail_tokens(plan: *const tn_plan) -> u64 {
    // SAFETY: as the host vouches.
    unsafe { figure(plan, 0, Plan::tail_tokens) }
}

/// The messages to summarize, as text: the JSON array `messages[head_end..tail_start]`, whole and in complete pairs.
///
/// @param plan The plan, or NULL.
/// @param len NULL, or receives the length of the text in bytes; 0 where there is none.
///
/// @return UTF-8, not NUL-terminated, borrowed: valid until the plan is freed, and not to be freed itself. NULL unless the
///   outcome is `TN_COMPACT`, for a NULL plan, and where there is no memory for it: it is made when it is first asked for.
///
/// Thread-safety: may be called from any thread, also with one plan from several at once.
///
/// # Safety
///
/// `plan` is NULL or was returned by `tn_plan_new` and not freed; `len` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tn_plan_older(plan: *const tn_plan, len: *mut usize) -> *const c_char {
    // SAFETY: the host vouches for the plan.
    let plan = unsafe { plan.as_ref() };
    let older = plan.and_then(|plan| guard(|| plan.0.older()).ok().flatten());
    if !len.is_null() {
        // SAFETY: not NULL, and the host vouches for the write.
        unsafe { len.write(older.map_or(0, |older| older.json.len())) };
    }
    older.map_or(std::ptr::null(), |older| older.json.as_ptr().cast())
}

/// Builds the new transcript from a plan and the host's summary. It may be called again, with the same or another summary.
///
/// @param plan The plan.
/// @param summary The summary in UTF-8, read during the call. It is used as it is, after the prefix.
/// @param summary_len Its length in bytes, or `TN_NUL_TERMINATED`.
/// @param result Receives the new transcript, NUL-terminated UTF-8, to be freed with `tn_string_free`. NULL with `TN_OK`
///   means unchanged, where the outcome is not `TN_COMPACT`. NULL on failure.
/// @param error NULL, or receives on failure what is wrong, to be freed with `tn_string_free`; NULL on success.
///
/// @return `TN_OK`; `TN_ERR_ARGUMENT`; `TN_ERR_UTF8`; `TN_ERR_CALLBACK` if the summary is blank, that is empty or only
///   Unicode White_Space: the same status as for a callback that answers so; `TN_ERR_MEMORY`; `TN_ERR_INTERNAL`.
///
/// Thread-safety: may be called from any thread, also with one plan from several at once.
///
/// # Safety
///
/// The pointers are as described.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tn_plan_finish(
    plan: *const tn_plan,
    summary: *const c_char,
    summary_len: usize,
    result: *mut *mut c_char,
    error: *mut *mut c_char,
) -> tn_status {
    // SAFETY: the host vouches for its outputs.
    unsafe {
        clear(result);
        clear(error);
    }
    let made = guard(|| {
        if result.is_null() {
            return Err(null("result"));
        }
        // SAFETY: the host vouches for the plan and the text during this call.
        let plan = unsafe { reference("plan", plan) }?;
        // SAFETY: the same.
        let summary = unsafe { text_in("summary", summary, summary_len) }?;
        let text = finished(&plan.0, summary)?;
        // SAFETY: not NULL, and the host vouches for the write.
        unsafe { result.write(text) };
        Ok(())
    });
    // SAFETY: the host vouches for its output.
    unsafe { status(made, error) }
}

/// Frees a plan, and with it the text that `tn_plan_older` gave.
///
/// @param plan The plan, or NULL, which does nothing. No call with it may be running, and it must not be used, or freed,
///   again.
///
/// Thread-safety: may be called from any thread.
///
/// # Safety
///
/// `plan` is NULL or was returned by `tn_plan_new` and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tn_plan_free(plan: *mut tn_plan) {
    if !plan.is_null() {
        // SAFETY: it came from `Box::into_raw` in `tn_plan_new`, and the host vouches that it is not freed.
        drop(unsafe { Box::from_raw(plan) });
    }
}
