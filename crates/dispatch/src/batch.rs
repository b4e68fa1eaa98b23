//! The driver of a batch: asks the schedule what may start, and tells it what ended.
//!
//! One future owns the whole state, so nothing here is locked and no result can be given twice.

mod ids;

use std::{
    panic::AssertUnwindSafe,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use callgate_registry::{BoxFuture, Effects, Snapshot, ToolOutput};
use futures_util::{FutureExt, StreamExt, stream::FuturesUnordered};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{
    answer::{NEVER_STARTED, Told},
    call::{Arguments, Call},
    dispatcher::Dispatcher,
    event::{CallEvent, CallIndex},
    gate::{PermitRequest, Verdict},
    guard::discard,
    live::{Events, Live},
    policy::SchedulePolicy,
    prepare::{Prepared, Refused, as_it_came, effects_of, panicked, prepare},
    repair::Repair,
    result::{ErrorCode, Timing, ToolResult},
    running::{Job, cancelled, run},
    schedule::Schedule,
};

/// Calls that are admitted, and planned, before those that run are looked after again. Either takes
/// microseconds a call, so an answer waits for less than a millisecond.
const HANDLED_AT_ONCE: usize = 64;

/// What is asked of a dispatcher.
pub(crate) struct Ask {
    pub(crate) calls: Vec<Call>,
    pub(crate) events: Events,
    pub(crate) cancel: CancellationToken,
    pub(crate) call_cancels: Vec<CancellationToken>,
    pub(crate) snapshot: Option<Arc<Snapshot>>,
}

/// One call on its way.
struct Entry {
    id: String,
    name: String,
    /// The id that is unique within the batch.
    call_id: String,
    arguments: Option<Arguments>,
    /// Ready to run, and how many handlers had begun when that was found out.
    ready: Option<(Prepared, u64)>,
    queued_us: Option<u64>,
    started_us: Option<u64>,
    result: Option<ToolResult>,
}

struct Driver {
    dispatcher: Dispatcher,
    snapshot: Arc<Snapshot>,
    events: Events,
    cancel: CancellationToken,
    call_cancels: Vec<CancellationToken>,
    schedule: Schedule,
    entries: Vec<Entry>,
    begin: Instant,
    /// Calls without a result.
    left: usize,
    /// Calls that were looked up and validated.
    admitted: usize,
    /// The last of these that runs alone, as far as could be told when it was admitted.
    last_alone: Option<CallIndex>,
    /// How many handlers began: what a call touches may be another thing after one ran.
    begun: u64,
    /// What the gate was asked and has not answered yet.
    questions: FuturesUnordered<BoxFuture<'static, (CallIndex, Verdict)>>,
    runs: FuturesUnordered<BoxFuture<'static, (CallIndex, Told, Vec<Repair>)>>,
    interrupts: FuturesUnordered<BoxFuture<'static, CallIndex>>,
}

/// Runs a batch.
pub(crate) async fn drive(dispatcher: Dispatcher, ask: Ask) -> Vec<ToolResult> {
    let mut driver = Driver::new(dispatcher, ask);
    let cancel = driver.cancel.clone();
    let cancelled = cancel.cancelled();
    tokio::pin!(cancelled);
    let mut is_cancelled = false;
    loop {
        if !is_cancelled && cancel.is_cancelled() {
            is_cancelled = true;
            driver.cancel_waiting();
        }
        driver.admit_some();
        driver.plan_some();
        driver.start_ready();
        if driver.left == 0 {
            break;
        }
        if driver.admitted < driver.entries.len() || driver.plannable().is_some() {
            tokio::task::yield_now().await;
            driver.collect();
            continue;
        }
        if driver.runs.is_empty() && driver.questions.is_empty() {
            // Nothing could ever happen again. That would be a fault of the schedule, and the rest
            // is answered as one.
            break;
        }
        tokio::select! {
            biased;
            () = &mut cancelled, if !is_cancelled => {}
            Some(index) = driver.interrupts.next() => driver.cancel_one(index),
            Some((index, told, repairs)) = driver.runs.next() => driver.ended(index, told, repairs),
            Some((index, verdict)) = driver.questions.next() => driver.decided(index, verdict),
        }
    }
    driver.into_results()
}

impl Driver {
    fn new(dispatcher: Dispatcher, ask: Ask) -> Self {
        let Ask { calls, events, cancel, call_cancels, snapshot } = ask;
        let begin = Instant::now();
        let schedule = Schedule::new(dispatcher.policy, calls.len(), dispatcher.max_parallel);
        let interrupts = FuturesUnordered::new();
        for (index, token) in call_cancels.iter().take(calls.len()).enumerate() {
            let cancelled = token.clone().cancelled_owned();
            interrupts.push(cancelled.map(move |()| index).boxed());
        }
        Self {
            snapshot: snapshot.unwrap_or_else(|| dispatcher.registry.snapshot()),
            dispatcher,
            events,
            cancel,
            call_cancels,
            schedule,
            begin,
            left: calls.len(),
            admitted: 0,
            last_alone: None,
            begun: 0,
            entries: entries(calls),
            questions: FuturesUnordered::new(),
            runs: FuturesUnordered::new(),
            interrupts,
        }
    }

    fn now_us(&self) -> u64 {
        u64::try_from(self.begin.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn admit_some(&mut self) {
        let end = self.entries.len().min(self.admitted + HANDLED_AT_ONCE);
        for index in self.admitted..end {
            self.admitted = index + 1;
            if self.is_cancelled(index) {
                self.cancel_one(index);
            } else {
                self.admit(index);
            }
        }
    }

    /// Looks up and validates a call, and answers it at once if it can't run.
    fn admit(&mut self, index: CallIndex) {
        let Some(entry) = self.entries.get_mut(index) else {
            return;
        };
        // A call that was cancelled meanwhile was announced and answered then.
        let Some(arguments) = entry.arguments.take() else {
            return;
        };
        match prepare(&self.snapshot, &entry.name, arguments) {
            Ok(ready) => {
                self.queued(index, || CallEvent::Queued {
                    arguments: ready.arguments.clone(),
                    subject: ready.subject.clone(),
                    read_only: ready.effects.is_read_only(),
                });
                self.tell_of_one_alone(index, &ready.effects);
                let begun = self.begun;
                if let Some(entry) = self.entries.get_mut(index) {
                    entry.ready = Some((ready, begun));
                }
            }
            Err(Refused { code, message, arguments }) => {
                self.queued(index, || CallEvent::Queued {
                    arguments,
                    subject: None,
                    read_only: false,
                });
                self.refuse(index, code, message);
            }
        }
    }

    /// A call behind one that runs alone is planned only when that one has ended. It waits for it all
    /// the same, and is said to.
    fn tell_of_one_alone(&mut self, index: CallIndex, effects: &Effects) {
        if let Some(alone) = self.last_alone.filter(|alone| !self.has_result(*alone)) {
            self.events.emit(index, || CallEvent::Waiting { on: vec![alone] });
        }
        let sequential = self.dispatcher.policy == SchedulePolicy::Sequential;
        if sequential || *effects == Effects::Everything {
            self.last_alone = Some(index);
        }
    }

    fn plannable(&mut self) -> Option<CallIndex> {
        self.schedule.plannable().filter(|index| *index < self.admitted)
    }

    fn plan_some(&mut self) {
        for _ in 0..HANDLED_AT_ONCE {
            let Some(index) = self.plannable() else {
                return;
            };
            self.plan(index);
        }
    }

    fn plan(&mut self, index: CallIndex) {
        if self.is_cancelled(index) {
            return self.cancel_one(index);
        }
        let begun = self.begun;
        let Some((ready, seen)) =
            self.entries.get_mut(index).and_then(|entry| entry.ready.as_mut())
        else {
            return;
        };
        let effects = if *seen == begun {
            Some(std::mem::replace(&mut ready.effects, Effects::Everything))
        } else {
            effects_of(&ready.tool, &ready.arguments)
        };
        let Some(effects) = effects else {
            let message = panicked(ready.tool.name());
            return self.refuse(index, ErrorCode::ExecutionError, message);
        };
        let request = self.request(index, &effects);
        self.schedule.plan(index, effects);
        self.tell_blockers(index);
        self.ask(index, request);
    }

    /// Notes that a call was admitted; the first that is heard of it.
    fn queued(&mut self, index: CallIndex, event: impl FnOnce() -> CallEvent) {
        let now = self.now_us();
        if let Some(entry) = self.entries.get_mut(index) {
            entry.queued_us = Some(now);
        }
        self.events.emit(index, event);
    }

    fn tell_blockers(&self, index: CallIndex) {
        if self.events.0.is_some() {
            let on = self.schedule.blockers(index);
            if !on.is_empty() {
                self.events.emit(index, || CallEvent::Waiting { on });
            }
        }
    }

    fn request(&self, index: CallIndex, effects: &Effects) -> Option<PermitRequest> {
        self.dispatcher.gate.as_ref()?;
        let entry = self.entries.get(index)?;
        let (ready, _) = entry.ready.as_ref()?;
        let events = self.events.clone();
        let asking = move |reason: String| {
            events.emit(index, || CallEvent::AwaitingApproval { reason });
        };
        Some(PermitRequest {
            tool: Arc::clone(&ready.tool),
            call_id: entry.call_id.clone(),
            arguments: ready.arguments.clone(),
            effects: effects.clone(),
            asking: Arc::new(asking),
        })
    }

    /// Asks the gate, if there is one. Most answers are there at once.
    fn ask(&mut self, index: CallIndex, request: Option<PermitRequest>) {
        let (Some(gate), Some(request)) = (self.dispatcher.gate.clone(), request) else {
            return self.schedule.permit(index);
        };
        let cancel = self.call_cancels.get(index).cloned();
        let mut question: BoxFuture<'static, (CallIndex, Verdict)> = Box::pin(async move {
            let asked = AssertUnwindSafe(async { gate.permit(request).await }).catch_unwind();
            let verdict = tokio::select! {
                biased;
                () = cancelled(cancel.as_ref()) => deny("the call was cancelled"),
                verdict = asked => verdict.unwrap_or_else(|payload| {
                    discard(payload);
                    deny("the permission could not be decided")
                }),
            };
            (index, verdict)
        });
        match question.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready((index, verdict)) => self.decided(index, verdict),
            Poll::Pending => self.questions.push(question),
        }
    }

    fn decided(&mut self, index: CallIndex, verdict: Verdict) {
        if self.is_cancelled(index) {
            self.cancel_one(index);
        }
        if self.has_result(index) {
            return;
        }
        let (allowed, reason) = match verdict {
            Verdict::Allow { reason } => (true, reason),
            Verdict::Deny { reason } => (false, reason),
        };
        self.events.emit(index, || CallEvent::Decided { allowed, reason: reason.clone() });
        if allowed {
            self.schedule.permit(index);
        } else {
            self.refuse(index, ErrorCode::Denied, reason);
        }
    }

    fn start_ready(&mut self) {
        while let Some(index) = self.schedule.start() {
            if self.is_cancelled(index) {
                self.cancel_one(index);
            } else {
                self.start(index);
            }
        }
        for index in self.schedule.newly_starved() {
            self.events.emit(index, || CallEvent::Waiting { on: Vec::new() });
        }
    }

    fn start(&mut self, index: CallIndex) {
        let now = self.now_us();
        let Some(entry) = self.entries.get_mut(index) else {
            return;
        };
        let Some((ready, _)) = entry.ready.take() else {
            return;
        };
        self.begun += 1;
        entry.started_us = Some(now);
        self.events.emit(index, || CallEvent::Started);
        let Prepared { tool, arguments, repairs, limit, .. } = ready;
        let call_id = entry.call_id.clone();
        let deadline = Instant::now().checked_add(limit).map(Instant::into_std);
        let live = Live::new(index, call_id.clone(), deadline, self.events.clone());
        let job = Job {
            tool: Arc::clone(&tool),
            arguments,
            limit,
            live: Arc::clone(&live),
            call_id: call_id.clone(),
            batch: self.cancel.clone(),
            cancel: self.call_cancels.get(index).cloned(),
            abandoned: self.dispatcher.abandoned.clone(),
        };
        let bound = self.dispatcher.bound.clone();
        self.runs.push(Box::pin(async move {
            let ending = run(job).await;
            let told = Told::new(&tool, limit, ending, live.close());
            let told = told.bounded(&tool, &call_id, bound.as_ref(), &repairs).await;
            (index, told, repairs)
        }));
    }

    /// Takes what has ended, without waiting.
    fn collect(&mut self) {
        while let Some(Some(index)) = self.interrupts.next().now_or_never() {
            self.cancel_one(index);
        }
        while let Some(Some((index, told, repairs))) = self.runs.next().now_or_never() {
            self.ended(index, told, repairs);
        }
        while let Some(Some((index, verdict))) = self.questions.next().now_or_never() {
            self.decided(index, verdict);
        }
    }

    fn ended(&mut self, index: CallIndex, told: Told, repairs: Vec<Repair>) {
        self.finish(index, told.code, told.output, repairs);
    }

    /// Answers a call that did not run.
    fn refuse(&mut self, index: CallIndex, code: ErrorCode, message: String) {
        self.finish(index, Some(code), ToolOutput::text(message), Vec::new());
    }

    /// Answers a call and frees those that waited for it.
    fn finish(
        &mut self,
        index: CallIndex,
        code: Option<ErrorCode>,
        output: ToolOutput,
        repairs: Vec<Repair>,
    ) {
        let changed = self.schedule.end(index);
        self.answer(index, code, output, repairs);
        for other in changed {
            self.tell_blockers(other);
        }
    }

    fn answer(
        &mut self,
        index: CallIndex,
        code: Option<ErrorCode>,
        output: ToolOutput,
        repairs: Vec<Repair>,
    ) {
        let now = self.now_us();
        let Some(entry) = self.entries.get_mut(index).filter(|entry| entry.result.is_none()) else {
            return;
        };
        self.left -= 1;
        entry.ready = None;
        let result = ToolResult {
            tool_use_id: std::mem::take(&mut entry.id),
            name: std::mem::take(&mut entry.name),
            error_code: code,
            content: output.content,
            spill: output.spill,
            exit_code: output.exit_code,
            repairs,
            timing: Timing {
                queued_us: entry.queued_us.unwrap_or(now),
                started_us: entry.started_us.unwrap_or(now),
                finished_us: now,
            },
        };
        if let Some(spill) = &result.spill {
            self.events.emit(index, || CallEvent::Spilled(spill.clone()));
        }
        self.events.emit(index, || CallEvent::Finished(Box::new(result.clone())));
        entry.result = Some(result);
    }

    fn has_result(&self, index: CallIndex) -> bool {
        self.entries.get(index).is_none_or(|entry| entry.result.is_some())
    }

    fn is_cancelled(&self, index: CallIndex) -> bool {
        self.call_cancels.get(index).is_some_and(CancellationToken::is_cancelled)
    }

    /// Whether a call can be answered without asking its handler to stop.
    fn is_waiting(&self, index: CallIndex) -> bool {
        let waits = |entry: &Entry| entry.result.is_none() && entry.started_us.is_none();
        self.entries.get(index).is_some_and(waits)
    }

    /// Cancels a call that waits. One that runs listens to its token itself.
    fn cancel_one(&mut self, index: CallIndex) {
        if self.is_waiting(index) {
            self.admit_unread(index);
            self.refuse(index, ErrorCode::Cancelled, NEVER_STARTED.to_owned());
        }
    }

    fn cancel_waiting(&mut self) {
        let waiting: Vec<CallIndex> =
            (0..self.entries.len()).filter(|index| self.is_waiting(*index)).collect();
        // The last is taken out first, so that none inherits what another waited for.
        for index in waiting.iter().rev() {
            self.schedule.end(*index);
        }
        for index in waiting {
            self.admit_unread(index);
            let output = ToolOutput::text(NEVER_STARTED);
            self.answer(index, Some(ErrorCode::Cancelled), output, Vec::new());
        }
        self.questions.clear();
    }

    /// Announces a call that is answered before its turn to be planned came.
    fn admit_unread(&mut self, index: CallIndex) {
        let unread = self.entries.get_mut(index).and_then(|entry| entry.arguments.take());
        if let Some(arguments) = unread {
            self.queued(index, || CallEvent::Queued {
                arguments: as_it_came(arguments),
                subject: None,
                read_only: false,
            });
        }
    }

    fn into_results(self) -> Vec<ToolResult> {
        let unanswered = |entry: Entry| {
            let Entry { id, name, result, .. } = entry;
            result.unwrap_or_else(|| ToolResult::unanswered(id, name))
        };
        self.entries.into_iter().map(unanswered).collect()
    }
}

fn entries(calls: Vec<Call>) -> Vec<Entry> {
    let ids = ids::unique(&calls);
    let entry = |(call, call_id): (Call, String)| Entry {
        id: call.id,
        name: call.name,
        call_id,
        arguments: Some(call.arguments),
        ready: None,
        queued_us: None,
        started_us: None,
        result: None,
    };
    calls.into_iter().zip(ids).map(entry).collect()
}

fn deny(reason: &str) -> Verdict {
    Verdict::Deny { reason: reason.to_owned() }
}
