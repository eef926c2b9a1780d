//! How fast transcripts are read: `make bench`.
//!
//! Compare the rows of one group with each other, within one run; absolute times say little about another machine.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use serde_json::value::RawValue;
use tn_compactor::{CharUnit, Compactor, Options, estimate_tokens};

fn main() {
    divan::main();
}

/// A transcript of about `bytes` bytes: turns of an agent that reads files and answers, with some Chinese and emoji.
fn transcript(bytes: usize) -> String {
    let mut text = String::from(r#"[{"role":"system","content":"You maintain a small web shop."}"#);
    let mut turn = 0;
    while text.len() < bytes {
        turn += 1;
        text.push_str(&format!(
            r#",{{"role":"user","content":"Look at module {turn}, please. 看看第{turn}个模块 🙂"}}"#
        ));
        for step in 0..6 {
            text.push_str(&format!(
                r#",{{"role":"assistant","content":null,"tool_calls":[{{"id":"call_{turn}_{step}","type":"function","function":{{"name":"read_file","arguments":"{{\"path\":\"src/module_{turn}.rs\",\"from\":{step}00}}"}}}}]}}"#
            ));
            let line = r#"    let total = items.iter().map(|item| item.price * item.count).sum::<u64>(); // \"sum\"\n"#;
            text.push_str(&format!(
                r#",{{"role":"tool","tool_call_id":"call_{turn}_{step}","content":"{}"}}"#,
                line.repeat(12)
            ));
        }
        text.push_str(r#",{"role":"assistant","content":"Done: the sums are right."}"#);
    }
    text.push(']');
    text
}

/// The estimate as the hand-written ports make it: parse into values, serialize each message, count its characters.
fn by_value_tree(text: &str) -> usize {
    let messages: Vec<serde_json::Value> = serde_json::from_str(text).unwrap();
    messages
        .iter()
        .map(|message| message.to_string().chars().count().div_ceil(4))
        .sum()
}

/// The least that `serde_json` can do: find where the messages are.
fn split_into_raw_values(text: &str) -> usize {
    let messages: Vec<&RawValue> = serde_json::from_str(text).unwrap();
    messages.len()
}

const SIZES: [usize; 3] = [2_000, 1_000_000, 10_000_000];

#[divan::bench(args = SIZES)]
fn estimate(bencher: Bencher, bytes: usize) {
    let text = transcript(bytes);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| estimate_tokens(black_box(&text), CharUnit::CodePoint).unwrap());
}

#[divan::bench(args = SIZES)]
fn estimate_by_value_tree(bencher: Bencher, bytes: usize) {
    let text = transcript(bytes);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| by_value_tree(black_box(&text)));
}

#[divan::bench(args = SIZES)]
fn raw_values_without_counting(bencher: Bencher, bytes: usize) {
    let text = transcript(bytes);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| split_into_raw_values(black_box(&text)));
}

#[divan::bench(args = SIZES)]
fn plan_under_budget(bencher: Bencher, bytes: usize) {
    let text = transcript(bytes);
    let compactor = Compactor::new(Options::new(u64::MAX));
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| compactor.plan(black_box(&text)).unwrap().tokens());
}

#[divan::bench(args = SIZES)]
fn plan_and_finish_with_a_quarter_kept(bencher: Bencher, bytes: usize) {
    let text = transcript(bytes);
    let tokens = estimate_tokens(&text, CharUnit::CodePoint).unwrap();
    let mut options = Options::new(tokens / 2);
    options.keep_tail = Some(tokens / 4);
    let compactor = Compactor::new(options);
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let plan = compactor.plan(black_box(&text)).unwrap();
        plan.finish("The modules were read.").unwrap()
    });
}
