//! Where a callback puts its answer.

use std::ffi::{c_char, c_void};

use super::guard::guard;
use super::status::tn_status::{self, *};
use super::text::text_in;
use crate::error::{Error, HostError};
use crate::plan::Slice;

/// Where a callback puts its answer. Valid inside that one call of the callback, on its thread; never to be freed.
///
/// One answer is taken, or an error, which wins over an answer whichever came first. Without either, or after an answer of
/// the wrong kind or one that is not UTF-8, the call that called the callback fails with `TN_ERR_CALLBACK`.
pub struct tn_sink {
    wanted: Kind,
    answer: Option<Answer>,
    error: Option<String>,
    /// An answer that was refused in a way that fails the call, whatever else is answered.
    refused: Option<Refused>,
}

/// The host's function that writes the summary.
///
/// It answers through `out`: `tn_sink_set_text` with the summary, a text that is not blank, or `tn_sink_set_error`.
///
/// It may block, may call any function of this library, and may be left by a C++ exception, which passes through to the
/// host's own handler; nothing leaks. `longjmp`, `pthread_exit` and the panics of other languages must not cross it.
///
/// @param user_data What the host passed beside the function.
/// @param json The array `messages[first .. first + count]` as UTF-8 text, not NUL-terminated, valid during the call.
/// @param json_len Its length in bytes.
/// @param first Index of the first of these messages in the transcript.
/// @param count Number of messages.
/// @param out Where the answer goes, valid during the call.
pub type tn_summarize_fn = Option<
    unsafe extern "C-unwind" fn(
        user_data: *mut c_void,
        json: *const c_char,
        json_len: usize,
        first: usize,
        count: usize,
        out: *mut tn_sink,
    ),
>;

/// The host's function that counts tokens, in place of the estimate.
///
/// It answers through `out`: `tn_sink_set_count` with the tokens of the messages together, or `tn_sink_set_error`. It is
/// never given an empty list. It must not shrink when messages are added; if it does, the tail may be smaller or larger
/// than the budget allows, but a result still is never parted from its call.
///
/// What holds for `tn_summarize_fn` about blocking, exceptions and calls holds here.
///
/// @param user_data What the host passed beside the function.
/// @param json The array `messages[first .. first + count]` as UTF-8 text, not NUL-terminated, valid during the call.
/// @param json_len Its length in bytes.
/// @param first Index of the first of these messages in the transcript.
/// @param count Number of messages, at least 1.
/// @param out Where the answer goes, valid during the call.
pub type tn_count_tokens_fn = Option<
    unsafe extern "C-unwind" fn(
        user_data: *mut c_void,
        json: *const c_char,
        json_len: usize,
        first: usize,
        count: usize,
        out: *mut tn_sink,
    ),
>;

/// Why an answer was refused.
#[derive(Clone, Copy)]
enum Refused {
    Answer(&'static str),
    /// Not UTF-8, from this byte on.
    Text(usize),
}

/// What a function answers with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Count,
}

impl Kind {
    fn function(self) -> &'static str {
        match self {
            Self::Text => "summarize",
            Self::Count => "count_tokens",
        }
    }
}

enum Answer {
    Text(String),
    Count(u64),
}

impl Answer {
    fn kind(&self) -> Kind {
        match self {
            Self::Text(_) => Kind::Text,
            Self::Count(_) => Kind::Count,
        }
    }
}

/// Calls the host's `summarize`. Not to be called inside a guard: an exception passes through.
///
/// # Safety
///
/// `summarize` is a function as [`tn_summarize_fn`] describes it, and may be called with `user_data`.
pub(super) unsafe fn call_summarize(
    summarize: unsafe extern "C-unwind" fn(
        *mut c_void,
        *const c_char,
        usize,
        usize,
        usize,
        *mut tn_sink,
    ),
    user_data: *mut c_void,
    older: Slice<'_>,
) -> Result<String, Error> {
    // SAFETY: as the caller vouches.
    match unsafe { call(summarize, user_data, older, Kind::Text) }? {
        Answer::Text(text) => Ok(text),
        Answer::Count(_) => Err(nothing(Kind::Text)),
    }
}

