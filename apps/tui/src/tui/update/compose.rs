//! Writing and sending.

use callgate_agent::Command;

use super::stop;
use crate::tui::{
    keymap::Action,
    msg::Effect,
    state::{Hint, Scroll, State},
};

pub(super) fn act(state: &mut State, action: Action) -> Vec<Effect> {
    match action {
        Action::Send => return send(state),
        Action::EndOfInput if state.composer.is_empty() => return stop::quit(),
        Action::PageUp => state.conversation.scroll_by(-state.conversation.page()),
        Action::PageDown => state.conversation.scroll_by(state.conversation.page()),
        _ => edit(state, action),
    }
    Vec::new()
}

fn edit(state: &mut State, action: Action) {
    let composer = &mut state.composer;
    match action {
        Action::Newline => composer.insert("\n"),
        Action::Left => composer.left(),
        Action::Right => composer.right(),
        Action::WordLeft => composer.word_left(),
        Action::WordRight => composer.word_right(),
        Action::LineStart => composer.line_start(),
        Action::LineEnd => composer.line_end(),
        Action::DeleteLeft => composer.delete_left(),
        Action::DeleteRight | Action::EndOfInput => composer.delete_right(),
        Action::DeleteWordLeft => composer.delete_word_left(),
        Action::DeleteWordRight => composer.delete_word_right(),
        Action::KillToEnd => composer.kill_to_end(),
        Action::KillToStart => composer.kill_to_start(),
        Action::Yank => composer.yank(),
        Action::Up => composer.up(),
        Action::Down => composer.down(),
        _ => {}
    }
}

fn send(state: &mut State) -> Vec<Effect> {
    if state.composer.text().trim().is_empty() {
        return Vec::new();
    }
    let text = state.composer.take();
    match text.trim() {
        "/quit" | "/exit" => stop::quit(),
        "/help" => {
            state.help = Some(Scroll::default());
            Vec::new()
        }
        word if is_command(word) => {
            state.ladder.show(Hint::UnknownCommand, state.now);
            // A mistyped command comes back to be mended.
            state.composer.insert(&text);
            Vec::new()
        }
        _ if state.session.ended => Vec::new(),
        _ => {
            let waits = state.task.is_busy();
            state.task.queued.push_back(text);
            state.conversation.follow();
            state.batches.follow();
            if waits { Vec::new() } else { send_next(state) }
        }
    }
}

/// Sends what was queued first.
pub(super) fn send_next(state: &mut State) -> Vec<Effect> {
    state.task.next().map(|prompt| Effect::Send(Command::Submit(prompt))).into_iter().collect()
}

/// `/word`, but not `/usr/bin/env is missing`.
fn is_command(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    word.strip_prefix('/').is_some_and(|name| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    })
}
