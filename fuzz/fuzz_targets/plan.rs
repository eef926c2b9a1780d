//! A transcript, as any text or as a conversation in all dialects mixed, and options: the library plans what the naive twin plans,
//! keeps every promise under both values of `split`, and compacts its own result again until nothing is left to do.

#![no_main]

use arbitrary::{Arbitrary, Unstructured};
use libfuzzer_sys::fuzz_target;

#[path = "../../tests/abi/mod.rs"]
mod abi;
#[path = "../../tests/reading/naive.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod naive;
#[path = "../../tests/twin/mod.rs"]
mod twin;

use twin::agreement::{HostCount, compact_until_unchanged, examine};
use twin::generate::{
    DIALECTS, Id, Late, Move, NAMES, ROLES, Round, SHAPES, SHARED_IDS, decoys, fragments,
};
use twin::json::{Formatting, Text, Transcript, text};
use twin::rules::{self, Options, REMINDER, SUMMARY_PREFIX, Split, Unit};

/// The twin counts every suffix anew, and it recurses.
const MOST_MESSAGES: usize = 60;
const DEEPEST: usize = 100;

const MOST_MOVES: usize = 12;
const SUMMARIES: [&str; 3] = [
    "a recap",
    "\"quoted\" \\ \u{1}\u{7f}\u{2028}\n\u{1f642}",
    " . ",
];

/// One input: a text as it stands, or a conversation and the way it is written.
#[derive(Debug)]
enum Input<'b> {
    Text(Knobs, &'b [u8]),
    Conversation(Knobs, Formatting, Vec<Move>),
}

impl<'b> Arbitrary<'b> for Input<'b> {
    fn arbitrary(bytes: &mut Unstructured<'b>) -> arbitrary::Result<Self> {
        let is_text = bytes.ratio(1, 2)?;
        let knobs = bytes.arbitrary()?;
        if is_text {
            return Ok(Input::Text(knobs, bytes.bytes(bytes.len())?));
        }
        let formatting = match bytes.int_in_range(0..=3)? {
            0 => Formatting::Compact,
            1 => Formatting::Pretty,
            2 => Formatting::AsciiEscaped,
            _ => Formatting::Odd(bytes.arbitrary()?),
        };
        let mut moves = Vec::new();
        while !bytes.is_empty() && moves.len() < MOST_MOVES {
            moves.push(a_move(bytes)?);
        }
        Ok(Input::Conversation(knobs, formatting, moves))
    }

    fn arbitrary_take_rest(mut bytes: Unstructured<'b>) -> arbitrary::Result<Self> {
        Self::arbitrary(&mut bytes)
    }
}

/// The tests' own generator has the same choices, made by chance.
fn a_move(bytes: &mut Unstructured) -> arbitrary::Result<Move> {
    let said = |role, bytes: &mut Unstructured| {
        Ok(Move::Said {
            role,
            shape: *bytes.choose(&SHAPES)?,
            words: words(bytes)?,
        })
    };
    Ok(match bytes.int_in_range(0..=11)? {
        0 | 1 => said("user", bytes)?,
        2 | 3 => said("assistant", bytes)?,
        4 => {
            let role = *bytes.choose(&ROLES)?;
            said(role, bytes)?
        }
        5 => Move::Said {
            role: bytes.choose(&ROLES)?,
            shape: *bytes.choose(&SHAPES)?,
            words: match bytes.ratio(1, 2)? {
                true => text(REMINDER),
                false => [text(SUMMARY_PREFIX), words(bytes)?].concat(),
            },
        },
        6 => Move::StrayResult {
            dialect: *bytes.choose(&DIALECTS)?,
            id: bytes.choose(&SHARED_IDS)?,
            name: bytes.choose(&NAMES)?,
            words: words(bytes)?,
        },
        7 => Move::Decoy {
            index: bytes.choose_index(decoys().len())?,
            words: words(bytes)?,
        },
        _ => Move::Round(a_round(bytes)?),
    })
}

fn a_round(bytes: &mut Unstructured) -> arbitrary::Result<Round> {
    let dialect = *bytes.choose(&DIALECTS)?;
    let count = bytes.int_in_range(1..=3)?;
    let mut calls = Vec::new();
    for _ in 0..count {
        let id = match bytes.ratio(2, 3)? {
            true => Id::Fresh,
            false => Id::Shared(bytes.choose(&SHARED_IDS)?),
        };
        calls.push((id, *bytes.choose(&NAMES)?));
    }
    Ok(Round {
        dialect,
        calls,
        opens_with_thinking: bytes.ratio(1, 4)?,
        results_reversed: bytes.ratio(1, 4)?,
        dangling: bytes.int_in_range(0..=7_usize)?.saturating_sub(4),
        late: match bytes.int_in_range(0..=7)? {
            0 => Late::AfterInterjection(words(bytes)?),
            1 => Late::FromTheModel,
            _ => Late::WithTheOthers,
        },
        words: words(bytes)?,
    })
}

