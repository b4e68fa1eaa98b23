//! Text on its way to the screen: made safe, styled, wrapped.

mod clean;
mod fold;
mod markdown;
mod row;
mod safe;
mod wrap;

#[cfg(test)]
mod tests;

pub(crate) use clean::Cleaner;
pub(crate) use fold::fold_blanks;
pub(crate) use markdown::render as render_markdown;
pub(crate) use row::{Piece, Role, Row};
pub(crate) use safe::{SafeStr, SafeText, safe_format};
pub(crate) use wrap::{ellipsize, width_of, wrap_pieces, wrap_text};
