//! A batch equals its sequential execution: random batches against a model that runs the calls one
//! by one.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use callgate_dispatch::{
    Call, CallEvent, Dispatcher, ErrorCode, Gate, PermitRequest, SchedulePolicy, ToolResult,
    Verdict,
};
use callgate_registry::{
    Access, BoxFuture, Effects, Invocation, Mode, Registry, Resource, ToolError, ToolOutput,
};
use proptest::{collection::vec, prelude::*};
use serde_json::{Value, json};
use support::Recorder;
use tokio_util::sync::CancellationToken;

/// Files of the simulated world. A subtree is all files that begin with it.
const FILES: [&str; 5] = ["/a", "/a/b", "/a/b/c", "/d", "/d/e"];

/// What one call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    Succeed,
    /// Fails after half of its writes.
    Fail,
    /// Panics after half of its writes.
    Panic,
    Deny,
    /// Denied after a while.
    DenyLate,
    Unknown,
    Invalid,
    /// Cancelled before the batch starts.
    CancelFirst,
    /// Cancelled at some moment, by another call.
    CancelLater,
}

#[derive(Debug, Clone)]
struct Plan {
    deed: Deed,
    effects: Effects,
    /// Turns for which it yields before it writes, and milliseconds that it sleeps.
    yields: u8,
    sleep_ms: u8,
}

fn any_plan() -> impl Strategy<Value = Plan> {
    let deed = prop::sample::select(vec![
        Deed::Succeed,
        Deed::Succeed,
        Deed::Succeed,
        Deed::Succeed,
        Deed::Fail,
        Deed::Panic,
        Deed::Deny,
        Deed::DenyLate,
        Deed::Unknown,
        Deed::Invalid,
        Deed::CancelFirst,
        Deed::CancelLater,
    ]);
    let one = (prop::sample::select(FILES.to_vec()), 0..5).prop_map(|(path, kind)| match kind {
        0 | 1 => Effects::reads_path(path),
        2 => Effects::writes_path(path),
        3 => Effects::reads_subtree(path),
        _ => Effects::writes_subtree(path),
    });
    let effects = prop_oneof![
        1 => Just(Effects::Everything),
        8 => vec(one, 0..3).prop_map(|all| all.into_iter().fold(Effects::none(), Effects::and)),
    ];
    (deed, effects, 0..3_u8, 0..3_u8).prop_map(|(deed, effects, yields, sleep_ms)| Plan {
        deed,
        effects,
        yields,
        sleep_ms,
    })
}

/// The files that the accesses of one mode reach.
fn files(effects: &Effects, mode: Mode) -> Vec<&'static str> {
    let reached = |file: &&&str| match effects {
        Effects::Everything => true,
        Effects::Only(accesses) => accesses.iter().any(|Access { mode: used, resource }| {
            let file = Resource::Path((**file).into());
            (mode == Mode::Read || *used == mode) && resource.overlaps(&file)
        }),
    };
    FILES.iter().filter(reached).copied().collect()
}

type World = BTreeMap<&'static str, u64>;

/// What a call writes: something that depends on all that it read, so that no order is like another.
fn written(index: usize, seen: &World) -> u64 {
    let mix =
        |sum: u64, value: &u64| sum.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(*value);
    seen.values().fold(index as u64 + 1, mix)
}

fn look(world: &World, effects: &Effects) -> World {
    files(effects, Mode::Read)
        .into_iter()
        .filter_map(|file| Some((file, *world.get(file)?)))
        .collect()
}

/// How many of its writes a call makes.
fn share(deed: Deed, writes: usize) -> usize {
    if matches!(deed, Deed::Fail | Deed::Panic) { writes / 2 } else { writes }
}

#[derive(Default)]
struct Simulation {
    world: Mutex<World>,
    /// Calls whose handler is between its first and its last step.
    active: Mutex<Vec<usize>>,
    overlaps: Mutex<Vec<(usize, usize)>>,
    /// What each call that came to write had seen.
    seen: Mutex<BTreeMap<usize, World>>,
}

/// Takes a call off the active ones also when it panics or is dropped.
struct Active<'a>(&'a Simulation, usize);

impl Drop for Active<'_> {
    fn drop(&mut self) {
        self.0.active.lock().unwrap().retain(|index| *index != self.1);
    }
}