fn words(bytes: &mut Unstructured) -> arbitrary::Result<Text> {
    let (plain, odd) = fragments();
    let mut words = Vec::new();
    for _ in 0..bytes.int_in_range(0..=3)? {
        words.extend_from_slice(if bytes.ratio(3, 5)? {
            &plain
        } else {
            bytes.choose(&odd)?
        });
    }
    let times = *bytes.choose(&[1, 1, 1, 2, 3, 8])?;
    Ok(words.repeat(times))
}

/// What is set for a text whose size is not known yet.
#[derive(Arbitrary, Debug)]
struct Knobs {
    max_per_mille: u16,
    keep_per_mille: u16,
    host_per_message: u16,
    host_per_list: u8,
    choices: u8,
}

impl Knobs {
    fn options(&self, tokens: u64) -> Options {
        let max_tokens = tokens * u64::from(self.max_per_mille % 1050) / 1000;
        let keep_per_mille = u64::from(self.keep_per_mille % 2000);
        Options {
            // Beyond one and a half, absent.
            keep_tail: (keep_per_mille <= 1500).then_some(max_tokens * keep_per_mille / 1000),
            flush_to_memory: self.choices & 1 == 1,
            char_unit: Unit::ALL[usize::from(self.choices >> 1) % 3],
            summary_role: ["system", "developer", "user", "assistant"]
                [usize::from(self.choices >> 6)],
            ..Options::with_budget(max_tokens)
        }
    }

    fn host(&self) -> HostCount {
        let seed = u64::from(self.host_per_message);
        HostCount {
            per_list: self.host_per_list.into(),
            per_message: (0..7).map(|place| seed >> place & 63).collect(),
            per_neighbours: u64::from(self.choices >> 3 & 3),
        }
    }
}

fuzz_target!(|input: Input| {
    match input {
        Input::Text(knobs, text) => {
            let Ok(text) = std::str::from_utf8(text) else {
                return;
            };
            if !matches!(naive::read(text), naive::Reading::Messages(_)) {
                back_ends_agree(text, &Options::with_budget(1));
                return;
            }
            let Some(transcript) = within_the_twins_reach(text) else {
                back_ends_agree(text, &Options::with_budget(1));
                return;
            };
            let options = knobs.options(size(&transcript, Unit::CodePoint));
            holds(&transcript, &options, "a recap", &knobs.host());
        }
        Input::Conversation(knobs, formatting, moves) => {
            let messages: Vec<_> = moves
                .iter()
                .enumerate()
                .flat_map(|(place, happened)| happened.messages(place))
                .collect();
            let transcript = Transcript::read(&Transcript::write(&messages, formatting));
            let options = knobs.options(size(&transcript, Unit::CodePoint));
            let summary = SUMMARIES[usize::from(knobs.host_per_list) % SUMMARIES.len()];
            holds(&transcript, &options, summary, &knobs.host());
        }
    }
});

fn size(transcript: &Transcript, unit: Unit) -> u64 {
    rules::estimates(transcript, unit).iter().sum()
}

fn within_the_twins_reach(text: &str) -> Option<Transcript> {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    if deepest > DEEPEST {
        return None;
    }
    let transcript = Transcript::read(text);
    (transcript.len() <= MOST_MESSAGES).then_some(transcript)
}

fn holds(transcript: &Transcript, options: &Options, summary: &str, host: &HostCount) {
    for split in Split::ALL {
        let options = Options {
            split,
            ..options.clone()
        };
        // The first look is part of compacting until nothing changes.
        let checked = compact_until_unchanged(transcript, &options, summary)
            .and_then(|_rounds| examine(transcript, &options, summary, Some(host)));
        if let Err(why) = checked {
            panic!(
                "{why}\noptions {}\ncounted by {host:?}\ntranscript {}",
                options.to_json(),
                transcript.text
            );
        }
        back_ends_agree(&transcript.text, &options);
    }
}

fn back_ends_agree(text: &str, options: &Options) {
    let options = options.to_json();
    let best = described(text, &options);
    let avx2 = tn_compactor_avx2::planned(text, &options, "a recap");
    assert_eq!(best, avx2, "AVX2, {options}, {text}");
    let portable = tn_compactor_portable::planned(text, &options, "a recap");
    assert_eq!(best, portable, "portable, {options}, {text}");
}

/// What the copies of the core say of themselves, of the library.
fn described(text: &str, options: &str) -> Result<String, String> {
    let described = || {
        let options = tn_compactor::Options::from_json(options)?;
        let compactor = tn_compactor::Compactor::new(options);
        let plan = compactor.plan(text)?;
        Ok(format!(
            "{:?} {} {} {:?} {} {} {:?}",
            plan.outcome(),
            plan.head_end(),
            plan.tail_start(),
            plan.request(),
            plan.tokens(),
            plan.tail_tokens(),
            plan.finish("a recap")?
        ))
    };
    described().map_err(|error: tn_compactor::Error| error.to_string())
}
