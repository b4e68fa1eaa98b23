//! Validate, permit, schedule, run, answer: how a call of a language model crosses into a real machine.
//!
//! # The pit
//!
//! A loop that runs the calls of a model in the obvious way looks the tool up in a map, hands it the
//! arguments, and joins the futures:
//!
//! ```no_run
//! # use std::collections::HashMap;
//! # use serde_json::Value;
//! # type Tool = fn(&Value) -> Result<String, std::io::Error>;
//! # fn naive(tools: &HashMap<String, Tool>, calls: &[(String, Value)]) -> Result<Vec<String>, std::io::Error> {
//! let mut answers = Vec::new();
//! for (name, arguments) in calls {
//!     // Panics for a name that the model made up, and for an argument that it left out; ends the
//!     // whole conversation with `?` for a file that is not there.
//!     answers.push(tools[name](&arguments["path"])?);
//! }
//! # Ok(answers) }
//! ```
//!
//! One bad argument ends the loop. Made parallel, two edits of one file trample each other. Sorted by
//! what ended first, results pair with the wrong calls. And a tool that never returns hangs it all.
//!
//! # The way across
//!
//! [`Dispatcher`] takes each call through the same three steps, and each way to fail is an ordinary
//! [`ToolResult`] with an [`ErrorCode`] and words that help the model to do better:
//!
//! 1. *Look up*: `unknown_tool`, with the nearest names.
//! 2. *Validate*: `invalid_arguments`, with every fault and its place. JSON text is read strictly:
//!    duplicate keys, rounded numbers and cut-off text are refused. What a model merely put in quotes
//!    is mended where that leaves no choice, and the [`Repair`] is told.
//! 3. *Run*: `denied` by the [`Gate`], `execution_error`, `timeout` or `cancelled`. A handler runs on a
//!    task of its own. Asked to stop, it has the grace of its policy to return what it has, then it
//!    is dropped, and what it wrote live stands in the answer.
//!
//! A batch gives exactly one result for each call, in the order of the calls. It *behaves as if they had
//! run one by one in that order*, and is as parallel as this allows: each call declares what it reads
//! and writes ([`Effects`](callgate_registry::Effects)), and waits only for the earlier calls that it
//! conflicts with. [`SchedulePolicy`] makes the order a value that can be chosen and compared.
//!
//! ```
//! use std::sync::Arc;
//! use callgate_dispatch::{Call, Dispatcher, ErrorCode};
//! use callgate_registry::{
//!     BoxFuture, Effects, Handler, Invocation, Registry, ToolError, ToolOutput, ToolSpec,
//! };
//! use serde_json::json;
//!
//! struct Greet;
//!
//! impl Handler for Greet {
//!     fn call(&self, call: Invocation) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
//!         let name = call.arguments["name"].as_str().unwrap_or_default().to_owned();
//!         assert_ne!(name, "nobody", "a bug of the tool");
//!         Box::pin(async move { Ok(ToolOutput::text(format!("Hello {name}"))) })
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let schema = json!({
//!     "type": "object",
//!     "properties": {"name": {"type": "string"}},
//!     "required": ["name"],
//! });
//! let registry = Registry::new();
//! registry.register(
//!     ToolSpec::raw("greet", "Greets somebody.", schema, Greet).effects(|_| Effects::none()),
//! )?;
//!
//! let results = Dispatcher::new(Arc::new(registry))
//!     .dispatch_batch(vec![
//!         Call::new("c1", "greet", json!({"name": "Ada"})),
//!         Call::new("c2", "great", json!({"name": "Ada"})),
//!         Call::with_text("c3", "greet", r#"{"name": "A"#),
//!         Call::new("c4", "greet", json!({"name": "nobody"})),
//!     ])
//!     .await;
//!
//! let codes: Vec<_> = results.iter().map(|result| result.error_code).collect();
//! assert_eq!(
//!     codes,
//!     [
//!         None,
//!         Some(ErrorCode::UnknownTool),
//!         Some(ErrorCode::InvalidArguments),
//!         Some(ErrorCode::ExecutionError),
//!     ]
//! );
//! assert_eq!(results[0].described(), "Hello Ada");
//! assert!(results[1].described().contains("did you mean greet?"));
//! assert!(results[2].described().contains("cut off after 11 characters"));
//! # Ok(())
//! # }
//! ```
//!
//! # What it refuses to do
//!
//! - It knows no process, no screen and no model. Permissions are behind [`Gate`], the keeping of long
//!   outputs behind [`OutputBound`], and everything that happens goes to an [`EventSink`].
//! - It never pairs by id: ids may be empty or repeat. Events name calls by their place.
//! - It does not trust a handler to end. One that blocks its thread can't be ended from outside, so
//!   its call is answered, its later answer is thrown away, and [`Dispatcher::abandoned`] lists it.
//!   On a runtime of several threads one thread is always kept free of handlers; a runtime of a
//!   single thread is held by a handler that blocks it.
//! - It does not judge what a call declares. A batch equals its sequential execution for tools that
//!   declare their effects honestly; a tool that declares nothing runs alone.

mod abandoned;
mod answer;
mod arguments;
mod batch;
mod call;
mod dispatcher;
mod event;
mod gate;
mod guard;
mod live;
mod policy;
mod prepare;
mod repair;
mod result;
mod running;
mod schedule;
mod wire;
mod words;
mod worker;

pub use abandoned::Abandoned;
pub use call::{Arguments, Call};
pub use dispatcher::{Batch, Dispatcher};
pub use event::{CallEvent, CallIndex, EventSink, NoEvents};
pub use gate::{AllowAll, Gate, OutputBound, PermitRequest, Verdict};
pub use policy::SchedulePolicy;
pub use repair::Repair;
pub use result::{ErrorCode, Timing, ToolResult};
