//! The rules, one after the other, in the order of the document.

use std::ops::Range;

use super::json::{Text, Transcript, Value, text};

pub const SUMMARY_PREFIX: &str = "[Summary of earlier conversation]\n";
pub const REMINDER: &str = "Before continuing: if anything from earlier is worth keeping, save it with the memory tool now — the earlier transcript is about to be summarized.";

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unit {
    CodePoint,
    Utf16,
    Utf8,
}

impl Unit {
    pub const ALL: [Unit; 3] = [Unit::CodePoint, Unit::Utf16, Unit::Utf8];

    pub fn name(self) -> &'static str {
        match self {
            Unit::CodePoint => "code_point",
            Unit::Utf16 => "utf16",
            Unit::Utf8 => "utf8",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Split {
    Steps,
    Turns,
}

impl Split {
    pub const ALL: [Split; 2] = [Split::Steps, Split::Turns];

    pub fn name(self) -> &'static str {
        match self {
            Split::Steps => "steps",
            Split::Turns => "turns",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Options {
    pub max_tokens: u64,
    pub keep_tail: Option<u64>,
    pub flush_to_memory: bool,
    pub char_unit: Unit,
    pub split: Split,
    pub summary_role: &'static str,
}

impl Options {
    pub fn with_budget(max_tokens: u64) -> Options {
        Options {
            max_tokens,
            keep_tail: None,
            flush_to_memory: false,
            char_unit: Unit::CodePoint,
            split: Split::Steps,
            summary_role: "system",
        }
    }

    /// The options object a host would pass.
    pub fn to_json(&self) -> String {
        let keep_tail = self
            .keep_tail
            .map_or(String::new(), |tokens| format!(r#""keep_tail":{tokens},"#));
        format!(
            r#"{{"max_tokens":{},{keep_tail}"flush_to_memory":{},"char_unit":"{}","split":"{}","summary_role":"{}"}}"#,
            self.max_tokens,
            self.flush_to_memory,
            self.char_unit.name(),
            self.split.name(),
            self.summary_role
        )
    }
}

// The estimate

pub fn estimate(message: &Value, unit: Unit) -> u64 {
    chars(message, unit).div_ceil(4)
}

pub fn estimates(transcript: &Transcript, unit: Unit) -> Vec<u64> {
    transcript
        .messages
        .iter()
        .map(|message| estimate(message, unit))
        .collect()
}

fn chars(value: &Value, unit: Unit) -> u64 {
    let between = |count: usize| count.saturating_sub(1) as u64;
    match value {
        Value::Null | Value::Bool(true) => 4,
        Value::Bool(false) => 5,
        Value::Number(digits) => digits.len() as u64,
        Value::String(text) => string_chars(text, unit),
        Value::Array(elements) => {
            2 + between(elements.len())
                + elements
                    .iter()
                    .map(|element| chars(element, unit))
                    .sum::<u64>()
        }
        Value::Object(members) => {
            let inside: u64 = members
                .iter()
                .map(|(key, value)| string_chars(key, unit) + 1 + chars(value, unit))
                .sum();
            2 + between(members.len()) + inside
        }
    }
}

fn string_chars(text: &Text, unit: Unit) -> u64 {
    2 + text
        .iter()
        .map(|code_point| code_point_chars(*code_point, unit))
        .sum::<u64>()
}

fn code_point_chars(code_point: u32, unit: Unit) -> u64 {
    match (code_point, unit) {
        (0x22 | 0x5c | 0x08 | 0x0c | 0x0a | 0x0d | 0x09, _) => 2,
        (0..=0x1f, _) => 6,
        (_, Unit::CodePoint) => 1,
        (0x10000.., Unit::Utf16) => 2,
        (_, Unit::Utf16) => 1,
        (0x2028 | 0x2029, Unit::Utf8) => 6,
        (0..=0x7f, Unit::Utf8) => 1,
        (0..=0x7ff, Unit::Utf8) => 2,
        (0..=0xffff, Unit::Utf8) => 3,
        (_, Unit::Utf8) => 4,
    }
}

// Words

fn string_at<'a>(object: &'a Value, key: &str) -> Option<&'a Text> {
    object.get(key).and_then(Value::as_string)
}

fn role_is(message: &Value, role: &str) -> bool {
    string_at(message, "role") == Some(&text(role))
}

fn type_is(object: &Value, name: &str) -> bool {
    string_at(object, "type") == Some(&text(name))
}

fn type_ends_in(object: &Value, ending: &str) -> bool {
    string_at(object, "type").is_some_and(|name| name.ends_with(&text(ending)))
}

fn text_of(message: &Value) -> Option<&Text> {
    let content = message.get("content");
    if let Some(Value::String(content)) = content {
        return Some(content);
    }
    for list in [content, message.get("parts")].into_iter().flatten() {
        if let Some(found) = list
            .elements()
            .first()
            .and_then(|first| string_at(first, "text"))
        {
            return Some(found);
        }
    }
    None
}

pub fn is_summary(message: &Value) -> bool {
    text_of(message).is_some_and(|found| found.starts_with(&text(SUMMARY_PREFIX)))
}

pub fn is_reminder(message: &Value) -> bool {
    text_of(message) == Some(&text(REMINDER))
}

fn summary_or_reminder(message: &Value) -> bool {
    is_summary(message) || is_reminder(message)
}

pub fn is_plain_user(message: &Value) -> bool {
    role_is(message, "user")
        && calls_in(message).is_empty()
        && results_in(message).is_empty()
        && !summary_or_reminder(message)
}

pub fn is_the_models(message: &Value) -> bool {
    let item = string_at(message, "type").is_some()
        && !type_ends_in(message, "_output")
        && string_at(message, "role").is_none();
    role_is(message, "assistant") || role_is(message, "model") || item
}

fn opens_with_thinking(message: &Value) -> bool {
    let first = message
        .get("content")
        .and_then(|content| content.elements().first());
    let thinks = first.is_some_and(|first| {
        ["thinking", "redacted_thinking", "reasoning"]
            .iter()
            .any(|kind| type_is(first, kind))
            || first.get("reasoningContent").is_some_and(Value::is_object)
    });
    thinks || type_is(message, "reasoning")
}

// Rule 1

pub fn head_end(messages: &[Value]) -> usize {
    let leading = |message: &Value| {
        (role_is(message, "system") || role_is(message, "developer")) && !is_summary(message)
    };
    messages
        .iter()
        .take_while(|message| leading(message))
        .count()
}

// Rule 2

#[derive(Clone, Debug)]
struct Call {
    id: Option<Text>,
    name: Option<Text>,
    responses_item: bool,
}

/// What a result names its call by.
#[derive(Clone, Debug)]
enum Named {
    Id(Text),
    Name(Text),
    Nothing,
}

impl Named {
    fn by_id(id: Option<&Text>) -> Named {
        id.map_or(Named::Nothing, |id| Named::Id(id.clone()))
    }

    fn by_name(name: Option<&Text>) -> Named {
        name.map_or(Named::Nothing, |name| Named::Name(name.clone()))
    }
}

/// The objects directly inside one of the lists; a shape that the table places in `content` or in `parts` counts there alone.
fn objects_in<'a>(message: &'a Value, list: &str) -> impl Iterator<Item = &'a Value> {
    let elements = message.get(list).map_or(&[][..], Value::elements);
    elements.iter().filter(|element| element.is_object())
}

fn object_at<'a>(object: &'a Value, keys: &[&str]) -> Option<&'a Value> {
    keys.iter()
        .filter_map(|key| object.get(key))
        .find(|value| value.is_object())
}

