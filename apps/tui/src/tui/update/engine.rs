//! What the engine reports.

use callgate_agent::{Envelope, Event, Outcome, Totals};

use super::compose;
use crate::tui::{
    msg::Effect,
    state::{Approval, Body, Call, CallAt, Focus, Queued, Scroll, State},
    text::{SafeText, safe_format},
};

/// Takes in one report.
pub(super) fn report(state: &mut State, envelope: Envelope) -> Vec<Effect> {
    let at_us = envelope.at_us;
    state.clock.observe(at_us, state.now);
    match envelope.event {
        Event::SessionStarted { provider, model, cwd, permission_mode, .. } => {
            state.session.provider = safe_format!("{provider} · {model}");
            state.session.cwd = SafeText::reveal(&cwd.display().to_string());
            state.session.mode = permission_mode;
        }
        Event::Prompt { text } => {
            state.task.begin(state.now);
            state.conversation.push(Body::You(SafeText::reveal(&text)));
        }
        Event::TurnStarted { turn } => {
            state.task.turn = turn;
            state.conversation.begin_turn();
        }
        Event::TextDelta { text } => state.conversation.write(&text, false),
        Event::ThinkingDelta { text } => state.conversation.write(&text, true),
        Event::TurnRetrying { attempt, wait_ms, reason } => {
            state.conversation.void_turn();
            let text = safe_format!("attempt {attempt} failed ({reason}); again in {wait_ms} ms");
            state.conversation.push(Body::Notice(text));
        }
        Event::Notice { message } => {
            state.conversation.push(Body::Notice(SafeText::reveal(&message)));
        }
        Event::Error { message } => {
            state.conversation.push(Body::Error(SafeText::reveal(&message)));
        }
        Event::SessionFinished { outcome, totals, .. } => {
            return finished(state, outcome, &totals);
        }
        other => return call_report(state, at_us, other),
    }
    Vec::new()
}

/// The engine is gone.
pub(super) fn gone(state: &mut State) {
    if !state.session.ended {
        state.session.ended = true;
        state.task.end();
        close_approvals(state);
        let text = SafeText::clean("the engine has ended; Ctrl-C twice leaves");
        state.conversation.push(Body::Error(text));
        hand_back(state);
    }
}

fn call_report(state: &mut State, at_us: u64, event: Event) -> Vec<Effect> {
    match event {
        Event::ToolQueued {
            tool_use_id,
            batch,
            index,
            of,
            name,
            arguments,
            subject,
            read_only,
        } => {
            let queued = Queued {
                tool_use_id: &tool_use_id,
                name: &name,
                arguments: &arguments,
                subject: subject.as_deref(),
                read_only,
            };
            if state.batches.admit(batch, of, Call::queued(at_us, index, queued)) {
                state.conversation.push(Body::Batch(batch));
                if state.batches.current().is_some_and(|current| current.number == batch) {
                    state.work_scroll = Scroll::default();
                }
            }
        }
        Event::ToolAwaitingApproval { tool_use_id, reason } => {
            return ask(state, at_us, &tool_use_id, &reason);
        }
        Event::ToolWaiting { tool_use_id, on } => {
            if let Some(at) = state.batches.find(&tool_use_id) {
                let on = state.batches.wait(at, &on);
                let what = waiting_words(&on);
                state.batches.change(at, |call| call.step(at_us, &what));
            }
        }
        Event::ToolDecided { tool_use_id, allowed, reason } => {
            let word = if allowed { "allowed" } else { "denied" };
            change(state, &tool_use_id, |call| {
                call.asking = false;
                call.step(at_us, &format!("{word}: {reason}"));
            });
            settle(state, &tool_use_id);
        }
        Event::ToolStarted { tool_use_id } => change(state, &tool_use_id, |call| {
            call.started_us = Some(at_us);
            call.waits_for = None;
            call.asking = false;
            call.step(at_us, "started");
        }),
        Event::ToolOutput { tool_use_id, text, .. } => {
            change(state, &tool_use_id, |call| call.tail.push(&text));
        }
        Event::ToolSpilled { tool_use_id, spill } => change(state, &tool_use_id, |call| {
            call.step(at_us, &format!("spilled: {} bytes", spill.bytes));
            call.spill = Some(spill);
        }),
        Event::ToolStopping { tool_use_id } => change(state, &tool_use_id, |call| {
            call.stopping = true;
            call.step(at_us, "asked to stop");
        }),
        Event::ToolFinished { result } => {
            settle(state, &result.tool_use_id);
            change(state, &result.tool_use_id, |call| call.finish(at_us, &result));
        }
        _ => {}
    }
    Vec::new()
}

