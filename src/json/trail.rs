//! Where the keys of an element are, and those of the objects in its arrays: noted while the text is read, so that nobody
//! has to look for them again.

/// What is at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A key of the element.
    Key,
    /// An object directly in an array that is a member of the element.
    Object,
    /// A key of such an object.
    ObjectKey,
}

/// The steps of elements, as far as they are kept.
///
/// A step is two bytes: 14 bits for how far it is from the one before, 2 for what it is. Where it is farther, a step before it
/// has the higher bits.
#[derive(Debug)]
pub(crate) struct Trail {
    steps: Vec<u16>,
    /// No more than so many are kept: where there are more, none.
    most: usize,
    is_kept: bool,
    /// So many bytes could not be had for them.
    refused: usize,
    /// Where the last element's steps start.
    start: usize,
    /// The offset of the last step.
    at: usize,
}

/// Bits for what a step is.
const KIND: u32 = 2;
/// Bits for how far it is.
const FAR: u32 = u16::BITS - KIND;
/// What stands behind the last step of an element.
const END: u16 = 0;

impl Trail {
    /// As many are kept of any text.
    const FEW: usize = 256;

    /// Keeps at most so many steps, or a few; where there are more, none at all.
    pub(crate) fn of_at_most(steps: usize) -> Self {
        Self {
            steps: Vec::new(),
            most: steps,
            is_kept: true,
            refused: 0,
            start: 0,
            at: 0,
        }
    }

    /// Keeps none, and costs nothing.
    pub(crate) fn none() -> Self {
        Self {
            is_kept: false,
            ..Self::of_at_most(0)
        }
    }

    /// Keeps none from here on, nor those so far.
    pub(crate) fn keep_none(&mut self) {
        *self = Self::none();
    }

    /// Keeps at most so many, if those so far are kept.
    pub(crate) fn keep_at_most(&mut self, steps: usize) {
        self.most = steps;
    }

    /// Whether steps are kept; once not, never again.
    #[inline(always)]
    pub(crate) fn is_kept(&self) -> bool {
        self.is_kept
    }

    /// If steps are not kept because there was no memory for them: how many bytes were asked for.
    pub(crate) fn refused(&self) -> usize {
        self.refused
    }

    /// Starts with the element at `at`.
    pub(super) fn start(&mut self, at: usize) {
        self.start = self.steps.len();
        self.at = at;
    }

    /// Notes what is at `at`, behind all that was noted before.
    #[inline(always)]
    pub(super) fn note(&mut self, step: Step, at: usize) {
        let mut far = at - self.at;
        self.at = at;
        while far >> FAR != 0 {
            let higher = (far >> FAR).min((1 << FAR) - 1);
            self.push((higher << KIND) as u16);
            far -= higher << FAR;
        }
        let kind = match step {
            Step::Key => 1,
            Step::Object => 2,
            Step::ObjectKey => 3,
        };
        self.push((far << KIND) as u16 | kind);
    }

    /// Ends the element.
    pub(super) fn end(&mut self) {
        self.push(END);
    }

    /// The steps of the last element, if they are kept.
    pub(crate) fn last(&self) -> Option<Steps<'_>> {
        let steps = self.steps.get(self.start..).unwrap_or_default();
        self.is_kept.then(|| Steps::of(steps))
    }

    /// The steps of all elements, one after the other, if they are kept.
    pub(crate) fn all(&self) -> Option<Steps<'_>> {
        self.is_kept.then(|| Steps::of(&self.steps))
    }

    /// Keeps the last element no longer.
    pub(crate) fn forget(&mut self) {
        self.steps.truncate(self.start);
    }

    #[inline(always)]
    fn push(&mut self, step: u16) {
        if self.steps.len() == self.steps.capacity() {
            self.grow();
        }
        if self.is_kept {
            self.steps.push(step);
        }
    }

    #[cold]
    fn grow(&mut self) {
        let length = self.steps.len();
        let most = self.most.max(Self::FEW);
        let more = match length {
            0 => Self::FEW,
            // At once, so that nothing is there twice.
            Self::FEW if most < usize::MAX => most - length,
            _ => length.min(most - length.min(most)),
        };
        let refused = match self.steps.try_reserve_exact(more) {
            _ if more == 0 => 0,
            Ok(()) => return,
            Err(_) => more.saturating_mul(size_of::<u16>()),
        };
        *self = Self {
            refused,
            ..Self::none()
        };
    }
}

