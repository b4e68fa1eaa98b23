//! Any bytes as an output: what is shown does not depend on how they are cut, every count is exact,
//! and head, omitted part and tail are the whole.
#![no_main]

use std::fmt::Write as _;

use callgate_exec::{CaptureOptions, Captured, Collector, Stream, capture_bytes};
use callgate_fuzz::pieces;
use libfuzzer_sys::fuzz_target;

fn collect<'a>(pieces: impl Iterator<Item = &'a [u8]>, options: &CaptureOptions) -> Captured {
    let mut collector = Collector::new(options.clone());
    pieces.for_each(|piece| collector.push(Stream::Stdout, piece));
    collector.finish()
}

/// The whole as it would be shown.
fn shown(data: &[u8]) -> String {
    let mut text = String::new();
    for chunk in data.utf8_chunks() {
        text.push_str(&chunk.valid().replace('\0', "\\x00"));
        chunk.invalid().iter().for_each(|byte| write!(text, "\\x{byte:02x}").unwrap());
    }
    text
}

fn newlines(text: &str) -> u64 {
    text.matches('\n').count() as u64
}

fuzz_target!(|data: &[u8]| {
    let size = |at: usize| usize::from(data.iter().rev().nth(at).copied().unwrap_or_default());
    let options = CaptureOptions {
        threshold_bytes: size(0) % 64,
        head_chars: size(1) % 32,
        tail_chars: size(2) % 32,
        ..CaptureOptions::default()
    };
    let captured = capture_bytes(data, &options);
    assert_eq!(captured, collect(pieces(data), &options), "cut as chosen");
    assert_eq!(captured, collect(data.chunks(1), &options), "cut at every byte");

    let whole = shown(data);
    let open_end = u64::from(!whole.is_empty() && !whole.ends_with('\n'));
    assert_eq!(captured.bytes, data.len() as u64);
    assert_eq!(captured.chars, whole.chars().count() as u64);
    assert_eq!(captured.lines, newlines(&whole) + open_end);
    if captured.is_whole() {
        assert_eq!(captured.text, whole);
        return;
    }
    let notice = format!(
        "[... {} characters, {} lines, {} bytes omitted here, of ",
        captured.omitted_chars, captured.omitted_lines, captured.omitted_bytes
    );
    let (head, rest) = captured.text.split_once(&notice).expect("the loss is told");
    let (_, tail) = rest.split_once(" ...]\n").expect("the line ends");
    let chars = |text: &str| text.chars().count() as u64;
    // A newline may have been put before the notice, so that it has a line of its own.
    let head = [head, head.strip_suffix('\n').unwrap_or(head)]
        .into_iter()
        .find(|head| chars(head) + captured.omitted_chars + chars(tail) == captured.chars)
        .expect("head, omitted part and tail are the whole");
    assert!(whole.starts_with(head) && whole.ends_with(tail), "{head:?} and {tail:?}");
    assert!(chars(head) <= options.head_chars as u64 && chars(tail) <= options.tail_chars as u64);
    assert_eq!(newlines(head) + captured.omitted_lines + newlines(tail), newlines(&whole));
    assert!(captured.omitted_bytes <= captured.bytes);
});
