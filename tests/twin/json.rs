//! JSON as the twin sees it: a tree that keeps numbers as text, repeated keys, and lone surrogates. The reader recurses, so the
//! tests keep their nesting shallow for it.

use std::ops::Range;

/// A string after unescaping: code points, lone surrogates among them.
pub type Text = Vec<u32>;

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    /// As it stands in the text: `1.10` is not `1.1`.
    Number(String),
    String(Text),
    Array(Vec<Value>),
    /// In the text's order, repeated keys included.
    Object(Vec<(Text, Value)>),
}

pub fn text(from: &str) -> Text {
    from.chars().map(u32::from).collect()
}

impl Value {
    pub fn string(from: &str) -> Value {
        Value::String(text(from))
    }

    /// Of repeated keys the last counts.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let Value::Object(members) = self else {
            return None;
        };
        let key = text(key);
        members
            .iter()
            .rev()
            .find(|(name, _)| *name == key)
            .map(|(_, value)| value)
    }

    pub fn as_string(&self) -> Option<&Text> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    pub fn elements(&self) -> &[Value] {
        match self {
            Value::Array(elements) => elements,
            _ => &[],
        }
    }

    pub fn is_object(&self) -> bool {
        matches!(self, Value::Object(_))
    }
}

/// A transcript's text, and each message's place and value in it.
pub struct Transcript {
    pub text: String,
    pub messages: Vec<Value>,
    spans: Vec<Range<usize>>,
}

/// A failing test prints the text; the tree says nothing more.
impl std::fmt::Debug for Transcript {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl Transcript {
    pub fn read(text: &str) -> Transcript {
        let mut reader = Reader {
            bytes: text.as_bytes(),
            at: 0,
        };
        let (mut messages, mut spans) = (Vec::new(), Vec::new());
        reader.expect(b'[');
        if !reader.accept(b']') {
            loop {
                reader.skip_white_space();
                let start = reader.at;
                messages.push(reader.value());
                spans.push(start..reader.at);
                if !reader.accept(b',') {
                    reader.expect(b']');
                    break;
                }
            }
        }
        reader.skip_white_space();
        assert_eq!(
            reader.at,
            text.len(),
            "something stands after the transcript: {text}"
        );
        Transcript {
            text: text.to_owned(),
            messages,
            spans,
        }
    }

    pub fn write(messages: &[Value], formatting: Formatting) -> String {
        let mut writer = Writer {
            formatting,
            chance: Chance(formatting.seed()),
            out: String::new(),
        };
        writer.value(&Value::Array(messages.to_vec()), 0);
        writer.out
    }

    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// The input's own bytes of one message.
    pub fn source(&self, index: usize) -> &str {
        &self.text[self.spans[index].clone()]
    }

