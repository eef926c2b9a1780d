//! The table that is printed.

use std::fmt::Write;

use crate::contenders::{DOM, ON_DEMAND, ROWS};
use crate::inputs::{Kind, LARGE, MEDIUM, SMALL};
use crate::results::{Column, Results, duration, short};
use crate::simdjson;

const NAME: usize = 43;

pub fn of(results: &Results) -> String {
    let mut text = String::from(
        "GB/s and time: the median of all turns; best: the fastest turn; spread: the distance between the quartiles, in\n\
         percent of the median; x OD: how many times as fast as simdjson's On-Demand API. Processor time, all in this run.\n",
    );
    match simdjson::chosen() {
        Some(back_end) => writeln!(
            text,
            "simdjson {} with its back end {back_end}.",
            simdjson::version()
        ),
        None => writeln!(
            text,
            "simdjson is missing, and with it the ratios to it: libsimdjson-dev is not installed."
        ),
    }
    .expect("a String takes everything");
    for (kind, sizes) in [(Kind::English, &[SMALL][..])]
        .into_iter()
        .chain(Kind::ALL.map(|kind| (kind, &[MEDIUM, LARGE][..])))
    {
        let columns: Vec<&Column> = sizes
            .iter()
            .filter_map(|size| results.column(kind, size))
            .collect();
        section(&mut text, kind, &columns);
    }
    text
}

fn section(text: &mut String, kind: Kind, columns: &[&Column]) {
    let mut line = format!("\n{:NAME$}", kind.name());
    for column in columns {
        let title = format!("{}, {} messages", column.size, column.messages);
        line += &format!("  |{title:>34}");
    }
    line += &format!("\n{:NAME$}", "");
    for _ in columns {
        line += &format!(
            "  |{:>6}{:>6}{:>7}{:>9}{:>6}",
            "GB/s", "best", "spread", "time", "x OD"
        );
    }
    line.push('\n');
    for row in ROWS {
        let measured = columns.iter().any(|column| column.times(row).is_some());
        // Other rows are left out where they mean nothing.
        if !measured && ![ON_DEMAND, DOM].contains(&row) {
            continue;
        }
        line += &format!("{row:NAME$}");
        for column in columns {
            line += "  |";
            let Some(times) = column.times(row) else {
                line += &format!("{:>34}", "missing");
                continue;
            };
            line += &format!(
                "{:>6}{:>6}{:>6.0}%{:>9}{:>6}",
                short(column.speed(times.median())),
                short(column.speed(times.best())),
                times.spread() * 100.0,
                duration(times.median()),
                column.ratio_to_on_demand(row).map_or("-".to_owned(), short),
            );
        }
        line.push('\n');
    }
    *text += &line;
}