/// Steps in the order of the text, to the end of an element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps<'s> {
    rest: &'s [u16],
    at: usize,
}

impl Steps<'_> {
    /// No steps.
    pub(crate) const NONE: Steps<'static> = Steps { rest: &[], at: 0 };
}

impl<'s> Steps<'s> {
    fn of(rest: &'s [u16]) -> Self {
        Self { rest, at: 0 }
    }

    /// The steps of the element after this one, whose steps were all taken.
    pub(crate) fn next_element(self) -> Self {
        Self::of(self.rest.get(1..).unwrap_or_default())
    }
}

impl Iterator for Steps<'_> {
    /// What it is, and its offset from where the element starts.
    type Item = (Step, usize);

    #[inline]
    fn next(&mut self) -> Option<(Step, usize)> {
        loop {
            let (&step, rest) = self.rest.split_first()?;
            if step == END {
                return None;
            }
            self.rest = rest;
            let far = usize::from(step >> KIND);
            let kind = match step & ((1 << KIND) - 1) {
                1 => Step::Key,
                2 => Step::Object,
                3 => Step::ObjectKey,
                _ => {
                    self.at += far << FAR;
                    continue;
                }
            };
            self.at += far;
            return Some((kind, self.at));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Step, Trail};

    /// How far a step is from the one before: mostly near, and also beyond what the higher bits hold at once.
    fn distances() -> impl Strategy<Value = usize> {
        prop_oneof![
            3 => 0_usize..100,
            1 => prop::sample::select(vec![(1 << 14) - 1, 1 << 14, (1 << 14) + 1, (1 << 28) - 1, 1 << 28, (1 << 28) + 1, 3 << 28]),
            1 => 0_usize..1 << 32,
        ]
    }

    fn elements() -> impl Strategy<Value = Vec<Vec<(usize, Step)>>> {
        let step = prop::sample::select(vec![Step::Key, Step::Object, Step::ObjectKey]);
        prop::collection::vec(prop::collection::vec((distances(), step), 0..6), 0..200)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_was_noted_is_told_unless_there_was_too_much_of_it(elements in elements(), most in prop::option::of(0_usize..2000)) {
            let mut trail = Trail::of_at_most(most.unwrap_or(usize::MAX));
            let mut start = 0;
            let mut noted = Vec::new();
            for element in &elements {
                trail.start(start);
                let mut at = 0;
                let mut steps = Vec::new();
                for &(distance, step) in element {
                    at += distance;
                    steps.push((step, at));
                    trail.note(step, start + at);
                }
                trail.end();
                if let Some(last) = trail.last() {
                    prop_assert_eq!(Vec::from_iter(last), steps.clone());
                }
                noted.push(steps);
                start += at + 1;
            }
            match trail.all() {
                None => {
                    // Those that hold the higher bits of a distance count, too.
                    let of_step = |&(distance, _): &(usize, Step)| 2 + (distance >> 28);
                    let of_element = |element: &Vec<_>| 1 + element.iter().map(of_step).sum::<usize>();
                    let all = elements.iter().map(of_element).sum::<usize>();
                    prop_assert!(most.is_some_and(|most| most < all));
                }
                Some(mut steps) => {
                    for element in noted {
                        let mut told = Vec::new();
                        told.extend(steps.by_ref());
                        prop_assert_eq!(told, element);
                        steps = steps.next_element();
                    }
                    prop_assert_eq!(steps.next(), None);
                }
            }
        }
    }
}
