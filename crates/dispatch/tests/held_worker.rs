//! One handler holds one of two workers. Alone in its file, and so in its process: with other handlers
//! about, it would be given a thread of its own, and prove nothing.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use callgate_dispatch::{Call, CallEvent, CallIndex};
use callgate_registry::{OutputChunk, OutputStream, ToolOutput};
use serde_json::json;
use support::{dispatcher, let_go_at_last, texts, tool};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn d43_a_handler_that_shows_output_and_then_never_yields_does_not_hold_whoever_watches() {
    let go_on = Arc::new(AtomicBool::new(true));
    let_go_at_last(&go_on);
    let chunk = OutputChunk { stream: OutputStream::Stdout, text: "here I come".to_owned() };
    let loud = {
        let go_on = Arc::clone(&go_on);
        tool("loud", move |call| {
            let (go_on, chunk) = (Arc::clone(&go_on), chunk.clone());
            async move {
                // By the end of this nap the watcher sleeps, and can only be woken from here.
                tokio::time::sleep(Duration::from_millis(20)).await;
                call.context.progress(chunk);
                while go_on.load(Ordering::Relaxed) {
                    std::thread::yield_now();
                }
                Ok(ToolOutput::default())
            }
        })
        .timeout(Duration::from_millis(200))
    };
    let dispatcher = dispatcher([loud]);
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let sink = move |_: CallIndex, event: CallEvent| drop(sender.send(event));
    let begin = Instant::now();
    // One task both runs the batch and reads its events, so that the handler wakes its own watcher.
    let watched = tokio::spawn(async move {
        let batch =
            dispatcher.batch(vec![Call::new("c1", "loud", json!({}))]).events(Arc::new(sink));
        let run = batch.run();
        tokio::pin!(run);
        loop {
            tokio::select! {
                results = &mut run => break results,
                Some(_) = receiver.recv() => {}
            }
        }
    });
    let results = watched.await.unwrap();
    go_on.store(false, Ordering::Relaxed);
    assert_eq!(texts(&results[0])[0], "here I come");
    assert!(begin.elapsed() < Duration::from_millis(400), "twice the limit: {:?}", begin.elapsed());
}