fn gemini_id(object: &Value) -> Option<&Text> {
    string_at(object, "id").filter(|id| !id.is_empty())
}

fn calls_in(message: &Value) -> Vec<Call> {
    let mut calls = Vec::new();
    let mut add = |id: Option<&Text>, name: Option<&Text>, responses_item: bool| {
        if id.is_some() || name.is_some() {
            calls.push(Call {
                id: id.cloned(),
                name: name.cloned(),
                responses_item,
            });
        }
    };
    for call in message.get("tool_calls").map_or(&[][..], Value::elements) {
        add(string_at(call, "id"), None, false);
    }
    if let Some(function) = object_at(message, &["function_call"]) {
        add(None, string_at(function, "name"), false);
    }
    if type_ends_in(message, "_call") {
        add(string_at(message, "call_id"), None, true);
    }
    for list in ["content", "parts"] {
        for block in objects_in(message, list) {
            if type_ends_in(block, "tool_use") {
                add(string_at(block, "id"), None, false);
            }
            if type_is(block, "tool-call") {
                add(string_at(block, "toolCallId"), None, false);
            }
        }
    }
    for part in objects_in(message, "parts") {
        for function in ["functionCall", "function_call"]
            .iter()
            .filter_map(|key| object_at(part, &[key]))
        {
            add(gemini_id(function), string_at(function, "name"), false);
        }
    }
    for block in objects_in(message, "content") {
        if let Some(tool_use) = object_at(block, &["toolUse"]) {
            add(string_at(tool_use, "toolUseId"), None, false);
        }
    }
    calls
}

