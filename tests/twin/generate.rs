//! Transcripts to hold the library and the twin against each other: all dialects mixed, and everything in them that can go wrong.

use std::ops::Range;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::agreement::HostCount;
use super::json::{Formatting, Text, Transcript, Value, text};
use super::rules::{Options, REMINDER, SUMMARY_PREFIX, Split, Unit};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Dialect {
    OpenAiChat,
    OpenAiLegacy,
    OpenAiResponses,
    Anthropic,
    Gemini,
    GeminiWithoutIds,
    GeminiSnakeCase,
    Bedrock,
    AiSdk,
}

pub const DIALECTS: [Dialect; 9] = [
    Dialect::OpenAiChat,
    Dialect::OpenAiLegacy,
    Dialect::OpenAiResponses,
    Dialect::Anthropic,
    Dialect::Gemini,
    Dialect::GeminiWithoutIds,
    Dialect::GeminiSnakeCase,
    Dialect::Bedrock,
    Dialect::AiSdk,
];

pub const ROLES: [&str; 6] = ["user", "assistant", "model", "system", "developer", "tool"];
pub const SHARED_IDS: [&str; 5] = ["a", "b", "", "call é\n", "\u{1f642}"];
pub const NAMES: [&str; 3] = ["lookup", "probe", "潮"];

/// How a message carries its text.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    String,
    Block,
    Part,
    ResponsesItem,
}

pub const SHAPES: [Shape; 4] = [
    Shape::String,
    Shape::Block,
    Shape::Part,
    Shape::ResponsesItem,
];

