//! The library, called in every way a host may, held against the twin and the promises.

use std::ops::Range;

use super::json::Transcript;
use super::promises::Compaction;
use super::rules::{self, Options, Outcome, Plan};
use crate::abi::{self, Asked, Compactor};

/// A host's own `count_tokens`: never shrinks when messages are added, and need not be a sum.
#[derive(Clone, Debug)]
pub struct HostCount {
    /// What each list costs, however short.
    pub per_list: u64,
    /// By index; where the transcript is longer, from the start again.
    pub per_message: Vec<u64>,
    /// What each pair of messages in one list costs on top: with this, the parts do not add up to the whole.
    pub per_neighbours: u64,
}

impl HostCount {
    pub fn same_as_the_estimate(input: &Transcript, unit: rules::Unit) -> HostCount {
        HostCount {
            per_list: 0,
            per_message: rules::estimates(input, unit),
            per_neighbours: 0,
        }
    }

    pub fn count(&self, range: Range<usize>) -> u64 {
        let pairs = (range.len() * range.len().saturating_sub(1) / 2) as u64;
        let start = self
            .per_list
            .saturating_add(self.per_neighbours.saturating_mul(pairs));
        range.fold(start, |sum, index| {
            sum.saturating_add(self.per_message[index % self.per_message.len()])
        })
    }
}

/// The library's plan, in the twin's words.
fn figures(plan: &abi::Plan) -> Result<Plan, String> {
    let outcome = match plan.outcome() {
        0 => Outcome::Compact,
        1 => Outcome::UnderBudget,
        2 => Outcome::NothingOlder,
        3 => Outcome::NothingNew,
        4 => Outcome::CallInFlight,
        other => return Err(format!("the plan's outcome is {other}")),
    };
    Ok(Plan {
        outcome,
        head_end: plan.head_end(),
        tail_start: plan.tail_start(),
        request: plan.request_start()..plan.request_end(),
        tokens: plan.tokens(),
        tail_tokens: plan.tail_tokens(),
    })
}

/// The library's plan under these options, by the estimate.
pub fn planned(input: &str, options: &str) -> Result<Plan, String> {
    let failed = |failure| format!("{failure:?}");
    let plan = Compactor::new(options)
        .and_then(|compactor| compactor.plan(input))
        .map_err(failed)?;
    figures(&plan)
}

/// Plans, finishes and applies one transcript, by the estimate or with the host's own count. Answers the new transcript, `None`
/// where nothing changes, and an error where the library and the twin part, or a promise is broken.
pub fn examine(
    input: &Transcript,
    options: &Options,
    summary: &str,
    host: Option<&HostCount>,
) -> Result<Option<Transcript>, String> {
    let expected = match host {
        Some(host) => rules::plan(&input.messages, options, &|range| host.count(range)),
        None => {
            let estimates = rules::estimates(input, options.char_unit);
            rules::plan(&input.messages, options, &|range| {
                estimates[range].iter().sum()
            })
        }
    };
    let failed = |failure| format!("{failure:?}");
    let compactor = Compactor::new(&options.to_json()).map_err(failed)?;

    let mut asked_while_planning = Vec::new();
    let plan = match host {
        Some(host) => compactor.plan_counted(&input.text, &mut |asked| {
            answer_count(host, input.len(), asked, &mut asked_while_planning)
        }),
        None => compactor.plan(&input.text),
    }
    .map_err(failed)?;
    let found = figures(&plan)?;
    if found != expected {
        return Err(format!(
            "the library plans {found:?}\nthe twin plans    {expected:?}"
        ));
    }
    if host.is_some() {
        few_counts_were_asked_for(input, &expected, &asked_while_planning)?;
    }

    let older = plan.older();
    let older_of_the_twin = (expected.outcome == Outcome::Compact)
        .then(|| input.slice(expected.head_end..expected.tail_start));
    if older != older_of_the_twin {
        return Err(format!(
            "older is {older:?}\nthe twin's is {older_of_the_twin:?}"
        ));
    }

    let finished = plan.finish(summary).map_err(failed)?;
    let finished_by_the_twin = (expected.outcome == Outcome::Compact)
        .then(|| rules::finish(input, &expected, options, summary));
    if finished != finished_by_the_twin {
        return Err(format!(
            "the plan finishes as {finished:?}\nthe twin's as       {finished_by_the_twin:?}"
        ));
    }

    let (mut asked_to_summarize, mut asked_while_applying) = (Vec::new(), Vec::new());
    let mut summarize = |asked: Asked| {
        asked_to_summarize.push(asked);
        Ok(summary.to_owned())
    };
    let applied = match host {
        Some(host) => compactor.apply_counted(&input.text, &mut summarize, &mut |asked| {
            answer_count(host, input.len(), asked, &mut asked_while_applying)
        }),
        None => compactor.apply(&input.text, &mut summarize),
    }
    .map_err(failed)?;
    if applied != finished {
        return Err(format!(
            "apply answers {applied:?}\nplan and finish {finished:?}"
        ));
    }
    let to_summarize: Vec<Asked> = older
        .iter()
        .map(|older| Asked {
            json: older.clone(),
            first: expected.head_end,
            count: expected.tail_start - expected.head_end,
        })
        .collect();
    if asked_to_summarize != to_summarize {
        return Err(format!(
            "summarize was given {asked_to_summarize:?}, not older once, {to_summarize:?}"
        ));
    }
    if asked_while_applying != asked_while_planning {
        return Err(format!(
            "apply asked for the counts {asked_while_applying:?}, plan for {asked_while_planning:?}"
        ));
    }

    let (Some(older), Some(finished)) = (older, finished) else {
        return Ok(None);
    };
    let result = Transcript::read(&finished);
    Compaction {
        input,
        options,
        plan: &found,
        older: &older,
        summary,
        result: &result,
    }
    .keeps_every_promise()?;
    Ok(Some(result))
}

