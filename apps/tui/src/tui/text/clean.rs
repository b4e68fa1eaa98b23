//! The machine that makes text safe, piece by piece.

use unicode_width::UnicodeWidthChar;

use super::SafeText;

/// Longest string sequence (OSC, DCS, APC, PM, SOS) that is swallowed, in characters. An
/// unterminated one must not hide what comes after it; real ones, pictures included, are shorter
/// or come as text anyway.
const MAX_STRING: usize = 64 * 1024;
/// Longest CSI sequence that is swallowed, in characters.
const MAX_CSI: usize = 256;
/// Marks that may sit on one base character; writing systems need at most about this many.
const MAX_MARKS: usize = 6;
/// Columns between tab stops.
const TAB: usize = 4;

/// Where in an escape sequence the text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Ground,
    Escape,
    Intermediate,
    Csi { left: usize },
    Text { left: usize, osc: bool },
}

/// Makes text safe; remembers across pieces, since a sequence may be cut anywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cleaner {
    at: At,
    obey: bool,
    carriage: bool,
    column: usize,
    marks: usize,
    last: char,
}

impl Cleaner {
    /// One that obeys carriage returns and backspaces, and takes escape sequences out.
    pub(crate) const fn reading() -> Self {
        Self { at: At::Ground, obey: true, carriage: false, column: 0, marks: 0, last: '\n' }
    }

    /// One that shows them.
    pub(crate) const fn revealing() -> Self {
        Self { at: At::Ground, obey: false, carriage: false, column: 0, marks: 0, last: '\n' }
    }

    /// Appends `raw`, made safe.
    pub(crate) fn push(&mut self, raw: &str, into: &mut SafeText) {
        into.text.reserve(raw.len());
        for c in raw.chars() {
            if self.obey {
                self.step(c, into);
            } else {
                self.show(c, into);
            }
        }
    }

    fn step(&mut self, c: char, into: &mut SafeText) {
        match self.at {
            At::Ground => self.ground(c, into),
            At::Escape => self.escape(c, into),
            At::Intermediate => match c {
                ' '..='/' => {}
                _ => self.resume(c, into, ('0'..='~').contains(&c)),
            },
            At::Csi { left } => match c {
                ' '..='?' if left > 0 => self.at = At::Csi { left: left - 1 },
                _ => self.resume(c, into, ('@'..='~').contains(&c)),
            },
            At::Text { left, osc } => match c {
                '\u{7}' | '\u{18}' | '\u{1a}' | '\u{9c}' => self.at = At::Ground,
                '\u{1b}' => self.at = At::Escape,
                '\n' if osc => self.resume(c, into, false),
                _ if left == 0 => self.resume(c, into, false),
                _ => self.at = At::Text { left: left - 1, osc },
            },
        }
    }

    /// Ends a sequence; `c` was its last character, or else is text again.
    fn resume(&mut self, c: char, into: &mut SafeText, last: bool) {
        self.at = At::Ground;
        if !last {
            self.ground(c, into);
        }
    }

    fn escape(&mut self, c: char, into: &mut SafeText) {
        match c {
            '[' => self.at = At::Csi { left: MAX_CSI },
            ']' => self.at = At::Text { left: MAX_STRING, osc: true },
            'P' | 'X' | '^' | '_' => self.at = At::Text { left: MAX_STRING, osc: false },
            ' '..='/' => self.at = At::Intermediate,
            '\u{1b}' => into.removed += 1,
            _ => self.resume(c, into, ('0'..='~').contains(&c)),
        }
    }

    fn ground(&mut self, c: char, into: &mut SafeText) {
        match c {
            '\r' => {
                self.carriage = true;
                return;
            }
            '\u{8}' => return self.back(into),
            '\u{1b}' => self.at = At::Escape,
            '\u{9b}' => self.at = At::Csi { left: MAX_CSI },
            '\u{9d}' => self.at = At::Text { left: MAX_STRING, osc: true },
            '\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}' => {
                self.at = At::Text { left: MAX_STRING, osc: false };
            }
            '\n' | '\t' => return self.print(c, into),
            _ if c.is_control() => {}
            _ => return self.print(c, into),
        }
        into.removed += 1;
    }

    /// A lone carriage return starts the line anew, as a progress bar means it.
    fn print(&mut self, c: char, into: &mut SafeText) {
        if std::mem::take(&mut self.carriage) && c != '\n' {
            let start = into.text.rfind('\n').map_or(0, |newline| newline + 1);
            into.text.truncate(start);
            self.column = 0;
            self.recall(into);
        }
        self.put(c, into);
    }

    fn back(&mut self, into: &mut SafeText) {
        while let Some(c) = into.text.chars().next_back().filter(|c| *c != '\n') {
            into.text.pop();
            let width = c.width().unwrap_or(0);
            self.column = self.column.saturating_sub(width);
            if width > 0 {
                break;
            }
        }
        self.recall(into);
    }

    /// After text was taken back, what comes next stands behind what is left.
    fn recall(&mut self, into: &SafeText) {
        self.last = into.text.chars().next_back().unwrap_or('\n');
        let unseen = |c: &char| *c != '\n' && c.width().unwrap_or(0) == 0;
        self.marks = into.text.chars().rev().take(MAX_MARKS).take_while(unseen).count();
    }

    fn show(&mut self, c: char, into: &mut SafeText) {
        // A Windows line end is no trick; a lone carriage return is.
        if std::mem::take(&mut self.carriage) && c != '\n' {
            self.picture('\r', into);
        }
        match c {
            '\r' => self.carriage = true,
            '\n' | '\t' => self.put(c, into),
            _ if c.is_control() => self.picture(c, into),
            _ => self.put(c, into),
        }
    }

    /// Shows a control character as its picture or its code point.
    fn picture(&mut self, c: char, into: &mut SafeText) {
        into.revealed += 1;
        let picture = match u32::from(c) {
            code @ 0..0x20 => char::from_u32(0x2400 + code),
            0x7f => Some('\u{2421}'),
            _ => None,
        };
        if let Some(picture) = picture {
            into.text.push(picture);
            self.column += 1;
        } else {
            self.name(c, into);
        }
    }

    fn name(&mut self, c: char, into: &mut SafeText) {
        let name = format!("<U+{:04X}>", u32::from(c));
        self.column += name.len();
        into.text.push_str(&name);
        self.last = '>';
        self.marks = 0;
    }

    fn put(&mut self, c: char, into: &mut SafeText) {
        match c {
            '\n' => {
                into.text.push('\n');
                self.column = 0;
            }
            '\t' => {
                let blanks = TAB - self.column % TAB;
                into.text.extend(std::iter::repeat_n(' ', blanks));
                self.column += blanks;
            }
            // Terminals disagree on the width that this selector asks for.
            '\u{fe0f}' => return,
            _ if self.hides(c) => {
                into.revealed += 1;
                return self.name(c, into);
            }
            _ => {
                let width = c.width().unwrap_or(0);
                self.marks = if width == 0 { self.marks + 1 } else { 0 };
                if self.marks > MAX_MARKS {
                    into.removed += 1;
                    return;
                }
                into.text.push(c);
                self.column += width;
            }
        }
        self.last = c;
    }

    /// Whether `c` would change what is seen without being seen.
    const fn hides(&self, c: char) -> bool {
        match c {
            // Joiners are part of words and of emoji, but not between Latin letters.
            '\u{200c}' | '\u{200d}' => !self.obey || self.last.is_ascii(),
            '\u{ad}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0e}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}' => true,
            _ => false,
        }
    }
}
