//! Tools that are functions over an arguments struct.

use std::marker::PhantomData;

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

use crate::{
    handler::{BoxFuture, CallContext, Handler, Invocation},
    output::{ToolError, ToolOutput},
    pointer,
    spec::ToolSpec,
};

impl ToolSpec {
    /// A tool that is a function over an arguments struct, from which its schema is derived.
    ///
    /// Doc comments become descriptions; `#[serde(deny_unknown_fields)]` becomes
    /// `additionalProperties: false`. Subschemas are inlined, because not every wire format knows
    /// references; only a struct that holds itself keeps its `$ref`.
    ///
    /// What passes the schema and still can't be read into the struct is answered with
    /// [`ToolError::InvalidArguments`], at the place where reading stopped.
    pub fn typed<Args, F, Answer>(
        name: impl Into<String>,
        description: impl Into<String>,
        handler: F,
    ) -> Self
    where
        Args: DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(Args, Box<dyn CallContext>) -> Answer + Send + Sync + 'static,
        Answer: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
    {
        let run = Typed { run: handler, arguments: PhantomData::<fn(Args)> };
        Self::raw(name, description, derived_schema::<Args>(), run)
    }
}

fn derived_schema<Args: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<Args>();
    // The title is the name of the Rust type, which tells a model nothing.
    schema.remove("title");
    schema.to_value()
}

struct Typed<Args, F> {
    run: F,
    arguments: PhantomData<fn(Args)>,
}

impl<Args, F, Answer> Handler for Typed<Args, F>
where
    Args: DeserializeOwned + Send + 'static,
    F: Fn(Args, Box<dyn CallContext>) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
{
    fn call(&self, invocation: Invocation) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let Invocation { arguments, context } = invocation;
            let arguments: Args = read(&arguments)?;
            (self.run)(arguments, context).await
        })
    }
}

#[expect(clippy::result_large_err, reason = "a failure carries its output by value, everywhere")]
fn read<Args: DeserializeOwned>(arguments: &Value) -> Result<Args, ToolError> {
    serde_path_to_error::deserialize(arguments).map_err(|error| {
        let at = pointer_to(error.path(), arguments);
        ToolError::invalid(at, crate::text::cut(&error.inner().to_string(), 300))
    })
}

/// The path as a JSON Pointer, as far as it names places of the arguments: serde also counts the
/// variant of an enum, which may be a string and no place.
fn pointer_to(path: &Path, arguments: &Value) -> String {
    let mut at = String::new();
    let mut place = Some(arguments);
    for segment in path {
        let (token, next) = match segment {
            Segment::Seq { index } => (index.to_string(), place.and_then(|v| v.get(index))),
            Segment::Map { key } | Segment::Enum { variant: key } => {
                (key.clone(), place.and_then(|v| v.get(key)))
            }
            Segment::Unknown => break,
        };
        if next.is_none() {
            break;
        }
        pointer::push(&mut at, &token);
        place = next;
    }
    at
}
