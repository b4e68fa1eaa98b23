//! The terminal: taken, given back, read and written. Nothing else knows crossterm's input or modes.

mod burst;
mod input;
mod panic;
mod screen;
mod signals;
mod writer;

pub(super) use burst::Burst;
pub(super) use input::Input;
pub(super) use screen::Screen;
pub(super) use signals::{Caught, Signals};
pub(super) use writer::Writer;
