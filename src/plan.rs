//! What a plan holds, and finishing it.

use std::borrow::Cow;
use std::io::Write;
use std::ops::Range;

use once_cell::race::OnceBox;

use crate::error::{Error, HostError, reserve, text_with_room};
use crate::json::Span;
use crate::options::Options;
use crate::split::{Decision, Outcome, Outline, decide};
use crate::transcript::{FLUSH_REMINDER, SUMMARY_PREFIX, Survey, Transcript, survey};

/// Decides where transcripts are cut. Plain data: share it between threads.
#[derive(Clone, Debug)]
pub struct Compactor {
    options: Options,
}

/// A run of messages of a transcript, handed to a host's function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice<'s> {
    /// The array of the messages, as text.
    pub json: &'s str,
    /// Index of the first of them in the transcript.
    pub first: usize,
    /// How many there are.
    pub count: usize,
}

impl Compactor {
    /// A compactor with these options.
    pub fn new(options: Options) -> Self {
        Self { options }
    }

    /// The options given.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Plans where to cut `messages`, by the estimate.
    ///
    /// # Errors
    ///
    /// Those of [`estimate_tokens`](crate::estimate_tokens).
    pub fn plan<'t>(&self, messages: &'t str) -> Result<Plan<'t>, Error> {
        let Options {
            char_unit,
            max_tokens,
            ..
        } = self.options;
        let survey = survey(messages.as_bytes(), char_unit, Some(max_tokens))?;
        self.plan_surveyed(messages, survey)
    }

    /// Plans with the survey of `messages`, by the estimate.
    pub(crate) fn plan_surveyed<'t>(
        &self,
        messages: &'t str,
        survey: Survey,
    ) -> Result<Plan<'t>, Error> {
        let mut planning = Planning::start(&self.options, messages, survey, Counter::Estimate);
        loop {
            // Only a host's count is ever waited for.
            if let Step::Done(plan) = planning.step()? {
                return Ok(plan);
            }
        }
    }

    /// Plans where to cut `messages` by the host's own count, which replaces the estimate everywhere.
    ///
    /// `count_tokens` sees the whole transcript, then, over budget, the leading instructions, the request and O(log n)
    /// suffixes, and never an empty list. It must not shrink when messages are added.
    ///
    /// # Errors
    ///
    /// Those of [`plan`](Self::plan), and [`Error::Host`] with what `count_tokens` failed with.
    pub fn plan_counting<'t>(
        &self,
        messages: &'t str,
        mut count_tokens: impl FnMut(Slice<'_>) -> Result<u64, HostError>,
    ) -> Result<Plan<'t>, Error> {
        let survey = survey(messages.as_bytes(), self.options.char_unit, None)?;
        let mut planning = Planning::start(&self.options, messages, survey, Counter::Host);
        loop {
            match planning.step()? {
                Step::Done(plan) => return Ok(plan),
                Step::Count => {
                    let tokens = count_tokens(planning.slice()).map_err(Error::Host)?;
                    planning.counted(tokens);
                }
            }
        }
    }

    /// Plans by the estimate, asks `summarize`, and builds the new transcript; `None` where nothing changes.
    ///
    /// `summarize` is called at most once, with the older messages, whole and in complete pairs.
    ///
    /// # Errors
    ///
    /// Those of [`plan`](Self::plan) and [`Plan::finish`], and [`Error::Host`] with what `summarize` failed with.
    pub fn apply(
        &self,
        messages: &str,
        summarize: impl FnOnce(Slice<'_>) -> Result<String, HostError>,
    ) -> Result<Option<String>, Error> {
        self.plan(messages)?.summarized_by(summarize)
    }

    /// The same as [`apply`](Self::apply), by the host's own count: see [`plan_counting`](Self::plan_counting).
    ///
    /// # Errors
    ///
    /// Those of [`apply`](Self::apply) and [`plan_counting`](Self::plan_counting).
    pub fn apply_counting(
        &self,
        messages: &str,
        summarize: impl FnOnce(Slice<'_>) -> Result<String, HostError>,
        count_tokens: impl FnMut(Slice<'_>) -> Result<u64, HostError>,
    ) -> Result<Option<String>, Error> {
        self.plan_counting(messages, count_tokens)?
            .summarized_by(summarize)
    }
}

/// Who counts tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counter {
    Estimate,
    Host,
}

/// A plan in the making.
///
/// It does not call the host itself, but stops wherever the host's count is needed and goes on when it is given. So the
/// C interface can guard every piece of it against panics, and still let an exception out of the host's function pass.
pub(crate) struct Planning<'c, 't> {
    options: &'c Options,
    text: &'t str,
    counter: Counter,
    survey: Survey,
    over_budget: Option<(Transcript, Outline)>,
    /// What the host counted so far: a handful of ranges.
    counts: Vec<(Range<usize>, u64)>,
    asked: Range<usize>,
    /// The array of the messages asked for, where it is not the whole text.
    asked_text: String,
}

pub(crate) enum Step<'t> {
    Done(Plan<'t>),
    /// [`Planning::slice`] is to be counted, and [`Planning::counted`] to be told.
    Count,
}

/// The host's count of a range is needed.
struct Needed(Range<usize>);

impl<'c, 't> Planning<'c, 't> {
    /// Starts with `survey`, that of `text` in the unit of `options`.
    pub(crate) fn start(
        options: &'c Options,
        text: &'t str,
        survey: Survey,
        counter: Counter,
    ) -> Self {
        Self {
            options,
            text,
            counter,
            survey,
            over_budget: None,
            counts: Vec::new(),
            asked: 0..0,
            asked_text: String::new(),
        }
    }

    /// Goes on as far as possible. Whatever was decided before is decided again from the counts known: it costs nothing
    /// beside reading, and what would have to be remembered otherwise is the whole of [`decide`].
    pub(crate) fn step(&mut self) -> Result<Step<'t>, Error> {
        let tokens = match self.total() {
            Ok(tokens) => tokens,
            Err(needed) => return self.ask(needed),
        };
        let head_end = self.survey.head_end;
        if tokens <= self.options.max_tokens {
            let decision = Decision::unchanged(Outcome::UnderBudget, head_end);
            return Ok(Step::Done(Plan::unchanged(decision, tokens)));
        }
        if self.over_budget.is_none() {
            let transcript = self
                .survey
                .transcript(self.text.as_bytes(), self.options.char_unit)?;
            let outline = Outline::of(&transcript, head_end)?;
            self.over_budget = Some((transcript, outline));
        }
        let Some((transcript, outline)) = &self.over_budget else {
            return Err(Error::Internal("the transcript was not read".to_owned()));
        };
        let decision = decide(outline, self.options, &mut |range| match self.counter {
            Counter::Estimate => Ok(transcript.estimate(range)),
            Counter::Host => self.host_count(range),
        });
        match decision {
            Err(needed) => self.ask(needed),
            Ok(decision) if decision.outcome != Outcome::Compact => {
                Ok(Step::Done(Plan::unchanged(decision, tokens)))
            }
            Ok(decision) => {
                let plan = Plan::of(self.text, transcript, decision, tokens, self.options)?;
                Ok(Step::Done(plan))
            }
        }
    }

    /// The count of the whole transcript; an empty one counts nothing, whoever counts.
    fn total(&self) -> Result<u64, Needed> {
        match self.counter {
            Counter::Estimate => Ok(self.survey.tokens),
            Counter::Host if self.survey.count == 0 => Ok(0),
            Counter::Host => self.host_count(0..self.survey.count),
        }
    }

    fn host_count(&self, range: Range<usize>) -> Result<u64, Needed> {
        self.counts
            .iter()
            .find(|(counted, _)| *counted == range)
            .map(|&(_, tokens)| tokens)
            .ok_or(Needed(range))
    }

    fn ask(&mut self, Needed(range): Needed) -> Result<Step<'t>, Error> {
        self.asked_text.clear();
        if let Some((transcript, _)) = &self.over_budget {
            let inside = span_of(transcript, &range).of_str(self.text);
            let bytes = inside.len() + 2;
            self.asked_text
                .try_reserve_exact(bytes)
                .map_err(|_| Error::OutOfMemory { bytes })?;
            self.asked_text.push('[');
            self.asked_text.push_str(inside);
            self.asked_text.push(']');
        }
        self.asked = range;
        Ok(Step::Count)
    }

    /// The messages to be counted.
    pub(crate) fn slice(&self) -> Slice<'_> {
        Slice {
            json: if self.asked_text.is_empty() {
                self.survey.array.of_str(self.text)
            } else {
                &self.asked_text
            },
            first: self.asked.start,
            count: self.asked.len(),
        }
    }

    /// Takes the host's count of [`slice`](Self::slice).
    pub(crate) fn counted(&mut self, tokens: u64) {
        self.counts.push((self.asked.clone(), tokens));
    }
}

