//! Which call a piece of a call belongs to.

use serde_json::Value;

use crate::{
    delta::Delta,
    wire::{self, CallIds},
};

/// One call of the answer.
#[derive(Debug, Default)]
struct Slot {
    wire_index: Option<u64>,
    wire_id: String,
    /// Its block; set when its name came, since a call is told with its name.
    block: Option<usize>,
    /// Arguments that came before the name.
    waiting: String,
    has_arguments: bool,
}

/// The calls of one answer.
///
/// By the standard, `index` tells which call a piece belongs to, and the first piece alone has the
/// id and the name. Servers leave out the index, give index 0 to every call, repeat id and name in
/// each piece, or have no ids.
#[derive(Debug, Default)]
pub(super) struct ToolSlots {
    slots: Vec<Slot>,
    ids: CallIds,
}

impl ToolSlots {
    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Whether there is a call of whose arguments nothing came.
    pub(super) fn any_blank(&self) -> bool {
        self.slots.iter().any(|slot| !slot.has_arguments)
    }

    /// Takes a piece of `tool_calls`. `next_block` counts the blocks of the answer.
    pub(super) fn push(&mut self, piece: &Value, next_block: &mut usize, out: &mut Vec<Delta>) {
        let id = piece["id"].as_str().unwrap_or_default();
        let function = &piece["function"];
        let name = function["name"].as_str().unwrap_or_default();
        let arguments = match &function["arguments"] {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let at = self.find(piece["index"].as_u64(), id, name);
        let Some(slot) = self.slots.get_mut(at) else {
            return;
        };
        if slot.wire_id.is_empty() {
            id.clone_into(&mut slot.wire_id);
        }
        slot.has_arguments |= !wire::is_blank(&arguments);
        slot.waiting.push_str(&arguments);
        if slot.block.is_none() && !name.is_empty() {
            tell(slot, name, &mut self.ids, next_block, out);
        }
        flush(slot, out);
    }

    /// The slot of a piece, made if it is the first of its call.
    fn find(&mut self, index: Option<u64>, id: &str, name: &str) -> usize {
        let position = match index {
            // The last with this index: an index can stand for several calls.
            Some(index) => self.slots.iter().rposition(|slot| slot.wire_index == Some(index)),
            None if !id.is_empty() => self.slots.iter().rposition(|slot| slot.wire_id == id),
            None if !name.is_empty() => None,
            None => self.slots.len().checked_sub(1),
        };
        let is_another = |slot: &Slot| {
            !id.is_empty() && !slot.wire_id.is_empty() && slot.wire_id != id && !name.is_empty()
        };
        match position {
            Some(at) if !self.slots.get(at).is_some_and(is_another) => at,
            _ => {
                self.slots.push(Slot { wire_index: index, ..Slot::default() });
                self.slots.len() - 1
            }
        }
    }

    /// Ends all calls: those whose name never came are told without one. If the answer was cut off
    /// at its limit, the last call stays open.
    pub(super) fn end(&mut self, cut_off: bool, next_block: &mut usize, out: &mut Vec<Delta>) {
        let whole = self.slots.len() - usize::from(cut_off && !self.slots.is_empty());
        for (at, slot) in self.slots.iter_mut().enumerate() {
            if slot.block.is_none() {
                tell(slot, "", &mut self.ids, next_block, out);
                flush(slot, out);
            }
            if let Some(index) = slot.block.filter(|_| at < whole) {
                out.push(Delta::BlockEnd { index });
            }
        }
    }
}

fn tell(slot: &mut Slot, name: &str, ids: &mut CallIds, next: &mut usize, out: &mut Vec<Delta>) {
    let index = *next;
    *next += 1;
    slot.block = Some(index);
    out.push(Delta::ToolUse { index, id: ids.take(&slot.wire_id), name: name.to_owned() });
}

fn flush(slot: &mut Slot, out: &mut Vec<Delta>) {
    if let Some(index) = slot.block.filter(|_| !slot.waiting.is_empty()) {
        out.push(Delta::Arguments { index, text: std::mem::take(&mut slot.waiting) });
    }
}
