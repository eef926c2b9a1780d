//! Numbers and literals, a block of 64 bytes at a time.

use super::block::Block;
use super::carry::{OntoNext, OntoNextByte};

/// What goes on from one block to the next.
#[derive(Default)]
pub(super) struct Scalars {
    last: OntoNextByte,
    literal: OntoNextByte,
    /// The first bytes of the next block that belong to a literal.
    literal_rest: u64,
    first_minus: OntoNextByte,
    first_zero: OntoNextByte,
    last_digit: OntoNextByte,
    fractions: Fractions,
}

impl Scalars {
    /// 1 if the last byte was one of a number or literal.
    #[inline(always)]
    pub(super) fn go_on(&self) -> u64 {
        self.last.waiting()
    }

    /// Checks the numbers and literals in the block that starts at `base` of `text`; `scalars` are all their bytes. Where
    /// each starts, and bits set where one is wrong.
    #[inline(always)]
    pub(super) fn check<B: Block>(
        &mut self,
        block: B,
        scalars: u64,
        text: &[u8],
        base: usize,
    ) -> (u64, u64) {
        let starts = scalars & !self.last.of(scalars);
        let digits = block.within(b'0', b'9') & scalars;
        let first_minus = block.equal(b'-') & starts;
        let words = starts & !(digits | first_minus);
        let mut fault = 0;
        let mut literals = 0;
        if words | self.literal_rest != 0 {
            fault = are_no_literals(words, text, base);
            // `true` and `null`, and the longer `false`.
            let long = words & block.equal(b'f');
            literals = words | words << 1 | words << 2 | words << 3 | long << 4 | self.literal_rest;
            self.literal_rest = words >> 63 | words >> 62 | words >> 61 | long >> 60;
        }

        let numbers = scalars & !literals;
        let after_minus = self.first_minus.of(first_minus);
        let first_zero = block.equal(b'0') & (starts | after_minus) & digits;
        fault |= self.literal.of(literals) & digits
            | after_minus & !digits
            | self.first_zero.of(first_zero) & digits;

        let after_digit = self.last_digit.of(digits);
        let others = numbers & !(digits | first_minus);
        if others != 0 || self.fractions.go_on() {
            fault |= self
                .fractions
                .check(block, numbers, others, digits, after_digit);
        }
        (starts, fault)
    }
}

/// Not 0 if at one of `words` no literal starts.
#[inline(always)]
fn are_no_literals(mut words: u64, text: &[u8], base: usize) -> u64 {
    const TRUE: u32 = u32::from_le_bytes(*b"true");
    const NULL: u32 = u32::from_le_bytes(*b"null");
    const FALS: u32 = u32::from_le_bytes(*b"fals");
    let mut fault = false;
    while words != 0 {
        let at = base + words.trailing_zeros() as usize;
        words &= words - 1;
        let four = text.get(at..).and_then(|rest| rest.first_chunk());
        let four = u32::from_le_bytes(four.copied().unwrap_or_default());
        // Without a branch, since which it is would be hard to foresee.
        let is_false = (four == FALS) & (text.get(at + 4) == Some(&b'e'));
        fault |= !((four == TRUE) | (four == NULL) | is_false);
    }
    u64::from(fault)
}

/// What goes on from one block to the next in numbers that have a fraction or an exponent.
#[derive(Default)]
struct Fractions {
    point_or_sign: OntoNextByte,
    exponent: OntoNextByte,
    fraction: OntoNext,
    power: OntoNext,
}

impl Fractions {
    #[inline(always)]
    fn go_on(&self) -> bool {
        let byte = self.point_or_sign.waiting() | self.exponent.waiting();
        byte != 0 || self.fraction.is_waiting() || self.power.is_waiting()
    }

    /// Checks the bytes of `numbers` that are `others` than digits and a minus at the start. Bits set where one is wrong.
    #[inline(always)]
    fn check<B: Block>(
        &mut self,
        block: B,
        numbers: u64,
        others: u64,
        digits: u64,
        after_digit: u64,
    ) -> u64 {
        let points = block.equal(b'.') & numbers;
        let exponents = block.any_of([b'e', b'E']) & numbers;
        let signs = block.any_of([b'+', b'-']) & others;
        let after_exponent = self.exponent.of(exponents);
        let after_point_or_sign = self.point_or_sign.of(points | signs);
        // Behind the digits, of which there may be none here: that is another fault.
        let after_fraction = self.fraction.of(points, digits);
        let after_power = self.power.of(exponents, digits | signs);
        others & !(points | exponents | signs)
            | signs & !after_exponent
            | (points | exponents) & !after_digit
            | after_exponent & !(digits | signs)
            | after_point_or_sign & !digits
            | (after_fraction | after_power) & points
            | after_power & exponents
    }
}
