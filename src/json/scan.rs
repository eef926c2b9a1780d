//! One pass over a text: UTF-8, the whole grammar of JSON (RFC 8259), the elements of its array, their lengths.
//!
//! Accepted beyond what value trees take: numbers of any length, escapes of lone surrogates, any depth.
//!
//! A block of 64 bytes is turned into masks: what is inside strings, what is white space, where tokens start, which
//! characters take how many bytes. The lengths are counted by population counts; the grammar looks at the starts of tokens
//! alone. Inside a long string hardly anything is left to do. Where something is wrong is not found here: a text that is
//! refused is read again by [`fault`](super::fault), at leisure.

use super::block::{Block, Kernel, WIDTH, dispatch, in_blocks};
use super::strings::{Quoted, Strings};
use super::{Kind, Length, Span, escape, fault, is_space};
use crate::error::Error;

/// One element of the outermost array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    pub(crate) kind: Kind,
    /// Where the object stands; of another kind only where it starts.
    pub(crate) span: Span,
    /// Of an object.
    pub(crate) length: Length,
}

/// What the text as a whole is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Document {
    pub(crate) kind: Kind,
    /// Without the white space around it.
    pub(crate) span: Span,
}

/// Reads `text`, which errors call `name`, to its end and calls `each` for every element of the outermost array, in order.
///
/// `each` may have seen elements, also beyond the fault, when the text turns out not to be JSON. Where the outermost value
/// is no array, `each` is never called.
pub(crate) fn elements(
    name: &'static str,
    text: &[u8],
    each: &mut dyn FnMut(Element) -> Result<(), Error>,
) -> Result<Document, Error> {
    match dispatch(Scan { text, each }) {
        Ok(document) => Ok(document),
        Err(Stop::Asked(error)) => Err(error),
        Err(Stop::Fault) => Err(fault::find(name, text)),
    }
}

enum Stop {
    /// `each` failed.
    Asked(Error),
    /// The text is not UTF-8 or not JSON.
    Fault,
}

// One kernel for whatever `each` is, since there is much of it and it is compiled for every back end.
struct Scan<'t, 'f> {
    text: &'t [u8],
    each: &'f mut dyn FnMut(Element) -> Result<(), Error>,
}

impl Kernel for Scan<'_, '_> {
    type Output = Result<Document, Stop>;

    #[inline(always)]
    fn run<B: Block>(self) -> Self::Output {
        let Scan { text, each } = self;
        let mut encoding = Encoding::default();
        let mut carry = Carry::default();
        let mut counter = Counter::new(text);
        let mut grammar = Grammar::default();
        let (blocks, last) = in_blocks(text);
        for (index, bytes) in blocks.iter().chain([&last]).enumerate() {
            let base = index * WIDTH;
            encoding.check(text, base + WIDTH)?;
            let block = B::load(bytes);
            let masks = carry.masks(block);
            let mut tokens = masks.tokens;
            while tokens != 0 {
                let bit = tokens.trailing_zeros();
                tokens &= tokens - 1;
                let event = grammar.token(text, base + bit as usize);
                match event {
                    Event::Nothing => {}
                    Event::ObjectStarts => counter.start(base, &masks, bit),
                    Event::ObjectEnds(span) => {
                        let element = Element {
                            kind: Kind::Object,
                            span,
                            length: counter.finish(base, &masks, bit),
                        };
                        each(element).map_err(Stop::Asked)?;
                    }
                    Event::Other(kind, start) => {
                        let element = Element {
                            kind,
                            span: Span { start, end: start },
                            length: Length::default(),
                        };
                        each(element).map_err(Stop::Asked)?;
                    }
                    Event::Fault => return Err(Stop::Fault),
                }
            }
            counter.finish_block(base, &masks);
        }
        if carry.is_fault() {
            return Err(Stop::Fault);
        }
        grammar.document().ok_or(Stop::Fault)
    }
}

/// Checks that the text is UTF-8, some blocks ahead of where they are read: by then they are near the processor.
#[derive(Default)]
struct Encoding {
    checked: usize,
}

impl Encoding {
    const STRIDE: usize = 128 * WIDTH;

    #[inline(always)]
    fn check(&mut self, text: &[u8], upto: usize) -> Result<(), Stop> {
        if upto <= self.checked || self.checked == text.len() {
            return Ok(());
        }
        self.advance(text).ok_or(Stop::Fault)
    }

    fn advance(&mut self, text: &[u8]) -> Option<()> {
        let rest = text.get(self.checked..)?;
        let mut stride = rest.len().min(Self::STRIDE);
        if stride < rest.len() {
            // Up to the start of a character, which is at most three bytes back.
            while stride > 0 && rest.get(stride).is_some_and(|byte| byte & 0xC0 == 0x80) {
                stride -= 1;
            }
            if stride == 0 {
                return None;
            }
        }
        is_utf8(rest.get(..stride)?).then_some(())?;
        self.checked += stride;
        Some(())
    }
}

