//! Validate, permit, schedule, run, answer.

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