/// An id that no other call has, or one of a few that many have.
#[derive(Clone, Copy, Debug)]
pub enum Id {
    Fresh,
    Shared(&'static str),
}

#[derive(Clone, Debug)]
struct Identity {
    id: String,
    name: &'static str,
}

/// One thing that happens in a conversation.
#[derive(Clone, Debug)]
pub enum Move {
    Said {
        role: &'static str,
        shape: Shape,
        words: Text,
    },
    Round(Round),
    /// A result that no call before it asked for, unless by chance.
    StrayResult {
        dialect: Dialect,
        id: &'static str,
        name: &'static str,
        words: Text,
    },
    Decoy {
        index: usize,
        words: Text,
    },
}

/// Calls and their results.
#[derive(Clone, Debug)]
pub struct Round {
    pub dialect: Dialect,
    pub calls: Vec<(Id, &'static str)>,
    pub opens_with_thinking: bool,
    pub results_reversed: bool,
    /// So many calls, from the first on, never get their result.
    pub dangling: usize,
    pub late: Late,
    pub words: Text,
}

/// How the last result of a round comes.
#[derive(Clone, Debug)]
pub enum Late {
    WithTheOthers,
    /// The user speaks before it is there.
    AfterInterjection(Text),
    /// In a message of the model's own, as a provider's server tools answer.
    FromTheModel,
}

fn object(members: Vec<(&str, Value)>) -> Value {
    Value::Object(
        members
            .into_iter()
            .map(|(key, value)| (text(key), value))
            .collect(),
    )
}

fn list(elements: Vec<Value>) -> Value {
    Value::Array(elements)
}

fn said(role: &str, shape: Shape, words: Text) -> Value {
    let role = ("role", Value::string(role));
    let words = Value::String(words);
    match shape {
        Shape::String => object(vec![role, ("content", words)]),
        Shape::Block => object(vec![
            role,
            (
                "content",
                list(vec![object(vec![
                    ("type", Value::string("text")),
                    ("text", words),
                ])]),
            ),
        ]),
        Shape::Part => object(vec![
            ("parts", list(vec![object(vec![("text", words)])])),
            role,
        ]),
        Shape::ResponsesItem => {
            let block = object(vec![("type", Value::string("input_text")), ("text", words)]);
            object(vec![
                ("type", Value::string("message")),
                role,
                ("content", list(vec![block])),
            ])
        }
    }
}

fn thinking(dialect: Dialect) -> Value {
    match dialect {
        Dialect::Bedrock => object(vec![(
            "reasoningContent",
            object(vec![("reasoningText", object(vec![]))]),
        )]),
        Dialect::AiSdk => object(vec![
            ("type", Value::string("reasoning")),
            ("text", Value::string("hm")),
        ]),
        Dialect::OpenAiChat => object(vec![
            ("type", Value::string("redacted_thinking")),
            ("data", Value::string("hm")),
        ]),
        _ => object(vec![
            ("type", Value::string("thinking")),
            ("thinking", Value::string("hm")),
            ("signature", Value::string("s")),
        ]),
    }
}

fn gemini_function(dialect: Dialect, call: &Identity, rest: (&str, Value)) -> Value {
    let mut members = vec![("name", Value::string(call.name)), rest];
    if dialect != Dialect::GeminiWithoutIds {
        members.insert(0, ("id", Value::string(&call.id)));
    }
    object(members)
}

fn call_messages(
    dialect: Dialect,
    calls: &[Identity],
    opens_with_thinking: bool,
    words: &Text,
) -> Vec<Value> {
    let id = |call: &Identity| Value::string(&call.id);
    let each = |block: &dyn Fn(&Identity) -> Value| calls.iter().map(block).collect::<Vec<_>>();
    let mut content = if opens_with_thinking {
        vec![thinking(dialect)]
    } else {
        vec![]
    };
    match dialect {
        Dialect::OpenAiChat => {
            let calls = each(&|call| {
                let function = object(vec![
                    ("name", Value::string(call.name)),
                    ("arguments", Value::String(words.clone())),
                ]);
                object(vec![
                    ("id", id(call)),
                    ("type", Value::string("function")),
                    ("function", function),
                ])
            });
            let content = if content.is_empty() {
                Value::Null
            } else {
                list(content)
            };
            vec![object(vec![
                ("role", Value::string("assistant")),
                ("content", content),
                ("tool_calls", list(calls)),
            ])]
        }
        Dialect::OpenAiLegacy => each(&|call| {
            let function = object(vec![
                ("name", Value::string(call.name)),
                ("arguments", Value::String(words.clone())),
            ]);
            object(vec![
                ("role", Value::string("assistant")),
                ("content", Value::Null),
                ("function_call", function),
            ])
        }),
        Dialect::OpenAiResponses => {
            let mut items = each(&|call| {
                let kind = if call.name == "probe" {
                    "custom_tool_call"
                } else {
                    "function_call"
                };
                object(vec![
                    ("type", Value::string(kind)),
                    ("call_id", id(call)),
                    ("arguments", Value::String(words.clone())),
                ])
            });
            if opens_with_thinking {
                items.insert(
                    0,
                    object(vec![
                        ("type", Value::string("reasoning")),
                        ("summary", list(vec![])),
                    ]),
                );
            }
            items
        }
        Dialect::Anthropic => {
            content.extend(each(&|call| {
                let kind = if call.name == "probe" {
                    "server_tool_use"
                } else {
                    "tool_use"
                };
                let input = object(vec![("q", Value::String(words.clone()))]);
                object(vec![
                    ("type", Value::string(kind)),
                    ("id", id(call)),
                    ("input", input),
                ])
            }));
            vec![object(vec![
                ("role", Value::string("assistant")),
                ("content", list(content)),
            ])]
        }
        Dialect::Gemini | Dialect::GeminiWithoutIds | Dialect::GeminiSnakeCase => {
            let key = if dialect == Dialect::GeminiSnakeCase {
                "function_call"
            } else {
                "functionCall"
            };
            let parts = each(&|call| {
                object(vec![(
                    key,
                    gemini_function(
                        dialect,
                        call,
                        ("args", object(vec![("q", Value::String(words.clone()))])),
                    ),
                )])
            });
            vec![object(vec![
                ("role", Value::string("model")),
                ("parts", list(parts)),
            ])]
        }
        Dialect::Bedrock => {
            content.extend(each(&|call| {
                let input = object(vec![("q", Value::String(words.clone()))]);
                object(vec![(
                    "toolUse",
                    object(vec![("toolUseId", id(call)), ("input", input)]),
                )])
            }));
            vec![object(vec![
                ("role", Value::string("assistant")),
                ("content", list(content)),
            ])]
        }
        Dialect::AiSdk => {
            content.extend(each(&|call| {
                object(vec![
                    ("type", Value::string("tool-call")),
                    ("toolCallId", id(call)),
                    ("input", Value::String(words.clone())),
                ])
            }));
            vec![object(vec![
                ("role", Value::string("assistant")),
                ("content", list(content)),
            ])]
        }
    }
}

fn result_messages(dialect: Dialect, calls: &[Identity], words: &Text) -> Vec<Value> {
    if calls.is_empty() {
        return vec![];
    }
    let id = |call: &Identity| Value::string(&call.id);
    let output = || Value::String(words.clone());
    let each = |block: &dyn Fn(&Identity) -> Value| calls.iter().map(block).collect::<Vec<_>>();
    let together = |role: &str, key: &str, blocks: Vec<Value>| {
        vec![object(vec![
            ("role", Value::string(role)),
            (key, list(blocks)),
        ])]
    };
    match dialect {
        Dialect::OpenAiChat => each(&|call| {
            object(vec![
                ("role", Value::string("tool")),
                ("tool_call_id", id(call)),
                ("content", output()),
            ])
        }),
        Dialect::OpenAiLegacy => each(&|call| {
            object(vec![
                ("role", Value::string("function")),
                ("name", Value::string(call.name)),
                ("content", output()),
            ])
        }),
        Dialect::OpenAiResponses => each(&|call| {
            let kind = if call.name == "probe" {
                "custom_tool_call_output"
            } else {
                "function_call_output"
            };
            object(vec![
                ("type", Value::string(kind)),
                ("call_id", id(call)),
                ("output", output()),
            ])
        }),
        Dialect::Anthropic => together(
            "user",
            "content",
            each(&|call| {
                let kind = if call.name == "probe" {
                    "web_search_tool_result"
                } else {
                    "tool_result"
                };
                object(vec![
                    ("type", Value::string(kind)),
                    ("tool_use_id", id(call)),
                    ("content", output()),
                ])
            }),
        ),
        Dialect::Gemini | Dialect::GeminiWithoutIds | Dialect::GeminiSnakeCase => {
            let key = if dialect == Dialect::GeminiSnakeCase {
                "function_response"
            } else {
                "functionResponse"
            };
            let response = || ("response", object(vec![("output", output())]));
            together(
                "user",
                "parts",
                each(&|call| object(vec![(key, gemini_function(dialect, call, response()))])),
            )
        }
        Dialect::Bedrock => together(
            "user",
            "content",
            each(&|call| {
                let content = list(vec![object(vec![("text", output())])]);
                object(vec![(
                    "toolResult",
                    object(vec![("toolUseId", id(call)), ("content", content)]),
                )])
            }),
        ),
        Dialect::AiSdk => together(
            "tool",
            "content",
            each(&|call| {
                object(vec![
                    ("type", Value::string("tool-result")),
                    ("toolCallId", id(call)),
                    ("output", output()),
                ])
            }),
        ),
    }
}

/// Items that carry no role get none.
fn set_role(message: &mut Value, role: &str) {
    if let Value::Object(members) = message {
        for (key, value) in members {
            if *key == text("role") {
                *value = Value::string(role);
            }
        }
    }
}

impl Round {
    fn messages(&self, place: usize) -> Vec<Value> {
        let mut identities: Vec<Identity> = self
            .calls
            .iter()
            .enumerate()
            .map(|(order, (id, name))| Identity {
                id: match id {
                    Id::Fresh => format!("call_{place}_{order}"),
                    Id::Shared(id) => (*id).to_owned(),
                },
                name,
            })
            .collect();
        let mut messages = call_messages(
            self.dialect,
            &identities,
            self.opens_with_thinking,
            &self.words,
        );
        let mut answered = identities.split_off(self.dangling.min(identities.len()));
        if self.results_reversed {
            answered.reverse();
        }
        let late = match self.late {
            Late::WithTheOthers => None,
            _ => answered.pop(),
        };
        messages.extend(result_messages(self.dialect, &answered, &self.words));
        let mut late = result_messages(self.dialect, late.as_slice(), &self.words);
        match &self.late {
            Late::WithTheOthers => {}
            Late::AfterInterjection(words) => {
                messages.push(said("user", Shape::String, words.clone()));
            }
            Late::FromTheModel => {
                for message in &mut late {
                    set_role(message, "assistant");
                }
            }
        }
        messages.extend(late);
        messages
    }
}

impl Move {
    pub fn messages(&self, place: usize) -> Vec<Value> {
        match self {
            Move::Said { role, shape, words } => vec![said(role, *shape, words.clone())],
            Move::Round(round) => round.messages(place),
            Move::StrayResult {
                dialect,
                id,
                name,
                words,
            } => result_messages(
                *dialect,
                &[Identity {
                    id: (*id).to_owned(),
                    name,
                }],
                words,
            ),
            Move::Decoy { index, words } => {
                let mut message = decoys()[*index].clone();
                if let Value::Object(members) = &mut message {
                    members.insert(
                        members.len() / 2,
                        (text("note"), Value::String(words.clone())),
                    );
                }
                vec![message]
            }
        }
    }
}

/// Messages that look like something they are not, or are what they do not look like.
const DECOYS: &str = r#"[
    {}, {"content":"no role"}, {"role":["user"],"content":"a list is no role"}, {"role":"User","content":"case matters"},
    {"role":"user"}, {"role":"user","content":null}, {"role":"user","content":7}, {"role":"user","content":[]},
    {"role":"assistant","role":"user","content":"the last role counts"}, {"role":"user","role":"assistant","content":"here too"},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}],"content":"the last content counts"},
    {"role":"user","content":"the last content counts","content":[{"type":"tool_result","tool_use_id":"a"}]},
    {"role":"user","content":[{"type":"tool_result","type":"text","tool_use_id":"a","text":"the last type counts"}]},
    {"role":"assistant","tool_calls":[{"id":"b","id":"a"}]}, {"role":"assistant","tool_calls":[{"id":"a","id":null}]},
    {"role":"user","content":"x","tool_calls":null}, {"role":"user","content":"x","tool_calls":{"id":"a"}},
    {"role":"user","content":"x","tool_calls":["a",null,{"id":7},[{"id":"a"}]]},
    {"role":"user","content":"x","function_call":"lookup"}, {"role":"user","content":"x","function_call":{"name":null}},
    {"role":"user","content":"x","function_call":{"name":"lookup"}}, {"role":"user","content":"x","tool_calls":[{"id":"a"}]},
    {"role":"user","content":"x","tool_call_id":"a","name":"lookup"}, {"role":"user","content":"x","call_id":"a"},
    {"role":"user","content":[[{"type":"tool_use","id":"a"}],[{"type":"tool_result","tool_use_id":"a"}]]},
    {"role":"user","content":[{"type":"text","text":"x","content":[{"type":"tool_result","tool_use_id":"a"}]}]},
    {"role":"user","content":{"type":"tool_result","tool_use_id":"a"}}, {"role":"user","message":{"role":"tool","tool_call_id":"a"}},
    {"role":"user","parts":[{"functionResponse":null},{"text":"x"}]}, {"role":"user","parts":[{"functionCall":[]},{"functionResponse":"a"}]},
    {"role":"user","parts":[{"functionResponse":null,"function_response":{"name":"probe"}}]},
    {"role":"user","parts":[{"functionCall":{"id":"","name":"lookup"}}]}, {"role":"user","parts":[{"functionResponse":{"id":"","name":"lookup"}}]},
    {"role":"user","parts":[{"functionCall":{"id":""}}]}, {"role":"user","parts":[{"functionCall":{}}]}, {"role":"user","parts":[{"functionResponse":{}}]},
    {"role":"user","parts":[{"functionCall":{"name":""}}]}, {"role":"user","parts":[{"functionResponse":{"name":""}}]},
    {"role":"user","parts":[{"functionCall":{"id":"a"}}]}, {"role":"user","parts":[{"functionResponse":{"id":"a","name":"lookup"}}]},
    {"role":"user","parts":[{"functionResponse":{"id":7,"name":"lookup"}}]}, {"role":"model","parts":[{"functionCall":{"id":"b","name":"lookup"}}]},
    {"role":"user","content":[{"functionCall":{"name":"probe"}}]}, {"role":"user","content":[{"functionResponse":{"name":"probe"}}]},
    {"role":"user","parts":[{"toolUse":{"toolUseId":"a"}}]}, {"role":"user","parts":[{"toolResult":{"toolUseId":"a"}}]},
    {"role":"user","parts":[{"type":"tool_use","id":"b"}]}, {"role":"user","parts":[{"type":"tool_result","tool_use_id":"b"}]},
    {"role":"user","content":[{"toolUse":{"toolUseId":null}},{"text":"x"}]}, {"role":"user","content":[{"toolResult":{}}]},
    {"role":"user","content":[{"toolResult":[]},{"toolUse":"a"}]}, {"role":"user","content":[{"type":"tool-result"}]},
    {"role":"user","content":[{"type":"tool-call"}]}, {"role":"user","content":[{"type":"my-tool-call","toolCallId":"a"}]},
    {"role":"user","content":[{"type":"tool_result"}]}, {"role":"user","content":[{"type":"tool_use"}]}, {"role":"user","content":[{"type":"tool_use_result","id":"a"}]},
    {"role":"user","content":["tool_result",null,7,true,{"type":["tool_use"],"id":"a"}]},
    {"role":"tool","content":"a result without an id"}, {"role":"tool","tool_call_id":7,"content":""}, {"role":"function","content":"no name"},
    {"role":"tool","tool_call_id":"a","tool_call_id":"b","content":"the last id counts"},
    {"role":"assistant","content":[{"type":"server_tool_use","id":"a"},{"type":"web_search_tool_result","tool_use_id":"a"}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"a"},{"type":"tool_use","id":"a"}]},
    {"type":"function_call","name":"no id"}, {"type":"function_call","call_id":null}, {"type":"web_search_call","id":"a"}, {"type":"_call","call_id":"a"},
    {"type":"function_call","call_id":"a","role":"user"}, {"type":"function_call","call_id":"a","role":"assistant"}, {"type":"function_call","call_id":"b","role":null},
    {"type":"function_call_output","output":"no id"}, {"type":"_output","call_id":"b"}, {"type":"function_call_output","call_id":"a","role":"user"},
    {"type":"reasoning","summary":[]}, {"type":"reasoning","role":"user","content":"x"}, {"type":"reasoning","role":"assistant"}, {"type":7,"call_id":"a"},
    {"type":"message","role":null,"content":[]}, {"type":"message","content":"no role"}, {"type":"item_reference","id":"a"}, {"type":"tool_use","id":"a"},
    {"role":"assistant","content":[{"type":"text","text":"x"},{"type":"thinking"}]}, {"role":"assistant","content":[{"reasoningContent":null}]},
    {"role":"assistant","content":{"type":"thinking"}}, {"role":"assistant","content":[[{"type":"thinking"}]]}, {"role":"assistant","parts":[{"type":"thinking"}]},
    {"role":"assistant","content":[{"type":"thinking"}],"content":"last"}, {"role":"model","content":[{"type":"redacted_thinking"}]},
    {"role":"user","content":[{"type":"thinking"}]}, {"role":"user","content":[{"type":"image"},{"text":"[Summary of earlier conversation]\nsecond"}]},
    {"role":"user","content":" [Summary of earlier conversation]\nnot at the start"}, {"role":"user","content":"[Summary of earlier conversation]"},
    {"role":"user","content":"[Summary of earlier conversation]\r\nx"}, {"role":"user","text":"[Summary of earlier conversation]\nx"},
    {"role":"user","content":{"text":"[Summary of earlier conversation]\nx"}}, {"role":"user","content":["[Summary of earlier conversation]\nx"]},
    {"role":"user","content":"plain","parts":[{"text":"[Summary of earlier conversation]\nx"}]},
    {"role":"user","content":null,"parts":[{"text":"[Summary of earlier conversation]\nx"}]},
    {"role":"user","content":[],"parts":[{"text":"[Summary of earlier conversation]\nx"}]},
    {"role":"user","content":[{"text":null}],"parts":[{"text":"[Summary of earlier conversation]\nx"}]},
    {"role":"user","content":[{"text":"x"}],"parts":[{"text":"[Summary of earlier conversation]\nx"}]},
    {"role":"assistant","content":"x","tool_calls":[{"id":"a"}],"content":"[Summary of earlier conversation]\nx"},
    {"role":"tool","tool_call_id":"a","content":"[Summary of earlier conversation]\nx"}, {"content":"[Summary of earlier conversation]\nno role"},
    {"role":"system","content":"[Summary of earlier conversation]\n"}, {"role":"system","content":[{"type":"tool_use","id":"a"}]},
    {"role":"developer","content":"d","type":"function_call_output","call_id":"a"}, {"role":"system","type":"function_call","call_id":"a"},
    {"n":1.10,"e":1e5,"E":-1E+2,"z":-0,"thirty":123456789012345678901234567890,"role":"user","content":"numbers stay as they are"},
    {"role":"user","content":"x","\u0000":{"":[[],{},[[[{"role":"tool"}]]]]},"\"\\\/":false}
]"#;

