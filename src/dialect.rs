//! One table: what a call and a result look like in each dialect.
//!
//! Every message is read by its own shape. A new dialect is a new pair of rows in [`SHAPES`], and in [`Key`] the keys it
//! uses that are not there yet.

use std::borrow::Cow;

use crate::error::Error;
use crate::json::trail::{Step, Steps};
use crate::json::value::{Text, Value, behind_key, string};

/// The keys that matter anywhere in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Role,
    Content,
    Parts,
    Text,
    Type,
    Id,
    Name,
    CallId,
    ToolCalls,
    ToolCallId,
    ToolUseId,
    FunctionCall,
    FunctionCallCamel,
    FunctionResponse,
    FunctionResponseCamel,
    ToolUse,
    ToolResult,
    ToolUseIdCamel,
    ToolCallIdCamel,
    ReasoningContent,
}

const KEYS: usize = Key::ReasoningContent as usize + 1;

impl Key {
    /// The key that `name` is, and what follows it in the text.
    fn of(name: Text<'_>) -> Option<(Self, &[u8])> {
        match Self::plain(name.inside()) {
            Ok(known) => known,
            Err(Unsure) => Some((Self::meant(name)?, name.behind())),
        }
    }

    /// The key that stands at the start of `text` without escapes, and what follows its closing quote. Without looking for
    /// the end of the string: eight bytes say most.
    #[inline]
    fn plain(text: &[u8]) -> Result<Option<(Self, &[u8])>, Unsure> {
        const ONES: u64 = 0x0101_0101_0101_0101;
        let start = u64::from_le_bytes(*text.first_chunk().ok_or(Unsure)?);
        // The lowest bit set is that of the first quote.
        let differing = start ^ (ONES * b'"' as u64);
        let quotes = differing.wrapping_sub(ONES) & !differing & (ONES << 7);
        if quotes == 0 {
            return Self::long(start, text);
        }
        let length = quotes.trailing_zeros() / 8;
        let word = start & ((1 << (8 * length)) - 1);
        let known = SHORT.iter().find(|&&(name, _)| name == word);
        let Some(&(_, key)) = known else {
            let escaped = word.to_le_bytes().contains(&b'\\');
            return if escaped { Err(Unsure) } else { Ok(None) };
        };
        Ok(text.get(length as usize + 1..).map(|behind| (key, behind)))
    }

    /// The same for keys of eight bytes or more, which start with the bytes of `start`.
    fn long(start: u64, text: &[u8]) -> Result<Option<(Self, &[u8])>, Unsure> {
        let known = LONG.iter().find_map(|&(first, rest, key)| {
            if first != start {
                return None;
            }
            let behind = text.get(8..)?.strip_prefix(rest)?.strip_prefix(b"\"")?;
            Some((key, behind))
        });
        if known.is_some() {
            return Ok(known);
        }
        let mut name = text.iter().take(LONGEST + 1);
        match name.find(|&&byte| matches!(byte, b'"' | b'\\')) {
            Some(b'\\') => Err(Unsure),
            // It ends as another, or is longer than any.
            _ => Ok(None),
        }
    }

    /// The key that `name` means, escapes and all.
    fn meant(name: Text<'_>) -> Option<Self> {
        let mut meant = [0; LONGEST];
        let mut length = 0;
        for code in name.chars() {
            // A zero would look like the end.
            *meant.get_mut(length)? = u8::try_from(code).ok().filter(|&byte| byte != 0)?;
            length += 1;
        }
        let (first, rest) = (eight(&meant), meant.get(8..length).unwrap_or_default());
        let long = LONG.iter().map(|&(first, rest, key)| ((first, rest), key));
        let short = SHORT.iter().map(|&(word, key)| ((word, &[][..]), key));
        let (_, key) = short.chain(long).find(|&(name, _)| name == (first, rest))?;
        Some(key)
    }
}

/// The first eight bytes of `name`, filled up with zeros.
const fn eight(name: &[u8]) -> u64 {
    let mut word = 0;
    let mut at = 0;
    while at < 8 && at < name.len() {
        word |= (name[at] as u64) << (8 * at);
        at += 1;
    }
    word
}

/// It may be written with escapes, or the text is too short to tell at a glance.
struct Unsure;

/// The names of less than eight bytes.
const SHORT: &[(u64, Key)] = &[
    (eight(b"role"), Key::Role),
    (eight(b"content"), Key::Content),
    (eight(b"type"), Key::Type),
    (eight(b"text"), Key::Text),
    (eight(b"id"), Key::Id),
    (eight(b"name"), Key::Name),
    (eight(b"parts"), Key::Parts),
    (eight(b"call_id"), Key::CallId),
    (eight(b"toolUse"), Key::ToolUse),
];

