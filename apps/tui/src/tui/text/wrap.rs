//! Breaking text into rows that fit, by columns and graphemes.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::{Piece, Role, Row, SafeStr, SafeText};

/// Columns that a text takes.
pub(crate) fn width_of(text: &str) -> usize {
    // Summed by grapheme, because that is how the screen is filled.
    if text.is_ascii() { text.len() } else { text.graphemes(true).map(|g| g.width().min(2)).sum() }
}

/// The text, or its beginning and `…`, in at most `width` columns.
pub(crate) fn ellipsize<'a>(text: impl Into<SafeStr<'a>>, width: usize) -> SafeText {
    let text = text.into();
    let line = text.as_str().lines().next().unwrap_or_default();
    if width_of(line) <= width && line.len() == text.as_str().len() {
        return text.to_text();
    }
    let mut end = 0;
    let mut used = 1;
    for grapheme in line.graphemes(true) {
        used += width_of(grapheme);
        if used > width {
            break;
        }
        end += grapheme.len();
    }
    let mut cut = SafeStr::part(line.get(..end).unwrap_or_default()).to_text();
    if width > 0 {
        cut.text.push('…');
    }
    cut
}

/// Wraps plain text; every line of it starts a row.
pub(crate) fn wrap_text<'a>(text: impl Into<SafeStr<'a>>, role: Role, width: usize) -> Vec<Row> {
    let text = text.into().as_str();
    let mut rows = Vec::new();
    for line in text.split('\n') {
        if line.is_ascii() && line.len() <= width {
            rows.push(Row::of(SafeStr::part(line), role));
        } else {
            rows.extend(wrap_pieces(&[Piece::new(SafeStr::part(line), role)], width, &[], &[]));
        }
    }
    rows
}

/// One grapheme of a line that is being wrapped.
struct Cell<'a> {
    grapheme: &'a str,
    width: usize,
    role: Role,
}

/// Wraps one line of pieces. `first` stands before its first row, `rest` before the others; they are
/// left out where they would leave no room.
pub(crate) fn wrap_pieces(
    line: &[Piece],
    width: usize,
    first: &[Piece],
    rest: &[Piece],
) -> Vec<Row> {
    if width == 0 {
        return Vec::new();
    }
    let cells: Vec<Cell<'_>> = line.iter().flat_map(cells_of).collect();
    let mut rows = Vec::new();
    let mut start = 0;
    loop {
        let prefix = if rows.is_empty() { first } else { rest };
        let taken: usize = prefix.iter().map(|piece| width_of(piece.text.as_str())).sum();
        let (prefix, room) =
            if taken + 2 <= width { (prefix, width - taken) } else { (&[] as &[Piece], width) };
        let remaining = cells.get(start..).unwrap_or_default();
        let (shown, used) = break_at(remaining, room);
        rows.push(row_of(prefix, remaining.get(..shown).unwrap_or_default(), room));
        start += used;
        if start >= cells.len() {
            return rows;
        }
    }
}

fn cells_of(piece: &Piece) -> impl Iterator<Item = Cell<'_>> {
    piece.text.as_str().graphemes(true).filter(|g| *g != "\n").map(|grapheme| Cell {
        grapheme,
        width: width_of(grapheme),
        role: piece.role,
    })
}

/// How many cells go on this row, and how many of the line that uses up (blanks at the break go).
fn break_at(cells: &[Cell<'_>], room: usize) -> (usize, usize) {
    let mut used = 0;
    let mut fits = cells.len();
    let mut soft = None;
    for (index, cell) in cells.iter().enumerate() {
        if cell.grapheme == " " {
            soft = Some((index, index + 1));
        } else if cell.width == 2 && index > 0 {
            // Wide scripts may break between any two characters.
            soft = Some((index, index));
        }
        used += cell.width.min(room);
        if used > room {
            fits = index;
            break;
        }
    }
    if fits == cells.len() {
        return (fits, fits);
    }
    match soft {
        Some((shown, next)) if shown > 0 => (shown, next),
        // A blank that hangs over at the very start goes; a long word is cut.
        _ => (fits.max(1), fits.max(1)),
    }
}

fn row_of(prefix: &[Piece], cells: &[Cell<'_>], room: usize) -> Row {
    let mut pieces: Vec<Piece> = prefix.to_vec();
    for cell in cells {
        // Wider than the whole row: something must stand for it.
        let grapheme = if cell.width > room { "?" } else { cell.grapheme };
        match pieces.last_mut().filter(|last| last.role == cell.role) {
            Some(last) => last.text.text.push_str(grapheme),
            None => pieces.push(Piece::new(SafeStr::part(grapheme), cell.role)),
        }
    }
    Row { pieces }
}
