//! What is timed, each as its own users would call it.

use std::hint::black_box;

use serde_json::Value;
use serde_json::value::RawValue;
use sonic_rs::LazyValue;

use crate::inputs::{Input, SMALL};
use crate::library::Library;
use crate::measure::{Call, Contender};
use crate::simdjson;

pub const ESTIMATE: &str = "tn_estimate_tokens";
pub const PLAN_UNDER: &str = "tn_plan_new, under budget";
pub const PLAN_OVER: &str = "tn_plan_new, over budget";
pub const APPLY_UNDER: &str = "tn_compactor_apply, under budget";
pub const PORTABLE_ESTIMATE: &str = "portable: tn_estimate_tokens";
pub const PORTABLE_PLAN_UNDER: &str = "portable: tn_plan_new, under budget";
pub const PORTABLE_PLAN_OVER: &str = "portable: tn_plan_new, over budget";
pub const MEMCPY: &str = "memcpy";
pub const SIMDUTF8: &str = "simdutf8, is it UTF-8";
pub const ON_DEMAND: &str = "simdjson On-Demand, each element's raw JSON";
pub const ON_DEMAND_AVX2: &str = "  the same, its first stage with AVX2";
pub const DOM: &str = "simdjson DOM";
pub const SONIC_LAZY: &str = "sonic-rs, each element lazily";
pub const SONIC_VALUE: &str = "sonic-rs Value";
pub const SIMD_JSON_TAPE: &str = "simd-json, tape";
pub const SIMD_JSON_VALUE: &str = "simd-json, borrowed Value";
pub const RAW: &str = "serde_json RawValue";
pub const RAW_COUNTED: &str = "serde_json RawValue, counted";
pub const VALUE_COUNTED: &str = "serde_json Value, serialized, counted";

/// All rows, in the order of the table.
pub const ROWS: [&str; 19] = [
    ESTIMATE,
    PLAN_UNDER,
    PLAN_OVER,
    APPLY_UNDER,
    PORTABLE_ESTIMATE,
    PORTABLE_PLAN_UNDER,
    PORTABLE_PLAN_OVER,
    ON_DEMAND,
    ON_DEMAND_AVX2,
    DOM,
    SONIC_LAZY,
    SONIC_VALUE,
    SIMD_JSON_TAPE,
    SIMD_JSON_VALUE,
    RAW,
    RAW_COUNTED,
    VALUE_COUNTED,
    SIMDUTF8,
    MEMCPY,
];

/// The library as it is released, and with its portable back end.
#[derive(Clone, Copy)]
pub struct Libraries {
    pub released: Library,
    pub portable: Library,
}

/// Everything that reads `input`. Rows that are missing here are missing in the table.
pub fn of(input: &Input, libraries: Libraries) -> Vec<Contender<'_>> {
    let text = &*input.text;
    let tokens = by_value_tree(text);
    let messages = input.messages;
    let mut all = Vec::new();
    let mut add = |name, answer, call| all.push(Contender { name, call, answer });

    let Libraries { released, portable } = libraries;
    for (library, [estimate, under, over]) in [
        (released, [ESTIMATE, PLAN_UNDER, PLAN_OVER]),
        (
            portable,
            [PORTABLE_ESTIMATE, PORTABLE_PLAN_UNDER, PORTABLE_PLAN_OVER],
        ),
    ] {
        add(
            estimate,
            Some(tokens),
            boxed(move || library.estimate(text)),
        );
        let loose = library.compactor(tokens, tokens / 2);
        add(under, Some(tokens), boxed(move || loose.plan(text, false)));
        let tight = library.compactor(tokens / 2, tokens / 4);
        add(over, Some(tokens), boxed(move || tight.plan(text, true)));
    }
    if input.size == SMALL {
        let loose = released.compactor(tokens, tokens / 2);
        add(APPLY_UNDER, None, boxed(move || loose.apply_nothing(text)));
    }

    if let Some(chosen) = simdjson::chosen() {
        let reader = |name: &str| simdjson::Reader::new(text, name);
        if let Some(mut reader) = reader(&chosen) {
            add(ON_DEMAND, Some(messages), boxed(move || reader.on_demand()));
        }
        if let Some(mut reader) = reader("haswell").filter(|_| chosen != "haswell") {
            add(
                ON_DEMAND_AVX2,
                Some(messages),
                boxed(move || reader.on_demand()),
            );
        }
        if let Some(mut reader) = reader(&chosen) {
            add(DOM, Some(messages), boxed(move || reader.dom()));
        }
    }

    add(SONIC_LAZY, Some(messages), boxed(|| sonic_lazily(text)));
    add(SONIC_VALUE, Some(messages), boxed(|| sonic_value(text)));
    add(
        SIMD_JSON_TAPE,
        None,
        Box::new(SimdJson::new(text, simd_json_tape)),
    );
    add(
        SIMD_JSON_VALUE,
        Some(messages),
        Box::new(SimdJson::new(text, simd_json_value)),
    );
    add(RAW, Some(messages), boxed(|| raw_values(text).len() as u64));
    add(RAW_COUNTED, None, boxed(|| count_raw_values(text)));
    add(VALUE_COUNTED, Some(tokens), boxed(|| by_value_tree(text)));
    add(
        SIMDUTF8,
        Some(1),
        boxed(|| u64::from(simdutf8::basic::from_utf8(black_box(text.as_bytes())).is_ok())),
    );
    let mut copy = vec![0; text.len()];
    add(
        MEMCPY,
        None,
        boxed(move || {
            black_box(&mut copy).copy_from_slice(black_box(text.as_bytes()));
            u64::from(copy[copy.len() / 2])
        }),
    );
    all
}

