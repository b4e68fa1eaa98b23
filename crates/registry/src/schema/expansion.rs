//! Where references lead: back to themselves, or to too much.

use super::{
    fault::SchemaFault,
    graph::{Graph, Node},
    limits::{MAX_CHAIN, MAX_CHAIN_AT_ONE_VALUE, MAX_EXPANDED},
};

/// Names the references that lead back to themselves without going into the value, and a schema
/// that is too much once every reference is replaced by what it points to.
pub(super) fn check(graph: &Graph<'_>, faults: &mut Vec<SchemaFault>) {
    let empty_cycles = walk(graph, |node| node.same.clone());
    for index in &empty_cycles.closed_by {
        faults.push(SchemaFault::new(
            graph.pointer(*index),
            "the reference leads back to itself without going into the value, so it says nothing",
            "let the recursion pass through `properties` or `items`",
        ));
    }
    if empty_cycles.depth > MAX_CHAIN_AT_ONE_VALUE {
        faults.push(too_deep(MAX_CHAIN_AT_ONE_VALUE, "at one value"));
    }
    let expanded = walk(graph, |node| {
        let named = node.named.iter().map(|(_, child)| *child);
        node.same.iter().copied().chain(named).chain(node.below.iter().copied()).collect()
    });
    if expanded.depth > MAX_CHAIN {
        faults.push(too_deep(MAX_CHAIN, "in all"));
    }
    if expanded.size > MAX_EXPANDED {
        faults.push(SchemaFault::new(
            "",
            format!(
                "with every reference replaced by what it points to, the schema has more than \
                 {MAX_EXPANDED} subschemas"
            ),
            "refer to each definition less often",
        ));
    }
}

fn too_deep(limit: u32, how: &str) -> SchemaFault {
    SchemaFault::new(
        "",
        format!("subschemas lead to one another over more than {limit} steps {how}"),
        "refer to definitions more directly",
    )
}

#[derive(Default)]
struct Walked {
    /// The nodes from which an edge leads back to a node above them.
    closed_by: Vec<usize>,
    /// The size of the largest tree that a node unfolds to, a way back counted as one.
    size: u64,
    /// The longest chain, not counting ways back.
    depth: u32,
}

#[derive(Clone, Copy)]
enum State {
    Unseen,
    Open,
    Done { size: u64, depth: u32 },
}

/// A node that is being walked.
struct Frame {
    node: usize,
    left: Vec<usize>,
    size: u64,
    depth: u32,
}

impl Frame {
    fn take(&mut self, size: u64, depth: u32) {
        self.size = self.size.saturating_add(size);
        self.depth = self.depth.max(depth.saturating_add(1));
    }
}

/// Depth first, with a stack of its own: a chain of references may be as long as the schema.
fn walk(graph: &Graph<'_>, edges: impl Fn(&Node<'_>) -> Vec<usize>) -> Walked {
    let mut states = vec![State::Unseen; graph.nodes.len()];
    let mut walked = Walked::default();
    let mut stack: Vec<Frame> = Vec::new();
    let open = |node: usize, states: &mut Vec<State>, stack: &mut Vec<Frame>| {
        if let Some(state) = states.get_mut(node) {
            *state = State::Open;
        }
        let left = graph.nodes.get(node).map(&edges).unwrap_or_default();
        stack.push(Frame { node, left, size: 1, depth: 1 });
    };
    for start in 0..graph.nodes.len() {
        if matches!(states.get(start), Some(State::Unseen)) {
            open(start, &mut states, &mut stack);
        }
        while let Some(frame) = stack.last_mut() {
            let Some(child) = frame.left.pop() else {
                close(&mut states, &mut stack, &mut walked);
                continue;
            };
            match states.get(child) {
                Some(State::Done { size, depth }) => frame.take(*size, *depth),
                Some(State::Open) => {
                    frame.take(1, 0);
                    walked.closed_by.push(frame.node);
                }
                _ => open(child, &mut states, &mut stack),
            }
        }
    }
    walked
}

/// Notes what became of the innermost node, and adds it to the one above.
fn close(states: &mut [State], stack: &mut Vec<Frame>, walked: &mut Walked) {
    let Some(Frame { node, size, depth, .. }) = stack.pop() else {
        return;
    };
    if let Some(state) = states.get_mut(node) {
        *state = State::Done { size, depth };
    }
    if let Some(above) = stack.last_mut() {
        above.take(size, depth);
    }
    walked.size = walked.size.max(size);
    walked.depth = walked.depth.max(depth);
}
