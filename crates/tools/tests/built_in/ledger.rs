//! The tools as the ledger and the wire formats hold them.

use callgate_registry::{Dialect, Effects};
use serde_json::{Value, json};

use crate::support::Bench;

#[test]
fn the_tools_and_their_arguments_are_those_of_the_contract() {
    let bench = Bench::new();
    let table: Vec<(String, Vec<String>, Vec<String>)> = bench
        .tools
        .iter()
        .map(|tool| {
            let schema = tool.schema().as_value();
            assert_eq!(schema["additionalProperties"], json!(false), "{}", tool.name());
            let names = |value: &Value| match value {
                Value::Object(map) => map.keys().cloned().collect(),
                Value::Array(list) => list.iter().map(|v| v.as_str().unwrap().to_owned()).collect(),
                _ => Vec::new(),
            };
            (tool.name().to_owned(), names(&schema["properties"]), names(&schema["required"]))
        })
        .collect();
    let row = |name: &str, arguments: &[&str], required: &[&str]| {
        let owned = |list: &[&str]| list.iter().map(|&s| s.to_owned()).collect::<Vec<_>>();
        (name.to_owned(), owned(arguments), owned(required))
    };
    let mut expected = vec![
        row("bash", &["command", "timeout_ms", "workdir"], &["command"]),
        row("read_file", &["path", "offset", "limit"], &["path"]),
        row("write_file", &["path", "content"], &["path", "content"]),
        row("edit_file", &["path", "old_text", "new_text", "replace_all", "edits"], &["path"]),
        row("glob", &["pattern", "path"], &["pattern"]),
        row(
            "grep",
            &["pattern", "path", "glob", "context", "ignore_case", "files_only"],
            &["pattern"],
        ),
        row("read_output", &["id", "offset", "limit", "pattern"], &["id"]),
    ];
    let mut table = table;
    table.sort();
    expected.sort();
    assert_eq!(table, expected);
}

#[test]
fn every_property_has_a_description_and_every_tool_says_when_to_use_it() {
    for tool in Bench::new().tools.iter() {
        assert!(tool.description().len() > 200, "{}", tool.name());
        assert!(tool.description().len() < 1_100, "{}: {}", tool.name(), tool.description().len());
        assert!(tool.warnings().is_empty(), "{:?}", tool.warnings());
        let properties = tool.schema().as_value()["properties"].as_object().unwrap();
        for (name, schema) in properties {
            assert!(schema["description"].is_string(), "{}.{name}", tool.name());
        }
    }
}

#[test]
fn wire_formats_take_every_tool_whole() {
    let bench = Bench::new();
    for dialect in [Dialect::Anthropic, Dialect::OpenAi, Dialect::Mcp] {
        let projection = bench.tools.project(dialect);
        assert_eq!(projection.tools.len(), 7);
        assert!(projection.notes.is_empty(), "{:?}", projection.notes);
    }
    for dialect in [Dialect::OpenAiStrict, Dialect::Gemini] {
        assert_eq!(bench.tools.project(dialect).tools.len(), 7);
    }
}

#[test]
fn unknown_properties_are_refused() {
    let bench = Bench::new();
    for (tool, arguments) in [
        ("bash", json!({"command": "ls", "background": true})),
        ("bash", json!({"command": "ls", "sandbox": "full"})),
        ("read_file", json!({"path": "a", "encoding": "utf-8"})),
        ("edit_file", json!({"path": "a", "edits": [{"old_text": "a", "new_text": "b", "x": 1}]})),
    ] {
        assert!(!bench.tools.get(tool).unwrap().schema().is_valid(&arguments), "{arguments}");
    }
}

#[test]
fn effects_name_the_file_whatever_name_it_is_called_by() {
    let bench = Bench::new();
    bench.write("a", "x");
    std::os::unix::fs::symlink("a", bench.path("link")).unwrap();
    let effects = |tool: &str, arguments: Value| bench.tools.get(tool).unwrap().effects(&arguments);
    let a = bench.path("a");
    assert_eq!(effects("read_file", json!({"path": "./link"})), Effects::reads_path(&a));
    assert_eq!(
        effects("write_file", json!({"path": "link", "content": ""})),
        Effects::writes_path(&a)
    );
    assert_eq!(effects("edit_file", json!({"path": &a, "edits": []})), Effects::writes_path(&a));
    assert_eq!(effects("glob", json!({"pattern": "*"})), Effects::reads_subtree(bench.root()));
    assert_eq!(
        effects("grep", json!({"pattern": "x", "path": "sub"})),
        Effects::reads_subtree(bench.path("sub"))
    );
    assert_eq!(effects("read_output", json!({"id": "i"})), Effects::reads_named("output/i"));
    assert_eq!(effects("bash", json!({"command": "ls | wc -l"})), Effects::reads_subtree("/"));
    assert_eq!(effects("bash", json!({"command": "ls > a"})), Effects::everything());
    // What is refused later is still named for what it would touch.
    let outside = bench.outside("x");
    assert_eq!(
        effects("write_file", json!({"path": "../x", "content": ""})),
        Effects::writes_path(outside)
    );
}

#[test]
fn policies_fit_the_tools() {
    let bench = Bench::new();
    let subjects: Vec<_> =
        ["bash", "read_file", "write_file", "edit_file", "glob", "grep", "read_output"]
            .into_iter()
            .map(|name| bench.tools.get(name).unwrap())
            .map(|tool| (tool.policy().subject.clone().unwrap(), tool.annotations().read_only))
            .collect();
    let expected = [
        ("command", false),
        ("path", true),
        ("path", false),
        ("path", false),
        ("path", true),
        ("path", true),
        ("id", true),
    ];
    assert_eq!(subjects, expected.map(|(subject, reads)| (subject.to_owned(), reads)));
    let bash = bench.tools.get("bash").unwrap();
    assert_eq!(bash.timeout(&json!({"command": "x"})).as_secs(), 120);
    assert_eq!(bash.timeout(&json!({"command": "x", "timeout_ms": 1500})).as_millis(), 1500);
    assert!(bash.policy().grace > callgate_exec::DEFAULT_GRACE);
}
