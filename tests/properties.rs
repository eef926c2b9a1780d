//! What holds for every transcript, tried on generated ones.

mod abi;
mod twin;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use twin::agreement::{HostCount, compact_until_unchanged, examine, planned};
use twin::generate::{
    Settings, formattings, host_counts, settings, shapeless, summaries, transcripts,
};
use twin::json::{Formatting, Transcript, Value};
use twin::rules::{self, Options, Outcome, Split, Unit, pairing};

/// `PROPTEST_CASES` in the environment asks for more.
fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    let cases = match std::env::var_os("PROPTEST_CASES") {
        Some(_) => usual.cases,
        None => 500,
    };
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..usual
    }
}

/// For transcripts so long that each costs as much as ten others.
fn config_for_long_transcripts() -> ProptestConfig {
    let cases = config().cases.div_ceil(5);
    ProptestConfig { cases, ..config() }
}

fn size(transcript: &Transcript, unit: Unit) -> u64 {
    rules::estimates(transcript, unit).iter().sum()
}

fn options_for(settings: &Settings, transcript: &Transcript) -> Options {
    settings.for_size(size(transcript, settings.char_unit()))
}

fn broken(
    transcript: &Transcript,
    options: &Options,
    why: impl std::fmt::Display,
) -> TestCaseError {
    TestCaseError::fail(format!(
        "{why}\noptions {}\ntranscript {}",
        options.to_json(),
        transcript.text
    ))
}

fn conversations() -> impl Strategy<Value = (Transcript, Settings)> {
    written(transcripts(0..30))
}

fn written(
    messages: impl Strategy<Value = Vec<Value>>,
) -> impl Strategy<Value = (Transcript, Settings)> {
    (messages, formattings(), settings()).prop_map(|(messages, formatting, settings)| {
        (
            Transcript::read(&Transcript::write(&messages, formatting)),
            settings,
        )
    })
}

