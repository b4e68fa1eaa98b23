//! Any bytes as server-sent events: however they are cut, the same events or the same error come out,
//! and no event is larger than the bound.
#![no_main]

use callgate_fuzz::pieces;
use callgate_llm::sse::{Event, MAX_EVENT_BYTES, Parser};
use libfuzzer_sys::fuzz_target;

/// A bound that inputs can reach.
const SMALL: usize = 64;

fn read<'a>(pieces: impl Iterator<Item = &'a [u8]>, limit: usize) -> Result<Vec<Event>, String> {
    let mut parser = Parser::with_limit(limit);
    let mut events = Vec::new();
    for piece in pieces {
        events.extend(parser.push(piece).map_err(|error| error.to_string())?);
    }
    events.extend(parser.finish().map_err(|error| error.to_string())?);
    Ok(events)
}

fuzz_target!(|data: &[u8]| {
    for limit in [SMALL, MAX_EVENT_BYTES] {
        let whole = read(std::iter::once(data), limit);
        assert_eq!(whole, read(pieces(data), limit), "cut as chosen");
        assert_eq!(whole, read(data.chunks(1), limit), "cut at every byte");
        for event in whole.iter().flatten() {
            assert!(event.name.len() <= limit, "a name of {} bytes", event.name.len());
            assert!(event.data.len() <= limit, "data of {} bytes", event.data.len());
            assert!(!event.data.is_empty() && !event.name.is_empty(), "{event:?}");
        }
    }
});