/// From the start of the first message in `range` to the end of the last one.
fn span_of(transcript: &Transcript, range: &Range<usize>) -> Span {
    let span = |index: usize| transcript.messages.get(index).map(|message| message.span);
    Span {
        start: span(range.start).map_or(0, |span| span.start),
        end: range
            .end
            .checked_sub(1)
            .and_then(span)
            .map_or(0, |span| span.end),
    }
}

/// Where a transcript is cut, and all that is needed to build the new one. Plain data: share it between threads.
///
/// A host that has its messages as objects slices its own list by the indices: `[..head_end]`, the summary message, the
/// reminder, `[request]`, `[tail_start..]`.
#[derive(Debug)]
pub struct Plan<'t> {
    decision: Decision,
    tokens: u64,
    cut: Option<Cut<'t>>,
}

/// What a plan that compacts keeps.
#[derive(Debug)]
struct Cut<'t> {
    text: Cow<'t, str>,
    /// The leading instructions, then the request, then the tail.
    kept: Vec<Span>,
    /// How many of them are leading instructions.
    head: usize,
    older: Span,
    /// The array of the older messages. Made when it is first asked for: a host that slices its own list never does. Where two
    /// threads ask at once, both make it and one is kept: nobody waits.
    older_text: OnceBox<String>,
    summary_role: &'static str,
    flush_to_memory: bool,
}

