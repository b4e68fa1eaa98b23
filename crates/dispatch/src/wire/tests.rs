use std::path::PathBuf;

use serde_json::json;

use super::*;

fn result() -> ToolResult {
    ToolResult {
        tool_use_id: "c1".to_owned(),
        name: "read_file".to_owned(),
        error_code: None,
        content: vec![Content::text("text")],
        spill: None,
        exit_code: None,
        repairs: Vec::new(),
        timing: Timing { queued_us: 0, started_us: 41, finished_us: 188 },
    }
}

#[test]
fn a_success_is_the_line_of_the_contract() {
    assert_eq!(
        serde_json::to_string(&result()).unwrap(),
        r#"{"tool_use_id":"c1","name":"read_file","is_error":false,"content":"text","spill":null,"timing":{"queued_us":0,"started_us":41,"finished_us":188}}"#
    );
}

#[test]
fn a_failure_has_its_code_its_exit_code_its_spill_and_its_repairs() {
    let repair = Repair {
        pointer: "/n".to_owned(),
        from: "string \"3\"".to_owned(),
        to: "integer 3".to_owned(),
    };
    let failed = ToolResult {
        error_code: Some(ErrorCode::ExecutionError),
        spill: Some(Spill::new("s1", PathBuf::from("/s/1"), 588_895, 80_000)),
        exit_code: Some(2),
        repairs: vec![repair],
        ..result()
    };
    let line = serde_json::to_value(&failed).unwrap();
    assert_eq!(
        line,
        json!({
            "tool_use_id": "c1",
            "name": "read_file",
            "is_error": true,
            "error_code": "execution_error",
            "content": "text",
            "spill": {"id": "s1", "path": "/s/1", "bytes": 588_895, "lines": 80_000},
            "exit_code": 2,
            "repairs": [{"pointer": "/n", "from": "string \"3\"", "to": "integer 3"}],
            "timing": {"queued_us": 0, "started_us": 41, "finished_us": 188},
        })
    );
    assert_eq!(serde_json::from_value::<ToolResult>(line).unwrap(), failed);
}

#[test]
fn blocks_are_joined_by_newlines_and_images_are_named() {
    let image = Content::Image { media_type: "image/png".to_owned(), data: "AAAA".repeat(100) };
    let mixed =
        ToolResult { content: vec![Content::text("a"), image, Content::text("b")], ..result() };
    let line = serde_json::to_value(&mixed).unwrap();
    assert_eq!(line["content"], json!("a\n[image/png, 300 bytes]\nb"));
    let back: ToolResult = serde_json::from_value(line).unwrap();
    assert_eq!(back.content, [Content::text("a\n[image/png, 300 bytes]\nb")]);
}

#[test]
fn every_code_has_the_name_of_the_contract_both_ways() {
    for (code, name) in [
        (ErrorCode::UnknownTool, "unknown_tool"),
        (ErrorCode::InvalidArguments, "invalid_arguments"),
        (ErrorCode::ExecutionError, "execution_error"),
        (ErrorCode::Timeout, "timeout"),
        (ErrorCode::Cancelled, "cancelled"),
        (ErrorCode::Denied, "denied"),
    ] {
        assert_eq!(code.as_str(), name);
        assert_eq!(serde_json::to_value(code).unwrap(), json!(name));
        assert_eq!(serde_json::from_value::<ErrorCode>(json!(name)).unwrap(), code);
    }
}