proptest! {
    #![proptest_config(config())]

    /// Plan, older, finish, apply and every promise in `examine`.
    #[test]
    fn the_library_and_the_naive_twin_agree((transcript, settings) in conversations(), summary in summaries()) {
        let options = options_for(&settings, &transcript);
        examine(&transcript, &options, &summary, None).map_err(|why| broken(&transcript, &options, why))?;
    }

    #[test]
    fn they_agree_on_messages_of_no_dialect_at_all((transcript, settings) in written(shapeless(0..12)), summary in summaries()) {
        let options = options_for(&settings, &transcript);
        examine(&transcript, &options, &summary, None).map_err(|why| broken(&transcript, &options, why))?;
    }

    #[test]
    fn they_agree_on_short_conversations_where_every_index_matters(
        (transcript, settings) in written(transcripts(0..6)),
        summary in summaries(),
    ) {
        let options = options_for(&settings, &transcript);
        examine(&transcript, &options, &summary, None).map_err(|why| broken(&transcript, &options, why))?;
    }

    #[test]
    fn they_agree_when_the_host_counts_in_its_own_way(
        (transcript, settings) in conversations(),
        host in host_counts(),
        summary in summaries(),
    ) {
        let whole = if transcript.len() == 0 { 0 } else { host.count(0..transcript.len()) };
        let options = settings.for_size(whole);
        examine(&transcript, &options, &summary, Some(&host))
            .map_err(|why| broken(&transcript, &options, format!("{why}\ncounted by {host:?}")))?;
    }

    #[test]
    fn a_host_that_counts_as_the_estimate_does_gets_the_same_split((transcript, settings) in conversations()) {
        let options = options_for(&settings, &transcript);
        let host = HostCount::same_as_the_estimate(&transcript, options.char_unit);
        let failed = |why| broken(&transcript, &options, why);
        let by_estimate = examine(&transcript, &options, "short recap", None).map_err(failed)?;
        let by_host = examine(&transcript, &options, "short recap", Some(&host)).map_err(failed)?;
        prop_assert_eq!(by_estimate.map(|result| result.text), by_host.map(|result| result.text), "{}", transcript.text);
    }

    #[test]
    fn no_pair_lies_across_the_cut((transcript, settings) in conversations()) {
        let options = options_for(&settings, &transcript);
        let plan = planned(&transcript.text, &options.to_json()).map_err(|why| broken(&transcript, &options, why))?;
        let across = plan.outcome == Outcome::Compact && pairing(&transcript.messages).lies_across(plan.tail_start);
        prop_assert!(!across, "a pair lies across {} of {}", plan.tail_start, transcript.text);
    }

    #[test]
    fn the_estimate_does_not_depend_on_how_the_json_is_written(messages in transcripts(0..12), formatting in formattings()) {
        let compact = Transcript::write(&messages, Formatting::Compact);
        let written = Transcript::write(&messages, formatting);
        for unit in Unit::ALL {
            let (compact_tokens, tokens) = (estimated(&compact, unit)?, estimated(&written, unit)?);
            prop_assert_eq!(compact_tokens, tokens, "in {}\n{}\n{}", unit.name(), compact, written);
            prop_assert_eq!(tokens, size(&Transcript::read(&written), unit), "the twin's, in {}\n{}", unit.name(), written);
        }
    }

    #[test]
    fn the_estimate_of_a_transcript_is_the_sum_over_its_messages(messages in transcripts(0..12), formatting in formattings()) {
        let transcript = Transcript::read(&Transcript::write(&messages, formatting));
        for unit in Unit::ALL {
            let mut sum = 0;
            for index in 0..transcript.len() {
                sum += estimated(&transcript.slice(index..index + 1), unit)?;
            }
            prop_assert_eq!(estimated(&transcript.text, unit)?, sum, "in {}\n{}", unit.name(), transcript.text);
        }
    }

    #[test]
    fn the_split_does_not_depend_on_how_the_json_is_written(
        messages in transcripts(0..30),
        formatting in formattings(),
        settings in settings(),
    ) {
        let compact = Transcript::read(&Transcript::write(&messages, Formatting::Compact));
        let written = Transcript::write(&messages, formatting);
        let options = options_for(&settings, &compact);
        let plan = |text: &str| planned(text, &options.to_json()).map_err(|why| broken(&compact, &options, why));
        prop_assert_eq!(plan(&compact.text)?, plan(&written)?, "{}\n{}", compact.text, written);
    }

    /// Each paid summary frees a message at least, or nobody is asked for it.
    #[test]
    fn a_result_compacts_again_until_there_is_nothing_left_to_do(
        (transcript, settings) in conversations(),
        summary in summaries(),
    ) {
        let options = options_for(&settings, &transcript);
        compact_until_unchanged(&transcript, &options, &summary).map_err(|why| broken(&transcript, &options, why))?;
    }

    #[test]
    fn at_or_under_the_budget_nothing_changes_and_nobody_is_asked(
        (transcript, settings) in conversations(),
        spare in 0u64..1000,
    ) {
        let whole = size(&transcript, settings.char_unit());
        let options = Options { max_tokens: whole + spare, ..settings.for_size(whole) };
        let compactor = abi::Compactor::new(&options.to_json()).map_err(|failure| broken(&transcript, &options, format!("{failure:?}")))?;
        let mut asked = 0;
        let applied = compactor.apply(&transcript.text, &mut |_| {
            asked += 1;
            Ok("short recap".to_owned())
        });
        prop_assert_eq!(applied, Ok(None), "{}", transcript.text);
        prop_assert_eq!(asked, 0, "summarize was asked for {}", transcript.text);
        let plan = planned(&transcript.text, &options.to_json()).map_err(|why| broken(&transcript, &options, why))?;
        prop_assert_eq!(plan.outcome, Outcome::UnderBudget, "{}", transcript.text);
    }

    #[test]
    fn one_token_over_the_budget_is_over_it((transcript, settings) in conversations()) {
        let whole = size(&transcript, settings.char_unit());
        prop_assume!(whole > 0);
        let options = Options { max_tokens: whole - 1, ..settings.for_size(whole) };
        let plan = planned(&transcript.text, &options.to_json()).map_err(|why| broken(&transcript, &options, why))?;
        prop_assert_ne!(plan.outcome, Outcome::UnderBudget, "{}", transcript.text);
    }

    /// A host that fails keeps its transcript and gets its own words back.
    #[test]
    fn a_summarizer_that_fails_fails_the_call_word_for_word((transcript, settings) in conversations(), why in "\\PC{1,40}") {
        let options = options_for(&settings, &transcript);
        let compactor = abi::Compactor::new(&options.to_json()).map_err(|failure| broken(&transcript, &options, format!("{failure:?}")))?;
        let plan = planned(&transcript.text, &options.to_json()).map_err(|why| broken(&transcript, &options, why))?;
        let applied = compactor.apply(&transcript.text, &mut |_| Err(why.clone()));
        let expected = match plan.outcome {
            Outcome::Compact => Err(abi::Failure { status: "TN_ERR_CALLBACK".to_owned(), text: why.clone() }),
            _ => Ok(None),
        };
        prop_assert_eq!(applied, expected, "{}", transcript.text);
    }
}

