//! What the terminal sends, in our words.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::tui::msg::{Code, Key};

/// Something that the person or the terminal did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Input {
    Key(Key),
    Paste(String),
}

/// Releases of keys, which some terminals report, are no input. Nor are new sizes: crossterm loses one
/// that comes together with a key, so they are taken from the signal.
pub(super) fn read(event: Event) -> Option<Input> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => read_key(key).map(Input::Key),
        Event::Paste(text) => Some(Input::Paste(text)),
        _ => None,
    }
}

fn read_key(key: KeyEvent) -> Option<Key> {
    let mut shift = key.modifiers.contains(KeyModifiers::SHIFT);
    let code = match key.code {
        KeyCode::Char(c) => Code::Char(c),
        KeyCode::Enter => Code::Enter,
        KeyCode::Esc => Code::Esc,
        KeyCode::Tab => Code::Tab,
        KeyCode::BackTab => {
            shift = true;
            Code::Tab
        }
        KeyCode::Backspace => Code::Backspace,
        KeyCode::Delete => Code::Delete,
        KeyCode::Up => Code::Up,
        KeyCode::Down => Code::Down,
        KeyCode::Left => Code::Left,
        KeyCode::Right => Code::Right,
        KeyCode::Home => Code::Home,
        KeyCode::End => Code::End,
        KeyCode::PageUp => Code::PageUp,
        KeyCode::PageDown => Code::PageDown,
        KeyCode::F(number) => Code::F(number),
        _ => return None,
    };
    let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    Some(Key { code, ctrl, alt, shift })
}
