//! From buffers to bytes: only what changed is written.

use std::io;

use crossterm::{
    cursor::{Hide, MoveTo, Show},
    queue,
    style::Print,
    terminal::{BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate},
};
use ratatui::{
    backend::{Backend, CrosstermBackend},
    buffer::Buffer,
    layout::{Position, Rect},
};

use super::msg::Size;

/// What the terminal shows now, and what it will show.
#[derive(Debug)]
pub(super) struct Renderer {
    shown: Buffer,
    next: Buffer,
    cursor: Option<Position>,
    /// What is on the screen is unknown.
    lost: bool,
    bell: bool,
}

impl Renderer {
    pub(super) fn new(size: Size) -> Self {
        let area = Rect { x: 0, y: 0, width: size.width, height: size.height };
        Self {
            shown: Buffer::empty(area),
            next: Buffer::empty(area),
            cursor: None,
            lost: true,
            bell: false,
        }
    }

    /// The next frame writes every cell.
    pub(super) const fn lose(&mut self) {
        self.lost = true;
    }

    pub(super) const fn ring(&mut self) {
        self.bell = true;
    }

    /// The buffer of the next frame, empty.
    pub(super) fn canvas(&mut self, size: Size) -> &mut Buffer {
        let area = Rect { x: 0, y: 0, width: size.width, height: size.height };
        if self.next.area != area {
            self.shown = Buffer::empty(area);
            self.next = Buffer::empty(area);
            self.lost = true;
        }
        self.next.reset();
        &mut self.next
    }

    /// The bytes that make the terminal show the canvas; none if it does already.
    pub(super) fn bytes(&mut self, cursor: Option<Position>) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        if self.lost {
            self.shown.reset();
        }
        let changes = self.shown.diff(&self.next);
        let moved = cursor != self.cursor;
        if changes.is_empty() && !moved && !self.lost && !self.bell {
            return Ok(bytes);
        }
        queue!(bytes, BeginSynchronizedUpdate)?;
        if self.lost {
            queue!(bytes, Hide, Clear(ClearType::All))?;
        } else if self.cursor.is_some() && !changes.is_empty() {
            queue!(bytes, Hide)?;
        }
        CrosstermBackend::new(&mut bytes).draw(changes.into_iter())?;
        match cursor {
            Some(position) => queue!(bytes, MoveTo(position.x, position.y), Show)?,
            None if self.cursor.is_some() => queue!(bytes, Hide)?,
            None => {}
        }
        if std::mem::take(&mut self.bell) {
            queue!(bytes, Print('\u{7}'))?;
        }
        queue!(bytes, EndSynchronizedUpdate)?;
        self.cursor = cursor;
        self.lost = false;
        std::mem::swap(&mut self.shown, &mut self.next);
        Ok(bytes)
    }
}