impl Simulation {
    async fn act(
        &self,
        plans: &[Plan],
        tokens: &[CancellationToken],
        invocation: Invocation,
    ) -> Result<ToolOutput, ToolError> {
        let index = usize::try_from(invocation.arguments["index"].as_u64().unwrap()).unwrap();
        let Plan { deed, effects, yields, sleep_ms } = &plans[index];
        {
            let mut active = self.active.lock().unwrap();
            let meets = |other: &&usize| effects.conflicts_with(&plans[**other].effects);
            self.overlaps.lock().unwrap().extend(active.iter().filter(meets).map(|o| (*o, index)));
            active.push(index);
        }
        let _active = Active(self, index);
        let seen = look(&self.world.lock().unwrap(), effects);
        for _ in 0..*yields {
            tokio::task::yield_now().await;
        }
        if *sleep_ms > 0 {
            tokio::time::sleep(Duration::from_millis(u64::from(*sleep_ms))).await;
        }
        for (plan, token) in plans.iter().zip(tokens) {
            if plan.deed == Deed::CancelLater && *yields == 2 {
                token.cancel();
            }
        }
        let writes = files(effects, Mode::Write);
        let value = written(index, &seen);
        let mut world = self.world.lock().unwrap();
        world.extend(writes[..share(*deed, writes.len())].iter().map(|file| (*file, value)));
        drop(world);
        self.seen.lock().unwrap().insert(index, seen);
        match deed {
            Deed::Fail => Err(ToolError::failed("failed")),
            Deed::Panic => std::panic::resume_unwind(Box::new("no noise from the hook")),
            _ => Ok(ToolOutput::text(value.to_string())),
        }
    }
}

struct ByDeed(Vec<Plan>);

impl Gate for ByDeed {
    fn permit(&self, request: PermitRequest) -> BoxFuture<'_, Verdict> {
        let index = usize::try_from(request.arguments["index"].as_u64().unwrap()).unwrap();
        let deed = self.0[index].deed;
        Box::pin(async move {
            if deed == Deed::DenyLate {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            if matches!(deed, Deed::Deny | Deed::DenyLate) {
                return Verdict::Deny { reason: "denied".to_owned() };
            }
            Verdict::Allow { reason: "allowed".to_owned() }
        })
    }
}

fn call(index: usize, plan: &Plan) -> Call {
    let name = if plan.deed == Deed::Unknown { "nobody" } else { "act" };
    let wrong = if plan.deed == Deed::Invalid { json!({}) } else { json!({ "index": index }) };
    Call::new(format!("c{}", index % 3), name, wrong)
}

struct Outcome {
    simulation: Arc<Simulation>,
    results: Vec<ToolResult>,
    events: Vec<(usize, CallEvent)>,
}

async fn execute(policy: SchedulePolicy, slots: usize, plans: &[Plan]) -> Outcome {
    let simulation = Arc::new(Simulation::default());
    *simulation.world.lock().unwrap() = FILES.iter().map(|file| (*file, 0)).collect();
    let tokens: Vec<CancellationToken> = plans.iter().map(|_| CancellationToken::new()).collect();
    for (plan, token) in plans.iter().zip(&tokens) {
        if plan.deed == Deed::CancelFirst {
            token.cancel();
        }
    }
    let shared = (Arc::clone(&simulation), Arc::new(plans.to_vec()), tokens.clone());
    let of_plan = Arc::clone(&shared.1);
    let schema = json!({
        "type": "object",
        "properties": {"index": {"type": "integer"}},
        "required": ["index"],
    });
    let act = support::tool_with("act", schema, move |invocation| {
        let (simulation, plans, tokens) = shared.clone();
        async move { simulation.act(&plans, &tokens, invocation).await }
    })
    .effects(move |arguments: &Value| {
        let index = usize::try_from(arguments["index"].as_u64().unwrap()).unwrap();
        of_plan[index].effects.clone()
    });
    let registry = Registry::new();
    registry.register(act).unwrap();
    let recorder = Arc::new(Recorder::default());
    let results = Dispatcher::new(Arc::new(registry))
        .with_gate(Arc::new(ByDeed(plans.to_vec())))
        .with_policy(policy)
        .with_max_parallel(slots)
        .batch(plans.iter().enumerate().map(|(index, plan)| call(index, plan)).collect())
        .call_cancels(tokens)
        .events(Arc::clone(&recorder) as _)
        .run()
        .await;
    Outcome { simulation, results, events: recorder.all() }
}

/// Runs the calls one by one, as far as they ran in truth.
fn replay(plans: &[Plan], ran: &BTreeMap<usize, World>) -> (World, BTreeMap<usize, World>) {
    let mut world: World = FILES.iter().map(|file| (*file, 0)).collect();
    let mut seen = BTreeMap::new();
    for (index, Plan { deed, effects, .. }) in plans.iter().enumerate() {
        if !ran.contains_key(&index) {
            continue;
        }
        let looked = look(&world, effects);
        let writes = files(effects, Mode::Write);
        let value = written(index, &looked);
        world.extend(writes[..share(*deed, writes.len())].iter().map(|file| (*file, value)));
        seen.insert(index, looked);
    }
    (world, seen)
}

