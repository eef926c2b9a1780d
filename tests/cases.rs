//! The small transcripts of `cases/`, each through the C interface in every way a host may call it.

mod abi;
mod twin;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use abi::{Compactor, Failure};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::value::RawValue;
use twin::agreement::{HostCount, compact_until_unchanged, examine, planned};
use twin::json::{Formatting, Transcript};
use twin::rules::{self, Options, Outcome, Plan, Split, Unit};

/// Where the summary of a case would fail the call, its plan is still finished with this one.
const GOOD_SUMMARY: &str = "short recap";

struct Case {
    name: String,
    what: String,
    options: serde_json::Value,
    summary: Result<String, String>,
    messages: String,
    expect: serde_json::Value,
    tokens: serde_json::Value,
}

impl Case {
    fn read(path: &Path) -> Case {
        let name = path
            .file_stem()
            .map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let value: serde_json::Value =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let string = |key: &str| value[key].as_str().map(str::to_owned);
        Case {
            what: string("what").unwrap_or_default(),
            options: value["options"].clone(),
            summary: match string("summarize_error") {
                Some(error) => Err(error),
                None => Ok(string("summary")
                    .unwrap_or_else(|| panic!("{name} has neither summary nor summarize_error"))),
            },
            messages: string("messages_text")
                .unwrap_or_else(|| messages_as_they_stand(&name, &text)),
            expect: value["expect"].clone(),
            tokens: value["tokens"].clone(),
            name,
        }
    }

    fn expected(&self, split: Split) -> &serde_json::Value {
        self.expect.get(split.name()).unwrap_or(&self.expect)
    }

    fn options(&self, split: Split, char_unit: Unit) -> Options {
        let max_tokens = self.options["max_tokens"]
            .as_u64()
            .unwrap_or_else(|| panic!("{} has no max_tokens", self.name));
        Options {
            keep_tail: self.options["keep_tail"].as_u64(),
            split,
            char_unit,
            ..Options::with_budget(max_tokens)
        }
    }

    fn writings(&self) -> Vec<(&'static str, String)> {
        let messages = Transcript::read(&self.messages).messages;
        vec![
            ("as it stands", self.messages.clone()),
            ("compact", Transcript::write(&messages, Formatting::Compact)),
            (
                "pretty-printed",
                Transcript::write(&messages, Formatting::Pretty),
            ),
            (
                "ASCII-escaped",
                Transcript::write(&messages, Formatting::AsciiEscaped),
            ),
            (
                "oddly spaced and escaped",
                Transcript::write(&messages, Formatting::Odd(7)),
            ),
        ]
    }

    fn failed(&self, transcript: &str, why: impl std::fmt::Display) -> Failed {
        format!(
            "{}\n{why}\noptions {}\ntranscript {transcript}",
            self.what, self.options
        )
        .into()
    }
}

/// The file's own bytes of the transcript, with its white space and its escapes.
fn messages_as_they_stand(name: &str, case: &str) -> String {
    let members: BTreeMap<String, Box<RawValue>> =
        serde_json::from_str(case).unwrap_or_else(|error| panic!("{name}: {error}"));
    members
        .get("messages")
        .unwrap_or_else(|| panic!("{name} has no messages"))
        .get()
        .to_owned()
}

fn counts_alike_however_it_is_written(case: &Case) -> Result<(), Failed> {
    for (writing, text) in case.writings() {
        let transcript = Transcript::read(&text);
        for unit in Unit::ALL {
            let expected = case.tokens[unit.name()].as_u64();
            let library = abi::estimate_tokens(&text, unit as i32)
                .map_err(|failure| case.failed(&text, format!("{failure:?}")))?;
            let twin: u64 = rules::estimates(&transcript, unit).iter().sum();
            if Some(library) != expected || twin != library {
                let why = format!(
                    "{writing}, in {}: {library}, the twin {twin}, expected {expected:?}",
                    unit.name()
                );
                return Err(case.failed(&text, why));
            }
        }
    }
    Ok(())
}

fn splits_where_expected(case: &Case, split: Split) -> Result<(), Failed> {
    let expected = case.expected(split);
    let mut options = case.options.clone();
    for (writing, text) in case.writings() {
        let failed = |why: String| case.failed(&text, format!("{writing}: {why}"));
        options["split"] = split.name().into();
        let plan = planned(&text, &options.to_string()).map_err(failed)?;
        plan_is(&plan, expected).map_err(failed)?;
        if split == Split::Steps {
            let by_default = planned(&text, &case.options.to_string()).map_err(failed)?;
            if by_default != plan {
                return Err(failed(format!(
                    "without a split the plan is {by_default:?}, with \"steps\" {plan:?}"
                )));
            }
        }
    }
    Ok(())
}

fn plan_is(plan: &Plan, expected: &serde_json::Value) -> Result<(), String> {
    let outcome = match plan.outcome {
        Outcome::Compact => "compact",
        Outcome::UnderBudget => "under_budget",
        Outcome::NothingOlder => "nothing_older",
        Outcome::NothingNew => "nothing_new",
        Outcome::CallInFlight => "call_in_flight",
    };
    let mut found = serde_json::json!({ "outcome": outcome, "head_end": plan.head_end });
    if plan.outcome == Outcome::Compact {
        found["tail_start"] = plan.tail_start.into();
        found["request"] = match plan.request.is_empty() {
            true => serde_json::Value::Null,
            false => vec![plan.request.start, plan.request.end].into(),
        };
    }
    if found == *expected {
        Ok(())
    } else {
        Err(format!("the plan is {found}, expected {expected}"))
    }
}

