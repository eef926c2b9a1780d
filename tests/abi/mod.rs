//! The C interface as a safe Rust test sees it: every handle freed, every text copied out, every contract about outputs checked
//! on each call.

#![allow(unsafe_code, reason = "a test of a C interface calls C functions")]
#![allow(
    dead_code,
    reason = "each test crate that shares this module uses a part of it"
)]

use std::any::Any;
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::{null, null_mut};

use ::tn_compactor::ffi::*;

/// A call that failed: the status by its name, and the text for the host's user.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub status: String,
    pub text: String,
}

/// What a host's callback is given: `json` is the array `messages[first .. first + count]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    pub json: String,
    pub first: usize,
    pub count: usize,
}

pub type Summarize<'a> = dyn FnMut(Asked) -> Result<String, String> + 'a;
pub type CountTokens<'a> = dyn FnMut(Asked) -> u64 + 'a;

struct Host<'a> {
    summarize: Option<&'a mut Summarize<'a>>,
    count_tokens: Option<&'a mut CountTokens<'a>>,
    panic: Option<Box<dyn Any + Send>>,
}

impl Host<'_> {
    /// A failed assertion in a test's callback must reach the test, and not by way of the library.
    fn guard(&mut self, callback: impl FnOnce(&mut Self)) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| callback(self))) {
            self.panic = Some(panic);
        }
    }

    fn resume_panic(self) {
        if let Some(panic) = self.panic {
            resume_unwind(panic);
        }
    }
}

unsafe fn asked(json: *const c_char, json_len: usize, first: usize, count: usize) -> Asked {
    // SAFETY: the contract promises `json_len` bytes at `json` for the length of the callback.
    let bytes = unsafe { std::slice::from_raw_parts(json.cast::<u8>(), json_len) };
    let json = String::from_utf8(bytes.to_vec()).expect("a callback is given UTF-8");
    Asked { json, first, count }
}

unsafe extern "C-unwind" fn on_summarize(
    user_data: *mut c_void,
    json: *const c_char,
    json_len: usize,
    first: usize,
    count: usize,
    out: *mut tn_sink,
) {
    // SAFETY: `user_data` is the `Host` of the running call, borrowed by nobody else while the library runs; `out` and `json`
    // are the library's, valid inside this callback.
    unsafe {
        (*user_data.cast::<Host>()).guard(|host| {
            let summarize = host
                .summarize
                .as_mut()
                .expect("only a call that passes summarize can be asked for it");
            match summarize(asked(json, json_len, first, count)) {
                Ok(text) => tn_sink_set_text(out, text.as_ptr().cast(), text.len()),
                Err(text) => tn_sink_set_error(out, text.as_ptr().cast(), text.len()),
            };
        });
    }
}

unsafe extern "C-unwind" fn on_count_tokens(
    user_data: *mut c_void,
    json: *const c_char,
    json_len: usize,
    first: usize,
    count: usize,
    out: *mut tn_sink,
) {
    // SAFETY: as in `on_summarize`.
    unsafe {
        (*user_data.cast::<Host>()).guard(|host| {
            let count_tokens = host
                .count_tokens
                .as_mut()
                .expect("only a call that passes count_tokens can be asked for it");
            let tokens = count_tokens(asked(json, json_len, first, count));
            tn_sink_set_count(out, tokens);
        });
    }
}

fn owned(text: *mut c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: what comes back through `char **` is NUL-terminated and ours until `tn_string_free`.
    unsafe {
        let copy = CStr::from_ptr(text)
            .to_str()
            .expect("what the library hands out is UTF-8")
            .to_owned();
        tn_string_free(text);
        Some(copy)
    }
}