fn results_in(message: &Value) -> Vec<Named> {
    let mut results = Vec::new();
    if role_is(message, "tool") {
        results.push(Named::by_id(string_at(message, "tool_call_id")));
    }
    if role_is(message, "function") {
        results.push(Named::by_name(string_at(message, "name")));
    }
    if type_ends_in(message, "_output") {
        results.push(Named::by_id(string_at(message, "call_id")));
    }
    for list in ["content", "parts"] {
        for block in objects_in(message, list) {
            if type_ends_in(block, "tool_result") {
                results.push(Named::by_id(string_at(block, "tool_use_id")));
            }
            if type_is(block, "tool-result") {
                results.push(Named::by_id(string_at(block, "toolCallId")));
            }
        }
    }
    for part in objects_in(message, "parts") {
        for response in ["functionResponse", "function_response"]
            .iter()
            .filter_map(|key| object_at(part, &[key]))
        {
            results.push(match gemini_id(response) {
                Some(id) => Named::Id(id.clone()),
                None => Named::by_name(string_at(response, "name")),
            });
        }
    }
    for block in objects_in(message, "content") {
        if let Some(result) = object_at(block, &["toolResult"]) {
            results.push(Named::by_id(string_at(result, "toolUseId")));
        }
    }
    results
}

/// Which results belong to which calls, by the index of their messages.
#[derive(Debug, Default)]
pub struct Pairing {
    /// Call, result.
    pub pairs: Vec<(usize, usize)>,
    /// One entry for each result that names a call which is not there, or names none.
    pub results_without_call: Vec<usize>,
    calls_without_result: Vec<(usize, Call)>,
}

pub fn pairing(messages: &[Value]) -> Pairing {
    let mut pairing = Pairing::default();
    for (index, message) in messages.iter().enumerate() {
        pairing
            .calls_without_result
            .extend(calls_in(message).into_iter().map(|call| (index, call)));
        for result in results_in(message) {
            let belongs = |(_, call): &(usize, Call)| match &result {
                Named::Id(id) => call.id.as_ref() == Some(id),
                Named::Name(name) => call.name.as_ref() == Some(name),
                Named::Nothing => false,
            };
            match pairing.calls_without_result.iter().rposition(belongs) {
                Some(nearest) => {
                    let (call, _) = pairing.calls_without_result.remove(nearest);
                    pairing.pairs.push((call, index));
                }
                None => pairing.results_without_call.push(index),
            }
        }
    }
    pairing
}

