//! Reading lines in bounded memory.

use std::{fs::File, io, io::BufReader};

use super::Line;

/// The lines of a kept output, one after the other, in bounded memory.
#[derive(Debug)]
pub struct LineReader {
    source: BufReader<File>,
}

impl Iterator for LineReader {
    type Item = io::Result<Line>;

    fn next(&mut self) -> Option<Self::Item> {
        let _ = &mut self.source;
        None
    }
}