/// Calls the host's `count_tokens`. Not to be called inside a guard: an exception passes through.
///
/// # Safety
///
/// `count_tokens` is a function as [`tn_count_tokens_fn`] describes it, and may be called with `user_data`.
pub(super) unsafe fn call_count_tokens(
    count_tokens: unsafe extern "C-unwind" fn(
        *mut c_void,
        *const c_char,
        usize,
        usize,
        usize,
        *mut tn_sink,
    ),
    user_data: *mut c_void,
    messages: Slice<'_>,
) -> Result<u64, Error> {
    // SAFETY: as the caller vouches.
    match unsafe { call(count_tokens, user_data, messages, Kind::Count) }? {
        Answer::Count(tokens) => Ok(tokens),
        Answer::Text(_) => Err(nothing(Kind::Count)),
    }
}

/// # Safety
///
/// As for [`call_summarize`] and [`call_count_tokens`].
unsafe fn call(
    function: unsafe extern "C-unwind" fn(
        *mut c_void,
        *const c_char,
        usize,
        usize,
        usize,
        *mut tn_sink,
    ),
    user_data: *mut c_void,
    messages: Slice<'_>,
    wanted: Kind,
) -> Result<Answer, Error> {
    let mut sink = tn_sink {
        wanted,
        answer: None,
        error: None,
        refused: None,
    };
    let Slice { json, first, count } = messages;
    // SAFETY: the caller vouches for the function; the text and the sink live until it returns.
    unsafe {
        function(
            user_data,
            json.as_ptr().cast(),
            json.len(),
            first,
            count,
            &raw mut sink,
        );
    }
    if let Some(error) = sink.error {
        return Err(Error::Host(HostError::from(error)));
    }
    let function = wanted.function();
    match sink.refused {
        Some(Refused::Answer(problem)) => return Err(Error::Answer { function, problem }),
        Some(Refused::Text(at)) => return Err(Error::AnswerUtf8 { function, at }),
        None => {}
    }
    sink.answer.ok_or_else(|| nothing(wanted))
}

fn nothing(wanted: Kind) -> Error {
    Error::Answer {
        function: wanted.function(),
        problem: match wanted {
            Kind::Text => "the callback answered nothing, allowed: one text, or an error",
            Kind::Count => "the callback answered nothing, allowed: one count, or an error",
        },
    }
}

impl tn_sink {
    fn answer(&mut self, answer: Answer) -> tn_status {
        if answer.kind() != self.wanted {
            self.refuse(Refused::Answer(match self.wanted {
                Kind::Text => "the callback answered with a count, allowed: a text",
                Kind::Count => "the callback answered with a text, allowed: a count",
            }));
            return TN_ERR_ARGUMENT;
        }
        if self.answer.is_some() {
            return TN_ERR_ARGUMENT;
        }
        self.answer = Some(answer);
        TN_OK
    }

    fn refuse(&mut self, refused: Refused) {
        self.refused.get_or_insert(refused);
    }

    /// Gives the text that the host passed to `take`, or says why it is refused.
    fn with_text(
        &mut self,
        text: Result<&str, Error>,
        take: impl FnOnce(&mut Self, String) -> tn_status,
    ) -> tn_status {
        let taken = guard(|| {
            let mut owned =
                crate::error::text_with_room(text.as_ref().map_or(0, |text| text.len()))?;
            owned.push_str(text?);
            Ok(take(self, owned))
        });
        match taken {
            Ok(status) => status,
            Err(Error::Utf8 { at, .. }) => {
                self.refuse(Refused::Text(at));
                TN_ERR_UTF8
            }
            Err(Error::OutOfMemory { .. }) => {
                self.refuse(Refused::Answer("no memory for the callback's answer"));
                TN_ERR_MEMORY
            }
            Err(Error::Internal(_)) => TN_ERR_INTERNAL,
            Err(_) => TN_ERR_ARGUMENT,
        }
    }
}

