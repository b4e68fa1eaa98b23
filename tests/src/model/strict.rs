//! What the real servers refuse a request for.

use std::collections::HashSet;

use serde_json::Value;

use super::{Request, Wire};

/// Everything that is wrong with a request.
pub(super) fn faults(wire: Wire, request: &Request) -> Vec<String> {
    let mut faults = Vec::new();
    let mut must = |holds: bool, fault: &str| {
        if !holds {
            faults.push(fault.to_owned());
        }
    };
    let body = &request.body;
    must(body["stream"] == true, "it is not streamed");
    must(body["model"].as_str().is_some_and(|model| !model.is_empty()), "it names no model");
    must(!request.messages().is_empty(), "it has no messages");
    let conversation = match wire {
        Wire::Anthropic => {
            must(request.path == "/v1/messages", &format!("path {}", request.path));
            must(request.header("anthropic-version").is_some(), "no anthropic-version");
            must(body["max_tokens"].as_u64().is_some_and(|limit| limit > 0), "no max_tokens");
            tools(body, &["name"], &["input_schema"], &mut must);
            anthropic(request.messages())
        }
        Wire::OpenAi => {
            must(request.path == "/v1/chat/completions", &format!("path {}", request.path));
            tools(body, &["function", "name"], &["function", "parameters"], &mut must);
            openai(request.messages())
        }
    };
    faults.extend(conversation);
    faults
}

/// Every tool has an allowed name, once, and a schema of an object.
fn tools(body: &Value, name: &[&str], schema: &[&str], must: &mut impl FnMut(bool, &str)) {
    let at =
        |tool: &Value, path: &[&str]| path.iter().fold(tool.clone(), |at, key| at[key].clone());
    let mut names = HashSet::new();
    for tool in body["tools"].as_array().into_iter().flatten() {
        let name = at(tool, name).as_str().unwrap_or_default().to_owned();
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let fits = (1..=64).contains(&name.len()) && name.chars().all(allowed);
        must(fits, &format!("the tool name {name:?}"));
        must(at(tool, schema)["type"] == "object", &format!("the schema of {name}"));
        must(names.insert(name.clone()), &format!("the tool {name} comes twice"));
    }
}

/// Each tool use is answered at the start of the next message, exactly once.
fn anthropic(messages: &[Value]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut known = HashSet::new();
    let mut open: Vec<String> = Vec::new();
    let mut last_role = String::new();
    for (at, message) in messages.iter().enumerate() {
        let role = text(&message["role"]);
        if !["user", "assistant"].contains(&role.as_str()) || (at == 0 && role != "user") {
            faults.push(format!("message {at} has the role {role}"));
        }
        if role == last_role {
            faults.push(format!("message {at} repeats the role {role}"));
        }
        last_role.clone_from(&role);
        let blocks = message["content"].as_array().cloned().unwrap_or_default();
        if blocks.is_empty() && message["content"].as_str().is_none_or(str::is_empty) {
            faults.push(format!("message {at} is empty"));
        }
        let results = blocks.iter().take_while(|block| block["type"] == "tool_result");
        let mut answered: Vec<String> = results.map(|block| text(&block["tool_use_id"])).collect();
        let all = blocks.iter().filter(|block| block["type"] == "tool_result").count();
        if all != answered.len() {
            faults.push(format!("message {at} has results after something else"));
        }
        answered.sort();
        open.sort();
        if answered != open {
            faults.push(format!("message {at} answers {answered:?}, open are {open:?}"));
        }
        open.clear();
        for block in &blocks {
            match block["type"].as_str() {
                Some("text") if block["text"].as_str().is_none_or(|t| t.trim().is_empty()) => {
                    faults.push(format!("message {at} has a blank text"));
                }
                Some("tool_use") if role == "assistant" => {
                    let id = text(&block["id"]);
                    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
                    if id.is_empty() || !id.chars().all(fits) || !block["input"].is_object() {
                        faults.push(format!("message {at} has a malformed tool use {block}"));
                    }
                    if !known.insert(id.clone()) {
                        faults.push(format!("the id {id} comes twice"));
                    }
                    open.push(id);
                }
                _ => {}
            }
        }
    }
    if !open.is_empty() {
        faults.push(format!("the conversation ends with {open:?} open"));
    }
    faults
}

/// Each tool call is answered by tool messages right after it, exactly once.
fn openai(messages: &[Value]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut known = HashSet::new();
    let mut open: Vec<String> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let role = text(&message["role"]);
        if role == "tool" {
            let id = text(&message["tool_call_id"]);
            match open.iter().position(|call| *call == id) {
                Some(place) => drop(open.remove(place)),
                None => faults.push(format!("message {at} answers {id:?}, open are {open:?}")),
            }
            if !message["content"].is_string() {
                faults.push(format!("the result in message {at} is no text"));
            }
            continue;
        }
        if !open.is_empty() {
            faults.push(format!("message {at} comes while {open:?} are open"));
            open.clear();
        }
        let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
        let content = &message["content"];
        if content.is_null() && calls.is_empty() || *content == "" {
            faults.push(format!("message {at} is empty"));
        }
        for call in &calls {
            let id = text(&call["id"]);
            let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
            let is_object = serde_json::from_str::<Value>(arguments).is_ok_and(|a| a.is_object());
            if id.is_empty() || call["type"] != "function" || !is_object {
                faults.push(format!("message {at} has a malformed call {call}"));
            }
            if !known.insert(id.clone()) {
                faults.push(format!("the id {id} comes twice"));
            }
            open.push(id);
        }
    }
    if !open.is_empty() {
        faults.push(format!("the conversation ends with {open:?} open"));
    }
    faults
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn use_of(id: &str) -> Value {
        json!({"role": "assistant", "content": [
            {"type": "tool_use", "id": id, "name": "x", "input": {}}]})
    }

    fn result_of(id: &str) -> Value {
        json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": "ok"}]})
    }

    #[test]
    fn an_anthropic_conversation_must_pair_calls_and_results() {
        let user = json!({"role": "user", "content": [{"type": "text", "text": "hi"}]});
        let whole = [user.clone(), use_of("a"), result_of("a")];
        assert_eq!(anthropic(&whole), Vec::<String>::new());
        assert_ne!(anthropic(&whole[..2]), Vec::<String>::new(), "an orphan call");
        assert_ne!(anthropic(&[user.clone(), use_of("a"), user.clone()]), Vec::<String>::new());
        assert_ne!(anthropic(&[result_of("a")]), Vec::<String>::new(), "an orphan result");
        let twice = [whole.as_slice(), &whole[1..]].concat();
        assert_ne!(anthropic(&twice), Vec::<String>::new(), "an id that comes twice");
    }

    #[test]
    fn an_openai_conversation_must_pair_calls_and_results() {
        let user = json!({"role": "user", "content": "hi"});
        let call = json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "x", "arguments": "{}"}}]});
        let result = json!({"role": "tool", "tool_call_id": "a", "content": "ok"});
        let whole = [user.clone(), call.clone(), result.clone()];
        assert_eq!(openai(&whole), Vec::<String>::new());
        assert_ne!(openai(&whole[..2]), Vec::<String>::new(), "an orphan call");
        assert_ne!(openai(&[user.clone(), call.clone(), user]), Vec::<String>::new());
        assert_ne!(openai(std::slice::from_ref(&result)), Vec::<String>::new(), "an orphan result");
        let twice = [whole.as_slice(), &[call, result]].concat();
        assert_ne!(openai(&twice), Vec::<String>::new(), "an id that comes twice");
    }
}
