//! One process from start to end, in a thread of its own.

use std::{
    io,
    time::{Duration, Instant},
};

use super::{
    Finished, ProcessSpec, Stdin, Stream, exit_notice,
    leader::Leader,
    pump::{Pump, Signs},
    start::start,
    stopper::StopSignal,
    tree::{Brand, adopt_orphans},
};
use crate::{
    capture::{CaptureOptions, Collector},
    error::ExecError,
};

/// How often a running call reaps the orphans that became our children.
const REAP_EVERY: Duration = Duration::from_secs(5);

/// How long a pipe may stay silent that somebody outside of the call holds open.
const DRAIN_SILENCE: Duration = Duration::from_millis(100);

/// How long such a pipe is read at all.
const DRAIN_TIME: Duration = Duration::from_secs(2);

/// Runs a process and what it starts. The process ends no later than the thread, also when `on_chunk` panics.
pub(super) fn supervise<F: Fn(Stream, &str)>(
    mut spec: ProcessSpec,
    options: CaptureOptions,
    stop: StopSignal,
    on_chunk: F,
) -> Result<Finished, ExecError> {
    adopt_orphans();
    let brand = Brand::random();
    let started = Instant::now();
    let mut leader = Leader::new(start(&spec, brand)?, brand);
    let exit = exit_notice::open(leader.pid()).map_err(unwatched)?;
    let stdin = std::mem::replace(&mut spec.stdin, Stdin::Empty);
    let collector = Collector::new(options);
    let mut pump = Pump::new(leader.child_mut(), stdin, Signs { exit, stop }, collector, on_chunk);

    while !pump.has_exited() && !pump.is_stopped() {
        let turn_started = Instant::now();
        pump.turn(REAP_EVERY);
        if turn_started.elapsed() >= REAP_EVERY {
            leader.reap_orphans();
        }
    }
    let stopped = !pump.has_exited();
    let (ended, survivors) = if stopped {
        (Vec::new(), leader.stop(spec.grace, &mut pump))
    } else {
        leader.settle(spec.grace, &mut pump)
    };
    drain(&mut pump);
    let exit = leader.finish(pump.has_exited());
    let output = pump.finish();
    Ok(Finished { exit, stopped, output, ended, survivors, duration: started.elapsed() })
}

/// Takes what is still in the pipes. Whoever holds one open and is not of the call is not waited for.
fn drain<F: Fn(Stream, &str)>(pump: &mut Pump<F>) {
    let started = Instant::now();
    while pump.is_open() && started.elapsed() < DRAIN_TIME && pump.turn(DRAIN_SILENCE).moved {}
}

/// A process whose end could not be noticed is not left to run.
fn unwatched(source: io::Error) -> ExecError {
    ExecError::Spawn { program: "the watch on the process".to_owned(), attempts: 1, source }
}
