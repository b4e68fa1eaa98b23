//! A turn as an HTTP/1.1 response, by hand: only so can it come in any pieces, wait, and be cut.

use std::{
    io::{self, Write as _},
    net::TcpStream,
};

use serde_json::json;

use super::{
    Wire, anthropic, openai,
    turn::{Break, Refusal, Turn},
};

/// Sends a turn.
pub(super) fn play(wire: Wire, turn: &Turn, stream: &mut TcpStream) -> io::Result<()> {
    if let Some(Refusal { status, headers, message }) = &turn.refusal {
        let kind = match status {
            401 => "authentication_error",
            429 => "rate_limit_error",
            529 => "overloaded_error",
            _ => "invalid_request_error",
        };
        let error = json!({"type": "error", "error": {"type": kind, "message": message}});
        return respond(stream, *status, headers, &error.to_string());
    }
    stream.set_nodelay(true)?;
    stream.write_all(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\
          connection: close\r\n\r\n",
    )?;
    let (events, overloaded) = match wire {
        Wire::Anthropic => (anthropic::events(turn), anthropic::overloaded()),
        Wire::OpenAi => (openai::events(turn), openai::overloaded()),
    };
    for (sent, event) in events.iter().enumerate() {
        match &turn.breaks {
            // Without the last chunk, so that the client sees that it was cut.
            Some((after, Break::Cut)) if *after == sent => return Ok(()),
            Some((after, Break::Overloaded)) if *after == sent => {
                chunk(stream, overloaded.as_bytes())?;
                break;
            }
            _ => {}
        }
        if let Some((after, gate)) = &turn.gate
            && *after == sent
        {
            gate.pass();
        }
        if turn.bytewise {
            event.as_bytes().iter().try_for_each(|byte| chunk(stream, &[*byte]))?;
        } else {
            chunk(stream, event.as_bytes())?;
        }
    }
    stream.write_all(b"0\r\n\r\n")
}

fn chunk(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    let mut framed = format!("{:x}\r\n", bytes.len()).into_bytes();
    framed.extend(bytes);
    framed.extend(b"\r\n");
    stream.write_all(&framed)
}

/// Sends a body at once.
pub(super) fn respond(
    stream: &mut TcpStream,
    status: u16,
    headers: &[(String, String)],
    body: &str,
) -> io::Result<()> {
    let mut head = format!(
        "HTTP/1.1 {status} Scripted\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         connection: close\r\n",
        body.len()
    );
    for (name, value) in headers {
        head = format!("{head}{name}: {value}\r\n");
    }
    stream.write_all(format!("{head}\r\n{body}").as_bytes())
}
