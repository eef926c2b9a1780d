//! One pass over a text: UTF-8, the whole grammar of JSON (RFC 8259), the elements of its array, their lengths.
//!
//! Accepted beyond what value trees take: numbers of any length, escapes of lone surrogates, any depth.
//!
//! Text is taken in strides of a few thousand bytes, which stay near the processor. In a stride, first every block of 64
//! bytes is turned into [`Masks`]: where tokens start, and which bytes count as a character. Then the grammar looks at the
//! starts of tokens alone, and lengths are population counts. Inside a long string hardly anything is left to do. Where
//! something is wrong is not found here: a text that is refused is read again by [`fault`], at leisure.

use super::block::{Block, Kernel, WIDTH, dispatch, in_blocks};
use super::grammar::{Event, Grammar, Halt, Tokens};
use super::scalars::Scalars;
use super::strings::{Quoted, Strings};
use super::trail::Trail;
use super::{CharUnit, Kind, Span, escape, fault, is_space, length};
use crate::error::Error;

/// An object that is an element of the outermost array, or an array there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    pub(crate) span: Span,
    /// Its characters in compact JSON.
    pub(crate) chars: u64,
}

/// What the text as a whole is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Document {
    pub(crate) kind: Kind,
    /// Of an array or object, without the white space around it.
    pub(crate) span: Span,
    /// Whether something else than objects is in the array.
    pub(crate) has_others: bool,
}

/// What is called for each element. The trail is at the element's end.
pub(crate) type Each<'f> = dyn FnMut(Element, &mut Trail) -> Result<(), Error> + 'f;

/// Reads `text`, which errors call `name`, to its end and calls `each` for every element of the outermost array, in order.
/// Lengths are in `unit`. Where keys are is noted in `trail`.
///
/// `each` may have seen elements, also beyond the fault, when the text turns out not to be JSON. Where the outermost value
/// is no array, `each` is never called.
pub(crate) fn elements(
    name: &'static str,
    text: &[u8],
    unit: CharUnit,
    trail: &mut Trail,
    each: &mut Each<'_>,
) -> Result<Document, Error> {
    let scan = Scan {
        text,
        unit,
        trail,
        each,
    };
    match dispatch(scan) {
        Ok(document) => Ok(document),
        Err(Stop::Asked(error)) => Err(error),
        Err(Stop::Fault) => Err(fault::find(name, text)),
    }
}

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Fault => Self::Fault,
            Halt::NoMemory(bytes) => Self::Asked(Error::OutOfMemory { bytes }),
        }
    }
}

enum Stop {
    /// `each` failed, or there is no memory.
    Asked(Error),
    /// The text is not UTF-8 or not JSON.
    Fault,
}

// One kernel for whatever `each` is, since there is much of it and it is compiled for every back end.
struct Scan<'t, 'f> {
    text: &'t [u8],
    unit: CharUnit,
    trail: &'f mut Trail,
    each: &'f mut Each<'f>,
}

/// Blocks in a stride.
const STRIDE: usize = 64;

impl Kernel for Scan<'_, '_> {
    type Output = Result<Document, Stop>;

    #[inline(always)]
    fn run<B: Block>(self) -> Self::Output {
        let Scan {
            text,
            unit,
            trail,
            each,
        } = self;
        let start = text.iter().position(|&byte| !is_space(byte));
        let Some((start, &first)) = start.and_then(|start| Some((start, text.get(start)?))) else {
            return Err(Stop::Fault);
        };
        let kind = Kind::starting_with(first);
        let (blocks, last) = in_blocks(text);
        let mut carry = Carry::new(unit);
        let mut encoding = Encoding { checked: 0 };
        let mut reader = Reader {
            text,
            unit,
            trail,
            each,
            is_array: kind == Kind::Array,
            grammar: Grammar::default(),
            scalars: Scalars::default(),
            mended: 0,
            start: 0,
            second_half: usize::MAX,
        };
        let mut masks = [Masks::default(); STRIDE];
        let mut counted = 0_u64;
        let mut base = 0;
        for blocks in blocks.chunks(STRIDE).chain([std::slice::from_ref(&last)]) {
            let mut beyond_ascii = 0;
            for (masks, bytes) in masks.iter_mut().zip(blocks) {
                let block = B::load(bytes);
                beyond_ascii |= block.beyond_ascii();
                *masks = carry.masks(block);
                masks.before = counted;
                counted += count(masks.counted);
            }
            encoding
                .check(text, base + blocks.len() * WIDTH, beyond_ascii == 0)
                .ok_or(Stop::Fault)?;
            // Broken escapes may overlap, and then their characters would be left out twice.
            if carry.fault != 0 {
                return Err(Stop::Fault);
            }
            reader.read::<B>(base, blocks, &masks)?;
            base += blocks.len() * WIDTH;
        }
        if carry.is_fault() || !reader.grammar.is_complete() {
            return Err(Stop::Fault);
        }
        let span = match kind {
            Kind::Array | Kind::Object => reader.grammar.span(),
            _ => Span { start, end: start },
        };
        Ok(Document {
            kind,
            span,
            has_others: reader.is_array && reader.grammar.has_others(),
        })
    }
}

