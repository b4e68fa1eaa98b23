//! Server-sent events, pushed in as bytes and taken out as events.
//!
//! The parser knows nothing of sockets and of time. It takes whatever pieces the network makes,
//! also half a character or half a line end, looks at each byte once, and holds no more than one line
//! and one event, each of [`MAX_EVENT_BYTES`]. It does not reconnect: an answer that broke off must
//! be asked for anew.

use crate::error::LlmError;

/// The largest event (its name and its data, as they are given out) and the largest line (as it
/// comes), in bytes: 16 MiB, some fifty times the longest answer of today's models in one piece.
pub const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its name; `message` if it has none.
    pub name: String,
    /// Its data lines, joined by line feeds. Bytes that are no UTF-8 are replaced.
    pub data: String,
}

/// A push parser for a stream of events.
#[derive(Debug)]
pub struct Parser {
    line: Vec<u8>,
    name: String,
    data: String,
    has_data: bool,
    after_cr: bool,
    first_line: bool,
    limit: usize,
}

impl Default for Parser {
    fn default() -> Self {
        Self::with_limit(MAX_EVENT_BYTES)
    }
}

impl Parser {
    /// A parser at the start of a stream, bounded by [`MAX_EVENT_BYTES`].
    pub fn new() -> Self {
        Self::default()
    }

    /// A parser that allows events of at most `limit` bytes, name and data together, and lines of
    /// as many.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            line: Vec::new(),
            name: String::new(),
            data: String::new(),
            has_data: false,
            after_cr: false,
            first_line: true,
            limit,
        }
    }

    /// Takes the next bytes and gives the events that they complete. Events without data are
    /// skipped, as the standard wants.
    ///
    /// # Errors
    ///
    /// [`LlmError::TooLarge`] if a line or an event exceeds the bound; the stream can't be read on.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Event>, LlmError> {
        let mut events = Vec::new();
        let mut rest = bytes;
        if self.after_cr
            && let Some((first, tail)) = rest.split_first()
        {
            self.after_cr = false;
            if *first == b'\n' {
                rest = tail;
            }
        }
        while let Some(at) = memchr::memchr2(b'\r', b'\n', rest) {
            let (piece, tail) = rest.split_at(at);
            self.extend_line(piece)?;
            events.extend(self.end_line()?);
            rest = match tail {
                [b'\r'] => {
                    self.after_cr = true;
                    &[]
                }
                [b'\r', b'\n', after @ ..] => after,
                _ => tail.get(1..).unwrap_or_default(),
            };
        }
        self.extend_line(rest)?;
        Ok(events)
    }

    /// Ends the stream and gives the event that stood open.
    ///
    /// By the standard such an event is void, but servers exist that leave out the last empty line.
    /// Whoever takes it must check that it is whole: it may be cut off.
    ///
    /// # Errors
    ///
    /// [`LlmError::TooLarge`] as for [`Parser::push`].
    pub fn finish(mut self) -> Result<Option<Event>, LlmError> {
        if !self.line.is_empty() {
            self.end_line()?;
        }
        Ok(self.take_event())
    }

    fn extend_line(&mut self, piece: &[u8]) -> Result<(), LlmError> {
        if self.line.len() + piece.len() > self.limit {
            return Err(LlmError::TooLarge { what: "a line of the stream", limit: self.limit });
        }
        self.line.extend_from_slice(piece);
        Ok(())
    }

    fn end_line(&mut self) -> Result<Option<Event>, LlmError> {
        let bytes = std::mem::take(&mut self.line);
        let mut line = bytes.as_slice();
        if std::mem::take(&mut self.first_line) {
            line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        }
        let event = if line.is_empty() {
            self.take_event()
        } else {
            self.field(line)?;
            None
        };
        self.line = bytes;
        self.line.clear();
        Ok(event)
    }

    fn field(&mut self, line: &[u8]) -> Result<(), LlmError> {
        let (name, value) = match memchr::memchr(b':', line) {
            Some(0) => return Ok(()),
            Some(at) => {
                let (name, value) = line.split_at(at);
                let value = value.strip_prefix(b":").unwrap_or(value);
                (name, value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, &[][..]),
        };
        let fits = match name {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push('\n');
                }
                append(&mut self.data, value, self.limit.saturating_sub(self.name.len()))
            }
            b"event" => {
                self.name.clear();
                append(&mut self.name, value, self.limit.saturating_sub(self.data.len()))
            }
            _ => true,
        };
        if fits {
            Ok(())
        } else {
            Err(LlmError::TooLarge { what: "an event of the stream", limit: self.limit })
        }
    }

    fn take_event(&mut self) -> Option<Event> {
        let name = std::mem::take(&mut self.name);
        let data = std::mem::take(&mut self.data);
        self.has_data = false;
        if data.is_empty() {
            return None;
        }
        let name = if name.is_empty() { "message".to_owned() } else { name };
        Some(Event { name, data })
    }
}

/// Appends `bytes` to `text`, those that are no UTF-8 replaced. False if `text` has come to more
/// than `most` bytes: a replaced byte takes three, so only the text itself tells.
fn append(text: &mut String, bytes: &[u8], most: usize) -> bool {
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
        if text.len() > most {
            return false;
        }
    }
    text.len() <= most
}

#[cfg(test)]
mod tests;