fn answer_count(host: &HostCount, messages: usize, asked: Asked, log: &mut Vec<Asked>) -> u64 {
    let tokens = match asked.first.checked_add(asked.count) {
        Some(end) if end <= messages => host.count(asked.first..end),
        _ => 0,
    };
    log.push(asked);
    tokens
}

/// `count_tokens` sees the whole transcript; over budget also the leading instructions, the request and O(log n) suffixes.
fn few_counts_were_asked_for(input: &Transcript, plan: &Plan, log: &[Asked]) -> Result<(), String> {
    let n = input.len();
    let places: Vec<Range<usize>> = log
        .iter()
        .map(|asked| asked.first..asked.first + asked.count)
        .collect();
    let wrong = |what: &str| {
        Err(format!(
            "{what}: of {n} messages the host was asked to count {places:?}"
        ))
    };
    if n == 0 {
        return if log.is_empty() {
            Ok(())
        } else {
            wrong("an empty transcript was counted")
        };
    }
    if places.first() != Some(&(0..n)) {
        return wrong("the first count is not the whole transcript's");
    }
    if plan.outcome == Outcome::UnderBudget && log.len() > 1 {
        return wrong("under budget more was counted than the whole");
    }
    let request = rules::request_of_last_turn(&input.messages, plan.head_end);
    for (asked, place) in log.iter().zip(&places) {
        if place.is_empty() {
            return wrong("an empty list was counted");
        }
        let suffix = place.end == n;
        if !suffix && *place != (0..plan.head_end) && Some(place) != request.as_ref() {
            return wrong(
                "what was counted is neither the leading instructions, the request nor a suffix",
            );
        }
        let given = Transcript::read(&asked.json);
        let own = place
            .clone()
            .all(|index| given.messages.get(index - place.start) == Some(&input.messages[index]));
        if !own || given.len() != place.len() {
            return wrong("the text to count is not the messages it is said to be");
        }
    }
    // Two bisections over at most n boundaries each, and a handful of single counts around them.
    let bits = (usize::BITS - n.leading_zeros()) as usize;
    if log.len() > 2 * (bits + 1) + 6 {
        return wrong("too many counts");
    }
    Ok(())
}

/// Feeds each result back under the same options until nothing changes; answers how often it was compacted.
pub fn compact_until_unchanged(
    input: &Transcript,
    options: &Options,
    summary: &str,
) -> Result<usize, String> {
    let mut current = Transcript::read(&input.text);
    let head_end = rules::head_end(&input.messages);
    for round in 0.. {
        let in_round =
            |what: String| format!("compaction {}: {what}\nof {}", round + 1, current.text);
        let Some(next) = examine(&current, options, summary, None).map_err(in_round)? else {
            return Ok(round);
        };
        if rules::head_end(&next.messages) != head_end
            || !rules::is_summary(&next.messages[head_end])
        {
            return Err(in_round(format!(
                "the summary does not follow the leading instructions in {}",
                next.text
            )));
        }
        if still_to_summarize(&next) >= still_to_summarize(&current) {
            return Err(in_round(format!(
                "a paid summary freed nothing: {}",
                next.text
            )));
        }
        current = next;
    }
    Ok(0)
}

/// Messages of the conversation that are neither a summary nor a reminder.
fn still_to_summarize(transcript: &Transcript) -> usize {
    let conversation = &transcript.messages[rules::head_end(&transcript.messages)..];
    conversation
        .iter()
        .filter(|message| !rules::is_summary(message) && !rules::is_reminder(message))
        .count()
}
