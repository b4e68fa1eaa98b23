//! Pastes that the terminal does not mark as such.

use std::time::Duration;

use tokio::time::Instant;

use crate::tui::msg::{Code, Key};

/// Nobody presses Enter this soon after a letter: the quickest typists need some 30 ms.
const TOO_SOON: Duration = Duration::from_millis(8);

/// Tells keys that are part of a text from keys that are pressed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Burst {
    last: Option<Instant>,
}

impl Burst {
    /// Whether this Enter or Tab, which came at `now`, belongs to the text before it.
    pub(crate) fn joins(&mut self, key: Key, now: Instant) -> bool {
        let text = matches!(key.code, Code::Char(_)) && !key.ctrl && !key.alt;
        let blank = key == Key::plain(Code::Enter) || key == Key::plain(Code::Tab);
        let soon = self.last.is_some_and(|last| now.duration_since(last) < TOO_SOON);
        let joins = blank && soon;
        self.last = (text || joins).then_some(now);
        joins
    }

    /// Everything that had come was taken in: what comes next is pressed.
    pub(crate) const fn end(&mut self) {
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enter_belongs_to_a_text_that_came_with_it_and_not_to_one_that_came_before() {
        let (mut burst, start) = (Burst::default(), Instant::now());
        let at = |ms| start + Duration::from_millis(ms);
        let (letter, enter) = (Key::plain(Code::Char('a')), Key::plain(Code::Enter));
        assert!(!burst.joins(enter, at(0)), "nothing came before it");
        assert!(!burst.joins(letter, at(1)));
        assert!(burst.joins(enter, at(2)));
        assert!(burst.joins(enter, at(3)), "an empty line of the text");
        assert!(!burst.joins(letter, at(4)));
        assert!(!burst.joins(enter, at(12)), "a person pressed it");
        assert!(!burst.joins(letter, at(13)));
        burst.end();
        assert!(!burst.joins(enter, at(14)), "another read");
        assert!(!burst.joins(letter, at(15)));
        assert!(!burst.joins(Key { alt: true, ..letter }, at(16)));
        assert!(!burst.joins(enter, at(17)), "a command came before it, no text");
    }
}
