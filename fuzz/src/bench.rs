//! One tool behind a dispatcher, and what reached it.

use std::sync::{Arc, Mutex};

use callgate_dispatch::{Arguments, Call, Dispatcher, ToolResult};
use callgate_registry::{
    BoxFuture, Effects, Handler, Invocation, Registry, Schema, ToolError, ToolOutput, ToolSpec,
};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

const TOOL: &str = "tool";

/// Notes the arguments that it is run with.
struct Noting(Arc<Mutex<Vec<Value>>>);

impl Handler for Noting {
    fn call(&self, call: Invocation) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        self.0.lock().unwrap().push(call.arguments);
        Box::pin(async { Ok(ToolOutput::text("ran")) })
    }
}

/// A dispatcher with one tool, to be made once.
pub struct Bench {
    runtime: Runtime,
    dispatcher: Dispatcher,
    schema: Schema,
    noted: Arc<Mutex<Vec<Value>>>,
}

impl Bench {
    /// One whose tool has this schema.
    pub fn new(schema: Value) -> Self {
        let noted = Arc::default();
        let handler = Noting(Arc::clone(&noted));
        let spec = ToolSpec::raw(TOOL, "Notes.", schema.clone(), handler);
        let registry = Registry::new();
        registry.register(spec.effects(|_| Effects::none())).unwrap();
        Self {
            runtime: Builder::new_current_thread().enable_time().build().unwrap(),
            dispatcher: Dispatcher::new(Arc::new(registry)),
            schema: Schema::compile(schema).unwrap(),
            noted,
        }
    }

    /// The schema of the tool.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Runs one call. It has exactly one result; it ran exactly if that is no error; and if it ran,
    /// it ran with arguments that satisfy the schema, which are returned.
    pub fn call(&self, arguments: Arguments) -> (ToolResult, Option<Value>) {
        let call = Call { id: "c1".to_owned(), name: TOOL.to_owned(), arguments };
        let mut results = self.runtime.block_on(self.dispatcher.dispatch_batch(vec![call]));
        assert_eq!(results.len(), 1, "one result for one call");
        let result = results.remove(0);
        assert_eq!((result.tool_use_id.as_str(), result.name.as_str()), ("c1", TOOL));

        let mut noted = std::mem::take(&mut *self.noted.lock().unwrap());
        assert_eq!(noted.len(), usize::from(!result.is_error()), "it ran once, or was refused");
        let ran = noted.pop();
        if let Some(arguments) = &ran {
            assert!(self.schema.is_valid(arguments), "ran with {arguments}");
        }
        (result, ran)
    }
}
