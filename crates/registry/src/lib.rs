//! The ledger of tools.

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
