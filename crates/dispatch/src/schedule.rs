//! Which call may start now: a pure state machine, with no clock, no task and no tool in it.
//!
//! Calls are *planned* in the order of the batch, at which moment the accesses of each are known and
//! its blockers are found: the earlier calls, not yet ended, that it conflicts with. A planned call
//! starts once it is *permitted*, its blockers have ended and a slot is free; of several such calls
//! the earliest starts. Planning pauses behind a call that may touch anything, since what later calls
//! touch may depend on what it leaves behind (it may make a link, say).
//!
//! A call can end without having run: refused, cancelled. Its blockers may still run then, so whoever
//! waited for it waits for those of them that it conflicts with itself.

mod index;

use std::collections::{BTreeSet, HashSet};

use callgate_registry::Effects;
use index::{Id, Index};

use crate::policy::SchedulePolicy;

/// Edges of the waiting graph past which planning pauses until every planned call has ended. The
/// graph stays under 32 MiB, and only batches of thousands of calls that all wait for thousands of
/// others get there.
const EDGE_BUDGET: usize = 1 << 20;

/// Where a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Unplanned,
    Waiting,
    Running,
    /// It ended, having run or having had nothing to wait for.
    Ended,
    /// It ended before it could run, while some of its blockers had not ended.
    Skipped,
}

#[derive(Debug)]
struct Node {
    phase: Phase,
    permitted: bool,
    effects: Effects,
    /// Who had not ended when it was planned. Entries that have ended since are not removed.
    blockers: Vec<Id>,
    /// How many of the blockers have not ended.
    waiting_on: usize,
    dependents: Vec<Id>,
}

/// How far the question of [`SchedulePolicy::AllOrNothing`] is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Nothing may start: a conflict may still be found.
    Undecided,
    ByConflict,
    OneByOne,
}

/// The order of one batch, in the making.
#[derive(Debug)]
pub(crate) struct Schedule {
    order: Order,
    slots: usize,
    running: usize,
    nodes: Vec<Node>,
    /// The next call to be planned.
    next: Id,
    /// Planned calls that have not ended.
    open: BTreeSet<Id>,
    /// Calls that only lack a slot.
    ready: BTreeSet<Id>,
    /// Calls that became ready and were not asked for since.
    fresh: Vec<Id>,
    index: Index,
    edges: usize,
    /// The call that planning waits for.
    barrier: Option<Id>,
    /// Edges past which planning waits for every planned call.
    edge_budget: usize,
}

impl Schedule {
    /// An order for `calls` calls, of which at most `slots` run at the same time.
    pub(crate) fn new(policy: SchedulePolicy, calls: usize, slots: usize) -> Self {
        let order = match policy {
            SchedulePolicy::Sequential => Order::OneByOne,
            SchedulePolicy::AllOrNothing => Order::Undecided,
            SchedulePolicy::Conflicts => Order::ByConflict,
        };
        let node = || Node {
            phase: Phase::Unplanned,
            permitted: false,
            effects: Effects::none(),
            blockers: Vec::new(),
            waiting_on: 0,
            dependents: Vec::new(),
        };
        Self {
            order,
            slots: slots.max(1),
            running: 0,
            nodes: std::iter::repeat_with(node).take(calls).collect(),
            next: 0,
            open: BTreeSet::new(),
            ready: BTreeSet::new(),
            fresh: Vec::new(),
            index: Index::default(),
            edges: 0,
            barrier: None,
            edge_budget: EDGE_BUDGET,
        }
    }

    /// The call that is to be planned now, if planning need not wait.
    pub(crate) fn plannable(&mut self) -> Option<Id> {
        if self.open.is_empty() {
            self.edges = 0;
            self.index = Index::default();
        } else if self.edges >= self.edge_budget {
            return None;
        }
        while phase(&self.nodes, self.next) == Phase::Ended {
            self.next += 1;
        }
        (self.barrier.is_none() && self.next < self.nodes.len()).then_some(self.next)
    }

