//! Simple Markdown as rows: headings, emphasis, lists, quotes, code.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};

use super::{Piece, Role, Row, SafeStr, SafeText, safe_format, wrap_pieces};

/// Deepest nesting that is indented; deeper blocks stay at this depth.
const MAX_INDENT: usize = 8;

/// Renders Markdown in `width` columns.
pub(crate) fn render(text: &SafeText, width: usize) -> Vec<Row> {
    let mut writer = Writer { width, ..Writer::default() };
    for event in Parser::new(text.as_str()) {
        writer.event(event);
    }
    writer.flush();
    while writer.rows.last().is_some_and(|row| row.pieces.is_empty()) {
        writer.rows.pop();
    }
    writer.rows
}

/// A list that is open, with the number of its next item if it counts.
type List = Option<u64>;

#[derive(Default)]
struct Writer {
    width: usize,
    rows: Vec<Row>,
    line: Vec<Piece>,
    lists: Vec<List>,
    quotes: usize,
    marker: Option<SafeText>,
    roles: Vec<Role>,
    code: Option<String>,
    link: Vec<String>,
}

impl Writer {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.push(&text, self.role()),
            },
            Event::Code(code) => self.push(&code, Role::Code),
            Event::Html(text) | Event::InlineHtml(text) => self.html(&text),
            Event::SoftBreak => self.push(" ", self.role()),
            Event::HardBreak => self.flush(),
            Event::Rule => {
                self.gap();
                self.line.push(Piece::new("────────", Role::Muted));
                self.flush();
            }
            _ => {}
        }
    }

    /// Markup that a browser would obey is shown as it stands.
    fn html(&mut self, text: &str) {
        let mut lines = text.split('\n').peekable();
        while let Some(line) = lines.next() {
            self.push(line, Role::Muted);
            if lines.peek().is_some() {
                self.flush();
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.gap(),
            Tag::Heading { level, .. } => {
                self.gap();
                self.roles.push(Role::Heading);
                if level > HeadingLevel::H2 {
                    self.push("· ", Role::Muted);
                }
            }
            Tag::BlockQuote(_) => {
                self.gap();
                self.quotes += 1;
            }
            Tag::CodeBlock(kind) => {
                self.gap();
                self.flush();
                if let CodeBlockKind::Fenced(language) = kind {
                    self.code_row(SafeText::first_line(&language).borrow(), Role::Muted, "┌ ");
                }
                self.code = Some(String::new());
            }
            Tag::List(first) => {
                self.flush();
                if self.lists.is_empty() {
                    self.gap();
                }
                self.lists.push(first);
            }
            Tag::Item => self.item(),
            Tag::Emphasis => self.roles.push(Role::Emphasis),
            Tag::Strong => self.roles.push(Role::Strong),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.link.push(dest_url.into_string());
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::Item | TagEnd::HtmlBlock => self.flush(),
            TagEnd::Heading(_) => {
                self.flush();
                self.roles.pop();
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
            }
            TagEnd::CodeBlock => self.code_block(),
            TagEnd::Emphasis | TagEnd::Strong => {
                self.roles.pop();
            }
            TagEnd::Link | TagEnd::Image => self.end_link(),
            _ => {}
        }
    }

    /// Where a link leads is always shown, so that its text cannot lie.
    fn end_link(&mut self) {
        let Some(url) = self.link.pop() else { return };
        let url = SafeText::first_line(&url);
        if self.line.last().is_none_or(|piece| piece.text != url) {
            self.line.push(Piece { text: safe_format!(" ({})", url.as_str()), role: Role::Muted });
        }
    }

    fn item(&mut self) {
        self.flush();
        self.marker = Some(match self.lists.last_mut() {
            Some(Some(number)) => {
                let marker = safe_format!("{number}. ");
                *number += 1;
                marker
            }
            _ => SafeText::clean("• "),
        });
    }

    fn code_block(&mut self) {
        let code = self.code.take().unwrap_or_default();
        for line in SafeText::reveal(code.trim_end_matches('\n')).lines() {
            self.code_row(line, Role::Code, "│ ");
        }
    }

    fn code_row(&mut self, line: SafeStr<'_>, role: Role, bar: &'static str) {
        let mut prefix = self.indent();
        prefix.push(Piece::new(bar, Role::Muted));
        let rows = wrap_pieces(&[Piece::new(line, role)], self.width, &prefix, &prefix);
        self.rows.extend(rows);
    }

    fn role(&self) -> Role {
        self.roles.last().copied().unwrap_or_default()
    }

    /// The parser decodes entities such as `&#27;`, so its output is made safe again.
    fn push(&mut self, text: &str, role: Role) {
        self.line.push(Piece { text: SafeText::reveal(text), role });
    }

    /// An empty row between blocks, but not inside of an item.
    fn gap(&mut self) {
        self.flush();
        let empty = self.rows.last().is_none_or(|row| row.pieces.is_empty());
        if !empty && self.lists.is_empty() {
            self.rows.push(Row::default());
        }
    }

    fn indent(&self) -> Vec<Piece> {
        let quotes =
            std::iter::repeat_n(Piece::new("▏ ", Role::Muted), self.quotes.min(MAX_INDENT));
        let lists =
            std::iter::repeat_n(Piece::new("  ", Role::Text), self.lists.len().min(MAX_INDENT));
        quotes.chain(lists).collect()
    }

    fn flush(&mut self) {
        if self.line.is_empty() {
            return;
        }
        let rest = self.indent();
        let mut first = rest.clone();
        if let Some(marker) = self.marker.take() {
            first.pop();
            first.push(Piece { text: marker, role: Role::Muted });
        }
        let line = std::mem::take(&mut self.line);
        self.rows.extend(wrap_pieces(&line, self.width, &first, &rest));
    }
}
