//! Whether bytes beyond ASCII are UTF-8 and escapes have four hexadecimal digits, and what counts as a character in them, a
//! block of 64 bytes at a time.
//!
//! Counted is what `JSON.stringify` would write: see [`length`].

use super::block::{Block, WIDTH, Wide};
use super::masks::{Masks, Mends};
use super::{CharUnit, escape, length};

/// What goes on from one block to the next.
pub(super) struct Characters {
    unit: CharUnit,
    /// Bytes that start a character.
    leading: Before,
    from_e0: Before,
    from_f0: Before,
    /// E0, ED, F0 and F4.
    special: [Before; 4],
    /// 1 if the last byte may be one of these.
    last_rare: u64,
    /// E2 and 80.
    separators: [Before; 2],
    unicode: Before,
    /// The digits that escapes of low characters start with.
    low: Before,
    /// The first digit of surrogates, and the second one of the first half of a pair.
    surrogates: Before,
    first_halves: Before,
    /// The second digit of the second half of a pair.
    pairs: Before,
}

/// Marks of the block before.
#[derive(Default)]
struct Before(u64);

impl Before {
    /// Moves marks by so many bytes, 1 to 63, together with those of the block before.
    #[inline(always)]
    fn moved(&self, marks: u64, by: u32) -> u64 {
        marks << by | self.last(by)
    }

    /// The marks in so many last bytes, as the first ones.
    #[inline(always)]
    fn last(&self, bytes: u32) -> u64 {
        self.0 >> (u64::BITS - bytes)
    }
}

impl Characters {
    pub(super) fn new(unit: CharUnit) -> Self {
        Self {
            unit,
            leading: Before(0),
            from_e0: Before(0),
            from_f0: Before(0),
            special: [const { Before(0) }; 4],
            last_rare: 0,
            separators: [Before(0), Before(0)],
            unicode: Before(0),
            low: Before(0),
            surrogates: Before(0),
            first_halves: Before(0),
            pairs: Before(0),
        }
    }

    /// Checks that a stride is UTF-8, and leaves those bytes of its characters out that do not count in the unit. Bits set
    /// where something is wrong.
    #[inline(always)]
    pub(super) fn beyond_ascii<B: Block>(
        &mut self,
        blocks: &[[u8; WIDTH]],
        masks: &mut [Masks],
        mends: &mut [Mends],
    ) -> u64 {
        let mut fault = 0;
        for ((bytes, masks), mends) in blocks.iter().zip(masks).zip(mends) {
            fault |= self.beyond_ascii_in(B::load(bytes), masks, mends);
        }
        fault
    }

    /// Goes on past bytes that all are ASCII. Not 0 if a character is not complete.
    #[inline(always)]
    pub(super) fn ascii(&self) -> u64 {
        self.leading.last(1) | self.from_e0.last(2) | self.from_f0.last(3)
    }

    /// Whether there may be digits of escapes in a stride. `unicode` is 0 if no such escape starts there.
    #[inline(always)]
    pub(super) fn may_escape(&self, unicode: u64) -> bool {
        unicode | self.unicode.last(4) != 0
    }

    /// Goes on past bytes in which nothing of an escape is, and nothing wrong.
    #[inline(always)]
    pub(super) fn no_escapes(&mut self) -> u64 {
        self.first_halves = Before(0);
        0
    }

    /// Checks the digits of escapes, and leaves those bytes out that the character does not have for which the escape stands.
    /// Bits set where one is wrong.
    #[inline(always)]
    pub(super) fn escapes<B: Block>(
        &mut self,
        blocks: &[[u8; WIDTH]],
        masks: &mut [Masks],
        mends: &mut [Mends],
    ) -> u64 {
        let mut fault = 0;
        for ((bytes, masks), mends) in blocks.iter().zip(masks).zip(mends) {
            fault |= self.escapes_in(B::load(bytes), masks, mends);
        }
        fault
    }

    #[inline(always)]
    fn beyond_ascii_in<B: Block>(&mut self, block: B, masks: &mut Masks, mends: &mut Mends) -> u64 {
        let beyond_ascii = block.beyond_ascii();
        if beyond_ascii == 0 {
            return self.ascii();
        }
        let Wide {
            continuing,
            from_e0,
            from_f0,
            rare,
        } = block.wide();
        let leading = beyond_ascii & !continuing;
        let wanted = self.leading.moved(leading, 1)
            | self.from_e0.moved(from_e0, 2)
            | self.from_f0.moved(from_f0, 3);
        let mut fault = wanted ^ continuing;
        if rare | self.last_rare != 0 {
            fault |= self.rare_bytes(block);
            self.last_rare = rare >> 63;
        }
        match self.unit {
            CharUnit::CodePoint => masks.counted &= !continuing,
            CharUnit::Utf16 => {
                // Two units for four bytes: the first of them and the second.
                let second = self.from_f0.moved(from_f0, 1);
                masks.counted &= !continuing | second;
            }
            CharUnit::Utf8 => {
                // U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
                let [first, second] = [block.equal(0xE2), block.equal(0x80)];
                let [first_before, second_before] = &self.separators;
                let third = first_before.moved(first, 2) & second_before.moved(second, 1);
                if third != 0 {
                    mends.mended |= third & block.within(0xA8, 0xA9);
                }
                self.separators = [Before(first), Before(second)];
            }
        }
        self.leading = Before(leading);
        self.from_e0 = Before(from_e0);
        self.from_f0 = Before(from_f0);
        fault
    }