/// Parsed once for all cases of a run.
pub fn decoys() -> &'static [Value] {
    static DECOYS_READ: std::sync::OnceLock<Vec<Value>> = std::sync::OnceLock::new();
    DECOYS_READ.get_or_init(|| Transcript::read(DECOYS).messages)
}

/// What a conversation says most, and what is odd in strings.
pub fn fragments() -> (Text, Vec<Text>) {
    let plain = || text("the tide table says so; ");
    let odd = vec![
        plain(),
        text("记录"),
        text("\u{1f642}\u{1f469}\u{200d}\u{1f680}"),
        text("é\u{301}\u{7f}"),
        text("\u{2028}\u{2029}\u{fffd}\u{ffff}"),
        text("\"quoted\" \\ </b> \\u0041"),
        text("\n\t\r\u{8}\u{c}"),
        text("\u{0}\u{1}\u{1f}"),
        vec![0xd83d],
        vec![0xde42, 0x41],
        vec![0xd83d, 0xd83d, 0xde42, 0xde42],
    ];
    (plain(), odd)
}

fn words() -> impl Strategy<Value = Text> {
    let (plain, odd) = fragments();
    let fragments = prop_oneof![3 => Just(plain), 2 => select(odd)];
    (
        vec(fragments, 0..4),
        prop_oneof![4 => 1usize..3, 2 => 3usize..12, 1 => 12usize..60],
    )
        .prop_map(|(fragments, times)| fragments.concat().repeat(times))
}