/// Puts some of the shortest messages behind each.
fn among_short_ones(
    messages: impl Strategy<Value = Vec<Value>>,
) -> impl Strategy<Value = Vec<Value>> {
    let short = [
        "{}",
        r#"{"role":"user"}"#,
        r#"{"role":"model","parts":[{}]}"#,
    ]
    .map(|message| Transcript::read(&format!("[{message}]")).messages.remove(0));
    messages.prop_map(move |messages| {
        let short = short.iter().cloned().cycle().take(10);
        let with_short = |message| std::iter::once(message).chain(short.clone());
        messages.into_iter().flat_map(with_short).collect()
    })
}

proptest! {
    #![proptest_config(config_for_long_transcripts())]

    /// So long, and of messages so short, that not all of them are kept in mind before the transcript is over budget.
    #[test]
    fn they_agree_where_messages_are_read_again((transcript, settings) in written(among_short_ones(transcripts(20..40)))) {
        let options = options_for(&settings, &transcript);
        examine(&transcript, &options, "short recap", None).map_err(|why| broken(&transcript, &options, why))?;
    }

    /// The bound itself is held by `examine`, which sees every count asked for.
    #[test]
    fn a_long_transcript_is_counted_a_few_times_only(
        (transcript, settings) in written(transcripts(60..250)),
        host in host_counts(),
    ) {
        let options = settings.for_size(host.count(0..transcript.len()));
        examine(&transcript, &options, "short recap", Some(&host)).map_err(|why| broken(&transcript, &options, why))?;
    }
}

fn estimated(text: &str, unit: Unit) -> Result<u64, TestCaseError> {
    abi::estimate_tokens(text, unit as i32)
        .map_err(|failure| TestCaseError::fail(format!("{failure:?}\ntranscript {text}")))
}

fn over_any_budget_by_turns() -> Options {
    Options {
        split: Split::Turns,
        ..Options::with_budget(0)
    }
}

