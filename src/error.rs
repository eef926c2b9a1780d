//! Every failure, once, with its text.

use std::fmt;

/// What a host's own function failed with; its text reaches the caller word for word.
pub type HostError = Box<dyn std::error::Error + Send + Sync>;

/// Why a call failed. The text names the place, what was found there and what is allowed.
///
/// Nothing was changed by a call that failed: the host still has its transcript.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument cannot be used: a null pointer where a value is needed, a length without text, an unknown unit.
    #[error("{name}: {problem}")]
    Argument {
        /// The parameter.
        name: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// A text is not UTF-8.
    #[error("{text}: byte {at}: not UTF-8")]
    Utf8 {
        /// Which text.
        text: &'static str,
        /// Offset in bytes of the first byte that belongs to no character.
        at: usize,
    },
    /// A text is not JSON.
    #[error("{text}: byte {at}: expected {expected}, found {found}")]
    Json {
        /// Which text.
        text: &'static str,
        /// Offset in bytes of the first character that cannot stand there.
        at: usize,
        /// What JSON allows there.
        expected: &'static str,
        /// The character found, or the end of the text.
        found: Found,
    },
    /// JSON, but not an array.
    #[error("messages: expected an array of objects, found {found}")]
    NotAnArray {
        /// The kind of value found.
        found: &'static str,
    },
    /// JSON, but not every element of the array is an object.
    #[error("messages[{index}]: expected an object, found {found}")]
    NotAnObject {
        /// Index of the first such element.
        index: usize,
        /// The kind of value found.
        found: &'static str,
    },
    /// The options are JSON, but not an object.
    #[error("options: expected an object, found {found}")]
    OptionsNotAnObject {
        /// The kind of value found.
        found: &'static str,
    },
    /// An option that does not exist.
    #[error("option {key}: not known, allowed: {allowed}")]
    UnknownOption {
        /// The key, as JSON.
        key: String,
        /// Every key there is.
        allowed: String,
    },
    /// An option whose value is not allowed, or that is missing.
    #[error("option \"{key}\": found {found}, allowed: {allowed}")]
    OptionValue {
        /// The key.
        key: &'static str,
        /// The value as it stands in the options, shortened, or `nothing`.
        found: String,
        /// What is allowed.
        allowed: String,
    },
    /// The host's function failed; the text is its own.
    #[error(transparent)]
    Host(HostError),
    /// The host's function did not answer, or not with something usable.
    #[error("{function}: {problem}")]
    Answer {
        /// `summarize` or `count_tokens`.
        function: &'static str,
        /// What is wrong with the answer.
        problem: &'static str,
    },
    /// The host's function answered with a text that is not UTF-8.
    #[error("{function}: byte {at} of what the callback answered: not UTF-8")]
    AnswerUtf8 {
        /// `summarize` or `count_tokens`.
        function: &'static str,
        /// Offset in bytes of the first byte that belongs to no character.
        at: usize,
    },
    /// The memory for a text or a list that grows with the transcript could not be had.
    #[error("out of memory: {bytes} bytes could not be had")]
    OutOfMemory {
        /// How many bytes were asked for.
        bytes: usize,
    },
    /// A panic inside the library, caught at the C interface: a bug.
    #[error("internal error, a bug in tn_compactor: {0}")]
    Internal(String),
}

/// A character that was found in a text, or its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found(pub Option<char>);

impl fmt::Display for Found {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => out.write_str("the end of the text"),
            Some('`') => out.write_str("'`'"),
            // The character itself, if it can be seen.
            Some(other @ ('"' | '\'' | '\\')) => write!(out, "`{other}`"),
            Some(other) => write!(out, "`{}`", other.escape_debug()),
        }
    }
}

/// Makes room for `more` further items of `list`, or says that it cannot be had.
pub(crate) fn reserve<T>(list: &mut Vec<T>, more: usize) -> Result<(), Error> {
    list.try_reserve(more).map_err(|_| Error::OutOfMemory {
        bytes: more.saturating_mul(size_of::<T>()),
    })
}

/// An empty text with room for exactly `bytes` bytes.
pub(crate) fn text_with_room(bytes: usize) -> Result<String, Error> {
    let mut text = String::new();
    text.try_reserve_exact(bytes)
        .map_err(|_| Error::OutOfMemory { bytes })?;
    Ok(text)
}
