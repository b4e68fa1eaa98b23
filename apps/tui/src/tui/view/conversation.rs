//! The conversation. Only what is in sight is wrapped.

use std::{cmp::Ordering, rc::Rc};

use ratatui::layout::Rect;

use super::{Cache, Painter, cache::Source, words};
use crate::tui::{
    msg::Placed,
    state::{Anchor, Batch, Body, Call, Entry, Focus, State},
    text::{
        Piece, Role, Row, SafeText, ellipsize, render_markdown, safe_format, width_of, wrap_pieces,
    },
    theme::Glyphs,
};

/// Columns of the gutter that says who speaks.
const GUTTER: usize = 7;
/// Narrower than this, the gutter is a row of its own.
const NARROW: usize = 48;
/// Calls that a batch card names.
const CARD_CALLS: usize = 6;
/// Columns of a call's name in a batch card.
const CARD_NAME: usize = 48;

pub(super) fn draw(
    state: &State,
    cache: &mut Cache,
    painter: &mut Painter<'_>,
    area: Rect,
) -> Option<Placed> {
    let focused = state.focus == Focus::Conversation;
    let title = Row::of("Conversation", if focused { Role::Strong } else { Role::Text });
    let inner = painter.frame(area, &title, &place(state, painter.glyphs()), focused);
    let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    if inner.is_empty() || state.conversation.entries().is_empty() {
        return None;
    }
    let mut pages = Pages { state, cache, width: inner.width, glyphs: painter.glyphs() };
    let height = usize::from(inner.height);
    let end = pages.end(height);
    let top = pages.top(end).min(end);
    let (mut entry, mut skip) = (top.entry, top.row);
    let mut y = 0;
    while y < inner.height && entry < state.conversation.entries().len() {
        for row in pages.rows(entry).iter().skip(skip).take(usize::from(inner.height - y)) {
            painter.row(inner, y, row);
            y += 1;
        }
        entry += 1;
        skip = 0;
    }
    Some(Placed { entry: top.entry, row: top.row, at_end: top >= end, height })
}

/// Following, or how much came since.
fn place(state: &State, glyphs: &Glyphs) -> Row {
    let conversation = &state.conversation;
    if conversation.is_following() {
        return Row::of("follow", Role::Muted);
    }
    match conversation.unseen() {
        0 if conversation.is_writing() => Row {
            pieces: vec![Piece { text: safe_format!("{} more", glyphs.down), role: Role::Info }],
        },
        0 => Row::of("End follows", Role::Muted),
        new => Row {
            pieces: vec![Piece {
                text: safe_format!("{} {new} new", glyphs.down),
                role: Role::Info,
            }],
        },
    }
}

/// A row of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Spot {
    entry: usize,
    row: usize,
}

/// Entries as rows of one width.
struct Pages<'a> {
    state: &'a State,
    cache: &'a mut Cache,
    width: u16,
    glyphs: &'static Glyphs,
}

impl Pages<'_> {
    fn rows(&mut self, index: usize) -> Rc<[Row]> {
        let Some(entry) = self.state.conversation.entries().get(index) else {
            return Rc::new([]);
        };
        let batch = match entry.body {
            Body::Batch(number) => self.state.batches.get(number),
            _ => None,
        };
        let version = batch.map_or(entry.version, |batch| batch.version);
        let width = usize::from(self.width);
        let glyphs = self.glyphs;
        self.cache.rows(Source::Entry(entry.id), (version, self.width), || {
            let mut rows = match batch {
                Some(batch) => card(batch, width, glyphs),
                None => said(entry, width),
            };
            rows.push(Row::default());
            rows
        })
    }

    /// The top row when the last row is at the bottom.
    fn end(&mut self, height: usize) -> Spot {
        let mut entry = self.state.conversation.entries().len();
        // The empty row after the last entry need not be seen.
        let mut left = height + 1;
        while let Some(before) = entry.checked_sub(1) {
            entry = before;
            let rows = self.rows(entry).len();
            if rows >= left {
                return Spot { entry, row: rows - left };
            }
            left -= rows;
        }
        Spot { entry: 0, row: 0 }
    }

    /// The top row that the state asks for.
    fn top(&mut self, end: Spot) -> Spot {
        let last = self.state.conversation.entries().len().saturating_sub(1);
        let start = match self.state.conversation.anchor {
            Anchor::Follow => end,
            Anchor::At { entry, row } => {
                let entry = entry.min(last);
                Spot { entry, row: row.min(self.rows(entry).len().saturating_sub(1)) }
            }
        };
        let shift = self.state.conversation.shift;
        match shift.cmp(&0) {
            Ordering::Less => self.up(start, shift.unsigned_abs()),
            Ordering::Equal => start,
            Ordering::Greater => self.down(start, shift.unsigned_abs(), end),
        }
    }

    fn up(&mut self, from: Spot, mut by: usize) -> Spot {
        let mut spot = from;
        while by > spot.row {
            by -= spot.row + 1;
            let Some(before) = spot.entry.checked_sub(1) else {
                return Spot { entry: 0, row: 0 };
            };
            spot = Spot { entry: before, row: self.rows(before).len().saturating_sub(1) };
        }
        Spot { row: spot.row - by, ..spot }
    }

    fn down(&mut self, from: Spot, mut by: usize, end: Spot) -> Spot {
        let mut spot = from;
        while spot < end {
            let left = self.rows(spot.entry).len().saturating_sub(spot.row);
            if by < left {
                return Spot { row: spot.row + by, ..spot };
            }
            by -= left;
            spot = Spot { entry: spot.entry + 1, row: 0 };
        }
        end
    }
}

