//! The three steps of one call: look up, validate, run; and what the model is told.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use callgate_dispatch::{Call, CallEvent, CallIndex, Dispatcher, ErrorCode, OutputBound, Repair};
use callgate_registry::{BoxFuture, Content, Effects, Spill, ToolError, ToolOutput};
use serde_json::{Value, json};
use support::{Recorder, dispatcher, echo, read_file, text, texts, tool, tool_with};

async fn code_and_text(dispatcher: &Dispatcher, call: Call) -> (Option<ErrorCode>, String) {
    let result = dispatcher.dispatch(call).await;
    (result.error_code, text(&result))
}

#[tokio::test]
async fn d01_an_empty_name_is_said_to_be_empty() {
    let dispatcher = dispatcher([read_file()]);
    let told = code_and_text(&dispatcher, Call::new("c1", "", json!({}))).await;
    let expected = "the name of the tool is empty; name the tool to call";
    assert_eq!(told, (Some(ErrorCode::UnknownTool), expected.to_owned()));
}

#[tokio::test]
async fn d03_names_are_case_sensitive_and_the_right_one_is_suggested() {
    let dispatcher = dispatcher([echo("bash"), read_file()]);
    let told = code_and_text(&dispatcher, Call::new("c1", "BASH", json!({"command": "id"}))).await;
    let expected = "no tool is named \"BASH\"; did you mean bash? (Names are case-sensitive.)";
    assert_eq!(told, (Some(ErrorCode::UnknownTool), expected.to_owned()));
}

#[tokio::test]
async fn d04_a_name_is_escaped_where_it_is_echoed() {
    let dispatcher = dispatcher([echo("bash")]);
    let (code, text) =
        code_and_text(&dispatcher, Call::new("c1", "ba\0sh\u{1b}[2J", json!({}))).await;
    assert_eq!(code, Some(ErrorCode::UnknownTool));
    assert!(text.starts_with("no tool is named \"ba\\0sh\\u{1b}[2J\""), "{text}");
}

#[tokio::test]
async fn d06_a_long_name_is_cut_to_a_hundred_characters() {
    let dispatcher = dispatcher([echo("bash")]);
    let (code, text) =
        code_and_text(&dispatcher, Call::new("c1", "x".repeat(100_000), json!({}))).await;
    assert_eq!(code, Some(ErrorCode::UnknownTool));
    assert_eq!(text, format!("no tool is named \"{}…\"", "x".repeat(100)));
}

#[tokio::test]
async fn d08_d09_arguments_that_are_no_object_are_refused_with_what_came() {
    let dispatcher = dispatcher([read_file()]);
    for (arguments, came) in [(Value::Null, "null"), (json!(["a"]), "array")] {
        let told = code_and_text(&dispatcher, Call::new("c1", "read_file", arguments)).await;
        let expected = format!(
            "invalid arguments for read_file; nothing ran:\n- at the root: expected object, came {came}"
        );
        assert_eq!(told, (Some(ErrorCode::InvalidArguments), expected));
    }
}