/// Corners where chance seldom leads, with the answer that the rules give under `"turns"` where nothing fits.
#[test]
fn they_agree_where_chance_seldom_leads() {
    let reminder = format!(r#"{{"role":"user","content":"{}"}}"#, rules::REMINDER);
    let summary = r#"{"role":"system","content":"[Summary of earlier conversation]\nso far"}"#;
    let user = r#"{"role":"user","content":"u"}"#;
    let chat_call = r#"{"role":"assistant","tool_calls":[{"id":"a"}]}"#;
    let item_call = r#"{"type":"function_call","call_id":"b"}"#;
    let sibling_call = r#"{"type":"function_call","call_id":"c"}"#;
    let item_without_id = r#"{"type":"web_search_call","id":"w"}"#;
    let item_output = r#"{"type":"function_call_output","call_id":"c"}"#;
    let output_without_id = r#"{"type":"function_call_output"}"#;
    let corners: [(&str, Vec<&str>, Outcome); 8] = [
        (
            "a summary in the tail is not an earlier one",
            vec![&reminder, user, summary],
            Outcome::NothingOlder,
        ),
        (
            "a summary in older is",
            vec![summary, &reminder, user],
            Outcome::NothingNew,
        ),
        (
            "a call waits while its siblings are called and answered",
            vec![item_call, sibling_call, item_output],
            Outcome::CallInFlight,
        ),
        (
            "a result without an id is a result",
            vec![item_call, output_without_id],
            Outcome::CallInFlight,
        ),
        (
            "an item without an id is no call, and no sibling",
            vec![item_call, item_without_id, item_output],
            Outcome::Compact,
        ),
        (
            "a call item is no sibling of a chat's call",
            vec![chat_call, sibling_call, item_output],
            Outcome::Compact,
        ),
        (
            "the user spoke: the call is dead",
            vec![item_call, user, summary, item_output],
            Outcome::Compact,
        ),
        (
            "a request nobody has seen stays",
            vec![user],
            Outcome::NothingOlder,
        ),
    ];
    for (corner, messages, outcome) in corners {
        let transcript = Transcript::read(&format!("[{}]", messages.join(", ")));
        let options = over_any_budget_by_turns();
        let plan = planned(&transcript.text, &options.to_json());
        let found = plan.as_ref().map(|plan| plan.outcome);
        assert_eq!(found, Ok(outcome), "{corner}: {}", transcript.text);
        for split in Split::ALL {
            let options = Options {
                split,
                ..options.clone()
            };
            if let Err(why) = examine(&transcript, &options, "short recap", None) {
                panic!(
                    "{corner}: {why}\noptions {}\ntranscript {}",
                    options.to_json(),
                    transcript.text
                );
            }
        }
    }
}

/// A call and its result, in every dialect: between them is no place to cut.
const PAIRS: [(&str, &str); 9] = [
    (
        r#"{"role":"assistant","tool_calls":[{"id":"a"}]}"#,
        r#"{"role":"tool","tool_call_id":"a"}"#,
    ),
    (
        r#"{"role":"assistant","function_call":{"name":"a"}}"#,
        r#"{"role":"function","name":"a"}"#,
    ),
    (
        r#"{"type":"function_call","call_id":"a"}"#,
        r#"{"type":"function_call_output","call_id":"a"}"#,
    ),
    (
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"a"}]}"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}"#,
    ),
    (
        r#"{"role":"model","parts":[{"functionCall":{"name":"a","id":"b"}}]}"#,
        r#"{"role":"user","parts":[{"functionResponse":{"name":"a","id":"b"}}]}"#,
    ),
    (
        r#"{"role":"model","parts":[{"function_call":{"name":"a"}}]}"#,
        r#"{"role":"user","parts":[{"function_response":{"name":"a"}}]}"#,
    ),
    (
        r#"{"role":"assistant","content":[{"toolUse":{"toolUseId":"a"}}]}"#,
        r#"{"role":"user","content":[{"toolResult":{"toolUseId":"a"}}]}"#,
    ),
    (
        r#"{"role":"assistant","content":[{"type":"tool-call","toolCallId":"a"}]}"#,
        r#"{"role":"tool","content":[{"type":"tool-result","toolCallId":"a"}]}"#,
    ),
    (
        r#"{"role":"assistant","content":[{"reasoningContent":{}},{"toolUse":{"toolUseId":"a"}}]}"#,
        r#"{"role":"user","content":[{"toolResult":{"toolUseId":"a"}}]}"#,
    ),
];

/// `json` with every character of every string in an escape, or every one but the first.
fn escaped(json: &str, but_the_first: bool) -> String {
    let mut written = String::new();
    let mut place_in_string = None;
    for char in json.chars() {
        match (char, place_in_string) {
            ('"', None) => place_in_string = Some(0),
            ('"', Some(_)) => place_in_string = None,
            (_, Some(place)) => {
                place_in_string = Some(place + 1);
                if place > 0 || !but_the_first {
                    written.push_str(&format!("\\u{:04x}", u32::from(char)));
                    continue;
                }
            }
            (_, None) => {}
        }
        written.push(char);
    }
    written
}

