//! Takes an output in pieces.

use std::io::{self, Read};

use super::{
    CaptureOptions, Captured,
    edge::Edge,
    keep::{Keep, Kept},
    notice,
    shown::{Tally, shown},
    window::Window,
};
use crate::{error::ExecError, process::Stream};

/// How much is read at a time.
const READ_BYTES: usize = 256 * 1024;

/// Takes an output in pieces and bounds it.
///
/// It holds no more than what will be shown, however much comes. What it holds and shows does not depend on how
/// the output is cut into pieces.
///
/// ```
/// use callgate_exec::{CaptureOptions, Collector, Stream};
///
/// let mut collector = Collector::new(CaptureOptions::default());
/// for byte in "Grüße 🦀\n".bytes() {
///     collector.push(Stream::Stdout, &[byte]);
/// }
/// assert_eq!(collector.finish().text, "Grüße 🦀\n");
/// ```
#[derive(Debug)]
pub struct Collector {
    options: CaptureOptions,
    edges: [Edge; 2],
    body: Body,
}

/// What is held of the output.
#[derive(Debug)]
struct Body {
    total: Tally,
    ends_open: bool,
    form: Form,
}

#[derive(Debug)]
enum Form {
    /// All of it, as long as it is short enough to be returned whole.
    Whole(Vec<u8>),
    /// Its ends; all of it is kept elsewhere, if it can be.
    Ends(Window, Keep),
}

impl Collector {
    /// An empty output.
    pub fn new(options: CaptureOptions) -> Self {
        let body =
            Body { total: Tally::default(), ends_open: false, form: Form::Whole(Vec::new()) };
        Self { options, edges: Default::default(), body }
    }

    /// Appends what a stream brought.
    ///
    /// A character that is not complete yet is held back until the rest of it comes.
    pub fn push(&mut self, stream: Stream, bytes: &[u8]) {
        self.push_and(stream, bytes, |_| {});
    }

    /// Appends, and hands on what was appended: whole characters.
    pub(crate) fn push_and(&mut self, stream: Stream, bytes: &[u8], mut also: impl FnMut(&[u8])) {
        let Self { options, edges: [out, err], body } = self;
        let edge = match stream {
            Stream::Stdout => out,
            Stream::Stderr => err,
        };
        edge.push(bytes, |piece| {
            body.append(options, piece);
            also(piece);
        });
    }

    /// Ends the output.
    pub fn finish(mut self) -> Captured {
        // Only now: an unfinished character of one stream must not meet bytes of the other.
        for edge in &self.edges {
            self.body.append(&self.options, edge.rest());
        }
        let Body { total, ends_open, form } = self.body;
        let lines = total.newlines + u64::from(ends_open);
        match form {
            Form::Whole(bytes) => Captured {
                text: shown(&bytes),
                spill: None,
                bytes: total.bytes,
                lines,
                chars: total.chars,
                omitted_bytes: 0,
                omitted_lines: 0,
                omitted_chars: 0,
                trouble: None,
            },
            Form::Ends(window, keep) => join(&window, keep.finish(), total, lines),
        }
    }
}

impl Body {
    fn append(&mut self, options: &CaptureOptions, piece: &[u8]) {
        let Some(&last) = piece.last() else { return };
        let tally = Tally::of(piece);
        self.total = self.total.plus(tally);
        self.ends_open = last != b'\n';
        if let Form::Whole(bytes) = &mut self.form {
            if fits(options, self.total) {
                bytes.extend_from_slice(piece);
                return;
            }
            let earlier = std::mem::take(bytes);
            let mut window = Window::new(options.head_chars, options.tail_chars);
            let mut keep = Keep::start(options);
            window.push(&earlier);
            keep.append(&earlier);
            self.form = Form::Ends(window, keep);
        }
        if let Form::Ends(window, keep) = &mut self.form {
            window.push(piece);
            keep.append(piece);
        }
    }
}

/// Whether an output of that size is returned whole: a preview must never be longer than what it stands for.
fn fits(options: &CaptureOptions, total: Tally) -> bool {
    let preview = (options.head_chars + options.tail_chars) as u64;
    total.bytes <= options.threshold_bytes as u64 || total.chars <= preview
}

fn join(window: &Window, kept: Kept, total: Tally, lines: u64) -> Captured {
    let (head, tail) = (window.head(), window.tail());
    let omitted = total.minus(head.tally).minus(tail.tally);
    let notice = notice::omission(omitted, total, lines, &kept);
    let mut text = head.text;
    text.reserve(notice.len() + tail.text.len() + 2);
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&notice);
    text.push('\n');
    text.push_str(&tail.text);
    Captured {
        text,
        spill: kept.info,
        bytes: total.bytes,
        lines,
        chars: total.chars,
        omitted_bytes: omitted.bytes,
        omitted_lines: omitted.newlines,
        omitted_chars: omitted.chars,
        trouble: kept.trouble,
    }
}

/// Bounds bytes that are there already.
///
/// ```
/// use callgate_exec::{CaptureOptions, capture_bytes};
///
/// let captured = capture_bytes(b"short\n", &CaptureOptions::default());
/// assert!(captured.is_whole());
/// assert_eq!(captured.text, "short\n");
/// ```
pub fn capture_bytes(bytes: &[u8], options: &CaptureOptions) -> Captured {
    let mut collector = Collector::new(options.clone());
    collector.push(Stream::Stdout, bytes);
    collector.finish()
}

/// Bounds what a reader brings, in bounded memory.
///
/// # Errors
///
/// [`ExecError::Read`] when reading fails; what came before is given up.
pub fn capture_reader(
    mut reader: impl Read,
    options: &CaptureOptions,
) -> Result<Captured, ExecError> {
    let mut collector = Collector::new(options.clone());
    let mut buffer = vec![0; READ_BYTES];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(collector.finish()),
            Ok(read) => collector.push(Stream::Stdout, buffer.get(..read).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(source) => {
                return Err(ExecError::Read { label: options.label.clone(), source });
            }
        }
    }
}

#[cfg(test)]
mod tests;
