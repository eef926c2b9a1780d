//! What the bytes of a block are, as far as the block itself says.

use super::block::Block;
use super::strings::{Quoted, Strings};

/// What the bytes of a block are: one bit each.
#[derive(Clone, Copy, Default)]
pub(super) struct Masks {
    /// Inside a string: the opening quote too, the closing one not.
    pub(super) inside: u64,
    /// The quotes that open or close a string.
    pub(super) quotes: u64,
    /// Brackets, commas and colons, also inside of strings.
    pub(super) operators: u64,
    /// The bytes that count as a character.
    pub(super) counted: u64,
    /// The `u` of escapes.
    pub(super) unicode: u64,
}

/// What is to be added to the bits that are counted in a block.
#[derive(Clone, Copy, Default)]
pub(super) struct Mends {
    /// The bytes that take one away.
    pub(super) less: u64,
    /// The bytes where the text has to be asked: see [`characters`](super::characters).
    pub(super) mended: u64,
}

impl Masks {
    /// What the bytes of the next block are, counted as if they were ASCII. Bits set where an escape is wrong.
    #[inline(always)]
    pub(super) fn of<B: Block>(block: B, strings: &mut Strings) -> (Self, u64) {
        let classes = block.classes();
        let Quoted {
            inside,
            quotes,
            escaped,
        } = strings.next::<B>(classes.backslashes, classes.quotes);
        let mut masks = Self {
            inside,
            quotes,
            operators: classes.operators,
            counted: !classes.space | inside,
            unicode: 0,
        };
        let mut fault = 0;
        let others = escaped & !classes.escapable;
        if others != 0 {
            masks.unicode = others & block.equal(b'u');
            // It counts one without its backslash.
            let slashes = others & block.equal(b'/');
            masks.counted &= !slashes;
            fault = others & !(masks.unicode | slashes);
        }
        (masks, fault)
    }
}
