//! The loop that joins a model with tools.
//!
//! An agent is a loop of a few lines: ask the model, run the tools it asks for, tell it the results,
//! until it asks for none. This crate is that loop made fit for a real person's machine: it is
//! bounded, it can be stopped at any moment without leaving a call unanswered, a person can be asked
//! before something runs, and everything that happens is one stream of [`Event`]s.
//!
//! That stream is the crate's heart. The screen draws it, `stream-json` prints it, the transcript
//! keeps it, and none of them sees more than another; so a headless run and the app do the same.
//!
//! - [`Workbench`] holds what a session works with: the ledger of tools, the spill store, the rules.
//! - [`Engine`] is a session with a model; [`Engine::task`] works on one prompt.
//! - [`spawn`] lets an engine run beside a screen, driven by [`Command`]s.
//!
//! The crate opens no socket and starts no process by itself: a [`Provider`](callgate_llm::Provider)
//! does the one, a tool behind the dispatcher the other.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use std::sync::Arc;
//! use callgate_agent::{Control, Engine, Settings, Workbench};
//! use callgate_llm::Offline;
//!
//! let settings = Settings::new(std::env::current_dir()?, "/tmp/callgate-example");
//! let workbench = Workbench::open(settings)?;
//! let mut engine = Engine::open(&workbench, Arc::new(Offline::new()), Vec::new(), false)?;
//! let report = engine.task("read Cargo.toml".to_owned(), &Control::new()).await;
//! println!("{}", report.text);
//! # Ok(())
//! # }
//! ```

mod answer;
mod batch;
mod bound;
mod builtin;
mod command;
mod control;
mod emitter;
mod engine;
mod error;
mod event;
mod feed;
mod handle;
mod history;
mod instructions;
mod permission;
mod session_id;
mod settings;
mod transcript;
mod workbench;

pub use command::{Command, Decision};
pub use control::Control;
pub use emitter::Sink;
pub use engine::{Engine, TaskReport};
pub use error::AgentError;
pub use event::{Envelope, Event, Outcome, Totals};
pub use handle::{Handle, spawn};
pub use permission::{PermissionMode, Rule, RuleError};
pub use settings::Settings;
pub use workbench::Workbench;
