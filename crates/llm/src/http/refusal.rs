//! What a provider's refusal means.

use std::time::Duration;

use serde_json::Value;

use crate::error::LlmError;

/// The most characters of a provider's message that are passed on.
pub(super) const MESSAGE_CHARS: usize = 300;

/// What is said in place of a key.
const MASK: &str = "[key]";

/// Words in which servers say that a conversation is too long (Anthropic, `OpenAI`, llama.cpp, vLLM,
/// Gemini, gateways).
const CONTEXT_WORDS: [&str; 13] = [
    "prompt is too long",
    "context_length_exceeded",
    "context length",
    "maximum context",
    "context limit",
    "context window",
    "context size",
    "exceed_context_size",
    "input is too long",
    "input token count",
    "too many tokens",
    "reduce the length",
    "request_too_large",
];

/// A refusal as the provider words it.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// Its kind: `overloaded_error`, `insufficient_quota`.
    pub(super) kind: String,
    /// Its message.
    pub(super) message: String,
    /// Its numeric code, if it has one.
    code: Option<u16>,
}

impl Words {
    /// Reads the shapes in which servers put a refusal: `{"error": {"type", "code", "message"}}`,
    /// `{"error": "…"}`, `{"message": "…"}`, `{"detail": …}`.
    pub(super) fn read(body: &Value) -> Self {
        let error = body.get("error").unwrap_or(body);
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        let field = |name: &str| error.get(name).filter(|value| !value.is_null());
        let message = match error {
            Value::String(message) => message.clone(),
            _ => field("message").or_else(|| field("detail")).map_or_else(|| text(error), text),
        };
        let kinds = ["type", "code"].map(|name| field(name).and_then(Value::as_str));
        Self {
            kind: kinds.into_iter().flatten().collect::<Vec<_>>().join(" "),
            message,
            code: field("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok()),
        }
    }

    /// Reads the body of a refused request, which may be anything.
    pub(super) fn read_bytes(body: &[u8]) -> Self {
        serde_json::from_slice(body).map_or_else(
            |_| Self { message: String::from_utf8_lossy(body).into_owned(), ..Self::default() },
            |value| Self::read(&value),
        )
    }

    /// The HTTP status that this refusal would have had, had it come before the answer began.
    fn status(&self) -> u16 {
        self.known_status().unwrap_or(500)
    }

    /// The HTTP status that it names, or that its kind stands for.
    fn known_status(&self) -> Option<u16> {
        const KINDS: [(&str, u16); 9] = [
            ("overloaded", 529),
            ("rate_limit", 429),
            ("insufficient_quota", 402),
            ("billing", 402),
            ("authentication", 401),
            ("permission", 403),
            ("not_found", 404),
            ("too_large", 413),
            ("invalid_request", 400),
        ];
        if let Some(code) = self.code.filter(|code| (400..600).contains(code)) {
            return Some(code);
        }
        KINDS.iter().find(|(word, _)| self.kind.contains(word)).map(|(_, status)| *status)
    }

    /// What the refusal means for the one who asked.
    pub(super) fn into_error(self, status: u16, retry_after: Option<Duration>) -> LlmError {
        let message = tidy(&self.message, MESSAGE_CHARS);
        let message = if message.is_empty() { "no reason given".to_owned() } else { message };
        if matches!(status, 400 | 413 | 422 | 500) && self.speaks_of_context() {
            return LlmError::ContextTooLong { message };
        }
        match status {
            401 | 403 => LlmError::Unauthorized { status, key_source: String::new(), message },
            // A spent budget looks like a rate limit, but waiting doesn't fill it.
            429 if self.kind.contains("insufficient_quota") => {
                LlmError::Refused { status, message }
            }
            408 | 409 | 425 | 429 | 500.. => LlmError::Unavailable { status, message, retry_after },
            _ => LlmError::Refused { status, message },
        }
    }

    fn speaks_of_context(&self) -> bool {
        let text = format!("{} {}", self.kind, self.message).to_lowercase();
        CONTEXT_WORDS.iter().any(|words| text.contains(words))
    }
}

/// What an error inside a stream (HTTP 200) means: the same as if it had come as a status.
pub(crate) fn in_stream(body: &Value) -> LlmError {
    let words = Words::read(body);
    let status = words.status();
    words.into_error(status, None)
}

/// What an error object means that came with status 200 in place of an answer. Only one that says
/// itself that it will pass is worth another attempt.
pub(super) fn in_place_of_answer(body: &Value) -> LlmError {
    let words = Words::read(body);
    let known = words.known_status();
    let said = tidy(&words.message, MESSAGE_CHARS);
    match words.into_error(known.unwrap_or(200), None) {
        LlmError::Refused { status, .. } => {
            let said = if said.is_empty() { "no reason given".to_owned() } else { said };
            let message = format!(
                "{said} (this came as application/json, not as an event stream; is the base URL \
                 right?)"
            );
            LlmError::Refused { status, message }
        }
        other => other,
    }
}

/// Text of others, for one line on a terminal: no control characters, no runs of white space, at
/// most `limit` characters.
pub(super) fn tidy(text: &str, limit: usize) -> String {
    let visible = text.chars().map(|c| if c.is_control() || is_bidi(c) { ' ' } else { c });
    let mut tidy = String::new();
    let mut count = 0;
    let mut gap = false;
    for c in visible {
        if c.is_whitespace() {
            gap = !tidy.is_empty();
            continue;
        }
        if count >= limit {
            tidy.push('…');
            break;
        }
        if std::mem::take(&mut gap) {
            tidy.push(' ');
            count += 1;
        }
        tidy.push(c);
        count += 1;
    }
    tidy
}

/// Characters that turn the direction of text around them.
fn is_bidi(c: char) -> bool {
    matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// `text` without the key, and without words that look like a part of it: providers like to repeat
/// a wrong key with its middle starred out.
pub(super) fn mask(text: &str, key: &str) -> String {
    /// Keys shorter than this are placeholders for local servers, such as `none`.
    const SHORTEST_KEY: usize = 8;
    const TELLING: usize = 6;
    if key.len() < SHORTEST_KEY {
        return text.to_owned();
    }
    let text = text.replace(key, MASK);
    let (start, end) = (key.get(..TELLING), key.get(key.len() - TELLING..));
    let looks_like = |word: &str| {
        start.is_some_and(|start| word.contains(start)) || end.is_some_and(|end| word.contains(end))
    };
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '*' | '.' | '…');
    let mut masked = String::with_capacity(text.len());
    let mut word = String::new();
    for c in text.chars() {
        if is_word(c) {
            word.push(c);
            continue;
        }
        masked.push_str(if looks_like(&word) { MASK } else { &word });
        word.clear();
        masked.push(c);
    }
    masked.push_str(if looks_like(&word) { MASK } else { &word });
    masked
}

#[cfg(test)]
mod tests;