fn ids(shared: u32) -> impl Strategy<Value = Id> {
    prop_oneof![10 - shared => Just(Id::Fresh), shared => select(&SHARED_IDS[..]).prop_map(Id::Shared)]
}

/// True so many times of twenty, and false where a failing case shrinks.
fn chance(of_twenty: u32) -> impl Strategy<Value = bool> {
    (0u32..20).prop_map(move |die| die >= 20 - of_twenty)
}

/// `disorder` and `thinks` of ten: how often something goes wrong, and how often the calls come after thinking.
fn rounds(disorder: u32, thinks: u32) -> impl Strategy<Value = Move> {
    let late = prop_oneof![
        18 - disorder => Just(Late::WithTheOthers),
        1 + disorder => words().prop_map(Late::AfterInterjection),
        1 => Just(Late::FromTheModel),
    ];
    (
        calls(disorder),
        chance(2 * thinks),
        any::<bool>(),
        (chance(disorder), 1usize..3),
        late,
        words(),
    )
        .prop_map(
            |(
                (dialect, calls),
                opens_with_thinking,
                results_reversed,
                (dangles, dangling),
                late,
                words,
            )| {
                Move::Round(Round {
                    dialect,
                    calls,
                    opens_with_thinking,
                    results_reversed,
                    dangling: if dangles { dangling } else { 0 },
                    late,
                    words,
                })
            },
        )
}

