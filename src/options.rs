//! The options object.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::error::Error;
use crate::json::trail::Trail;
use crate::json::value::Value;
use crate::json::{CharUnit, Kind, scan};

/// Where the tail may start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Split {
    /// At a turn boundary, or inside the last turn where that turn alone is too long; its request is kept then.
    #[default]
    Steps,
    /// At turn boundaries only, as the hand-written ports split.
    Turns,
}

/// The role of the summary message and of the reminder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SummaryRole {
    /// `system`
    #[default]
    System,
    /// `developer`
    Developer,
    /// `user`
    User,
    /// `assistant`
    Assistant,
}

impl SummaryRole {
    /// The role as it stands in a message.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// What a [`Compactor`](crate::Compactor) does. Token figures are estimates, or what the host's `count_tokens` says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Compact only when the transcript counts more tokens than this; at or below it nothing changes.
    pub max_tokens: u64,
    /// Token budget of the kept tail; `None` is half of `max_tokens`, rounded down. 0 is a budget like any other.
    pub keep_tail: Option<u64>,
    /// Add the reminder ([`FLUSH_REMINDER`](crate::FLUSH_REMINDER)) right after the summary message.
    pub flush_to_memory: bool,
    /// What one character is, for the estimate.
    pub char_unit: CharUnit,
    /// Where the tail may start.
    pub split: Split,
    /// The role of the summary message and of the reminder.
    pub summary_role: SummaryRole,
}

const TEXT: &str = "options";
const KEYS: [&str; 6] = [
    "max_tokens",
    "keep_tail",
    "flush_to_memory",
    "char_unit",
    "split",
    "summary_role",
];
/// The values of each option that is a choice, as JSON.
const FLAGS: [(&str, bool); 2] = [("true", true), ("false", false)];
const CHAR_UNITS: [(&str, CharUnit); 3] = [
    (r#""code_point""#, CharUnit::CodePoint),
    (r#""utf16""#, CharUnit::Utf16),
    (r#""utf8""#, CharUnit::Utf8),
];
const SPLITS: [(&str, Split); 2] = [(r#""steps""#, Split::Steps), (r#""turns""#, Split::Turns)];
const SUMMARY_ROLES: [(&str, SummaryRole); 4] = [
    (r#""system""#, SummaryRole::System),
    (r#""developer""#, SummaryRole::Developer),
    (r#""user""#, SummaryRole::User),
    (r#""assistant""#, SummaryRole::Assistant),
];

impl Options {
    /// The defaults beside `max_tokens`, which has none.
    pub fn new(max_tokens: u64) -> Self {
        Self {
            max_tokens,
            keep_tail: None,
            flush_to_memory: false,
            char_unit: CharUnit::default(),
            split: Split::default(),
            summary_role: SummaryRole::default(),
        }
    }

    /// Reads options from one JSON object with the keys `max_tokens`, `keep_tail`, `flush_to_memory`, `char_unit`
    /// (`"code_point"`, `"utf16"`, `"utf8"`), `split` (`"steps"`, `"turns"`) and `summary_role` (`"system"`,
    /// `"developer"`, `"user"`, `"assistant"`). Of a repeated key the last counts.
    ///
    /// # Errors
    ///
    /// The text is no JSON object; a key is not listed; a value has the wrong type or is out of range; `max_tokens` is
    /// missing. The error names the key, what was found and what is allowed.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let document = scan::elements(
            TEXT,
            text.as_bytes(),
            CharUnit::default(),
            &mut Trail::none(),
            &mut |_, _| Ok(()),
        )?;
        if document.kind != Kind::Object {
            return Err(Error::OptionsNotAnObject {
                found: document.kind.name(),
            });
        }
        for (key, _) in Value::new(document.span.of(text.as_bytes())).members() {
            if !KEYS.iter().any(|known| key.is(known)) {
                // As it is meant, or, where no text can hold that, as it is written.
                let key = match String::from_utf8(key.decoded()?.into_owned()) {
                    Ok(key) => as_json(&key),
                    Err(_) => format!("\"{}\"", String::from_utf8_lossy(key.raw())),
                };
                return Err(Error::UnknownOption {
                    key: shortened(&key),
                    allowed: KEYS.join(", "),
                });
            }
        }
        let members: BTreeMap<String, &RawValue> =
            serde_json::from_str(text).map_err(|error| Error::Internal(error.to_string()))?;
        let mut options = Self::new(0);
        let mut max_tokens = None;
        for (key, value) in &members {
            let value = value.get();
            match key.as_str() {
                "max_tokens" => max_tokens = Some(integer("max_tokens", value)?),
                "keep_tail" => options.keep_tail = Some(integer("keep_tail", value)?),
                "flush_to_memory" => {
                    options.flush_to_memory = choice("flush_to_memory", value, &FLAGS)?;
                }
                "char_unit" => options.char_unit = choice("char_unit", value, &CHAR_UNITS)?,
                "split" => options.split = choice("split", value, &SPLITS)?,
                "summary_role" => {
                    options.summary_role = choice("summary_role", value, &SUMMARY_ROLES)?;
                }
                _ => {}
            }
        }
        options.max_tokens = max_tokens.ok_or_else(|| wrong("max_tokens", "nothing", INTEGER))?;
        Ok(options)
    }

    /// The token budget of the tail, before the split looks at the room there is.
    pub(crate) fn keep_tail(&self) -> u64 {
        self.keep_tail.unwrap_or(self.max_tokens / 2)
    }
}

const INTEGER: &str = "an integer from 0 to 18446744073709551615";

fn integer(key: &'static str, value: &str) -> Result<u64, Error> {
    value.parse().map_err(|_| wrong(key, value, INTEGER))
}

/// The choice that the JSON text `value` names.
fn choice<T: Copy>(key: &'static str, value: &str, choices: &[(&str, T)]) -> Result<T, Error> {
    // A string may spell its characters with escapes; any other value has one spelling.
    let value = match serde_json::from_str::<String>(value) {
        Ok(word) => as_json(&word),
        Err(_) => value.to_owned(),
    };
    match choices.iter().find(|(name, _)| *name == value) {
        Some(&(_, choice)) => Ok(choice),
        None => {
            let names: Vec<&str> = choices.iter().map(|&(name, _)| name).collect();
            Err(wrong(key, &value, &names.join(", ")))
        }
    }
}

/// `text` as a JSON string.
fn as_json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn wrong(key: &'static str, found: &str, allowed: &str) -> Error {
    Error::OptionValue {
        key,
        found: shortened(found),
        allowed: allowed.to_owned(),
    }
}

/// `found` for a message: its first characters, as far as they can be seen.
fn shortened(found: &str) -> String {
    const MOST: usize = 60;
    let mut text: String = found
        .chars()
        .take(MOST)
        .flat_map(|char| {
            let seen = matches!(char, '"' | '\'' | '\\');
            seen.then_some(char)
                .into_iter()
                .chain((!seen).then(|| char.escape_debug()).into_iter().flatten())
        })
        .collect();
    if found.chars().nth(MOST).is_some() {
        text.push('…');
    }
    text
}
