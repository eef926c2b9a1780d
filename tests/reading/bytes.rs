//! Bytes that need not be UTF-8 reach the reader through the C interface alone.

#![allow(unsafe_code, reason = "a test of a C interface calls C functions")]

use std::ffi::{CStr, c_char};
use std::ptr::null_mut;

use tn_compactor::ffi::{
    tn_compactor_free, tn_compactor_new, tn_estimate_tokens, tn_plan_free, tn_plan_new,
    tn_plan_tokens, tn_status, tn_status_name, tn_string_free,
};

/// The name of the status of a call that failed, and the text of its error.
pub type Refusal = (String, String);

/// The estimate in the unit that has this number.
pub fn estimate(bytes: &[u8], unit: i32) -> Result<u64, Refusal> {
    let (mut tokens, mut error) = (u64::MAX, null_mut());
    // SAFETY: the bytes are borrowed for the call, the outputs are ours.
    let status = unsafe {
        tn_estimate_tokens(
            bytes.as_ptr().cast(),
            bytes.len(),
            unit,
            &mut tokens,
            &mut error,
        )
    };
    let estimated = outcome(status, error);
    assert!(
        estimated.is_ok() || tokens == u64::MAX,
        "a call that failed wrote an estimate"
    );
    estimated.map(|()| tokens)
}

/// What a plan with no budget at all counts, in code points.
pub fn planned_tokens(bytes: &[u8]) -> Result<u64, Refusal> {
    let options = r#"{"max_tokens":0}"#;
    let (mut compactor, mut plan, mut error) = (null_mut(), null_mut(), null_mut());
    // SAFETY: the texts are borrowed for the calls, the outputs are ours, each handle is freed once.
    unsafe {
        let status = tn_compactor_new(
            options.as_ptr().cast(),
            options.len(),
            &mut compactor,
            &mut error,
        );
        outcome(status, error)?;
        let status = tn_plan_new(
            compactor,
            bytes.as_ptr().cast(),
            bytes.len(),
            None,
            null_mut(),
            &mut plan,
            &mut error,
        );
        let planned = outcome(status, error).map(|()| tn_plan_tokens(plan));
        tn_plan_free(plan);
        tn_compactor_free(compactor);
        planned
    }
}

fn outcome(status: tn_status, error: *mut c_char) -> Result<(), Refusal> {
    let status = status as i32;
    if status == 0 {
        assert!(error.is_null(), "a call that succeeded wrote an error");
        return Ok(());
    }
    assert!(!error.is_null(), "a failure came without a text");
    // SAFETY: a status has a static name; the error is a C string and ours, freed once.
    unsafe {
        let name = CStr::from_ptr(tn_status_name(status));
        let name = name.to_string_lossy().into_owned();
        let text = CStr::from_ptr(error).to_string_lossy().into_owned();
        tn_string_free(error);
        Err((name, text))
    }
}
