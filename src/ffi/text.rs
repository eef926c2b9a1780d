//! Text in and out.

use std::ffi::{CStr, c_char};
use std::fmt::{self, Write};

use crate::error::Error;
use crate::transcript::{FLUSH_REMINDER, SUMMARY_PREFIX};

/// For any length parameter: the text is NUL-terminated, and its length is up to the NUL.
///
/// cbindgen:ignore
pub const TN_NUL_TERMINATED: usize = usize::MAX;

/// The bytes that a host passes as `pointer` and `length`. `name` is the parameter, for the error.
///
/// # Safety
///
/// Unless it is NULL, `pointer` is valid for reads of `length` bytes, or up to a NUL where `length` is
/// [`TN_NUL_TERMINATED`], and nobody writes there for as long as `'a`.
pub(super) unsafe fn bytes_in<'a>(
    name: &'static str,
    pointer: *const c_char,
    length: usize,
) -> Result<&'a [u8], Error> {
    let wrong = |problem: String| Error::Argument { name, problem };
    if pointer.is_null() {
        match length {
            0 => Ok(&[]),
            TN_NUL_TERMINATED => Err(wrong("NULL, expected a text".to_owned())),
            _ => Err(wrong(format!("NULL, with a length of {length}"))),
        }
    } else if length == TN_NUL_TERMINATED {
        // SAFETY: not NULL, and the caller vouches for a NUL at its end.
        Ok(unsafe { CStr::from_ptr(pointer) }.to_bytes())
    } else if isize::try_from(length).is_err() {
        Err(wrong(format!("a length of {length}, which no text has")))
    } else {
        // SAFETY: not NULL, no longer than an object can be, and the caller vouches for that many bytes.
        Ok(unsafe { std::slice::from_raw_parts(pointer.cast(), length) })
    }
}

/// The same for a text that must be UTF-8.
///
/// # Safety
///
/// As for [`bytes_in`].
pub(super) unsafe fn text_in<'a>(
    name: &'static str,
    pointer: *const c_char,
    length: usize,
) -> Result<&'a str, Error> {
    // SAFETY: as the caller vouches.
    let bytes = unsafe { bytes_in(name, pointer, length) }?;
    std::str::from_utf8(bytes).map_err(|error| Error::Utf8 {
        text: name,
        at: error.valid_up_to(),
    })
}

/// Allocates a NUL-terminated text of `length` bytes for the host, who gives it back to [`tn_string_free`]. `write` is
/// called with a function that appends a piece; the pieces are `length` bytes together.
///
/// The C allocator is used, because it says when it has no memory, and because a host that writes into its text cannot
/// confuse it.
pub(super) fn text_out(
    length: usize,
    write: impl FnOnce(&mut dyn FnMut(&str)),
) -> Result<*mut c_char, Error> {
    let no_memory = Error::OutOfMemory { bytes: length };
    let Some(room) = length.checked_add(1) else {
        return Err(no_memory);
    };
    // SAFETY: malloc has no precondition.
    let start = unsafe { libc::malloc(room) }.cast::<u8>();
    if start.is_null() {
        return Err(no_memory);
    }
    let mut written = 0;
    write(&mut |piece| {
        let take = piece.len().min(length - written);
        // SAFETY: `written + take <= length < room`, so the target lies inside the allocation, which is new and cannot
        // overlap with `piece`.
        unsafe { std::ptr::copy_nonoverlapping(piece.as_ptr(), start.add(written), take) };
        written += take;
    });
    if written < length {
        // SAFETY: it came from malloc above, and nobody else has it.
        unsafe { libc::free(start.cast()) };
        return Err(Error::Internal(
            "a text is shorter than it was said to be".to_owned(),
        ));
    }
    // SAFETY: `written <= length < room`.
    unsafe { start.add(written).write(0) };
    Ok(start.cast())
}

