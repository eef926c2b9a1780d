//! The back end for x86-64 processors with AVX2: two registers of 32 bytes.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{Block, Kernel, WIDTH};

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

impl Registers {
    /// Collects the high bit of every byte of what `marks` makes of each register.
    #[inline(always)]
    fn collect(self, marks: impl Fn(__m256i) -> __m256i) -> u64 {
        let [low, high] = self.0.map(marks);
        // SAFETY: `Registers` are used in a `Kernel` only, which `Avx2` alone runs on them.
        let (low, high) = unsafe { (_mm256_movemask_epi8(low), _mm256_movemask_epi8(high)) };
        u64::from(low.cast_unsigned()) | u64::from(high.cast_unsigned()) << 32
    }
}

#[inline(always)]
fn equal(bytes: __m256i, byte: u8) -> __m256i {
    // SAFETY: as in `collect`.
    unsafe { _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte.cast_signed())) }
}

/// Looks every byte up by its lower four bits; a byte beyond ASCII gives 0.
#[inline(always)]
fn look_up(bytes: __m256i, table: [u8; 16]) -> __m256i {
    // SAFETY: as in `collect`; the load is of the table's own 16 bytes.
    unsafe {
        let table = _mm_loadu_si128(table.as_ptr().cast());
        _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), bytes)
    }
}

impl Block for Registers {
    #[inline(always)]
    fn load(bytes: &[u8; WIDTH]) -> Self {
        let start = bytes.as_ptr();
        // SAFETY: as in `collect`; both loads lie inside the 64 bytes.
        unsafe {
            Self([
                _mm256_loadu_si256(start.cast()),
                _mm256_loadu_si256(start.add(32).cast()),
            ])
        }
    }

    #[inline(always)]
    fn equal(self, byte: u8) -> u64 {
        self.collect(|bytes| equal(bytes, byte))
    }

    #[inline(always)]
    fn any_of<const N: usize>(self, set: [u8; N]) -> u64 {
        self.collect(|bytes| {
            set.iter().fold(equal(bytes, set[0]), |marks, &byte| {
                // SAFETY: as in `collect`.
                unsafe { _mm256_or_si256(marks, equal(bytes, byte)) }
            })
        })
    }

    #[inline(always)]
    fn within(self, low: u8, high: u8) -> u64 {
        self.collect(|bytes| {
            // SAFETY: as in `collect`.
            unsafe {
                let above_low = _mm256_sub_epi8(bytes, _mm256_set1_epi8(low.cast_signed()));
                let width = _mm256_set1_epi8((high - low).cast_signed());
                _mm256_cmpeq_epi8(_mm256_min_epu8(above_low, width), above_low)
            }
        })
    }

    #[inline(always)]
    fn beyond_ascii(self) -> u64 {
        self.collect(|bytes| bytes)
    }

    #[inline(always)]
    fn space_and_operators(self) -> (u64, u64) {
        // At the place that a character's lower four bits name stands the character, elsewhere one that belongs to
        // another place.
        const SPACE: [u8; 16] = *b" \0\0\0\0\0\0\0\0\t\n\0\0\r\0\0";
        // The brackets differ in one bit: it is set before they are looked up.
        const OPERATORS: [u8; 16] = *b"\0\0\0\0\0\0\0\0\0\0:{,}\0\0";
        let space = self.collect(|bytes| {
            // SAFETY: as in `collect`.
            unsafe { _mm256_cmpeq_epi8(look_up(bytes, SPACE), bytes) }
        });
        let operators = self.collect(|bytes| {
            // SAFETY: as in `collect`.
            unsafe {
                let folded = _mm256_or_si256(bytes, _mm256_set1_epi8(0x20));
                _mm256_cmpeq_epi8(look_up(bytes, OPERATORS), folded)
            }
        });
        (space, operators)
    }

    #[inline(always)]
    fn parity(mask: u64) -> u64 {
        // SAFETY: as in `collect`.
        unsafe {
            // A product without carries with all ones is the parity of all bits up to each.
            let product =
                _mm_clmulepi64_si128(_mm_set_epi64x(0, mask.cast_signed()), _mm_set1_epi8(-1), 0);
            _mm_cvtsi128_si64(product).cast_unsigned()
        }
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
