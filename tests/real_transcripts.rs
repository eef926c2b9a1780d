//! Real conversations, where they are at hand: each at several budgets, against the twin and the promises. They are no part of
//! the project; `TN_TRANSCRIPTS` names their folder if it is not `../shared/transcripts`.

mod abi;
mod twin;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use twin::agreement::{HostCount, compact_until_unchanged, examine};
use twin::json::Transcript;
use twin::rules::{self, Options, Split, Unit};

const SUMMARY: &str = "short recap";

/// What share of its size a transcript is given.
const BUDGETS: [(u64, u64); 4] = [(3, 4), (1, 2), (1, 4), (1, 10)];

fn folder() -> PathBuf {
    match env::var_os("TN_TRANSCRIPTS") {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/transcripts"),
    }
}

fn json_files_below(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(json_files_below(&path)?);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Default, small, none, and larger than the whole budget.
fn kept_tails(max_tokens: u64) -> [Option<u64>; 4] {
    [None, Some(max_tokens / 10), Some(0), Some(max_tokens * 2)]
}

fn size(transcript: &Transcript, unit: Unit) -> u64 {
    rules::estimates(transcript, unit).iter().sum()
}

/// Every setting tried on one transcript; the wider matrix in the unit that most hosts use.
fn settings(transcript: &Transcript) -> Vec<Options> {
    let mut settings = Vec::new();
    for split in Split::ALL {
        for unit in Unit::ALL {
            for (part, whole) in BUDGETS {
                let max_tokens = size(transcript, unit) * part / whole;
                for keep_tail in kept_tails(max_tokens) {
                    if unit == Unit::CodePoint || keep_tail.is_none() {
                        let flush_to_memory = keep_tail == Some(0);
                        settings.push(Options {
                            keep_tail,
                            flush_to_memory,
                            char_unit: unit,
                            split,
                            ..Options::with_budget(max_tokens)
                        });
                    }
                }
            }
        }
    }
    settings
}

fn compacts_as_the_twin_does_and_keeps_every_promise(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let transcript = Transcript::read(&text);
    for options in settings(&transcript) {
        let failed = |why: String| {
            format!(
                "{}, {}: {}",
                path.display(),
                options.to_json(),
                shortened(&why)
            )
        };
        examine(&transcript, &options, SUMMARY, None).map_err(failed)?;
    }
    for split in Split::ALL {
        let max_tokens = size(&transcript, Unit::CodePoint) / 2;
        let options = Options {
            split,
            ..Options::with_budget(max_tokens)
        };
        let failed = |why: String| {
            format!(
                "{}, {}: {}",
                path.display(),
                options.to_json(),
                shortened(&why)
            )
        };
        let host = HostCount::same_as_the_estimate(&transcript, Unit::CodePoint);
        examine(&transcript, &options, SUMMARY, Some(&host)).map_err(failed)?;
        compact_until_unchanged(&transcript, &options, SUMMARY).map_err(failed)?;
    }
    Ok(())
}

fn at_its_own_size_nothing_changes(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let transcript = Transcript::read(&text);
    for char_unit in Unit::ALL {
        let options = Options {
            char_unit,
            ..Options::with_budget(size(&transcript, char_unit))
        };
        match examine(&transcript, &options, SUMMARY, None) {
            Ok(None) => {}
            Ok(Some(_)) => {
                return Err(format!("{}, {}: compacted", path.display(), options.to_json()).into());
            }
            Err(why) => {
                return Err(format!(
                    "{}, {}: {}",
                    path.display(),
                    options.to_json(),
                    shortened(&why)
                )
                .into());
            }
        }
    }
    Ok(())
}

/// A real transcript is too long for a terminal; the file named beside has the rest.
fn shortened(why: &str) -> String {
    const SHOWN: usize = 2000;
    match why.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{} ... {} bytes more", &why[..cut], why.len() - cut),
        None => why.to_owned(),
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let folder = folder();
    let found = json_files_below(&folder).unwrap_or_default();
    let mut trials = Vec::new();
    for path in &found {
        let name = path
            .strip_prefix(&folder)
            .unwrap_or(path)
            .display()
            .to_string();
        let (compacted, untouched) = (path.clone(), path.clone());
        trials.push(Trial::test(
            format!("{name} compacts as the twin does and keeps every promise"),
            move || compacts_as_the_twin_does_and_keeps_every_promise(&compacted),
        ));
        trials.push(Trial::test(
            format!("{name} at its own size does not change"),
            move || at_its_own_size_nothing_changes(&untouched),
        ));
    }
    if found.is_empty() {
        trials.push(Trial::test("real transcripts", || Ok(())).with_ignored_flag(true));
        if !arguments.list {
            println!(
                "SKIP real transcripts: no JSON files below {}",
                folder.display()
            );
        }
    }
    let listing = arguments.list;
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !listing {
        println!(
            "{} passed, {} failed, {} skipped",
            conclusion.num_passed, conclusion.num_failed, conclusion.num_ignored
        );
    }
    conclusion.exit_code()
}