#[cfg(not(feature = "portable"))]
fn is_utf8(text: &[u8]) -> bool {
    simdutf8::basic::from_utf8(text).is_ok()
}

#[cfg(feature = "portable")]
fn is_utf8(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok()
}

/// What a block's bytes are. Bits inside strings include the opening quote and not the closing one.
struct Masks {
    /// Where the grammar's tokens start: brackets, commas, colons, strings, and runs of anything else.
    tokens: u64,
    /// What compact JSON keeps: all but the white space between tokens.
    compact: u64,
    /// Bytes that continue a character.
    continuation: u64,
    /// First bytes of characters of four bytes.
    astral: u64,
    /// First bytes of what may be U+2028 or U+2029.
    separator: u64,
    /// Escaped slashes, which need no escape.
    slash: u64,
    /// The `u` of escapes that stand for a character from U+1000 on that is no surrogate and no separator.
    plain_unicode: u64,
    /// The `u` of other such escapes.
    other_unicode: u64,
}

/// What goes on from one block to the next.
#[derive(Default)]
struct Carry {
    strings: Strings,
    /// 1 if the last byte belongs to a number or a literal.
    scalar: u64,
    /// The first bytes of the next block that must be hexadecimal digits.
    hex: u64,
    /// Bits set wherever something was wrong that the grammar does not see.
    fault: u64,
}

impl Carry {
    #[inline(always)]
    fn masks<B: Block>(&mut self, block: B) -> Masks {
        let Quoted {
            inside,
            quotes,
            escaped,
        } = self.strings.next(block);
        self.fault |= block.within(0, 0x1F) & inside;

        let (space, operators) = block.space_and_operators();
        let outside = !inside;
        let scalar = outside & !(space | operators | quotes);
        let scalar_starts = scalar & !(scalar << 1 | self.scalar);
        self.scalar = scalar >> 63;
        let mut masks = Masks {
            tokens: operators & outside | quotes & inside | scalar_starts,
            compact: !(space & outside),
            continuation: 0,
            astral: 0,
            separator: 0,
            slash: 0,
            plain_unicode: 0,
            other_unicode: 0,
        };
        if block.beyond_ascii() != 0 {
            masks.continuation = block.within(0x80, 0xBF);
            masks.astral = block.within(0xF0, 0xFF);
            masks.separator = block.equal(0xE2);
        }
        if (escaped | self.hex) != 0 {
            self.unescape(block, escaped, &mut masks);
        }
        masks
    }

    /// Checks what is escaped, and sorts it by what it adds to the length.
    #[inline(always)]
    fn unescape<B: Block>(&mut self, block: B, escaped: u64, masks: &mut Masks) {
        let unicode = block.equal(b'u') & escaped;
        let known = block.any_of([b'"', b'\\', b'/', b'b', b'f', b'n', b'r', b't']);
        self.fault |= escaped & !(known | unicode);
        masks.slash = block.equal(b'/') & escaped;
        if (unicode | self.hex) == 0 {
            return;
        }
        let digits = unicode << 1 | unicode << 2 | unicode << 3 | unicode << 4 | self.hex;
        self.hex = unicode >> 63 | unicode >> 62 | unicode >> 61 | unicode >> 60;
        let hex = block.within(b'0', b'9') | block.within(b'A', b'F') | block.within(b'a', b'f');
        self.fault |= digits & !hex;
        // By the first digit: below U+1000, the separators, surrogates. Where it is in the next block, nobody knows.
        let special = block.any_of([b'0', b'2', b'D', b'd']) >> 1 | 1 << 63;
        masks.plain_unicode = unicode & !special;
        masks.other_unicode = unicode & special;
    }

    /// Whether something was wrong, at the end of the text.
    fn is_fault(&self) -> bool {
        self.strings.is_open() || (self.fault | self.hex) != 0
    }
}

/// Adds up the length of the object being read.
struct Counter<'t> {
    text: &'t [u8],
    /// The bits of the block that are not counted yet.
    open: u64,
    length: Length,
    /// How many of the bytes counted, or yet to be counted, are those of escapes that take less in compact JSON.
    spared: u64,
    /// Where the second half of a surrogate pair stands whose first half was counted.
    second_half: usize,
}

impl<'t> Counter<'t> {
    fn new(text: &'t [u8]) -> Self {
        Self {
            text,
            open: u64::MAX,
            length: Length::default(),
            spared: 0,
            second_half: usize::MAX,
        }
    }