fn said(entry: &Entry, width: usize) -> Vec<Row> {
    match &entry.body {
        Body::You(text) => {
            spoken("you", Role::You, width, |width| plain(text, Role::Strong, width))
        }
        Body::Agent(text) => {
            spoken("agent", Role::Agent, width, |width| render_markdown(text, width))
        }
        Body::Thinking(text) => vec![thinking(text, width)],
        Body::Notice(text) => {
            spoken("note", Role::Info, width, |width| plain(text, Role::Text, width))
        }
        Body::Error(text) => {
            spoken("error", Role::Error, width, |width| plain(text, Role::Text, width))
        }
        Body::Summary(text) => plain(text, Role::Muted, width),
        Body::Batch(number) => {
            vec![Row {
                pieces: vec![Piece { text: safe_format!("batch {number}"), role: Role::Muted }],
            }]
        }
    }
}

fn plain(text: &SafeText, role: Role, width: usize) -> Vec<Row> {
    crate::tui::text::wrap_text(text, role, width)
}

/// Who speaks stands in the gutter; where that takes too much room, on a row of its own.
fn spoken(
    who: &'static str,
    role: Role,
    width: usize,
    wrap: impl FnOnce(usize) -> Vec<Row>,
) -> Vec<Row> {
    if width < NARROW {
        let mut rows = vec![Row::of(who, role)];
        rows.extend(wrap(width));
        return rows;
    }
    let blank = Piece { text: safe_format!("{:GUTTER$}", ""), role: Role::Text };
    let label = Piece { text: safe_format!("{who:GUTTER$}"), role };
    let mut rows = wrap(width - GUTTER);
    if rows.is_empty() {
        rows.push(Row::default());
    }
    for (index, row) in rows.iter_mut().enumerate() {
        if index == 0 {
            row.pieces.insert(0, label.clone());
        } else if !row.pieces.is_empty() {
            row.pieces.insert(0, blank.clone());
        }
    }
    rows
}

fn thinking(text: &SafeText, width: usize) -> Row {
    let last = text.lines().rev().find(|line| !line.as_str().trim().is_empty());
    let head =
        safe_format!("thinks {} chars  ", words::grouped(text.as_str().chars().count() as u64));
    let room = width.saturating_sub(width_of(head.as_str()));
    let tail = last.map(|line| ellipsize(line, room)).unwrap_or_default();
    Row {
        pieces: vec![
            Piece { text: ellipsize(&head, width), role: Role::Muted },
            Piece { text: tail, role: Role::Emphasis },
        ],
    }
}

/// The batch in a few rows. It shows no running clock, so that it is only wrapped when it changes.
fn card(batch: &Batch, width: usize, glyphs: &Glyphs) -> Vec<Row> {
    let mut head = Row {
        pieces: vec![Piece {
            text: safe_format!(
                "  batch {}  {}  ",
                batch.number,
                words::calls(batch.of.max(batch.calls.len()))
            ),
            role: Role::Accent,
        }],
    };
    head.pieces.extend(words::counts(batch.counts()).pieces);
    let mut rows: Vec<Row> = wrap_pieces(&head.pieces, width, &[], &[]);
    rows.extend(batch.calls.iter().take(CARD_CALLS).map(|call| card_row(call, width, glyphs)));
    if let Some(more) = batch.calls.len().checked_sub(CARD_CALLS).filter(|more| *more > 0) {
        let text = ellipsize(&safe_format!("    … {more} more"), width);
        rows.push(Row { pieces: vec![Piece { text, role: Role::Muted }] });
    }
    rows
}

fn card_row(call: &Call, width: usize, glyphs: &Glyphs) -> Row {
    let role = words::role(call.phase());
    let glyph = safe_format!("    {} ", words::glyph(call.phase(), glyphs));
    let state = words::still(call);
    let taken = width_of(glyph.as_str()) + 2 + width_of(state.as_str());
    let room = width.saturating_sub(taken).min(CARD_NAME);
    let name =
        safe_format!("{} {} {}", call.label().as_str(), call.name.as_str(), call.subject.as_str());
    let name = ellipsize(&name, room);
    let pad = safe_format!("{:1$}", "", room.saturating_sub(width_of(name.as_str())) + 2);
    let pieces = vec![
        Piece { text: glyph, role },
        Piece { text: name, role: Role::Text },
        Piece { text: pad, role: Role::Text },
        Piece { text: state, role },
    ];
    wrap_pieces(&pieces, width, &[], &[]).into_iter().next().unwrap_or_default()
}
