//! A request that came, and what a test asks of it.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    net::TcpStream,
};

use serde_json::Value;

/// A request to a model.
#[derive(Debug, Clone)]
pub struct Request {
    /// Its path.
    pub path: String,
    /// Its headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Value,
}

/// What the model was told came of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// The id of the call.
    pub id: String,
    /// The text.
    pub text: String,
}

impl Request {
    /// Reads a request; nothing if the client is gone or speaks something else.
    pub(super) fn read(stream: &mut TcpStream) -> Option<Self> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let path = line.split(' ').nth(1)?.to_owned();
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let length = headers.iter().find(|(name, _)| name == "content-length")?.1.parse().ok()?;
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        Some(Self { path, headers, body: serde_json::from_slice(&body).ok()? })
    }

    /// A header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The messages.
    pub fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The system prompt in either wire format.
    pub fn system(&self) -> String {
        let first = self.messages().iter().find(|message| message["role"] == "system");
        text_of(first.map_or(&self.body["system"], |message| &message["content"]))
    }

    /// The results in the last message (Anthropic) or the last messages (`OpenAI`), in order.
    pub fn told(&self) -> Vec<Told> {
        let mut told = Vec::new();
        for message in self.messages().iter().rev() {
            match (message["role"].as_str(), &message["content"]) {
                (Some("tool"), content) => {
                    told.insert(
                        0,
                        Told { id: text(&message["tool_call_id"]), text: text_of(content) },
                    );
                }
                (Some("user"), Value::Array(blocks)) => {
                    let results = blocks.iter().filter(|block| block["type"] == "tool_result");
                    return results
                        .map(|block| Told {
                            id: text(&block["tool_use_id"]),
                            text: text_of(&block["content"]),
                        })
                        .collect();
                }
                _ => break,
            }
        }
        told
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The text of content, which may be a string or a list of blocks.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
