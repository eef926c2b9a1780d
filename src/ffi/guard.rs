//! No panic crosses the boundary.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::Error;

/// Runs `work`; a panic inside it, which would be a bug of this library, becomes an error.
///
/// What `work` was changing when it panicked is dropped by the caller, who returns the error: nobody looks at it again.
pub(super) fn guard<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(payload) => {
            let text = payload
                .downcast_ref::<&str>()
                .map(|text| (*text).to_owned())
                .or_else(|| payload.downcast_ref::<String>().cloned());
            // The payload's own destructor might panic again.
            std::mem::forget(payload);
            Err(Error::Internal(text.unwrap_or_else(|| "panic".to_owned())))
        }
    }
}

/// Panics where `text` asks for it: the tests' way to see the guard at work.
#[cfg(feature = "fault-injection")]
#[allow(clippy::panic)]
pub(super) fn planted_fault(text: &str, place: &str) {
    let marker = format!("tn-fault-injection: panic while {place}");
    if text.contains(&marker) {
        panic!("{marker}");
    }
}

/// Does nothing in a library that is not built for those tests.
#[cfg(not(feature = "fault-injection"))]
pub(super) fn planted_fault(_text: &str, _place: &str) {}
