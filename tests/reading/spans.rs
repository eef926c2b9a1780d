//! Where messages start and end: what is handed on and what is kept are the input's own bytes.

use tn_compactor::{Compactor, Options, Split};

use super::text::{BLOCK, filler, laid};

#[test]
fn the_slices_are_the_messages_own_bytes_wherever_they_stand() {
    let contents = [
        String::new(),
        r#"]},{\"role\":\"user\"}"#.to_owned(),
        r#"\\\" \u005d \ud83d\ude00 \ud83d é 中 😀 \\"#.to_owned(),
        filler(61),
        filler(150),
        "\\\\".repeat(40),
    ];
    let mut options = Options::new(0);
    options.split = Split::Turns;
    let compactor = Compactor::new(options);
    for content in &contents {
        let asked =
            format!(r#"{{"x":[{{"y":"{content}"}},[]],"role":"user","content":"{content}"}}"#);
        let answered = format!(r#"{{ "role":"assistant" , "content":"{content}", "z":1.50 }}"#);
        for place in 0..BLOCK {
            for between in ["", " ", "\n\t \r"] {
                let text = laid(
                    place,
                    "[",
                    &format!(
                        "{asked}{between},{between}{answered},{between}{asked}{between},{answered}{between}]"
                    ),
                );
                let older = format!("[{asked}{between},{between}{answered}]");
                let applied = compactor.apply(&text, |slice| {
                    assert_eq!(
                        (slice.first, slice.count, slice.json),
                        (0, 2, &*older),
                        "{text}"
                    );
                    Ok("recap".to_owned())
                });
                let summary =
                    r#"{"role":"system","content":"[Summary of earlier conversation]\nrecap"}"#;
                assert_eq!(
                    applied.map_err(|error| error.to_string()),
                    Ok(Some(format!("[{summary},{asked},{answered}]"))),
                    "{text}"
                );
            }
        }
    }
}

/// The role stands behind a member that has to be skipped: brackets, quotes and escapes in it mislead nobody.
#[test]
fn a_member_is_found_behind_any_other() {
    let skipped = [
        "[]",
        "{}",
        "[[[]]]",
        r#"{"a":{"b":{}}}"#,
        r#"["]"]"#,
        r#"["\"]"]"#,
        r#"["\\"]"#,
        r#"["\\\"]"]"#,
        r#"{"}":"{"}"#,
        r#"{"\"}":["\\\\"]}"#,
        r#"[{"a":"é]中}😀["}]"#,
        r#"["\u005d\u0022"]"#,
        r#"[ "[[[[" , "{{{{" ]"#,
        r#""}]""#,
        r#""\"}""#,
        r#""\\""#,
        "-1.5e3",
        "null",
    ];
    let compactor = Compactor::new(Options::new(u64::MAX));
    for value in skipped {
        for length in [0, 1, 40, 64, 130] {
            let padding = format!(r#"["{}",{}{value}]"#, filler(length), "[],".repeat(length));
            for place in 0..BLOCK {
                for value in [value, &padding] {
                    let text = laid(
                        place,
                        r#"[{"x":"#,
                        &format!(r#"{value},"role":"system"}},{{"role":"user"}}]"#),
                    );
                    let head_end = compactor.plan(&text).map(|plan| plan.head_end());
                    assert!(matches!(head_end, Ok(1)), "{head_end:?}: {text}");
                }
            }
        }
    }
}

/// Were the block not seen to end, the string behind it would be taken for a member of it, and the message for a summary.
#[test]
fn a_block_ends_where_its_bracket_closes() {
    let compactor = Compactor::new(Options::new(u64::MAX));
    for value in [
        "1",
        "-1.5e3",
        "true",
        "null",
        "1 ",
        "true\n",
        r#""a""#,
        r#""\"}""#,
        r#""\\""#,
        "[]",
        "{}",
        "[1]",
        r#"{"a":1}"#,
        r#"["}"]"#,
    ] {
        for place in 0..BLOCK {
            let text = laid(
                place,
                r#"[{"role":"system","content":[{"n":"#,
                &format!(r#"{value}}},"text","[Summary of earlier conversation]\n"]}}]"#),
            );
            let head_end = compactor.plan(&text).map(|plan| plan.head_end());
            assert!(matches!(head_end, Ok(1)), "{head_end:?}: {text}");
        }
    }
}
