//! What can happen to the screen, and what it can ask for.

use callgate_agent::{Command, Envelope};

/// Milliseconds on the screen's own clock, which never runs backwards.
pub(crate) type Millis = u64;

/// Columns and rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) width: u16,
    pub(crate) height: u16,
}

/// A key without its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Code {
    Char(char),
    Enter,
    Esc,
    Tab,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    F(u8),
}

/// A key as it was pressed. Shift is part of the character, except on keys that are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) code: Code,
    pub(crate) ctrl: bool,
    pub(crate) alt: bool,
    pub(crate) shift: bool,
}

impl Key {
    pub(crate) const fn plain(code: Code) -> Self {
        Self { code, ctrl: false, alt: false, shift: false }
    }
}

/// One thing that happened. Time enters the state by [`Msg::Now`] and by nothing else.
#[derive(Debug, Clone)]
pub(crate) enum Msg {
    /// The clock stands here.
    Now(Millis),
    /// A key went down, or repeats.
    Key(Key),
    /// Enter or Tab that came at once with the characters before it: of a paste that the terminal did
    /// not mark.
    InText(Key),
    /// Text was pasted.
    Paste(String),
    /// The terminal has this size now.
    Resize(Size),
    /// The engine reports.
    Engine(Box<Envelope>),
    /// The engine is gone and will report nothing more.
    EngineGone,
    /// A frame was drawn, and these extents came out.
    Drawn(Metrics),
}

/// What the view found while it drew, so that the state can scroll without wrapping text itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Metrics {
    /// The row at the top of the conversation, if the conversation was drawn.
    pub(crate) conversation: Option<Placed>,
    /// The text in the work pane.
    pub(crate) work: Option<Extent>,
    /// The approval card.
    pub(crate) approval: Option<Extent>,
    /// The help.
    pub(crate) help: Option<Extent>,
}

/// Where the conversation came to stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placed {
    /// The entry at the top.
    pub(crate) entry: usize,
    /// Its row at the top.
    pub(crate) row: usize,
    /// Whether the last row is in sight.
    pub(crate) at_end: bool,
    /// Rows in sight.
    pub(crate) height: usize,
}

/// A scrolled text: where it stands, how much is seen, how much there is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) top: usize,
    pub(crate) height: usize,
    pub(crate) total: usize,
    /// A row worth going to: where text was cut out.
    pub(crate) mark: Option<usize>,
}

impl Extent {
    /// Whether the last row is in sight.
    pub(crate) const fn at_end(self) -> bool {
        self.height > 0 && self.top + self.height >= self.total
    }
}

/// What the state asks of the world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
    /// An order to the engine.
    Send(Command),
    /// Draw every cell anew; something else wrote on the screen.
    Repaint,
    /// Give the terminal back to the shell until it is continued.
    Suspend,
    /// Ring.
    Bell,
    /// Leave.
    Quit,
}
