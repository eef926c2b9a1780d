//! Marks that move to what comes after them, from one block to the next where need be.

/// Moves marks from a byte to the next one.
#[derive(Default)]
pub(super) struct OntoNextByte(u64);

impl OntoNextByte {
    #[inline(always)]
    pub(super) fn of(&mut self, marks: u64) -> u64 {
        let moved = marks << 1 | self.0;
        self.0 = marks >> 63;
        moved
    }

    /// 1 if a mark waits for the next block.
    #[inline(always)]
    pub(super) fn waiting(&self) -> u64 {
        self.0
    }
}

/// Moves marks across gaps: each to the next byte that is none.
#[derive(Default)]
pub(super) struct OntoNext(u64);

impl OntoNext {
    /// `marks` stand outside of `gaps`.
    #[inline(always)]
    pub(super) fn of(&mut self, marks: u64, gaps: u64) -> u64 {
        // A mark that falls into a gap is carried through it by an addition.
        let (moved, beyond) = (marks << 1 | self.0).overflowing_add(gaps);
        self.0 = marks >> 63 | u64::from(beyond);
        moved & !gaps
    }

    /// Whether a mark waits for the next block.
    #[inline(always)]
    pub(super) fn is_waiting(&self) -> bool {
        self.0 != 0
    }
}
