//! The full-screen app.

use std::{
    io::{self, IsTerminal as _},
    time::Duration,
};

use super::Exit;
use crate::{
    start::{Start, UsageError},
    tui,
};

/// How long leaving may take: the grace of a command that ignores a request to end, and some.
const MAX_GOODBYE: Duration = Duration::from_secs(5);

/// Opens the screen, and closes the session when it is left.
pub(super) async fn run(start: Start) -> anyhow::Result<Exit> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        let usage = "the full-screen app needs a terminal; without one write \
                     callgate run 'WHAT TO DO' (see callgate run --help)";
        return Err(UsageError::Other(usage.to_owned()).into());
    }
    let chosen = start.provider()?;
    let workbench = start.workbench()?;
    let provider = format!("{} {}", chosen.provider.name(), chosen.provider.model());
    let (handle, session) = callgate_agent::spawn(&workbench, chosen.provider)?;
    let mut notices = start.loaded.warnings.clone();
    notices.extend(chosen.notice);
    let cwd = start.cwd.clone();
    let left = tui::run(handle, tui::Start { cwd, provider, notices, prompt: None }).await;
    // Calls that still run are being ended; a tool that ignores that must not keep the person here.
    let _ = tokio::time::timeout(MAX_GOODBYE, session).await;
    Ok(match left?.exit_code() {
        0 => Exit::Done,
        code => Exit::Signal(code),
    })
}
