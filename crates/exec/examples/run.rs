//! Runs a command, shows its output as it comes, and says what became of it:
//! `cargo run -p callgate-exec --example run -- 'seq 1 80000; sleep 600 &'`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is a program")]

use std::{sync::Arc, time::Duration};

use callgate_exec::{CaptureOptions, Environment, ProcessSpec, SpillLimits, SpillStore, run};
use tokio_util::sync::CancellationToken;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let command = std::env::args().nth(1).ok_or("give a command")?;
    let root = std::env::temp_dir().join("callgate-example-outputs");
    let store = Arc::new(SpillStore::open(root, SpillLimits::default())?);
    let options = CaptureOptions::default().spill(store).label(&command);
    let spec = ProcessSpec::shell(command).env(Environment::inherit_allowed());

    let stop = CancellationToken::new();
    let timer = stop.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_mins(1)).await;
        timer.cancel();
    });
    let finished = run(spec, options, stop, |stream, text| eprint!("{stream:?}: {text}")).await?;

    println!("{}", finished.output.text);
    println!("{:?} after {:?}", finished.exit, finished.duration);
    for process in &finished.ended {
        println!("left behind and ended: {} {}", process.pid, process.command);
    }
    for process in &finished.survivors {
        println!("still running: {} {}", process.pid, process.command);
    }
    Ok(())
}
