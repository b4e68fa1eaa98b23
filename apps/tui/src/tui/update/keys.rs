//! From keys to actions, and from actions to where they belong.

use super::{approve, compose, panes, stop};
use crate::tui::{
    keymap::{Action, Context},
    msg::{Code, Effect, Key},
    state::{Focus, Scroll, State, Work},
};

/// Takes in one key.
pub(super) fn press(state: &mut State, key: Key) -> Vec<Effect> {
    let context = state.context();
    let action = action_of(state, context, key);
    match action {
        Some(Action::Stop) => {}
        Some(Action::Back) => state.ladder.forget_presses(),
        _ => state.ladder.reset(),
    }
    // Anything but an answer starts the arming anew: a held key must not become one.
    let armed = state.approvals.armed(state.now);
    if context == Context::Approval && !armed {
        state.approvals.disarm(state.now);
    }
    let Some(action) = action else {
        if let (Context::Composer, Code::Char(c), false, false) =
            (context, key.code, key.ctrl, key.alt)
        {
            state.composer.insert(c.encode_utf8(&mut [0; 4]));
        }
        return Vec::new();
    };
    everywhere(state, action).unwrap_or_else(|| match context {
        Context::Composer | Context::Everywhere => compose::act(state, action),
        Context::Conversation => panes::conversation(state, action),
        Context::Batch => panes::batch(state, action),
        Context::Detail => panes::detail(state, action),
        Context::Approval => approve::act(state, action, armed),
        Context::Help => {
            if let Some(help) = &mut state.help {
                panes::scroll(help, action);
            }
            Vec::new()
        }
    })
}

/// Takes in Enter or Tab as part of a text. Where nothing is written it is a key like any other.
pub(super) fn in_text(state: &mut State, key: Key) -> Vec<Effect> {
    if state.context() != Context::Composer {
        return press(state, key);
    }
    state.ladder.reset();
    state.composer.insert(if key.code == Code::Tab { "\t" } else { "\n" });
    Vec::new()
}

/// `?` asks for help in an empty composer, and is a character in any other.
fn action_of(state: &State, context: Context, key: Key) -> Option<Action> {
    let help = context == Context::Composer
        && key.code == Code::Char('?')
        && !key.ctrl
        && !key.alt
        && state.composer.is_empty();
    if help { Some(Action::Help) } else { state.keymap.action(context, key) }
}

/// What an action does wherever it is pressed; nothing if that depends.
fn everywhere(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    match action {
        Action::Stop => return Some(stop::stop(state)),
        Action::Back => return Some(stop::back(state)),
        Action::Repaint => return Some(vec![Effect::Repaint]),
        Action::Suspend => return Some(vec![Effect::Suspend]),
        Action::NextPane => go(state, next(state.focus)),
        Action::PreviousPane => go(state, previous(state.focus)),
        Action::GoConversation => go(state, Focus::Conversation),
        Action::GoBatch => go(state, Focus::Batch),
        Action::GoDetail => go(state, Focus::Detail),
        Action::GoComposer => go(state, Focus::Composer),
        Action::GoApproval => approve::focus(state),
        Action::Zoom => state.zoomed = !state.zoomed,
        Action::Help => state.help = Some(Scroll::default()),
        _ => return None,
    }
    Some(Vec::new())
}

/// Gives the keys to a pane, and shows it.
pub(super) fn go(state: &mut State, focus: Focus) {
    state.help = None;
    state.focus = focus;
    match focus {
        Focus::Batch => state.work = Work::Lanes,
        Focus::Detail if state.work == Work::Lanes => panes::open(state, Work::Detail),
        _ => {}
    }
    if focus == Focus::Composer {
        state.zoomed = false;
        state.batches.follow();
    }
}

const fn next(focus: Focus) -> Focus {
    match focus {
        Focus::Composer | Focus::Approval => Focus::Conversation,
        Focus::Conversation => Focus::Batch,
        Focus::Batch => Focus::Detail,
        Focus::Detail => Focus::Composer,
    }
}

const fn previous(focus: Focus) -> Focus {
    match focus {
        Focus::Composer => Focus::Detail,
        Focus::Detail => Focus::Batch,
        Focus::Batch => Focus::Conversation,
        Focus::Conversation | Focus::Approval => Focus::Composer,
    }
}
