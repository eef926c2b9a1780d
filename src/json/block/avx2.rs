//! The back end for x86-64 processors with AVX2: two registers of 32 bytes.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{Block, Classes, Kernel, WIDTH, Wide};

/// The proof that this processor can run [`Registers`].
#[derive(Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        let has_all = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("pclmulqdq")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("lzcnt");
        has_all.then_some(Self(()))
    }

    pub(super) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        // SAFETY: `self` exists, so the processor has what the function is compiled for.
        unsafe { run(kernel) }
    }
}

#[target_feature(enable = "avx2,pclmulqdq,bmi1,bmi2,popcnt,lzcnt")]
fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Registers>()
}

#[derive(Clone, Copy)]
struct Registers([__m256i; 2]);

/// Collects the high bit of every byte.
#[inline]
#[target_feature(enable = "avx2")]
fn collect(low: __m256i, high: __m256i) -> u64 {
    let (low, high) = (_mm256_movemask_epi8(low), _mm256_movemask_epi8(high));
    u64::from(low.cast_unsigned()) | u64::from(high.cast_unsigned()) << 32
}

#[inline]
#[target_feature(enable = "avx2")]
fn all(byte: u8) -> __m256i {
    _mm256_set1_epi8(byte.cast_signed())
}

#[inline]
#[target_feature(enable = "avx2")]
fn any_of<const N: usize>(bytes: __m256i, set: [u8; N]) -> __m256i {
    let mut marks = _mm256_setzero_si256();
    for byte in set {
        marks = _mm256_or_si256(marks, _mm256_cmpeq_epi8(bytes, all(byte)));
    }
    marks
}

#[inline]
#[target_feature(enable = "avx2")]
fn within(bytes: __m256i, low: u8, high: u8) -> __m256i {
    let above_low = _mm256_sub_epi8(bytes, all(low));
    _mm256_cmpeq_epi8(_mm256_min_epu8(above_low, all(high - low)), above_low)
}

/// Looks every byte up by its lower four bits; a byte beyond ASCII gives 0.
#[inline]
#[target_feature(enable = "avx2")]
fn look_up(bytes: __m256i, table: [u8; 16]) -> __m256i {
    let [low, high] =
        [0, 8].map(|half| i64::from_le_bytes(std::array::from_fn(|at| table[half + at])));
    _mm256_shuffle_epi8(_mm256_set_epi64x(high, low, high, low), bytes)
}

#[inline]
#[target_feature(enable = "avx2")]
fn space(bytes: __m256i) -> __m256i {
    // At the place that a character's lower four bits name stands the character, elsewhere one of another place.
    _mm256_cmpeq_epi8(look_up(bytes, *b" \0\0\0\0\0\0\0\0\t\n\0\0\r\0\0"), bytes)
}

#[inline]
#[target_feature(enable = "avx2")]
fn operators(bytes: __m256i) -> __m256i {
    // The same; the brackets differ in one bit, which is set before they are looked up.
    let folded = _mm256_or_si256(bytes, all(0x20));
    _mm256_cmpeq_epi8(look_up(bytes, *b"\0\0\0\0\0\0\0\0\0\0:{,}\0\0"), folded)
}

/// By both halves of the byte: a bit for each upper half that occurs, set for the lower halves it occurs with.
#[inline]
#[target_feature(enable = "avx2")]
fn not_escapable(bytes: __m256i) -> __m256i {
    let lower = look_up(bytes, *b"\0\0\x0D\0\x08\0\x04\0\0\0\0\0\x02\0\x04\0");
    let halves = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), all(0x0F));
    let upper = look_up(halves, *b"\0\0\x01\0\0\x02\x04\x08\0\0\0\0\0\0\0\0");
    _mm256_cmpeq_epi8(_mm256_and_si256(lower, upper), _mm256_setzero_si256())
}

/// What is asked of bytes beyond ASCII, in the high bits; of the rare ones the contrary.
#[inline]
#[target_feature(enable = "avx2")]
fn wide(bytes: __m256i) -> (__m256i, __m256i, __m256i, __m256i) {
    // By the upper half: 8 to B, from E on, and F, by the bits 80, 40 and 20; of C, E and F the bits 1, 2 and 4.
    let upper = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), all(0x0F));
    let upper = look_up(upper, *b"\0\0\0\0\0\0\0\0\x80\x80\x80\x80\x01\0\x42\x64");
    // By the lower half: with which of these it is rare.
    let lower = _mm256_and_si256(bytes, all(0x0F));
    let lower = look_up(
        lower,
        *b"\x07\x01\0\0\x04\x04\x04\x04\x04\x04\x04\x04\x04\x06\x04\x04",
    );
    let none = _mm256_cmpeq_epi8(_mm256_and_si256(upper, lower), _mm256_setzero_si256());
    (
        upper,
        _mm256_slli_epi16(upper, 1),
        _mm256_slli_epi16(upper, 2),
        none,
    )
}

#[inline]
#[target_feature(enable = "avx2")]
fn least([low, high]: [__m256i; 2], [other_low, other_high]: [__m256i; 2]) -> [__m256i; 2] {
    [
        _mm256_min_epu8(low, other_low),
        _mm256_min_epu8(high, other_high),
    ]
}

