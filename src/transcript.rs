//! The messages: span, role, calls, results, size.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasher, DefaultHasher, Hasher};
use std::ops::Range;

use crate::dialect::{self, Fields, Found, Key, Side, Within};
use crate::error::{Error, reserve};
use crate::json::scan::{self, Document, Each, Element};
use crate::json::trail::{Steps, Trail};
use crate::json::value::Value;
use crate::json::{CharUnit, Kind, Span};

/// What the text of every summary message begins with.
pub const SUMMARY_PREFIX: &str = "[Summary of earlier conversation]\n";

/// The text of the reminder that `flush_to_memory` adds.
pub const FLUSH_REMINDER: &str = "Before continuing: if anything from earlier is worth keeping, save it with the memory tool now — the earlier transcript is about to be summarized.";

/// How errors call the text of a transcript.
pub(crate) const TEXT: &str = "messages";

/// Estimates the tokens of a transcript, the text of a JSON array of message objects: for each message a quarter of its
/// characters in compact JSON, rounded up.
///
/// White space between tokens does not count, and strings count as ECMAScript's `JSON.stringify` writes them, however
/// the text spells them, but that half a surrogate pair alone counts as one character. Numbers count as they are spelled. It is an
/// estimate, not a tokenizer.
///
/// # Errors
///
/// The text is not JSON ([`Error::Json`], with the byte offset) or no array of objects ([`Error::NotAnArray`],
/// [`Error::NotAnObject`], with the index).
pub fn estimate_tokens(messages: &str, unit: CharUnit) -> Result<u64, Error> {
    estimate_tokens_in(messages.as_bytes(), unit)
}

/// The same for bytes that may not be UTF-8, which then is the error.
pub(crate) fn estimate_tokens_in(messages: &[u8], unit: CharUnit) -> Result<u64, Error> {
    let mut tokens = 0;
    messages_of(messages, unit, &mut Trail::none(), &mut |message, _| {
        tokens += estimate(&message);
        Ok(())
    })?;
    Ok(tokens)
}

/// The estimate of one message: a quarter of its characters, rounded up.
fn estimate(message: &Element) -> u64 {
    message.chars.div_ceil(4)
}

/// Reads `text` as an array of objects and calls `each` for every one, in order.
fn messages_of(
    text: &[u8],
    unit: CharUnit,
    trail: &mut Trail,
    each: &mut Each<'_>,
) -> Result<Document, Error> {
    let document = scan::elements(TEXT, text, unit, trail, each)?;
    if document.kind != Kind::Array {
        return Err(Error::NotAnArray {
            found: document.kind.name(),
        });
    }
    if document.has_others {
        return Err(misfit(Value::new(document.span.of(text))));
    }
    Ok(document)
}

/// What to say of `array`, in which something else than objects is.
fn misfit(array: Value<'_>) -> Error {
    let kinds = array.elements().map(Value::kind).enumerate();
    match kinds.into_iter().find(|&(_, kind)| kind != Kind::Object) {
        Some((index, kind)) => Error::NotAnObject {
            index,
            found: kind.name(),
        },
        None => Error::Internal("an element is an object after all".to_owned()),
    }
}

/// What there is to know before it is known whether the transcript is over budget.
#[derive(Debug)]
pub(crate) struct Survey {
    /// The array, without the white space around it.
    pub(crate) array: Span,
    /// How many messages there are.
    pub(crate) count: usize,
    /// The index after the leading instructions.
    pub(crate) head_end: usize,
    /// The estimate for the whole transcript.
    pub(crate) tokens: u64,
    /// Where the messages are, if the trail is kept.
    places: Vec<Place>,
    /// Where their keys are, if that is kept in mind of all of them.
    trail: Trail,
}

/// Where a message is, and its estimate. As small as can be, since there is one for each message under budget, too.
#[derive(Clone, Copy, Debug)]
struct Place {
    start: u32,
    end: u32,
    tokens: u32,
}

impl Place {
    /// How much text there is for every place kept in mind. A place has 12 bytes: this is 5 % of the text at most.
    const SHARE: usize = 240;

    /// The same once it is known that the transcript is over budget: half of the text. Shorter messages are better read again.
    const SHARE_OVER_BUDGET: usize = 24;

    /// As many are kept in mind of any text.
    const FEW: usize = 64;

    fn of(message: &Element, tokens: u64) -> Option<Self> {
        Some(Self {
            start: u32::try_from(message.span.start).ok()?,
            end: u32::try_from(message.span.end).ok()?,
            tokens: u32::try_from(tokens).ok()?,
        })
    }
}

