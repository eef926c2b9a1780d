//! Where a long transcript of an LLM agent may be cut.
//!
//! Over a token budget, a *compactor* replaces the older part of a transcript by a summary that the host writes and keeps
//! a recent tail, and never parts a tool result from its call. This crate decides *where*, and keeps every kept byte; it
//! never calls a model.
//!
//! A transcript is the text of a JSON array of message objects, oldest first, in any mixture of the dialects that the
//! README lists. The text is read, never rebuilt: what is kept are slices of the input.
//!
//! ```
//! use tn_compactor::{Compactor, Options};
//!
//! let mut options = Options::new(40);
//! options.keep_tail = Some(20);
//! let transcript = r#"[
//!   {"role":"user","content":"Which soil suits carrots? I have clay, and some sand left over from the patio."},
//!   {"role":"assistant","content":"Work the sand into the clay, then add compost."},
//!   {"role":"user","content":"And leeks?"}
//! ]"#;
//! let compacted = Compactor::new(options).apply(transcript, |older| {
//!     assert_eq!((older.first, older.count), (0, 2));
//!     Ok("The user has clay; sand and compost were advised.".to_owned())
//! })?;
//! assert_eq!(
//!     compacted.as_deref(),
//!     Some(concat!(
//!         r#"[{"role":"system","content":"[Summary of earlier conversation]\n"#,
//!         r#"The user has clay; sand and compost were advised."},"#,
//!         r#"{"role":"user","content":"And leeks?"}]"#,
//!     )),
//! );
//! # Ok::<(), tn_compactor::Error>(())
//! ```
//!
//! C programs link the same core through `tn_compactor.h`; see [`ffi`].

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

mod error;

mod json;

mod options;

mod dialect;
mod transcript;

mod split;

mod plan;

pub mod ffi;

pub use error::{Error, Found, HostError};
pub use json::CharUnit;
pub use options::{Options, Split, SummaryRole};
pub use plan::{Compactor, Plan, Slice};
pub use split::Outcome;
pub use transcript::{FLUSH_REMINDER, SUMMARY_PREFIX, estimate_tokens};
