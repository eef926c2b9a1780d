//! What is inside strings, block after block.

use super::block::Block;

/// What goes on from one block to the next.
#[derive(Default)]
pub(super) struct Strings {
    /// All ones inside a string.
    inside: u64,
    /// 1 if the next byte is escaped.
    escaped: u64,
}

/// One bit per byte of a block.
pub(super) struct Quoted {
    /// Inside a string: the opening quote too, the closing one not.
    pub(super) inside: u64,
    /// The quotes that open or close a string.
    pub(super) quotes: u64,
    /// Behind a backslash that starts an escape, inside a string.
    pub(super) escaped: u64,
}

impl Strings {
    #[inline(always)]
    pub(super) fn next<B: Block>(&mut self, backslashes: u64, quotes: u64) -> Quoted {
        let escaped = self.escaped(backslashes);
        let quotes = quotes & !escaped;
        let inside = B::parity(quotes) ^ self.inside;
        self.inside = (inside.cast_signed() >> 63).cast_unsigned();
        Quoted {
            inside,
            quotes,
            escaped: escaped & inside,
        }
    }

    /// Whether a string is not closed yet.
    pub(super) fn is_open(&self) -> bool {
        self.inside != 0
    }

    /// The bytes behind a backslash that starts an escape: in a run of backslashes every other one does.
    #[inline(always)]
    fn escaped(&mut self, backslashes: u64) -> u64 {
        // Subtracting the start of a run from a pattern of every other bit carries through the run, and leaves the pattern
        // turned over where the run starts at an even place.
        const EVERY_OTHER: u64 = 0xAAAA_AAAA_AAAA_AAAA;
        let candidates = backslashes & !self.escaped;
        let pattern = (candidates << 1 | EVERY_OTHER).wrapping_sub(candidates) ^ EVERY_OTHER;
        let escaped = pattern ^ (backslashes | self.escaped);
        // What goes on depends on what came only where there is nothing else in the block: so the next one need not wait.
        let run = backslashes.leading_ones();
        if run < u64::BITS {
            self.escaped = u64::from(run & 1);
        }
        escaped
    }
}
