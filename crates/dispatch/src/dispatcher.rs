//! The door: what calls are handed to.

use std::{fmt, sync::Arc};

use callgate_registry::{Registry, Snapshot};
use tokio_util::sync::CancellationToken;

use crate::{
    abandoned::{Abandoned, AbandonedList},
    batch::{Ask, drive},
    call::Call,
    event::EventSink,
    gate::{Gate, OutputBound},
    live::Events,
    policy::SchedulePolicy,
    result::ToolResult,
};

/// Calls of one batch that run at the same time, unless said otherwise. More would contend for the
/// disk and the cores of a usual machine without ending sooner.
const DEFAULT_PARALLEL: usize = 16;

/// Runs calls against the tools of a registry. Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Dispatcher {
    pub(crate) registry: Arc<Registry>,
    pub(crate) gate: Option<Arc<dyn Gate>>,
    pub(crate) bound: Option<Arc<dyn OutputBound>>,
    pub(crate) policy: SchedulePolicy,
    pub(crate) max_parallel: usize,
    pub(crate) abandoned: AbandonedList,
}

impl fmt::Debug for Dispatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dispatcher")
            .field("policy", &self.policy)
            .field("max_parallel", &self.max_parallel)
            .field("abandoned", &self.abandoned)
            .finish_non_exhaustive()
    }
}

impl Dispatcher {
    /// A dispatcher that allows every call, returns every output whole, and orders calls by their
    /// conflicts.
    pub fn new(registry: Arc<Registry>) -> Self {
        Self {
            registry,
            gate: None,
            bound: None,
            policy: SchedulePolicy::default(),
            max_parallel: DEFAULT_PARALLEL,
            abandoned: AbandonedList::default(),
        }
    }

    /// Asks this gate whether a valid call may run.
    #[must_use]
    pub fn with_gate(mut self, gate: Arc<dyn Gate>) -> Self {
        self.gate = Some(gate);
        self
    }

    /// Hands outputs that are longer than their tool's policy allows to this bound.
    #[must_use]
    pub fn with_output_bound(mut self, bound: Arc<dyn OutputBound>) -> Self {
        self.bound = Some(bound);
        self
    }

    /// Orders the calls of a batch by this policy.
    #[must_use]
    pub const fn with_policy(mut self, policy: SchedulePolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Lets at most so many calls of a batch run at the same time; at least one always may.
    #[must_use]
    pub const fn with_max_parallel(mut self, calls: usize) -> Self {
        self.max_parallel = calls;
        self
    }

    /// Runs one call.
    ///
    /// # Panics
    /// Outside of a tokio runtime with time enabled, as does everything that runs calls.
    pub async fn dispatch(&self, call: Call) -> ToolResult {
        let (id, name) = (call.id.clone(), call.name.clone());
        let mut results = self.batch(vec![call]).run().await;
        results.pop().unwrap_or_else(|| ToolResult::unanswered(id, name))
    }

    /// Runs calls as one batch; the short form of [`batch`](Self::batch).
    pub async fn dispatch_batch(&self, calls: Vec<Call>) -> Vec<ToolResult> {
        self.batch(calls).run().await
    }

    /// A batch of calls, to be run.
    pub fn batch(&self, calls: Vec<Call>) -> Batch {
        Batch {
            dispatcher: self.clone(),
            ask: Ask {
                calls,
                events: Events::default(),
                cancel: CancellationToken::new(),
                call_cancels: Vec::new(),
                snapshot: None,
            },
        }
    }

    /// The handlers that still run although their calls were answered, oldest first.
    pub fn abandoned(&self) -> Vec<Abandoned> {
        self.abandoned.list()
    }
}

/// Calls that are run together, and who listens and interrupts.
#[must_use = "a batch does nothing until it is run"]
pub struct Batch {
    dispatcher: Dispatcher,
    ask: Ask,
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch")
            .field("dispatcher", &self.dispatcher)
            .field("calls", &self.ask.calls)
            .finish_non_exhaustive()
    }
}

impl Batch {
    /// Reports everything that happens to this sink.
    pub fn events(mut self, sink: Arc<dyn EventSink>) -> Self {
        self.ask.events = Events(Some(sink));
        self
    }

    /// Cancels the whole batch when this token is cancelled.
    pub fn cancel(mut self, token: CancellationToken) -> Self {
        self.ask.cancel = token;
        self
    }

    /// Cancels single calls: the token at each place cancels the call at that place. Calls past the
    /// end of the list have none.
    pub fn call_cancels(mut self, tokens: Vec<CancellationToken>) -> Self {
        self.ask.call_cancels = tokens;
        self
    }

    /// Runs against this state of the ledger, not against that of the moment when the batch starts.
    pub fn snapshot(mut self, snapshot: Arc<Snapshot>) -> Self {
        self.ask.snapshot = Some(snapshot);
        self
    }

    /// Runs the calls: exactly one result for each, in their order, whatever ended first.
    ///
    /// Dropping the future drops the handlers that run.
    ///
    /// # Panics
    /// Outside of a tokio runtime with time enabled.
    pub async fn run(self) -> Vec<ToolResult> {
        Box::pin(drive(self.dispatcher, self.ask)).await
    }
}
