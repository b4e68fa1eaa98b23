//! A scripted model on loopback: each request gets the next turn of the script, streamed.
//!
//! It is as strict as the real ones: a conversation with an orphan call, an orphan result or an id
//! that comes twice is refused with 400, and fails the test at [`ModelServer::finish`].

mod anthropic;
mod gate;
mod http;
mod openai;
mod request;
mod strict;
mod turn;

use std::{
    collections::VecDeque,
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use serde_json::json;

pub use gate::Gate;
pub use request::{Request, Told};
pub use turn::{Stop, Turn};

/// A wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Anthropic Messages.
    Anthropic,
    /// `OpenAI` Chat Completions.
    OpenAi,
}

impl Wire {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Anthropic, Self::OpenAi];

    /// The name that `--provider` has for it.
    pub const fn provider(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
        }
    }
}

/// The server. It lives until its test process ends.
#[derive(Debug)]
pub struct ModelServer {
    wire: Wire,
    url: String,
    script: Arc<Mutex<Script>>,
}

#[derive(Debug, Default)]
struct Script {
    turns: VecDeque<Turn>,
    requests: Vec<Request>,
    faults: Vec<String>,
}

impl ModelServer {
    /// Serves these turns, one for each request.
    pub fn start(wire: Wire, turns: impl IntoIterator<Item = Turn>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
        let address = listener.local_addr().expect("its address");
        let url = match wire {
            Wire::Anthropic => format!("http://{address}"),
            Wire::OpenAi => format!("http://{address}/v1"),
        };
        let turns = turns.into_iter().collect();
        let script = Arc::new(Mutex::new(Script { turns, ..Script::default() }));
        let shared = Arc::clone(&script);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let script = Arc::clone(&shared);
                thread::spawn(move || serve(wire, stream, &script));
            }
        });
        Self { wire, url, script }
    }

    /// What it speaks.
    pub const fn wire(&self) -> Wire {
        self.wire
    }

    /// Its base URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.script.lock().expect("no holder panicked").requests.clone()
    }

    /// Checks that the whole script was played and that no request was at fault; returns them all.
    #[track_caller]
    pub fn finish(&self) -> Vec<Request> {
        let script = self.script.lock().expect("no holder panicked");
        assert_eq!(script.faults, Vec::<String>::new(), "a strict server refused a request");
        assert!(script.turns.is_empty(), "turns that nobody asked for: {:?}", script.turns);
        script.requests.clone()
    }
}

/// Answers one request, and closes the connection.
fn serve(wire: Wire, mut stream: TcpStream, script: &Mutex<Script>) {
    let Some(request) = Request::read(&mut stream) else { return };
    let faults = strict::faults(wire, &request);
    let turn = {
        let mut script = script.lock().expect("no holder panicked");
        script.requests.push(request);
        let faulty = !faults.is_empty();
        script.faults.extend(faults.iter().cloned());
        let turn = if faulty { None } else { script.turns.pop_front() };
        if turn.is_none() && !faulty {
            script.faults.push("a request after the end of the script".to_owned());
        }
        turn
    };
    // A client that is gone wants no answer.
    let _ = if let Some(turn) = turn {
        http::play(wire, &turn, &mut stream)
    } else {
        let message = format!("refused by the test's server: {faults:?}");
        let error = json!({"type": "invalid_request_error", "message": message});
        let body = json!({"type": "error", "error": error}).to_string();
        http::respond(&mut stream, 400, &[], &body)
    };
}
