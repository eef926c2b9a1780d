//! A few thousand bytes of text as masks: what is inside of strings, where tokens are, and which bytes count as a character.

use super::CharUnit;
use super::block::{Block, WIDTH};
use super::characters::Characters;
use super::grammar::Tokens;
use super::masks::{Masks, Mends};
use super::strings::Strings;

/// Blocks in a stride.
pub(super) const STRIDE: usize = 32;

/// The stride that is being read, and what goes on to the next one.
pub(super) struct Stride {
    unit: CharUnit,
    masks: [Masks; STRIDE],
    /// How many characters there are before each block. Only differences mean something, so it may wrap.
    before: [u64; STRIDE],
    mends: [Mends; STRIDE],
    /// Whether there is anything in `mends`.
    is_mended: bool,
    /// The blocks that have tokens, or come behind one that a token may go on from.
    busy: [u8; STRIDE],
    busy_count: usize,
    /// The characters up to the end.
    chars: u64,
    /// 1 if the last byte is one of a token, so that the next one matters even if it is white space.
    goes_on: u64,
    strings: Strings,
    characters: Characters,
}

impl Stride {
    pub(super) fn new(unit: CharUnit) -> Self {
        Self {
            unit,
            masks: [Masks::default(); STRIDE],
            before: [0; STRIDE],
            mends: [Mends::default(); STRIDE],
            is_mended: false,
            busy: [0; STRIDE],
            busy_count: 0,
            chars: 0,
            goes_on: 0,
            strings: Strings::default(),
            characters: Characters::new(unit),
        }
    }

    /// Goes on to the next blocks, at most [`STRIDE`]. Not 0 where something is wrong that the grammar does not see.
    #[inline(always)]
    pub(super) fn take<B: Block>(
        &mut self,
        text: &[u8],
        base: usize,
        blocks: &[[u8; WIDTH]],
    ) -> u64 {
        let nothing = B::load(&[b' '; WIDTH]);
        let (mut least, mut either) = (nothing, nothing);
        let (mut unicode, mut fault) = (0, 0);
        let (mut chars, mut goes_on, mut busy_count) = (self.chars, self.goes_on, 0);
        let places = self.masks.iter_mut().zip(&mut self.before);
        for (index, ((masks, before), bytes)) in places.zip(blocks).enumerate() {
            let block = B::load(bytes);
            least = least.least(block);
            either = either.either(block);
            let (made, wrong) = Masks::of(block, &mut self.strings);
            fault |= wrong;
            unicode |= made.unicode;
            *masks = made;

            *before = chars;
            chars = chars.wrapping_add(made.counted.count_ones().into());
            // Without a branch, since which blocks matter is hard to foresee.
            if let Some(busy) = self.busy.get_mut(busy_count) {
                *busy = index as u8;
            }
            let outside = made.counted & !made.inside;
            busy_count += usize::from(outside | made.quotes | goes_on != 0);
            goes_on = outside >> 63;
        }
        (self.goes_on, self.busy_count) = (goes_on, busy_count);

        let count = blocks.len();
        let masks = self.masks.get_mut(..count).unwrap_or_default();
        if least.within(0, 0x1F) != 0 {
            // Nothing of this may stand anywhere but white space between tokens.
            for (masks, bytes) in masks.iter().zip(blocks) {
                fault |= B::load(bytes).within(0, 0x1F) & masks.counted;
            }
        }
        let is_ascii = either.beyond_ascii() == 0;
        let may_escape = self.characters.may_escape(unicode);
        self.is_mended = may_escape || !is_ascii && self.unit == CharUnit::Utf8;
        if self.is_mended {
            self.mends = [Mends::default(); STRIDE];
        }
        fault |= if is_ascii {
            self.characters.ascii()
        } else {
            self.characters
                .beyond_ascii::<B>(blocks, masks, &mut self.mends)
        };
        fault |= if may_escape {
            self.characters.escapes::<B>(blocks, masks, &mut self.mends)
        } else {
            self.characters.no_escapes()
        };
        self.chars = if is_ascii && !may_escape {
            chars
        } else {
            self.recount(text, base, count)
        };
        fault
    }

    /// Counts the blocks again, whose masks have changed. The characters up to the end.
    #[inline(always)]
    fn recount(&mut self, text: &[u8], base: usize, blocks: usize) -> u64 {
        let mut chars = self.chars;
        for (masks, before) in self.masks.iter().zip(&mut self.before).take(blocks) {
            *before = chars;
            chars = chars.wrapping_add(masks.counted.count_ones().into());
        }
        if !self.is_mended {
            return chars;
        }
        let mut more = 0_u64;
        for (index, (mends, before)) in self.mends.iter().zip(&mut self.before).enumerate() {
            *before = before.wrapping_add(more);
            let base = base + index * WIDTH;
            more = more.wrapping_add(mends.upto(text, base, u64::MAX, self.unit));
        }
        chars.wrapping_add(more)
    }

    /// The blocks that matter.
    #[inline(always)]
    pub(super) fn busy(&self) -> impl Iterator<Item = usize> + use<> {
        let busy = self.busy;
        busy.into_iter().take(self.busy_count).map(usize::from)
    }

    /// The tokens of a block; of numbers and literals all bytes.
    #[inline(always)]
    pub(super) fn tokens(&self, index: usize) -> Tokens {
        let masks = self.masks.get(index).copied().unwrap_or_default();
        // The quotes that close a string are outside of it.
        Tokens {
            operators: masks.operators & !masks.inside,
            strings: masks.quotes & masks.inside,
            scalars: masks.counted & !(masks.operators | masks.inside | masks.quotes),
        }
    }

    /// The characters of a block of the stride at `base` of `text`.
    #[inline(always)]
    pub(super) fn count<'t>(&'t self, text: &'t [u8], base: usize, index: usize) -> Count<'t> {
        Count {
            text,
            unit: self.unit,
            base: base + index * WIDTH,
            before: self.before.get(index).copied().unwrap_or_default(),
            counted: self.masks.get(index).map_or(0, |masks| masks.counted),
            mends: self.mends.get(index).filter(|_| self.is_mended),
        }
    }

    /// Whether the text ends inside a string.
    pub(super) fn is_open(&self) -> bool {
        self.strings.is_open()
    }
}

/// How many characters there are in a block, and before it.
pub(super) struct Count<'t> {
    text: &'t [u8],
    unit: CharUnit,
    /// Where the block starts.
    pub(super) base: usize,
    before: u64,
    counted: u64,
    mends: Option<&'t Mends>,
}

impl Count<'_> {
    /// The characters before `bit` of the block.
    #[inline(always)]
    pub(super) fn before(&self, bit: u32) -> u64 {
        let upto = (1 << bit) - 1;
        let chars = self
            .before
            .wrapping_add((self.counted & upto).count_ones().into());
        match self.mends {
            None => chars,
            Some(mends) => chars.wrapping_add(mends.upto(self.text, self.base, upto, self.unit)),
        }
    }
}
