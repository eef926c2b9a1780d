//! One pass over a text: UTF-8, the whole grammar of JSON (RFC 8259), the elements of its array, their lengths.
//!
//! Accepted beyond what value trees take: numbers of any length, escapes of lone surrogates, any depth.
//!
//! Text is taken in strides of a few thousand bytes, which stay near the processor. In a [`stride`](super::stride), first
//! every block of 64 bytes is turned into masks: where tokens start, and which bytes count as a character. Then the grammar
//! looks at the blocks that have tokens, and lengths are population counts. Inside a long string hardly anything is left to
//! do. Where something is wrong is not found here: a text that is refused is read again by [`fault`], at leisure.

use super::block::{Block, Kernel, WIDTH, dispatch, in_blocks};
use super::grammar::{Event, Grammar, Halt, Tokens};
use super::scalars::Scalars;
use super::stride::{Count, STRIDE, Stride};
use super::trail::Trail;
use super::{CharUnit, Kind, Span, fault, is_space};
use crate::error::Error;

/// An object that is an element of the outermost array, or an array there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    pub(crate) span: Span,
    /// Its characters in compact JSON.
    pub(crate) chars: u64,
}

/// What the text as a whole is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Document {
    pub(crate) kind: Kind,
    /// Of an array or object, without the white space around it.
    pub(crate) span: Span,
    /// Whether something else than objects is in the array.
    pub(crate) has_others: bool,
}

/// What is called for each element. The trail is at the element's end.
pub(crate) type Each<'f> = dyn FnMut(Element, &mut Trail) -> Result<(), Error> + 'f;

/// Reads `text`, which errors call `name`, to its end and calls `each` for every element of the outermost array, in order.
/// Lengths are in `unit`. Where keys are is noted in `trail`.
///
/// `each` may have seen elements, also beyond the fault, when the text turns out not to be JSON. Where the outermost value
/// is no array, `each` is never called.
pub(crate) fn elements(
    name: &'static str,
    text: &[u8],
    unit: CharUnit,
    trail: &mut Trail,
    each: &mut Each<'_>,
) -> Result<Document, Error> {
    let scanned = if trail.is_kept() {
        dispatch(Scan::<true> {
            text,
            unit,
            trail,
            each,
        })
    } else {
        dispatch(Scan::<false> {
            text,
            unit,
            trail,
            each,
        })
    };
    match scanned {
        Ok(document) => Ok(document),
        Err(Stop::Asked(error)) => Err(error),
        Err(Stop::Fault) => Err(fault::find(name, text)),
    }
}

enum Stop {
    /// `each` failed, or there is no memory.
    Asked(Error),
    /// The text is not UTF-8 or not JSON.
    Fault,
}

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Fault => Self::Fault,
            Halt::NoMemory(bytes) => Self::Asked(Error::OutOfMemory { bytes }),
        }
    }
}

// One kernel for whatever `each` is, since there is much of it and it is compiled for every back end; but one more for who
// needs no trail, which costs where there are many brackets.
struct Scan<'t, 'f, const TRAIL: bool> {
    text: &'t [u8],
    unit: CharUnit,
    trail: &'f mut Trail,
    each: &'f mut Each<'f>,
}

impl<const TRAIL: bool> Kernel for Scan<'_, '_, TRAIL> {
    type Output = Result<Document, Stop>;

    #[inline(always)]
    fn run<B: Block>(self) -> Self::Output {
        let Scan {
            text,
            unit,
            trail,
            each,
        } = self;
        let start = text.iter().position(|&byte| !is_space(byte));
        let Some((start, &first)) = start.and_then(|start| Some((start, text.get(start)?))) else {
            return Err(Stop::Fault);
        };
        let kind = Kind::starting_with(first);
        let (blocks, last) = in_blocks(text);
        let mut stride = Stride::new(unit);
        let mut reader = Reader {
            text,
            trail,
            each,
            is_array: kind == Kind::Array,
            grammar: Grammar::default(),
            scalars: Scalars::default(),
            start: 0,
        };
        let mut base = 0;
        for blocks in blocks.chunks(STRIDE).chain([std::slice::from_ref(&last)]) {
            // Where something is broken, the counts need not be right.
            if stride.take::<B>(text, base, blocks) != 0 {
                return Err(Stop::Fault);
            }
            for index in stride.busy() {
                if let Some(bytes) = blocks.get(index) {
                    let count = stride.count(text, base, index);
                    reader.read::<B, TRAIL>(B::load(bytes), stride.tokens(index), &count)?;
                }
            }
            base += blocks.len() * WIDTH;
        }
        if stride.is_open() || !reader.grammar.is_complete() {
            return Err(Stop::Fault);
        }
        let span = match kind {
            Kind::Array | Kind::Object => reader.grammar.span(),
            _ => Span { start, end: start },
        };
        Ok(Document {
            kind,
            span,
            has_others: reader.is_array && reader.grammar.has_others(),
        })
    }
}

/// Reads the text by its masks.
struct Reader<'t, 'f> {
    text: &'t [u8],
    trail: &'f mut Trail,
    each: &'f mut Each<'f>,
    is_array: bool,
    grammar: Grammar,
    scalars: Scalars,
    /// The characters before the object that is being read.
    start: u64,
}

impl Reader<'_, '_> {
    /// Reads the tokens of the next block that matters.
    #[inline(always)]
    fn read<B: Block, const TRAIL: bool>(
        &mut self,
        block: B,
        mut tokens: Tokens,
        count: &Count<'_>,
    ) -> Result<(), Stop> {
        let base = count.base;
        let mut fault = 0;
        if tokens.scalars | self.scalars.go_on() != 0 {
            (tokens.scalars, fault) = self.scalars.check(block, tokens.scalars, self.text, base);
        }
        let mut brackets = self.grammar.enter(block, &tokens, fault);
        while brackets.are_left() {
            match self
                .grammar
                .bracket::<TRAIL>(&mut brackets, base, self.trail)?
            {
                Event::Nothing => {}
                Event::ElementStarts(bit) => self.start = count.before(bit),
                Event::ElementEnds(bit, span) => {
                    if self.is_array {
                        let chars = count.before(bit).wrapping_sub(self.start) + 1;
                        (self.each)(Element { span, chars }, self.trail).map_err(Stop::Asked)?;
                    }
                }
            }
        }
        Ok(self
            .grammar
            .leave::<TRAIL>(&mut brackets, base, self.trail)?)
    }
}