fn calls(disorder: u32) -> impl Strategy<Value = (Dialect, Vec<(Id, &'static str)>)> {
    (
        select(&DIALECTS[..]),
        vec((ids(disorder), select(&NAMES[..])), 1..4),
    )
}

/// Calls whose results are still to come, all or some of them.
fn rounds_in_flight() -> impl Strategy<Value = Move> {
    let dialects = prop_oneof![2 => Just(Dialect::OpenAiResponses), 3 => select(&DIALECTS[..])];
    (dialects, calls(1), 1usize..4, words()).prop_map(|(dialect, (_, calls), dangling, words)| {
        Move::Round(Round {
            dialect,
            calls,
            opens_with_thinking: false,
            results_reversed: false,
            dangling,
            late: Late::WithTheOthers,
            words,
        })
    })
}

fn said_by(roles: &'static [&'static str]) -> impl Strategy<Value = Move> {
    (select(roles), select(&SHAPES[..]), words()).prop_map(|(role, shape, words)| Move::Said {
        role,
        shape,
        words,
    })
}

fn summaries_and_reminders() -> impl Strategy<Value = Move> {
    let texts = prop_oneof![
        words().prop_map(|words| [text(SUMMARY_PREFIX), words].concat()),
        Just(text(REMINDER)),
        words().prop_map(|words| [text(REMINDER), words].concat()),
    ];
    (select(&ROLES[..]), select(&SHAPES[..]), texts).prop_map(|(role, shape, words)| Move::Said {
        role,
        shape,
        words,
    })
}