#[inline]
#[target_feature(enable = "avx2")]
fn either([low, high]: [__m256i; 2], [other_low, other_high]: [__m256i; 2]) -> [__m256i; 2] {
    [
        _mm256_or_si256(low, other_low),
        _mm256_or_si256(high, other_high),
    ]
}

#[inline]
#[target_feature(enable = "avx2")]
fn hexadecimal(bytes: __m256i) -> __m256i {
    // Capital letters become small ones.
    let folded = _mm256_or_si256(bytes, all(0x20));
    _mm256_or_si256(within(bytes, b'0', b'9'), within(folded, b'a', b'f'))
}

/// Moves bit `number` of every byte to its high bit.
#[inline]
#[target_feature(enable = "avx2")]
fn to_high(bytes: __m256i, number: usize) -> __m256i {
    let by = _mm_cvtsi32_si128(7 - number as i32);
    _mm256_sll_epi16(bytes, by)
}

#[inline]
#[target_feature(enable = "avx2,pclmulqdq")]
fn parity(mask: u64) -> u64 {
    // A product without carries with all ones is the parity of all bits up to each.
    let ones = _mm_set1_epi8(-1);
    let product = _mm_clmulepi64_si128(_mm_set_epi64x(0, mask.cast_signed()), ones, 0);
    _mm_cvtsi128_si64(product).cast_unsigned()
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(bytes: &[u8; WIDTH]) -> [__m256i; 2] {
    let start = bytes.as_ptr();
    // SAFETY: both loads lie inside the 64 bytes.
    unsafe {
        [
            _mm256_loadu_si256(start.cast()),
            _mm256_loadu_si256(start.add(32).cast()),
        ]
    }
}

impl Block for Registers {
    #[inline(always)]
    fn load(bytes: &[u8; WIDTH]) -> Self {
        // SAFETY: `Registers` are used in a `Kernel` only, which `Avx2` alone runs on them.
        Self(unsafe { load(bytes) })
    }

    #[inline(always)]
    fn equal(self, byte: u8) -> u64 {
        self.any_of([byte])
    }

    #[inline(always)]
    fn any_of<const N: usize>(self, set: [u8; N]) -> u64 {
        let [low, high] = self.0;
        // SAFETY: as in `load`.
        unsafe { collect(any_of(low, set), any_of(high, set)) }
    }

    #[inline(always)]
    fn within(self, from: u8, to: u8) -> u64 {
        let [low, high] = self.0;
        // SAFETY: as in `load`.
        unsafe { collect(within(low, from, to), within(high, from, to)) }
    }

    #[inline(always)]
    fn bit(self, number: usize) -> u64 {
        let [low, high] = self.0;
        // SAFETY: as in `load`.
        unsafe { collect(to_high(low, number), to_high(high, number)) }
    }

    #[inline(always)]
    fn beyond_ascii(self) -> u64 {
        let [low, high] = self.0;
        // SAFETY: as in `load`.
        unsafe { collect(low, high) }
    }

    #[inline(always)]
    fn classes(self) -> Classes {
        let [low, high] = self.0;
        // SAFETY: as in `load`.
        unsafe {
            Classes {
                backslashes: self.equal(b'\\'),
                quotes: self.equal(b'"'),
                space: collect(space(low), space(high)),
                operators: collect(operators(low), operators(high)),
                escapable: !collect(not_escapable(low), not_escapable(high)),
            }
        }
    }

    #[inline(always)]
    fn least(self, other: Self) -> Self {
        // SAFETY: as in `load`.
        Self(unsafe { least(self.0, other.0) })
    }

    #[inline(always)]
    fn either(self, other: Self) -> Self {
        // SAFETY: as in `load`.
        Self(unsafe { either(self.0, other.0) })
    }

    #[inline(always)]
    fn wide(self) -> Wide {
        let [low, high] = self.0;
        // SAFETY: as in `load`.
        unsafe {
            let [wide_low, wide_high] = [wide(low), wide(high)];
            Wide {
                continuing: collect(wide_low.0, wide_high.0),
                from_e0: collect(wide_low.1, wide_high.1),
                from_f0: collect(wide_low.2, wide_high.2),
                rare: !collect(wide_low.3, wide_high.3),
            }
        }
    }

    #[inline(always)]
    fn hexadecimal(self) -> u64 {
        let [low, high] = self.0;
        // SAFETY: as in `load`.
        unsafe { collect(hexadecimal(low), hexadecimal(high)) }
    }

    #[inline(always)]
    fn parity(mask: u64) -> u64 {
        // SAFETY: as in `load`.
        unsafe { parity(mask) }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::Avx2;
    use crate::json::block::WIDTH;
    use crate::json::block::tests::Agreement;

    /// Holds the back end against plain loops, where the machine has it.
    pub(in super::super) fn agrees(bytes: &[u8; WIDTH], byte: u8, mask: u64) {
        if let Some(avx2) = Avx2::detect() {
            avx2.run(Agreement(bytes, byte, mask));
        }
    }
}
