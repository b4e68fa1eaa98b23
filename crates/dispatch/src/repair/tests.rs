use serde_json::json;

use super::*;

fn mended(schema: Value, mut arguments: Value) -> (Value, Option<Vec<Repair>>) {
    let schema = Schema::compile(schema).unwrap();
    let faults = schema.faults(&arguments);
    let repairs = mend(&schema, &mut arguments, &faults);
    (arguments, repairs)
}

fn object(properties: &Value) -> Value {
    json!({"type": "object", "properties": properties})
}

fn repair(pointer: &str, from: &str, to: &str) -> Repair {
    Repair { pointer: pointer.to_owned(), from: from.to_owned(), to: to.to_owned() }
}

#[test]
fn text_of_the_wanted_type_is_mended_and_said() {
    let schema = object(&json!({
        "paths": {"type": "array", "items": {"type": "string"}},
        "options": {"type": "object"},
        "limit": {"type": "integer"},
        "ratio": {"type": ["number", "null"]},
        "deep": {"type": "boolean"},
    }));
    let (arguments, repairs) = mended(
        schema,
        json!({"paths": "[\"a\"]", "options": "{\"x\":1}", "limit": "3", "ratio": "0.5", "deep": "false"}),
    );
    assert_eq!(
        arguments,
        json!({"paths": ["a"], "options": {"x": 1}, "limit": 3, "ratio": 0.5, "deep": false})
    );
    assert_eq!(
        repairs.unwrap(),
        [
            repair("/deep", "string \"false\"", "boolean false"),
            repair("/limit", "string \"3\"", "integer 3"),
            repair("/options", "string \"{\"x\":1}\"", "object of 1"),
            repair("/paths", "string \"[\"a\"]\"", "array of 1"),
            repair("/ratio", "string \"0.5\"", "number 0.5"),
        ]
    );
}

#[test]
fn items_of_lists_are_mended_too() {
    let schema = object(&json!({"lines": {"type": "array", "items": {"type": "integer"}}}));
    let (arguments, repairs) = mended(schema, json!({"lines": [1, "2", 3]}));
    assert_eq!(arguments, json!({"lines": [1, 2, 3]}));
    assert_eq!(repairs.unwrap(), [repair("/lines/1", "string \"2\"", "integer 2")]);
}

#[test]
fn what_can_not_be_mended_without_guessing_is_left_as_it_was() {
    for (property, value) in [
        (json!({"type": "integer"}), json!("three")),
        (json!({"type": "integer"}), json!(" 3")),
        (json!({"type": "integer"}), json!("007")),
        (json!({"type": "integer"}), json!("0.5")),
        (json!({"type": "integer"}), json!("\"3\"")),
        (json!({"type": "integer"}), json!(true)),
        (json!({"type": "integer", "maximum": 2}), json!("3")),
        (json!({"type": "boolean"}), json!("True")),
        (json!({"type": "boolean"}), json!(1)),
        (json!({"type": "null"}), json!("null")),
        (json!({"type": "array", "items": {"type": "string"}}), json!("[1]")),
        (json!({"type": "array"}), json!("a,b")),
        (json!({"type": "array"}), json!("[1,")),
        (json!({"type": "array"}), json!({"a": 1})),
        (json!({"type": "string"}), json!(3)),
        (json!({"type": "string", "enum": ["a"]}), json!("[1]")),
    ] {
        let arguments = json!({ "value": value });
        let (after, repairs) = mended(object(&json!({ "value": property })), arguments.clone());
        assert_eq!((after, repairs), (arguments, None), "{property}");
    }
}

#[test]
fn one_fault_that_stays_leaves_everything_as_it_was() {
    let schema = json!({
        "type": "object",
        "properties": {"limit": {"type": "integer"}, "path": {"type": "string"}},
        "required": ["path"],
    });
    let (arguments, repairs) = mended(schema, json!({"limit": "3"}));
    assert_eq!((arguments, repairs), (json!({"limit": "3"}), None));
}

#[test]
fn whole_numbers_become_integers_and_others_stay() {
    let mut value = json!({"a": 1.0, "b": [-2.0, 0.5, 1e300], "c": "1.0", "d": -0.0});
    settle_numbers(&mut value);
    assert_eq!(value, json!({"a": 1, "b": [-2, 0.5, 1e300], "c": "1.0", "d": 0}));
}
