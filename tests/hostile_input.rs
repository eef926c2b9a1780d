//! Transcripts with something broken in them: an error with its place, or the right answer, and never a crash.
//!
//! The transcripts are those of `tests/cases` and the real ones, which are no part of the project: `TN_TRANSCRIPTS` names their folder
//! if it is not `../shared/transcripts`. What is right is said by the damage itself where it can, by `serde_json` and the naive twin
//! where not. Every place is tried in a short transcript, some places in a long one: `TN_EVERY_PLACE=1` tries all.

mod abi;
#[path = "reading/bytes.rs"]
mod bytes;
#[path = "reading/naive.rs"]
#[allow(dead_code, reason = "the suite of the reader uses more of it")]
mod naive;
mod twin;

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use naive::Reading;
use serde_json::value::RawValue;
use twin::agreement::examine;
use twin::json::Transcript;
use twin::rules::{self, Options, Split, Unit};

/// How many bytes may be read for one transcript and one damage: as many places are tried, at least a few.
const READ_AT_MOST: usize = 8_000_000;
const PLACES_AT_LEAST: usize = 24;

/// What a transcript with damage in it is held against.
enum Right {
    /// Refused, since it is not UTF-8, at this byte.
    NotText(usize),
    /// Refused, since it is not JSON, at this byte.
    NotJson(usize),
    /// JSON, but no array, or with an element that is no object.
    NotTranscript,
    /// Counted, in every unit.
    Tokens([u64; 3]),
}

impl Right {
    /// By `serde_json` and plain loops.
    fn of(bytes: &[u8]) -> Right {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => return Right::NotText(error.valid_up_to()),
        };
        match naive::read(text) {
            Reading::NotJson(at) => Right::NotJson(at),
            Reading::NotAnArray | Reading::NotAnObject(_) => Right::NotTranscript,
            Reading::Messages(messages) => {
                let mut tokens = [0; 3];
                for message in messages {
                    for (sum, size) in tokens.iter_mut().zip(naive::sizes(message)) {
                        *sum += size.div_ceil(4);
                    }
                }
                Right::Tokens(tokens)
            }
        }
    }

    /// What the library says in the unit that has this number, and of a plan.
    fn is_said_of(&self, bytes: &[u8], unit: usize) -> Result<(), String> {
        let expected = match self {
            Right::NotText(at) => Err(("TN_ERR_UTF8", format!("messages: byte {at}: "))),
            Right::NotJson(at) => Err(("TN_ERR_JSON", format!("messages: byte {at}: "))),
            Right::NotTranscript => Err(("TN_ERR_TRANSCRIPT", "messages".to_owned())),
            Right::Tokens(tokens) => Ok(tokens),
        };
        let unit_number = i32::try_from(unit).map_err(|error| error.to_string())?;
        let mut answers = vec![(bytes::estimate(bytes, unit_number), unit)];
        if unit == 0 {
            answers.push((bytes::planned_tokens(bytes), 0));
        }
        for (answer, unit) in answers {
            let agrees = match (&expected, &answer) {
                (Ok(tokens), Ok(found)) => tokens[unit] == *found,
                (Err((status, start)), Err((found, error))) => {
                    status == found && error.starts_with(start)
                }
                _ => false,
            };
            if !agrees {
                return Err(format!(
                    "expected {:?}, got {answer:?}",
                    expected.map(|all| all[unit])
                ));
            }
        }
        Ok(())
    }
}

/// A transcript to break.
struct Subject {
    name: String,
    text: String,
    options: Options,
}

impl Subject {
    fn of(name: String, text: String) -> Subject {
        let transcript = Transcript::read(&text);
        let tokens: u64 = rules::estimates(&transcript, Unit::CodePoint).iter().sum();
        let options = Options::with_budget(tokens / 2);
        Subject {
            name,
            text,
            options,
        }
    }

    /// The places to try of all there are, in the order of the text.
    fn places(&self) -> impl Iterator<Item = usize> + use<> {
        let length = self.text.len();
        let every = env::var_os("TN_EVERY_PLACE").is_some();
        let at_most = (READ_AT_MOST / length).max(PLACES_AT_LEAST);
        let step = if every { 1 } else { length.div_ceil(at_most) };
        // An odd step meets every place of a block.
        (0..length).step_by(if step % 2 == 0 { step + 1 } else { step })
    }

