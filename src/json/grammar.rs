//! The grammar of JSON (RFC 8259), fed with the starts of tokens.

use super::{Kind, Span, is_space};

/// What a token is, by its first byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    ObjectOpens,
    ObjectCloses,
    ArrayOpens,
    ArrayCloses,
    Colon,
    Comma,
    String,
    /// A number, a literal, or something that JSON does not know.
    Scalar,
}

const CLASSES: usize = Class::Scalar as usize + 1;

const CLASS_OF: [Class; 256] = {
    let mut table = [Class::Scalar; 256];
    table[b'{' as usize] = Class::ObjectOpens;
    table[b'}' as usize] = Class::ObjectCloses;
    table[b'[' as usize] = Class::ArrayOpens;
    table[b']' as usize] = Class::ArrayCloses;
    table[b':' as usize] = Class::Colon;
    table[b',' as usize] = Class::Comma;
    table[b'"' as usize] = Class::String;
    table
};

/// What is waited for, and in which container. The outermost array has states of its own, since its elements matter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The outermost value.
    Start,
    /// Nothing: the outermost value is complete.
    End,
    FirstElement,
    Element,
    AfterElement,
    /// In any other array.
    FirstItem,
    Item,
    AfterItem,
    FirstKey,
    Key,
    Colon,
    Value,
    AfterValue,
}

const STATES: usize = 16;

/// What a token does: the next state in the lower four bits, and one of these where that is not all.
const SCALAR: u8 = 0x10;
const ELEMENT: u8 = 0x20;
const OPEN: u8 = 0x40;
const CLOSE: u8 = 0x80;
const FAULT: u8 = 0xFF;

const ACTIONS: [u8; STATES * CLASSES] = {
    let mut table = [FAULT; STATES * CLASSES];
    // Where a value may stand, what comes after it, and whether it is an element of the outermost array.
    let values = [
        (State::Start, State::End, ELEMENT),
        (State::FirstElement, State::AfterElement, ELEMENT),
        (State::Element, State::AfterElement, ELEMENT),
        (State::FirstItem, State::AfterItem, 0),
        (State::Item, State::AfterItem, 0),
        (State::Value, State::AfterValue, 0),
    ];
    let mut index = 0;
    while index < values.len() {
        let (state, after, element) = values[index];
        let inner = match state {
            State::Start => State::FirstElement,
            _ => State::FirstItem,
        };
        table[at(state, Class::ObjectOpens)] = State::FirstKey as u8 | OPEN | element;
        table[at(state, Class::ArrayOpens)] = inner as u8 | OPEN | element;
        table[at(state, Class::String)] = after as u8 | element;
        table[at(state, Class::Scalar)] = after as u8 | element | SCALAR;
        index += 1;
    }
    table[at(State::FirstElement, Class::ArrayCloses)] = CLOSE;
    table[at(State::FirstItem, Class::ArrayCloses)] = CLOSE;
    table[at(State::AfterElement, Class::Comma)] = State::Element as u8;
    table[at(State::AfterElement, Class::ArrayCloses)] = CLOSE;
    table[at(State::AfterItem, Class::Comma)] = State::Item as u8;
    table[at(State::AfterItem, Class::ArrayCloses)] = CLOSE;
    table[at(State::FirstKey, Class::String)] = State::Colon as u8;
    table[at(State::FirstKey, Class::ObjectCloses)] = CLOSE;
    table[at(State::Key, Class::String)] = State::Colon as u8;
    table[at(State::Colon, Class::Colon)] = State::Value as u8;
    table[at(State::AfterValue, Class::Comma)] = State::Key as u8;
    table[at(State::AfterValue, Class::ObjectCloses)] = CLOSE;
    table
};

const fn at(state: State, class: Class) -> usize {
    class as usize * STATES + state as usize
}

/// What a token means for the elements of the outermost array.
pub(super) enum Event {
    Nothing,
    ObjectStarts,
    ObjectEnds(Span),
    /// An element of another kind starts here.
    Other(Kind),
    Fault,
}

/// Where the text stands in the grammar.
pub(super) struct Grammar {
    state: u8,
    /// What the open containers stand in, two bits each, the innermost lowest: [`IN_NOTHING`] and so on. The innermost 32
    /// here, the others in `outer`.
    parents: u64,
    depth: usize,
    outer: Vec<u64>,
    kind: Option<Kind>,
    span: Span,
    /// Where the object starts that is an element of the outermost array.
    element: usize,
}

const IN_NOTHING: u64 = 0;
const IN_OUTERMOST_ARRAY: u64 = 1;
const IN_ARRAY: u64 = 2;
const IN_OBJECT: u64 = 3;
const PER_WORD: usize = 32;

const AFTER: [u8; 4] = [
    State::End as u8,
    State::AfterElement as u8,
    State::AfterItem as u8,
    State::AfterValue as u8,
];

/// What a container stands in that opens in each state.
const PARENT: [u64; STATES] = {
    let mut table = [IN_NOTHING; STATES];
    table[State::FirstElement as usize] = IN_OUTERMOST_ARRAY;
    table[State::Element as usize] = IN_OUTERMOST_ARRAY;
    table[State::FirstItem as usize] = IN_ARRAY;
    table[State::Item as usize] = IN_ARRAY;
    table[State::Value as usize] = IN_OBJECT;
    table
};

