//! The grammar of JSON (RFC 8259), fed with the starts of tokens.
//!
//! An automaton with few enough states that a state is a shift count, and all that a token does is one shift: the next
//! state is cut out of a word that the token's first byte names. Only brackets and scalars need more than that.

use super::{Kind, Span, is_space};

/// What is waited for. Six bits each in a word of 64, so there is room for ten.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing any more: a state that is never left.
    Fault,
    /// An element, or the end of the array that was just opened.
    FirstItem,
    Item,
    AfterItem,
    /// A key, or the end of the object that was just opened.
    FirstKey,
    Key,
    Colon,
    Value,
    AfterValue,
    /// The outermost value is complete, or has not started.
    Outside,
}

const BITS: u64 = 6;
const MASK: u64 = (1 << BITS) - 1;

impl State {
    const fn shift(self) -> u64 {
        self as u64 * BITS
    }

    /// The word of a token that leads from `self` to `to`, and from any other state to the fault.
    const fn to(self, to: Self) -> u64 {
        to.shift() << self.shift()
    }
}

/// The states in which a value may stand, each with what comes after a value that is no container.
const VALUE: u64 = State::FirstItem.to(State::AfterItem)
    | State::Item.to(State::AfterItem)
    | State::Value.to(State::AfterValue);

const fn opening(first: State) -> u64 {
    State::FirstItem.to(first) | State::Item.to(first) | State::Value.to(first)
}

/// For the first byte of every token where it leads from every state. What a closing bracket leads to depends on what it
/// stands in; here it only must not be the fault.
const WORDS: [u64; 256] = {
    let mut table = [VALUE; 256];
    table[b'{' as usize] = opening(State::FirstKey);
    table[b'[' as usize] = opening(State::FirstItem);
    table[b'}' as usize] =
        State::FirstKey.to(State::Outside) | State::AfterValue.to(State::Outside);
    table[b']' as usize] =
        State::FirstItem.to(State::Outside) | State::AfterItem.to(State::Outside);
    table[b':' as usize] = State::Colon.to(State::Value);
    table[b',' as usize] = State::AfterItem.to(State::Item) | State::AfterValue.to(State::Key);
    table[b'"' as usize] = VALUE | State::FirstKey.to(State::Colon) | State::Key.to(State::Colon);
    table
};

/// What a token needs beside its shift.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Commas and colons: nothing.
    Plain,
    /// To be noticed where it is an element.
    String,
    /// The same, and to be looked at: a number, a literal, or something that JSON does not know.
    Scalar,
    Opens,
    Closes,
}

const CLASSES: [Class; 256] = {
    let mut table = [Class::Scalar; 256];
    table[b'{' as usize] = Class::Opens;
    table[b'[' as usize] = Class::Opens;
    table[b'}' as usize] = Class::Closes;
    table[b']' as usize] = Class::Closes;
    table[b':' as usize] = Class::Plain;
    table[b',' as usize] = Class::Plain;
    table[b'"' as usize] = Class::String;
    table
};

/// What a token means for the elements of the outermost array.
pub(super) enum Event {
    Nothing,
    ObjectStarts,
    ObjectEnds(Span),
    /// An element of another kind starts here.
    Other(Kind),
    Fault,
    /// There is no memory for another level of nesting.
    NoMemory,
}

/// Where the text stands in the grammar.
pub(super) struct Grammar {
    /// A shift count: the lower six bits count.
    state: u64,
    /// What is open: one bit each, set for an object, the innermost lowest. The innermost 64 here, the others in `outer`.
    open: u64,
    depth: usize,
    outer: Vec<u64>,
    /// The outermost value, once it has started, and where it stands.
    kind: Option<Kind>,
    span: Span,
    /// The depth of the elements of the outermost array; one that does not occur if the outermost value is no array.
    elements: usize,
    /// Where the object starts that is an element of the outermost array.
    element: usize,
}

impl Default for Grammar {
    fn default() -> Self {
        Self {
            state: State::Outside.shift(),
            open: 0,
            depth: 0,
            outer: Vec::new(),
            kind: None,
            span: Span { start: 0, end: 0 },
            elements: usize::MAX,
            element: 0,
        }
    }
}

