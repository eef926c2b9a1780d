//! The ratios in the README and the picture beside it.

use std::path::Path;

use crate::contenders::{
    DOM, ESTIMATE, MEMCPY, ON_DEMAND, PLAN_OVER, PLAN_UNDER, PORTABLE_ESTIMATE, PORTABLE_PLAN_OVER,
    RAW, RAW_COUNTED, SIMD_JSON_TAPE, SIMD_JSON_VALUE, SIMDUTF8, SONIC_LAZY, SONIC_VALUE,
    VALUE_COUNTED,
};
use crate::inputs::{Kind, LARGE, MEDIUM, SMALL};
use crate::results::{Results, short};
use crate::{chart, simdjson, targets};

const START: &str = "<!-- bench -->";
const END: &str = "<!-- /bench -->";

/// Rows of the README, as it names them.
const ROWS: [(&str, &str); 16] = [
    (ESTIMATE, "**`tn_estimate_tokens`**"),
    (PLAN_UNDER, "**`tn_plan_new`, under budget**"),
    (PLAN_OVER, "**`tn_plan_new`, over budget**"),
    (PORTABLE_ESTIMATE, "`tn_estimate_tokens`, portable back end"),
    (
        PORTABLE_PLAN_OVER,
        "`tn_plan_new`, over budget, portable back end",
    ),
    (ON_DEMAND, "simdjson On-Demand, each element's raw JSON"),
    (DOM, "simdjson DOM"),
    (SONIC_LAZY, "sonic-rs, each element lazily"),
    (SONIC_VALUE, "sonic-rs `Value`"),
    (SIMD_JSON_TAPE, "simd-json, tape"),
    (SIMD_JSON_VALUE, "simd-json, borrowed `Value`"),
    (RAW, "serde_json `RawValue`"),
    (RAW_COUNTED, "serde_json `RawValue`, counted"),
    (VALUE_COUNTED, "serde_json `Value`, serialized, counted"),
    (SIMDUTF8, "simdutf8, is it UTF-8"),
    (MEMCPY, "memcpy"),
];

pub fn write(readme: &Path, picture: &Path, results: &Results) -> Result<(), String> {
    let back_end = simdjson::chosen()
        .ok_or("not written: the ratios are to simdjson, which is not installed")?;
    let old = std::fs::read_to_string(readme)
        .map_err(|error| format!("{}: {error}", readme.display()))?;
    let (before, rest) = old
        .split_once(START)
        .ok_or_else(|| missing(readme, START))?;
    let (_, after) = rest.split_once(END).ok_or_else(|| missing(readme, END))?;
    let new = format!("{before}{START}\n{}{END}{after}", block(results, &back_end));
    if let Some(folder) = picture.parent() {
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    std::fs::write(picture, chart::of(results))
        .map_err(|error| format!("{}: {error}", picture.display()))?;
    std::fs::write(readme, new).map_err(|error| format!("{}: {error}", readme.display()))
}

fn missing(readme: &Path, marker: &str) -> String {
    format!("not written: {} has no line {marker}", readme.display())
}

fn block(results: &Results, back_end: &str) -> String {
    let speeds = results
        .columns
        .iter()
        .filter_map(|column| Some(column.speed(column.times(ON_DEMAND)?.median())));
    let (slowest, fastest) = speeds.fold((f64::INFINITY, 0f64), |(low, high), speed| {
        (low.min(speed), high.max(speed))
    });
    let mut text = format!(
        "![How many times as fast as simdjson's On-Demand API each one reads a transcript of 1 MB](docs/bench.svg)\n\n\
         How many times as fast as simdjson's On-Demand API (version {}, back end {back_end}), which iterates over the array and takes each \
         element's raw JSON, without checking the grammar of what it skips, at {slowest:.1} to {fastest:.1} GB/s here. Two numbers are \
         for 1 MB and for 10 MB. Medians of one run; the parsers are built for this very processor, the library as it is released.\n\n",
        simdjson::version()
    );
    text += "| | English and code, 2 KB |";
    for kind in Kind::ALL {
        text += &format!(" {} |", kind.name());
    }
    text += "\n|---|---|---|---|---|---|\n";
    for (row, name) in ROWS {
        text += &format!("| {name} | {} |", ratio(results, row, Kind::English, SMALL));
        for kind in Kind::ALL {
            let of_size = |size| ratio(results, row, kind, size);
            text += &format!(" {} / {} |", of_size(MEDIUM), of_size(LARGE));
        }
        text.push('\n');
    }
    text.push('\n');
    let descriptions = Kind::ALL.map(|kind| {
        let name = capitalized(kind.name());
        format!("{name}: {}.", kind.description())
    });
    text += &descriptions.join(" ");
    text += "\n\n| target | | aim | worst | |\n|---|---|---|---|---|\n";
    for checked in targets::checked(results) {
        let target = checked.target;
        if let Some((transcript, worst)) = checked.worst() {
            text += &format!(
                "| {} | {} | {} | {} | {}: {transcript} |\n",
                target.name,
                target.bound_in_words(),
                target.aim(),
                short(*worst),
                target.verdict(*worst)
            );
        }
    }
    text
}

fn ratio(results: &Results, row: &str, kind: Kind, size: &str) -> String {
    results
        .column(kind, size)
        .and_then(|column| column.ratio_to_on_demand(row))
        .map_or("-".to_owned(), short)
}

fn capitalized(name: &str) -> String {
    let mut characters = name.chars();
    characters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(characters).collect()
    })
}
