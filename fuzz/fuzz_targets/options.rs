//! Any text as options: accepted exactly where a naive reading of the table of options accepts it, with the values that it finds,
//! and refused by name otherwise.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tn_compactor::{CharUnit, Error, Options, Split, SummaryRole};

#[path = "../../tests/abi/mod.rs"]
mod abi;
#[path = "../../tests/twin/json.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod json;
#[path = "../../tests/reading/naive.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod naive;

use json::{Transcript, Value, text};

/// The naive reader recurses.
const DEEPEST: usize = 300;

/// An error is for a person to read.
const LONGEST_ERROR: usize = 1500;

fuzz_target!(|input: &[u8]| {
    let Ok(options) = std::str::from_utf8(input) else {
        return;
    };
    let found = Options::from_json(options);
    let by_c = abi::Compactor::new(options).map(|_compactor| ());
    let by_c = by_c.map_err(|failure| (failure.status, failure.text));
    let status = match &found {
        Ok(_) => None,
        Err(Error::Json { .. }) => Some("TN_ERR_JSON"),
        Err(_) => Some("TN_ERR_OPTIONS"),
    };
    let told = found.as_ref().map(|_options| ());
    let told = told.map_err(|error| (status.unwrap_or_default().to_owned(), error.to_string()));
    assert_eq!(by_c, told, "{options}");
    if let Err(error) = &found {
        let error = error.to_string();
        let is_one_line = !error.chars().any(char::is_control);
        assert!(is_one_line && error.len() <= LONGEST_ERROR, "{error:?}");
    }

    // A transcript of one message that may be no object tells all there is to know of the text.
    match naive::read(&format!("[{options}]")) {
        naive::Reading::NotJson(_) => {
            let at = naive::first_fault(input);
            assert!(
                matches!(found, Err(Error::Json { at: place, .. }) if place == at),
                "{options}: {found:?} instead of a fault at {at}"
            );
        }
        _ if deepest(options) > DEEPEST => {}
        _ => {
            let read = Transcript::read(&format!("[{options}]"));
            // `1,2` is no JSON, though it is inside of brackets.
            if let [value] = &*read.messages {
                agrees(value, found, options);
            }
        }
    }
});

fn deepest(options: &str) -> usize {
    options.matches(['[', '{']).count()
}

fn agrees(value: &Value, found: Result<Options, Error>, options: &str) {
    let Value::Object(members) = value else {
        assert!(
            matches!(found, Err(Error::OptionsNotAnObject { .. })),
            "{options}: {found:?}"
        );
        return;
    };
    let known = [
        "max_tokens",
        "keep_tail",
        "flush_to_memory",
        "char_unit",
        "split",
        "summary_role",
    ];
    if members
        .iter()
        .any(|(key, _)| !known.iter().any(|known| *key == text(known)))
    {
        assert!(
            matches!(found, Err(Error::UnknownOption { .. })),
            "{options}: {found:?}"
        );
        return;
    }
    let mut wrong = Vec::new();
    let mut expected = Options::new(0);
    match value.get("max_tokens").map(integer) {
        Some(Some(tokens)) => expected.max_tokens = tokens,
        _ => wrong.push("max_tokens"),
    }
    let mut take = |key: &'static str, set: &mut dyn FnMut(&Value) -> Option<()>| {
        if value.get(key).is_some_and(|value| set(value).is_none()) {
            wrong.push(key);
        }
    };
    take("keep_tail", &mut |value| {
        expected.keep_tail = Some(integer(value)?);
        Some(())
    });
    take("flush_to_memory", &mut |value| {
        let Value::Bool(flag) = value else {
            return None;
        };
        expected.flush_to_memory = *flag;
        Some(())
    });
    take("char_unit", &mut |value| {
        expected.char_unit = one_of(
            value,
            &[
                ("code_point", CharUnit::CodePoint),
                ("utf16", CharUnit::Utf16),
                ("utf8", CharUnit::Utf8),
            ],
        )?;
        Some(())
    });
    take("split", &mut |value| {
        expected.split = one_of(value, &[("steps", Split::Steps), ("turns", Split::Turns)])?;
        Some(())
    });
    take("summary_role", &mut |value| {
        expected.summary_role = one_of(
            value,
            &[
                ("system", SummaryRole::System),
                ("developer", SummaryRole::Developer),
                ("user", SummaryRole::User),
                ("assistant", SummaryRole::Assistant),
            ],
        )?;
        Some(())
    });
    match found {
        Ok(found) => {
            assert!(wrong.is_empty(), "{options}: accepted with {wrong:?}");
            assert_eq!(found, expected, "{options}");
        }
        Err(Error::OptionValue { key, .. }) => {
            assert!(wrong.contains(&key), "{options}: refused for {key}");
        }
        Err(error) => panic!("{options}: {error}"),
    }
}

fn integer(value: &Value) -> Option<u64> {
    match value {
        Value::Number(digits) => digits.parse().ok(),
        _ => None,
    }
}

fn one_of<T: Copy>(value: &Value, choices: &[(&str, T)]) -> Option<T> {
    let named = value.as_string()?;
    let choice = choices.iter().find(|(name, _)| *named == text(name));
    choice.map(|(_, choice)| *choice)
}