fn expected(deed: Deed) -> &'static [Option<ErrorCode>] {
    match deed {
        Deed::Succeed => &[None],
        Deed::Fail | Deed::Panic => &[Some(ErrorCode::ExecutionError)],
        Deed::Deny | Deed::DenyLate => &[Some(ErrorCode::Denied)],
        Deed::Unknown => &[Some(ErrorCode::UnknownTool)],
        Deed::Invalid => &[Some(ErrorCode::InvalidArguments)],
        Deed::CancelFirst => &[Some(ErrorCode::Cancelled)],
        Deed::CancelLater => &[None, Some(ErrorCode::Cancelled)],
    }
}

/// Each call is queued first and finished last, each once, and waits only for what it conflicts with
/// or what runs alone.
fn check_events(policy: SchedulePolicy, plans: &[Plan], events: &[(usize, CallEvent)]) {
    for index in 0..plans.len() {
        let own: Vec<_> = events.iter().filter(|(at, _)| *at == index).map(|(_, e)| e).collect();
        assert!(matches!(own.first(), Some(CallEvent::Queued { .. })));
        assert!(matches!(own.last(), Some(CallEvent::Finished(_))));
        let finished = own.iter().filter(|e| matches!(e, CallEvent::Finished(_))).count();
        let queued = own.iter().filter(|e| matches!(e, CallEvent::Queued { .. })).count();
        let started = own.iter().filter(|e| matches!(e, CallEvent::Started)).count();
        assert!((queued, finished) == (1, 1) && started <= 1, "{own:?}");
        for event in own {
            let CallEvent::Waiting { on } = event else { continue };
            for other in on {
                let effects = &plans[index].effects;
                let other_effects = &plans[*other].effects;
                // What follows a call that may touch anything is planned when that has ended.
                let conflict =
                    effects.conflicts_with(other_effects) || *other_effects == Effects::Everything;
                assert!(*other < index && (conflict || policy != SchedulePolicy::Conflicts));
            }
        }
    }
}

fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases.unwrap_or(10_000))
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_batch_leaves_the_world_as_its_calls_one_by_one_would(
        policy in prop::sample::select(vec![
            SchedulePolicy::Sequential,
            SchedulePolicy::AllOrNothing,
            SchedulePolicy::Conflicts,
            SchedulePolicy::Conflicts,
        ]),
        slots in 1..6_usize,
        plans in vec(any_plan(), 0..9),
    ) {
        let outcome = runtime().block_on(execute(policy, slots, &plans));
        let simulation = &outcome.simulation;
        prop_assert_eq!(outcome.results.len(), plans.len());
        for (index, (plan, result)) in plans.iter().zip(&outcome.results).enumerate() {
            prop_assert_eq!(&result.tool_use_id, &format!("c{}", index % 3));
            prop_assert!(expected(plan.deed).contains(&result.error_code), "{:?}", result);
        }
        prop_assert_eq!(&*simulation.overlaps.lock().unwrap(), &[]);
        let ran = simulation.seen.lock().unwrap().clone();
        let (world, seen) = replay(&plans, &ran);
        prop_assert_eq!(seen, ran);
        prop_assert_eq!(world, simulation.world.lock().unwrap().clone());
        check_events(policy, &plans, &outcome.events);
    }
}

#[test]
fn the_simulation_notices_an_overlap() {
    let write = Effects::writes_path("/d");
    let plan = Plan { deed: Deed::Succeed, effects: write, yields: 1, sleep_ms: 1 };
    let plans = [plan.clone(), plan];
    let simulation = Simulation::default();
    runtime().block_on(async {
        let acts = [0, 1].map(|index| {
            simulation.act(&plans, &[], Invocation::new(json!({ "index": index }), Quiet))
        });
        futures_util::future::join_all(acts).await;
    });
    assert_eq!(*simulation.overlaps.lock().unwrap(), [(0, 1)]);
}

/// A context for a handler that asks nothing.
#[derive(Debug)]
struct Quiet;

impl callgate_registry::CallContext for Quiet {
    fn call_id(&self) -> &'static str {
        "quiet"
    }
    fn stopped(&self) -> BoxFuture<'static, callgate_registry::Stop> {
        Box::pin(std::future::pending())
    }
    fn stop(&self) -> Option<callgate_registry::Stop> {
        None
    }
    fn deadline(&self) -> Option<std::time::Instant> {
        None
    }
    fn progress(&self, _: callgate_registry::OutputChunk) {}
}
