//! The core of the library without its C interface, whose symbols can stand in a program only once: so a program can hold the
//! library and, beside it, copies of the core that are built for other back ends.

#![allow(
    dead_code,
    unused_imports,
    reason = "some of the core is there for the C interface"
)]

#[path = "../../src/error.rs"]
mod error;

#[path = "../../src/json/mod.rs"]
mod json;

#[path = "../../src/options.rs"]
mod options;

#[path = "../../src/dialect.rs"]
mod dialect;
#[path = "../../src/transcript.rs"]
mod transcript;

#[path = "../../src/split.rs"]
mod split;

#[path = "../../src/plan.rs"]
mod plan;

pub use error::Error;
pub use json::CharUnit;
pub use options::Options;
pub use plan::Compactor;
pub use transcript::{FLUSH_REMINDER, SUMMARY_PREFIX};

/// The estimate for bytes that may be no text, in the unit that has this number, or the text of the error.
pub fn estimate(messages: &[u8], unit: usize) -> Result<u64, String> {
    let unit = [CharUnit::CodePoint, CharUnit::Utf16, CharUnit::Utf8][unit];
    transcript::estimate_tokens_in(messages, unit).map_err(|error| error.to_string())
}

/// All that a plan by the estimate says, and the transcript it finishes with, or the text of the error.
pub fn planned(messages: &str, options: &str, summary: &str) -> Result<String, String> {
    let described = || {
        let compactor = Compactor::new(Options::from_json(options)?);
        let plan = compactor.plan(messages)?;
        Ok(format!(
            "{:?} {} {} {:?} {} {} {:?}",
            plan.outcome(),
            plan.head_end(),
            plan.tail_start(),
            plan.request(),
            plan.tokens(),
            plan.tail_tokens(),
            plan.finish(summary)?
        ))
    };
    described().map_err(|error: Error| error.to_string())
}
