//! The ledger of tools.

mod effects;
mod handler;
mod output;
mod spec;
mod tool;

pub use effects::{Access, Effects, Mode, Resource};
pub use handler::{BoxFuture, CallContext, Handler, Invocation, OutputChunk, OutputStream, Stop};
pub use output::{Content, Spill, ToolError, ToolOutput};
pub use spec::{
    Annotations, Concurrency, DEFAULT_MAX_OUTPUT_BYTES, EffectsFn, Policy, Timeout, TimeoutFn,
    ToolSpec,
};
pub use tool::Tool;