/// The outcome of one call, with the contract about outputs held: an error text on failure and on failure only.
fn checked(status: tn_status, error: *mut c_char) -> Result<(), Failure> {
    let status = status as i32;
    let error = owned(error);
    if status == tn_status::TN_OK as i32 {
        assert_eq!(error, None, "a call that succeeded wrote an error");
        return Ok(());
    }
    // SAFETY: `tn_status_name` answers a static C string for any number.
    let name = unsafe { CStr::from_ptr(tn_status_name(status)) }
        .to_string_lossy()
        .into_owned();
    let text = error.unwrap_or_else(|| panic!("{name} came without an error text"));
    Err(Failure { status: name, text })
}

pub struct Compactor(*mut tn_compactor);

impl Compactor {
    pub fn new(options: &str) -> Result<Compactor, Failure> {
        let (mut compactor, mut error) = (null_mut(), null_mut());
        // SAFETY: the text is borrowed for the call, the outputs are ours.
        let status = unsafe {
            tn_compactor_new(
                options.as_ptr().cast(),
                options.len(),
                &mut compactor,
                &mut error,
            )
        };
        let outcome = checked(status, error);
        assert_eq!(
            compactor.is_null(),
            outcome.is_err(),
            "a compactor comes out exactly on success"
        );
        outcome.map(|()| Compactor(compactor))
    }

    pub fn plan(&self, messages: &str) -> Result<Plan, Failure> {
        self.plan_with(messages, None)
    }

    pub fn plan_counted<'a>(
        &self,
        messages: &str,
        count_tokens: &'a mut CountTokens<'a>,
    ) -> Result<Plan, Failure> {
        self.plan_with(messages, Some(count_tokens))
    }

    fn plan_with<'a>(
        &self,
        messages: &str,
        count_tokens: Option<&'a mut CountTokens<'a>>,
    ) -> Result<Plan, Failure> {
        let callback = count_tokens
            .is_some()
            .then_some(on_count_tokens as unsafe extern "C-unwind" fn(_, _, _, _, _, _));
        let mut host = Host {
            summarize: None,
            count_tokens,
            panic: None,
        };
        let (mut plan, mut error) = (null_mut(), null_mut());
        // SAFETY: the text and the host are borrowed for the call, the outputs are ours.
        let status = unsafe {
            tn_plan_new(
                self.0,
                messages.as_ptr().cast(),
                messages.len(),
                callback,
                (&raw mut host).cast(),
                &mut plan,
                &mut error,
            )
        };
        host.resume_panic();
        let outcome = checked(status, error);
        assert_eq!(
            plan.is_null(),
            outcome.is_err(),
            "a plan comes out exactly on success"
        );
        outcome.map(|()| Plan(plan))
    }

    /// `Ok(None)` where nothing changes.
    pub fn apply<'a>(
        &self,
        messages: &str,
        summarize: &'a mut Summarize<'a>,
    ) -> Result<Option<String>, Failure> {
        self.apply_with(messages, summarize, None)
    }

    pub fn apply_counted<'a>(
        &self,
        messages: &str,
        summarize: &'a mut Summarize<'a>,
        count_tokens: &'a mut CountTokens<'a>,
    ) -> Result<Option<String>, Failure> {
        self.apply_with(messages, summarize, Some(count_tokens))
    }

    fn apply_with<'a>(
        &self,
        messages: &str,
        summarize: &'a mut Summarize<'a>,
        count_tokens: Option<&'a mut CountTokens<'a>>,
    ) -> Result<Option<String>, Failure> {
        let callback = count_tokens
            .is_some()
            .then_some(on_count_tokens as unsafe extern "C-unwind" fn(_, _, _, _, _, _));
        let mut host = Host {
            summarize: Some(summarize),
            count_tokens,
            panic: None,
        };
        let (mut result, mut error) = (null_mut(), null_mut());
        // SAFETY: as in `plan_with`.
        let status = unsafe {
            tn_compactor_apply(
                self.0,
                messages.as_ptr().cast(),
                messages.len(),
                Some(on_summarize),
                callback,
                (&raw mut host).cast(),
                &mut result,
                &mut error,
            )
        };
        host.resume_panic();
        let result = owned(result);
        let outcome = checked(status, error);
        assert!(
            outcome.is_ok() || result.is_none(),
            "a call that failed wrote a result"
        );
        outcome.map(|()| result)
    }
}