/// How much text there is for every step of the trail. A step has 2 bytes: this is 4 % of the text at most.
const STEP_SHARE: usize = 50;

/// The same once it is known that the transcript is over budget: half of the text.
const STEP_SHARE_OVER_BUDGET: usize = 4;

/// Reads the whole of `text` once. `budget` is the one for the estimate, if the estimate decides.
///
/// As long as it is not known that the transcript is over budget, messages are kept in mind only as far as that takes a small share
/// of the text's own size. Where that does not suffice, they are read again when the transcript is over budget. Where the text
/// is so short that it cannot be, they are not kept in mind at all.
pub(crate) fn survey(text: &[u8], unit: CharUnit, budget: Option<u64>) -> Result<Survey, Error> {
    let (mut count, mut head_end, mut tokens) = (0, 0, 0);
    // A byte counts two characters at most (U+2028 takes three, and may count six), so half a token. Each message's tokens are
    // rounded up by three quarters at most, and it has a comma or bracket behind it.
    let most_tokens = text.len() - text.len() / 4;
    let can_be_over = budget.is_none_or(|budget| budget < most_tokens as u64);
    let mut places = Vec::new();
    let mut most = Place::FEW.max(text.len() / Place::SHARE);
    if can_be_over {
        reserve(&mut places, Place::FEW)?;
    }
    let mut trail = Trail::of_at_most(text.len() / STEP_SHARE);
    let document = messages_of(text, unit, &mut trail, &mut |message, trail| {
        let estimate = estimate(&message);
        tokens += estimate;
        if head_end == count && is_instruction(message.span.of(text), trail) {
            head_end += 1;
        }
        count += 1;
        if !can_be_over && head_end < count {
            trail.keep_none();
        }
        let is_over = budget.is_some_and(|budget| tokens > budget);
        if is_over {
            most = Place::FEW.max(text.len() / Place::SHARE_OVER_BUDGET);
            trail.keep_at_most(text.len() / STEP_SHARE_OVER_BUDGET);
        }
        // Where one is missing, the others are of no use.
        if !can_be_over || !trail.is_kept() {
            return Ok(());
        }
        if places.len() == places.capacity() && places.len() < most {
            // At once, so that nothing is there twice; but over budget that may be much room for nothing.
            let mut room = most - places.len();
            if is_over {
                room = room.min(places.len());
            }
            // Without memory for it, it will be read again.
            let _: Result<(), _> = places.try_reserve(room);
        }
        match Place::of(&message, estimate) {
            Some(place) if places.len() < most.min(places.capacity()) => places.push(place),
            _ => trail.keep_none(),
        }
        Ok(())
    })?;
    Ok(Survey {
        array: document.span,
        count,
        head_end,
        tokens,
        places,
        trail,
    })
}

/// Whether a message, whose steps the trail has last, may stand among the leading instructions.
fn is_instruction(message: &[u8], trail: &Trail) -> bool {
    let (role, text) = match trail.last() {
        Some(steps) => dialect::Message::of(message, steps).0.role_and_text(),
        None => dialect::role_and_text_of(message),
    };
    role.is_some_and(|role| role.is("system") || role.is("developer"))
        && !text.is_some_and(|text| text.starts_with(SUMMARY_PREFIX))
}

/// What the split asks of one message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message {
    pub(crate) span: Span,
    /// The estimate for all messages before this one.
    tokens_before: u64,
    /// The model wrote it.
    pub(crate) is_model: bool,
    /// A plain user message.
    pub(crate) is_plain_user: bool,
    /// A summary message.
    pub(crate) is_summary: bool,
    /// The reminder.
    pub(crate) is_reminder: bool,
    pub(crate) opens_with_thinking: bool,
    /// A result's shape is in it.
    carries_result: bool,
    /// It is itself a call: an item of OpenAI's Responses.
    is_call_item: bool,
    /// The last message that holds the result of a call in this one; its own index where there is none.
    last_result: usize,
    /// A call in it never got its result.
    has_open_call: bool,
}

/// The messages of a transcript that is over budget.
pub(crate) struct Transcript {
    pub(crate) messages: Vec<Message>,
    tokens: u64,
}

