//! The brush: puts safe text, and nothing else, on cells.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::tui::{
    msg::Extent,
    text::{Role, Row, SafeStr, ellipsize, width_of},
    theme::{Glyphs, Theme},
};

/// Draws on a buffer, never outside of it.
pub(super) struct Painter<'a> {
    buffer: &'a mut Buffer,
    theme: Theme,
}

impl<'a> Painter<'a> {
    pub(super) const fn new(buffer: &'a mut Buffer, theme: Theme) -> Self {
        Self { buffer, theme }
    }

    pub(super) const fn glyphs(&self) -> &'static Glyphs {
        self.theme.glyphs
    }

    /// Rows of the whole screen.
    pub(super) const fn height(&self) -> u16 {
        self.buffer.area.height
    }

    /// Puts text at column `x` of the area's row `y`, cut at its right edge; returns the next column.
    pub(super) fn put<'t>(
        &mut self,
        area: Rect,
        at: (u16, u16),
        text: impl Into<SafeStr<'t>>,
        role: Role,
    ) -> u16 {
        let (x, y) = at;
        let visible = area.intersection(self.buffer.area);
        let (column, row) = (area.x.saturating_add(x), area.y.saturating_add(y));
        if !visible.contains((column, row).into()) {
            return x;
        }
        let room = usize::from(visible.right() - column);
        let style = self.theme.style(role);
        let (next, _) = self.buffer.set_stringn(column, row, text.into().as_str(), room, style);
        next - area.x
    }

    /// Puts text in at most `width` columns, ending in `…` where it is longer.
    pub(super) fn put_within<'t>(
        &mut self,
        area: Rect,
        at: (u16, u16),
        width: u16,
        (text, role): (impl Into<SafeStr<'t>>, Role),
    ) -> u16 {
        let room = width.min(area.width.saturating_sub(at.0));
        let text = ellipsize(text, usize::from(room));
        self.put(area, at, &text, role)
    }

    /// Puts text at the right edge, if it fits right of column `after`.
    pub(super) fn put_right<'t>(
        &mut self,
        area: Rect,
        (after, y): (u16, u16),
        text: impl Into<SafeStr<'t>>,
        role: Role,
    ) {
        let text = text.into();
        let width = u16::try_from(width_of(text.as_str())).unwrap_or(u16::MAX);
        if let Some(x) = area.width.checked_sub(width).filter(|x| *x >= after) {
            self.put(area, (x, y), text, role);
        }
    }

    pub(super) fn row(&mut self, area: Rect, y: u16, row: &Row) -> u16 {
        let mut x = 0;
        for piece in &row.pieces {
            x = self.put(area, (x, y), &piece.text, piece.role);
        }
        x
    }

    /// Puts rows from `top` on, as many as fit.
    pub(super) fn rows(&mut self, area: Rect, rows: &[Row], top: usize) -> Extent {
        let height = usize::from(area.height);
        let top = top.min(rows.len().saturating_sub(height));
        for (y, row) in (0..area.height).zip(rows.iter().skip(top)) {
            self.row(area, y, row);
        }
        Extent { top, height, total: rows.len(), mark: None }
    }

    /// Repeats a glyph of one column.
    pub(super) fn line(
        &mut self,
        area: Rect,
        at: (u16, u16),
        width: u16,
        (glyph, role): (&'static str, Role),
    ) {
        for step in 0..width.min(area.width.saturating_sub(at.0)) {
            self.put(area, (at.0 + step, at.1), glyph, role);
        }
    }

    /// Empties an area that lies over others.
    pub(super) fn clear(&mut self, area: Rect) {
        for position in area.intersection(self.buffer.area).positions() {
            if let Some(cell) = self.buffer.cell_mut(position) {
                cell.reset();
            }
        }
    }

    /// Reverses one row, to mark it.
    pub(super) fn select(&mut self, area: Rect, y: u16) {
        let row = Rect { y: area.y.saturating_add(y), height: 1, ..area };
        let style = self.theme.style(Role::Selected);
        self.buffer.set_style(row.intersection(self.buffer.area), style);
    }

    /// A frame, thick if it has the keys, with text on its upper edge; returns what is inside.
    pub(super) fn frame(&mut self, area: Rect, title: &Row, right: &Row, focused: bool) -> Rect {
        if area.width < 2 || area.height < 2 {
            return Rect { width: 0, height: 0, ..area };
        }
        let glyphs = self.glyphs();
        let [tl, tr, bl, br, horizontal, vertical] =
            if focused { glyphs.thick } else { glyphs.thin };
        let role = if focused { Role::Focus } else { Role::Border };
        let (right_edge, bottom) = (area.width - 1, area.height - 1);
        self.line(area, (1, 0), right_edge - 1, (horizontal, role));
        self.line(area, (1, bottom), right_edge - 1, (horizontal, role));
        for y in 1..bottom {
            self.put(area, (0, y), vertical, role);
            self.put(area, (right_edge, y), vertical, role);
        }
        for (at, corner) in
            [((0, 0), tl), ((right_edge, 0), tr), ((0, bottom), bl), ((right_edge, bottom), br)]
        {
            self.put(area, at, corner, role);
        }
        self.titles(area, title, right);
        Rect { x: area.x + 1, y: area.y + 1, width: area.width - 2, height: area.height - 2 }
    }

    /// The right text gives way to the left.
    fn titles(&mut self, area: Rect, title: &Row, right: &Row) {
        let edge = Rect { x: area.x + 1, width: area.width - 2, height: 1, ..area };
        let width = |row: &Row| -> usize {
            row.pieces.iter().map(|piece| width_of(piece.text.as_str())).sum()
        };
        let (left_width, right_width) = (width(title), width(right));
        let room = usize::from(edge.width);
        if !title.pieces.is_empty() && room > 4 {
            let mut x = self.put(edge, (0, 0), " ", Role::Border);
            for piece in &title.pieces {
                let left = edge.width.saturating_sub(x + 2);
                x = self.put_within(edge, (x, 0), left, (&piece.text, piece.role));
            }
            self.put(edge, (x, 0), " ", Role::Border);
        }
        if right_width > 0 && left_width + right_width + 6 <= room {
            let start = u16::try_from(room - right_width - 3).unwrap_or_default();
            let mut x = self.put(edge, (start, 0), " ", Role::Border);
            for piece in &right.pieces {
                x = self.put(edge, (x, 0), &piece.text, piece.role);
            }
            self.put(edge, (x, 0), " ", Role::Border);
        }
    }
}