impl Drop for Compactor {
    fn drop(&mut self) {
        // SAFETY: ours, and freed once.
        unsafe { tn_compactor_free(self.0) }
    }
}

pub struct Plan(*mut tn_plan);

impl Plan {
    pub fn outcome(&self) -> i32 {
        // SAFETY: the plan lives as long as `self`.
        unsafe { tn_plan_outcome(self.0) }
    }

    pub fn head_end(&self) -> usize {
        // SAFETY: the plan lives as long as `self`.
        unsafe { tn_plan_head_end(self.0) }
    }

    pub fn tail_start(&self) -> usize {
        // SAFETY: the plan lives as long as `self`.
        unsafe { tn_plan_tail_start(self.0) }
    }

    pub fn request_start(&self) -> usize {
        // SAFETY: the plan lives as long as `self`.
        unsafe { tn_plan_request_start(self.0) }
    }

    pub fn request_end(&self) -> usize {
        // SAFETY: the plan lives as long as `self`.
        unsafe { tn_plan_request_end(self.0) }
    }

    pub fn tokens(&self) -> u64 {
        // SAFETY: the plan lives as long as `self`.
        unsafe { tn_plan_tokens(self.0) }
    }

    pub fn tail_tokens(&self) -> u64 {
        // SAFETY: the plan lives as long as `self`.
        unsafe { tn_plan_tail_tokens(self.0) }
    }

    pub fn older(&self) -> Option<String> {
        let mut len = usize::MAX;
        // SAFETY: borrowed from the plan, and copied before it can go.
        unsafe {
            let older = tn_plan_older(self.0, &mut len);
            if older.is_null() {
                return None;
            }
            let bytes = std::slice::from_raw_parts(older.cast::<u8>(), len);
            Some(String::from_utf8(bytes.to_vec()).expect("older is UTF-8"))
        }
    }

    pub fn finish(&self, summary: &str) -> Result<Option<String>, Failure> {
        let (mut result, mut error) = (null_mut(), null_mut());
        // SAFETY: the text is borrowed for the call, the outputs are ours.
        let status = unsafe {
            tn_plan_finish(
                self.0,
                summary.as_ptr().cast(),
                summary.len(),
                &mut result,
                &mut error,
            )
        };
        let result = owned(result);
        let outcome = checked(status, error);
        assert!(
            outcome.is_ok() || result.is_none(),
            "a call that failed wrote a result"
        );
        outcome.map(|()| result)
    }
}

impl Drop for Plan {
    fn drop(&mut self) {
        // SAFETY: ours, and freed once.
        unsafe { tn_plan_free(self.0) }
    }
}

/// `unit` as `tn_char_unit` numbers it.
pub fn estimate_tokens(messages: &str, unit: i32) -> Result<u64, Failure> {
    let (mut tokens, mut error) = (u64::MAX, null_mut());
    // SAFETY: the text is borrowed for the call, the outputs are ours.
    let status = unsafe {
        tn_estimate_tokens(
            messages.as_ptr().cast(),
            messages.len(),
            unit,
            &mut tokens,
            &mut error,
        )
    };
    checked(status, error).map(|()| tokens)
}

pub fn summary_prefix() -> &'static str {
    constant(tn_summary_prefix)
}

pub fn flush_reminder() -> &'static str {
    constant(tn_flush_reminder)
}

fn constant(text: unsafe extern "C" fn() -> *const c_char) -> &'static str {
    // SAFETY: the function takes nothing.
    let text = unsafe { text() };
    assert_ne!(text, null(), "the library's constants are never NULL");
    // SAFETY: the library's constants are C strings that live as long as the program.
    unsafe { CStr::from_ptr(text) }
        .to_str()
        .expect("the library's constants are UTF-8")
}
