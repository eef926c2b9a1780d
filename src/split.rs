//! Turn and step boundaries, the tail, the outcome.

use std::ops::Range;

use crate::error::{Error, reserve};
use crate::options::{Options, Split};
use crate::transcript::{Message, Transcript};

/// What became of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The older part is to be summarized.
    Compact,
    /// The transcript counts no more than `max_tokens`.
    UnderBudget,
    /// Over budget, but nothing before the tail could be summarized.
    NothingOlder,
    /// Over budget, but all there is before the tail is an earlier summary.
    NothingNew,
    /// Over budget, but a tool call still waits for its result and there is no place to cut behind it.
    CallInFlight,
}

/// Where a transcript is cut. All figures are indices of messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) outcome: Outcome,
    pub(crate) head_end: usize,
    /// `head_end` unless the outcome is [`Outcome::Compact`].
    pub(crate) tail_start: usize,
    /// The request that is kept beside the tail; empty, at the tail's start, where none is.
    pub(crate) request: Range<usize>,
    /// Tokens of the tail; 0 unless the outcome is [`Outcome::Compact`].
    pub(crate) tail_tokens: u64,
}

impl Decision {
    /// The decision that changes nothing.
    pub(crate) fn unchanged(outcome: Outcome, head_end: usize) -> Self {
        Self {
            outcome,
            head_end,
            tail_start: head_end,
            request: head_end..head_end,
            tail_tokens: 0,
        }
    }
}

/// The places where a transcript may be cut, and what the rules ask about the messages between them.
#[derive(Debug)]
pub(crate) struct Outline {
    count: usize,
    head_end: usize,
    turn_boundaries: Vec<usize>,
    /// Those beyond the first step of the last turn.
    step_boundaries: Vec<usize>,
    /// The last plain user message with those directly before it; empty where there is none.
    request: Range<usize>,
    call_in_flight: bool,
    ends_with_model: bool,
    /// The first message after the leading instructions that is neither a summary message nor a reminder.
    first_substance: usize,
    /// The first such message after the request.
    first_substance_after_request: usize,
    /// The first summary message after the leading instructions.
    first_summary: usize,
    /// Beside summaries and reminders, one plain user message is all there is after the leading instructions.
    lone_request: bool,
}

impl Outline {
    pub(crate) fn of(transcript: &Transcript, head_end: usize) -> Result<Self, Error> {
        let messages = &transcript.messages;
        let count = messages.len();
        let body = || messages.iter().enumerate().skip(head_end);
        let first_after = |start: usize, wanted: fn(&Message) -> bool| {
            body()
                .skip(start - head_end)
                .find(|(_, message)| wanted(message))
                .map_or(count, |(index, _)| index)
        };

        let request_end = body()
            .rfind(|(_, message)| message.is_plain_user)
            .map_or(head_end, |(index, _)| index + 1);
        let request_start = request_end
            - messages
                .iter()
                .take(request_end)
                .skip(head_end)
                .rev()
                .take_while(|message| message.is_plain_user)
                .count();

        let first_model = first_after(request_end, |message| message.is_model);
        let turn_opens_with_thinking = messages
            .get(first_model)
            .is_some_and(|message| message.opens_with_thinking);
        // The request itself is no step; without one, every step boundary will do.
        let first_step = if request_start < request_end {
            request_end
        } else {
            head_end
        };
        let mut turn_boundaries = Vec::new();
        let mut step_boundaries = Vec::new();
        let mut after_model = false;
        for ((index, message), pair_across) in
            messages.iter().enumerate().zip(transcript.pairs_across())
        {
            if index > head_end && !pair_across {
                if message.is_plain_user {
                    reserve(&mut turn_boundaries, 1)?;
                    turn_boundaries.push(index);
                }
                if index > first_step
                    && message.is_model
                    && !after_model
                    && (message.opens_with_thinking || !turn_opens_with_thinking)
                {
                    reserve(&mut step_boundaries, 1)?;
                    step_boundaries.push(index);
                }
            }
            after_model = message.is_model;
        }

        let is_substance = |message: &Message| !message.is_summary && !message.is_reminder;
        let mut substance = body().filter(|(_, message)| is_substance(message));
        let lone_request = substance
            .next()
            .is_some_and(|(_, message)| message.is_plain_user)
            && substance.next().is_none();
        Ok(Self {
            count,
            head_end,
            turn_boundaries,
            step_boundaries,
            request: request_start..request_end,
            call_in_flight: transcript.call_in_flight(),
            ends_with_model: messages.last().is_some_and(|message| message.is_model),
            first_substance: first_after(head_end, is_substance),
            first_substance_after_request: first_after(request_end, is_substance),
            first_summary: first_after(head_end, |message| message.is_summary),
            lone_request,
        })
    }