impl Grammar {
    /// Takes the token that starts at `at`. A fault may be noticed only by [`is_fault`](Self::is_fault).
    #[inline(always)]
    pub(super) fn token(&mut self, text: &[u8], at: usize) -> Event {
        let byte = text.get(at).copied().unwrap_or_default();
        let before = self.state;
        self.state = WORDS[usize::from(byte)] >> (before & MASK);
        let class = CLASSES[usize::from(byte)];
        if class == Class::Plain || (class == Class::String && self.depth > 1) {
            return Event::Nothing;
        }
        match class {
            Class::Scalar if !is_scalar(text, at) => Event::Fault,
            Class::Scalar if self.depth > 1 => Event::Nothing,
            Class::Opens if self.depth > 1 => self.open(byte),
            Class::Closes => self.close(byte, at),
            _ => self.shallow(before, byte, at),
        }
    }

    /// Whether there was a fault in what was taken so far.
    #[inline(always)]
    pub(super) fn is_fault(&self) -> bool {
        self.state & MASK == State::Fault.shift()
    }

    #[inline(always)]
    fn open(&mut self, byte: u8) -> Event {
        if self.depth.is_multiple_of(64) && self.depth != 0 {
            if self.outer.try_reserve(1).is_err() {
                return Event::NoMemory;
            }
            self.outer.push(self.open);
        }
        self.depth += 1;
        self.open = self.open << 1 | u64::from(byte == b'{');
        Event::Nothing
    }

    #[inline(always)]
    fn close(&mut self, byte: u8, at: usize) -> Event {
        if self.is_fault() {
            return Event::Fault;
        }
        self.depth -= 1;
        self.open >>= 1;
        if self.depth.is_multiple_of(64) && self.depth != 0 {
            self.open = self.outer.pop().unwrap_or_default();
        }
        // Without a branch, since a bracket is hard to foresee.
        let in_object = self.open & 1;
        self.state = State::AfterItem.shift()
            + in_object * (State::AfterValue.shift() - State::AfterItem.shift());
        if self.depth > 1 {
            return Event::Nothing;
        }
        if self.depth == 0 {
            self.state = State::Outside.shift();
            self.span.end = at + 1;
        } else if self.elements == 1 && byte == b'}' {
            return Event::ObjectEnds(Span {
                start: self.element,
                end: at + 1,
            });
        }
        Event::Nothing
    }

    /// Takes the outermost value, and what stands directly in it.
    fn shallow(&mut self, before: u64, byte: u8, at: usize) -> Event {
        let kind = Kind::starting_with(byte);
        if self.depth == 0 {
            // A comma or a colon before it has led to the fault already.
            if self.kind.is_some() || before & MASK != State::Outside.shift() {
                return Event::Fault;
            }
            self.kind = Some(kind);
            self.span = Span { start: at, end: at };
            self.state = match kind {
                Kind::Object => State::FirstKey.shift(),
                Kind::Array => State::FirstItem.shift(),
                _ => State::Outside.shift(),
            };
            if kind == Kind::Array {
                self.elements = 1;
            }
        } else if self.is_fault() {
            return Event::Fault;
        }
        let is_element = self.depth == self.elements;
        // The first levels need no memory.
        if let Kind::Object | Kind::Array = kind {
            self.open(byte);
        }
        match kind {
            _ if !is_element => Event::Nothing,
            Kind::Object => {
                self.element = at;
                Event::ObjectStarts
            }
            other => Event::Other(other),
        }
    }

    /// How many bytes the next level of nesting needs.
    pub(super) fn memory(&self) -> usize {
        self.outer.len().saturating_add(1).saturating_mul(8)
    }

    /// What the outermost value is and where it stands, if it is complete.
    pub(super) fn document(&self) -> Option<(Kind, Span)> {
        let complete = self.depth == 0 && !self.is_fault();
        Some((self.kind.filter(|_| complete)?, self.span))
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
        .is_none_or(|&byte| is_space(byte) || CLASSES[usize::from(byte)] != Class::Scalar)
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