impl Default for Grammar {
    fn default() -> Self {
        Self {
            state: State::Start as u8,
            parents: 0,
            depth: 0,
            outer: Vec::new(),
            kind: None,
            span: Span { start: 0, end: 0 },
            element: 0,
        }
    }
}

impl Grammar {
    /// Takes the token that starts at `at`.
    #[inline(always)]
    pub(super) fn token(&mut self, text: &[u8], at: usize) -> Event {
        let byte = text.get(at).copied().unwrap_or_default();
        let class = CLASS_OF[usize::from(byte)] as usize;
        let before = self.state;
        let action = ACTIONS[class * STATES + usize::from(before & 0x0F)];
        self.state = action & 0x0F;
        if action < SCALAR {
            return Event::Nothing;
        }
        if action == CLOSE {
            return self.close(byte, at);
        }
        if action & SCALAR != 0 && !is_scalar(text, at) {
            // Of a fault all bits are set.
            return Event::Fault;
        }
        if action < ELEMENT {
            return Event::Nothing;
        }
        self.uncommon(before, action, byte, at)
    }

    /// Opens, elements of the outermost array, the outermost value, and faults that look like numbers.
    #[inline(always)]
    fn uncommon(&mut self, before: u8, action: u8, byte: u8, at: usize) -> Event {
        if action == FAULT {
            return Event::Fault;
        }
        if action & OPEN != 0 {
            if self.depth != 0 && self.depth.is_multiple_of(PER_WORD) {
                self.outer.push(self.parents);
            }
            self.depth += 1;
            self.parents = self.parents << 2 | PARENT[usize::from(before & 0x0F)];
        }
        if before == State::Start as u8 {
            return self.outermost(byte, at);
        }
        if action & ELEMENT == 0 {
            return Event::Nothing;
        }
        match Kind::starting_with(byte) {
            Kind::Object => {
                self.element = at;
                Event::ObjectStarts
            }
            other => Event::Other(other),
        }
    }

    fn outermost(&mut self, byte: u8, at: usize) -> Event {
        self.kind = Some(Kind::starting_with(byte));
        self.span = Span { start: at, end: at };
        Event::Nothing
    }

    #[inline(always)]
    fn close(&mut self, byte: u8, at: usize) -> Event {
        let parent = self.parents & 3;
        self.parents >>= 2;
        self.depth -= 1;
        if self.depth != 0 && self.depth.is_multiple_of(PER_WORD) {
            self.parents = self.outer.pop().unwrap_or_default();
        }
        self.state = AFTER[parent as usize];
        if parent == IN_NOTHING {
            self.span.end = at + 1;
        } else if parent == IN_OUTERMOST_ARRAY && byte == b'}' {
            return Event::ObjectEnds(Span {
                start: self.element,
                end: at + 1,
            });
        }
        Event::Nothing
    }

    /// What the outermost value is and where it stands, if it is complete.
    pub(super) fn document(&self) -> Option<(Kind, Span)> {
        let kind = self.kind.filter(|_| self.state == State::End as u8)?;
        Some((kind, self.span))
    }
}

/// Whether a literal or a number starts at `at`, and nothing is glued to its end.
#[inline(always)]
fn is_scalar(text: &[u8], at: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default();
    let length = match rest.first() {
        Some(b't') if rest.starts_with(b"true") => 4,
        Some(b'f') if rest.starts_with(b"false") => 5,
        Some(b'n') if rest.starts_with(b"null") => 4,
        _ => match number(rest) {
            Some(length) => length,
            None => return false,
        },
    };
    rest.get(length)
        .is_none_or(|&byte| is_space(byte) || CLASS_OF[usize::from(byte)] != Class::Scalar)
}

/// The length of the number that `text` starts with.
#[inline(always)]
fn number(text: &[u8]) -> Option<usize> {
    let start = usize::from(text.first() == Some(&b'-'));
    let mut at = digits(text, start);
    if at == start || (text.get(start) == Some(&b'0') && at > start + 1) {
        return None;
    }
    if text.get(at) == Some(&b'.') {
        let start = at + 1;
        at = digits(text, start);
        if at == start {
            return None;
        }
    }
    if let Some(b'e' | b'E') = text.get(at) {
        at += 1;
        if let Some(b'+' | b'-') = text.get(at) {
            at += 1;
        }
        let start = at;
        at = digits(text, start);
        if at == start {
            return None;
        }
    }
    Some(at)
}

/// The offset behind the digits that start at `at`.
#[inline(always)]
fn digits(text: &[u8], mut at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // Eight at a time: a digit has 3 in its upper half, also when six is added to it.
    while let Some(eight) = text.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*eight);
        let upper = |word: u64| (word & (ONES * 0xF0)) ^ (ONES * 0x30);
        if upper(word) | upper(word.wrapping_add(ONES * 6)) != 0 {
            break;
        }
        at += 8;
    }
    while text.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}
