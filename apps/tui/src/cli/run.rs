//! `run`: one task without a screen.

use std::{
    io::{self, IsTerminal as _, Read as _},
    sync::Arc,
};

use callgate_agent::{Control, Engine, Envelope, Event, Sink};

use super::{Exit, args::OutputFormat, interrupt::interrupt_on_signal, printer::Printer};
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
    let printer = Printer::default();
    let sink = sink(format, printer.clone());
    let mut engine = Engine::open(&workbench, Arc::clone(&chosen.provider), vec![sink], false)?;
    let control = Control::new();
    interrupt_on_signal(&control);
    let report = engine.task(prompt, &control).await;
    let exit = Exit::from(report.outcome);
    if format == OutputFormat::Text && exit == Exit::Done && !report.text.is_empty() {
        printer.text(&report.text);
    }
    printer.finish()?;
    Ok(exit)
}

fn sink(format: OutputFormat, printer: Printer) -> Sink {
    match format {
        OutputFormat::Text => Box::new(progress),
        OutputFormat::Json => Box::new(move |envelope: &Envelope| {
            progress(envelope);
            if matches!(envelope.event, Event::SessionFinished { .. }) {
                printer.event(envelope);
            }
        }),
        OutputFormat::StreamJson => Box::new(move |envelope: &Envelope| printer.event(envelope)),
    }
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

/// What a person wants to see of a headless task while it runs.
fn progress(envelope: &Envelope) {
    match &envelope.event {
        Event::ToolStarted { tool_use_id } => say_state("run", tool_use_id, ""),
        Event::ToolQueued { tool_use_id, name, subject, .. } => {
            let subject = subject.as_deref().unwrap_or_default();
            say_state("call", tool_use_id, &format!("{name} {subject}"));
        }
        Event::ToolFinished { result } => {
            let state = result.error_code.map_or("ok", callgate_dispatch::ErrorCode::as_str);
            let took = result.timing.finished_us.saturating_sub(result.timing.started_us);
            say_state(state, &result.tool_use_id, &format!("{} {} ms", result.name, took / 1000));
        }
        Event::TurnRetrying { attempt, wait_ms, reason } => {
            crate::say(&format!("attempt {attempt} failed ({reason}); again in {wait_ms} ms"));
        }
        Event::Notice { message } => crate::say(&format!("notice: {}", crate::plain(message))),
        Event::Error { message } => crate::say(&format!("error: {}", crate::plain(message))),
        _ => {}
    }
}

fn say_state(state: &str, id: &str, rest: &str) {
    let line = crate::plain(&format!("{state:<8} {id} {rest}")).replace('\n', " ");
    let short: String = line.chars().take(160).collect();
    crate::say(short.trim_end());
}
