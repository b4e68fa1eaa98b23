//! Ids that are unique within a batch, whatever the asker gave.

use std::collections::{HashMap, HashSet};

use crate::call::Call;

/// The ids of the calls, made unique: the first call of an id keeps it, the others get a number.
pub(super) fn unique(calls: &[Call]) -> Vec<String> {
    let given: HashSet<&str> = calls.iter().map(|call| call.id.as_str()).collect();
    if given.len() == calls.len() && !given.contains("") {
        return calls.iter().map(|call| call.id.clone()).collect();
    }
    let mut uses: HashMap<&str, usize> = HashMap::new();
    let mut ids = Vec::with_capacity(calls.len());
    for call in calls {
        let stem = if call.id.is_empty() { "call" } else { &call.id };
        let uses = uses.entry(&call.id).or_default();
        ids.push(loop {
            *uses += 1;
            if *uses == 1 && !call.id.is_empty() {
                break call.id.clone();
            }
            let id = format!("{stem}#{uses}");
            if !given.contains(id.as_str()) {
                break id;
            }
        });
    }
    ids
}
