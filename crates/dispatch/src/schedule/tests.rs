use proptest::{collection::vec, prelude::*};

use super::*;

/// The effects of a call, over few names so that they meet often.
fn any_effects() -> impl Strategy<Value = Effects> {
    let path = prop::sample::select(vec!["/", "/a", "/a/b", "/a/b/c", "/a/bc", "/d", "/d/e"]);
    let one = (path, 0..6).prop_map(|(path, kind)| match kind {
        0 => Effects::reads_path(path),
        1 => Effects::writes_path(path),
        2 => Effects::reads_subtree(path),
        3 => Effects::writes_subtree(path),
        4 => Effects::reads_named(path),
        _ => Effects::writes_named(path),
    });
    prop_oneof![
        1 => Just(Effects::Everything),
        1 => Just(Effects::none()),
        12 => vec(one, 1..3).prop_map(|all| all.into_iter().fold(Effects::none(), Effects::and)),
    ]
}

fn any_policy() -> impl Strategy<Value = SchedulePolicy> {
    prop::sample::select(vec![
        SchedulePolicy::Sequential,
        SchedulePolicy::AllOrNothing,
        SchedulePolicy::Conflicts,
        SchedulePolicy::Conflicts,
    ])
}

/// What a model of the batch knows of each call, by the simplest means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Unplanned,
    Asked,
    Permitted,
    Running,
    Ended,
}

struct Model {
    policy: SchedulePolicy,
    slots: usize,
    effects: Vec<Effects>,
    stages: Vec<Stage>,
    schedule: Schedule,
    started: Vec<Id>,
    /// Whether any two calls that were planned conflict, or one may touch anything.
    conflict_seen: bool,
}

impl Model {
    fn new(policy: SchedulePolicy, slots: usize, effects: Vec<Effects>) -> Self {
        let schedule = Schedule::new(policy, effects.len(), slots);
        let stages = vec![Stage::Unplanned; effects.len()];
        Self { policy, slots, effects, stages, schedule, started: Vec::new(), conflict_seen: false }
    }

    fn at(&self, stage: Stage) -> Vec<Id> {
        (0..self.stages.len()).filter(|id| self.stages[*id] == stage).collect()
    }

    /// Whether the policy makes `later` wait for `earlier`, neither of which has ended.
    fn must_wait(&self, later: Id, earlier: Id) -> bool {
        let conflict = self.effects[later].conflicts_with(&self.effects[earlier]);
        match self.policy {
            SchedulePolicy::Sequential => true,
            SchedulePolicy::AllOrNothing => self.conflict_seen || conflict,
            SchedulePolicy::Conflicts => conflict,
        }
    }

    fn blockers(&self, id: Id) -> Vec<Id> {
        let open = |other: &Id| !matches!(self.stages[*other], Stage::Ended | Stage::Unplanned);
        (0..id).filter(open).filter(|other| self.must_wait(id, *other)).collect()
    }

    fn plan_next(&mut self, can_run: bool) -> bool {
        let Some(id) = self.schedule.plannable() else {
            return false;
        };
        assert_eq!(self.at(Stage::Unplanned).first(), Some(&id), "calls are planned in order");
        if !can_run {
            self.end(id);
            return true;
        }
        let effects = &self.effects[id];
        let meets = (0..id).any(|other| {
            !matches!(self.stages[other], Stage::Ended | Stage::Unplanned)
                && effects.conflicts_with(&self.effects[other])
        });
        self.conflict_seen |= meets || *effects == Effects::Everything;
        self.schedule.plan(id, self.effects[id].clone());
        self.stages[id] = Stage::Asked;
        true
    }

    fn permit(&mut self, id: Id) {
        self.schedule.permit(id);
        self.stages[id] = Stage::Permitted;
    }

    fn end(&mut self, id: Id) {
        self.schedule.end(id);
        self.stages[id] = Stage::Ended;
    }

    /// Starts what may start, and checks that it was all of that and no more.
    fn start_and_check(&mut self) {
        while let Some(id) = self.schedule.start() {
            assert_eq!(self.stages[id], Stage::Permitted, "call {id} was not permitted");
            assert_eq!(self.blockers(id), Vec::<Id>::new(), "call {id} overtook these");
            self.stages[id] = Stage::Running;
            self.started.push(id);
        }
        let running = self.at(Stage::Running).len();
        assert!(running <= self.slots, "{running} run in {} slots", self.slots);
        let undecided = self.policy == SchedulePolicy::AllOrNothing
            && !self.conflict_seen
            && !self.at(Stage::Unplanned).is_empty();
        for id in self.at(Stage::Permitted) {
            let waits = !self.blockers(id).is_empty() || running == self.slots || undecided;
            assert!(waits, "call {id} waits for nothing");
        }
        for id in self.at(Stage::Permitted).into_iter().chain(self.at(Stage::Asked)) {
            let told = self.schedule.blockers(id);
            let real = self.blockers(id);
            assert!(told.iter().all(|other| real.contains(other)), "{id}: {told:?} of {real:?}");
            assert_eq!(told.is_empty(), real.is_empty() || undecided, "{id}: {told:?} {real:?}");
        }
        if let (None, Some(id)) = (self.schedule.plannable(), self.at(Stage::Unplanned).first()) {
            let open = |other: Id| self.stages[other] != Stage::Ended;
            let behind =
                (0..*id).any(|other| open(other) && self.effects[other] == Effects::Everything);
            assert!(behind, "call {id} is not planned, and nobody knows why");
        }
    }

