//! Signals during a headless command.

use std::time::Duration;

use callgate_agent::Control;

/// The first signal stops the task so that every call is answered; the second one ends us.
pub(super) fn interrupt_on_signal(control: &Control) {
    let control = control.clone();
    tokio::spawn(async move {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let (sender, mut received) = tokio::sync::mpsc::channel::<()>(kinds.len());
        for kind in kinds {
            let Ok(mut signals) = signal(kind) else { continue };
            let sender = sender.clone();
            tokio::spawn(async move {
                while signals.recv().await.is_some() {
                    if sender.send(()).await.is_err() {
                        return;
                    }
                }
            });
        }
        received.recv().await;
        crate::say("interrupted: stopping; once more to quit at once");
        control.interrupt();
        received.recv().await;
        // Calls whose processes are gone answer at once, so that what is known is still printed.
        let killed = tokio::task::spawn_blocking(callgate_exec::kill_descendants);
        let _ = killed.await;
        tokio::time::sleep(LAST_WORDS).await;
        quit_at_once();
    });
}

/// How long answers may take that need no process any more.
const LAST_WORDS: Duration = Duration::from_millis(500);

#[expect(clippy::exit, reason = "the person asked twice, so nothing is worth waiting for")]
fn quit_at_once() {
    callgate_exec::kill_descendants();
    std::process::exit(130);
}
