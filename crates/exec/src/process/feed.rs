//! What a person sees of an output while it comes.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use super::Stream;
use crate::capture::shown;

/// Time between two deliveries: 20 a second look continuous and cost nothing.
const INTERVAL: Duration = Duration::from_millis(50);

/// The most bytes of one delivery; of more only the last are delivered.
const MAX_BYTES: usize = 8 * 1024;

/// The most changes between the streams in one delivery.
const MAX_PIECES: usize = 16;

/// Gathers output and hands it on a few times a second, shortened where there is too much to be read anyway.
pub(super) struct Feed<F> {
    deliver: F,
    pending: VecDeque<(Stream, Vec<u8>)>,
    bytes: usize,
    skipped: u64,
    delivered: Option<Instant>,
}

impl<F: Fn(Stream, &str)> Feed<F> {
    pub(super) fn new(deliver: F) -> Self {
        Self { deliver, pending: VecDeque::new(), bytes: 0, skipped: 0, delivered: None }
    }

    /// Takes whole characters.
    pub(super) fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let start = character_start(bytes, bytes.len().saturating_sub(MAX_BYTES));
        let (skipped, kept) = bytes.split_at(start);
        self.skipped += skipped.len() as u64;
        if !skipped.is_empty() {
            self.drop_pending();
        }
        self.bytes += kept.len();
        match self.pending.back_mut() {
            Some((last, piece)) if *last == stream => piece.extend_from_slice(kept),
            _ => self.pending.push_back((stream, kept.to_vec())),
        }
        self.shorten();
    }

    /// How long until the next delivery, if there is anything to deliver.
    pub(super) fn due_in(&self, now: Instant) -> Option<Duration> {
        (!self.pending.is_empty()).then(|| {
            self.delivered.map_or(Duration::ZERO, |last| {
                INTERVAL.saturating_sub(now.saturating_duration_since(last))
            })
        })
    }

    /// Delivers what is due.
    pub(super) fn tick(&mut self, now: Instant) {
        if self.due_in(now) == Some(Duration::ZERO) {
            self.flush();
            // Not `now`: a slow receiver must not be called again at once.
            self.delivered = Some(Instant::now());
        }
    }

    /// Delivers everything.
    pub(super) fn flush(&mut self) {
        let skipped = std::mem::take(&mut self.skipped);
        self.bytes = 0;
        for (index, (stream, piece)) in self.pending.drain(..).enumerate() {
            let mut text = shown(&piece);
            if index == 0 && skipped > 0 {
                text.insert_str(0, &format!("[... {skipped} bytes not shown ...]\n"));
            }
            (self.deliver)(stream, &text);
        }
    }

    fn shorten(&mut self) {
        while self.pending.len() > MAX_PIECES {
            self.drop_first();
        }
        while let Some(excess) = self.bytes.checked_sub(MAX_BYTES).filter(|&excess| excess > 0)
            && let Some((_, piece)) = self.pending.front_mut()
        {
            if piece.len() <= excess {
                self.drop_first();
            } else {
                let start = character_start(piece, excess);
                piece.drain(..start);
                self.bytes -= start;
                self.skipped += start as u64;
            }
        }
    }

    fn drop_pending(&mut self) {
        while !self.pending.is_empty() {
            self.drop_first();
        }
    }

    fn drop_first(&mut self) {
        if let Some((_, piece)) = self.pending.pop_front() {
            self.bytes -= piece.len();
            self.skipped += piece.len() as u64;
        }
    }
}

/// The place, or the start of the next character if it is inside one.
fn character_start(bytes: &[u8], at: usize) -> usize {
    let inside = bytes.iter().skip(at).take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
    if at == 0 { 0 } else { at + inside }
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, rc::Rc};

    use super::*;

    type Delivered = Rc<RefCell<Vec<(Stream, String)>>>;

    fn feed() -> (Feed<impl Fn(Stream, &str)>, Delivered) {
        let delivered = Delivered::default();
        let log = Rc::clone(&delivered);
        let deliver = move |stream, text: &str| log.borrow_mut().push((stream, text.to_owned()));
        (Feed::new(deliver), delivered)
    }

    #[test]
    fn the_first_piece_is_delivered_at_once_and_later_ones_are_gathered() {
        let (mut feed, delivered) = feed();
        let start = Instant::now();
        assert_eq!(feed.due_in(start), None);
        feed.push(Stream::Stdout, b"a");
        feed.tick(start);
        assert_eq!(delivered.take(), [(Stream::Stdout, "a".to_owned())]);
        for _ in 0..1000 {
            feed.push(Stream::Stdout, b"b");
            feed.tick(start);
        }
        assert_eq!(delivered.take(), []);
        feed.tick(Instant::now() + INTERVAL);
        assert_eq!(delivered.take(), [(Stream::Stdout, "b".repeat(1000))]);
    }

    #[test]
    fn streams_keep_their_order_and_bytes_that_are_no_text_are_escaped() {
        let (mut feed, delivered) = feed();
        feed.push(Stream::Stdout, b"1\xff");
        feed.push(Stream::Stderr, b"2\0");
        feed.push(Stream::Stdout, b"3");
        feed.flush();
        let expected = [
            (Stream::Stdout, "1\\xff".to_owned()),
            (Stream::Stderr, "2\\x00".to_owned()),
            (Stream::Stdout, "3".to_owned()),
        ];
        assert_eq!(delivered.take(), expected);
    }

    #[test]
    fn f40_x37_of_a_flood_only_the_end_is_delivered_and_the_rest_counted() {
        let (mut feed, delivered) = feed();
        let flood = "字".repeat(100_000);
        feed.push(Stream::Stdout, b"before");
        feed.push(Stream::Stdout, flood.as_bytes());
        feed.push(Stream::Stderr, b"after");
        feed.flush();
        let delivered = delivered.take();
        let text: String = delivered.iter().map(|(_, text)| text.as_str()).collect();
        let (notice, rest) = text.split_once('\n').unwrap();
        let skipped: usize = notice.split(' ').nth(1).unwrap().parse().unwrap();
        assert_eq!(skipped + rest.len(), 6 + flood.len() + 5);
        assert!(rest.len() <= MAX_BYTES && !rest.contains("\\x"), "{rest}");
        assert!(rest.ends_with("字字after"));
    }
}
