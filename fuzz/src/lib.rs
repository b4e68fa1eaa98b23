//! What the fuzz targets share. Every target takes plain bytes, so that any file is an input.

mod bench;
mod listener;
mod pieces;

pub use bench::Bench;
pub use listener::listen;
pub use pieces::pieces;
