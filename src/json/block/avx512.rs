//! The back end for x86-64 processors with AVX-512: one register of 64 bytes, whose comparisons give masks.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{Block, Kernel, WIDTH};

/// The proof that this processor can run [`Register`].
#[derive(Clone, Copy)]
pub(super) struct Avx512(());

impl Avx512 {
    pub(super) fn detect() -> Option<Self> {
        let has_all = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx2")
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

#[target_feature(enable = "avx512f,avx512bw,avx2,pclmulqdq,bmi1,bmi2,popcnt,lzcnt")]
fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Register>()
}

#[derive(Clone, Copy)]
struct Register(__m512i);

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn all(byte: u8) -> __m512i {
    _mm512_set1_epi8(byte.cast_signed())
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn any_of<const N: usize>(bytes: __m512i, set: [u8; N]) -> u64 {
    let mut marks = 0;
    for byte in set {
        marks |= _mm512_cmpeq_epi8_mask(bytes, all(byte));
    }
    marks
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn within(bytes: __m512i, low: u8, high: u8) -> u64 {
    _mm512_cmple_epu8_mask(_mm512_sub_epi8(bytes, all(low)), all(high - low))
}

/// Looks every byte up by its lower four bits; a byte beyond ASCII gives 0.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn look_up(bytes: __m512i, table: [u8; 16]) -> __m512i {
    let [low, high] =
        [0, 8].map(|half| i64::from_le_bytes(std::array::from_fn(|at| table[half + at])));
    _mm512_shuffle_epi8(
        _mm512_set_epi64(high, low, high, low, high, low, high, low),
        bytes,
    )
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn space_and_operators(bytes: __m512i) -> (u64, u64) {
    // At the place that a character's lower four bits name stands the character, elsewhere one of another place.
    let space = look_up(bytes, *b" \0\0\0\0\0\0\0\0\t\n\0\0\r\0\0");
    // The same; the brackets differ in one bit, which is set before they are looked up.
    let operators = look_up(bytes, *b"\0\0\0\0\0\0\0\0\0\0:{,}\0\0");
    let folded = _mm512_or_si512(bytes, all(0x20));
    (
        _mm512_cmpeq_epi8_mask(space, bytes),
        _mm512_cmpeq_epi8_mask(operators, folded),
    )
}

/// By both halves of the byte: a bit for each upper half that occurs, set for the lower halves it occurs with.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn escapable(bytes: __m512i) -> u64 {
    let lower = look_up(bytes, *b"\0\0\x0D\0\x08\x08\x04\0\0\0\0\0\x02\0\x04\x01");
    let halves = _mm512_and_si512(_mm512_srli_epi16(bytes, 4), all(0x0F));
    let upper = look_up(halves, *b"\0\0\x01\0\0\x02\x04\x08\0\0\0\0\0\0\0\0");
    _mm512_test_epi8_mask(lower, upper)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn has_any_of(bytes: __m512i, bits: u8) -> u64 {
    _mm512_test_epi8_mask(bytes, all(bits))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn beyond_ascii(bytes: __m512i) -> u64 {
    _mm512_movepi8_mask(bytes)
}

#[inline]
#[target_feature(enable = "pclmulqdq,sse2")]
fn parity(mask: u64) -> u64 {
    // A product without carries with all ones is the parity of all bits up to each.
    let ones = _mm_set1_epi8(-1);
    let product = _mm_clmulepi64_si128(_mm_set_epi64x(0, mask.cast_signed()), ones, 0);
    _mm_cvtsi128_si64(product).cast_unsigned()
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(bytes: &[u8; WIDTH]) -> __m512i {
    // SAFETY: the load is of the 64 bytes.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

impl Block for Register {
    #[inline(always)]
    fn load(bytes: &[u8; WIDTH]) -> Self {
        // SAFETY: `Register` is used in a `Kernel` only, which `Avx512` alone runs on it.
        Self(unsafe { load(bytes) })
    }

    #[inline(always)]
    fn equal(self, byte: u8) -> u64 {
        self.any_of([byte])
    }

    #[inline(always)]
    fn any_of<const N: usize>(self, set: [u8; N]) -> u64 {
        // SAFETY: as in `load`.
        unsafe { any_of(self.0, set) }
    }

    #[inline(always)]
    fn within(self, low: u8, high: u8) -> u64 {
        // SAFETY: as in `load`.
        unsafe { within(self.0, low, high) }
    }

    #[inline(always)]
    fn bit(self, number: usize) -> u64 {
        // SAFETY: as in `load`.
        unsafe { has_any_of(self.0, 1 << number) }
    }

    #[inline(always)]
    fn beyond_ascii(self) -> u64 {
        // SAFETY: as in `load`.
        unsafe { beyond_ascii(self.0) }
    }

    #[inline(always)]
    fn space_and_operators(self) -> (u64, u64) {
        // SAFETY: as in `load`.
        unsafe { space_and_operators(self.0) }
    }

    #[inline(always)]
    fn escapable(self) -> u64 {
        // SAFETY: as in `load`.
        unsafe { escapable(self.0) }
    }

    #[inline(always)]
    fn parity(mask: u64) -> u64 {
        // SAFETY: as in `load`.
        unsafe { parity(mask) }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::Avx512;
    use crate::json::block::WIDTH;
    use crate::json::block::tests::Agreement;

    /// Holds the back end against plain loops, where the machine has it.
    pub(in super::super) fn agrees(bytes: &[u8; WIDTH], byte: u8, mask: u64) {
        if let Some(avx512) = Avx512::detect() {
            avx512.run(Agreement(bytes, byte, mask));
        }
    }
}