impl Pairing {
    pub fn lies_across(&self, index: usize) -> bool {
        self.pairs
            .iter()
            .any(|(call, result)| *call < index && index <= *result)
    }

    fn a_call_is_in_flight(&self, messages: &[Value]) -> bool {
        self.calls_without_result.iter().any(|(at, call)| {
            messages[at + 1..].iter().all(|later| {
                let sibling =
                    call.responses_item && calls_in(later).iter().any(|call| call.responses_item);
                !results_in(later).is_empty() || sibling
            })
        })
    }
}

// Rules 3 to 8

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    Compact,
    UnderBudget,
    NothingOlder,
    NothingNew,
    CallInFlight,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub outcome: Outcome,
    pub head_end: usize,
    pub tail_start: usize,
    pub request: Range<usize>,
    pub tokens: u64,
    pub tail_tokens: u64,
}

/// Where the last turn's request stands; `None` where there is no plain user message after the leading instructions.
pub fn request_of_last_turn(messages: &[Value], head_end: usize) -> Option<Range<usize>> {
    let last = (head_end..messages.len())
        .rev()
        .find(|index| is_plain_user(&messages[*index]))?;
    let mut start = last;
    while start > head_end && is_plain_user(&messages[start - 1]) {
        start -= 1;
    }
    Some(start..last + 1)
}

fn tail_budget(options: &Options, taken: u64) -> u64 {
    let keep_tail = options.keep_tail.unwrap_or(options.max_tokens / 2);
    let room = options.max_tokens.saturating_sub(taken);
    let too_much = u128::from(keep_tail) * 4 > u128::from(room) * 3;
    match options.split {
        Split::Steps if too_much => room / 2,
        _ => keep_tail,
    }
}

/// `count` answers for any run of messages that is not empty.
pub fn plan(messages: &[Value], options: &Options, count: &dyn Fn(Range<usize>) -> u64) -> Plan {
    let end = messages.len();
    let head_end = head_end(messages);
    let counted = |range: Range<usize>| if range.is_empty() { 0 } else { count(range) };
    let tokens = counted(0..end);
    let unchanged = |outcome| Plan {
        outcome,
        head_end,
        tail_start: head_end,
        request: head_end..head_end,
        tokens,
        tail_tokens: 0,
    };
    if tokens <= options.max_tokens {
        return unchanged(Outcome::UnderBudget);
    }

    let pairing = pairing(messages);
    let turn_boundaries: Vec<usize> = (head_end + 1..end)
        .filter(|index| is_plain_user(&messages[*index]) && !pairing.lies_across(*index))
        .collect();
    let head_tokens = counted(0..head_end);
    let last_request = request_of_last_turn(messages, head_end);
    let none_kept = |tail_start: usize| tail_start..tail_start;
    let progress = |tail_start: usize, request: &Range<usize>| {
        makes_progress(messages, head_end, tail_start, request)
    };

    let fitting = turn_boundaries
        .iter()
        .find(|index| counted(**index..end) <= tail_budget(options, head_tokens));
    let last_turn = turn_boundaries.last().copied();
    let safe_last_turn = last_turn.filter(|index| {
        progress(*index, &none_kept(*index))
            && head_tokens.saturating_add(counted(*index..end)) <= options.max_tokens
    });
    let inside_last_turn = || {
        if options.split == Split::Turns {
            return None;
        }
        let (tail_start, request) = split_of_last_turn(
            messages,
            options,
            &pairing,
            head_end,
            head_tokens,
            &last_request,
            &counted,
        )?;
        progress(tail_start, &request).then_some((tail_start, request))
    };

    let (tail_start, request) = if let Some(&boundary) = fitting {
        (boundary, none_kept(boundary))
    } else if let Some(boundary) = safe_last_turn {
        (boundary, none_kept(boundary))
    } else if let Some(split) = inside_last_turn() {
        split
    } else if let Some(boundary) = last_turn {
        (boundary, none_kept(boundary))
    } else if pairing.a_call_is_in_flight(messages) {
        return unchanged(Outcome::CallInFlight);
    } else {
        let ends_with_the_models = messages.last().is_some_and(is_the_models);
        match last_request {
            Some(request) if options.split == Split::Steps && !ends_with_the_models => {
                (end, request)
            }
            _ => (end, none_kept(end)),
        }
    };

    if !progress(tail_start, &request) {
        let earlier_summary = messages[head_end..tail_start].iter().any(is_summary);
        return unchanged(if earlier_summary {
            Outcome::NothingNew
        } else {
            Outcome::NothingOlder
        });
    }
    let tail_tokens = counted(tail_start..end);
    Plan {
        outcome: Outcome::Compact,
        head_end,
        tail_start,
        request,
        tokens,
        tail_tokens,
    }
}