fn strays() -> impl Strategy<Value = Move> {
    (
        select(&DIALECTS[..]),
        select(&SHARED_IDS[..]),
        select(&NAMES[..]),
        words(),
    )
        .prop_map(|(dialect, id, name, words)| Move::StrayResult {
            dialect,
            id,
            name,
            words,
        })
}

fn lookalikes() -> impl Strategy<Value = Move> {
    (0..decoys().len(), words()).prop_map(|(index, words)| Move::Decoy { index, words })
}

/// What only seems to be thinking, or seems not to be.
fn almost_thinking() -> impl Strategy<Value = Move> {
    let thinks = |index: &usize| {
        let source = Transcript::write(&decoys()[*index..=*index], Formatting::Compact);
        source.contains("thinking") || source.contains("reasoning")
    };
    let indices: Vec<usize> = (0..decoys().len()).filter(thinks).collect();
    (select(indices), words()).prop_map(|(index, words)| Move::Decoy { index, words })
}

/// How a conversation opens after its leading instructions: with a request, as an earlier compaction left it, or anyhow.
fn openings() -> impl Strategy<Value = Vec<Move>> {
    let summary = || {
        words().prop_map(|words| Move::Said {
            role: "system",
            shape: Shape::String,
            words: [text(SUMMARY_PREFIX), words].concat(),
        })
    };
    let reminder = |role| Move::Said {
        role,
        shape: Shape::String,
        words: text(REMINDER),
    };
    let request = || said_by(&["user"]);
    prop_oneof![
        3 => Just(vec![]),
        2 => request().prop_map(|request| vec![request]),
        1 => (summary(), request()).prop_map(|(summary, request)| vec![summary, request]),
        1 => (summary(), request()).prop_map(move |(summary, request)| vec![summary, reminder("system"), request]),
        1 => summary().prop_map(|summary| vec![summary]),
        1 => request().prop_map(move |request| vec![reminder("assistant"), request]),
    ]
}

