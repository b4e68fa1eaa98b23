//! The record of a tool, as its author writes it.

use std::{fmt, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{effects::Effects, handler::Handler};

/// Computes what a call with these (valid) arguments touches.
pub type EffectsFn = dyn Fn(&Value) -> Effects + Send + Sync;

/// Computes the time limit of a call with these (valid) arguments.
pub type TimeoutFn = dyn Fn(&Value) -> Duration + Send + Sync;

/// With whom calls of a tool may run.
#[derive(Clone, Default)]
pub enum Concurrency {
    /// Alone: nothing is known about what it touches.
    #[default]
    Exclusive,
    /// With every call that it does not conflict with.
    Declared(Arc<EffectsFn>),
}

impl fmt::Debug for Concurrency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exclusive => "Exclusive",
            Self::Declared(_) => "Declared",
        })
    }
}

/// How long a call may run.
#[derive(Clone)]
pub enum Timeout {
    /// The same for every call.
    Fixed(Duration),
    /// Taken from the arguments.
    FromArguments(Arc<TimeoutFn>),
}

impl fmt::Debug for Timeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(limit) => f.debug_tuple("Fixed").field(limit).finish(),
            Self::FromArguments(_) => f.write_str("FromArguments"),
        }
    }
}

/// How calls of a tool are run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Policy {
    /// With whom.
    pub concurrency: Concurrency,
    /// For how long. Two minutes unless said otherwise.
    pub timeout: Timeout,
    /// How long a handler that was asked to stop may take to return what it has. 100 ms unless said
    /// otherwise; a tool that must end processes needs more.
    pub grace: Duration,
    /// Bytes of text past which the output is spilled by dispatch. `None` if the tool bounds its
    /// output itself.
    pub max_output_bytes: Option<usize>,
    /// The property that permission rules are matched against, such as `command` or `path`.
    pub subject: Option<String>,
}

/// The bound on output that the design sets: 50 KiB.
pub const DEFAULT_MAX_OUTPUT_BYTES: usize = 50 * 1024;

impl Default for Policy {
    fn default() -> Self {
        Self {
            concurrency: Concurrency::default(),
            timeout: Timeout::Fixed(Duration::from_mins(2)),
            grace: Duration::from_millis(100),
            max_output_bytes: Some(DEFAULT_MAX_OUTPUT_BYTES),
            subject: None,
        }
    }
}

/// Hints about a tool's nature, with the meaning and the defaults that the Model Context Protocol
/// gives them. Hints inform people and permissions; scheduling goes by [`Effects`] alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "four independent hints of the protocol")]
pub struct Annotations {
    /// It changes nothing.
    #[serde(rename = "readOnlyHint")]
    pub read_only: bool,
    /// It may destroy, not only add.
    #[serde(rename = "destructiveHint")]
    pub destructive: bool,
    /// A second call with the same arguments changes nothing more.
    #[serde(rename = "idempotentHint")]
    pub idempotent: bool,
    /// It reaches beyond this machine.
    #[serde(rename = "openWorldHint")]
    pub open_world: bool,
}

impl Default for Annotations {
    fn default() -> Self {
        Self { read_only: false, destructive: true, idempotent: false, open_world: true }
    }
}

/// One tool: what the model is told of it and what runs, in one record.
#[derive(Clone)]
pub struct ToolSpec {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) input_schema: Value,
    pub(crate) handler: Arc<dyn Handler>,
    pub(crate) policy: Policy,
    pub(crate) annotations: Annotations,
}

impl fmt::Debug for ToolSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolSpec")
            .field("name", &self.name)
            .field("policy", &self.policy)
            .field("annotations", &self.annotations)
            .finish_non_exhaustive()
    }
}

impl ToolSpec {
    /// A tool whose schema is known only at run time.
    ///
    /// Nothing is checked here; [`Draft::commit`](crate::Draft::commit) names every fault at once.
    pub fn raw(
        name: impl Into<String>,
        description: impl Into<String>,
        input_schema: Value,
        handler: impl Handler,
    ) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            input_schema,
            handler: Arc::new(handler),
            policy: Policy::default(),
            annotations: Annotations::default(),
        }
    }

    /// Declares what each call touches, so that calls that do not conflict can run together.
    #[must_use]
    pub fn effects(mut self, of: impl Fn(&Value) -> Effects + Send + Sync + 'static) -> Self {
        self.policy.concurrency = Concurrency::Declared(Arc::new(of));
        self
    }

    /// Sets one time limit for every call.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.policy.timeout = Timeout::Fixed(limit);
        self
    }

    /// Takes the time limit of each call from its arguments.
    #[must_use]
    pub fn timeout_from(mut self, of: impl Fn(&Value) -> Duration + Send + Sync + 'static) -> Self {
        self.policy.timeout = Timeout::FromArguments(Arc::new(of));
        self
    }

    /// Sets how long the handler may take to return what it has once it is asked to stop.
    #[must_use]
    pub const fn grace(mut self, grace: Duration) -> Self {
        self.policy.grace = grace;
        self
    }

    /// Sets the bytes of text past which dispatch spills the output; `None` where the tool bounds
    /// its output itself.
    #[must_use]
    pub const fn max_output_bytes(mut self, bytes: Option<usize>) -> Self {
        self.policy.max_output_bytes = bytes;
        self
    }

    /// Names the property that permission rules are matched against.
    #[must_use]
    pub fn subject(mut self, property: impl Into<String>) -> Self {
        self.policy.subject = Some(property.into());
        self
    }

    /// Sets the hints.
    #[must_use]
    pub const fn annotations(mut self, annotations: Annotations) -> Self {
        self.annotations = annotations;
        self
    }
}
