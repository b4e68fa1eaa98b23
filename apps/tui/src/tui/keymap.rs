//! Which key does what, as data: the help is made from it.

mod bindings;
mod chord;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

pub(crate) use bindings::{BINDINGS, Binding};
pub(crate) use chord::parse_chord;

use super::msg::Key;

/// What a key is pressed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Context {
    Everywhere,
    Composer,
    Conversation,
    Batch,
    Detail,
    Approval,
    Help,
}

impl Context {
    pub(crate) const ALL: [Self; 7] = [
        Self::Everywhere,
        Self::Composer,
        Self::Conversation,
        Self::Batch,
        Self::Detail,
        Self::Approval,
        Self::Help,
    ];

    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Everywhere => "EVERYWHERE",
            Self::Composer => "COMPOSER",
            Self::Conversation => "CONVERSATION",
            Self::Batch => "BATCH",
            Self::Detail => "DETAIL AND SPILL",
            Self::Approval => "APPROVAL",
            Self::Help => "HELP",
        }
    }
}

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    NextPane,
    PreviousPane,
    GoConversation,
    GoBatch,
    GoDetail,
    GoComposer,
    GoApproval,
    Zoom,
    Help,
    Repaint,
    Suspend,
    Stop,
    Back,
    EndOfInput,
    Send,
    Newline,
    Left,
    Right,
    WordLeft,
    WordRight,
    LineStart,
    LineEnd,
    DeleteLeft,
    DeleteRight,
    DeleteWordLeft,
    DeleteWordRight,
    KillToEnd,
    KillToStart,
    Yank,
    Up,
    Down,
    PageUp,
    PageDown,
    HalfUp,
    HalfDown,
    Top,
    Bottom,
    Follow,
    Open,
    OpenSpill,
    CancelCall,
    CancelBatch,
    EarlierBatch,
    LaterBatch,
    HeadPart,
    CutPart,
    TailPart,
    AllowOnce,
    AllowSession,
    Deny,
    NextApproval,
}

/// Keys to actions, by context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeyMap {
    keys: HashMap<(Context, Key), Action>,
}

impl Default for KeyMap {
    fn default() -> Self {
        let mut keys = HashMap::new();
        for binding in BINDINGS {
            for chord in binding.keys.iter().filter_map(|text| parse_chord(text)) {
                keys.insert((binding.context, chord), binding.action);
            }
        }
        Self { keys }
    }
}

impl KeyMap {
    /// What `key` does in `context`, or everywhere.
    pub(crate) fn action(&self, context: Context, key: Key) -> Option<Action> {
        // Terminals report the shift of a capital letter, or do not.
        let shift = key.shift && !matches!(key.code, super::msg::Code::Char(_));
        let key = Key { shift, ..key };
        let found = self.keys.get(&(context, key));
        found.or_else(|| self.keys.get(&(Context::Everywhere, key))).copied()
    }
}
