//! Batches of calls.

use std::collections::HashMap;

use super::{Call, Phase};

/// Batches whose texts are kept; of older ones only the rows are.
const KEPT: usize = 64;

/// Names a call: a batch by its number, and a place in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct CallAt {
    pub(crate) batch: u64,
    pub(crate) index: usize,
}

/// The calls of one answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Batch {
    pub(crate) number: u64,
    /// How many calls it has, admitted or still to come.
    pub(crate) of: usize,
    /// By index, ascending.
    pub(crate) calls: Vec<Call>,
    pub(crate) version: u64,
}

/// How many calls are in which state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) queued: usize,
    pub(crate) waiting: usize,
    pub(crate) asking: usize,
    pub(crate) running: usize,
    pub(crate) done: usize,
    pub(crate) failed: usize,
    pub(crate) cancelled: usize,
    pub(crate) denied: usize,
}

impl Batch {
    pub(crate) fn call(&self, index: usize) -> Option<&Call> {
        let at = self.calls.binary_search_by_key(&index, |call| call.index).ok()?;
        self.calls.get(at)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.calls.len() >= self.of && self.calls.iter().all(Call::is_over)
    }

    pub(crate) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for call in &self.calls {
            let count = match call.phase() {
                Phase::Queued => &mut counts.queued,
                Phase::Waiting => &mut counts.waiting,
                Phase::Asking => &mut counts.asking,
                Phase::Running | Phase::Stopping => &mut counts.running,
                Phase::Done => &mut counts.done,
                Phase::Failed(_) => &mut counts.failed,
                Phase::Cancelled => &mut counts.cancelled,
                Phase::Denied => &mut counts.denied,
            };
            *count += 1;
        }
        counts
    }

    /// When the first call was queued, in microseconds of the session.
    pub(crate) fn began_us(&self) -> u64 {
        self.calls.iter().map(|call| call.queued_us).min().unwrap_or_default()
    }

    /// When the last call ended, or now.
    pub(crate) fn until_us(&self, now_us: u64) -> u64 {
        let ended = self.calls.iter().filter_map(|call| Some(call.ended.as_ref()?.at_us)).max();
        if self.is_over() { ended.unwrap_or(now_us) } else { now_us.max(ended.unwrap_or(0)) }
    }

    /// Nobody waits any more for the call of this index.
    fn release(&mut self, index: usize) {
        for call in &mut self.calls {
            let Some(on) = &mut call.waits_for else { continue };
            let before = on.len();
            on.retain(|other| *other != index);
            if on.len() == before {
                continue;
            }
            call.version += 1;
            // An empty list would say that it waits for a slot.
            if on.is_empty() {
                call.waits_for = None;
            }
        }
    }

    /// Whether the call at `position` waits for everything since the barrier before it.
    fn is_behind_barrier(&self, position: usize, on: &[usize]) -> bool {
        let earlier = self.calls.get(..position).unwrap_or_default();
        let group = earlier.iter().rposition(|call| call.behind_barrier).unwrap_or(0);
        let open = earlier.iter().skip(group).filter(|call| !call.is_over());
        let mut count = 0;
        let all = open.inspect(|_| count += 1).all(|call| on.contains(&call.index));
        all && count > 1
    }
}

/// The batches, oldest first, and the call that is selected.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Batches {
    list: Vec<Batch>,
    by_id: HashMap<String, CallAt>,
    /// The batch that the person went back to; the last one, if to none.
    shown: Option<u64>,
    selected: usize,
    running: usize,
}

impl Batches {
    /// The batch that the work pane shows.
    pub(crate) fn current(&self) -> Option<&Batch> {
        self.shown.and_then(|number| self.get(number)).or_else(|| self.latest())
    }

    /// The batch that came last.
    pub(crate) fn latest(&self) -> Option<&Batch> {
        self.list.last()
    }

    /// Goes to an earlier or later batch; from the last one on, the pane shows what comes.
    pub(crate) fn turn(&mut self, batches: isize) {
        let Some(current) = self.current().map(|batch| batch.number) else { return };
        let at = self.list.iter().rposition(|batch| batch.number == current).unwrap_or_default();
        let last = self.list.len().saturating_sub(1);
        let to = at.saturating_add_signed(batches).min(last);
        if to != at {
            self.selected = 0;
        }
        self.shown = self.list.get(to).map(|batch| batch.number).filter(|_| to < last);
    }

    /// Shows the last batch, and each that comes.
    pub(crate) fn follow(&mut self) {
        if self.shown.take().is_some() {
            self.selected = 0;
        }
    }

    pub(crate) fn get(&self, number: u64) -> Option<&Batch> {
        self.list.iter().rev().find(|batch| batch.number == number)
    }

    /// The selected call of the current batch.
    pub(crate) fn selected(&self) -> Option<&Call> {
        let batch = self.current()?;
        batch.calls.get(self.selected.min(batch.calls.len().saturating_sub(1)))
    }

