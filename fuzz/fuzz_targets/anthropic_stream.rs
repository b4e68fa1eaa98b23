//! Any bytes as an Anthropic stream: no panic, deltas in order, no call from half an answer.
#![no_main]

use callgate_fuzz::listen;
use callgate_llm::anthropic::StreamState;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut state = StreamState::new();
    listen(data, |event| match event {
        Some(event) => state.push(event),
        None => state.finish(),
    });

    // The same stream, broken off in the middle.
    let mut state = StreamState::new();
    listen(&data[..data.len() / 2], |event| match event {
        Some(event) => state.push(event),
        None => state.finish(),
    });
});
