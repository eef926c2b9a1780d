//! The grammar of JSON (RFC 8259), a block of 64 bytes at a time.
//!
//! What may follow what is a question about neighbours: it is asked of all tokens of a block at once, by moving marks from
//! each token to the one after it. Only whether a comma wants a key, and what a closing bracket closes, depends on what is
//! open; that takes a step for each bracket.

use super::Span;
use super::block::Block;
use super::carry::OntoNext;
use super::trail::{Step, Trail};

/// Where the tokens of a block start, or lie. Its other bytes are gaps.
#[derive(Clone, Copy, Default)]
pub(super) struct Tokens {
    /// Brackets, commas and colons.
    pub(super) operators: u64,
    pub(super) strings: u64,
    /// Numbers and literals.
    pub(super) scalars: u64,
}

/// Where the text stands in the grammar.
#[derive(Default)]
pub(super) struct Grammar {
    after_end: OntoNext,
    after_separator: OntoNext,
    before_key: OntoNext,
    after_key: OntoNext,
    /// What is open: one bit each, set for an object, the innermost lowest. The innermost 64 here, the others in `outer`.
    open: u64,
    depth: usize,
    outer: Vec<u64>,
    /// Where the outermost container stands.
    span: Span,
    /// Where what is open at the second level starts.
    element: usize,
    /// Something else than objects is at the second level.
    has_others: bool,
}

/// The brackets of a block, and what is known of it as far as they were taken.
pub(super) struct Brackets {
    /// Those not taken yet.
    rest: u64,
    opening: u64,
    /// Those of objects.
    curly: u64,
    /// The bytes inside of objects, outside of everything, and at the first level: behind the last bracket taken, what would
    /// be if there were no other.
    in_object: u64,
    outside: u64,
    first_level: u64,
    commas: u64,
    /// The tokens that may stand only in an object, and only in an array.
    of_object: u64,
    of_array: u64,
    /// Strings, numbers and literals.
    leaves: u64,
    /// The strings that are keys where they stand in an object.
    keys: u64,
    /// For the trail, kept like `in_object`: the bytes directly inside of elements, and of objects in an array that is a
    /// member of one.
    in_element: u64,
    in_nested: u64,
    /// Where such objects start.
    nested: u64,
    /// Bits set where something is wrong.
    fault: u64,
}

impl Brackets {
    #[inline(always)]
    pub(super) fn are_left(&self) -> bool {
        self.rest != 0
    }

    /// Notes in `trail` what is to be noted at the bits `before` of the block that starts at `base`, whose brackets were taken.
    #[inline(always)]
    fn note(&mut self, trail: &mut Trail, base: usize, before: u64) {
        let keys = self.keys & self.in_object;
        let mut steps = (keys & (self.in_element | self.in_nested) | self.nested) & before;
        while steps != 0 {
            let step = steps & steps.wrapping_neg();
            let kind = if self.in_element & step != 0 {
                Step::Key
            } else if self.nested & step != 0 {
                Step::Object
            } else {
                Step::ObjectKey
            };
            trail.note(kind, base + steps.trailing_zeros() as usize);
            steps ^= step;
        }
        self.keys &= !before;
        self.nested &= !before;
    }
}

/// What a bracket means for the elements of the outermost container.
pub(super) enum Event {
    Nothing,
    /// At this bit of the block.
    ElementStarts(u32),
    ElementEnds(u32, Span),
}

/// Why there is no going on.
pub(super) enum Halt {
    Fault,
    /// There is no memory for another level of nesting: for so many bytes.
    NoMemory(usize),
}

impl Grammar {
    /// Takes the tokens of a block, but its brackets, which are to be taken one by one.
    #[inline(always)]
    pub(super) fn enter<B: Block>(&mut self, block: B, tokens: &Tokens, fault: u64) -> Brackets {
        let Tokens {
            operators,
            strings,
            scalars,
        } = *tokens;
        // `{}[]` have the bit 0x40, `{}` also 0x20 and `{[` also 0x02; `:` has 0x10, and `,` has not.
        let brackets = operators & block.bit(6);
        let curly = brackets & block.bit(5);
        let opening = brackets & block.bit(1);
        let closing = brackets & !opening;
        let separators = operators & !brackets;
        let colons = separators & block.bit(4);
        let commas = separators & !colons;

        let leaves = strings | scalars;
        let gaps = !(operators | leaves);
        let after_end = self.after_end.of(closing | leaves, gaps);
        let after_separator = self.after_separator.of(separators, gaps);
        // Where a key is wanted, if a comma before it stands in an object.
        let key_places = self.before_key.of(commas | opening & curly, gaps);
        let keys = strings & key_places;
        let after_key = self.after_key.of(keys, gaps);
        let fault = fault
            | (opening | leaves) & after_end
            | commas & !after_end
            | closing & after_separator
            | colons & !after_key;
        Brackets {
            rest: brackets,
            opening,
            curly,
            in_object: 0_u64.wrapping_sub(self.open & 1),
            outside: all_if(self.depth == 0),
            first_level: all_if(self.depth == 1),
            commas,
            of_object: colons,
            of_array: key_places & !(strings | closing) | after_key & !colons,
            leaves,
            keys,
            in_element: all_if(self.depth == 2),
            in_nested: all_if(self.depth == 4 && self.is_in_array()),
            nested: 0,
            fault,
        }
    }