    /// An object starts at `bit`.
    #[inline(always)]
    fn start(&mut self, base: usize, masks: &Masks, bit: u32) {
        self.settle(base, masks, below(bit));
        self.length = Length::default();
        self.spared = 0;
    }

    /// The object ends with `bit`.
    #[inline(always)]
    fn finish(&mut self, base: usize, masks: &Masks, bit: u32) -> Length {
        self.settle(base, masks, below(bit) | 1 << bit);
        Length {
            bytes: self.length.bytes.saturating_sub(self.spared),
            ..self.length
        }
    }

    #[inline(always)]
    fn finish_block(&mut self, base: usize, masks: &Masks) {
        self.settle(base, masks, u64::MAX);
        self.open = u64::MAX;
    }

    /// Counts the bits in `upto` that are not counted yet.
    #[inline(always)]
    fn settle(&mut self, base: usize, masks: &Masks, upto: u64) {
        let bits = upto & self.open;
        self.open &= !upto;
        let count = |mask: u64| u64::from((mask & bits).count_ones());
        let length = &mut self.length;
        length.bytes += count(masks.compact);
        if (masks.continuation | masks.astral | masks.separator) != 0 {
            length.continuation += count(masks.continuation);
            length.astral += count(masks.astral);
            let mut separators = masks.separator & bits;
            while separators != 0 {
                let at = base + separators.trailing_zeros() as usize;
                separators &= separators - 1;
                // U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
                let after = self.text.get(at + 1..at + 3);
                length.separators += u64::from(matches!(after, Some([0x80, 0xA8 | 0xA9])));
            }
        }
        if (masks.slash | masks.plain_unicode | masks.other_unicode) != 0 {
            self.settle_escapes(base, masks, bits);
        }
    }

    /// Puts in place of an escape's own bytes those of the character that it stands for.
    #[inline(always)]
    fn settle_escapes(&mut self, base: usize, masks: &Masks, bits: u64) {
        let count = |mask: u64| u64::from((mask & bits).count_ones());
        let plain = count(masks.plain_unicode);
        // An escape has six bytes, such a character three.
        self.spared += count(masks.slash) + 3 * plain;
        self.length.continuation += 2 * plain;
        let mut others = masks.other_unicode & bits;
        while others != 0 {
            let at = base + others.trailing_zeros() as usize;
            others &= others - 1;
            self.spared += 6;
            if at == self.second_half {
                continue;
            }
            // What is no escape here is a fault that is reported in the end.
            let escape = self.text.get(at - 1..).unwrap_or_default();
            if let Ok((code, taken)) = escape::read(escape) {
                self.length.add_escaped(code);
                if taken > 6 {
                    self.second_half = at + 6;
                }
            }
        }
    }
}

/// The bits below `bit`.
fn below(bit: u32) -> u64 {
    (1 << bit) - 1
}

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

/// What the grammar waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Value,
    /// A value, or the end of the array that was just opened.
    FirstValue,
    Key,
    /// A key, or the end of the object that was just opened.
    FirstKey,
    Colon,
    AfterMember,
    AfterElement,
    /// Nothing: the outermost value is complete.
    End,
}

const STATES: usize = State::End as usize + 1;

/// What a token does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Fault,
    /// Only the state changes.
    Go(State),
    Open(Kind),
    Close,
    /// A value that is no container.
    Leaf,
    ScalarLeaf,
}

const ACTIONS: [[Action; CLASSES]; STATES] = {
    let mut table = [[Action::Fault; CLASSES]; STATES];
    let value_states = [State::Value, State::FirstValue];
    let mut index = 0;
    while index < value_states.len() {
        let row = &mut table[value_states[index] as usize];
        row[Class::ObjectOpens as usize] = Action::Open(Kind::Object);
        row[Class::ArrayOpens as usize] = Action::Open(Kind::Array);
        row[Class::String as usize] = Action::Leaf;
        row[Class::Scalar as usize] = Action::ScalarLeaf;
        index += 1;
    }
    table[State::FirstValue as usize][Class::ArrayCloses as usize] = Action::Close;
    table[State::FirstKey as usize][Class::ObjectCloses as usize] = Action::Close;
    table[State::FirstKey as usize][Class::String as usize] = Action::Go(State::Colon);
    table[State::Key as usize][Class::String as usize] = Action::Go(State::Colon);
    table[State::Colon as usize][Class::Colon as usize] = Action::Go(State::Value);
    table[State::AfterMember as usize][Class::Comma as usize] = Action::Go(State::Key);
    table[State::AfterMember as usize][Class::ObjectCloses as usize] = Action::Close;
    table[State::AfterElement as usize][Class::Comma as usize] = Action::Go(State::Value);
    table[State::AfterElement as usize][Class::ArrayCloses as usize] = Action::Close;
    table
};