/// The first eight bytes of the others, and the rest.
const LONG: &[(u64, &[u8], Key)] = &[
    (eight(b"tool_cal"), b"ls", Key::ToolCalls),
    (eight(b"tool_cal"), b"l_id", Key::ToolCallId),
    (eight(b"tool_use"), b"_id", Key::ToolUseId),
    (eight(b"function"), b"_call", Key::FunctionCall),
    (eight(b"function"), b"Call", Key::FunctionCallCamel),
    (eight(b"function"), b"_response", Key::FunctionResponse),
    (eight(b"function"), b"Response", Key::FunctionResponseCamel),
    (eight(b"toolResu"), b"lt", Key::ToolResult),
    (eight(b"toolUseI"), b"d", Key::ToolUseIdCamel),
    (eight(b"toolCall"), b"Id", Key::ToolCallIdCamel),
    (eight(b"reasonin"), b"gContent", Key::ReasoningContent),
];

const LONGEST: usize = "function_response".len();

/// The members of an object that matter; of repeated keys the last.
///
/// A member that is not there is a value of no text rather than `None`: the lengths of the texts of many `None`s would stay
/// unwritten, and optimized code looks at them before it looks away, which memory checkers report.
pub(crate) struct Fields<'t>([Value<'t>; KEYS]);

impl<'t> Fields<'t> {
    const NONE: Self = Self([Value::NOTHING; KEYS]);

    fn of(object: Value<'t>) -> Self {
        let mut fields = Self::NONE;
        for (name, value) in object.members() {
            if let Some((key, _)) = Key::of(name) {
                fields.set(key, value);
            }
        }
        fields
    }

    /// Takes the member whose key is at the start of `text`, if it matters.
    fn take(&mut self, text: &'t [u8]) -> Option<Key> {
        let (key, behind) = Key::of(string(text))?;
        self.set(key, behind_key(behind)?);
        Some(key)
    }

    fn set(&mut self, key: Key, value: Value<'t>) {
        if let Some(field) = self.0.get_mut(key as usize) {
            *field = value;
        }
    }

    fn get(&self, key: Key) -> Option<Value<'t>> {
        self.0
            .get(key as usize)
            .copied()
            .filter(|value| value.is_there())
    }

    pub(crate) fn string(&self, key: Key) -> Option<Text<'t>> {
        self.get(key)?.string()
    }

    pub(crate) fn object(&self, key: Key) -> Option<Value<'t>> {
        self.get(key).filter(|value| value.is_object())
    }
}

/// The arrays in a message whose objects matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Within {
    Content,
    Parts,
    ToolCalls,
}

impl Within {
    fn key(self) -> Key {
        match self {
            Self::Content => Key::Content,
            Self::Parts => Key::Parts,
            Self::ToolCalls => Key::ToolCalls,
        }
    }
}

/// A message by the steps that were noted when it was read.
pub(crate) struct Message<'t, 's> {
    pub(crate) fields: Fields<'t>,
    text: &'t [u8],
    /// What was noted behind the keys of the arrays.
    steps: [Steps<'s>; 3],
}

impl<'t, 's> Message<'t, 's> {
    /// The message that `text` starts with, and where its steps end.
    pub(crate) fn of(text: &'t [u8], mut steps: Steps<'s>) -> (Self, Steps<'s>) {
        let mut message = Self {
            fields: Fields::NONE,
            text,
            steps: [Steps::NONE; 3],
        };
        while let Some((step, at)) = steps.next() {
            if step != Step::Key {
                continue;
            }
            let member = text.get(at..).unwrap_or_default();
            let within = match message.fields.take(member) {
                Some(Key::Content) => Within::Content,
                Some(Key::Parts) => Within::Parts,
                Some(Key::ToolCalls) => Within::ToolCalls,
                _ => continue,
            };
            if let Some(behind) = message.steps.get_mut(within as usize) {
                *behind = steps;
            }
        }
        (message, steps)
    }

    /// The objects directly inside the array.
    pub(crate) fn objects(&self, within: Within) -> Objects<'t, 's> {
        let steps = self.steps.get(within as usize).copied();
        Objects {
            array: self.fields.get(within.key()).unwrap_or(Value::NOTHING),
            text: self.text,
            steps: steps.unwrap_or(Steps::NONE),
            has_started: false,
        }
    }