/// What only begins like a key, or ends like one, is none.
#[test]
fn keys_that_only_look_like_one_are_others() {
    let user = r#"{"role":"user","content":"u"}"#;
    let options = over_any_budget_by_turns();
    let alike = |key: &str| {
        let escaped = format!("\\u{:04x}{}", key.as_bytes()[0], &key[1..]);
        [
            "",
            r"\u0000",
            "x",
            " ",
            "_call_id_or_what",
            r"\n",
            "\u{e9}",
            r"\ud83d",
        ]
        .map(|more| {
            [
                format!("{key}{more}"),
                format!("{escaped}{more}"),
                format!("{more}{key}"),
            ]
        })
        .concat()
    };
    for (call, result) in PAIRS {
        for key in [
            "role",
            "content",
            "parts",
            "type",
            "id",
            "name",
            "tool_calls",
            "tool_call_id",
            "function_call",
            "call_id",
            "tool_use_id",
            "functionCall",
            "functionResponse",
            "function_response",
            "toolUse",
            "toolResult",
            "toolUseId",
            "toolCallId",
            "reasoningContent",
        ] {
            let quoted = format!(r#""{key}""#);
            if !call.contains(&quoted) && !result.contains(&quoted) {
                continue;
            }
            for other in alike(key) {
                let text = format!("[{user},{call},{user},{result}]")
                    .replace(&quoted, &format!(r#""{other}""#));
                examine(&Transcript::read(&text), &options, "short recap", None).unwrap();
            }
        }
    }
}

#[test]
fn keys_and_values_are_known_however_they_are_written() {
    let user = r#"{"role":"user","content":"u"}"#;
    let options = over_any_budget_by_turns();
    for (call, result) in PAIRS {
        let plain = format!("[{user},{call},{user},{result},{user},{user}]");
        let spaced = plain.replace(':', " :\n").replace(',', "\t,\r ");
        let texts = [
            escaped(&plain, false),
            escaped(&plain, true),
            escaped(&spaced, false),
            spaced,
            plain,
        ];
        for text in texts {
            let transcript = Transcript::read(&text);
            let plan = planned(&text, &options.to_json()).unwrap();
            assert_eq!(plan.tail_start, 5, "{text}");
            examine(&transcript, &options, "short recap", None).unwrap();
            let cut_between = Transcript::read(&text.replacen(call, user, 1));
            examine(&cut_between, &options, "short recap", None).unwrap();
        }
        // The pair lies across the only other place.
        let text = format!("[{user},{call},{user},{result}]");
        for text in [escaped(&text, false), text] {
            let plan = planned(&text, &options.to_json()).unwrap();
            assert_ne!(plan.tail_start, 2, "{text}");
            examine(&Transcript::read(&text), &options, "short recap", None).unwrap();
        }
    }
}

/// The generator is only worth its cases if it reaches every outcome, under both splits, and every way a tail may start.
#[test]
fn the_generated_transcripts_reach_every_outcome() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut reached = std::collections::BTreeMap::new();
    for _ in 0..4000 {
        let (transcript, settings) = conversations()
            .new_tree(&mut runner)
            .expect("the strategy yields")
            .current();
        let options = options_for(&settings, &transcript);
        let estimates = rules::estimates(&transcript, options.char_unit);
        let plan = rules::plan(&transcript.messages, &options, &|range| {
            estimates[range].iter().sum()
        });
        let tail = match plan.outcome {
            Outcome::Compact if plan.tail_start == transcript.len() => "no tail",
            Outcome::Compact if rules::is_plain_user(&transcript.messages[plan.tail_start]) => {
                "a tail of whole turns"
            }
            Outcome::Compact => "a tail of steps",
            _ => "nothing done",
        };
        let request = if plan.request.is_empty() {
            "no request kept"
        } else {
            "a request kept"
        };
        *reached
            .entry((
                options.split.name(),
                format!("{:?}", plan.outcome),
                tail,
                request,
            ))
            .or_insert(0) += 1;
    }
    let seen = |split: Split, outcome: Outcome, tail: &'static str, request: &'static str| {
        reached
            .get(&(split.name(), format!("{outcome:?}"), tail, request))
            .copied()
            .unwrap_or(0)
    };
    for split in Split::ALL {
        for outcome in [
            Outcome::UnderBudget,
            Outcome::NothingOlder,
            Outcome::NothingNew,
            Outcome::CallInFlight,
        ] {
            assert!(
                seen(split, outcome, "nothing done", "no request kept") > 0,
                "{split:?} {outcome:?} never came up: {reached:?}"
            );
        }
        for tail in ["no tail", "a tail of whole turns"] {
            assert!(
                seen(split, Outcome::Compact, tail, "no request kept") > 0,
                "{split:?} {tail} never came up: {reached:?}"
            );
        }
    }
    for (tail, request) in [
        ("no tail", "a request kept"),
        ("a tail of steps", "a request kept"),
        ("a tail of steps", "no request kept"),
    ] {
        assert!(
            seen(Split::Steps, Outcome::Compact, tail, request) > 0,
            "{tail} with {request} never came up: {reached:?}"
        );
    }
}
