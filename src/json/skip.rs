//! Where a string or a container ends, in text that [`scan`](super::scan) found valid.

use super::block::{Block, Kernel, WIDTH, dispatch, in_blocks};
use super::strings::Strings;

/// The offset behind the string that `text` starts with.
pub(super) fn string(text: &[u8]) -> usize {
    let inside = text.get(1..).unwrap_or_default();
    match memchr::memchr2(b'"', b'\\', inside) {
        Some(offset) if inside.get(offset) == Some(&b'"') => offset + 2,
        // Where there is one escape, there are more.
        Some(_) => dispatch(StringEnd { text }),
        None => text.len(),
    }
}

struct StringEnd<'t> {
    text: &'t [u8],
}

impl Kernel for StringEnd<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<B: Block>(self) -> usize {
        let (blocks, last) = in_blocks(self.text);
        let mut strings = Strings::default();
        // The quote that opens the string is the first, the one that closes it the second.
        let mut opening = 1;
        for (index, bytes) in blocks.iter().chain([&last]).enumerate() {
            let block = B::load(bytes);
            let quoted = strings.next::<B>(block.equal(b'\\'), block.equal(b'"'));
            let quotes = quoted.quotes & !opening;
            if quotes != 0 {
                return index * WIDTH + quotes.trailing_zeros() as usize + 1;
            }
            opening = 0;
        }
        self.text.len()
    }
}

/// The offset behind the object or array that `text` starts with.
pub(super) fn container(text: &[u8]) -> usize {
    dispatch(ContainerEnd { text })
}

struct ContainerEnd<'t> {
    text: &'t [u8],
}

impl Kernel for ContainerEnd<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<B: Block>(self) -> usize {
        let (blocks, last) = in_blocks(self.text);
        let mut strings = Strings::default();
        let mut depth = 0;
        for (index, bytes) in blocks.iter().chain([&last]).enumerate() {
            let block = B::load(bytes);
            let quoted = strings.next::<B>(block.equal(b'\\'), block.equal(b'"'));
            let outside = !quoted.inside;
            let opening = block.any_of([b'{', b'[']) & outside;
            let closing = block.any_of([b'}', b']']) & outside;
            // Closings all come first at the worst.
            if depth > closing.count_ones() as usize {
                depth += opening.count_ones() as usize;
                depth -= closing.count_ones() as usize;
                continue;
            }
            let mut brackets = opening | closing;
            while brackets != 0 {
                let bit = brackets & brackets.wrapping_neg();
                brackets ^= bit;
                if opening & bit != 0 {
                    depth += 1;
                    continue;
                }
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return index * WIDTH + bit.trailing_zeros() as usize + 1;
                }
            }
        }
        self.text.len()
    }
}
