//! A second, deliberately naive reading of the behaviour: a value tree instead of spans, plain loops, every suffix counted
//! anew. It is slow and small, so that it can be held against the rules by eye, and the library against it by machine.

#![allow(
    dead_code,
    reason = "each test crate that shares this module uses a part of it"
)]

pub mod agreement;
pub mod generate;
pub mod json;
pub mod promises;
pub mod rules;
