//! A working directory in a temporary place, and calls into the tools as dispatch would make them.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use callgate_exec::{Environment, SpillLimits, SpillStore};
use callgate_registry::{
    BoxFuture, CallContext, Content, Invocation, OutputChunk, Registry, Snapshot, Stop, ToolError,
    ToolOutput,
};
use callgate_tools::{Grants, Toolbox, Workspace, builtin};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

pub(crate) struct Bench {
    /// Removes everything when dropped.
    _dir: tempfile::TempDir,
    pub(crate) toolbox: Arc<Toolbox>,
    pub(crate) tools: Arc<Snapshot>,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::granting(Grants::none())
    }

    /// The working directory is `ws/app`; what is beside it is outside.
    pub(crate) fn granting(grants: Grants) -> Self {
        Self::with(|workspace| workspace.with_grants(grants))
    }

    pub(crate) fn with(set_up: impl FnOnce(Workspace) -> Workspace) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("ws/app");
        std::fs::create_dir_all(&root).unwrap();
        let limits = SpillLimits { free_floor: 0, ..SpillLimits::default() };
        let spills = Arc::new(SpillStore::open(dir.path().join("spills"), limits).unwrap());
        let workspace = set_up(Workspace::new(&root).unwrap());
        let environment = Environment::from_vars([("PATH", "/usr/local/bin:/usr/bin:/bin")]);
        let toolbox = Arc::new(Toolbox::new(workspace, environment, spills));
        let registry = Registry::new();
        let tools = registry.register_all(builtin(&toolbox)).unwrap();
        Self { _dir: dir, toolbox, tools }
    }

    pub(crate) fn root(&self) -> &Path {
        self.toolbox.workspace().root()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.root().parent().unwrap().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// Makes one call; its arguments must satisfy the schema, as dispatch sees to.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Result<ToolOutput, ToolError> {
        self.call_with(tool, arguments, Context::default()).await
    }

    pub(crate) async fn call_with(
        &self,
        tool: &str,
        arguments: Value,
        context: Context,
    ) -> Result<ToolOutput, ToolError> {
        let tool = self.tools.get(tool).unwrap();
        let faults = tool.schema().faults(&arguments);
        assert!(faults.is_empty(), "{faults:?}");
        tool.handler().call(Invocation::new(arguments, context)).await
    }

    /// The text of a call that succeeds.
    pub(crate) async fn text(&self, tool: &str, arguments: Value) -> String {
        text(&self.call(tool, arguments).await.unwrap())
    }

    /// The words of a call that fails, with its kind.
    pub(crate) async fn refusal(&self, tool: &str, arguments: Value) -> (&'static str, String) {
        match self.call(tool, arguments).await.unwrap_err() {
            ToolError::Denied(message) => ("denied", message),
            ToolError::InvalidArguments { pointer, message } => {
                ("invalid_arguments", format!("{pointer}: {message}"))
            }
            ToolError::Failed { message, output } if output.content.is_empty() => {
                ("execution_error", message)
            }
            ToolError::Failed { output, .. } => ("execution_error", text(&output)),
            other => panic!("{other}"),
        }
    }
}

/// The content as the outside contract writes it.
pub(crate) fn text(output: &ToolOutput) -> String {
    let texts: Vec<&str> = output
        .content
        .iter()
        .map(|block| match block {
            Content::Text { text } => text.as_str(),
            other => panic!("no text: {other:?}"),
        })
        .collect();
    texts.join("\n")
}

/// A caller that can ask to stop, and that keeps what it is shown.
#[derive(Debug, Clone, Default)]
pub(crate) struct Context {
    pub(crate) stop: CancellationToken,
    pub(crate) chunks: Arc<Mutex<Vec<OutputChunk>>>,
}

impl CallContext for Context {
    fn call_id(&self) -> &'static str {
        "call"
    }

    fn stopped(&self) -> BoxFuture<'static, Stop> {
        let stop = self.stop.clone();
        Box::pin(async move {
            stop.cancelled().await;
            Stop::Cancelled
        })
    }

    fn stop(&self) -> Option<Stop> {
        self.stop.is_cancelled().then_some(Stop::Cancelled)
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn progress(&self, chunk: OutputChunk) {
        self.chunks.lock().unwrap().push(chunk);
    }
}

/// Waits until something is so, and fails after a while.
pub(crate) async fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < until, "never so: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
