//! The full-screen app.
//!
//! One thread owns everything on the screen: [`State`](state::State) changes only in
//! [`update`](update::update), which takes one message and says what it asks of the world, and
//! [`draw`](view::draw) reads it. Time enters by messages alone, so the same messages give the same
//! frames. The terminal is known to `terminal` and to nobody else, and text that a model or a tool
//! wrote reaches a cell only as [`SafeText`].

mod keymap;
mod msg;
mod render;
mod run;
mod state;
mod terminal;
mod text;
mod theme;
mod update;
mod view;

#[cfg(test)]
mod testing;

pub(crate) use run::{Start, run};
pub(crate) use text::SafeText;