impl<'t> Plan<'t> {
    fn unchanged(decision: Decision, tokens: u64) -> Self {
        Self {
            decision,
            tokens,
            cut: None,
        }
    }

    fn of(
        text: &'t str,
        transcript: &Transcript,
        decision: Decision,
        tokens: u64,
        options: &Options,
    ) -> Result<Self, Error> {
        let count = transcript.messages.len();
        let ranges = [
            0..decision.head_end,
            decision.request.clone(),
            decision.tail_start..count,
        ];
        let mut kept = Vec::new();
        reserve(&mut kept, ranges.iter().map(Range::len).sum())?;
        for range in ranges {
            let messages = transcript.messages.get(range).unwrap_or_default();
            kept.extend(messages.iter().map(|message| message.span));
        }
        let cut = Cut {
            text: Cow::Borrowed(text),
            kept,
            head: decision.head_end,
            older: span_of(transcript, &(decision.head_end..decision.tail_start)),
            older_text: OnceBox::new(),
            summary_role: options.summary_role.as_str(),
            flush_to_memory: options.flush_to_memory,
        };
        Ok(Self {
            decision,
            tokens,
            cut: Some(cut),
        })
    }

    /// The plan with a copy of the transcript of its own, where it needs one.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn into_owned(self) -> Result<Plan<'static>, Error> {
        let cut = match self.cut {
            None => None,
            Some(cut) => {
                let mut text = text_with_room(cut.text.len())?;
                text.push_str(&cut.text);
                Some(Cut {
                    text: Cow::Owned(text),
                    kept: cut.kept,
                    head: cut.head,
                    older: cut.older,
                    older_text: cut.older_text,
                    summary_role: cut.summary_role,
                    flush_to_memory: cut.flush_to_memory,
                })
            }
        };
        Ok(Plan {
            decision: self.decision,
            tokens: self.tokens,
            cut,
        })
    }

    /// What became of it.
    pub fn outcome(&self) -> Outcome {
        self.decision.outcome
    }

    /// The index after the leading instructions.
    pub fn head_end(&self) -> usize {
        self.decision.head_end
    }

    /// The index of the tail's first message; the number of messages where the tail is empty, and
    /// [`head_end`](Self::head_end) unless the outcome is [`Outcome::Compact`].
    pub fn tail_start(&self) -> usize {
        self.decision.tail_start
    }

    /// The messages of the request that is kept beside the tail. Empty, at the tail's start, where none is.
    pub fn request(&self) -> Range<usize> {
        self.decision.request.clone()
    }

    /// Tokens of the whole transcript.
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Tokens of the tail; 0 unless the outcome is [`Outcome::Compact`].
    pub fn tail_tokens(&self) -> u64 {
        self.decision.tail_tokens
    }

    /// The messages to summarize, `[head_end..tail_start]`; `None` unless the outcome is [`Outcome::Compact`].
    ///
    /// The text is made when it is first asked for, and kept.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn older(&self) -> Result<Option<Slice<'_>>, Error> {
        let Some(cut) = &self.cut else {
            return Ok(None);
        };
        let json = cut.older_text.get_or_try_init(|| {
            let inside = cut.older.of_str(&cut.text);
            let mut json = text_with_room(inside.len() + 2)?;
            json.push('[');
            json.push_str(inside);
            json.push(']');
            Ok(Box::new(json))
        })?;
        Ok(Some(Slice {
            json,
            first: self.decision.head_end,
            count: self.decision.tail_start - self.decision.head_end,
        }))
    }

    /// Builds the new transcript; `None` unless the outcome is [`Outcome::Compact`]. It can be called again.
    ///
    /// # Errors
    ///
    /// [`Error::Answer`] where `summary` is empty or only white space; [`Error::OutOfMemory`].
    pub fn finish(&self, summary: &str) -> Result<Option<String>, Error> {
        let Some(pieces) = self.pieces(summary)? else {
            return Ok(None);
        };
        let mut text = text_with_room(pieces.len())?;
        pieces.each(|piece| text.push_str(piece));
        Ok(Some(text))
    }

    /// The new transcript in pieces, for whoever allocates it.
    pub(crate) fn pieces(&self, summary: &str) -> Result<Option<Pieces<'_, 't>>, Error> {
        let Some(cut) = &self.cut else {
            return Ok(None);
        };
        if summary.chars().all(char::is_whitespace) {
            return Err(Error::Answer {
                function: "summarize",
                problem: BLANK,
            });
        }
        let mut added = message(cut.summary_role, &[SUMMARY_PREFIX, summary])?;
        if cut.flush_to_memory {
            let reminder = message(cut.summary_role, &[FLUSH_REMINDER])?;
            added
                .try_reserve_exact(reminder.len() + 1)
                .map_err(|_| Error::OutOfMemory {
                    bytes: reminder.len(),
                })?;
            added.push(',');
            added.push_str(&reminder);
        }
        Ok(Some(Pieces { cut, added }))
    }

    fn summarized_by(
        self,
        summarize: impl FnOnce(Slice<'_>) -> Result<String, HostError>,
    ) -> Result<Option<String>, Error> {
        match self.older()? {
            None => Ok(None),
            Some(older) => self.finish(&summarize(older).map_err(Error::Host)?),
        }
    }
}