    fn failed(
        &self,
        damage: &str,
        place: usize,
        bytes: &[u8],
        why: impl std::fmt::Display,
    ) -> Failed {
        let around = place.saturating_sub(40)..bytes.len().min(place + 40);
        format!(
            "{}, {damage} at byte {place}: {why}\n{}",
            self.name,
            bytes[around].escape_ascii()
        )
        .into()
    }

    /// Tries a damage at every place. `None` where it is no damage there.
    fn broken(
        &self,
        damage: &str,
        at: impl Fn(&[u8], usize) -> Option<(Vec<u8>, Right)>,
    ) -> Result<(), Failed> {
        for (number, place) in self.places().enumerate() {
            if let Some((bytes, right)) = at(self.text.as_bytes(), place) {
                right
                    .is_said_of(&bytes, number % 3)
                    .map_err(|why| self.failed(damage, place, &bytes, why))?;
                if let Right::Tokens(_) = right {
                    self.still_compacts(number, &bytes)
                        .map_err(|why| self.failed(damage, place, &bytes, why))?;
                }
            }
        }
        Ok(())
    }

    /// What is still a transcript is planned as the twin plans it. The twin is slow, so not each time.
    fn still_compacts(&self, number: usize, bytes: &[u8]) -> Result<(), String> {
        const EACH: usize = 61;
        let often = if self.text.len() < 4096 {
            EACH
        } else {
            16 * EACH
        };
        if !number.is_multiple_of(often) {
            return Ok(());
        }
        let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
        let options = Options {
            split: Split::ALL[number / often % 2],
            ..self.options.clone()
        };
        examine(&Transcript::read(text), &options, "short recap", None).map(|_result| ())
    }
}

/// A part of JSON lacks its end: the fault is the end, or the character that was cut through.
fn cut_short(subject: &Subject) -> Result<(), Failed> {
    let array_end = subject.text.trim_end().len();
    subject.broken("cut", |whole, place| {
        let cut = whole[..place].to_vec();
        let right = match std::str::from_utf8(&cut) {
            Ok(_) if place >= array_end => return None,
            Ok(_) => Right::NotJson(place),
            Err(error) => Right::NotText(error.valid_up_to()),
        };
        Some((cut, right))
    })
}

fn one_bit_flipped(subject: &Subject) -> Result<(), Failed> {
    subject.broken("a bit flipped", |whole, place| {
        let mut flipped = whole.to_vec();
        flipped[place] ^= 1 << ((place / 64 + place) % 8);
        let right = Right::of(&flipped);
        Some((flipped, right))
    })
}

fn every_bit_of_a_byte_flipped(subject: &Subject) -> Result<(), Failed> {
    subject.broken("a byte flipped", |whole, place| {
        let mut flipped = whole.to_vec();
        flipped[place] = !flipped[place];
        let right = Right::of(&flipped);
        Some((flipped, right))
    })
}

fn inserted(whole: &[u8], place: usize, piece: &[u8]) -> Vec<u8> {
    [&whole[..place], piece, &whole[place..]].concat()
}

fn a_nul_inserted(subject: &Subject) -> Result<(), Failed> {
    subject.broken("a NUL inserted", |whole, place| {
        let broken = inserted(whole, place, b"\0");
        // Not in a character: there, the character is what is broken.
        let right = match whole[place] & 0xC0 == 0x80 {
            true => Right::of(&broken),
            false => Right::NotJson(place),
        };
        Some((broken, right))
    })
}

/// A byte order mark is a character like any other: inside a string it counts, elsewhere it cannot stand.
fn a_byte_order_mark_inserted(subject: &Subject) -> Result<(), Failed> {
    subject.broken("a byte order mark inserted", |whole, place| {
        let broken = inserted(whole, place, "\u{FEFF}".as_bytes());
        let right = Right::of(&broken);
        Some((broken, right))
    })
}

/// What some decoders take, and UTF-8 does not know: an overlong NUL, an overlong slash and letter, a surrogate of either half, a
/// code point beyond the last, a byte that starts nothing, and a character without its end.
const NO_TEXT: [&[u8]; 9] = [
    b"\xC0\x80",
    b"\xC0\xAF",
    b"\xE0\x81\xA1",
    b"\xF0\x80\x81\xA1",
    b"\xED\xA0\x80",
    b"\xED\xBF\xBF",
    b"\xF4\x90\x80\x80",
    b"\xFF",
    b"\xF0\x9F\x98",
];