/// What a token means for the elements of the outermost array.
enum Event {
    Nothing,
    ObjectStarts,
    ObjectEnds(Span),
    /// An element of another kind starts here.
    Other(Kind, usize),
    Fault,
}

/// The grammar, fed with the starts of tokens.
struct Grammar {
    state: State,
    /// What is open: one bit each, set for an object, the innermost lowest. The innermost 64 here, the rest in `outer`.
    open: u64,
    depth: usize,
    outer: Vec<u64>,
    outermost: Option<Kind>,
    span: Span,
    /// Where the element of the outermost array starts that is being read.
    element: usize,
}

impl Default for Grammar {
    fn default() -> Self {
        Self {
            state: State::Value,
            open: 0,
            depth: 0,
            outer: Vec::new(),
            outermost: None,
            span: Span { start: 0, end: 0 },
            element: 0,
        }
    }
}

impl Grammar {
    #[inline(always)]
    fn token(&mut self, text: &[u8], at: usize) -> Event {
        let byte = text.get(at).copied().unwrap_or_default();
        let class = CLASS_OF[usize::from(byte)];
        match ACTIONS[self.state as usize][class as usize] {
            Action::Go(state) => {
                self.state = state;
                Event::Nothing
            }
            Action::Leaf => {
                self.state = self.after_value();
                self.leaf(byte, at)
            }
            Action::ScalarLeaf => {
                if !is_scalar(text, at) {
                    return Event::Fault;
                }
                self.state = self.after_value();
                self.leaf(byte, at)
            }
            Action::Open(kind) => self.open(kind, at),
            Action::Close => self.close(at),
            Action::Fault => Event::Fault,
        }
    }

    #[inline(always)]
    fn leaf(&mut self, byte: u8, at: usize) -> Event {
        match self.depth {
            0 => {
                self.outermost = Some(Kind::starting_with(byte));
                self.span = Span { start: at, end: at };
                Event::Nothing
            }
            1 if self.outermost == Some(Kind::Array) => Event::Other(Kind::starting_with(byte), at),
            _ => Event::Nothing,
        }
    }

    #[inline(always)]
    fn open(&mut self, kind: Kind, at: usize) -> Event {
        let is_element = self.depth == 1 && self.outermost == Some(Kind::Array);
        if self.depth == 0 {
            self.outermost = Some(kind);
            self.span = Span { start: at, end: at };
        }
        if self.depth != 0 && self.depth.is_multiple_of(64) {
            self.outer.push(self.open);
        }
        self.depth += 1;
        self.open = self.open << 1 | u64::from(kind == Kind::Object);
        self.state = match kind {
            Kind::Object => State::FirstKey,
            _ => State::FirstValue,
        };
        match (is_element, kind) {
            (false, _) => Event::Nothing,
            (true, Kind::Object) => {
                self.element = at;
                Event::ObjectStarts
            }
            (true, _) => Event::Other(kind, at),
        }
    }

    #[inline(always)]
    fn close(&mut self, at: usize) -> Event {
        let is_object = self.open & 1 == 1;
        self.depth -= 1;
        self.open >>= 1;
        if self.depth != 0 && self.depth.is_multiple_of(64) {
            self.open = self.outer.pop().unwrap_or_default();
        }
        self.state = self.after_value();
        match self.depth {
            0 => {
                self.span.end = at + 1;
                Event::Nothing
            }
            1 if is_object && self.outermost == Some(Kind::Array) => Event::ObjectEnds(Span {
                start: self.element,
                end: at + 1,
            }),
            _ => Event::Nothing,
        }
    }

    #[inline(always)]
    fn after_value(&self) -> State {
        if self.depth == 0 {
            State::End
        } else if self.open & 1 == 1 {
            State::AfterMember
        } else {
            State::AfterElement
        }
    }

    /// The document, if it is complete.
    fn document(self) -> Option<Document> {
        Some(Document {
            kind: self.outermost.filter(|_| self.state == State::End)?,
            span: self.span,
        })
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
fn number(text: &[u8]) -> Option<usize> {
    let digits = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let some_digits = |from: usize| Some(digits(from)).filter(|&count| count > 0);
    let mut at = usize::from(text.first() == Some(&b'-'));
    at += match text.get(at)? {
        b'0' => 1,
        _ => some_digits(at)?,
    };
    if text.get(at) == Some(&b'.') {
        at += 1 + some_digits(at + 1)?;
    }
    if let Some(b'e' | b'E') = text.get(at) {
        at += 1;
        at += usize::from(matches!(text.get(at), Some(b'+' | b'-')));
        at += some_digits(at)?;
    }
    Some(at)
}
