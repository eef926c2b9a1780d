//! The back end for x86-64 processors with AVX-512 and its VBMI (Ice Lake, Zen 4 and later): one register of 64 bytes, whose comparisons give masks.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{Block, Classes, Kernel, WIDTH, Wide};

/// The proof that this processor can run [`Register`].
#[derive(Clone, Copy)]
pub(super) struct Avx512(());

impl Avx512 {
    pub(super) fn detect() -> Option<Self> {
        let has_all = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi")
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

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx2,pclmulqdq,bmi1,bmi2,popcnt,lzcnt")]
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

const BACKSLASH: u8 = 0x01;
const QUOTE: u8 = 0x02;
const SPACE: u8 = 0x04;
const OPERATOR: u8 = 0x08;
const ESCAPABLE: u8 = 0x10;

/// What every byte of ASCII is.
const CLASSES: [u8; 128] = {
    let mut classes = [0; 128];
    const fn set(classes: &mut [u8; 128], bytes: &[u8], class: u8) {
        let mut at = 0;
        while at < bytes.len() {
            classes[bytes[at] as usize] |= class;
            at += 1;
        }
    }
    set(&mut classes, b"\\", BACKSLASH);
    set(&mut classes, b"\"", QUOTE);
    set(&mut classes, b" \t\n\r", SPACE);
    set(&mut classes, b"{}[]:,", OPERATOR);
    set(&mut classes, b"\"\\bfnrt", ESCAPABLE);
    classes
};

const CONTINUING: u8 = 0x01;
const FROM_E0: u8 = 0x02;
const FROM_F0: u8 = 0x04;
const RARE: u8 = 0x08;

/// What every byte beyond ASCII is.
const WIDE: [u8; 128] = {
    let mut wide = [0; 128];
    let mut at = 0;
    while at < 128 {
        let byte = 0x80 | at as u8;
        wide[at] = match byte {
            ..0xC0 => CONTINUING,
            0xC0 | 0xC1 => RARE,
            0xC2..0xE0 => 0,
            0xE0 | 0xED => FROM_E0 | RARE,
            0xE1..0xF0 => FROM_E0,
            0xF1..0xF4 => FROM_E0 | FROM_F0,
            0xF0 | 0xF4.. => FROM_E0 | FROM_F0 | RARE,
        };
        at += 1;
    }
    wide
};

/// Looks every byte up in a table by its lower seven bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn look_up(bytes: __m512i, table: &[u8; 128]) -> __m512i {
    let (lower, upper) = table.split_at(WIDTH);
    let [lower, upper] = [lower, upper].map(|half| match half.first_chunk() {
        Some(half) => load(half),
        None => all(0),
    });
    _mm512_permutex2var_epi8(lower, bytes, upper)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn wide(bytes: __m512i) -> Wide {
    let wide = _mm512_maskz_mov_epi8(beyond_ascii(bytes), look_up(bytes, &WIDE));
    Wide {
        continuing: has_any_of(wide, CONTINUING),
        from_e0: has_any_of(wide, FROM_E0),
        from_f0: has_any_of(wide, FROM_F0),
        rare: has_any_of(wide, RARE),
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn classes(bytes: __m512i) -> Classes {
    // What is beyond ASCII is looked up as a character that means nothing.
    let classes = look_up(_mm512_min_epu8(bytes, all(0x7F)), &CLASSES);
    Classes {
        backslashes: has_any_of(classes, BACKSLASH),
        quotes: has_any_of(classes, QUOTE),
        space: has_any_of(classes, SPACE),
        operators: has_any_of(classes, OPERATOR),
        escapable: has_any_of(classes, ESCAPABLE),
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn least(bytes: __m512i, other: __m512i) -> __m512i {
    _mm512_min_epu8(bytes, other)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn either(bytes: __m512i, other: __m512i) -> __m512i {
    _mm512_or_si512(bytes, other)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn hexadecimal(bytes: __m512i) -> u64 {
    // Capital letters become small ones.
    let folded = _mm512_or_si512(bytes, all(0x20));
    within(bytes, b'0', b'9') | within(folded, b'a', b'f')
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
    fn classes(self) -> Classes {
        // SAFETY: as in `load`.
        unsafe { classes(self.0) }
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
        // SAFETY: as in `load`.
        unsafe { wide(self.0) }
    }

    #[inline(always)]
    fn hexadecimal(self) -> u64 {
        // SAFETY: as in `load`.
        unsafe { hexadecimal(self.0) }
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
