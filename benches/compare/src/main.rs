//! Times tn_compactor beside JSON parsers, on generated transcripts, all in one process: `benches/run`.
//!
//! Compare the rows of one run with each other. Absolute figures say little about another machine.

mod chart;
mod contenders;
mod inputs;
mod library;
mod measure;
mod readme;
mod results;
mod simdjson;
mod table;
mod targets;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use contenders::Libraries;
use inputs::{Input, Kind, LARGE, MEDIUM, SMALL};
use library::Library;
use results::{Column, Results};

const USAGE: &str = "usage: compare LIBRARY PORTABLE_LIBRARY [README CHART]";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let (library, portable, written) = match &paths[..] {
        [library, portable] => (library, portable, None),
        [library, portable, readme, chart] => (library, portable, Some((readme, chart))),
        _ => return Err(USAGE.to_owned()),
    };
    let load = |path: &PathBuf| {
        Library::load(path).map_err(|error| match error.source() {
            Some(source) => format!("{}: {error}: {source}", path.display()),
            None => format!("{}: {error}", path.display()),
        })
    };
    let libraries = Libraries {
        released: load(library)?,
        portable: load(portable)?,
    };
    if libraries.released.is(&libraries.portable) {
        return Err("the two libraries are the same one".to_owned());
    }

    let results = measured(libraries);
    print!("{}", table::of(&results));
    print!("\n{}", targets::table(&results));
    if let Some((readme, chart)) = written {
        readme::write(readme, chart, &results)?;
        println!("\nwritten: {} and {}", readme.display(), chart.display());
    }
    Ok(())
}

fn measured(libraries: Libraries) -> Results {
    let mut columns = measured_together(Kind::English, &[SMALL], 101, libraries);
    for kind in Kind::ALL {
        columns.extend(measured_together(kind, &[MEDIUM, LARGE], 15, libraries));
    }
    Results { columns }
}

/// Times all that reads these inputs by turns: the ratio of two sizes is one within the same minute, too.
fn measured_together(
    kind: Kind,
    sizes: &[&'static str],
    rounds: usize,
    libraries: Libraries,
) -> Vec<Column> {
    eprintln!("{}, {}", kind.name(), sizes.join(" and "));
    let inputs: Vec<Input> = sizes.iter().map(|size| Input::new(kind, size)).collect();
    let mut all = Vec::new();
    let mut of_input = Vec::new();
    for (index, input) in inputs.iter().enumerate() {
        let contenders = contenders::of(input, libraries);
        of_input.extend(std::iter::repeat_n(index, contenders.len()));
        all.extend(contenders);
    }
    let times = measure::by_turns(&mut all, rounds);
    let mut columns: Vec<Column> = inputs
        .iter()
        .map(|input| Column {
            kind,
            size: input.size,
            bytes: input.text.len(),
            messages: input.messages,
            rows: Vec::new(),
        })
        .collect();
    for ((contender, index), times) in all.iter().zip(of_input).zip(times) {
        columns[index].rows.push((contender.name, times));
    }
    columns
}