fn boxed<'t>(call: impl FnMut() -> u64 + 't) -> Box<dyn Call + 't> {
    Box::new(call)
}

/// The estimate as a host makes it that has only a JSON library: every message parsed, serialized and counted.
fn by_value_tree(text: &str) -> u64 {
    let messages: Vec<Value> = serde_json::from_str(text).expect("the inputs are JSON");
    let tokens = |message: &Value| message.to_string().chars().count().div_ceil(4) as u64;
    messages.iter().map(tokens).sum()
}

fn raw_values(text: &str) -> Vec<&RawValue> {
    serde_json::from_str(text).expect("the inputs are JSON")
}

/// Characters of each element as it stands, which is less work than the estimate: white space and escapes count in full.
fn count_raw_values(text: &str) -> u64 {
    let tokens = |raw: &&RawValue| raw.get().chars().count().div_ceil(4) as u64;
    raw_values(text).iter().map(tokens).sum()
}

fn sonic_lazily(text: &str) -> u64 {
    let mut bytes = 0;
    let count = sonic_rs::to_array_iter(text)
        .map(|element: sonic_rs::Result<LazyValue>| {
            bytes += element.expect("the inputs are JSON").as_raw_str().len();
        })
        .count();
    black_box(bytes);
    count as u64
}

fn sonic_value(text: &str) -> u64 {
    use sonic_rs::JsonContainerTrait;
    let value: sonic_rs::Value = sonic_rs::from_str(text).expect("the inputs are JSON");
    value.as_array().map_or(0, |messages| messages.len() as u64)
}

/// simd-json, which writes to the text that it reads: every call gets a copy, which is made before.
struct SimdJson<'t> {
    text: &'t str,
    copies: Vec<Vec<u8>>,
    buffers: simd_json::Buffers,
    read: fn(&mut [u8], &mut simd_json::Buffers) -> u64,
}

impl<'t> SimdJson<'t> {
    fn new(text: &'t str, read: fn(&mut [u8], &mut simd_json::Buffers) -> u64) -> Self {
        Self {
            text,
            copies: Vec::new(),
            buffers: simd_json::Buffers::new(text.len()),
            read,
        }
    }
}

impl Call for SimdJson<'_> {
    fn prepare(&mut self, calls: usize) {
        self.copies.resize(calls.max(self.copies.len()), Vec::new());
        for copy in &mut self.copies[..calls] {
            copy.clear();
            copy.extend_from_slice(self.text.as_bytes());
        }
    }

    fn call(&mut self, index: usize) -> u64 {
        (self.read)(&mut self.copies[index], &mut self.buffers)
    }
}

fn simd_json_tape(text: &mut [u8], buffers: &mut simd_json::Buffers) -> u64 {
    let tape = simd_json::to_tape_with_buffers(text, buffers).expect("the inputs are JSON");
    tape.0.len() as u64
}

fn simd_json_value(text: &mut [u8], buffers: &mut simd_json::Buffers) -> u64 {
    use simd_json::prelude::ValueAsArray;
    let value =
        simd_json::to_borrowed_value_with_buffers(text, buffers).expect("the inputs are JSON");
    value.as_array().map_or(0, |messages| messages.len() as u64)
}
