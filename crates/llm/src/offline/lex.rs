//! A request as words, quoted pieces and punctuation.

use serde::de::IgnoredAny;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A bare word.
    Word,
    /// Something in quotes or a code fence, or a JSON object as it was typed.
    Quoted,
    /// Something in single backticks: a command, if nothing else says what it is.
    Code,
    /// A comma, semicolon, colon or full stop.
    Mark,
    /// The end of a line.
    Newline,
}

/// One token, with its place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// What it says, without quotes.
    pub(super) text: String,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Token {
    /// Whether it is this bare word, in whatever case.
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text.eq_ignore_ascii_case(word)
    }

    pub(super) fn is_any_word(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is_word(word))
    }

    pub(super) fn is_mark(&self, mark: &str) -> bool {
        self.kind == Kind::Mark && self.text == mark
    }
}

/// Chinese words and what they say in the grammar of this planner. Longer ones come first.
const CHINESE: [(&str, &str); 60] = [
    ("不要", " not "),
    ("请勿", " not "),
    ("不", " not "),
    ("别", " not "),
    ("如果", " if "),
    ("除非", " unless "),
    ("只有", " only "),
    ("它们", " them "),
    ("它", " it "),
    ("若", " if "),
    ("替换为", " with "),
    ("替换成", " with "),
    ("修改为", " with "),
    ("修改成", " with "),
    ("内容为", " with "),
    ("内容是", " with "),
    ("的内容", " "),
    ("中搜索", " search "),
    ("里搜索", " search "),
    ("中查找", " search "),
    ("四个坑", " tour "),
    ("能做什么", " help "),
    ("查找文件", " find files "),
    ("改为", " with "),
    ("改成", " with "),
    ("换成", " with "),
    ("中的", " replace "),
    ("里的", " replace "),
    ("然后", " then "),
    ("接着", " then "),
    ("再", " then "),
    ("并且", " and "),
    ("同时", " and "),
    ("以及", " and "),
    ("读取", " read "),
    ("阅读", " read "),
    ("查看", " read "),
    ("打开", " read "),
    ("显示", " read "),
    ("列出", " list "),
    ("搜索", " search "),
    ("查找", " find "),
    ("运行", " run "),
    ("执行", " run "),
    ("写入", " write "),
    ("创建", " create "),
    ("新建", " create "),
    ("删除", " delete "),
    ("导览", " tour "),
    ("演示", " tour "),
    ("帮助", " help "),
    ("你好", " help "),
    ("目录", " directory "),
    ("文件", " file "),
    ("请", " "),
    ("一下", " "),
    ("把", " in "),
    ("将", " in "),
    ("在", " in "),
    ("和", " and "),
];

/// The request in the words of the grammar: Chinese ones outside quotes are replaced.
pub(super) fn normalise(text: &str) -> String {
    let is_chinese = |c: char| ('\u{4E00}'..='\u{9FFF}').contains(&c);
    if !text.chars().any(is_chinese) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() * 2);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some((_, len)) = quoted(rest) {
            let (piece, tail) = rest.split_at(len);
            out.push_str(piece);
            rest = tail;
        } else if let Some((word, meaning)) =
            CHINESE.iter().find(|(word, _)| rest.starts_with(word))
        {
            out.push_str(meaning);
            rest = rest.strip_prefix(word).unwrap_or_default();
        } else {
            match c {
                '，' | '、' => out.push_str(", "),
                '。' | '；' => out.push_str("; "),
                '：' => out.push_str(": "),
                _ => out.push(c),
            }
            rest = rest.strip_prefix(c).unwrap_or_default();
        }
    }
    out
}

/// Splits a request into tokens.
pub(super) fn lex(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if let Some((token, len)) = quoted(rest) {
            tokens.push(Token { start: at, end: at + len, ..token });
            at += len;
            continue;
        }
        let Some(c) = rest.chars().next() else { break };
        if c == '\n' {
            tokens.push(mark(Kind::Newline, "\n", at));
        } else if matches!(c, ',' | ';') {
            tokens.push(mark(Kind::Mark, if c == ',' { "," } else { ";" }, at));
        } else if !c.is_whitespace() {
            at += word(rest, at, &mut tokens);
            continue;
        }
        at += c.len_utf8();
    }
    tokens
}

fn mark(kind: Kind, text: &str, start: usize) -> Token {
    Token { kind, text: text.to_owned(), start, end: start + text.len() }
}

/// A bare word and the mark that ends it. A full stop or colon within a word belongs to it.
fn word(rest: &str, start: usize, tokens: &mut Vec<Token>) -> usize {
    let end =
        rest.find(|c: char| c.is_whitespace() || matches!(c, ',' | ';')).unwrap_or(rest.len());
    let whole = rest.get(..end).unwrap_or_default();
    let bare = whole.trim_end_matches(['.', ':', '!', '?']);
    // `.`, `..` and `$?` are no punctuation.
    let ends_quote =
        tokens.last().is_some_and(|before| before.kind != Kind::Word && before.end == start);
    if bare.is_empty() && ends_quote {
        tokens.push(Token { end: start + whole.len(), ..mark(Kind::Mark, ".", start) });
        return whole.len();
    }
    let bare = if bare.is_empty() || bare.ends_with(['$', '/']) { whole } else { bare };
    let kind = Kind::Word;
    tokens.push(Token { kind, text: bare.to_owned(), start, end: start + bare.len() });
    if bare.len() < whole.len() {
        let text = if whole.ends_with(':') { ":" } else { "." };
        tokens.push(mark(Kind::Mark, text, start + bare.len()));
    }
    whole.len()
}

/// A quoted piece or a JSON object at the start of `rest`, and its length with quotes.
fn quoted(rest: &str) -> Option<(Token, usize)> {
    let token = |kind, text: String| Token { kind, text, start: 0, end: 0 };
    if rest.starts_with('{') {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<IgnoredAny>();
        values.next()?.ok()?;
        let len = values.byte_offset();
        return Some((token(Kind::Quoted, rest.get(..len)?.to_owned()), len));
    }
    if let Some(body) = rest.strip_prefix("```") {
        let end = body.find("```")?;
        let inner = body.get(..end)?;
        let text = inner.split_once('\n').map_or(inner, |(_language, text)| text);
        return Some((token(Kind::Quoted, text.to_owned()), end + 6));
    }
    let (open, close) = [('"', '"'), ('`', '`'), ('“', '”'), ('「', '」'), ('\'', '\'')]
        .into_iter()
        .find(|(open, _)| rest.starts_with(*open))?;
    let body = rest.strip_prefix(open)?;
    let mut text = String::new();
    let mut characters = body.char_indices();
    while let Some((at, c)) = characters.next() {
        if c == close {
            let len = open.len_utf8() + at + close.len_utf8();
            let after = rest.get(len..)?.chars().next();
            // An apostrophe within a word is no quote.
            if open == '\'' && after.is_some_and(char::is_alphanumeric) {
                return None;
            }
            let kind = if open == '`' { Kind::Code } else { Kind::Quoted };
            return Some((token(kind, text), len));
        }
        if c == '\\' && open == '"' {
            match characters.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, 't')) => text.push('\t'),
                Some((_, c @ ('"' | '\\'))) => text.push(c),
                Some((_, other)) => text.extend(['\\', other]),
                None => return None,
            }
        } else {
            text.push(c);
        }
    }
    None
}
