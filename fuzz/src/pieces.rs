//! An input, cut.

/// The input in pieces of 1 to 32 bytes, as many as its own last bytes say. So the fuzzer chooses
/// the cuts, and an input needs no header to say them.
pub fn pieces(data: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut sizes = data.iter().rev().take(8).cycle().map(|byte| 1 + usize::from(byte % 32));
    let mut rest = data;
    std::iter::from_fn(move || {
        let (piece, tail) = rest.split_at(sizes.next()?.min(rest.len()));
        rest = tail;
        (!piece.is_empty()).then_some(piece)
    })
}
