//! The transcripts that are read: made here, the same on every machine.

/// A transcript of one kind and size.
pub struct Input {
    /// "1 MB", in decimal units.
    pub size: &'static str,
    pub text: String,
    pub messages: u64,
}

/// What a transcript consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    English,
    Chinese,
    Escaped,
    Blocks,
}

impl Kind {
    pub const ALL: [Self; 4] = [Self::English, Self::Chinese, Self::Escaped, Self::Blocks];

    pub fn name(self) -> &'static str {
        match self {
            Self::English => "English and code",
            Self::Chinese => "raw Chinese",
            Self::Escaped => "escaped and spaced Chinese",
            Self::Blocks => "blocks with structured input",
        }
    }

    /// As a column's title.
    pub fn short_name(self) -> &'static str {
        match self {
            Self::English => "Engl",
            Self::Chinese => "Chin",
            Self::Escaped => "esc",
            Self::Blocks => "block",
        }
    }

    /// What the texts of this kind look like, in a sentence for the reader of the table.
    pub fn description(self) -> &'static str {
        match self {
            Self::English => "OpenAI chat, tool results of source code, compact",
            Self::Chinese => "OpenAI chat, Chinese prose as UTF-8, compact",
            Self::Escaped => {
                "the same prose in escapes of four hexadecimal digits, indented by two"
            }
            Self::Blocks => {
                "Anthropic blocks, tool input of nested objects, arrays, numbers, short strings"
            }
        }
    }
}

pub const SMALL: &str = "2 KB";
pub const MEDIUM: &str = "1 MB";
pub const LARGE: &str = "10 MB";

impl Input {
    pub fn new(kind: Kind, size: &'static str) -> Self {
        let bytes = match size {
            SMALL => 2_000,
            MEDIUM => 1_000_000,
            _ => 10_000_000,
        };
        let mut transcript = Transcript {
            json: Json::new(kind == Kind::Escaped, bytes * 11 / 10),
            random: Random(kind as u64),
            scale: if bytes < 10_000 { 1 } else { 6 },
            messages: 0,
        };
        transcript.json.open('[');
        transcript.message("system", "You maintain a small web shop.");
        let mut turn = 0;
        while transcript.json.text.len() < bytes {
            turn += 1;
            match kind {
                Kind::English => transcript.chat_turn(turn, bytes, &EnglishAndCode),
                Kind::Chinese | Kind::Escaped => transcript.chat_turn(turn, bytes, &Prose),
                Kind::Blocks => transcript.block_turn(turn, bytes),
            }
        }
        transcript.json.close(']');
        Self {
            size,
            text: transcript.json.text,
            messages: transcript.messages,
        }
    }
}

struct Transcript {
    json: Json,
    random: Random,
    /// How long texts are: the small transcript has short ones.
    scale: usize,
    messages: u64,
}

/// What is said in a chat.
trait Speech {
    fn sentence(&self, random: &mut Random) -> String;
    fn document_line(&self, random: &mut Random) -> String;
}

impl Transcript {
    fn message(&mut self, role: &str, content: &str) {
        self.start_message(role);
        self.json.key("content");
        self.json.string(content);
        self.json.close('}');
    }

    fn start_message(&mut self, role: &str) {
        self.messages += 1;
        self.json.open('{');
        self.json.key("role");
        self.json.string(role);
    }

    fn sentences(&mut self, speech: &impl Speech, most: usize) -> String {
        let count = 1 + self.random.below(most);
        (0..count)
            .map(|_| speech.sentence(&mut self.random))
            .collect()
    }

    /// A request, calls of tools with what they answer, and an answer.
    fn chat_turn(&mut self, turn: usize, bytes: usize, speech: &impl Speech) {
        let request = self.sentences(speech, 1 + self.scale / 2);
        self.message("user", &request);
        for step in 0..1 + self.random.below(self.scale) {
            if self.json.text.len() >= bytes {
                break;
            }
            let id = format!("call_{turn}_{step}");
            self.start_message("assistant");
            self.json.key("content");
            self.json.bare("null");
            self.json.key("tool_calls");
            self.json.open('[');
            self.json.open('{');
            self.json.key("id");
            self.json.string(&id);
            self.json.key("type");
            self.json.string("function");
            self.json.key("function");
            self.json.open('{');
            self.json.key("name");
            self.json.string("read_file");
            self.json.key("arguments");
            let why = self.sentences(speech, 1);
            let arguments = format!(
                r#"{{"path":"src/module_{turn}.rs","from":{step}00,"why":"{}"}}"#,
                why.trim_end()
            );
            self.json.string(&arguments);
            self.json.close('}');
            self.json.close('}');
            self.json.close(']');
            self.json.close('}');
            self.start_message("tool");
            self.json.key("tool_call_id");
            self.json.string(&id);
            self.json.key("content");
            let lines = 3 + self.random.below(10 * self.scale - 5);
            let document: String = (0..lines)
                .map(|_| speech.document_line(&mut self.random))
                .collect();
            self.json.string(&document);
            self.json.close('}');
        }
        let answer = self.sentences(speech, self.scale);
        self.message("assistant", &answer);
    }

