//! How roles and states look. Named colours only, so that the terminal's own palette decides.

use ratatui::style::{Color, Modifier, Style};

use super::text::Role;

/// Colours and glyphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Theme {
    colour: bool,
    pub(crate) glyphs: &'static Glyphs,
}

/// The characters of the chrome. None of them may be drawn as an emoji.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Glyphs {
    pub(crate) queued: &'static str,
    pub(crate) waiting: &'static str,
    pub(crate) running: &'static str,
    pub(crate) done: &'static str,
    pub(crate) failed: &'static str,
    pub(crate) stopped: &'static str,
    pub(crate) spilled: &'static str,
    pub(crate) bar_waiting: &'static str,
    pub(crate) bar_running: &'static str,
    pub(crate) bar_head: &'static str,
    pub(crate) bar_done: &'static str,
    pub(crate) bar_failed: &'static str,
    pub(crate) barrier: &'static str,
    pub(crate) down: &'static str,
    /// Top left, top right, bottom left, bottom right, horizontal, vertical; thin and thick.
    pub(crate) thin: [&'static str; 6],
    pub(crate) thick: [&'static str; 6],
}

const UNICODE: Glyphs = Glyphs {
    queued: "○",
    waiting: "◔",
    running: "●",
    done: "✓",
    failed: "✗",
    stopped: "⊘",
    spilled: "⇣",
    bar_waiting: "░",
    bar_running: "▓",
    bar_head: "▸",
    bar_done: "█",
    bar_failed: "▒",
    barrier: "═",
    down: "↓",
    thin: ["┌", "┐", "└", "┘", "─", "│"],
    thick: ["┏", "┓", "┗", "┛", "━", "┃"],
};

const ASCII: Glyphs = Glyphs {
    queued: ".",
    waiting: ":",
    running: ">",
    done: "+",
    failed: "x",
    stopped: "!",
    spilled: "v",
    bar_waiting: ".",
    bar_running: "=",
    bar_head: ">",
    bar_done: "#",
    bar_failed: "%",
    barrier: "=",
    down: "v",
    thin: ["+", "+", "+", "+", "-", "|"],
    thick: ["#", "#", "#", "#", "=", "#"],
};

impl Theme {
    pub(crate) const fn new(colour: bool, unicode: bool) -> Self {
        Self { colour, glyphs: if unicode { &UNICODE } else { &ASCII } }
    }

    /// How a role looks. Without colour, weight and reversal say what colour would.
    pub(crate) fn style(self, role: Role) -> Style {
        let plain = Style::default();
        let (colour, modifier) = match role {
            Role::Text => return plain,
            Role::Muted | Role::Border => (Some(Color::DarkGray), Modifier::empty()),
            Role::Strong | Role::Focus => (None, Modifier::BOLD),
            Role::Emphasis => (None, Modifier::ITALIC),
            Role::Heading => (None, Modifier::BOLD.union(Modifier::UNDERLINED)),
            Role::Code => (Some(Color::Cyan), Modifier::empty()),
            Role::You => (Some(Color::Cyan), Modifier::BOLD),
            Role::Agent => (Some(Color::Magenta), Modifier::BOLD),
            Role::Accent => (Some(Color::Blue), Modifier::BOLD),
            Role::Ok => (Some(Color::Green), Modifier::empty()),
            Role::Warn => (Some(Color::Yellow), Modifier::empty()),
            Role::Error => (Some(Color::Red), Modifier::BOLD),
            Role::Info => (Some(Color::Blue), Modifier::empty()),
            Role::Selected => (None, Modifier::REVERSED),
        };
        let styled = plain.add_modifier(modifier);
        match colour.filter(|_| self.colour) {
            Some(colour) => styled.fg(colour),
            None => styled,
        }
    }
}