/// Conversations, long runs of steps, runs that think, and sheer disorder: each has splits that the others never reach.
fn moves() -> impl Strategy<Value = BoxedStrategy<Move>> {
    prop_oneof![
        Just(
            prop_oneof![
                6 => said_by(&["user"]),
                6 => said_by(&["assistant", "model"]),
                4 => rounds(0, 1),
                1 => said_by(&ROLES),
                1 => summaries_and_reminders(),
            ]
            .boxed()
        ),
        Just(prop_oneof![1 => said_by(&["user"]), 1 => said_by(&["assistant"]), 16 => rounds(0, 0)].boxed()),
        Just(
            prop_oneof![
                1 => said_by(&["user"]),
                1 => said_by(&["assistant"]),
                12 => rounds(1, 7),
                3 => almost_thinking(),
            ]
            .boxed()
        ),
        Just(rounds(0, 0).boxed()),
        Just(
            prop_oneof![
                2 => said_by(&["user"]),
                2 => said_by(&["assistant"]),
                4 => summaries_and_reminders(),
            ]
            .boxed()
        ),
        Just(prop_oneof![6 => rounds(1, 3), 2 => said_by(&["assistant"]), 1 => summaries_and_reminders()].boxed()),
        Just(
            prop_oneof![
                3 => said_by(&ROLES),
                4 => rounds(5, 3),
                2 => strays(),
                2 => summaries_and_reminders(),
                4 => lookalikes(),
            ]
            .boxed()
        ),
    ]
}

pub fn transcripts(lengths: Range<usize>) -> impl Strategy<Value = Vec<Value>> {
    let leading = prop_oneof![3 => Just(0..1), 3 => Just(1..2), 1 => Just(2..4)]
        .prop_flat_map(|count| vec(said_by(&["system", "developer"]), count));
    (
        leading,
        openings(),
        moves().prop_flat_map(move |moves| vec(moves, lengths.clone())),
        (chance(4), rounds_in_flight()),
    )
        .prop_map(|(leading, opening, moves, (ends_in_flight, in_flight))| {
            let ending = ends_in_flight.then_some(in_flight);
            leading
                .iter()
                .chain(&opening)
                .chain(&moves)
                .chain(&ending)
                .enumerate()
                .flat_map(|(place, happened)| happened.messages(place))
                .collect()
        })
}

/// Every key that matters in some dialect, and some that only look like one.
const KEYS: [&str; 29] = [
    "role",
    "content",
    "parts",
    "text",
    "type",
    "id",
    "name",
    "call_id",
    "tool_calls",
    "tool_call_id",
    "tool_use_id",
    "function_call",
    "functionCall",
    "function_response",
    "functionResponse",
    "toolUse",
    "toolResult",
    "toolUseId",
    "toolCallId",
    "reasoningContent",
    "",
    "x",
    "role\0",
    "tool_cal",
    "toolUses",
    "contents",
    "tool_call_ids",
    "functionResponses",
    "a key that is longer than any other",
];

/// Words that matter as values, in some dialect.
const WORDS: [&str; 20] = [
    "user",
    "assistant",
    "model",
    "system",
    "tool",
    "function",
    "tool_use",
    "server_tool_use",
    "tool_result",
    "tool-call",
    "tool-result",
    "function_call",
    "function_call_output",
    "thinking",
    "redacted_thinking",
    "reasoning",
    "a",
    "b",
    "",
    "\u{1f642}",
];

/// A value of any kind under any key, whatever belongs there; keys repeated, arrays in arrays, deep nests, long strings.
fn anything() -> impl Strategy<Value = Value> {
    let long =
        (16_380_usize..16_390).prop_map(|length| Value::String(vec![u32::from('a'); length]));
    let nest =
        (select(vec![3_usize, 60, 64, 66, 130]), any::<bool>()).prop_map(|(depth, array)| {
            let inner = object(vec![
                ("type", Value::string("tool_use")),
                ("id", Value::string("a")),
            ]);
            (0..depth).fold(inner, |value, level| match array || level % 2 == 0 {
                true => list(vec![value]),
                false => object(vec![("content", value)]),
            })
        });
    let leaf = prop_oneof![
        20 => select(&WORDS[..]).prop_map(Value::string),
        2 => Just(Value::string(SUMMARY_PREFIX)),
        2 => Just(Value::Null),
        1 => Just(Value::Bool(true)),
        1 => Just(Value::Number("1.10".to_owned())),
        1 => long,
        1 => nest,
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::Array),
            members(inner).prop_map(Value::Object),
        ]
    })
}

