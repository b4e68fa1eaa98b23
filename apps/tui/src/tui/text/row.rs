//! Styled text that fits on one line.

use super::{SafeStr, SafeText};

/// What a piece of text is; the theme decides how that looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    #[default]
    Text,
    Muted,
    Strong,
    Emphasis,
    Heading,
    Code,
    You,
    Agent,
    Accent,
    Ok,
    Warn,
    Error,
    Info,
    Border,
    Focus,
    Selected,
}

/// Text of one role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) text: SafeText,
    pub(crate) role: Role,
}

impl Piece {
    pub(crate) fn new<'a>(text: impl Into<SafeStr<'a>>, role: Role) -> Self {
        Self { text: text.into().to_text(), role }
    }
}

/// One line of the screen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) pieces: Vec<Piece>,
}

impl Row {
    pub(crate) fn of<'a>(text: impl Into<SafeStr<'a>>, role: Role) -> Self {
        Self { pieces: vec![Piece::new(text, role)] }
    }

    #[must_use]
    pub(crate) fn and<'a>(mut self, text: impl Into<SafeStr<'a>>, role: Role) -> Self {
        self.pieces.push(Piece::new(text, role));
        self
    }

    /// Columns.
    #[cfg(test)]
    pub(crate) fn width(&self) -> usize {
        self.pieces.iter().map(|piece| super::width_of(piece.text.as_str())).sum()
    }
}
