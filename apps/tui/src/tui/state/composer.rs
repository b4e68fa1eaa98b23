//! The text that the person writes.

use unicode_segmentation::UnicodeSegmentation;

/// Prompts that are remembered.
const HISTORY: usize = 500;

/// An editor of one text, with the caret between graphemes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Composer {
    text: String,
    caret: usize,
    killed: String,
    history: Vec<String>,
    /// Where in the history the person is, and what they had written before.
    recalled: Option<(usize, String)>,
}

impl Composer {
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) const fn caret(&self) -> usize {
        self.caret
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    fn before(&self) -> &str {
        self.text.get(..self.caret).unwrap_or_default()
    }

    fn after(&self) -> &str {
        self.text.get(self.caret..).unwrap_or_default()
    }

    /// Inserts text as typed or pasted: without control characters, which no prompt needs.
    pub(crate) fn insert(&mut self, raw: &str) {
        let raw = raw.replace("\u{1b}[201~", "").replace("\r\n", "\n").replace('\r', "\n");
        let kept: String =
            raw.replace('\t', "    ").chars().filter(|c| *c == '\n' || !c.is_control()).collect();
        self.text.insert_str(self.caret, &kept);
        self.caret += kept.len();
    }

    /// Takes the text to send it; it goes into the history.
    pub(crate) fn take(&mut self) -> String {
        let text = std::mem::take(&mut self.text);
        self.caret = 0;
        self.recalled = None;
        self.remember(&text);
        text
    }

    /// Puts prompts that were not taken up before what is being written.
    pub(crate) fn put_back(&mut self, prompts: impl Iterator<Item = String>) {
        let mut texts: Vec<String> = prompts.collect();
        if texts.is_empty() {
            return;
        }
        if !self.text.trim().is_empty() {
            texts.push(std::mem::take(&mut self.text));
        }
        self.recalled = None;
        self.set(texts.join("\n\n"));
    }

    fn remember(&mut self, text: &str) {
        if !text.trim().is_empty() && self.history.last().is_none_or(|last| last != text) {
            self.history.push(text.to_owned());
            if self.history.len() > HISTORY {
                self.history.remove(0);
            }
        }
    }

    pub(crate) fn left(&mut self) {
        self.caret -= last_grapheme(self.before());
    }

    pub(crate) fn right(&mut self) {
        self.caret += first_grapheme(self.after());
    }

    pub(crate) fn word_left(&mut self) {
        self.caret = word_start(self.before());
    }

    pub(crate) fn word_right(&mut self) {
        self.caret += word_end(self.after());
    }

    pub(crate) fn line_start(&mut self) {
        self.caret = self.before().rfind('\n').map_or(0, |newline| newline + 1);
    }

    pub(crate) fn line_end(&mut self) {
        self.caret += self.after().find('\n').unwrap_or_else(|| self.after().len());
    }

    pub(crate) fn delete_left(&mut self) {
        let start = self.caret - last_grapheme(self.before());
        self.remove(start, self.caret);
    }

    pub(crate) fn delete_right(&mut self) {
        let end = self.caret + first_grapheme(self.after());
        self.remove(self.caret, end);
    }

    pub(crate) fn delete_word_left(&mut self) {
        let start = word_start(self.before());
        self.killed = self.remove(start, self.caret);
    }

    pub(crate) fn delete_word_right(&mut self) {
        let end = self.caret + word_end(self.after());
        self.killed = self.remove(self.caret, end);
    }

    /// Kills to the end of the line; at the end of a line, the line end itself.
    pub(crate) fn kill_to_end(&mut self) {
        let length = match self.after().find('\n') {
            Some(0) => 1,
            Some(newline) => newline,
            None => self.after().len(),
        };
        self.killed = self.remove(self.caret, self.caret + length);
    }

    pub(crate) fn kill_to_start(&mut self) {
        let end = self.caret;
        self.line_start();
        self.killed = self.remove(self.caret, end);
    }

    pub(crate) fn yank(&mut self) {
        let killed = self.killed.clone();
        self.insert(&killed);
    }

    /// Clears the text into the history.
    pub(crate) fn clear(&mut self) {
        self.take();
    }

    fn remove(&mut self, start: usize, end: usize) -> String {
        self.caret = start;
        self.text.drain(start..end).collect()
    }

    /// One line up, or at the first line the prompt before.
    pub(crate) fn up(&mut self) {
        let column = self.column();
        let Some(newline) = self.before().rfind('\n') else { return self.older() };
        self.caret = newline;
        self.line_start();
        self.go_to_column(column);
    }

    /// One line down, or at the last line the prompt after.
    pub(crate) fn down(&mut self) {
        let column = self.column();
        let Some(newline) = self.after().find('\n') else { return self.newer() };
        self.caret += newline + 1;
        self.go_to_column(column);
    }

    fn column(&self) -> usize {
        let line = self.before().rsplit('\n').next().unwrap_or_default();
        line.graphemes(true).count()
    }

    fn go_to_column(&mut self, column: usize) {
        let line = self.after().split('\n').next().unwrap_or_default();
        self.caret += line.graphemes(true).take(column).map(str::len).sum::<usize>();
    }

    fn older(&mut self) {
        let at = self.recalled.as_ref().map_or(self.history.len(), |(at, _)| *at);
        let Some(at) = at.checked_sub(1) else { return };
        let Some(text) = self.history.get(at).cloned() else { return };
        let draft = match self.recalled.take() {
            Some((_, draft)) => draft,
            None => std::mem::take(&mut self.text),
        };
        self.recalled = Some((at, draft));
        self.set(text);
    }

    fn newer(&mut self) {
        let Some((at, draft)) = self.recalled.take() else { return };
        if let Some(text) = self.history.get(at + 1).cloned() {
            self.recalled = Some((at + 1, draft));
            self.set(text);
        } else {
            self.set(draft);
        }
    }

    fn set(&mut self, text: String) {
        self.caret = text.len();
        self.text = text;
    }
}

fn last_grapheme(text: &str) -> usize {
    text.graphemes(true).next_back().map_or(0, str::len)
}

fn first_grapheme(text: &str) -> usize {
    text.graphemes(true).next().map_or(0, str::len)
}

/// Where the last word begins.
fn word_start(text: &str) -> usize {
    let words = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    words.trim_end_matches(char::is_alphanumeric).len()
}

/// Where the first word ends.
fn word_end(text: &str) -> usize {
    let word = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    text.len() - word.trim_start_matches(char::is_alphanumeric).len()
}