fn what_is_not_utf_8_inserted(subject: &Subject) -> Result<(), Failed> {
    subject.broken("no UTF-8 inserted", |whole, place| {
        let broken = inserted(whole, place, NO_TEXT[place % NO_TEXT.len()]);
        let right = match std::str::from_utf8(&broken) {
            Ok(_) => return None,
            Err(error) => Right::NotText(error.valid_up_to()),
        };
        Some((broken, right))
    })
}

fn a_bracket_more(subject: &Subject) -> Result<(), Failed> {
    subject.broken("a bracket more", |whole, place| {
        let bracket = &b"[]{}"[place % 4..][..1];
        let broken = inserted(whole, place, bracket);
        let right = Right::of(&broken);
        Some((broken, right))
    })
}

/// Also quotes, commas, colons and backslashes: whatever holds a text together.
fn a_bracket_less(subject: &Subject) -> Result<(), Failed> {
    subject.broken("a bracket less", |whole, place| {
        let found = whole[place..]
            .iter()
            .position(|byte| b"[]{}\",:\\".contains(byte))?;
        let mut broken = whole.to_vec();
        broken.remove(place + found);
        let right = Right::of(&broken);
        Some((broken, right))
    })
}

/// One sentence about a transcript.
type Check = fn(&Subject) -> Result<(), Failed>;

const CHECKS: [(&str, Check); 8] = [
    ("cut at any byte is refused at the cut", cut_short),
    (
        "with a bit flipped is counted or refused at the fault",
        one_bit_flipped,
    ),
    (
        "with a byte flipped is counted or refused at the fault",
        every_bit_of_a_byte_flipped,
    ),
    ("with a NUL in it is refused at the NUL", a_nul_inserted),
    (
        "with a byte order mark in it is counted or refused at the mark",
        a_byte_order_mark_inserted,
    ),
    (
        "with overlong or surrogate UTF-8 in it is refused there",
        what_is_not_utf_8_inserted,
    ),
    (
        "with a bracket more is counted or refused at the fault",
        a_bracket_more,
    ),
    (
        "with a bracket less is counted or refused at the fault",
        a_bracket_less,
    ),
];

fn json_files_below(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(json_files_below(&path)?);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The messages of a case, as they stand in its file.
fn transcript_of_case(path: &Path) -> Result<String, Failed> {
    let case = fs::read_to_string(path)?;
    let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(&case)?;
    match (members.get("messages_text"), members.get("messages")) {
        (Some(text), _) => Ok(serde_json::from_str(text.get())?),
        (None, Some(messages)) => Ok(messages.get().to_owned()),
        (None, None) => Err("the case has no messages".into()),
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let real = match env::var_os("TN_TRANSCRIPTS") {
        Some(folder) => folder.into(),
        None => project.join("../shared/transcripts"),
    };
    let mut trials = Vec::new();
    for (folder, are_cases) in [(project.join("tests/cases"), true), (real, false)] {
        let found = json_files_below(&folder).unwrap_or_default();
        if found.is_empty() {
            trials.push(Trial::test("real transcripts", || Ok(())).with_ignored_flag(true));
            if !arguments.list {
                println!(
                    "SKIP real transcripts: no JSON files below {}",
                    folder.display()
                );
            }
        }
        for path in found {
            let name = path
                .strip_prefix(&folder)
                .unwrap_or(&path)
                .display()
                .to_string();
            for (sentence, check) in CHECKS {
                let (path, name) = (path.clone(), name.clone());
                trials.push(Trial::test(format!("{name} {sentence}"), move || {
                    let text = match are_cases {
                        true => transcript_of_case(&path)?,
                        false => fs::read_to_string(&path)?,
                    };
                    check(&Subject::of(name, text))
                }));
            }
        }
    }
    let listing = arguments.list;
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !listing {
        println!(
            "{} passed, {} failed, {} skipped",
            conclusion.num_passed, conclusion.num_failed, conclusion.num_ignored
        );
    }
    conclusion.exit_code()
}