impl Survey {
    /// Reads the messages of `text`, which this is the survey of. To be called once: what is kept in mind of them goes.
    pub(crate) fn transcript(&mut self, text: &[u8], unit: CharUnit) -> Result<Transcript, Error> {
        let places = std::mem::take(&mut self.places);
        let trail = std::mem::replace(&mut self.trail, Trail::none());
        let mut reading = Reading {
            text,
            messages: Vec::new(),
            tokens: 0,
            pairing: Pairing::default(),
        };
        reserve(&mut reading.messages, self.count)?;
        if let Some(mut steps) = trail.all() {
            for place in &places {
                let span = Span {
                    start: place.start as usize,
                    end: place.end as usize,
                };
                steps = reading
                    .take(span, place.tokens.into(), steps)?
                    .next_element();
            }
            return Ok(reading.finish());
        }
        let mut trail = Trail::of_at_most(usize::MAX);
        messages_of(text, unit, &mut trail, &mut |message, trail| {
            let steps = trail.last().ok_or(Error::OutOfMemory {
                bytes: trail.refused(),
            })?;
            reading.take(message.span, estimate(&message), steps)?;
            trail.forget();
            Ok(())
        })?;
        Ok(reading.finish())
    }
}

impl Transcript {
    /// The estimate for the messages in `range`.
    pub(crate) fn estimate(&self, range: Range<usize>) -> u64 {
        let before = |index: usize| {
            self.messages
                .get(index)
                .map_or(self.tokens, |message| message.tokens_before)
        };
        before(range.end) - before(range.start)
    }

    /// For every index of a message, whether a pair lies across it.
    pub(crate) fn pairs_across(&self) -> impl Iterator<Item = bool> + '_ {
        let mut last_result = 0;
        self.messages
            .iter()
            .enumerate()
            .map(move |(index, message)| {
                let across = last_result >= index && index > 0;
                last_result = last_result.max(message.last_result);
                across
            })
    }

    /// Whether a call has no result yet and may still get one: every later message carries a tool result or, for
    /// Responses items, is a sibling call item.
    pub(crate) fn call_in_flight(&self) -> bool {
        let mut only_results = true;
        let mut only_results_and_siblings = true;
        for message in self.messages.iter().rev() {
            let waits = if message.is_call_item {
                only_results_and_siblings
            } else {
                only_results
            };
            if message.has_open_call && waits {
                return true;
            }
            only_results &= message.carries_result;
            only_results_and_siblings &= message.carries_result || message.is_call_item;
            if !only_results_and_siblings {
                return false;
            }
        }
        false
    }
}

/// The messages read so far.
struct Reading<'t> {
    text: &'t [u8],
    messages: Vec<Message>,
    tokens: u64,
    pairing: Pairing<'t>,
}

impl Reading<'_> {
    /// Takes the message at `span` that counts so many tokens. `steps` are its own; returns where they end.
    fn take<'s>(&mut self, span: Span, tokens: u64, steps: Steps<'s>) -> Result<Steps<'s>, Error> {
        let (value, behind) = dialect::Message::of(span.of(self.text), steps);
        let mut message = self.pairing.read(&mut self.messages, &value, span)?;
        message.tokens_before = self.tokens;
        self.tokens += tokens;
        self.messages.push(message);
        Ok(behind)
    }

    fn finish(mut self) -> Transcript {
        self.pairing.mark_open_calls(&mut self.messages);
        Transcript {
            messages: self.messages,
            tokens: self.tokens,
        }
    }
}

/// The forward pass that matches results with calls: "a result belongs to the nearest earlier unmatched call with the
/// same id; where the dialect has no ids, with the same name".
#[derive(Default)]
struct Pairing<'t> {
    calls: Vec<Call>,
    /// Calls by id and by name, each chained to the earlier one with the same key.
    links: Vec<Link>,
    latest: HashMap<(Space, Cow<'t, [u8]>), usize, Seed>,
    /// The results of the message that is being read; kept for its room.
    results: Vec<Found<'t>>,
}

struct Call {
    message: usize,
    matched: bool,
}

struct Link {
    call: usize,
    earlier: Option<usize>,
}

/// All ids share one space, all names another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Space {
    Id,
    Name,
}

impl<'t> Pairing<'t> {
    /// Reads the message that comes after `earlier`, and notes in those which of their calls it answers.
    fn read(
        &mut self,
        earlier: &mut [Message],
        value: &dialect::Message<'t, '_>,
        span: Span,
    ) -> Result<Message, Error> {
        let index = earlier.len();
        let fields = &value.fields;
        // The calls of a message are seen before its results.
        let first_call = self.calls.len();
        let mut is_call_item = false;
        let mut results = std::mem::take(&mut self.results);
        let mut sort = |found: Found<'t>| match found.side {
            Side::Call => {
                is_call_item |= found.is_item;
                self.add_call(found, index)
            }
            Side::Result => {
                reserve(&mut results, 1)?;
                results.push(found);
                Ok(())
            }
        };
        // The text as `role_and_text` has it, found on the way.
        let mut text = fields.string(Key::Content);
        let mut opens_with_thinking = fields
            .string(Key::Type)
            .is_some_and(|kind| kind.is("reasoning"));
        dialect::in_message(value, &mut sort)?;
        for within in [Within::Content, Within::Parts] {
            for block in value.objects(within) {
                if block.is_first {
                    text = text.or_else(|| block.fields.string(Key::Text));
                    opens_with_thinking |= within == Within::Content && is_thinking(&block.fields);
                }
                dialect::in_block(value, within, &block.fields, &mut sort)?;
            }
        }

