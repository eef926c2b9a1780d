//! Transcripts that are made to cost much: each in three sizes, the second and the third four and sixteen times the first. Time and
//! memory grow with the size and no faster, measured in one run and against each other.
//!
//! The table of it ends the output. `TN_WRITE_TABLE=1` puts it into `docs/hostile-input.md`.

mod taken;

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use taken::taken;
use tn_compactor::{CharUnit, Compactor, Error, Options, estimate_tokens};

/// Sixteen times the text may take so many times the time: 16 where it is linear, 256 where it is quadratic. Between them are the
/// processor's caches, which the smallest text may fit into, and the machine's other work.
const MOST_GROWTH: f64 = 150.0;
/// How often a time that looks worse is taken again.
const ATTEMPTS: usize = 4;
/// Times as much memory as text, at the peak of any call.
const MOST_MEMORY: f64 = 20.0;
/// What is taken whatever the size.
const SMALL: usize = 64 * 1024;

struct Shape {
    name: &'static str,
    /// The largest count of what it repeats; the others are a quarter and a sixteenth.
    count: usize,
    write: fn(usize) -> String,
    is_transcript: bool,
}

const SHAPES: [Shape; 21] = [
    Shape {
        name: "a million opening brackets",
        count: 1_000_000,
        write: |count| "[".repeat(count),
        is_transcript: false,
    },
    Shape {
        name: "a million keys, each in the value of the one before",
        count: 1_000_000,
        write: |count| format!("[{}", r#"{"a":"#.repeat(count)),
        is_transcript: false,
    },
    Shape {
        name: "brackets nested five million deep in a message",
        count: 5_000_000,
        write: |count| format!(r#"[{{"a":{}{}}}]"#, "[".repeat(count), "]".repeat(count)),
        is_transcript: true,
    },
    Shape {
        name: "the same with one closing bracket less",
        count: 5_000_000,
        write: |count| {
            format!(
                r#"[{{"a":{}{}}}]"#,
                "[".repeat(count),
                "]".repeat(count - 1)
            )
        },
        is_transcript: false,
    },
    Shape {
        name: "a million empty messages",
        count: 1_000_000,
        write: |count| format!("[{}]", many("{}", count)),
        is_transcript: true,
    },
    Shape {
        name: "a million elements that are no messages",
        count: 1_000_000,
        write: |count| format!("[{}]", many("0", count)),
        is_transcript: false,
    },
    Shape {
        name: "a hundred thousand tool calls with one id, and as many results after them all",
        count: 100_000,
        write: |count| {
            let call = r#"{"role":"assistant","tool_calls":[{"id":"a"}]}"#;
            let result = r#"{"role":"tool","tool_call_id":"a"}"#;
            format!("[{},{}]", many(call, count), many(result, count))
        },
        is_transcript: true,
    },
    Shape {
        name: "a hundred thousand tool calls with one id, and a result after each",
        count: 100_000,
        write: |count| {
            let pair = r#"{"role":"assistant","tool_calls":[{"id":"a"}]},{"role":"tool","tool_call_id":"a"}"#;
            format!("[{}]", many(pair, count))
        },
        is_transcript: true,
    },
    Shape {
        name: "a hundred thousand results with one id, and no call",
        count: 100_000,
        write: |count| format!("[{}]", many(r#"{"role":"tool","tool_call_id":"a"}"#, count)),
        is_transcript: true,
    },
    Shape {
        name: "a million calls with one id in one message",
        count: 1_000_000,
        write: |count| {
            let call = r#"{"id":"a"}"#;
            format!(
                r#"[{{"role":"assistant","tool_calls":[{}]}},{{}}]"#,
                many(call, count)
            )
        },
        is_transcript: true,
    },
    Shape {
        name: "a million calls with ids of their own in one message",
        count: 1_000_000,
        write: |count| {
            let calls: Vec<String> = (0..count).map(|id| format!(r#"{{"id":"{id}"}}"#)).collect();
            format!(
                r#"[{{"role":"assistant","tool_calls":[{}]}},{{}}]"#,
                calls.join(",")
            )
        },
        is_transcript: true,
    },
    Shape {
        name: "a million results in one message",
        count: 1_000_000,
        write: |count| {
            let result = r#"{"type":"tool_result"}"#;
            format!(
                r#"[{{"role":"user","content":[{}]}},{{}}]"#,
                many(result, count)
            )
        },
        is_transcript: true,
    },
    Shape {
        name: "a million members with one key in a message",
        count: 1_000_000,
        write: |count| format!(r#"[{{{}}},{{}}]"#, many(r#""role":"user""#, count)),
        is_transcript: true,
    },
    Shape {
        name: "twenty calls and results with ids of 1 MB",
        count: 1_000_000,
        write: |count| with_ids(&"k".repeat(count)),
        is_transcript: true,
    },
    Shape {
        name: "the same with ids that are all escapes",
        count: 1_000_000,
        write: |count| with_ids(&r"\u006B".repeat(count / 6)),
        is_transcript: true,
    },
    Shape {
        name: "one message of 256 MB",
        count: 256 << 20,
        write: |count| turns_around(&"x".repeat(count)),
        is_transcript: true,
    },
    Shape {
        name: "a megabyte of backslashes",
        count: 1 << 20,
        write: |count| turns_around(&r"\".repeat(count)),
        is_transcript: true,
    },
    Shape {
        name: "a megabyte of backslashes and one more",
        count: 1 << 20,
        write: |count| turns_around(&r"\".repeat(count + 1)),
        is_transcript: false,
    },
    Shape {
        name: "a number of ten million digits",
        count: 10_000_000,
        write: |count| format!(r#"[{{"role":"user","n":{}}},{{}}]"#, "9".repeat(count)),
        is_transcript: true,
    },
    Shape {
        name: "two hundred thousand blocks without anything in one message, behind as many spaces",
        count: 200_000,
        write: |count| {
            let (spaces, blocks) = (" ".repeat(count), many("{}", count));
            format!(r#"[{{"role":"user","content":[{spaces}{blocks}]}},{{}}]"#)
        },
        is_transcript: true,
    },
    Shape {
        name: "a hundred thousand turns in an array that is not closed",
        count: 100_000,
        write: |count| {
            let turn = r#"{"role":"user","content":"a question"},{"role":"assistant","content":"an answer"}"#;
            format!("[{}", many(turn, count))
        },
        is_transcript: false,
    },
];

fn many(item: &str, count: usize) -> String {
    let mut text = format!("{item},").repeat(count);
    text.pop();
    text
}

fn with_ids(id: &str) -> String {
    let call = format!(r#"{{"role":"assistant","tool_calls":[{{"id":"{id}"}}]}}"#);
    let result = format!(r#"{{"role":"tool","tool_call_id":"{id}"}}"#);
    format!("[{}]", many(&format!("{call},{result}"), 20))
}

/// The text is in a message that is summarized.
fn turns_around(content: &str) -> String {
    format!(
        r#"[{{"role":"user","content":"{content}"}},{{"role":"assistant","content":"b"}},{{"role":"user","content":"c"}}]"#
    )
}

/// What a host does with a transcript.
const CALLS: [(&str, Call); 3] = [
    ("estimate", |text| {
        estimate_tokens(text, CharUnit::Utf8).map(|_tokens| ())
    }),
    ("plan, under budget", |text| {
        Compactor::new(Options::new(u64::MAX))
            .plan(text)
            .map(|_plan| ())
    }),
    ("apply, over budget", |text| {
        let compactor = Compactor::new(Options::new(1));
        compactor
            .apply(text, |_older| Ok("A summary.".to_owned()))
            .map(|_result| ())
    }),
];

type Call = fn(&str) -> Result<(), Error>;

/// One call on the three sizes.
#[derive(Clone, Copy)]
struct Cost {
    /// Of the largest.
    time: Duration,
    /// The largest to the smallest.
    growth: f64,
    /// Of the largest, beside the text, to the text's size.
    memory: f64,
}

/// What this thread has worked so far; while it waits for a processor, it does not.
#[allow(unsafe_code)]
fn processor_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the time is ours to be written.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(status, 0, "the system has no clock for a thread");
    let nanoseconds = time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs();
    Duration::from_nanos(nanoseconds)
}

/// The shortest of a few.
fn time_of(call: Call, text: &str) -> Duration {
    const ENOUGH: Duration = Duration::from_millis(30);
    let (mut shortest, mut spent) = (Duration::MAX, Duration::ZERO);
    let mut runs = 0;
    while runs < 2 || (spent < ENOUGH && runs < 100) {
        let start = processor_time();
        // What it answers is looked at where its memory is measured.
        let _answer = std::hint::black_box(call(std::hint::black_box(text)));
        let took = processor_time() - start;
        shortest = shortest.min(took);
        spent += took;
        runs += 1;
    }
    shortest
}

fn measured(shape: &Shape, call: Call) -> Result<Cost, Failed> {
    let texts = [16, 4, 1].map(|part| (shape.write)(shape.count / part));
    let mut memory = [0; 3];
    for (bytes, text) in memory.iter_mut().zip(&texts) {
        let (answer, took) = taken(|| call(text));
        match answer {
            Ok(()) if shape.is_transcript => {}
            Err(Error::Json { .. } | Error::NotAnObject { .. }) if !shape.is_transcript => {}
            other => return Err(format!("the answer is {other:?}").into()),
        }
        *bytes = took.bytes;
    }
    let [small, _, large] = memory;
    if large > 20 * small + SMALL {
        return Err(format!(
            "memory grows from {small} bytes to {large} with sixteen times the text"
        )
        .into());
    }
    let share = large as f64 / texts[2].len() as f64;
    if share > MOST_MEMORY {
        return Err(format!("{share:.1} times the text is taken").into());
    }

    let mut times = texts.each_ref().map(|text| time_of(call, text));
    let growth = |times: &[Duration; 3]| times[2].as_secs_f64() / times[0].as_secs_f64();
    for _ in 1..ATTEMPTS {
        if growth(&times) <= MOST_GROWTH {
            break;
        }
        for (time, text) in times.iter_mut().zip(&texts) {
            *time = time_of(call, text).min(*time);
        }
    }
    if growth(&times) > MOST_GROWTH {
        return Err(format!("once, four and sixteen times the text take {times:?}").into());
    }
    Ok(Cost {
        time: times[2],
        growth: growth(&times),
        memory: share,
    })
}

/// What was measured, by the shape's place.
type Costs = Arc<Mutex<Vec<(usize, [Cost; 3])>>>;

fn grows_with_its_size(place: usize, costs: &Costs) -> Result<(), Failed> {
    let shape = &SHAPES[place];
    let mut row = Vec::new();
    for (name, call) in CALLS {
        let cost = measured(shape, call);
        row.push(
            cost.map_err(|failed| format!("{name}: {}", failed.message().unwrap_or_default()))?,
        );
    }
    if let (Ok(mut costs), [estimate, plan, apply]) = (costs.lock(), &*row) {
        costs.push((place, [*estimate, *plan, *apply]));
    }
    Ok(())
}

fn table(costs: &mut [(usize, [Cost; 3])]) -> String {
    costs.sort_by_key(|(place, _)| *place);
    let mut table = String::from("| | size |");
    for (name, _) in CALLS {
        let _ = write!(table, " {name} | grows | memory |");
    }
    table.push_str("\n|---|---|");
    table.push_str(&"---|".repeat(3 * CALLS.len()));
    for (place, row) in costs {
        let shape = &SHAPES[*place];
        let bytes = (shape.write)(shape.count).len() as f64;
        let _ = write!(
            table,
            "\n| {} | {} MB |",
            shape.name,
            three_digits(bytes / 1e6)
        );
        for cost in row {
            let time = three_digits(cost.time.as_secs_f64() * 1e3);
            let _ = write!(
                table,
                " {time} ms | {:.1} | {} |",
                cost.growth,
                three_digits(cost.memory)
            );
        }
    }
    table.push('\n');
    table
}

fn three_digits(figure: f64) -> String {
    match figure {
        100.0.. => format!("{figure:.0}"),
        10.0.. => format!("{figure:.1}"),
        0.0095.. => format!("{figure:.2}"),
        _ => "0".to_owned(),
    }
}

/// Puts the table between its marks.
fn write(table: &str) -> std::io::Result<()> {
    const MARKS: [&str; 2] = ["<!-- table -->\n", "<!-- /table -->"];
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/hostile-input.md");
    let page = fs::read_to_string(&path)?;
    let parts = page.split_once(MARKS[0]).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(MARKS[1])?;
        Some((before, after))
    });
    let Some((before, after)) = parts else {
        return Err(std::io::Error::other("the page has no marks for the table"));
    };
    fs::write(
        path,
        format!("{before}{}{table}{}{after}", MARKS[0], MARKS[1]),
    )
}

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // The figures are the whole process's.
    arguments.test_threads = Some(1);
    let costs = Costs::default();
    let trials = SHAPES
        .iter()
        .enumerate()
        .map(|(place, shape)| {
            let costs = Arc::clone(&costs);
            let name = format!("{} cost as they grow", shape.name);
            Trial::test(name, move || grows_with_its_size(place, &costs))
        })
        .collect();
    let listing = arguments.list;
    let conclusion = libtest_mimic::run(&arguments, trials);
    if listing {
        return conclusion.exit_code();
    }
    if let Ok(mut costs) = costs.lock() {
        let table = table(&mut costs);
        println!("{table}");
        if std::env::var_os("TN_WRITE_TABLE").is_some()
            && costs.len() == SHAPES.len()
            && let Err(error) = write(&table)
        {
            println!("the table was not written: {error}");
            return ExitCode::FAILURE;
        }
    }
    println!(
        "{} passed, {} failed, {} skipped",
        conclusion.num_passed, conclusion.num_failed, conclusion.num_ignored
    );
    conclusion.exit_code()
}
