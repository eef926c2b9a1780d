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
            // A text is freed. Any other payload is left: its own destructor might panic again.
            let text = payload.downcast::<String>().map_or_else(
                |other| {
                    let text = other.downcast_ref::<&str>().copied().unwrap_or("panic");
                    let text = text.to_owned();
                    std::mem::forget(other);
                    text
                },
                |text| *text,
            );
            Err(Error::Internal(text))
        }
    }
}

/// Panics where `text` asks for it: the tests' way to see the guard at work.
#[cfg(feature = "fault-injection")]
#[allow(clippy::panic)]
pub(super) fn planted_fault(text: &[u8], place: &str) {
    let marker = format!("tn-fault-injection: panic while {place}");
    let planted = text
        .windows(marker.len())
        .any(|piece| piece == marker.as_bytes());
    if planted {
        panic!("{marker}");
    }
}

/// Does nothing in a library that is not built for those tests.
#[cfg(not(feature = "fault-injection"))]
pub(super) fn planted_fault(_text: &[u8], _place: &str) {}