fn split_of_last_turn(
    messages: &[Value],
    options: &Options,
    pairing: &Pairing,
    head_end: usize,
    head_tokens: u64,
    request: &Option<Range<usize>>,
    counted: &dyn Fn(Range<usize>) -> u64,
) -> Option<(usize, Range<usize>)> {
    let end = messages.len();
    let turn_start = request.as_ref().map_or(head_end, |request| request.end);
    let request_tokens = request.clone().map_or(0, counted);
    let first_of_the_models = messages[turn_start..]
        .iter()
        .find(|message| is_the_models(message));
    let must_think = first_of_the_models.is_some_and(opens_with_thinking);
    let step_boundaries: Vec<usize> = (head_end + 1..end)
        .filter(|index| request.as_ref().is_none_or(|request| *index > request.end))
        .filter(|index| is_the_models(&messages[*index]) && !is_the_models(&messages[*index - 1]))
        .filter(|index| !pairing.lies_across(*index))
        .filter(|index| !must_think || opens_with_thinking(&messages[*index]))
        .collect();
    let budget = tail_budget(options, head_tokens.saturating_add(request_tokens));
    let fitting = step_boundaries
        .iter()
        .find(|index| counted(**index..end) <= budget);
    let tail_start = *fitting.or(step_boundaries.last())?;
    Some((
        tail_start,
        request.clone().unwrap_or(tail_start..tail_start),
    ))
}

fn makes_progress(
    messages: &[Value],
    head_end: usize,
    tail_start: usize,
    request: &Range<usize>,
) -> bool {
    let older = (head_end..tail_start).filter(|index| !request.contains(index));
    let real: Vec<usize> = older
        .filter(|index| !summary_or_reminder(&messages[*index]))
        .collect();
    let unseen_request =
        tail_start == messages.len() && real.len() == 1 && is_plain_user(&messages[real[0]]);
    !real.is_empty() && !unseen_request
}

// The result

pub fn summary_message(options: &Options, summary: &str) -> String {
    written_message(options, &format!("{SUMMARY_PREFIX}{summary}"))
}

pub fn reminder_message(options: &Options) -> String {
    written_message(options, REMINDER)
}

fn written_message(options: &Options, content: &str) -> String {
    format!(
        r#"{{"role":"{}","content":{}}}"#,
        options.summary_role,
        serde_json::Value::from(content)
    )
}

pub fn finish(transcript: &Transcript, plan: &Plan, options: &Options, summary: &str) -> String {
    let own = |range: Range<usize>| range.map(|index| transcript.source(index).to_owned());
    let mut messages: Vec<String> = own(0..plan.head_end).collect();
    messages.push(summary_message(options, summary));
    if options.flush_to_memory {
        messages.push(reminder_message(options));
    }
    messages.extend(own(plan.request.clone()));
    messages.extend(own(plan.tail_start..transcript.len()));
    format!("[{}]", messages.join(","))
}