/// Every way to call, every unit, with and without the reminder, and with a host that counts as the estimate does.
fn keeps_every_promise(case: &Case, split: Split) -> Result<(), Failed> {
    let summary = case
        .summary
        .as_deref()
        .ok()
        .filter(|summary| !summary.trim().is_empty())
        .unwrap_or(GOOD_SUMMARY);
    for (writing, text) in case.writings() {
        let transcript = Transcript::read(&text);
        for unit in Unit::ALL {
            for flush_to_memory in [false, true] {
                let options = Options {
                    flush_to_memory,
                    ..case.options(split, unit)
                };
                let failed = |why: String| {
                    case.failed(&text, format!("{writing}, {}: {why}", options.to_json()))
                };
                let by_estimate = examine(&transcript, &options, summary, None).map_err(failed)?;
                let host = HostCount::same_as_the_estimate(&transcript, unit);
                let by_host =
                    examine(&transcript, &options, summary, Some(&host)).map_err(failed)?;
                if by_estimate.as_ref().map(|result| &result.text)
                    != by_host.as_ref().map(|result| &result.text)
                {
                    return Err(failed(
                        "a host that counts as the estimate does gets another result".to_owned(),
                    ));
                }
                compact_until_unchanged(&transcript, &options, summary).map_err(failed)?;
            }
        }
    }
    Ok(())
}

/// What the case's own `summarize` answers: a summary that goes in, or a failure that leaves the transcript as it was.
fn ends_as_its_summary_does(case: &Case, split: Split) -> Result<(), Failed> {
    let text = case.messages.clone();
    let failed = |why: String| case.failed(&text, why);
    let compacts = case.expected(split)["outcome"] == "compact";
    let options = case.options(split, Unit::CodePoint);
    let compactor =
        Compactor::new(&options.to_json()).map_err(|failure| failed(format!("{failure:?}")))?;
    let applied = compactor.apply(&text, &mut |_| case.summary.clone());
    if text != case.messages {
        return Err(failed("the host's transcript was changed".to_owned()));
    }
    let blank = case
        .summary
        .as_ref()
        .is_ok_and(|summary| summary.trim().is_empty());
    let as_expected = match (&applied, &case.summary) {
        (Ok(None), _) => !compacts,
        (Ok(Some(result)), Ok(summary)) => {
            let prefixed = format!("{}{summary}", abi::summary_prefix());
            compacts && !blank && result.contains(&serde_json::Value::from(prefixed).to_string())
        }
        (Ok(Some(_)), Err(_)) => false,
        (Err(Failure { status, text }), Err(error)) => {
            compacts && status == "TN_ERR_CALLBACK" && text == error
        }
        (Err(Failure { status, .. }), Ok(_)) => compacts && blank && status == "TN_ERR_CALLBACK",
    };
    if !as_expected {
        return Err(failed(format!(
            "summarize answers {:?}, apply {applied:?}",
            case.summary
        )));
    }
    if blank && compacts {
        let plan = compactor
            .plan(&text)
            .map_err(|failure| failed(format!("{failure:?}")))?;
        let finished = plan.finish(case.summary.as_deref().unwrap_or_default());
        if !finished
            .as_ref()
            .is_err_and(|failure| failure.status == "TN_ERR_CALLBACK")
        {
            return Err(failed(format!(
                "a plan finished with a blank summary gives {finished:?}"
            )));
        }
    }
    Ok(())
}

/// One sentence about a case, under one split.
type Check = fn(&Case, Split) -> Result<(), Failed>;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

fn case_files() -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder())
        .unwrap_or_else(|error| panic!("{}: {error}", folder().display()))
        .map(|entry| entry.unwrap_or_else(|error| panic!("{error}")).path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    paths.sort();
    paths
}

fn the_folder_holds_as_many_cases_as_its_readme_says() -> Result<(), Failed> {
    let readme = fs::read_to_string(folder().join("README.md"))?;
    let said = readme
        .split_whitespace()
        .find_map(|word| word.parse::<usize>().ok());
    let found = case_files().len();
    if said == Some(found) {
        Ok(())
    } else {
        Err(format!("{found} cases found, the README says {said:?}").into())
    }
}

/// The twin's texts are written after the document, the library's come over the interface.
fn the_library_hands_out_the_texts_of_the_rules() -> Result<(), Failed> {
    if abi::summary_prefix() != rules::SUMMARY_PREFIX {
        return Err(format!("the prefix is {:?}", abi::summary_prefix()).into());
    }
    if abi::flush_reminder() != rules::REMINDER {
        return Err(format!("the reminder is {:?}", abi::flush_reminder()).into());
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = vec![
        Trial::test(
            "the folder holds as many cases as its README says",
            the_folder_holds_as_many_cases_as_its_readme_says,
        ),
        Trial::test(
            "the library hands out the texts of the rules",
            the_library_hands_out_the_texts_of_the_rules,
        ),
    ];
    for path in case_files() {
        let name = Case::read(&path).name;
        let counted = path.clone();
        trials.push(Trial::test(
            format!("{name} counts alike however it is written"),
            move || counts_alike_however_it_is_written(&Case::read(&counted)),
        ));
        for split in Split::ALL {
            let checks: [(&str, Check); 3] = [
                ("splits where expected", splits_where_expected),
                ("keeps every promise", keeps_every_promise),
                ("ends as its summary does", ends_as_its_summary_does),
            ];
            for (sentence, check) in checks {
                let path = path.clone();
                let name = format!("{name} by {} {sentence}", split.name());
                trials.push(Trial::test(name, move || check(&Case::read(&path), split)));
            }
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
