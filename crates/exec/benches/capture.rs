//! Two questions, each beside what it has to stand comparison with, in one run:
//! how fast a flood gets to its file, and what a call costs beyond the shell that it starts.
#![allow(missing_docs, reason = "the macros of criterion make undocumented functions")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a helper of a test fails the test"
)]

use std::{
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};

use callgate_exec::{CaptureOptions, Environment, ProcessSpec, SpillLimits, SpillStore, run};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

const FLOOD_BYTES: u64 = 1_000_000_000;

/// Writes as fast as one process can: a block of text, 4,000 times.
const FLOOD: &str = "yes | head -c 250000 > \"$BLOCK\"; \
    for i in $(seq 4000); do echo \"$BLOCK\"; done | xargs cat";

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().unwrap()
}

fn capture(criterion: &mut Criterion) {
    let directory = TempDir::new().unwrap();
    let environment = Environment::inherit_allowed().set("BLOCK", directory.path().join("block"));
    let runtime = runtime();
    let mut group = criterion.benchmark_group("one gigabyte");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(10))
        .throughput(Throughput::Bytes(FLOOD_BYTES));

    let file = directory.path().join("file");
    group.bench_function("cat > file", |bencher| {
        bencher.iter(|| {
            let command = format!("({FLOOD}) | cat > '{}'", file.display());
            let status = Command::new("bash")
                .args(["-c", &command])
                .env_clear()
                .envs(environment.iter())
                .stdin(Stdio::null())
                .status()
                .unwrap();
            assert!(status.success());
            assert_eq!(std::fs::metadata(&file).unwrap().len(), FLOOD_BYTES);
            std::fs::remove_file(&file).unwrap();
        });
    });

    let limits = SpillLimits { per_session: u64::MAX, free_floor: 0, ..SpillLimits::default() };
    let store = Arc::new(SpillStore::open(directory.path().join("outputs"), limits).unwrap());
    group.bench_function("capture to the spill", |bencher| {
        bencher.iter(|| {
            let spec = ProcessSpec::shell(FLOOD).env(environment.clone());
            let options = CaptureOptions::default().spill(Arc::clone(&store));
            let stop = CancellationToken::new();
            let finished = runtime.block_on(run(spec, options, stop, |_, _| {})).unwrap();
            let spill = finished.output.spill.unwrap();
            assert_eq!(spill.bytes, FLOOD_BYTES);
            std::fs::remove_file(spill.path).unwrap();
        });
    });
    group.finish();
}

fn spawn(criterion: &mut Criterion) {
    let environment = Environment::inherit_allowed();
    let runtime = runtime();
    let mut group = criterion.benchmark_group("the shell and true");
    group.bench_function("std::process::Command", |bencher| {
        bencher.iter(|| {
            let output = Command::new("bash")
                .args(["--noprofile", "--norc", "-c", "true"])
                .env_clear()
                .envs(environment.iter())
                .stdin(Stdio::null())
                .output()
                .unwrap();
            assert!(output.status.success());
        });
    });
    group.bench_function("run", |bencher| {
        bencher.iter(|| {
            let spec = ProcessSpec::shell("true").env(environment.clone());
            let options = CaptureOptions::default();
            let stop = CancellationToken::new();
            let finished = runtime.block_on(run(spec, options, stop, |_, _| {})).unwrap();
            assert!(finished.exit.success());
        });
    });
    group.finish();
}

criterion_group!(benches, spawn, capture);
criterion_main!(benches);
