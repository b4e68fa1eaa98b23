//! Takes an output in pieces.

use std::io::Read;

use super::{CaptureOptions, Captured};
use crate::{error::ExecError, process::Stream};

/// Takes an output in pieces and bounds it.
#[derive(Debug)]
pub struct Collector {
    options: CaptureOptions,
}

impl Collector {
    /// An empty output.
    pub const fn new(options: CaptureOptions) -> Self {
        Self { options }
    }

    /// Appends what a stream brought.
    pub fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let _ = (stream, bytes, &mut self.options);
    }

    /// Ends the output.
    pub fn finish(self) -> Captured {
        Captured {
            text: String::new(),
            spill: None,
            bytes: 0,
            lines: 0,
            chars: 0,
            omitted_bytes: 0,
            omitted_lines: 0,
            omitted_chars: 0,
            trouble: None,
        }
    }
}

/// Bounds bytes that are there already.
pub fn capture_bytes(bytes: &[u8], options: &CaptureOptions) -> Captured {
    let mut collector = Collector::new(options.clone());
    collector.push(Stream::Stdout, bytes);
    collector.finish()
}

/// Bounds what a reader brings, in bounded memory.
///
/// # Errors
///
/// [`ExecError::File`] when reading fails.
pub fn capture_reader(reader: impl Read, options: &CaptureOptions) -> Result<Captured, ExecError> {
    drop(reader);
    Ok(capture_bytes(&[], options))
}
