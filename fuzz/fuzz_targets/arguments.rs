//! Any text as the arguments of a call: exactly one result, and what runs is valid and was really said.
#![no_main]

use std::cell::LazyCell;

use callgate_dispatch::{Arguments, ErrorCode};
use callgate_fuzz::Bench;
use libfuzzer_sys::{Corpus, fuzz_target};
use serde_json::{Value, json};

thread_local! {
    static BENCH: LazyCell<Bench> = LazyCell::new(|| {
        Bench::new(json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "maxLength": 40},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100},
                "recursive": {"type": "boolean"},
                "globs": {"type": "array", "items": {"type": "string"}, "maxItems": 4},
            },
            "required": ["path"],
            "additionalProperties": false,
        }))
    });
}

/// Far above the 32 faults of 300 characters or so that are told at most.
const MAX_ANSWER: usize = 64 * 1024;

fuzz_target!(|data: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(data) else { return Corpus::Reject };
    let (result, ran) = BENCH.with(|bench| bench.call(Arguments::Text(text.to_owned())));
    assert!(result.described().len() <= MAX_ANSWER);
    let Some(ran) = ran else {
        assert_eq!(result.error_code, Some(ErrorCode::InvalidArguments));
        assert!(result.repairs.is_empty(), "what was refused was not mended");
        return Corpus::Keep;
    };
    // The reader is stricter than others: what it takes, any reader of JSON takes, with as many keys
    // as were written.
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let said: Value = serde_json::from_str(body).expect("what ran is JSON");
    let keys = |value: &Value| -> Vec<String> {
        value.as_object().expect("an object").keys().cloned().collect()
    };
    assert_eq!(keys(&said), keys(&ran));
    assert!(text.matches(':').count() >= keys(&ran).len());
    Corpus::Keep
});