/// Checks that the text is UTF-8, up to where it is read next.
struct Encoding {
    checked: usize,
}

impl Encoding {
    #[inline(always)]
    fn check(&mut self, text: &[u8], upto: usize, is_ascii: bool) -> Option<()> {
        // A character that is not complete yet goes on with bytes beyond ASCII.
        if is_ascii {
            self.checked = upto;
            return Some(());
        }
        let rest = text.get(self.checked..).unwrap_or_default();
        let mut length = rest.len().min(upto.saturating_sub(self.checked));
        if length < rest.len() {
            // Up to the start of a character, which is at most three bytes back in UTF-8.
            let mut back = 0;
            while rest.get(length).is_some_and(|byte| byte & 0xC0 == 0x80) && back < 4 {
                length = length.checked_sub(1)?;
                back += 1;
            }
        }
        is_utf8(rest.get(..length)?).then_some(())?;
        self.checked += length;
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

/// What the bytes of a block are: one bit each.
#[derive(Clone, Copy, Default)]
struct Masks {
    /// Where tokens start; of numbers and literals all bytes.
    tokens: Tokens,
    /// The bytes that count as a character.
    counted: u64,
    /// The bytes where what `counted` says is to be mended: the `u` of an escape that may not simply stand for a character of
    /// three bytes, and the first byte of what may be U+2028 or U+2029, where those count more than they have.
    mended: u64,
    /// How many bits are set in the `counted` of all blocks before.
    before: u64,
}

/// What goes on from one block to the next.
struct Carry {
    strings: Strings,
    /// The first bytes of the next block that must be hexadecimal digits.
    hex: u64,
    /// The first bytes of the next block that do not count, since they belong to an escape.
    spared: u64,
    /// 1 if the last byte is the first of four.
    astral: u64,
    /// Bits set wherever something was wrong that the grammar does not see.
    fault: u64,
    unit: CharUnit,
}

impl Carry {
    fn new(unit: CharUnit) -> Self {
        Self {
            strings: Strings::default(),
            hex: 0,
            spared: 0,
            astral: 0,
            fault: 0,
            unit,
        }
    }

    #[inline(always)]
    fn masks<B: Block>(&mut self, block: B) -> Masks {
        let quoted = self.strings.next(block);
        let escaped = quoted.escaped;
        let mut masks = self.structure(block, &quoted);
        if (block.beyond_ascii() | self.astral) != 0 {
            self.count_characters(block, &mut masks);
        }
        if (escaped | self.hex | self.spared) != 0 {
            self.count_escapes(block, escaped, &mut masks);
        }
        masks
    }

    /// Finds the tokens, and leaves the white space between them out.
    #[inline(always)]
    fn structure<B: Block>(&mut self, block: B, quoted: &Quoted) -> Masks {
        let Quoted { inside, quotes, .. } = *quoted;
        let (space, operators) = block.space_and_operators();
        let counted = !space | inside;
        // Nothing of this may stand anywhere but white space between tokens.
        self.fault |= block.within(0, 0x1F) & counted;
        let strings = quotes & inside;
        Masks {
            tokens: Tokens {
                operators: operators & !inside,
                strings,
                // The quotes that close a string are outside of it.
                scalars: counted & !(operators | inside | quotes),
            },
            counted,
            ..Masks::default()
        }
    }

    /// Leaves those bytes of a character out that do not count in the unit.
    #[inline(always)]
    fn count_characters<B: Block>(&mut self, block: B, masks: &mut Masks) {
        match self.unit {
            CharUnit::CodePoint => masks.counted &= !block.within(0x80, 0xBF),
            CharUnit::Utf16 => {
                // Two units for four bytes: the first of them and the second.
                let astral = block.within(0xF0, 0xFF);
                let second = astral << 1 | self.astral;
                self.astral = astral >> 63;
                masks.counted &= !block.within(0x80, 0xBF) | second;
            }
            CharUnit::Utf8 => masks.mended |= block.equal(0xE2),
        }
    }

    /// Checks what is escaped, and leaves those bytes of an escape out that the character it stands for does not have.
    #[inline(always)]
    fn count_escapes<B: Block>(&mut self, block: B, escaped: u64, masks: &mut Masks) {
        let unicode = block.equal(b'u') & escaped;
        self.fault |= escaped & !block.escapable();
        masks.counted &= !(block.equal(b'/') & escaped);
        if (unicode | self.hex | self.spared) == 0 {
            return;
        }
        let digits = unicode << 1 | unicode << 2 | unicode << 3 | unicode << 4;
        let hex = block.within(b'0', b'9') | block.within(b'A', b'F') | block.within(b'a', b'f');
        self.fault |= (digits | self.hex) & !hex;
        self.hex = unicode >> 63 | unicode >> 62 | unicode >> 61 | unicode >> 60;
        // By the first digit: below U+1000, the separators, surrogates. Where it is in the next block, nobody knows.
        let special = block.any_of([b'0', b'2', b'D', b'd']) >> 1 | 1 << 63;
        masks.mended |= unicode & special;
        // Of the six bytes of an escape, the backslash counts, and those needed to make up three.
        let plain = unicode & !special;
        match self.unit {
            CharUnit::CodePoint | CharUnit::Utf16 => {
                masks.counted &=
                    !(plain | plain << 1 | plain << 2 | plain << 3 | plain << 4 | self.spared);
                self.spared = plain >> 62 | plain >> 61 | plain >> 60;
            }
            CharUnit::Utf8 => {
                masks.counted &= !(plain | plain << 1 | plain << 2 | self.spared);
                self.spared = plain >> 62;
            }
        }
    }

    /// Whether something was wrong, at the end of the text.
    fn is_fault(&self) -> bool {
        self.strings.is_open() || (self.fault | self.hex) != 0
    }
}

/// Reads the text by its masks.
struct Reader<'t, 'f> {
    text: &'t [u8],
    unit: CharUnit,
    trail: &'f mut Trail,
    each: &'f mut Each<'f>,
    is_array: bool,
    grammar: Grammar,
    scalars: Scalars,
    /// By how much the characters so far are more than the bits counted. It may wrap: only differences count.
    mended: u64,
    /// The characters before the object that is being read.
    start: u64,
    /// Where the second half of a surrogate pair stands whose first half was counted.
    second_half: usize,
}

impl Reader<'_, '_> {
    #[inline(always)]
    fn read<B: Block>(
        &mut self,
        base: usize,
        blocks: &[[u8; WIDTH]],
        masks: &[Masks],
    ) -> Result<(), Stop> {
        for (index, (bytes, masks)) in blocks.iter().zip(masks).enumerate() {
            let base = base + index * WIDTH;
            let mut mended = masks.mended;
            if masks.tokens.are_any() || self.scalars.go_on() {
                self.read_tokens(B::load(bytes), base, masks, &mut mended)?;
            }
            self.mend(base, &mut mended, u64::MAX);
        }
        Ok(())
    }

    #[inline(always)]
    fn read_tokens<B: Block>(
        &mut self,
        block: B,
        base: usize,
        masks: &Masks,
        mended: &mut u64,
    ) -> Result<(), Stop> {
        let mut tokens = masks.tokens;
        let mut fault = 0;
        if tokens.scalars != 0 || self.scalars.go_on() {
            (tokens.scalars, fault) = self.scalars.check(block, tokens.scalars, self.text, base);
        }
        let mut brackets = self.grammar.enter(block, &tokens, fault);
        while brackets.are_left() {
            match self.grammar.bracket(&mut brackets, base, self.trail)? {
                Event::Nothing => {}
                Event::ElementStarts(bit) => {
                    self.start = self.chars_before(base, masks, mended, bit);
                }
                Event::ElementEnds(bit, span) => {
                    let end = self.chars_before(base, masks, mended, bit);
                    if self.is_array {
                        let chars = end.wrapping_sub(self.start) + 1;
                        (self.each)(Element { span, chars }, self.trail).map_err(Stop::Asked)?;
                    }
                }
            }
        }
        Ok(self.grammar.leave(&mut brackets, base, self.trail)?)
    }

    /// The characters before `bit` of a block, from where the count started.
    fn chars_before(&mut self, base: usize, masks: &Masks, mended: &mut u64, bit: u32) -> u64 {
        self.mend(base, mended, below(bit));
        masks
            .before
            .wrapping_add(count(masks.counted & below(bit)))
            .wrapping_add(self.mended)
    }

    /// Mends the count for the bits of `mended` in `upto`, and clears them.
    #[inline(always)]
    fn mend(&mut self, base: usize, mended: &mut u64, upto: u64) {
        while *mended & upto != 0 {
            let at = base + mended.trailing_zeros() as usize;
            *mended &= *mended - 1;
            self.mend_at(at);
        }
    }

    fn mend_at(&mut self, at: usize) {
        match self.text.get(at) {
            Some(b'u') if at == self.second_half => self.mended = self.mended.wrapping_sub(6),
            Some(b'u') => {
                // An escape that the stride ends in may be broken, which is noticed in the next one.
                let escape = self.text.get(at - 1..).unwrap_or_default();
                if let Ok((code, taken)) = escape::read(escape) {
                    let chars = length::of_character(code, self.unit);
                    self.mended = self.mended.wrapping_add(chars).wrapping_sub(6);
                    if taken > 6 {
                        self.second_half = at + 6;
                    }
                }
            }
            // U+2028 and U+2029 are E2 80 A8 and E2 80 A9, and count six.
            _ => {
                let after = self.text.get(at + 1..at + 3);
                if let Some([0x80, 0xA8 | 0xA9]) = after {
                    self.mended = self.mended.wrapping_add(3);
                }
            }
        }
    }
}

fn count(mask: u64) -> u64 {
    mask.count_ones().into()
}

/// The bits below `bit`.
fn below(bit: u32) -> u64 {
    (1 << bit) - 1
}
