use serde_json::json;

use super::*;

fn refuse(status: u16, body: &str) -> LlmError {
    Words::read_bytes(body.as_bytes()).into_error(status, None)
}

#[test]
fn messages_are_found_in_all_shapes() {
    let cases = [
        (r#"{"type":"error","error":{"type":"x","message":"no"}}"#, "no"),
        (r#"{"error":{"code":null,"message":"no"}}"#, "no"),
        (r#"{"error":"no"}"#, "no"),
        (r#"{"message":"no"}"#, "no"),
        (r#"{"detail":[{"msg":"no"}]}"#, r#"[{"msg":"no"}]"#),
        ("no", "no"),
        ("", "no reason given"),
        ("\u{1b}[31mno\n\n  way\u{202e}", "[31mno way"),
    ];
    for (body, words) in cases {
        match refuse(404, body) {
            LlmError::Refused { status: 404, message } => assert_eq!(message, words, "{body}"),
            other => panic!("{body}: {other:?}"),
        }
    }
}

#[test]
fn l09_a_conversation_that_is_too_long_is_recognised() {
    let bodies = [
        (
            400,
            r#"{"error":{"type":"invalid_request_error","message":"prompt is too long: 212345 tokens > 200000 maximum"}}"#,
        ),
        (
            400,
            r#"{"error":{"code":"context_length_exceeded","message":"This model's maximum context length is 8192 tokens."}}"#,
        ),
        (
            400,
            r#"{"error":{"code":400,"type":"exceed_context_size_error","message":"the request exceeds the available context size"}}"#,
        ),
        (
            413,
            r#"{"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#,
        ),
    ];
    for (status, body) in bodies {
        let error = refuse(status, body);
        assert!(error.is_context_too_long() && !error.is_retryable(), "{error:?}");
    }
    assert!(
        !refuse(400, r#"{"error":{"message":"messages: at least one"}}"#).is_context_too_long()
    );
    assert!(
        !refuse(429, r#"{"error":{"message":"too many tokens per minute"}}"#).is_context_too_long()
    );
}

#[test]
fn each_status_means_one_thing() {
    for status in [408, 409, 425, 429, 500, 502, 503, 504, 529] {
        assert!(refuse(status, "x").is_retryable(), "{status}");
    }
    for status in [400, 401, 402, 403, 404, 413, 422] {
        assert!(!refuse(status, "x").is_retryable(), "{status}");
    }
    let spent = r#"{"error":{"code":"insufficient_quota","message":"pay"}}"#;
    assert!(!refuse(429, spent).is_retryable());
}

#[test]
fn l03_an_error_inside_a_stream_means_what_its_status_would_mean() {
    let cases = [
        (json!({"error": {"type": "overloaded_error", "message": "x"}}), 529),
        (json!({"error": {"type": "rate_limit_error", "message": "x"}}), 429),
        (json!({"error": {"type": "api_error", "message": "x"}}), 500),
        (json!({"error": {"code": 502, "message": "x"}}), 502),
        (json!({"error": {"code": "rate_limit_exceeded", "message": "x"}}), 429),
        (json!({"error": {"message": "x"}}), 500),
    ];
    for (body, wanted) in cases {
        match in_stream(&body) {
            LlmError::Unavailable { status, .. } => assert_eq!(status, wanted, "{body}"),
            other => panic!("{body}: {other:?}"),
        }
    }
    let invalid = json!({"error": {"type": "invalid_request_error", "message": "x"}});
    assert!(matches!(in_stream(&invalid), LlmError::Refused { status: 400, .. }));
}

#[test]
fn keys_are_masked_also_in_part() {
    let key = "sk-proj-abcdefghijklmnop";
    let cases = [
        ("bad key sk-proj-abcdefghijklmnop.", "bad key [key]."),
        ("x=sk-proj-abcdefghijklmnop&y", "x=[key]&y"),
        ("Incorrect API key: sk-proj-****mnop, see", "Incorrect API key: [key], see"),
        ("ends with klmnop!", "ends with [key]!"),
        ("nothing to hide", "nothing to hide"),
    ];
    for (text, masked) in cases {
        assert_eq!(mask(text, key), masked);
    }
    assert_eq!(mask("none of them", "none"), "none of them");
}

#[test]
fn long_messages_are_cut_between_characters() {
    let cut = tidy(&"é ".repeat(1000), 5);
    assert_eq!(cut, "é é é…");
}