fn waiting_words(on: &[usize]) -> String {
    if on.is_empty() {
        return "waits for a slot".into();
    }
    let labels: Vec<String> = on.iter().map(|index| format!("c{}", index + 1)).collect();
    format!("waits for {}", labels.join(" "))
}

fn change(state: &mut State, tool_use_id: &str, change: impl FnOnce(&mut Call)) {
    if let Some(at) = state.batches.find(tool_use_id) {
        state.batches.change(at, change);
    }
}

/// A question shows a badge and rings; it never takes the keys.
fn ask(state: &mut State, at_us: u64, tool_use_id: &str, reason: &str) -> Vec<Effect> {
    let Some(at) = state.batches.find(tool_use_id) else { return Vec::new() };
    let mut question = None;
    state.batches.change(at, |call| {
        call.asking = true;
        call.step(at_us, &format!("asks: {reason}"));
        question = Some(Approval {
            call: at,
            tool_use_id: tool_use_id.to_owned(),
            tool: call.name.clone(),
            reason: SafeText::first_line(reason),
            scope: call.scope.clone(),
            payload: call.arguments.clone(),
            scroll: Scroll::default(),
            read: false,
        });
    });
    let Some(question) = question else { return Vec::new() };
    state.approvals.ask(question);
    vec![Effect::Bell]
}

fn settle(state: &mut State, tool_use_id: &str) {
    if let Some(at) = state.batches.find(tool_use_id) {
        settle_call(state, at);
    }
}

/// The question about this call is closed.
pub(super) fn settle_call(state: &mut State, at: CallAt) {
    state.approvals.settle(at, state.now);
    if state.approvals.is_empty() && state.focus == Focus::Approval {
        state.focus = Focus::Composer;
    }
}

fn close_approvals(state: &mut State) {
    state.approvals.clear();
    if state.focus == Focus::Approval {
        state.focus = Focus::Composer;
    }
}

/// What is queued follows a task that ended well. After any other the person decides anew.
fn finished(state: &mut State, outcome: Outcome, totals: &Totals) -> Vec<Effect> {
    let went_well = outcome == Outcome::Done && !state.task.stopping;
    state.task.end();
    close_approvals(state);
    let word = match outcome {
        Outcome::Done => "done",
        Outcome::ProviderFailed => "the provider failed",
        Outcome::LimitReached => "stopped at a limit",
        Outcome::Interrupted => "interrupted",
        _ => "failed",
    };
    let calls = match (totals.calls, totals.failed_calls) {
        (0, _) => String::new(),
        (1, 0) => "  1 call".to_owned(),
        (calls, 0) => format!("  {calls} calls"),
        (1, 1) => "  1 call, failed".to_owned(),
        (calls, failed) => format!("  {calls} calls, {failed} failed"),
    };
    let tokens = totals.usage.input_tokens.saturating_add(totals.usage.output_tokens);
    let tokens = if tokens > 0 { format!("  {tokens} tokens") } else { String::new() };
    let tenths = totals.duration_ms / 100;
    let text = safe_format!("{word}  {}.{} s{calls}{tokens}", tenths / 10, tenths % 10);
    state.conversation.push(Body::Summary(text));
    if went_well {
        return compose::send_next(state);
    }
    hand_back(state);
    Vec::new()
}

fn hand_back(state: &mut State) {
    let text = match state.task.hand_back(&mut state.composer) {
        0 => return,
        1 => SafeText::clean("the queued prompt is back in the composer"),
        count => safe_format!("{count} queued prompts are back in the composer"),
    };
    state.conversation.push(Body::Notice(text));
}
