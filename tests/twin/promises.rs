//! What every result keeps, whatever the rules chose: each promise is read off the input and the result alone.

use super::json::Transcript;
use super::rules::{self, Options, Plan, Split, is_plain_user, is_the_models, pairing};
use crate::abi;

/// One compaction as the host sees it: what went in, what the plan said, what came out.
pub struct Compaction<'a> {
    pub input: &'a Transcript,
    pub options: &'a Options,
    pub plan: &'a Plan,
    pub older: &'a str,
    pub summary: &'a str,
    pub result: &'a Transcript,
}

type Kept = Result<(), String>;

fn promise(kept: bool, broken: impl FnOnce() -> String) -> Kept {
    if kept { Ok(()) } else { Err(broken()) }
}

impl Compaction<'_> {
    pub fn keeps_every_promise(&self) -> Kept {
        self.every_message_is_kept_or_handed_to_the_summarizer()?;
        self.the_parts_stand_in_their_order()?;
        self.kept_messages_are_the_inputs_own_bytes()?;
        self.no_pair_is_split()?;
        self.the_request_survives()?;
        self.the_estimate_of_the_result_is_the_sum_of_its_parts()
    }

    /// The input's index of each kept message, in the result's order.
    fn kept(&self) -> Vec<usize> {
        let Plan {
            head_end,
            tail_start,
            request,
            ..
        } = self.plan;
        (0..*head_end)
            .chain(request.clone())
            .chain(*tail_start..self.input.len())
            .collect()
    }

    /// How many messages of the result are the library's own: the summary, and the reminder if asked for.
    fn added(&self) -> usize {
        1 + usize::from(self.options.flush_to_memory)
    }

    /// Where each kept message stands in the result.
    fn place_in_result(&self, order: usize) -> usize {
        if order < self.plan.head_end {
            order
        } else {
            order + self.added()
        }
    }

    pub fn every_message_is_kept_or_handed_to_the_summarizer(&self) -> Kept {
        let Plan {
            head_end,
            tail_start,
            request,
            ..
        } = self.plan;
        let in_order = head_end <= &request.start
            && request.start <= request.end
            && request.end <= *tail_start;
        promise(in_order && *tail_start <= self.input.len(), || {
            format!("the plan's places are out of order: {:?}", self.plan)
        })?;
        let older = Transcript::read(self.older);
        promise(older.len() == tail_start - head_end, || {
            format!(
                "older holds {} messages, the plan takes {head_end}..{tail_start}",
                older.len()
            )
        })?;
        for (offset, index) in (*head_end..*tail_start).enumerate() {
            promise(older.source(offset) == self.input.source(index), || {
                format!(
                    "older's message {offset} is not messages[{index}]: {}",
                    older.source(offset)
                )
            })?;
        }
        Ok(())
    }

    pub fn the_parts_stand_in_their_order(&self) -> Kept {
        let (kept, result) = (self.kept(), self.result);
        promise(result.len() == kept.len() + self.added(), || {
            format!(
                "the result holds {} messages, {} are kept and {} added",
                result.len(),
                kept.len(),
                self.added()
            )
        })?;
        let mut added = vec![rules::summary_message(self.options, self.summary)];
        if self.options.flush_to_memory {
            added.push(rules::reminder_message(self.options));
        }
        for (offset, message) in added.iter().enumerate() {
            let found = result.source(self.plan.head_end + offset);
            promise(found == message, || {
                format!("after the leading instructions stands {found} instead of {message}")
            })?;
        }
        Ok(())
    }

    pub fn kept_messages_are_the_inputs_own_bytes(&self) -> Kept {
        for (order, index) in self.kept().into_iter().enumerate() {
            let (found, own) = (
                self.result.source(self.place_in_result(order)),
                self.input.source(index),
            );
            promise(found == own, || {
                format!("messages[{index}] came out changed: {own} became {found}")
            })?;
        }
        let sources: Vec<&str> = (0..self.result.len())
            .map(|index| self.result.source(index))
            .collect();
        promise(
            self.result.text == format!("[{}]", sources.join(",")),
            || "something besides one comma stands between the result's messages".to_owned(),
        )
    }

    pub fn no_pair_is_split(&self) -> Kept {
        let (before, after) = (
            pairing(&self.input.messages),
            pairing(&self.result.messages),
        );
        let place = |index: usize| {
            let order = self.kept().iter().position(|kept| *kept == index)?;
            Some(self.place_in_result(order))
        };
        let mut orphans: Vec<usize> = before
            .results_without_call
            .iter()
            .filter_map(|index| place(*index))
            .collect();
        for orphan in &after.results_without_call {
            let known = orphans.iter().position(|place| place == orphan);
            match known {
                Some(known) => _ = orphans.swap_remove(known),
                None => {
                    return Err(format!(
                        "a result lost its call: {}",
                        self.result.source(*orphan)
                    ));
                }
            }
        }
        for (call, result) in before
            .pairs
            .iter()
            .filter(|(call, _)| *call >= self.plan.tail_start)
        {
            let both = (
                place(*call).unwrap_or(usize::MAX),
                place(*result).unwrap_or(usize::MAX),
            );
            promise(after.pairs.contains(&both), || {
                format!("messages[{call}] lost its result, messages[{result}]")
            })?;
        }
        Ok(())
    }

    /// Under `"steps"`. A transcript that ends with the model's own message and has no safe cut is summarized whole: there is no
    /// request left to answer.
    pub fn the_request_survives(&self) -> Kept {
        let messages = &self.input.messages;
        let last_request =
            (self.plan.head_end..messages.len()).rfind(|index| is_plain_user(&messages[*index]));
        let Some(last_request) = last_request else {
            return Ok(());
        };
        let answered_and_summarized_whole =
            self.plan.tail_start == messages.len() && messages.last().is_some_and(is_the_models);
        if self.options.split == Split::Turns || answered_and_summarized_whole {
            return Ok(());
        }
        promise(self.kept().contains(&last_request), || {
            format!("the last request, messages[{last_request}], is gone")
        })?;
        let first = self.result.messages.get(self.plan.head_end + self.added());
        promise(first.is_some_and(is_plain_user), || {
            "what follows the summary is not a plain user message".to_owned()
        })
    }

    pub fn the_estimate_of_the_result_is_the_sum_of_its_parts(&self) -> Kept {
        let unit = self.options.char_unit;
        let estimate = |messages: &str| {
            abi::estimate_tokens(messages, unit as i32)
                .map_err(|failure| format!("estimate of {messages}: {failure:?}"))
        };
        let whole = estimate(&self.result.text)?;
        let mut sum = 0;
        for index in 0..self.result.len() {
            sum += estimate(&format!("[{}]", self.result.source(index)))?;
        }
        promise(whole == sum, || {
            format!("the result counts {whole}, its messages one by one {sum}")
        })
    }
}