    /// Plans the call that [`plannable`](Self::plannable) named.
    pub(crate) fn plan(&mut self, id: Id, effects: Effects) {
        self.next = id + 1;
        let effects = bounded(effects);
        let everything = effects == Effects::Everything;
        let mut blockers = self.blockers_by_policy(id, &effects);
        blockers.sort_unstable();
        blockers.dedup();
        if everything {
            self.barrier = Some(id);
        }
        if let Some(node) = self.nodes.get_mut(id) {
            node.phase = Phase::Waiting;
            node.effects = effects;
        }
        self.open.insert(id);
        if self.order == Order::Undecided && (everything || !blockers.is_empty()) {
            self.chain();
        } else {
            self.wait_for(id, blockers);
        }
        self.decide_if_all_are_planned();
    }

    /// States that a planned call may run as far as permissions go.
    pub(crate) fn permit(&mut self, id: Id) {
        if let Some(node) = self.nodes.get_mut(id) {
            node.permitted = true;
        }
        self.consider(id);
    }

    /// Starts the earliest call that may run now.
    pub(crate) fn start(&mut self) -> Option<Id> {
        if self.running >= self.slots || self.order == Order::Undecided {
            return None;
        }
        let id = self.ready.pop_first()?;
        if let Some(node) = self.nodes.get_mut(id) {
            node.phase = Phase::Running;
        }
        self.running += 1;
        Some(id)
    }

    /// The calls that lack nothing but a slot, of those that were not named before.
    pub(crate) fn newly_starved(&mut self) -> Vec<Id> {
        if self.order == Order::Undecided {
            return Vec::new();
        }
        let fresh = std::mem::take(&mut self.fresh);
        fresh.into_iter().filter(|id| self.ready.contains(id)).collect()
    }

    /// The calls that `id` waits for.
    pub(crate) fn blockers(&self, id: Id) -> Vec<Id> {
        let blockers = self.nodes.get(id).map(|node| node.blockers.as_slice()).unwrap_or_default();
        blockers.iter().copied().filter(|blocker| self.open.contains(blocker)).collect()
    }

    /// Takes note that a call ended, whether it ran or not. Names the calls whose blockers are others
    /// than before.
    pub(crate) fn end(&mut self, id: Id) -> Vec<Id> {
        let Some(node) = self.nodes.get_mut(id) else {
            return Vec::new();
        };
        let skipped = node.phase == Phase::Waiting && node.waiting_on > 0;
        if node.phase == Phase::Running {
            self.running -= 1;
        }
        node.phase = if skipped { Phase::Skipped } else { Phase::Ended };
        let dependents = std::mem::take(&mut node.dependents);
        self.open.remove(&id);
        self.ready.remove(&id);
        if self.barrier == Some(id) {
            self.barrier = None;
        }
        let heirs = if skipped { live_behind(&self.nodes, id) } else { Vec::new() };
        let mut changed = Vec::new();
        for dependent in dependents {
            let inherited = self.inherit(dependent, &heirs);
            if inherited {
                changed.push(dependent);
            }
            if let Some(node) = self.nodes.get_mut(dependent) {
                node.waiting_on = node.waiting_on.saturating_sub(1);
            }
            self.consider(dependent);
        }
        self.decide_if_all_are_planned();
        changed
    }

    /// The unended calls that a call must wait for.
    fn blockers_by_policy(&mut self, id: Id, effects: &Effects) -> Vec<Id> {
        if self.order == Order::OneByOne {
            return self.open.last().copied().into_iter().collect();
        }
        let Effects::Only(accesses) = effects else {
            return self.all_that_touch();
        };
        if !Index::understands(accesses) {
            return self.all_that_touch();
        }
        let nodes = &self.nodes;
        let mut blockers = Vec::new();
        for access in accesses {
            self.index.enter(id, access, &mut |other| match phase(nodes, other) {
                _ if other == id => true,
                Phase::Waiting | Phase::Running => {
                    blockers.push(other);
                    true
                }
                Phase::Skipped => {
                    let live = live_behind(nodes, other);
                    blockers.extend(live.iter().filter(|&&heir| conflict(nodes, heir, effects)));
                    !live.is_empty()
                }
                Phase::Unplanned | Phase::Ended => false,
            });
        }
        blockers
    }

