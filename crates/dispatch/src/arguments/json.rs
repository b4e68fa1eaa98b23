//! A strict JSON reader that says where and why it stopped.

use serde_json::{Map, Number, Value};

use super::{MAX_DEPTH, too_deep_message};
use crate::words;

/// Characters shown before and after the place of a fault: enough to recognise it.
const NEARBY: usize = 20;

/// Why a text is no JSON.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    fault: Fault,
    /// The byte at which it was noticed.
    at: usize,
}

#[derive(Debug, PartialEq, Eq)]
enum Fault {
    /// The text ended where more had to come.
    CutOff,
    /// Something else had to come.
    Expected(&'static str),
    Control,
    Escape,
    Surrogate,
    OutOfRange(String),
    Duplicate(String),
    TooDeep,
    Trailing,
}

impl Malformed {
    /// Says what is wrong in `text`, which was parsed, and where.
    pub(crate) fn describe(&self, text: &str) -> String {
        let what = match &self.fault {
            Fault::CutOff => {
                return format!(
                    "the arguments were cut off after {} characters: the JSON text does not end",
                    text.chars().count()
                );
            }
            Fault::TooDeep => return too_deep_message(),
            Fault::Expected(what) => format!("not valid JSON: expected {what}"),
            Fault::Control => "not valid JSON: an unescaped control character".to_owned(),
            Fault::Escape => "not valid JSON: an unknown escape".to_owned(),
            Fault::Surrogate => "not valid JSON: a lone surrogate".to_owned(),
            Fault::OutOfRange(number) => {
                format!("the number {} is out of range", words::shown(number, 40))
            }
            Fault::Duplicate(key) => {
                format!("the key {} appears twice", words::quoted(key))
            }
            Fault::Trailing => "not valid JSON: data after the end of the arguments".to_owned(),
        };
        let (before, after) = text.split_at_checked(self.at).unwrap_or((text, ""));
        let position = before.chars().count() + 1;
        format!("{what} at character {position}, near `{}`", nearby(before, after))
    }
}

fn nearby(before: &str, after: &str) -> String {
    let start = before.char_indices().rev().nth(NEARBY - 1).map_or(0, |(at, _)| at);
    let end = after.char_indices().nth(NEARBY).map_or(after.len(), |(at, _)| at);
    let around = format!(
        "{}{}",
        before.get(start..).unwrap_or_default(),
        after.get(..end).unwrap_or_default()
    );
    words::shown(&around, 4 * NEARBY)
}

/// Parses exactly one JSON value.
pub(crate) fn parse(text: &str) -> Result<Value, Malformed> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0)?;
    reader.space();
    if reader.peek().is_some() { Err(reader.fault(Fault::Trailing)) } else { Ok(value) }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn fault(&self, fault: Fault) -> Malformed {
        Malformed { fault, at: self.at }
    }

    /// The fault of a missing `what`: the text is cut off if nothing at all follows.
    fn expected(&self, what: &'static str) -> Malformed {
        self.fault(if self.peek().is_none() { Fault::CutOff } else { Fault::Expected(what) })
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self, depth: usize) -> Result<Value, Malformed> {
        self.space();
        match self.peek() {
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.array(depth + 1),
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.literal("true", Value::Bool(true)),
            Some(b'f') => self.literal("false", Value::Bool(false)),
            Some(b'n') => self.literal("null", Value::Null),
            _ => Err(self.expected("a value")),
        }
    }

    fn literal(&mut self, word: &'static str, value: Value) -> Result<Value, Malformed> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if rest.starts_with(word) {
            self.at += word.len();
            Ok(value)
        } else if word.starts_with(rest) {
            Err(self.fault(Fault::CutOff))
        } else {
            Err(self.fault(Fault::Expected(word)))
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, Malformed> {
        self.enter(depth)?;
        let mut map = Map::new();
        self.space();
        if self.eat(b'}') {
            return Ok(Value::Object(map));
        }
        loop {
            self.space();
            let key_at = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.expected("a key in double quotes"));
            }
            let key = self.string()?;
            if map.contains_key(&key) {
                return Err(Malformed { fault: Fault::Duplicate(key), at: key_at });
            }
            self.space();
            if !self.eat(b':') {
                return Err(self.expected("`:`"));
            }
            let value = self.value(depth)?;
            map.insert(key, value);
            self.space();
            if self.eat(b'}') {
                return Ok(Value::Object(map));
            }
            if !self.eat(b',') {
                return Err(self.expected("`,` or `}`"));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, Malformed> {
        self.enter(depth)?;
        let mut items = Vec::new();
        self.space();
        if self.eat(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value(depth)?);
            self.space();
            if self.eat(b']') {
                return Ok(Value::Array(items));
            }
            if !self.eat(b',') {
                return Err(self.expected("`,` or `]`"));
            }
        }
    }

    fn enter(&mut self, depth: usize) -> Result<(), Malformed> {
        if depth > MAX_DEPTH {
            return Err(self.fault(Fault::TooDeep));
        }
        self.at += 1;
        Ok(())
    }

    fn string(&mut self) -> Result<String, Malformed> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let plain = rest
                .bytes()
                .position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))
                .unwrap_or(rest.len());
            text.push_str(rest.get(..plain).unwrap_or_default());
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escape()?),
                Some(_) => return Err(self.fault(Fault::Control)),
                None => return Err(self.fault(Fault::CutOff)),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Malformed> {
        let start = self.at;
        self.at += 1;
        let character = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode(start);
            }
            Some(_) => {
                return Err(Malformed { fault: Fault::Escape, at: start });
            }
            None => return Err(self.fault(Fault::CutOff)),
        };
        self.at += 1;
        Ok(character)
    }

    /// The character of a `\u` escape that began at `start`, with its second half if it is a pair.
    fn unicode(&mut self, start: usize) -> Result<char, Malformed> {
        let lone = Malformed { fault: Fault::Surrogate, at: start };
        let first = self.hex4()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first).ok_or(lone);
        }
        for byte in *b"\\u" {
            if !self.eat(byte) {
                return Err(if self.peek().is_none() { self.fault(Fault::CutOff) } else { lone });
            }
        }
        let second = self.hex4()?;
        if !(0xdc00..0xe000).contains(&second) {
            return Err(lone);
        }
        char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)).ok_or(lone)
    }

    fn hex4(&mut self) -> Result<u32, Malformed> {
        let mut number = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            number = number * 16 + digit.ok_or_else(|| self.expected("a hexadecimal digit"))?;
            self.at += 1;
        }
        Ok(number)
    }

    fn number(&mut self) -> Result<Value, Malformed> {
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        let mut integer = true;
        if self.eat(b'.') {
            integer = false;
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            integer = false;
            if !self.eat(b'+') {
                self.eat(b'-');
            }
            self.digits()?;
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        let number = if integer {
            text.parse::<u64>()
                .map(Number::from)
                .or_else(|_| text.parse::<i64>().map(Number::from))
                .ok()
        } else {
            // An infinite number is none of JSON's, so this refuses what overflows.
            text.parse::<f64>().ok().and_then(Number::from_f64)
        };
        number
            .map(Value::Number)
            .ok_or_else(|| Malformed { fault: Fault::OutOfRange(text.to_owned()), at: start })
    }

    fn digits(&mut self) -> Result<(), Malformed> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.expected("a digit"));
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }
}
