//! Processes and their outputs: what goes in is closed, what comes back is bounded, and nothing is left behind.
//!
//! A program that runs commands which it did not write, as an agent does for a language model, meets the same four
//! troubles on every machine. The child inherits the keys of its parent. A command that was given up goes on in the background, or holds
//! a pipe open and the caller with it. An output of a million lines fills the memory, the context, or the disk. And what was cut off
//! from it is gone without a word. This crate has one answer to each.
//!
//! - **The environment is built, not inherited.** An [`Environment`] holds what was allowed by name; [`DEFAULT_ALLOWED`] says
//!   what that is when nothing else is said. No descriptor but the three streams reaches the child, it has no terminal, and the shell
//!   reads no profile, which could bring back what was left out.
//! - **A call ends with everything that it started.** [`run`] gives the process a session of its own, and when it is over, by itself or by
//!   its [`CancellationToken`](tokio_util::sync::CancellationToken), what is left is ended: also what left the group and the session, lost
//!   its parent, and cleared its environment. What was ended, and what would not go, is named in [`Finished`].
//! - **Output is bounded in what is returned, not in what is kept.** Up to 50 KiB it comes back whole. Of more, [`Captured`] has the first
//!   6,000 and the last 24,000 characters and a line that says exactly what lies between, while every byte is in a file of the
//!   [`SpillStore`]. Characters are never cut, and memory does not grow with the output. [`Collector`], [`capture_bytes`] and [`capture_reader`]
//!   do the same for outputs that are not a process's.
//! - **A loss is counted and told.** Where a quota, the floor of free disk, or a failing disk ends the keeping, the call goes on, and
//!   says how many bytes are missing and why.
//!
//! ```
//! use std::sync::Arc;
//!
//! use callgate_exec::{
//!     CaptureOptions, Environment, ProcessSpec, SpillLimits, SpillStore, run,
//! };
//! use tokio_util::sync::CancellationToken;
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
//! # runtime.block_on(async {
//! # let directory = tempfile::tempdir().unwrap();
//! # let root = directory.path().join("outputs");
//! let store = Arc::new(SpillStore::open(root, SpillLimits { free_floor: 0, ..Default::default() })?);
//! let options = CaptureOptions::default().spill(Arc::clone(&store)).label("seq");
//! let spec = ProcessSpec::shell("seq 1 80000; sleep 600 &").env(Environment::inherit_allowed());
//!
//! let finished = run(spec, options, CancellationToken::new(), |_, _| {}).await?;
//!
//! assert!(finished.exit.success());
//! assert_eq!(finished.output.lines, 80_000);
//! assert_eq!(finished.ended[0].command, "sleep 600");
//! let spill = finished.output.spill.unwrap();
//! assert_eq!(store.read_lines(&spill.id, 40_000, 1)?.lines[0].text, "40000");
//! # Ok::<(), callgate_exec::ExecError>(())
//! # }).unwrap();
//! ```
//!
//! # How it works
//!
//! Each call has one thread, which starts the process and then waits in `poll` for its streams, its end, and a stop. So the process can
//! be bound to the life of that thread (the kernel kills it if this program is killed), bytes go from the pipe to the file without a
//! detour through a runtime, and a slow disk or listener slows down the command rather than filling the memory.
//!
//! The leader is left a zombie until its tree is gone: its pid, and with it the group and the session, can't be given to another process
//! meanwhile. The first call makes this process the reaper of its orphans, for good. They are told from other people's children by a
//! brand that every process of a call inherits, and only they are reaped.
//!
//! # What it does not do
//!
//! It is no sandbox: a child may read what its user may read, and reach whatever listens. A process that was started on behalf of a command
//! by somebody else, as a service manager does, is not found. When this program is killed, the leader dies with it, but not what the leader started.
//! On systems other than Linux, only the process group is ended.

mod capture;
mod environment;
mod error;
mod process;
mod spill;

pub use capture::{CaptureOptions, Captured, Collector, SpillInfo, capture_bytes, capture_reader};
pub use environment::{DEFAULT_ALLOWED, Environment};
pub use error::ExecError;
pub use process::{
    DEFAULT_GRACE, Exit, Finished, ProcessName, ProcessSpec, Stdin, Stream, kill_descendants, run,
};
pub use spill::{
    Line, LinePage, LineReader, SpillEntry, SpillLimits, SpillState, SpillStore, SpillWriter,
    Swept, TextPage,
};
