//! Sixty-four bytes at a time: which of them are what, one bit per byte, the first byte in the lowest bit.
//!
//! The back ends differ only in how they answer; what is done with the answers is written once, in the modules beside this
//! one.

mod portable;

#[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
mod avx2;
#[cfg(all(
    target_arch = "x86_64",
    not(any(feature = "portable", feature = "without-avx512"))
))]
mod avx512;

/// How many bytes are looked at together.
pub(super) const WIDTH: usize = 64;

/// Sixty-four bytes of text, in a form that can be asked about all of them at once.
pub(super) trait Block: Copy {
    fn load(bytes: &[u8; WIDTH]) -> Self;

    /// The bytes equal to `byte`.
    fn equal(self, byte: u8) -> u64;

    /// The bytes equal to one of `bytes`.
    fn any_of<const N: usize>(self, bytes: [u8; N]) -> u64;

    /// The bytes from `low` to `high`, both included and both on the same side of 0x80.
    fn within(self, low: u8, high: u8) -> u64;

    /// The bytes that have this bit, of 0 to 7, set.
    fn bit(self, number: usize) -> u64;

    /// The bytes beyond ASCII.
    fn beyond_ascii(self) -> u64;

    /// The bytes that mean something in JSON.
    fn classes(self) -> Classes;

    /// A block that has a control character if one of both has.
    fn least(self, other: Self) -> Self;

    /// A block that has a byte beyond ASCII if one of both has.
    fn either(self, other: Self) -> Self;

    /// What bytes beyond ASCII are.
    fn wide(self) -> Wide;

    /// Hexadecimal digits of either case.
    fn hexadecimal(self) -> u64;

    /// For every bit the parity of the bits of `mask` up to it, itself included.
    fn parity(mask: u64) -> u64;
}

/// The bytes that mean something in JSON, one bit each.
pub(super) struct Classes {
    pub(super) backslashes: u64,
    pub(super) quotes: u64,
    /// White space.
    pub(super) space: u64,
    /// Brackets, commas and colons. A control character may pass for one.
    pub(super) operators: u64,
    /// What behind a backslash stands for one character that is written so again: `"`, `\\`, `b`, `f`, `n`, `r` and `t`.
    pub(super) escapable: u64,
}

/// What bytes beyond ASCII are in UTF-8 (RFC 3629, section 4), one bit each.
pub(super) struct Wide {
    /// 80 to BF, which go on with a character.
    pub(super) continuing: u64,
    /// E0 to FF, which start one of three bytes or more.
    pub(super) from_e0: u64,
    /// F0 to FF, which start one of four.
    pub(super) from_f0: u64,
    /// E0, ED, F0 and F4, after which not every byte can come, and C0, C1 and F5 to FF, which are nowhere.
    pub(super) rare: u64,
}

/// `text` in blocks, and the last one, which may be empty, filled up with white space: that means nothing to anybody.
#[inline(always)]
pub(super) fn in_blocks(text: &[u8]) -> (&[[u8; WIDTH]], [u8; WIDTH]) {
    let (blocks, rest) = text.as_chunks::<WIDTH>();
    let mut last = [b' '; WIDTH];
    if let Some(start) = last.get_mut(..rest.len()) {
        start.copy_from_slice(rest);
    }
    (blocks, last)
}

/// Work that is written once and compiled for every back end.
pub(super) trait Kernel {
    type Output;

    /// Must be marked `#[inline(always)]`, so that it is compiled with what the back end's processor can do.
    fn run<B: Block>(self) -> Self::Output;
}

