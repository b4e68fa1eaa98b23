//! Keys as people write them.

use crate::tui::msg::{Code, Key};

/// Reads `ctrl-a`, `alt-enter`, `f1`, `pgup`, `G`; nothing if it is no key.
pub(crate) fn parse_chord(text: &str) -> Option<Key> {
    let mut key = Key::plain(Code::Esc);
    let mut rest = text;
    loop {
        if let Some(after) = rest.strip_prefix("ctrl-") {
            key.ctrl = true;
            rest = after;
        } else if let Some(after) = rest.strip_prefix("alt-") {
            key.alt = true;
            rest = after;
        } else if let Some(after) = rest.strip_prefix("shift-") {
            key.shift = true;
            rest = after;
        } else {
            break;
        }
    }
    key.code = code(rest)?;
    Some(key)
}

fn code(name: &str) -> Option<Code> {
    let mut chars = name.chars();
    if let (Some(only), None) = (chars.next(), chars.next()) {
        return Some(Code::Char(only));
    }
    if let Some(number) = name.strip_prefix('f') {
        return number.parse().ok().map(Code::F);
    }
    Some(match name {
        "enter" => Code::Enter,
        "esc" => Code::Esc,
        "tab" => Code::Tab,
        "space" => Code::Char(' '),
        "backspace" => Code::Backspace,
        "delete" => Code::Delete,
        "up" => Code::Up,
        "down" => Code::Down,
        "left" => Code::Left,
        "right" => Code::Right,
        "home" => Code::Home,
        "end" => Code::End,
        "pgup" => Code::PageUp,
        "pgdn" => Code::PageDown,
        _ => return None,
    })
}