    /// The role, and the text: `content` if it is a string, else `text` of the first element of `content`, else of `parts`.
    pub(crate) fn role_and_text(&self) -> (Option<Text<'t>>, Option<Text<'t>>) {
        let first = |within| {
            let object = self.objects(within).next()?;
            object.is_first.then_some(object.fields)
        };
        role_and_text(&self.fields, first)
    }
}

/// The same of the message that `text` starts with, where nothing was noted.
pub(crate) fn role_and_text_of(text: &[u8]) -> (Option<Text<'_>>, Option<Text<'_>>) {
    let fields = Fields::of(Value::new(text));
    let first = |within: Within| {
        let first = fields.get(within.key())?.elements().next()?;
        first.is_object().then(|| Fields::of(first))
    };
    role_and_text(&fields, first)
}

fn role_and_text<'t>(
    message: &Fields<'t>,
    first: impl Fn(Within) -> Option<Fields<'t>>,
) -> (Option<Text<'t>>, Option<Text<'t>>) {
    let text = message
        .string(Key::Content)
        .or_else(|| first(Within::Content)?.string(Key::Text))
        .or_else(|| first(Within::Parts)?.string(Key::Text));
    (message.string(Key::Role), text)
}

/// An object in an array of a message.
pub(crate) struct Object<'t> {
    pub(crate) fields: Fields<'t>,
    /// It is the first element of the array.
    pub(crate) is_first: bool,
}

/// The objects in an array of a message.
pub(crate) struct Objects<'t, 's> {
    array: Value<'t>,
    text: &'t [u8],
    /// From the array's first object on, or behind the object before.
    steps: Steps<'s>,
    /// An object was taken.
    has_started: bool,
}

impl<'t> Iterator for Objects<'t, '_> {
    type Item = Object<'t>;

    fn next(&mut self) -> Option<Object<'t>> {
        let (Step::Object, at) = self.steps.next()? else {
            return None;
        };
        let mut object = Object {
            fields: Fields::NONE,
            // Asked once: the white space before it may be long.
            is_first: !self.has_started && Value::new(self.text.get(at..)?).is_first_of(self.array),
        };
        self.has_started = true;
        let mut behind = self.steps;
        while let Some((Step::ObjectKey, at)) = behind.next() {
            self.steps = behind;
            object.fields.take(self.text.get(at..).unwrap_or_default());
        }
        Some(object)
    }
}

/// Whether a shape is a call or the result of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Call,
    Result,
}

/// Where in a message a shape stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The message itself.
    Message,
    /// An object that is a member of the message.
    Member(Key),
    /// Each object in the array.
    Each(Within),
    /// Each object directly inside `content` or `parts`.
    Block,
    /// An object that is a member, under one of the keys, of an object directly inside the array.
    InEach(Within, &'static [Key]),
}

/// How a shape is known, beside standing in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Always,
    Role(&'static str),
    Type(&'static str),
    TypeEnding(&'static str),
}

/// What ties a result to its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tie {
    Id(Key),
    Name(Key),
    /// A call has both, as far as they are there; a result has its id, else its name. An empty id is no id.
    IdElseName(Key, Key),
}

struct Shape {
    side: Side,
    place: Place,
    mark: Mark,
    tie: Tie,
}

/// The dialects: calls and their results (the table "Dialects" of the README).
const SHAPES: &[Shape] = &[
    // OpenAI chat
    Shape {
        side: Side::Call,
        place: Place::Each(Within::ToolCalls),
        mark: Mark::Always,
        tie: Tie::Id(Key::Id),
    },
    Shape {
        side: Side::Result,
        place: Place::Message,
        mark: Mark::Role("tool"),
        tie: Tie::Id(Key::ToolCallId),
    },
    // OpenAI chat, legacy
    Shape {
        side: Side::Call,
        place: Place::Member(Key::FunctionCall),
        mark: Mark::Always,
        tie: Tie::Name(Key::Name),
    },
    Shape {
        side: Side::Result,
        place: Place::Message,
        mark: Mark::Role("function"),
        tie: Tie::Name(Key::Name),
    },
    // OpenAI Responses items
    Shape {
        side: Side::Call,
        place: Place::Message,
        mark: Mark::TypeEnding("_call"),
        tie: Tie::Id(Key::CallId),
    },
    Shape {
        side: Side::Result,
        place: Place::Message,
        mark: Mark::TypeEnding("_output"),
        tie: Tie::Id(Key::CallId),
    },
    // Anthropic Messages
    Shape {
        side: Side::Call,
        place: Place::Block,
        mark: Mark::TypeEnding("tool_use"),
        tie: Tie::Id(Key::Id),
    },
    Shape {
        side: Side::Result,
        place: Place::Block,
        mark: Mark::TypeEnding("tool_result"),
        tie: Tie::Id(Key::ToolUseId),
    },
    // Gemini contents
    Shape {
        side: Side::Call,
        place: Place::InEach(Within::Parts, &[Key::FunctionCallCamel, Key::FunctionCall]),
        mark: Mark::Always,
        tie: Tie::IdElseName(Key::Id, Key::Name),
    },
    Shape {
        side: Side::Result,
        place: Place::InEach(
            Within::Parts,
            &[Key::FunctionResponseCamel, Key::FunctionResponse],
        ),
        mark: Mark::Always,
        tie: Tie::IdElseName(Key::Id, Key::Name),
    },
    // Bedrock Converse
    Shape {
        side: Side::Call,
        place: Place::InEach(Within::Content, &[Key::ToolUse]),
        mark: Mark::Always,
        tie: Tie::Id(Key::ToolUseIdCamel),
    },
    Shape {
        side: Side::Result,
        place: Place::InEach(Within::Content, &[Key::ToolResult]),
        mark: Mark::Always,
        tie: Tie::Id(Key::ToolUseIdCamel),
    },
    // Vercel AI SDK
    Shape {
        side: Side::Call,
        place: Place::Block,
        mark: Mark::Type("tool-call"),
        tie: Tie::Id(Key::ToolCallIdCamel),
    },
    Shape {
        side: Side::Result,
        place: Place::Block,
        mark: Mark::Type("tool-result"),
        tie: Tie::Id(Key::ToolCallIdCamel),
    },
];

/// A call or a result found in a message.
pub(crate) struct Found<'t> {
    pub(crate) side: Side,
    /// Whether the message itself is the call or the result: an item of OpenAI's Responses.
    pub(crate) is_item: bool,
    pub(crate) id: Option<Cow<'t, [u8]>>,
    pub(crate) name: Option<Cow<'t, [u8]>>,
}