    /// `[`, the input's own bytes from the first message's start to the last one's end, `]`.
    pub fn slice(&self, range: Range<usize>) -> String {
        if range.is_empty() {
            return "[]".to_owned();
        }
        format!(
            "[{}]",
            &self.text[self.spans[range.start].start..self.spans[range.end - 1].end]
        )
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn skip_white_space(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn accept(&mut self, token: u8) -> bool {
        self.skip_white_space();
        let found = self.bytes.get(self.at) == Some(&token);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: u8) {
        assert!(
            self.accept(token),
            "the twin expected {:?} at byte {}",
            char::from(token),
            self.at
        );
    }

    fn value(&mut self) -> Value {
        self.skip_white_space();
        match self.bytes[self.at] {
            b'{' => self.object(),
            b'[' => self.array(),
            b'"' => Value::String(self.string()),
            b't' => self.word("true", Value::Bool(true)),
            b'f' => self.word("false", Value::Bool(false)),
            b'n' => self.word("null", Value::Null),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Value {
        assert!(
            self.bytes[self.at..].starts_with(word.as_bytes()),
            "the twin expected {word} at byte {}",
            self.at
        );
        self.at += word.len();
        value
    }

    fn number(&mut self) -> Value {
        let start = self.at;
        while matches!(
            self.bytes.get(self.at),
            Some(b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
        ) {
            self.at += 1;
        }
        assert!(self.at > start, "the twin expected a value at byte {start}");
        Value::Number(String::from_utf8_lossy(&self.bytes[start..self.at]).into_owned())
    }

    fn array(&mut self) -> Value {
        let mut elements = Vec::new();
        self.expect(b'[');
        if !self.accept(b']') {
            loop {
                elements.push(self.value());
                if !self.accept(b',') {
                    self.expect(b']');
                    break;
                }
            }
        }
        Value::Array(elements)
    }

    fn object(&mut self) -> Value {
        let mut members = Vec::new();
        self.expect(b'{');
        if !self.accept(b'}') {
            loop {
                self.skip_white_space();
                let key = self.string();
                self.expect(b':');
                members.push((key, self.value()));
                if !self.accept(b',') {
                    self.expect(b'}');
                    break;
                }
            }
        }
        Value::Object(members)
    }

    fn string(&mut self) -> Text {
        self.expect(b'"');
        let mut units: Text = Vec::new();
        loop {
            match self.bytes[self.at] {
                b'"' => break,
                b'\\' => units.push(self.escape()),
                _ => units.push(self.raw_code_point()),
            }
        }
        self.at += 1;
        joined_surrogates(&units)
    }

    fn raw_code_point(&mut self) -> u32 {
        let width = match self.bytes[self.at] {
            0..=0x7f => 1,
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            _ => 4,
        };
        let bytes = &self.bytes[self.at..self.at + width];
        self.at += width;
        let text = std::str::from_utf8(bytes).expect("the tests feed the twin UTF-8");
        text.chars().next().map_or(0, u32::from)
    }

    fn escape(&mut self) -> u32 {
        let letter = self.bytes[self.at + 1];
        self.at += 2;
        match letter {
            b'b' => 0x08,
            b'f' => 0x0c,
            b'n' => 0x0a,
            b'r' => 0x0d,
            b't' => 0x09,
            b'u' => {
                let digits = String::from_utf8_lossy(&self.bytes[self.at..self.at + 4]);
                let unit =
                    u32::from_str_radix(&digits, 16).expect("four hexadecimal digits follow \\u");
                self.at += 4;
                unit
            }
            other => u32::from(other),
        }
    }
}

/// Two escapes that are a surrogate pair are one code point; only what stays single is a lone surrogate.
fn joined_surrogates(units: &[u32]) -> Text {
    let mut joined = Vec::new();
    let mut at = 0;
    while at < units.len() {
        let high = (0xd800..0xdc00).contains(&units[at]);
        let low = units
            .get(at + 1)
            .filter(|unit| (0xdc00..0xe000).contains(*unit));
        match low {
            Some(low) if high => {
                joined.push(0x10000 + ((units[at] - 0xd800) << 10) + (low - 0xdc00));
                at += 2;
            }
            _ => {
                joined.push(units[at]);
                at += 1;
            }
        }
    }
    joined
}

/// The same messages, written in another way.
#[derive(Clone, Copy, Debug)]
pub enum Formatting {
    Compact,
    Pretty,
    /// Every code point beyond ASCII as an escape, as Python's `json.dumps` does.
    AsciiEscaped,
    /// White space and escapes wherever JSON allows them, chosen by the seed.
    Odd(u64),
}

impl Formatting {
    fn seed(self) -> u64 {
        match self {
            Formatting::Odd(seed) => seed,
            _ => 0,
        }
    }
}

/// A small generator of choices (splitmix64), so that a formatting is reproduced by its seed alone.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

struct Writer {
    formatting: Formatting,
    chance: Chance,
    out: String,
}

impl Writer {
    fn value(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(true) => self.out.push_str("true"),
            Value::Bool(false) => self.out.push_str("false"),
            Value::Number(digits) => self.out.push_str(digits),
            Value::String(text) => self.string(text),
            Value::Array(elements) => {
                self.out.push('[');
                for (index, element) in elements.iter().enumerate() {
                    self.separate(index, depth + 1);
                    self.value(element, depth + 1);
                }
                self.close(elements.is_empty(), depth);
                self.out.push(']');
            }
            Value::Object(members) => {
                self.out.push('{');
                for (index, (key, value)) in members.iter().enumerate() {
                    self.separate(index, depth + 1);
                    self.string(key);
                    self.odd_space();
                    self.out.push(':');
                    if matches!(self.formatting, Formatting::Pretty) {
                        self.out.push(' ');
                    }
                    self.odd_space();
                    self.value(value, depth + 1);
                }
                self.close(members.is_empty(), depth);
                self.out.push('}');
            }
        }
    }

    fn separate(&mut self, index: usize, depth: usize) {
        if index > 0 {
            self.odd_space();
            self.out.push(',');
        }
        self.new_line(depth);
        self.odd_space();
    }

    fn close(&mut self, empty: bool, depth: usize) {
        if !empty {
            self.new_line(depth);
        }
        self.odd_space();
    }

    fn new_line(&mut self, depth: usize) {
        if matches!(self.formatting, Formatting::Pretty) {
            self.out.push('\n');
            self.out.push_str(&"  ".repeat(depth));
        }
    }

    fn odd_space(&mut self) {
        if matches!(self.formatting, Formatting::Odd(_)) {
            let space =
                ["", "", "", "", " ", "\n", "\t", "\r\n", "  \t "][self.chance.below(9) as usize];
            self.out.push_str(space);
        }
    }

    fn string(&mut self, text: &Text) {
        self.out.push('"');
        for &code_point in text {
            let odd = matches!(self.formatting, Formatting::Odd(_));
            let Some(character) = char::from_u32(code_point) else {
                self.escape(code_point);
                continue;
            };
            let short = match character {
                '"' => Some("\\\""),
                '\\' => Some("\\\\"),
                '\u{8}' => Some("\\b"),
                '\u{c}' => Some("\\f"),
                '\n' => Some("\\n"),
                '\r' => Some("\\r"),
                '\t' => Some("\\t"),
                '/' if odd && self.chance.below(2) == 0 => Some("\\/"),
                _ => None,
            };
            let by_choice =
                odd && self.chance.below(if character.is_ascii() { 12 } else { 2 }) == 0;
            let escaped_for_ascii =
                matches!(self.formatting, Formatting::AsciiEscaped) && !character.is_ascii();
            match short {
                Some(short) if !by_choice => self.out.push_str(short),
                None if !by_choice && !escaped_for_ascii && character >= ' ' => {
                    self.out.push(character)
                }
                _ => {
                    let mut units = [0; 2];
                    for unit in character.encode_utf16(&mut units) {
                        self.escape(u32::from(*unit));
                    }
                }
            }
        }
        self.out.push('"');
    }

    fn escape(&mut self, unit: u32) {
        let digits = match self.formatting {
            Formatting::Odd(_) if self.chance.below(2) == 0 => format!("\\u{unit:04X}"),
            _ => format!("\\u{unit:04x}"),
        };
        self.out.push_str(&digits);
    }
}