    /// Bits set where a byte is C0, C1 or beyond F4, and where one stands behind E0, ED, F0 or F4 that cannot come there (RFC
    /// 3629, section 4): it would be an overlong form, half a surrogate pair, or beyond U+10FFFF.
    #[inline(always)]
    fn rare_bytes<B: Block>(&mut self, block: B) -> u64 {
        let [bit_4, bit_5] = [block.bit(4), block.bit(5)];
        let cannot_come = [!bit_5, bit_5, !(bit_4 | bit_5), bit_4 | bit_5];
        let mut fault = block.any_of([0xC0, 0xC1]) | block.within(0xF5, 0xFF);
        let firsts = [0xE0, 0xED, 0xF0, 0xF4];
        for ((before, first), cannot) in self.special.iter_mut().zip(firsts).zip(cannot_come) {
            let first = block.equal(first);
            fault |= before.moved(first, 1) & cannot;
            *before = Before(first);
        }
        fault
    }

    /// An escape is taken for a character of three bytes in UTF-8. Which take less of them, or are written as an escape after
    /// all, is known by the first three digits: they are mended at the third.
    #[inline(always)]
    fn escapes_in<B: Block>(&mut self, block: B, masks: &mut Masks, mends: &mut Mends) -> u64 {
        let unicode = masks.unicode;
        if !self.may_escape(unicode) {
            return self.no_escapes();
        }
        let first = self.unicode.moved(unicode, 1);
        let third = self.unicode.moved(unicode, 3);
        // Two escapes are farther apart than their digits, of which the last block has left up to four to this one.
        let left = (self.unicode.last(4) * 0b1111) >> 3;
        let digits = unicode.wrapping_mul(0b1_1110) | left;
        let fault = digits & !block.hexadecimal();
        masks.counted &= match self.unit {
            // The backslash counts.
            CharUnit::CodePoint | CharUnit::Utf16 => !(unicode | digits),
            // The last two bytes count, too.
            CharUnit::Utf8 => !(unicode | first | self.unicode.moved(unicode, 2)),
        };
        self.unicode = Before(unicode);

        if self.unit == CharUnit::Utf8 {
            // All that is below U+1000, and what may be a separator.
            let low = block.any_of([b'0', b'2']);
            mends.mended |= third & self.low.moved(low, 2);
            self.low = Before(low);
        } else {
            // Control characters, the quote and the backslash are among these.
            let low = block.equal(b'0');
            let mended = third & self.low.moved(low, 2) & self.low.moved(low, 1);
            self.low = Before(low);
            if mended != 0 {
                mends.mended |= mended & block.any_of([b'0', b'1', b'2', b'5']);
            }
        }

        let surrogates = first & block.any_of([b'D', b'd']);
        if surrogates | self.surrogates.0 | self.first_halves.0 | self.pairs.0 != 0 {
            self.surrogates(block, surrogates, masks, mends);
        }
        fault
    }

    /// Leaves those bytes of the second half of a surrogate pair out that the character does not have.
    #[inline(always)]
    fn surrogates<B: Block>(
        &mut self,
        block: B,
        surrogates: u64,
        masks: &mut Masks,
        mends: &mut Mends,
    ) {
        let second_digits = self.surrogates.moved(surrogates, 1);
        let below_c =
            block.within(b'8', b'9') | block.within(b'A', b'B') | block.within(b'a', b'b');
        let from_c = block.within(b'C', b'F') | block.within(b'c', b'f');
        let first_halves = second_digits & below_c;
        let pairs = second_digits & from_c & self.first_halves.moved(first_halves, 6);
        match self.unit {
            CharUnit::CodePoint => mends.less |= pairs,
            CharUnit::Utf16 => {}
            CharUnit::Utf8 => {
                masks.counted &= !(self.pairs.moved(pairs, 1) | self.pairs.moved(pairs, 2))
            }
        }
        self.surrogates = Before(surrogates);
        self.first_halves = Before(first_halves);
        self.pairs = Before(pairs);
    }
}

impl Mends {
    /// What they add in the bits `upto` of the block at `base` of `text`. It may wrap.
    #[inline(always)]
    pub(super) fn upto(&self, text: &[u8], base: usize, upto: u64, unit: CharUnit) -> u64 {
        let less = 0_u64.wrapping_sub((self.less & upto).count_ones().into());
        match self.mended & upto {
            0 => less,
            bits => less.wrapping_add(mended(text, base, bits, unit)),
        }
    }
}

/// By how much the bytes `mended` of the block that starts at `base` of `text` add to the count. It may wrap.
#[cold]
fn mended(text: &[u8], base: usize, mut mended: u64, unit: CharUnit) -> u64 {
    let mut more = 0_u64;
    while mended != 0 {
        let at = base + mended.trailing_zeros() as usize;
        mended &= mended - 1;
        more = more.wrapping_add(match text.get(at) {
            // The last byte of U+2028 or U+2029.
            Some(0x80..) => 3,
            // The third digit.
            _ => {
                let escape = at.checked_sub(4).and_then(|start| text.get(start..));
                let Some(Ok((code, _))) = escape.map(escape::read) else {
                    continue;
                };
                let counted = if unit == CharUnit::Utf8 { 3 } else { 1 };
                length::of_character(code, unit).wrapping_sub(counted)
            }
        });
    }
    more
}