/// The text of `error` as the host gets it: a NUL inside, which would cut it short, stands as U+FFFD.
pub(super) fn message_out(error: &Error) -> Result<*mut c_char, Error> {
    let mut text = Message(String::new());
    write!(text, "{error}").map_err(|_| Error::OutOfMemory {
        bytes: text.0.len(),
    })?;
    let mut length = 0;
    each_piece(&text.0, &mut |piece| length += piece.len());
    text_out(length, |write| each_piece(&text.0, write))
}

/// The pieces of `text` between its NULs, and what stands for them.
fn each_piece(text: &str, take: &mut dyn FnMut(&str)) {
    for (index, piece) in text.split('\0').enumerate() {
        if index > 0 {
            take("\u{FFFD}");
        }
        take(piece);
    }
}

/// The text of an error, or the news that there is no memory for it.
struct Message(String);

impl Write for Message {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.0.try_reserve(piece.len()).map_err(|_| fmt::Error)?;
        self.0.push_str(piece);
        Ok(())
    }
}

/// Writes NULL to an output, if the host wants it.
///
/// # Safety
///
/// Unless it is NULL, `output` is valid for a write.
pub(super) unsafe fn clear<T>(output: *mut *mut T) {
    if !output.is_null() {
        // SAFETY: not NULL, and the caller vouches for the write.
        unsafe { output.write(std::ptr::null_mut()) };
    }
}

/// The error for an argument that must not be NULL.
pub(super) fn null(name: &'static str) -> Error {
    Error::Argument {
        name,
        problem: "NULL".to_owned(),
    }
}

/// The value that `pointer`, the argument `name`, points to.
///
/// # Safety
///
/// Unless it is NULL, `pointer` is valid for reads for as long as `'a`.
pub(super) unsafe fn reference<'a, T>(
    name: &'static str,
    pointer: *const T,
) -> Result<&'a T, Error> {
    // SAFETY: the caller vouches for a valid pointer.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(name))
}

const fn c_text<const N: usize>(text: &str) -> [u8; N] {
    let mut bytes = [0; N];
    let mut at = 0;
    while at < text.len() {
        bytes[at] = text.as_bytes()[at];
        at += 1;
    }
    bytes
}

static SUMMARY_PREFIX_C: [u8; SUMMARY_PREFIX.len() + 1] = c_text(SUMMARY_PREFIX);
static FLUSH_REMINDER_C: [u8; FLUSH_REMINDER.len() + 1] = c_text(FLUSH_REMINDER);

/// What the text of every summary message begins with: "[Summary of earlier conversation]" and a line feed.
///
/// @return A NUL-terminated constant, never NULL, valid for as long as the library is loaded. Not to be freed.
///
/// Thread-safety: may be called from any thread at any time.
#[unsafe(no_mangle)]
pub extern "C" fn tn_summary_prefix() -> *const c_char {
    SUMMARY_PREFIX_C.as_ptr().cast()
}

/// The text of the reminder that the option "flush_to_memory" adds right after the summary message.
///
/// @return A NUL-terminated constant in UTF-8, never NULL, valid for as long as the library is loaded. Not to be freed.
///
/// Thread-safety: may be called from any thread at any time.
#[unsafe(no_mangle)]
pub extern "C" fn tn_flush_reminder() -> *const c_char {
    FLUSH_REMINDER_C.as_ptr().cast()
}

/// Frees a text that this library returned through a `char **`: a result or an error. Not for the texts that a function
/// returns as `const char *`.
///
/// @param string The text, or NULL, which does nothing. It must not be used, or freed, again. Its content may have been
///   changed by the host.
///
/// Thread-safety: may be called from any thread, not only from the one that got the text.
///
/// # Safety
///
/// `string` is NULL or was returned by this library and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tn_string_free(string: *mut c_char) {
    // SAFETY: NULL is allowed, anything else came from `malloc` in `text_out`, and the host vouches that it is not freed.
    unsafe { libc::free(string.cast()) };
}
