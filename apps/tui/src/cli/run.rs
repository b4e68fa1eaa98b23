//! `run`: one task without a screen.

use std::{
    io::{self, IsTerminal as _, Read as _, Write as _},
    sync::Arc,
};

use callgate_agent::{Control, Engine, Envelope, Event, Sink};

use super::{Exit, args::OutputFormat};
use crate::start::{Start, UsageError};

/// Works on one prompt, prints its result on standard output and its progress on standard error.
pub(super) async fn run(
    start: Start,
    prompt: Option<String>,
    format: OutputFormat,
) -> anyhow::Result<Exit> {
    let prompt = read_prompt(prompt.as_deref())?;
    start.warn();
    let chosen = start.provider()?;
    if let Some(notice) = &chosen.notice {
        crate::say(&format!("notice: {notice}"));
    }
    let workbench = start.workbench()?;
    let sink: Sink = match format {
        OutputFormat::Text => Box::new(progress),
        OutputFormat::Json => Box::new(|envelope: &Envelope| {
            progress(envelope);
            if matches!(envelope.event, Event::SessionFinished { .. }) {
                print_line(envelope);
            }
        }),
        OutputFormat::StreamJson => Box::new(print_line),
    };
    let mut engine = Engine::open(&workbench, Arc::clone(&chosen.provider), vec![sink], false)?;
    let control = Control::new();
    interrupt_on_signal(&control);
    let report = engine.task(prompt, &control).await;
    let exit = Exit::from(report.outcome);
    if format == OutputFormat::Text && exit == Exit::Done && !report.text.is_empty() {
        print_text(&report.text);
    }
    Ok(exit)
}

fn read_prompt(prompt: Option<&str>) -> anyhow::Result<String> {
    let prompt = match prompt {
        Some("-") | None if prompt.is_some() || !io::stdin().is_terminal() => {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text).map_err(|error| {
                UsageError::Other(format!("standard input can't be read: {error}"))
            })?;
            text
        }
        Some(text) => text.to_owned(),
        None => String::new(),
    };
    if prompt.trim().is_empty() {
        let usage =
            "there is no task; write callgate run 'WHAT TO DO', or give it on standard input";
        return Err(UsageError::Other(usage.to_owned()).into());
    }
    Ok(prompt)
}

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
        quit_at_once();
    });
}

/// Ends without waiting for what still runs; the kernel ends our children with us.
#[expect(clippy::exit, reason = "the person asked twice, so nothing is worth waiting for")]
fn quit_at_once() {
    std::process::exit(130);
}

/// One object a line, flushed, so that a reader sees each event as it happens.
pub(super) fn print_line(envelope: &Envelope) {
    let mut out = io::stdout().lock();
    // A reader that is gone wants no more; the task goes on to its end.
    let _ = serde_json::to_writer(&mut out, envelope)
        .map_err(io::Error::from)
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush());
}

fn print_text(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(crate::plain(text).as_bytes());
    let _ = out.write_all(b"\n").and_then(|()| out.flush());
}

/// What a person wants to see of a headless task while it runs.
fn progress(envelope: &Envelope) {
    match &envelope.event {
        Event::ToolStarted { tool_use_id } => tracing_line("run", tool_use_id, ""),
        Event::ToolQueued { tool_use_id, name, subject, .. } => {
            let subject = subject.as_deref().unwrap_or_default();
            tracing_line("call", tool_use_id, &format!("{name} {subject}"));
        }
        Event::ToolFinished { result } => {
            let state = result.error_code.map_or("ok", callgate_dispatch::ErrorCode::as_str);
            let took = result.timing.finished_us.saturating_sub(result.timing.started_us);
            tracing_line(
                state,
                &result.tool_use_id,
                &format!("{} {} ms", result.name, took / 1000),
            );
        }
        Event::TurnRetrying { attempt, wait_ms, reason } => {
            crate::say(&format!("attempt {attempt} failed ({reason}); again in {wait_ms} ms"));
        }
        Event::Notice { message } => crate::say(&format!("notice: {}", crate::plain(message))),
        Event::Error { message } => crate::say(&format!("error: {}", crate::plain(message))),
        _ => {}
    }
}

fn tracing_line(state: &str, id: &str, rest: &str) {
    let line = crate::plain(&format!("{state:<8} {id} {rest}")).replace('\n', " ");
    let short: String = line.chars().take(160).collect();
    crate::say(short.trim_end());
}
