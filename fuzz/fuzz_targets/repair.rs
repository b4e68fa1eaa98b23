//! Any members, as JSON or as text: a valid value is never changed, and an invalid one only where a
//! string spells what was meant. Each line of the input is the value of one member.
#![no_main]

use std::cell::LazyCell;

use callgate_dispatch::Arguments;
use callgate_fuzz::Bench;
use libfuzzer_sys::{Corpus, fuzz_target};
use serde_json::{Map, Value, json};

thread_local! {
    static BENCH: LazyCell<Bench> = LazyCell::new(|| {
        Bench::new(json!({
            "type": "object",
            "properties": {
                "count": {"type": "integer"},
                "ratio": {"type": "number"},
                "flag": {"type": "boolean"},
                "list": {"type": "array", "items": {"type": ["integer", "string"]}},
                "map": {"type": "object", "additionalProperties": {"type": "boolean"}},
                "either": {"anyOf": [{"type": "string"}, {"type": "array"}]},
            },
            "additionalProperties": {"type": "integer"},
        }))
    });
}

const KEYS: [&str; 7] = ["count", "ratio", "flag", "list", "map", "either", "other/~"];

fuzz_target!(|data: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(data) else { return Corpus::Reject };
    let member = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| Value::from(line));
    let members = KEYS.into_iter().zip(text.split('\n')).filter(|(_, line)| !line.is_empty());
    let asked: Map<String, Value> =
        members.map(|(key, line)| (key.to_owned(), member(line))).collect();
    let asked = Value::from(asked);

    BENCH.with(|bench| {
        let (result, ran) = bench.call(Arguments::Value(asked.clone()));
        if bench.schema().is_valid(&asked) {
            assert_eq!(result.repairs, [], "a valid value was mended");
            assert!(ran.is_some(), "a valid value was refused: {}", result.described());
        } else {
            assert_eq!(ran.is_some(), !result.repairs.is_empty(), "mended, or refused");
        }
        let Some(mut ran) = ran else { return };
        for repair in &result.repairs {
            let was = asked.pointer(&repair.pointer).expect("a place that came");
            let spelt = was.as_str().expect("only strings are mended");
            let now = ran.pointer_mut(&repair.pointer).expect("the place is still there");
            let meant: Value = serde_json::from_str(spelt).expect("the string is JSON");
            assert!(same(&meant, now), "{spelt} became {now}");
            assert!(!now.is_string() && !now.is_null(), "{spelt} became {now}");
            *now = was.clone();
        }
        assert!(same(&asked, &ran), "{asked} became {ran}");
    });
    Corpus::Keep
});

/// Whether two values mean the same: `1.0` is `1`, and parsers may differ in the last bit.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) if a.is_f64() || b.is_f64() => {
            let (Some(a), Some(b)) = (a.as_f64(), b.as_f64()) else { return false };
            (a - b).abs() <= a.abs() * f64::EPSILON
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && same(a, b))
        }
        _ => a == b,
    }
}