    /// A request, calls of a tool that takes much structure, and an answer, all in blocks.
    fn block_turn(&mut self, turn: usize, bytes: usize) {
        self.start_message("user");
        self.json.key("content");
        self.json.open('[');
        let request = self.sentences(&EnglishAndCode, 2);
        self.text_block(&request);
        self.json.close(']');
        self.json.close('}');
        for step in 0..1 + self.random.below(self.scale) {
            if self.json.text.len() >= bytes {
                break;
            }
            let id = format!("toolu_{turn}_{step}");
            self.start_message("assistant");
            self.json.key("content");
            self.json.open('[');
            let why = self.sentences(&EnglishAndCode, 1);
            self.text_block(&why);
            self.json.open('{');
            self.json.key("type");
            self.json.string("tool_use");
            self.json.key("id");
            self.json.string(&id);
            self.json.key("name");
            self.json.string("update_sheet");
            self.json.key("input");
            self.sheet();
            self.json.close('}');
            self.json.close(']');
            self.json.close('}');
            self.start_message("user");
            self.json.key("content");
            self.json.open('[');
            self.json.open('{');
            self.json.key("type");
            self.json.string("tool_result");
            self.json.key("tool_use_id");
            self.json.string(&id);
            self.json.key("content");
            self.json.open('[');
            let done = self.sentences(&EnglishAndCode, 2);
            self.text_block(&done);
            self.json.close(']');
            self.json.close('}');
            self.json.close(']');
            self.json.close('}');
        }
        self.start_message("assistant");
        self.json.key("content");
        self.json.open('[');
        let answer = self.sentences(&EnglishAndCode, 2);
        self.text_block(&answer);
        self.json.close(']');
        self.json.close('}');
    }

    fn text_block(&mut self, text: &str) {
        self.json.open('{');
        self.json.key("type");
        self.json.string("text");
        self.json.key("text");
        self.json.string(text);
        self.json.close('}');
    }

    fn sheet(&mut self) {
        self.json.open('{');
        self.json.key("sheet");
        self.json.string("prices");
        self.json.key("range");
        self.numbers(4);
        self.json.key("cells");
        self.json.open('[');
        for _ in 0..4 + self.random.below(8 * self.scale) {
            self.json.open('{');
            self.json.key("row");
            self.whole(500);
            self.json.key("col");
            self.whole(26);
            self.json.key("value");
            match self.random.below(4) {
                0 => self.json.string(WORDS[self.random.below(WORDS.len())]),
                1 => self.whole(1_000_000),
                2 => self.quarter(),
                _ => self.json.bare("null"),
            }
            self.json.key("style");
            self.json.open('{');
            self.json.key("bold");
            self.json.bare(["true", "false"][self.random.below(2)]);
            self.json.key("color");
            self.json
                .string(["red", "green", "none"][self.random.below(3)]);
            self.json.key("pad");
            self.numbers(2);
            self.json.close('}');
            self.json.close('}');
        }
        self.json.close(']');
        self.json.close('}');
    }

    fn numbers(&mut self, count: usize) {
        self.json.open('[');
        for _ in 0..count {
            self.whole(100);
        }
        self.json.close(']');
    }

    fn whole(&mut self, below: usize) {
        let number = self.random.below(below).to_string();
        self.json.bare(&number);
    }

    /// A number with a fraction that every writer writes alike.
    fn quarter(&mut self) {
        let number = format!(
            "-{}.{}",
            self.random.below(9_000),
            ["25", "5", "75"][self.random.below(3)]
        );
        self.json.bare(&number);
    }
}

const WORDS: [&str; 64] = [
    "the", "total", "is", "wrong", "after", "a", "refund", "because", "order", "keeps", "its",
    "old", "price", "when", "item", "was", "removed", "please", "look", "at", "every", "test",
    "that", "still", "passes", "without", "tax", "and", "say", "which", "function", "should",
    "own", "rounding", "we", "never", "store", "cents", "as", "floats", "but", "this", "module",
    "does", "so", "for", "currency", "checks", "index", "user", "sends", "two", "requests",
    "within", "one", "second", "I", "changed", "parser", "ran", "them", "again", "build", "fails",
];

const IDENTIFIERS: [&str; 16] = [
    "items", "total", "price", "count", "order", "refund", "rate", "index", "name", "store",
    "line", "buffer", "result", "config", "request", "user",
];

