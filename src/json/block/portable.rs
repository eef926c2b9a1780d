//! The back end for every machine: eight bytes in a word, in safe code.

use super::{Block, WIDTH};

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * ONES;
const LOW: u64 = 0x7F * ONES;

#[derive(Clone, Copy)]
pub(super) struct Words([u64; WIDTH / 8]);

impl Words {
    /// Collects the high bit of every byte of what `marks` makes of each word.
    #[inline(always)]
    fn collect(self, marks: impl Fn(u64) -> u64) -> u64 {
        let mut mask = 0;
        for (index, word) in self.0.into_iter().enumerate() {
            // The product moves the mark of byte i to bit 56 + i, and none of its other terms reaches there.
            let bits = ((marks(word) & HIGH) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            mask |= bits << (8 * index);
        }
        mask
    }
}

/// Marks the bytes of `word` that equal `byte`, and no others.
#[inline(always)]
fn equal(word: u64, byte: u8) -> u64 {
    let difference = word ^ (ONES * u64::from(byte));
    !(((difference & LOW) + LOW) | difference)
}

impl Block for Words {
    #[inline(always)]
    fn load(bytes: &[u8; WIDTH]) -> Self {
        let (words, _) = bytes.as_chunks::<8>();
        let mut block = [0; WIDTH / 8];
        for (to, from) in block.iter_mut().zip(words) {
            *to = u64::from_le_bytes(*from);
        }
        Self(block)
    }

    #[inline(always)]
    fn equal(self, byte: u8) -> u64 {
        self.collect(|word| equal(word, byte))
    }

    #[inline(always)]
    fn any_of<const N: usize>(self, bytes: [u8; N]) -> u64 {
        self.collect(|word| {
            bytes
                .iter()
                .fold(0, |marks, &byte| marks | equal(word, byte))
        })
    }

    #[inline(always)]
    fn within(self, low: u8, high: u8) -> u64 {
        // Compared in seven bits, by what carries into the eighth; that bit itself says which half a byte is in.
        let from = ONES * u64::from(0x80 - (low & 0x7F));
        let beyond = ONES * u64::from(0x7F - (high & 0x7F));
        self.collect(|word| {
            let seven = word & LOW;
            let half = if low < 0x80 { !word } else { word };
            (seven + from) & !(seven + beyond) & half
        })
    }

    #[inline(always)]
    fn beyond_ascii(self) -> u64 {
        self.collect(|word| word)
    }

    #[inline(always)]
    fn is_quiet(self) -> bool {
        let loud = self.0.into_iter().fold(0, |loud, word| {
            let control = word.wrapping_sub(ONES * 0x20) & !word;
            loud | equal(word, b'"') | equal(word, b'\\') | control
        });
        loud & HIGH == 0
    }

    #[inline(always)]
    fn space_and_operators(self) -> (u64, u64) {
        let space = self.any_of([b' ', b'\t', b'\n', b'\r']);
        // `[` and `{`, and `]` and `}`, differ in one bit.
        let operators = self.collect(|word| {
            let folded = word | (ONES * 0x20);
            equal(folded, b'{') | equal(folded, b'}') | equal(word, b':') | equal(word, b',')
        });
        (space, operators)
    }

    #[inline(always)]
    fn escapable(self) -> u64 {
        self.any_of([b'"', b'\\', b'/', b'b', b'f', b'n', b'r', b't', b'u'])
    }

    #[inline(always)]
    fn parity(mut mask: u64) -> u64 {
        for shift in [1, 2, 4, 8, 16, 32] {
            mask ^= mask << shift;
        }
        mask
    }
}
