//! Characters that arrive in two reads.

/// Holds back the beginning of a character until the rest of it arrives.
///
/// Each stream has one. Otherwise a read of the other stream could come to lie between the halves, and
/// neither the text nor the file would ever show the character again.
#[derive(Debug, Default)]
pub(super) struct Edge {
    held: [u8; 4],
    len: usize,
}

impl Edge {
    /// Passes on what begins and ends between characters.
    pub(super) fn push(&mut self, mut bytes: &[u8], mut emit: impl FnMut(&[u8])) {
        while self.len > 0
            && let Some((&byte, rest)) = bytes.split_first()
        {
            self.hold(byte);
            bytes = rest;
            self.release(&mut emit);
        }
        let (ready, begun) = bytes.split_at(bytes.len() - begun_character(bytes));
        if !ready.is_empty() {
            emit(ready);
        }
        for &byte in begun {
            self.hold(byte);
        }
    }

    /// What is still held back when the stream has ended.
    pub(super) fn rest(&self) -> &[u8] {
        self.held.get(..self.len).unwrap_or_default()
    }

    fn hold(&mut self, byte: u8) {
        if let Some(place) = self.held.get_mut(self.len) {
            *place = byte;
            self.len += 1;
        }
    }

    /// Emits what has become a character, or can't become one any more.
    fn release(&mut self, emit: &mut impl FnMut(&[u8])) {
        let done = match std::str::from_utf8(self.rest()) {
            Ok(text) => text.len(),
            Err(error) => match error.error_len() {
                Some(wrong) => error.valid_up_to() + wrong,
                None => return,
            },
        };
        let (ready, begun) = self.rest().split_at(done);
        emit(ready);
        let (mut held, len) = ([0; 4], begun.len());
        for (place, &byte) in held.iter_mut().zip(begun) {
            *place = byte;
        }
        (self.held, self.len) = (held, len);
        // What is left may be wrong as well, as in `F0 9F FF`.
        if done > 0 && self.len > 0 {
            self.release(emit);
        }
    }
}

/// How many bytes at the end are the beginning of a character.
fn begun_character(bytes: &[u8]) -> usize {
    (1..=bytes.len().min(3))
        .find(|&len| bytes.get(bytes.len() - len).is_some_and(|byte| byte & 0xc0 != 0x80))
        .filter(|&len| {
            let suffix = bytes.get(bytes.len() - len..).unwrap_or_default();
            std::str::from_utf8(suffix)
                .is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
        })
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(chunks: &[&[u8]]) -> (Vec<Vec<u8>>, Vec<u8>) {
        let mut edge = Edge::default();
        let mut pieces = Vec::new();
        for chunk in chunks {
            edge.push(chunk, |piece| pieces.push(piece.to_vec()));
        }
        (pieces, edge.rest().to_vec())
    }

    #[test]
    fn a_character_in_four_reads_comes_out_in_one() {
        let chunks: &[&[u8]] = &[b"a\xf0", b"\x9f", b"\xa6", b"\x80b"];
        let whole = vec![b"a".to_vec(), "🦀".as_bytes().to_vec(), b"b".to_vec()];
        assert_eq!(pieces(chunks), (whole, Vec::new()));
    }

    #[test]
    fn what_can_no_longer_become_a_character_is_let_go() {
        let chunks: &[&[u8]] = &[b"\xf0\x9f", b"\xffx", b"\xe2", b"\xe2\x82"];
        let (pieces, rest) = pieces(chunks);
        assert_eq!(pieces.concat(), b"\xf0\x9f\xffx\xe2");
        assert_eq!(rest, b"\xe2\x82");
    }

    #[test]
    fn bytes_that_are_no_text_are_never_held_back() {
        let (pieces, rest) = pieces(&[b"\x80\x80\x80\x80", b"\xff", b"\xc0"]);
        assert_eq!(pieces.concat(), b"\x80\x80\x80\x80\xff\xc0");
        assert_eq!(rest, b"");
    }
}