#[tokio::test]
async fn d10_d11_json_text_is_accepted_once() {
    let dispatcher = dispatcher([read_file()]);
    let once = Call::with_text("c1", "read_file", r#"{"path":"a"}"#);
    assert_eq!(code_and_text(&dispatcher, once).await, (None, r#"{"path":"a"}"#.to_owned()));
    let twice = Call::with_text("c1", "read_file", r#""{\"path\":\"a\"}""#);
    assert_eq!(code_and_text(&dispatcher, twice).await.0, Some(ErrorCode::InvalidArguments));
}

#[tokio::test]
async fn d14_a_boolean_is_no_integer_and_is_not_mended() {
    let dispatcher = dispatcher([read_file()]);
    let call = Call::new("c1", "read_file", json!({"path": "a", "limit": true}));
    let (code, text) = code_and_text(&dispatcher, call).await;
    assert_eq!(code, Some(ErrorCode::InvalidArguments));
    assert!(text.contains("/limit"), "{text}");
}

#[tokio::test]
async fn d15_a_whole_number_is_an_integer_for_the_handler_too() {
    let dispatcher = dispatcher([read_file()]);
    let call = Call::new("c1", "read_file", json!({"path": "a", "limit": 1.0}));
    assert_eq!(
        code_and_text(&dispatcher, call).await,
        (None, r#"{"path":"a","limit":1}"#.to_owned())
    );
}

#[tokio::test]
async fn d17_d18_d19_d20_d21_d26_text_that_is_no_sound_json_is_refused_and_not_run() {
    let dispatcher = dispatcher([read_file()]);
    let nested = "[".repeat(100_000);
    for (arguments, part) in [
        (r#"{"path":"a.txt","path":"/etc/passwd"}"#, "the key \"path\" appears twice"),
        (r#"{"path":NaN}"#, "character 9"),
        (r#"{"path":"a","limit":1e999}"#, "out of range"),
        (r#"{"path":"a","limit":18446744073709551616}"#, "out of range"),
        (r#"{"path":"\ud83d"}"#, "lone surrogate at character 10"),
        (nested.as_str(), "nested deeper"),
        (r#"{"path":"a"#, "the arguments were cut off after 10 characters"),
    ] {
        let call = Call::with_text("c1", "read_file", arguments);
        let (code, text) = code_and_text(&dispatcher, call).await;
        assert_eq!(code, Some(ErrorCode::InvalidArguments), "{part}");
        assert!(text.contains(part), "{text}");
    }
}

#[tokio::test]
async fn d25_ten_megabytes_of_arguments_run() {
    let write = tool("write_file", |invocation| async move {
        let content = invocation.arguments["content"].as_str().unwrap();
        Ok(ToolOutput::text(content.len().to_string()))
    });
    let call = Call::new("c1", "write_file", json!({"content": "x".repeat(10_000_000)}));
    assert_eq!(code_and_text(&dispatcher([write]), call).await, (None, "10000000".to_owned()));
}

#[tokio::test]
async fn d31_names_that_matter_elsewhere_are_plain_unknown_properties() {
    let dispatcher = dispatcher([read_file()]);
    let arguments = r#"{"path":"a","__proto__":{"x":1},"constructor":1}"#;
    let (code, text) =
        code_and_text(&dispatcher, Call::with_text("c1", "read_file", arguments)).await;
    assert_eq!(code, Some(ErrorCode::InvalidArguments));
    assert!(text.contains("__proto__") && text.contains("constructor"), "{text}");
}

#[tokio::test]
async fn d35_a_number_below_the_minimum_is_refused() {
    let dispatcher = dispatcher([read_file()]);
    let call = Call::new("c1", "read_file", json!({"path": "a", "offset": 0}));
    let (code, text) = code_and_text(&dispatcher, call).await;
    assert_eq!(code, Some(ErrorCode::InvalidArguments));
    assert!(text.contains("/offset") && text.contains('1'), "{text}");
}

#[tokio::test]
async fn every_fault_is_told_up_to_a_bound() {
    let schema = json!({"type": "object", "properties": {"n": {"items": {"type": "integer"}}}});
    let tool = tool_with("sum", schema, |_| async { Ok(ToolOutput::default()) });
    let dispatcher = dispatcher([tool]);
    let call = |items: usize| Call::new("c1", "sum", json!({ "n": vec![true; items] }));
    let (_, few) = code_and_text(&dispatcher, call(3)).await;
    assert_eq!(few.lines().count(), 4);
    let (_, many) = code_and_text(&dispatcher, call(1_000)).await;
    assert_eq!(many.lines().count(), 22);
    assert!(many.ends_with("- and more"), "{many}");
}

#[tokio::test]
async fn a_repair_is_recorded_told_to_the_model_and_seen_by_the_handler() {
    let recorder = Arc::new(Recorder::default());
    let call = Call::new("c1", "read_file", json!({"path": "[1]", "limit": "3"}));
    let batch = dispatcher([read_file()]).batch(vec![call]).events(Arc::clone(&recorder) as _);
    let result = batch.run().await.remove(0);
    assert_eq!(result.error_code, None);
    let from = "string \"3\"".to_owned();
    let repair = Repair { pointer: "/limit".to_owned(), from, to: "integer 3".to_owned() };
    assert_eq!(result.repairs, [repair]);
    assert_eq!(
        texts(&result),
        [
            r#"{"path":"[1]","limit":3}"#,
            "note: /limit was sent as string \"3\" and read as integer 3"
        ]
    );
    let queued = CallEvent::Queued {
        arguments: json!({"path": "[1]", "limit": 3}),
        subject: Some("[1]".to_owned()),
        read_only: true,
    };
    assert_eq!(recorder.all()[0], (0, queued));
}

#[tokio::test]
async fn a_union_of_string_and_list_is_never_mended() {
    let schema = json!({"type": "object", "properties": {"paths": {"type": ["string", "array"]}}});
    let tool = tool_with("list", schema, |call| async move {
        Ok(ToolOutput::text(call.arguments.to_string()))
    });
    let result =
        dispatcher([tool]).dispatch(Call::new("c1", "list", json!({"paths": "[\"a\"]"}))).await;
    assert_eq!(texts(&result), [r#"{"paths":"[\"a\"]"}"#]);
    assert_eq!(result.repairs, []);
}

#[tokio::test]
async fn each_kind_of_failure_has_its_code_and_its_text() {
    let failing = tool("fail", |call| async move {
        Err(match call.arguments["how"].as_str().unwrap() {
            "invalid" => ToolError::invalid("/range", "the end is before the start"),
            "denied" => ToolError::Denied("outside of the workspace".to_owned()),
            "failed" => ToolError::failed("no such file"),
            _ => ToolError::Failed {
                message: "for the log".to_owned(),
                output: ToolOutput::text("E1\nE2").with_exit_code(Some(3)),
            },
        })
    });
    let dispatcher = dispatcher([failing]);
    for (how, code, told, exit_code) in [
        (
            "invalid",
            ErrorCode::InvalidArguments,
            "invalid arguments for fail; nothing ran:\n- /range: the end is before the start",
            None,
        ),
        ("denied", ErrorCode::Denied, "outside of the workspace", None),
        ("failed", ErrorCode::ExecutionError, "no such file", None),
        ("exit", ErrorCode::ExecutionError, "E1\nE2", Some(3)),
    ] {
        let result = dispatcher.dispatch(Call::new("c1", "fail", json!({ "how": how }))).await;
        assert_eq!((result.error_code, result.exit_code), (Some(code), exit_code));
        assert_eq!(texts(&result), [told]);
    }
}

#[tokio::test]
async fn a_panic_while_effects_or_limit_are_computed_is_an_execution_error() {
    let effects = echo("effects").effects(|_| panic!("at /home/me/secret.rs"));
    let limit = echo("limit").timeout_from(|_| panic!("at /home/me/secret.rs"));
    let dispatcher = dispatcher([effects, limit]);
    for name in ["effects", "limit"] {
        let told = code_and_text(&dispatcher, Call::new("c1", name, json!({}))).await;
        let expected =
            format!("{name} crashed: a fault of the tool itself. It may have had effects.");
        assert_eq!(told, (Some(ErrorCode::ExecutionError), expected));
    }
}

/// Keeps nothing, and says what it was handed.
struct Counting(AtomicUsize);

impl OutputBound for Counting {
    fn bound(&self, id: String, output: ToolOutput, max: usize) -> BoxFuture<'_, ToolOutput> {
        Box::pin(async move {
            self.0.fetch_add(1, Ordering::Relaxed);
            let Some(Content::Text { text }) = output.content.first() else { panic!("no text") };
            assert!(!text.contains("unlucky"));
            let spill = Spill::new(id, "/spill", text.len() as u64, 1);
            ToolOutput::text(format!("<{} of {max}>", text.len())).with_spill(Some(spill))
        })
    }
}

fn writer(name: &'static str) -> callgate_registry::ToolSpec {
    tool(name, |call| async move {
        let text = call.arguments["text"].as_str().unwrap_or_default().to_owned();
        if call.arguments["fail"] == json!(true) {
            return Err(ToolError::failed(text));
        }
        Ok(ToolOutput::text(text))
    })
}

#[tokio::test]
async fn long_outputs_of_successes_and_failures_are_bounded_and_short_ones_are_not() {
    let bound = Arc::new(Counting(AtomicUsize::new(0)));
    let tools = [writer("write").max_output_bytes(Some(10)), writer("free").max_output_bytes(None)];
    let dispatcher = dispatcher(tools).with_output_bound(Arc::clone(&bound) as _);
    let recorder = Arc::new(Recorder::default());
    let calls = vec![
        Call::new("a", "write", json!({"text": "0123456789"})),
        Call::new("b", "write", json!({"text": "0123456789x"})),
        Call::new("c", "write", json!({"text": "0123456789x", "fail": true})),
        Call::new("d", "free", json!({"text": "0123456789x"})),
    ];
    let results = dispatcher.batch(calls).events(Arc::clone(&recorder) as _).run().await;
    let told: Vec<_> = results.iter().map(text).collect();
    assert_eq!(told, ["0123456789", "<11 of 10>", "<11 of 10>", "0123456789x"]);
    assert_eq!(results[2].error_code, Some(ErrorCode::ExecutionError));
    assert_eq!(bound.0.load(Ordering::Relaxed), 2);
    assert_eq!(recorder.names(2), ["queued", "started", "spilled c", "finished execution_error"]);
}

#[tokio::test]
async fn a_bound_that_panics_costs_the_rest_of_the_output_and_says_so() {
    let bound = Arc::new(Counting(AtomicUsize::new(0)));
    let dispatcher =
        dispatcher([writer("write").max_output_bytes(Some(3))]).with_output_bound(bound);
    let result = dispatcher.dispatch(Call::new("c1", "write", json!({"text": "aéunlucky"}))).await;
    assert_eq!(texts(&result), ["aé", "[7 more bytes could not be kept and are lost]"]);
    assert_eq!(result.error_code, None);
}

#[tokio::test(start_paused = true)]
async fn timing_counts_microseconds_from_the_start_of_the_batch() {
    let sleeper = tool("sleep", |_| async {
        tokio::time::sleep(Duration::from_millis(7)).await;
        Ok(ToolOutput::default())
    })
    .effects(|_| Effects::Everything);
    let calls = vec![Call::new("a", "sleep", json!({})), Call::new("b", "sleep", json!({}))];
    let results = dispatcher([sleeper]).dispatch_batch(calls).await;
    let timings: Vec<_> = results
        .iter()
        .map(|result| {
            (result.timing.queued_us, result.timing.started_us, result.timing.finished_us)
        })
        .collect();
    assert_eq!(timings, [(0, 0, 7_000), (0, 7_000, 14_000)]);
}

#[tokio::test]
async fn a_sink_that_panics_costs_its_events_only() {
    let sink = Arc::new(|_: CallIndex, _: CallEvent| panic!("the screen is gone"));
    let calls =
        vec![Call::new("a", "read_file", json!({"path": "a"})), Call::new("b", "x", json!({}))];
    let results = dispatcher([read_file()]).batch(calls).events(sink).run().await;
    let codes: Vec<_> = results.iter().map(|result| result.error_code).collect();
    assert_eq!(codes, [None, Some(ErrorCode::UnknownTool)]);
}