const CHARACTERS: &str = "请把这个函数改成线性的然后再跑一遍测试压缩之后对话必须保留系统消息和最后一个问题订单总价在退款以后不对因为\
    删除商品时旧价格没有更新我们从来不用浮点数存金额但是模块里还有两处需要检查税率货币索引用户请求每秒两次构建失败";

struct EnglishAndCode;

impl Speech for EnglishAndCode {
    fn sentence(&self, random: &mut Random) -> String {
        let words: Vec<&str> = (0..6 + random.below(12))
            .map(|_| WORDS[random.below(WORDS.len())])
            .collect();
        let mut sentence = words.join(" ");
        sentence.push_str(if random.below(8) == 0 {
            " \u{2013} \u{201c}really\u{201d}. "
        } else {
            ". "
        });
        sentence
    }

    fn document_line(&self, random: &mut Random) -> String {
        let mut name = || IDENTIFIERS[random.below(IDENTIFIERS.len())];
        let (a, b, c) = (name(), name(), name());
        match random.below(8) {
            0 => {
                format!("    let {a} = {b}.iter().map(|{c}| {c}.price * {c}.count).sum::<u64>();\n")
            }
            1 => format!(
                "    if {a}.is_empty() || {b} > 100 {{\n        return Err(Error::new(\"no {c}\"));\n    }}\n"
            ),
            2 => {
                format!("    // The {a} of a {b} is never more than its {c}, see the test below.\n")
            }
            3 => format!("\tprintln!(\"{a}: {{}}\\n\", {b}.{c}());\n"),
            4 => {
                format!("pub fn {a}_of_{b}({c}: &Config, limit: usize) -> Result<Vec<String>> {{\n")
            }
            5 => "}\n\n".to_owned(),
            6 => format!("    let path = \"C:\\\\{a}\\\\{b}.toml\"; // {c}\n"),
            _ => format!("        {a}.insert({b}.clone(), {c}.len());\n"),
        }
    }
}

struct Prose;

impl Speech for Prose {
    fn sentence(&self, random: &mut Random) -> String {
        let characters: Vec<char> = CHARACTERS.chars().collect();
        let mut sentence: String = (0..8 + random.below(24))
            .map(|_| characters[random.below(characters.len())])
            .collect();
        sentence.push_str(["。", "，", "！", "🙂。"][random.below(4)]);
        sentence
    }

    fn document_line(&self, random: &mut Random) -> String {
        let mut line = self.sentence(random) + &self.sentence(random);
        line.push('\n');
        line
    }
}

/// splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ mixed >> 31) % limit as u64) as usize
    }
}

/// Writes JSON, compact and in UTF-8, or indented by two and in ASCII.
struct Json {
    text: String,
    spaced_ascii: bool,
    depth: usize,
    /// No comma before the next value: it is the first, or follows its key.
    first: bool,
    after_key: bool,
}

impl Json {
    fn new(spaced_ascii: bool, capacity: usize) -> Self {
        Self {
            text: String::with_capacity(capacity),
            spaced_ascii,
            depth: 0,
            first: true,
            after_key: false,
        }
    }

    fn open(&mut self, bracket: char) {
        self.value();
        self.text.push(bracket);
        self.depth += 1;
        self.first = true;
    }

    fn close(&mut self, bracket: char) {
        self.depth -= 1;
        if !self.first {
            self.line();
        }
        self.text.push(bracket);
        self.first = false;
    }

    fn key(&mut self, key: &str) {
        self.string(key);
        self.text
            .push_str(if self.spaced_ascii { ": " } else { ":" });
        self.after_key = true;
    }

    fn bare(&mut self, literal: &str) {
        self.value();
        self.text.push_str(literal);
    }

    fn string(&mut self, string: &str) {
        self.value();
        self.text.push('"');
        for character in string.chars() {
            match character {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '\n' => self.text.push_str("\\n"),
                '\t' => self.text.push_str("\\t"),
                _ if self.spaced_ascii && !character.is_ascii() => {
                    for unit in character.encode_utf16(&mut [0; 2]) {
                        self.text.push_str(&format!("\\u{unit:04x}"));
                    }
                }
                _ => self.text.push(character),
            }
        }
        self.text.push('"');
    }

    fn value(&mut self) {
        if std::mem::take(&mut self.after_key) {
            return;
        }
        if !std::mem::take(&mut self.first) {
            self.text.push(',');
        }
        if self.depth > 0 {
            self.line();
        }
    }

    fn line(&mut self) {
        if self.spaced_ascii {
            self.text.push('\n');
            self.text.extend(std::iter::repeat_n("  ", self.depth));
        }
    }
}
