//! A turn of the script, as data.

use serde_json::Value;

use super::Gate;

/// Why the model stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It said its last word.
    End,
    /// It wants tools.
    Tools,
    /// It ran into its limit.
    Tokens,
}

/// A piece of an answer.
#[derive(Debug, Clone)]
pub(super) enum Part {
    Text(String),
    Call { id: String, name: String, arguments: String },
}

/// What happens in place of an orderly end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Break {
    /// The connection is closed.
    Cut,
    /// The stream has an error event, after status 200.
    Overloaded,
}

/// A refusal before any stream.
#[derive(Debug, Clone)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) message: String,
}

/// One answer, and how it comes.
#[derive(Debug, Clone)]
pub struct Turn {
    pub(super) parts: Vec<Part>,
    pub(super) stop: Option<Stop>,
    pub(super) interleaved: bool,
    pub(super) bytewise: bool,
    /// After so many events.
    pub(super) breaks: Option<(usize, Break)>,
    pub(super) gate: Option<(usize, Gate)>,
    pub(super) refusal: Option<Refusal>,
}

impl Turn {
    const fn new(parts: Vec<Part>) -> Self {
        Self {
            parts,
            stop: None,
            interleaved: false,
            bytewise: false,
            breaks: None,
            gate: None,
            refusal: None,
        }
    }

    /// Text.
    pub fn says(text: &str) -> Self {
        Self::new(vec![Part::Text(text.to_owned())])
    }

    /// One call; more by [`Turn::and`].
    pub fn calls(id: &str, name: &str, arguments: &Value) -> Self {
        Self::new(Vec::new()).and(id, name, arguments)
    }

    /// Another call.
    #[must_use]
    pub fn and(self, id: &str, name: &str, arguments: &Value) -> Self {
        self.and_raw(id, name, &arguments.to_string())
    }

    /// Another call whose arguments are any text.
    #[must_use]
    pub fn and_raw(mut self, id: &str, name: &str, arguments: &str) -> Self {
        let (id, name, arguments) = (id.to_owned(), name.to_owned(), arguments.to_owned());
        self.parts.push(Part::Call { id, name, arguments });
        self
    }

    /// A refusal with a status.
    pub fn refuses(status: u16, message: &str) -> Self {
        let message = message.to_owned();
        let refusal = Refusal { status, headers: Vec::new(), message };
        Self { refusal: Some(refusal), ..Self::new(Vec::new()) }
    }

    /// A header of a refusal.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Some(refusal) = &mut self.refusal {
            refusal.headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// The stop reason, where it is another than what the parts say.
    #[must_use]
    pub const fn stops(mut self, stop: Stop) -> Self {
        self.stop = Some(stop);
        self
    }

    /// The deltas of all parts come in turns.
    #[must_use]
    pub const fn interleaved(mut self) -> Self {
        self.interleaved = true;
        self
    }

    /// Every byte comes alone.
    #[must_use]
    pub const fn bytewise(mut self) -> Self {
        self.bytewise = true;
        self
    }

    /// The connection is closed after so many events.
    #[must_use]
    pub const fn cut_after(mut self, events: usize) -> Self {
        self.breaks = Some((events, Break::Cut));
        self
    }

    /// After so many events the stream says that the server is overloaded.
    #[must_use]
    pub const fn overloaded_after(mut self, events: usize) -> Self {
        self.breaks = Some((events, Break::Overloaded));
        self
    }

    /// The server waits at `gate` after so many events.
    #[must_use]
    pub fn held_after(mut self, events: usize, gate: &Gate) -> Self {
        self.gate = Some((events, gate.clone()));
        self
    }

    pub(super) fn stop(&self) -> Stop {
        let calls = self.parts.iter().any(|part| matches!(part, Part::Call { .. }));
        self.stop.unwrap_or(if calls { Stop::Tools } else { Stop::End })
    }

    /// The deltas: for each the part that it belongs to, and its text.
    pub(super) fn deltas(&self) -> Vec<(usize, String)> {
        let pieces = |part: &Part| match part {
            Part::Text(text) => split(text, 6),
            Part::Call { arguments, .. } => split(arguments, 9),
        };
        let mut deltas: Vec<(usize, usize, String)> = Vec::new();
        for (index, part) in self.parts.iter().enumerate() {
            let pieces = pieces(part).into_iter().enumerate();
            deltas.extend(pieces.map(|(round, piece)| (index, round, piece)));
        }
        if self.interleaved {
            deltas.sort_by_key(|(index, round, _)| (*round, *index));
        }
        deltas.into_iter().map(|(index, _, piece)| (index, piece)).collect()
    }
}

fn split(text: &str, size: usize) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(size).map(|chunk| chunk.iter().collect()).collect()
}