fn members(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Vec<(Text, Value)>> {
    vec((select(&KEYS[..]).prop_map(text), value), 0..6)
}

/// Messages of the keys that matter, in no dialect at all.
pub fn shapeless(lengths: Range<usize>) -> impl Strategy<Value = Vec<Value>> {
    let role = select(&ROLES[..]).prop_map(|role| (text("role"), Value::string(role)));
    let message = (prop::option::of(role), members(anything()))
        .prop_map(|(role, members)| Value::Object(role.into_iter().chain(members).collect()));
    vec(message, lengths)
}

pub fn formattings() -> impl Strategy<Value = Formatting> {
    prop_oneof![
        1 => Just(Formatting::Compact),
        1 => Just(Formatting::Pretty),
        1 => Just(Formatting::AsciiEscaped),
        3 => any::<u64>().prop_map(Formatting::Odd),
    ]
}

pub fn summaries() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("short recap".to_owned()),
        Just("\"quoted\" \\ \u{1}\u{7f}\u{2028}\n\t\u{8}\u{c} </b> 记 \u{1f642}".to_owned()),
        "\\PC{0,20}".prop_map(|words| format!("so far:{words}")),
    ]
}

/// Options relative to a transcript whose size is not known yet.
#[derive(Clone, Debug)]
pub struct Settings {
    max_per_mille: u64,
    keep_tail: KeepTail,
    like: Options,
}

#[derive(Clone, Copy, Debug)]
enum KeepTail {
    Absent,
    Tokens(u64),
    PerMilleOfMax(u64),
}

impl Settings {
    /// The options for a transcript that counts `tokens`.
    pub fn for_size(&self, tokens: u64) -> Options {
        let per_mille = |whole: u64, share: u64| {
            u64::try_from(u128::from(whole) * u128::from(share) / 1000).unwrap_or(u64::MAX)
        };
        let max_tokens = per_mille(tokens, self.max_per_mille);
        let keep_tail = match self.keep_tail {
            KeepTail::Absent => None,
            KeepTail::Tokens(tokens) => Some(tokens),
            KeepTail::PerMilleOfMax(share) => Some(per_mille(max_tokens, share)),
        };
        Options {
            max_tokens,
            keep_tail,
            ..self.like.clone()
        }
    }

    pub fn char_unit(&self) -> Unit {
        self.like.char_unit
    }
}

pub fn settings() -> impl Strategy<Value = Settings> {
    let max = prop_oneof![1 => Just(0u64), 12 => 20u64..1000, 1 => 995u64..1005];
    let keep_tail = prop_oneof![
        3 => Just(KeepTail::Absent),
        1 => Just(KeepTail::Tokens(0)),
        1 => Just(KeepTail::Tokens(1 << 53)),
        6 => (0u64..1300).prop_map(KeepTail::PerMilleOfMax),
        // Three quarters of the room are where the budget of the tail changes.
        1 => Just(KeepTail::PerMilleOfMax(750)),
    ];
    let split = prop_oneof![2 => Just(Split::Steps), 1 => Just(Split::Turns)];
    let role = prop_oneof![4 => Just("system"), 1 => Just("developer"), 1 => Just("user"), 1 => Just("assistant")];
    (
        max,
        keep_tail,
        any::<bool>(),
        select(&Unit::ALL[..]),
        split,
        role,
    )
        .prop_map(
            |(max_per_mille, keep_tail, flush_to_memory, char_unit, split, summary_role)| {
                Settings {
                    max_per_mille,
                    keep_tail,
                    like: Options {
                        flush_to_memory,
                        char_unit,
                        split,
                        summary_role,
                        ..Options::with_budget(0)
                    },
                }
            },
        )
}

/// A host's counts. Some are so large that their sums saturate.
pub fn host_counts() -> impl Strategy<Value = HostCount> {
    let per_message = prop_oneof![
        6 => vec(0u64..100, 1..40),
        1 => vec(0u64..2, 1..40),
        1 => vec(any::<u64>(), 1..40),
    ];
    let per_list = prop_oneof![Just(0u64), 1u64..50];
    let per_neighbours = select(vec![0u64, 1, 7]);
    (per_list, per_message, per_neighbours).prop_map(|(per_list, per_message, per_neighbours)| {
        HostCount {
            per_list,
            per_message,
            per_neighbours,
        }
    })
}