    /// Its position in the rows.
    pub(crate) fn selected_position(&self) -> usize {
        let calls = self.current().map_or(0, |batch| batch.calls.len());
        self.selected.min(calls.saturating_sub(1))
    }

    pub(crate) fn select_by(&mut self, rows: isize) {
        self.select(self.selected_position().saturating_add_signed(rows));
    }

    pub(crate) fn select(&mut self, position: usize) {
        let calls = self.current().map_or(0, |batch| batch.calls.len());
        self.selected = position.min(calls.saturating_sub(1));
    }

    /// How many calls run now.
    pub(crate) const fn running(&self) -> usize {
        self.running
    }

    /// Admits a call; true if it is the first of its batch.
    pub(crate) fn admit(&mut self, number: u64, of: usize, call: Call) -> bool {
        let known = self.list.iter().rposition(|batch| batch.number == number);
        let new = known.is_none();
        if new {
            self.open(number);
        }
        let at = CallAt { batch: number, index: call.index };
        let place = known.unwrap_or_else(|| self.list.len().saturating_sub(1));
        let Some(batch) = self.list.get_mut(place) else { return false };
        batch.of = batch.of.max(of);
        batch.version += 1;
        let id = call.tool_use_id.clone();
        if let Err(position) = batch.calls.binary_search_by_key(&call.index, |call| call.index) {
            batch.calls.insert(position, call);
            // Ids may repeat; events then go to the first call of that id which is not over.
            let open =
                self.by_id.get(&id).is_some_and(|at| self.call(*at).is_some_and(|c| !c.is_over()));
            if !open {
                self.by_id.insert(id, at);
            }
        }
        new
    }

    fn open(&mut self, number: u64) {
        self.list.push(Batch { number, ..Batch::default() });
        if self.shown.is_none() {
            self.selected = 0;
        }
        if let Some(old) =
            self.list.len().checked_sub(KEPT + 1).and_then(|at| self.list.get_mut(at))
        {
            old.calls.iter_mut().for_each(Call::slim);
            self.by_id.retain(|_, at| at.batch != old.number);
        }
    }

    fn call(&self, at: CallAt) -> Option<&Call> {
        self.get(at.batch)?.call(at.index)
    }

    /// Where the call of this id is; the one that is not over, if several have it.
    pub(crate) fn find(&self, tool_use_id: &str) -> Option<CallAt> {
        let first = *self.by_id.get(tool_use_id)?;
        if self.call(first).is_some_and(|call| !call.is_over()) {
            return Some(first);
        }
        let batch = self.latest()?;
        let open = |call: &&Call| !call.is_over() && call.tool_use_id == tool_use_id;
        let other = batch.calls.iter().find(open);
        Some(other.map_or(first, |call| CallAt { batch: batch.number, index: call.index }))
    }

    /// Changes a call that is not over; whatever reports on one that is, comes too late.
    pub(crate) fn change(&mut self, at: CallAt, change: impl FnOnce(&mut Call)) -> bool {
        let Some(batch) = self.list.iter_mut().rev().find(|batch| batch.number == at.batch) else {
            return false;
        };
        let Ok(position) = batch.calls.binary_search_by_key(&at.index, |call| call.index) else {
            return false;
        };
        let Some(call) = batch.calls.get_mut(position).filter(|call| !call.is_over()) else {
            return false;
        };
        let ran = matches!(call.phase(), Phase::Running | Phase::Stopping);
        change(call);
        call.version += 1;
        let runs = matches!(call.phase(), Phase::Running | Phase::Stopping);
        self.running = (self.running + usize::from(runs)).saturating_sub(usize::from(ran));
        let ended = call.is_over();
        batch.version += 1;
        if ended {
            batch.release(at.index);
        }
        true
    }

    /// Notes what a call waits for, given by ids.
    pub(crate) fn wait(&mut self, at: CallAt, on: &[String]) -> Vec<usize> {
        let Some(batch) = self.list.iter().rev().find(|batch| batch.number == at.batch) else {
            return Vec::new();
        };
        let index_of = |id: &String| {
            batch.calls.iter().find(|call| &call.tool_use_id == id).map(|call| call.index)
        };
        let named = !on.is_empty();
        let mut on: Vec<usize> = on.iter().filter_map(index_of).collect();
        on.retain(|index| batch.call(*index).is_some_and(|call| !call.is_over()));
        let position = batch.calls.partition_point(|call| call.index < at.index);
        let barrier = batch.is_behind_barrier(position, &on);
        self.change(at, |call| {
            call.behind_barrier |= barrier;
            // Whatever it waited for has ended meanwhile.
            call.waits_for = if named && on.is_empty() { None } else { Some(on.clone()) };
        });
        on
    }
}