/// Runs `kernel` on the best back end that this machine has.
#[inline]
pub(super) fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
    {
        #[cfg(not(feature = "without-avx512"))]
        if let Some(avx512) = avx512::Avx512::detect() {
            return avx512.run(kernel);
        }
        if let Some(avx2) = avx2::Avx2::detect() {
            return avx2.run(kernel);
        }
    }
    kernel.run::<portable::Planes>()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::portable::Planes;
    use super::{Block, Classes, WIDTH};

    fn naive(bytes: &[u8; WIDTH], is: impl Fn(u8) -> bool) -> u64 {
        (0..WIDTH).fold(0, |mask, at| mask | u64::from(is(bytes[at])) << at)
    }

    fn agrees_with_plain_loops<B: Block>(bytes: &[u8; WIDTH], byte: u8, mask: u64) {
        let block = B::load(bytes);
        assert_eq!(block.equal(byte), naive(bytes, |b| b == byte), "equal");
        let set = [b'\\', b'"', byte];
        assert_eq!(
            block.any_of(set),
            naive(bytes, |b| set.contains(&b)),
            "any_of"
        );
        for (low, high) in [
            (0, 0x1F),
            (b'0', b'9'),
            (byte & 0x7F, 0x7F),
            (0x80, 0xBF),
            (0xF0, 0xFF),
        ] {
            let wanted = naive(bytes, |b| (low..=high).contains(&b));
            assert_eq!(
                block.within(low, high),
                wanted,
                "within {low:#x} and {high:#x}"
            );
        }
        assert_eq!(
            block.beyond_ascii(),
            naive(bytes, |b| b >= 0x80),
            "beyond_ascii"
        );
        for number in 0..8 {
            let wanted = naive(bytes, |b| b >> number & 1 == 1);
            assert_eq!(block.bit(number), wanted, "bit {number}");
        }
        let Classes {
            backslashes,
            quotes,
            space,
            operators,
            escapable,
        } = block.classes();
        assert_eq!(backslashes, naive(bytes, |b| b == b'\\'), "backslashes");
        assert_eq!(quotes, naive(bytes, |b| b == b'"'), "quotes");
        assert_eq!(space, naive(bytes, |b| b" \t\n\r".contains(&b)), "space");
        // Control characters may pass for operators: they are refused before anybody looks at those.
        let controls = naive(bytes, |b| b < 0x20);
        let wanted = naive(bytes, |b| b"{}[]:,".contains(&b));
        assert_eq!(operators & !controls, wanted, "operators");
        let wanted = naive(bytes, |b| b"\"\\bfnrt".contains(&b));
        assert_eq!(escapable, wanted, "escapable");
        for other in [[b' '; WIDTH], [byte; WIDTH]] {
            let both = B::load(&other);
            let has = |is: fn(u8) -> bool| bytes.iter().chain(&other).any(|&b| is(b));
            let control = block.least(both).within(0, 0x1F) != 0;
            assert_eq!(control, has(|b| b < 0x20), "least");
            let beyond = block.either(both).beyond_ascii() != 0;
            assert_eq!(beyond, has(|b| b >= 0x80), "either");
        }
        let wide = block.wide();
        let wanted = naive(bytes, |b| (0x80..0xC0).contains(&b));
        assert_eq!(wide.continuing, wanted, "continuing");
        assert_eq!(wide.from_e0, naive(bytes, |b| b >= 0xE0), "from_e0");
        assert_eq!(wide.from_f0, naive(bytes, |b| b >= 0xF0), "from_f0");
        let rare = [0xC0, 0xC1, 0xE0, 0xED, 0xF0];
        let wanted = naive(bytes, |b| rare.contains(&b) || b >= 0xF4);
        assert_eq!(wide.rare, wanted, "rare");
        let wanted = naive(bytes, |b| b.is_ascii_hexdigit());
        assert_eq!(block.hexadecimal(), wanted, "hexadecimal");
        let parity = (0..64).fold(0, |out, bit| {
            let upto = mask & (u64::MAX >> (63 - bit));
            out | u64::from(upto.count_ones() % 2) << bit
        });
        assert_eq!(B::parity(mask), parity, "parity");
    }

    proptest! {
        #[test]
        fn every_back_end_agrees_with_plain_loops(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(b"\"\\{}[]:, \n\tu0dD2/bfnrt".to_vec())], WIDTH),
            byte in any::<u8>(),
            mask in any::<u64>(),
        ) {
            let bytes: [u8; WIDTH] = bytes.try_into().unwrap();
            agrees_with_plain_loops::<Planes>(&bytes, byte, mask);
            #[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
            {
                super::avx2::tests::agrees(&bytes, byte, mask);
                #[cfg(not(feature = "without-avx512"))]
                super::avx512::tests::agrees(&bytes, byte, mask);
            }
        }
    }

    #[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
    pub(super) struct Agreement<'b>(pub(super) &'b [u8; WIDTH], pub(super) u8, pub(super) u64);

    #[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
    impl super::Kernel for Agreement<'_> {
        type Output = ();

        #[inline(always)]
        fn run<B: Block>(self) {
            agrees_with_plain_loops::<B>(self.0, self.1, self.2);
        }
    }
}