        let has_calls = self.calls.len() > first_call;
        let carries_result = !results.is_empty();
        for result in results.drain(..) {
            // A pair inside one message lies across nothing.
            if let Some(call) = self.answer(result)
                && let Some(message) = earlier.get_mut(call)
            {
                message.last_result = index;
            }
        }
        self.results = results;

        let role = fields.string(Key::Role);
        let has_role = |word| role.is_some_and(|role| role.is(word));
        let is_summary = text.is_some_and(|text| text.starts_with(SUMMARY_PREFIX));
        let is_reminder = text.is_some_and(|text| text.is(FLUSH_REMINDER));
        let is_model_item = role.is_none()
            && fields
                .string(Key::Type)
                .is_some_and(|kind| !kind.ends_with("_output"));
        Ok(Message {
            span,
            tokens_before: 0,
            is_model: has_role("assistant") || has_role("model") || is_model_item,
            is_plain_user: has_role("user")
                && !has_calls
                && !carries_result
                && !is_summary
                && !is_reminder,
            is_summary,
            is_reminder,
            opens_with_thinking,
            carries_result,
            is_call_item,
            last_result: index,
            has_open_call: false,
        })
    }

    fn add_call(&mut self, call: Found<'t>, message: usize) -> Result<(), Error> {
        let number = self.calls.len();
        let keys = [
            call.id.map(|id| (Space::Id, id)),
            call.name.map(|name| (Space::Name, name)),
        ];
        for key in keys.into_iter().flatten() {
            let link = self.links.len();
            self.latest.try_reserve(1).map_err(|_| Error::OutOfMemory {
                bytes: size_of::<(Space, Cow<'t, [u8]>, usize)>()
                    .saturating_mul(self.latest.len() + 1),
            })?;
            let earlier = self.latest.insert(key, link);
            reserve(&mut self.links, 1)?;
            self.links.push(Link {
                call: number,
                earlier,
            });
        }
        reserve(&mut self.calls, 1)?;
        self.calls.push(Call {
            message,
            matched: false,
        });
        Ok(())
    }

    /// Matches `result` with its call and gives the index of the call's message.
    fn answer(&mut self, result: Found<'t>) -> Option<usize> {
        let key = match (result.id, result.name) {
            (Some(id), _) => (Space::Id, id),
            (None, Some(name)) => (Space::Name, name),
            (None, None) => return None,
        };
        let latest = self.latest.get_mut(&key)?;
        loop {
            let link = self.links.get(*latest)?;
            let call = self.calls.get_mut(link.call)?;
            if !call.matched {
                call.matched = true;
                return Some(call.message);
            }
            // Matched under its other key, or by an earlier result: never looked at again, so the pass stays linear.
            *latest = link.earlier?;
        }
    }

    fn mark_open_calls(self, messages: &mut [Message]) {
        for call in self.calls.iter().filter(|call| !call.matched) {
            if let Some(message) = messages.get_mut(call.message) {
                message.has_open_call = true;
            }
        }
    }
}

/// Whether a block is the model's thinking, in any dialect.
fn is_thinking(block: &Fields<'_>) -> bool {
    let kind = block.string(Key::Type);
    ["thinking", "redacted_thinking", "reasoning"]
        .iter()
        .any(|word| kind.is_some_and(|kind| kind.is(word)))
        || block.object(Key::ReasoningContent).is_some()
}

/// Hashes with a start that the sender of a transcript cannot know, so that ids cannot be chosen to collide.
///
/// The standard library's `RandomState` would do, but keeps its keys in a thread-local, and the C interface promises none.
struct Seed(u64);

impl Default for Seed {
    fn default() -> Self {
        // Where this process's stack and code stand, which the sender does not know where the system randomizes addresses.
        let here = 0_u8;
        let mut hasher = DefaultHasher::new();
        hasher.write_usize(std::ptr::from_ref(&here).addr());
        hasher.write_usize((estimate_tokens as *const ()).addr());
        Self(hasher.finish())
    }
}

impl BuildHasher for Seed {
    type Hasher = DefaultHasher;

    fn build_hasher(&self) -> DefaultHasher {
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(self.0);
        hasher
    }
}
