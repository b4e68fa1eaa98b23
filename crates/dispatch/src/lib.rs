//! Validate, permit, schedule, run, answer.

mod call;
mod event;
mod gate;
mod policy;
mod repair;
mod result;
mod wire;

pub use call::{Arguments, Call};
pub use event::{CallEvent, CallIndex, EventSink, NoEvents};
pub use gate::{AllowAll, Gate, OutputBound, PermitRequest, Verdict};
pub use policy::SchedulePolicy;
pub use repair::Repair;
pub use result::{ErrorCode, Timing, ToolResult};
