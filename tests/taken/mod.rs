//! What a piece of work takes from the allocator, at its peak and in number. The figures are the whole process's: one measurement at a
//! time.

#![allow(
    dead_code,
    reason = "each test crate that shares this module uses a part of it"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Counting;

thread_local! {
    /// Of the thread that measures; the others, which run the tests, do not count.
    static MEASURING: Cell<bool> = const { Cell::new(false) };
}
static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
/// A single allocation may not be larger.
static LARGEST: AtomicUsize = AtomicUsize::new(usize::MAX);

// SAFETY: every call is passed on to the system's allocator, or refused.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if MEASURING.get() {
            if layout.size() > LARGEST.load(Relaxed) {
                return std::ptr::null_mut();
            }
            ALLOCATIONS.fetch_add(1, Relaxed);
            let now = NOW.fetch_add(layout.size(), Relaxed) + layout.size();
            PEAK.fetch_max(now, Relaxed);
        }
        // SAFETY: as the caller vouches.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if MEASURING.get() {
            // What was there before the measurement may go during it.
            let _ = NOW.fetch_update(Relaxed, Relaxed, |now| {
                Some(now.saturating_sub(layout.size()))
            });
        }
        // SAFETY: as the caller vouches.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !MEASURING.get() {
            // SAFETY: as the caller vouches.
            return unsafe { System.realloc(pointer, layout, size) };
        }
        // At the worst, the old place and the new one are both there.
        // SAFETY: as the caller vouches: the size fits the alignment, and the smaller of the sizes may be read and written.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !new.is_null() {
                std::ptr::copy_nonoverlapping(pointer, new, layout.size().min(size));
                self.dealloc(pointer, layout);
            }
            new
        }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

pub struct Taken {
    /// At the peak.
    pub bytes: usize,
    pub allocations: usize,
}

pub fn taken<T>(work: impl FnOnce() -> T) -> (T, Taken) {
    for figure in [&NOW, &PEAK, &ALLOCATIONS] {
        figure.store(0, Relaxed);
    }
    MEASURING.set(true);
    let result = work();
    MEASURING.set(false);
    let taken = Taken {
        bytes: PEAK.load(Relaxed),
        allocations: ALLOCATIONS.load(Relaxed),
    };
    (result, taken)
}

/// Does `work` with an allocator that has nothing larger than `largest`.
pub fn refusing<T>(largest: usize, work: impl FnOnce() -> T) -> T {
    LARGEST.store(largest, Relaxed);
    let (result, _) = taken(work);
    LARGEST.store(usize::MAX, Relaxed);
    result
}
