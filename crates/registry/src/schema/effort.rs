//! How much work it would be to name every fault of one value.
//!
//! Whether a value is valid is answered fast even where a schema holds itself, because the answer
//! for each part is remembered. Naming the faults is not: a schema that holds itself in two
//! alternatives doubles the work with each level of the value, and at twenty levels it takes a
//! minute. So the work is counted first, with each part remembered.

use std::collections::HashMap;

use serde_json::Value;

use super::graph::Graph;

/// Steps up to which faults are named one by one: some ten milliseconds.
pub(super) const MAX_STEPS: u64 = 50_000;

/// Levels, of the value and of subschemas at one value, up to which faults are named: that goes as
/// deep on the stack.
const MAX_LEVELS: usize = 256;

/// The graph of a schema with references, without the schema.
#[derive(Debug, Clone)]
pub(super) struct Effort {
    nodes: Vec<Edges>,
}

#[derive(Debug, Clone)]
struct Edges {
    same: Vec<usize>,
    named: HashMap<Box<str>, usize>,
    below: Vec<usize>,
}

impl Effort {
    /// Keeps what is needed of a graph; `None` where the work can't outgrow schema times value.
    pub(super) fn of(graph: &Graph<'_>) -> Option<Self> {
        graph.has_references.then(|| Self {
            nodes: graph
                .nodes
                .iter()
                .map(|node| Edges {
                    same: node.same.clone(),
                    named: node
                        .named
                        .iter()
                        .map(|(name, child)| ((*name).into(), *child))
                        .collect(),
                    below: node.below.clone(),
                })
                .collect(),
        })
    }

    /// The steps that it takes to try every subschema on every part of the value that it applies
    /// to; the most there are where it would go too deep.
    pub(super) fn steps(&self, value: &Value) -> u64 {
        let mut remembered = HashMap::new();
        self.count((0, value), MAX_LEVELS, &mut remembered)
    }

    fn count(
        &self,
        (node, value): (usize, &Value),
        levels: usize,
        remembered: &mut HashMap<(usize, *const Value), u64>,
    ) -> u64 {
        let key = (node, std::ptr::from_ref(value));
        if let Some(steps) = remembered.get(&key) {
            return *steps;
        }
        let Some(levels) = levels.checked_sub(1) else { return u64::MAX };
        let Some(edges) = self.nodes.get(node) else {
            return 0;
        };
        let mut steps = 1_u64;
        for child in &edges.same {
            steps = steps.saturating_add(self.count((*child, value), levels, remembered));
        }
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    let named = edges.named.get(name.as_str());
                    for child in named.into_iter().chain(&edges.below) {
                        steps =
                            steps.saturating_add(self.count((*child, member), levels, remembered));
                    }
                }
            }
            Value::Array(items) => {
                for item in items {
                    for child in &edges.below {
                        steps =
                            steps.saturating_add(self.count((*child, item), levels, remembered));
                    }
                }
            }
            _ => {}
        }
        remembered.insert(key, steps);
        steps
    }
}