/// Answers with a text: the summary.
///
/// @param sink The sink that the callback got.
/// @param text The text in UTF-8, read during the call. NULL with length 0 is the empty text.
/// @param len Its length in bytes, or `TN_NUL_TERMINATED`.
///
/// @return `TN_OK`; `TN_ERR_ARGUMENT` if `sink` is NULL, if `text` is NULL and `len` is not 0, for a second answer, which
///   is ignored, or where a count is wanted, which fails the call; `TN_ERR_UTF8`, which fails the call; `TN_ERR_MEMORY`,
///   which fails the call; `TN_ERR_INTERNAL`.
///
/// Thread-safety: on the callback's thread only, before the callback returns.
///
/// # Safety
///
/// `sink` is NULL or the sink of the callback that is running; `text` is as described.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tn_sink_set_text(
    sink: *mut tn_sink,
    text: *const c_char,
    len: usize,
) -> tn_status {
    // SAFETY: the host vouches for the sink, which it got in the callback that is running.
    let Some(sink) = (unsafe { sink.as_mut() }) else {
        return TN_ERR_ARGUMENT;
    };
    // SAFETY: the host vouches for the text.
    let text = unsafe { text_in("text", text, len) };
    // What is refused whatever it says is not looked at.
    if sink.wanted != Kind::Text || sink.answer.is_some() {
        return sink.answer(Answer::Text(String::new()));
    }
    sink.with_text(text, |sink, text| sink.answer(Answer::Text(text)))
}

/// Answers with a number of tokens.
///
/// @param sink The sink that the callback got.
/// @param tokens The count. Sums of counts saturate.
///
/// @return `TN_OK`; `TN_ERR_ARGUMENT` if `sink` is NULL, for a second answer, which is ignored, or where a text is wanted,
///   which fails the call.
///
/// Thread-safety: on the callback's thread only, before the callback returns.
///
/// # Safety
///
/// `sink` is NULL or the sink of the callback that is running.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tn_sink_set_count(sink: *mut tn_sink, tokens: u64) -> tn_status {
    // SAFETY: the host vouches for the sink, which it got in the callback that is running.
    match unsafe { sink.as_mut() } {
        Some(sink) => sink.answer(Answer::Count(tokens)),
        None => TN_ERR_ARGUMENT,
    }
}

/// Reports that the host could not answer. The call fails with `TN_ERR_CALLBACK`, and `message` is its error, word for
/// word; a NUL inside it stands as U+FFFD there.
///
/// @param sink The sink that the callback got.
/// @param message What happened, in UTF-8, read during the call. NULL with length 0 is the empty text.
/// @param len Its length in bytes, or `TN_NUL_TERMINATED`.
///
/// @return `TN_OK`; `TN_ERR_ARGUMENT` if `sink` is NULL, if `message` is NULL and `len` is not 0, or for a second error,
///   which is ignored; `TN_ERR_UTF8`, which fails the call too, or `TN_ERR_MEMORY`, likewise; `TN_ERR_INTERNAL`.
///
/// Thread-safety: on the callback's thread only, before the callback returns.
///
/// # Safety
///
/// `sink` is NULL or the sink of the callback that is running; `message` is as described.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tn_sink_set_error(
    sink: *mut tn_sink,
    message: *const c_char,
    len: usize,
) -> tn_status {
    // SAFETY: the host vouches for the sink, which it got in the callback that is running.
    let Some(sink) = (unsafe { sink.as_mut() }) else {
        return TN_ERR_ARGUMENT;
    };
    if sink.error.is_some() {
        return TN_ERR_ARGUMENT;
    }
    // SAFETY: the host vouches for the text.
    let message = unsafe { text_in("message", message, len) };
    sink.with_text(message, |sink, message| {
        sink.error = Some(message);
        TN_OK
    })
}