    /// Takes the next bracket of the block that starts at `base`; there is one.
    #[inline(always)]
    pub(super) fn bracket<const TRAIL: bool>(
        &mut self,
        block: &mut Brackets,
        base: usize,
        trail: &mut Trail,
    ) -> Result<Event, Halt> {
        let bracket = block.rest & block.rest.wrapping_neg();
        let upto = block.rest ^ block.rest.wrapping_sub(1);
        block.rest ^= bracket;
        let opens = block.opening & bracket != 0;
        let curly = u64::from(block.curly & bracket != 0);
        let before = self.open;
        // Without a branch, since a bracket is hard to foresee.
        let closed = before >> 1;
        let opened = before << 1 | curly;
        self.open = if opens { opened } else { closed };
        block.fault |= u64::from(!opens) & (before ^ curly) & 1;
        let level = self.depth.wrapping_add(usize::from(opens));
        self.depth = level.wrapping_sub(usize::from(!opens));
        let event = if level % 64 > deepest::<TRAIL>() {
            Event::Nothing
        } else {
            self.seldom::<TRAIL>(block, bracket, base, level, before, trail)?
        };
        block.in_object ^= 0_u64.wrapping_sub((before ^ self.open) & 1) & !upto;
        Ok(event)
    }

    /// What a bracket means beside that at the first levels, and at one where `open` is full.
    #[inline(always)]
    fn seldom<const TRAIL: bool>(
        &mut self,
        block: &mut Brackets,
        bracket: u64,
        base: usize,
        level: usize,
        before: u64,
        trail: &mut Trail,
    ) -> Result<Event, Halt> {
        let opens = block.opening & bracket != 0;
        let below = bracket - 1;
        let above = !(below | bracket);
        let bit = bracket.trailing_zeros();
        let at = base + bit as usize;
        match (level, opens) {
            // Nothing is open that could be closed.
            (0, _) => return Err(Halt::Fault),
            (1, true) => {
                self.span.start = at;
                block.outside &= below | bracket;
                block.first_level |= above;
            }
            (1, false) => {
                self.span.end = at + 1;
                block.outside |= above;
                block.first_level &= below;
            }
            (2, true) => {
                self.element = at;
                self.has_others |= block.curly & bracket == 0;
                block.first_level &= below;
                block.in_element |= above;
                trail.start(at);
                return Ok(Event::ElementStarts(bit));
            }
            (2, false) => {
                block.first_level |= above;
                if TRAIL && trail.is_kept() {
                    block.note(trail, base, below);
                    trail.end();
                }
                block.in_element &= below;
                let span = Span {
                    start: self.element,
                    end: at + 1,
                };
                return Ok(Event::ElementEnds(bit, span));
            }
            (3, true) => block.in_element &= below,
            (3, false) => block.in_element |= above,
            (4, true) if block.curly & bracket != 0 && before & 1 == 0 => {
                block.nested |= bracket;
                block.in_nested |= above;
            }
            (4, false) | (5, true) => block.in_nested &= below,
            (5, false) if self.is_in_array() => block.in_nested |= above,
            _ if level % 64 != 1 => {}
            (_, true) => {
                if self.outer.try_reserve(1).is_err() {
                    let levels = self.outer.len() + 1;
                    return Err(Halt::NoMemory(levels * size_of::<u64>()));
                }
                self.outer.push(before);
            }
            (_, false) => self.open = self.outer.pop().unwrap_or_default(),
        }
        Ok(Event::Nothing)
    }

    /// Whether what is open last is an object in an array.
    fn is_in_array(&self) -> bool {
        self.open & 3 == 1
    }

    /// Leaves the block whose brackets were all taken.
    #[inline(always)]
    pub(super) fn leave<const TRAIL: bool>(
        &mut self,
        block: &mut Brackets,
        base: usize,
        trail: &mut Trail,
    ) -> Result<(), Halt> {
        let misplaced = block.of_object & !block.in_object
            | block.of_array & block.in_object
            | block.commas & block.outside;
        self.has_others |= block.leaves & block.first_level != 0;
        if block.fault | misplaced != 0 {
            return Err(Halt::Fault);
        }
        if TRAIL && trail.is_kept() {
            block.note(trail, base, u64::MAX);
        }
        Ok(())
    }

    /// Whether the outermost value is complete, and nothing after it.
    pub(super) fn is_complete(&self) -> bool {
        self.depth == 0 && self.after_end.is_waiting()
    }

    /// Where the outermost container stands, once it is complete.
    pub(super) fn span(&self) -> Span {
        self.span
    }

    /// Whether something else than objects is in the outermost container.
    pub(super) fn has_others(&self) -> bool {
        self.has_others
    }
}

/// The level of the deepest brackets that matter: those of elements, or those inside of the objects in their arrays.
#[inline(always)]
fn deepest<const TRAIL: bool>() -> usize {
    if TRAIL { 5 } else { 2 }
}

/// All bits set or none.
#[inline(always)]
fn all_if(set: bool) -> u64 {
    0_u64.wrapping_sub(u64::from(set))
}