    /// Whether the cut makes progress: `older`, the kept request aside, holds a message that is neither a summary
    /// message nor a reminder and, where the tail is empty, is not just one plain user message beside them.
    fn makes_progress(&self, cut: &Cut) -> bool {
        let has_substance = if cut.keeps_request {
            self.first_substance < self.request.start
                || self.first_substance_after_request < cut.tail_start
        } else {
            self.first_substance < cut.tail_start
        };
        has_substance && !(cut.tail_start == self.count && self.lone_request)
    }

    fn decision(&self, cut: &Cut) -> Decision {
        if !self.makes_progress(cut) {
            let outcome = if self.first_summary < cut.tail_start {
                Outcome::NothingNew
            } else {
                Outcome::NothingOlder
            };
            return Decision::unchanged(outcome, self.head_end);
        }
        Decision {
            outcome: Outcome::Compact,
            head_end: self.head_end,
            tail_start: cut.tail_start,
            request: if cut.keeps_request {
                self.request.clone()
            } else {
                cut.tail_start..cut.tail_start
            },
            tail_tokens: cut.tail_tokens,
        }
    }
}

/// A place to cut, before it is known whether it makes progress.
struct Cut {
    tail_start: usize,
    tail_tokens: u64,
    keeps_request: bool,
}

/// Decides by the rules "The tail" and "Splitting the last turn".
///
/// `tokens` counts the messages in a range, or fails where it cannot yet. It is asked for the leading instructions, the
/// request, and a number of suffixes that grows with the logarithm of the number of boundaries; never for an empty range.
pub(crate) fn decide<E>(
    outline: &Outline,
    options: &Options,
    tokens: &mut impl FnMut(Range<usize>) -> Result<u64, E>,
) -> Result<Decision, E> {
    let Outline {
        count,
        head_end,
        request,
        ..
    } = outline;
    let mut tokens = |range: Range<usize>| {
        if range.is_empty() {
            Ok(0)
        } else {
            tokens(range)
        }
    };
    let head_tokens = tokens(0..*head_end)?;
    let room = options.max_tokens.saturating_sub(head_tokens);

    // (a) the largest tail of whole turns that fits, else (b) the last turn, safety over size.
    let turn = largest_tail(
        &outline.turn_boundaries,
        *count,
        tail_budget(options, room),
        &mut tokens,
    )?;
    if let Some((cut, fits)) = &turn {
        let whole = head_tokens.saturating_add(cut.tail_tokens);
        if *fits || (whole <= options.max_tokens && outline.makes_progress(cut)) {
            return Ok(outline.decision(cut));
        }
    }
    // (c) inside the last turn.
    if options.split == Split::Steps && !outline.step_boundaries.is_empty() {
        let room = room.saturating_sub(tokens(request.clone())?);
        let step = largest_tail(
            &outline.step_boundaries,
            *count,
            tail_budget(options, room),
            &mut tokens,
        )?;
        if let Some((cut, _)) = step {
            let cut = Cut {
                keeps_request: !request.is_empty(),
                ..cut
            };
            if outline.makes_progress(&cut) {
                return Ok(outline.decision(&cut));
            }
        }
    }
    // (d) the last turn after all.
    if let Some((cut, _)) = &turn {
        return Ok(outline.decision(cut));
    }
    // (e) no turn boundary at all.
    if outline.call_in_flight {
        return Ok(Decision::unchanged(Outcome::CallInFlight, *head_end));
    }
    Ok(outline.decision(&Cut {
        tail_start: *count,
        tail_tokens: 0,
        keeps_request: options.split == Split::Steps
            && !request.is_empty()
            && !outline.ends_with_model,
    }))
}

/// How large the tail may get: under `"steps"` no more than half of the room, where `keep_tail` is more than three
/// quarters of it, since the summary needs a place and the next compaction must not be due at once.
fn tail_budget(options: &Options, room: u64) -> u64 {
    let keep_tail = options.keep_tail();
    let crowded = u128::from(keep_tail) * 4 > u128::from(room) * 3;
    match options.split {
        Split::Steps if crowded => room / 2,
        Split::Steps | Split::Turns => keep_tail,
    }
}

/// The cut at the first of `boundaries` whose suffix fits `budget`, and true; at the last one, and false, if none fits.
///
/// Found by bisection, since a suffix does not grow when it gets shorter.
fn largest_tail<E>(
    boundaries: &[usize],
    count: usize,
    budget: u64,
    tokens: &mut impl FnMut(Range<usize>) -> Result<u64, E>,
) -> Result<Option<(Cut, bool)>, E> {
    let mut best = None;
    let mut rest = boundaries;
    while !rest.is_empty() {
        let (before, from_middle) = rest.split_at(rest.len() / 2);
        let Some((&tail_start, after)) = from_middle.split_first() else {
            break;
        };
        let tail_tokens = tokens(tail_start..count)?;
        let fits = tail_tokens <= budget;
        let last = boundaries.last() == Some(&tail_start);
        if fits || last {
            best = Some((
                Cut {
                    tail_start,
                    tail_tokens,
                    keeps_request: false,
                },
                fits,
            ));
        }
        rest = if fits { before } else { after };
    }
    Ok(best)
}
