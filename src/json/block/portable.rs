//! The back end for every machine, in safe code: eight planes of bits, so that a question to 64 bytes is a few operations on
//! words.

use super::{Block, Classes, WIDTH, Wide};

/// Plane `k` holds bit `k` of every byte.
#[derive(Clone, Copy)]
pub(super) struct Planes([u64; 8]);

impl Planes {
    /// The bytes whose four bits from `start` are the lower half of `half`.
    #[inline(always)]
    fn has_half(self, start: usize, half: u8) -> u64 {
        let has = |bit: usize| {
            let plane = self.bit(start + bit);
            if half >> bit & 1 == 1 { plane } else { !plane }
        };
        (has(0) & has(1)) & (has(2) & has(3))
    }

    /// The bytes that are at least `low`.
    #[inline(always)]
    fn at_least(self, low: u8) -> u64 {
        let planes = self.0.into_iter().enumerate();
        planes.fold(u64::MAX, |at_least, (number, plane)| {
            if low >> number & 1 == 1 {
                plane & at_least
            } else {
                plane | at_least
            }
        })
    }
}

/// Swaps rows and columns of eight by eight bits.
#[inline(always)]
fn bits_transposed(mut rows: u64) -> u64 {
    for (distance, columns) in [
        (7, 0x00AA_00AA_00AA_00AA),
        (14, 0x0000_CCCC_0000_CCCC),
        (28, 0x0000_0000_F0F0_F0F0),
    ] {
        let differing = (rows ^ rows >> distance) & columns;
        rows ^= differing ^ differing << distance;
    }
    rows
}

/// Swaps rows and columns of eight by eight bytes.
#[inline(always)]
fn bytes_transposed(mut rows: [u64; 8]) -> [u64; 8] {
    swap::<1>(&mut rows, 0x00FF_00FF_00FF_00FF);
    swap::<2>(&mut rows, 0x0000_FFFF_0000_FFFF);
    swap::<4>(&mut rows, 0x0000_0000_FFFF_FFFF);
    rows
}

/// In every two rows that are `DISTANCE` apart, swaps the upper `columns` of one with the lower of the other.
#[inline(always)]
fn swap<const DISTANCE: usize>(rows: &mut [u64; 8], columns: u64) {
    for pair in rows.chunks_exact_mut(2 * DISTANCE) {
        let (first, second) = pair.split_at_mut(DISTANCE);
        for (first, second) in first.iter_mut().zip(second) {
            let bits = 8 * DISTANCE;
            let differing = (*first >> bits ^ *second) & columns;
            *second ^= differing;
            *first ^= differing << bits;
        }
    }
}

impl Block for Planes {
    #[inline(always)]
    fn load(bytes: &[u8; WIDTH]) -> Self {
        let (words, _) = bytes.as_chunks::<8>();
        let mut planes = [0; 8];
        for (plane, word) in planes.iter_mut().zip(words) {
            *plane = bits_transposed(u64::from_le_bytes(*word));
        }
        Self(bytes_transposed(planes))
    }

    #[inline(always)]
    fn equal(self, byte: u8) -> u64 {
        // By halves, which are the same for many of the bytes asked for: they are found once.
        self.has_half(4, byte >> 4) & self.has_half(0, byte)
    }

    #[inline(always)]
    fn any_of<const N: usize>(self, bytes: [u8; N]) -> u64 {
        bytes
            .into_iter()
            .fold(0, |any, byte| any | self.equal(byte))
    }

    #[inline(always)]
    fn within(self, low: u8, high: u8) -> u64 {
        let beyond = match high.checked_add(1) {
            Some(beyond) => self.at_least(beyond),
            None => 0,
        };
        self.at_least(low) & !beyond
    }

    #[inline(always)]
    fn bit(self, number: usize) -> u64 {
        self.0.get(number).copied().unwrap_or_default()
    }

    #[inline(always)]
    fn beyond_ascii(self) -> u64 {
        self.bit(7)
    }

    #[inline(always)]
    fn classes(self) -> Classes {
        Classes {
            backslashes: self.equal(b'\\'),
            quotes: self.equal(b'"'),
            space: self.any_of([b' ', b'\t', b'\n', b'\r']),
            operators: self.any_of([b'{', b'}', b'[', b']', b':', b',']),
            escapable: self.any_of([b'"', b'\\', b'b', b'f', b'n', b'r', b't']),
        }
    }

    #[inline(always)]
    fn least(self, other: Self) -> Self {
        let above = |planes: Self| planes.bit(5) | planes.bit(6) | planes.bit(7);
        Self([0, 0, 0, 0, 0, 0, 0, above(self) & above(other)])
    }

    #[inline(always)]
    fn either(self, other: Self) -> Self {
        Self([0, 0, 0, 0, 0, 0, 0, self.bit(7) | other.bit(7)])
    }

    #[inline(always)]
    fn wide(self) -> Wide {
        let from_c0 = self.bit(7) & self.bit(6);
        let from_e0 = from_c0 & self.bit(5);
        let from_f0 = from_e0 & self.bit(4);
        let c = from_c0 & !(self.bit(5) | self.bit(4));
        let e = from_e0 & !self.bit(4);
        let [zero, one] = [self.has_half(0, 0), self.has_half(0, 1)];
        let from_four = self.bit(3) | self.bit(2);
        Wide {
            continuing: self.bit(7) & !self.bit(6),
            from_e0,
            from_f0,
            rare: c & (zero | one)
                | e & (zero | self.has_half(0, 13))
                | from_f0 & (zero | from_four),
        }
    }

    #[inline(always)]
    fn hexadecimal(self) -> u64 {
        let digits = self.within(b'0', b'9');
        // `A` to `F` are 0x41 to 0x46, small letters have the bit 0x20 as well.
        let three = self.bit(0) & self.bit(1) & self.bit(2);
        let any = self.bit(0) | self.bit(1) | self.bit(2);
        let column = self.bit(6) & !(self.bit(7) | self.bit(4) | self.bit(3));
        digits | column & any & !three
    }

    #[inline(always)]
    fn parity(mut mask: u64) -> u64 {
        for shift in [1, 2, 4, 8, 16, 32] {
            mask ^= mask << shift;
        }
        mask
    }
}