const BLANK: &str = "the summary is empty or only white space, allowed: text";

/// A message of `role` whose content is all of `text`.
fn message(role: &str, text: &[&str]) -> Result<String, Error> {
    let mut content = text_with_room(text.iter().map(|piece| piece.len()).sum())?;
    text.iter().for_each(|piece| content.push_str(piece));
    let mut message = Growing(Vec::new());
    write!(message, r#"{{"role":"{role}","content":"#)
        .and_then(|()| Ok(serde_json::to_writer(&mut message, &content)?))
        .and_then(|()| message.write_all(b"}"))
        .map_err(|_| Error::OutOfMemory {
            bytes: content.len(),
        })?;
    String::from_utf8(message.0).map_err(|error| Error::Internal(error.to_string()))
}

/// A text that grows as it is written, or says that there is no memory for it.
struct Growing(Vec<u8>);

impl Write for Growing {
    fn write(&mut self, piece: &[u8]) -> std::io::Result<usize> {
        self.0.try_reserve(piece.len())?;
        self.0.extend_from_slice(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A new transcript before it is put together: one comma between two messages, nothing else.
pub(crate) struct Pieces<'p, 't> {
    cut: &'p Cut<'t>,
    /// The summary message, and the reminder if it is asked for.
    added: String,
}

impl Pieces<'_, '_> {
    /// Bytes of the new transcript.
    pub(crate) fn len(&self) -> usize {
        let mut bytes = 0;
        self.each(|piece| bytes += piece.len());
        bytes
    }

    /// Calls `take` for every piece, in order.
    pub(crate) fn each(&self, mut take: impl FnMut(&str)) {
        let (head, after) = self.cut.kept.split_at(self.cut.head);
        take("[");
        for message in head {
            take(message.of_str(&self.cut.text));
            take(",");
        }
        take(&self.added);
        for message in after {
            take(",");
            take(message.of_str(&self.cut.text));
        }
        take("]");
    }
}