/// Finds the calls and results that stand outside `content` and `parts`.
pub(crate) fn in_message<'t>(
    message: &Message<'t, '_>,
    each: &mut impl FnMut(Found<'t>) -> Result<(), Error>,
) -> Result<(), Error> {
    let fields = &message.fields;
    for shape in SHAPES {
        match shape.place {
            Place::Message => {
                if let Some(found) = shape.find(fields, fields)? {
                    each(Found {
                        is_item: matches!(shape.mark, Mark::TypeEnding(_)),
                        ..found
                    })?;
                }
            }
            Place::Member(key) => {
                if let Some(object) = fields.object(key)
                    && let Some(found) = shape.find(fields, &Fields::of(object))?
                {
                    each(found)?;
                }
            }
            Place::Each(within) => {
                for object in message.objects(within) {
                    if let Some(found) = shape.find(fields, &object.fields)? {
                        each(found)?;
                    }
                }
            }
            Place::Block | Place::InEach(..) => {}
        }
    }
    Ok(())
}

/// Finds the calls and results in `block`, an object directly inside the array `within` of `message`.
pub(crate) fn in_block<'t>(
    message: &Message<'t, '_>,
    within: Within,
    block: &Fields<'t>,
    each: &mut impl FnMut(Found<'t>) -> Result<(), Error>,
) -> Result<(), Error> {
    for shape in SHAPES {
        match shape.place {
            Place::Block => {
                if let Some(found) = shape.find(&message.fields, block)? {
                    each(found)?;
                }
            }
            Place::InEach(array, keys) if array == within => {
                for object in keys.iter().filter_map(|&key| block.object(key)) {
                    if let Some(found) = shape.find(&message.fields, &Fields::of(object))? {
                        each(found)?;
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

impl Shape {
    /// The shape in `object`, which stands in the shape's place. A call without its tie is no call; a result is there
    /// without one, too.
    fn find<'t>(
        &self,
        message: &Fields<'t>,
        object: &Fields<'t>,
    ) -> Result<Option<Found<'t>>, Error> {
        let marked = match self.mark {
            Mark::Always => true,
            Mark::Role(role) => message.string(Key::Role).is_some_and(|text| text.is(role)),
            Mark::Type(kind) => object.string(Key::Type).is_some_and(|text| text.is(kind)),
            Mark::TypeEnding(ending) => object
                .string(Key::Type)
                .is_some_and(|text| text.ends_with(ending)),
        };
        if !marked {
            return Ok(None);
        }
        let text = |key| object.string(key).map(Text::decoded).transpose();
        let (id, name) = match self.tie {
            Tie::Id(key) => (text(key)?, None),
            Tie::Name(key) => (None, text(key)?),
            Tie::IdElseName(id, name) => {
                let id = text(id)?.filter(|id| !id.is_empty());
                match self.side {
                    Side::Result if id.is_some() => (id, None),
                    _ => (id, text(name)?),
                }
            }
        };
        if self.side == Side::Call && id.is_none() && name.is_none() {
            return Ok(None);
        }
        Ok(Some(Found {
            side: self.side,
            is_item: false,
            id,
            name,
        }))
    }
}
