//! The ledger of an agent's tools.
//!
//! # What it is
//!
//! A tool has two sides: a definition, which a model is shown, and a function, which runs. Where the
//! two are kept in two places, sooner or later one of them has an entry that the other has not: the
//! model calls what nobody implements, or never hears of what somebody did. Here a tool is **one
//! record**, a [`ToolSpec`], that holds its name, its description, the schema of its arguments, its
//! handler, and how its calls are to be run. A [`Registry`] holds such records, and what the model is
//! told and what is run are both read from it. There is no way to enter one side alone.
//!
//! - A tool is normally a function over an arguments struct. [`ToolSpec::typed`] derives the schema
//!   from that struct, so a changed field can't leave an old schema behind. [`ToolSpec::raw`] takes a
//!   JSON Schema, for tools that are known only at run time.
//! - [`Registry::snapshot`] is the ledger at one moment. It takes no lock and never changes, so that
//!   one turn of a model sees one set of tools, whatever servers come and go meanwhile. A change is a
//!   [`Draft`]: all of it happens at once, or none.
//! - [`Schema::faults`] names what is wrong with a call, in words that help a model to do better: where
//!   (a JSON Pointer), what was expected, what came, and what was probably meant.
//! - [`Snapshot::project`] writes the definitions for one wire format ([`Dialect`]). What a format
//!   can't express is noted, never silently dropped; a call is checked against the whole schema anyway.
//! - [`Effects`] says what a call reads and writes, in terms in which two calls can be compared. Who
//!   schedules calls finds there all that it needs.
//!
//! # Example
//!
//! ```
//! use callgate_registry::{Dialect, Registry, ToolOutput, ToolSpec};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use serde_json::json;
//!
//! #[derive(Deserialize, JsonSchema)]
//! #[serde(deny_unknown_fields)]
//! struct Add {
//!     /// The first number.
//!     a: i64,
//!     /// The second number.
//!     b: i64,
//! }
//!
//! let registry = Registry::new();
//! let snapshot = registry.register(ToolSpec::typed(
//!     "add",
//!     "Adds two numbers.",
//!     |Add { a, b }, _| async move { Ok(ToolOutput::text((a + b).to_string())) },
//! ))?;
//!
//! // What the model is shown:
//! let shown = snapshot.project(Dialect::Anthropic);
//! assert_eq!(shown.tools[0]["name"], "add");
//! assert_eq!(
//!     shown.tools[0]["input_schema"]["properties"]["a"]["description"],
//!     "The first number.",
//! );
//!
//! // What a wrong call is told:
//! let tool = snapshot.get("add").expect("it was just entered");
//! let faults = tool.schema().faults(&json!({"a": "1", "b": 2}));
//! assert_eq!(faults[0].to_string(), "/a: expected integer, found string \"1\"");
//!
//! // What the ledger refuses:
//! let error = registry
//!     .register(ToolSpec::typed("add", "", |_: Add, _| async { Ok(ToolOutput::text("?")) }))
//!     .expect_err("the name is taken, and the description blank");
//! assert_eq!(error.faults()[0].pointer, "/description");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What it refuses
//!
//! Entering a tool fails at start-up rather than in the middle of a conversation, and names every
//! fault of every tool at once, each with its place and its mend ([`RegisterError`]): a name that is
//! empty, ill-formed or taken; a blank description; a schema that breaks its meta-schema, that does
//! not describe an object, or that requires what it does not describe.
//!
//! Schemas also come from servers that nobody here wrote, and a validator that takes them at their
//! word can be made to hang, to fetch, or to accept everything. So these are refused too:
//!
//! - references to other documents. Nothing is ever fetched, not even a meta-schema;
//! - references that lead back to themselves without going into the value, which accept everything.
//!   Recursion that goes into the value is fine;
//! - patterns with look-around or back-references, which can't be run in linear time, and patterns
//!   that compile to more than 1 MiB;
//! - schemas past a budget ([`Schema::compile`] states it), also one that is small until its
//!   references are replaced by what they point to.
//!
//! Characters in a description that can't be seen, or that turn the direction of writing, are not
//! refused, because some languages need them; [`Tool::warnings`] names them, and [`escape_hidden`]
//! shows them.
//!
//! # What it leaves to others
//!
//! It runs nothing, asks nobody, and knows no async runtime, no process and no network. Whether a call
//! may run, when, with whom and for how long is decided elsewhere, from what is recorded here.

mod dialect;
mod effects;
mod error;
mod handler;
mod name;
mod nearest;
mod output;
mod pointer;
mod registry;
mod schema;
mod snapshot;
mod spec;
mod text;
mod tool;
mod typed;

pub use dialect::{Dialect, Note, Projection, UnknownDialect};
pub use effects::{Access, Effects, Mode, Resource};
pub use error::{RegisterError, RegisterFault};
pub use handler::{BoxFuture, CallContext, Handler, Invocation, OutputChunk, OutputStream, Stop};
pub use output::{Content, Spill, ToolError, ToolOutput};
pub use registry::{Draft, Registry};
pub use schema::{Fault, Schema, SchemaFault};
pub use snapshot::Snapshot;
pub use spec::{
    Annotations, Concurrency, DEFAULT_MAX_OUTPUT_BYTES, EffectsFn, Policy, Timeout, TimeoutFn,
    ToolSpec,
};
pub use text::escape_hidden;
pub use tool::Tool;