    /// Lets one thing happen that may happen.
    fn step(&mut self, choice: u8, which: usize) {
        let pick = |from: Vec<Id>| (!from.is_empty()).then(|| from[which % from.len()]);
        match choice {
            0..4 => {
                self.plan_next(choice != 3);
            }
            4..7 => pick(self.at(Stage::Asked)).into_iter().for_each(|id| self.permit(id)),
            7..9 => pick(self.at(Stage::Running)).into_iter().for_each(|id| self.end(id)),
            9 => pick(self.at(Stage::Asked)).into_iter().for_each(|id| self.end(id)),
            10 => pick(self.at(Stage::Permitted)).into_iter().for_each(|id| self.end(id)),
            _ => pick(self.at(Stage::Unplanned)).into_iter().for_each(|id| self.end(id)),
        }
        self.start_and_check();
    }

    /// Lets everything end well.
    fn run_out(&mut self) {
        for _ in 0..4 * self.effects.len() {
            while self.plan_next(true) {}
            self.at(Stage::Asked).into_iter().for_each(|id| self.permit(id));
            self.start_and_check();
            self.at(Stage::Running).into_iter().for_each(|id| self.end(id));
        }
        assert_eq!(self.at(Stage::Ended).len(), self.effects.len(), "some calls never end");
    }
}

/// Cases of the properties: ten thousand, unless the environment says otherwise.
fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases.unwrap_or(10_000))
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn starts_exactly_what_a_brute_force_model_allows(
        policy in any_policy(),
        slots in 1..5_usize,
        effects in vec(any_effects(), 1..12),
        steps in vec((0..12_u8, any::<usize>()), 0..60),
    ) {
        let mut model = Model::new(policy, slots, effects);
        for (choice, which) in steps {
            model.step(choice, which);
        }
        model.run_out();
    }

    #[test]
    fn starts_in_call_order_where_only_slots_are_missing(slots in 1..5_usize, calls in 1..40_usize) {
        let mut model = Model::new(SchedulePolicy::Conflicts, slots, vec![Effects::none(); calls]);
        model.run_out();
        prop_assert!(model.started.is_sorted());
    }
}

#[test]
fn a_thousand_writers_of_one_file_are_a_chain() {
    let mut schedule = Schedule::new(SchedulePolicy::Conflicts, 1_000, 16);
    while let Some(id) = schedule.plannable() {
        schedule.plan(id, Effects::writes_path("/f"));
    }
    assert_eq!(schedule.edges, 999);
}

#[test]
fn past_the_edge_budget_planning_waits_for_what_is_planned() {
    let mut schedule = Schedule::new(SchedulePolicy::Conflicts, 30, 30);
    schedule.edge_budget = 25;
    let effects = |id: Id| {
        let path = format!("/d/{id}");
        if id < 10 { Effects::reads_subtree("/d") } else { Effects::writes_path(path) }
    };
    let (mut planned, mut ended) = (Vec::new(), Vec::new());
    while ended.len() < 30 {
        let now = std::iter::from_fn(|| {
            let id = schedule.plannable()?;
            schedule.plan(id, effects(id));
            schedule.permit(id);
            Some(id)
        });
        planned.push(now.count());
        let started: Vec<Id> = std::iter::from_fn(|| schedule.start()).collect();
        assert!(!started.is_empty(), "nothing can start");
        for id in started {
            schedule.end(id);
            ended.push(id);
        }
    }
    assert!(ended.is_sorted());
    // Ten readers and writers until the budget is gone; nothing; the other writers, now unhindered.
    assert_eq!(planned, [13, 0, 17]);
}

#[test]
fn a_path_deeper_than_the_index_tells_apart_still_conflicts() {
    let deep = format!("/{}", "d/".repeat(100_000));
    let mut schedule = Schedule::new(SchedulePolicy::Conflicts, 2, 2);
    for id in [0, 1] {
        schedule.plan(id, Effects::writes_path(format!("{deep}{id}")));
        schedule.permit(id);
    }
    assert_eq!(schedule.start(), Some(0));
    assert_eq!(schedule.start(), None);
}
