//! The C interface. Its manual is `tn_compactor.h`, which is generated from the comments here.
//!
//! From Rust, use [`Compactor`](crate::Compactor) and [`Plan`](crate::Plan): they do the same, safely.
//!
//! Every export does three things: it turns pointers into texts and references (`text.rs`), runs the core inside a guard
//! that turns a panic into a status (`guard.rs`), and writes the outputs. The host's callbacks are called outside the guard,
//! so that an exception out of one passes through.

#![allow(unsafe_code, non_camel_case_types)]

mod guard;
mod text;

mod sink;
mod status;

mod compactor;
mod estimate;
mod plan;

mod apply;

pub use apply::tn_compactor_apply;
pub use compactor::{tn_compactor, tn_compactor_free, tn_compactor_new};
pub use estimate::{tn_char_unit, tn_estimate_tokens};
pub use plan::{
    tn_outcome, tn_plan, tn_plan_finish, tn_plan_free, tn_plan_head_end, tn_plan_new,
    tn_plan_older, tn_plan_outcome, tn_plan_request_end, tn_plan_request_start, tn_plan_tail_start,
    tn_plan_tail_tokens, tn_plan_tokens,
};
pub use sink::{
    tn_count_tokens_fn, tn_sink, tn_sink_set_count, tn_sink_set_error, tn_sink_set_text,
    tn_summarize_fn,
};
pub use status::{tn_abi_version, tn_status, tn_status_name, tn_version};
pub use text::{TN_NUL_TERMINATED, tn_flush_reminder, tn_string_free, tn_summary_prefix};
