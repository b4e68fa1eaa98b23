//! Any JSON as a schema, and what follows it as arguments: it compiles or is refused, in time and
//! without a panic, and what it accepted can be used. Slowness is for the time limit of the fuzzer.
#![no_main]

use callgate_registry::{
    BoxFuture, Dialect, Handler, Invocation, Registry, Schema, ToolError, ToolOutput, ToolSpec,
};
use libfuzzer_sys::{Corpus, fuzz_target};
use serde_json::{Deserializer, Value, json};

const DIALECTS: [Dialect; 5] =
    [Dialect::Anthropic, Dialect::OpenAi, Dialect::OpenAiStrict, Dialect::Gemini, Dialect::Mcp];

/// The most faults that are named of one call.
const MAX_FAULTS: usize = 32;

struct Never;

impl Handler for Never {
    fn call(&self, _: Invocation) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        unreachable!("nothing is run here")
    }
}

fuzz_target!(|data: &[u8]| -> Corpus {
    let mut values = Deserializer::from_slice(data).into_iter::<Value>().map_while(Result::ok);
    let Some(value) = values.next() else { return Corpus::Reject };

    let registry = Registry::new();
    let registered = registry.register(ToolSpec::raw("tool", "Is.", value.clone(), Never));
    let schema = match Schema::compile(value.clone()) {
        Ok(schema) => schema,
        Err(faults) => {
            assert!(!faults.is_empty(), "refused without a reason");
            assert!(registered.is_err(), "refused alone, but taken in a tool");
            return Corpus::Keep;
        }
    };
    assert_eq!(schema.as_value(), &value);
    for arguments in [json!({}), value].into_iter().chain(values.take(4)) {
        let faults = schema.faults(&arguments);
        assert_eq!(faults.is_empty(), schema.is_valid(&arguments), "{arguments}");
        assert!(faults.len() <= MAX_FAULTS);
        assert!(faults.iter().all(|fault| arguments.pointer(&fault.pointer).is_some()));
        assert!(arguments.is_object() || !faults.is_empty(), "arguments that are no object");
    }
    let snapshot = registered.expect("the tool is in order if its schema is");
    for dialect in DIALECTS {
        assert_eq!(snapshot.project(dialect).tools.len(), 1);
    }
    Corpus::Keep
});