    fn all_that_touch(&self) -> Vec<Id> {
        let touches = |id: &Id| conflict(&self.nodes, *id, &Effects::Everything);
        self.open.iter().copied().filter(touches).collect()
    }

    /// Makes a call wait for those of the calls that it conflicts with; tells whether there are any.
    fn inherit(&mut self, id: Id, heirs: &[Id]) -> bool {
        let Some(node) = self.nodes.get(id).filter(|node| node.phase == Phase::Waiting) else {
            return false;
        };
        let one_by_one = self.order == Order::OneByOne;
        let inherited: Vec<Id> = heirs
            .iter()
            .copied()
            .filter(|heir| one_by_one || conflict(&self.nodes, *heir, &node.effects))
            .filter(|heir| !node.blockers.contains(heir))
            .collect();
        let any = !inherited.is_empty();
        self.wait_for(id, inherited);
        any
    }

    fn wait_for(&mut self, id: Id, blockers: Vec<Id>) {
        for blocker in &blockers {
            if let Some(node) = self.nodes.get_mut(*blocker) {
                node.dependents.push(id);
            }
        }
        self.edges += blockers.len();
        if let Some(node) = self.nodes.get_mut(id) {
            node.waiting_on += blockers.len();
            node.blockers.extend(blockers);
        }
    }

    /// Moves a call to the ready ones if nothing but a slot is missing.
    fn consider(&mut self, id: Id) {
        let ready = self.nodes.get(id).is_some_and(|node| {
            node.phase == Phase::Waiting && node.permitted && node.waiting_on == 0
        });
        if ready && self.ready.insert(id) {
            self.fresh.push(id);
        }
    }

    /// If no conflict was found in the whole batch, all may run at once.
    fn decide_if_all_are_planned(&mut self) {
        if self.order == Order::Undecided && self.plannable().is_none() {
            self.order = Order::ByConflict;
        }
    }

    /// A conflict was found before anything started: the planned calls wait for one another in order.
    fn chain(&mut self) {
        self.order = Order::OneByOne;
        self.ready.clear();
        let planned: Vec<Id> = self.open.iter().copied().collect();
        for (&before, &id) in planned.iter().zip(planned.iter().skip(1)) {
            self.wait_for(id, vec![before]);
        }
        for id in planned {
            self.consider(id);
        }
    }
}

/// The effects, or everything where they name what the index can't compare.
fn bounded(effects: Effects) -> Effects {
    match effects {
        Effects::Only(accesses) if Index::understands(&accesses) => Effects::Only(accesses),
        _ => Effects::Everything,
    }
}

/// A call that is not in the batch counts as one not planned.
fn phase(nodes: &[Node], id: Id) -> Phase {
    nodes.get(id).map_or(Phase::Unplanned, |node| node.phase)
}

fn conflict(nodes: &[Node], id: Id, effects: &Effects) -> bool {
    nodes.get(id).is_some_and(|node| node.effects.conflicts_with(effects))
}

/// The unended calls that stand behind one that ended without running.
fn live_behind(nodes: &[Node], skipped: Id) -> Vec<Id> {
    let mut live = Vec::new();
    let mut seen = HashSet::new();
    let mut pending = vec![skipped];
    while let Some(id) = pending.pop() {
        for &blocker in nodes.get(id).map(|node| node.blockers.as_slice()).unwrap_or_default() {
            if !seen.insert(blocker) {
                continue;
            }
            match phase(nodes, blocker) {
                Phase::Waiting | Phase::Running => live.push(blocker),
                Phase::Skipped => pending.push(blocker),
                Phase::Unplanned | Phase::Ended => {}
            }
        }
    }
    live
}

#[cfg(test)]
mod tests;
