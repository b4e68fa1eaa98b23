//! A server of bytes: it plays exactly what a test says, one script for each connection.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// One thing that the server does on a connection.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// Sends bytes at once.
    Send(Vec<u8>),
    /// Lets time pass on the runtime's clock.
    Pause(Duration),
    /// Closes the connection with a reset.
    Reset,
    /// Keeps the connection open and sends nothing until the client goes.
    Hang,
}

/// What the server does on one connection, after it has read the request. It closes at the end.
pub(crate) type Script = Vec<Act>;

/// The start of a streamed response. Without a length: it ends when the connection does.
pub(crate) const STREAM_HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nconnection: close\r\n\r\n";

/// A stream sent in chunks of `size` bytes with a pause after each, properly ended.
pub(crate) fn chunked(body: &str, size: usize) -> Script {
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let mut acts = vec![Act::Send(head.into())];
    for piece in body.as_bytes().chunks(size) {
        let mut bytes = format!("{:x}\r\n", piece.len()).into_bytes();
        bytes.extend(piece);
        bytes.extend(b"\r\n");
        acts.extend([Act::Send(bytes), Act::Pause(Duration::from_millis(1))]);
    }
    acts.push(Act::Send(b"0\r\n\r\n".to_vec()));
    acts
}

/// A stream of which only the first `cut` bytes arrive, though more is announced.
pub(crate) fn cut(body: &str, cut: usize) -> Script {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    vec![Act::Send(head.into_bytes()), Act::Send(body.as_bytes()[..cut].to_vec())]
}

/// A response without a stream.
pub(crate) fn response(status: u16, headers: &[(&str, &str)], body: &str) -> Script {
    let mut head = format!("HTTP/1.1 {status} Status\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        head.extend([*name, ": ", *value, "\r\n"]);
    }
    vec![Act::Send(format!("{head}connection: close\r\n\r\n{body}").into_bytes())]
}

/// A running server.
#[derive(Debug)]
pub(crate) struct RawServer {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<String>>>,
    gone: Arc<tokio::sync::Notify>,
}

impl RawServer {
    /// Plays `scripts`, one for each connection; the last again for all further ones.
    pub(crate) async fn start(scripts: impl IntoIterator<Item = Script>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let gone = Arc::new(tokio::sync::Notify::new());
        let mut scripts: VecDeque<Script> = scripts.into_iter().collect();
        let (log, left) = (requests.clone(), gone.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let script = match scripts.len() {
                    1 => scripts[0].clone(),
                    _ => scripts.pop_front().unwrap_or_default(),
                };
                tokio::spawn(play(stream, script, log.clone(), left.clone()));
            }
        });
        Self { url, requests, gone }
    }

    /// The requests so far, head and body.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// Waits until a client has left a connection that hangs.
    pub(crate) async fn client_gone(&self) {
        self.gone.notified().await;
    }
}

async fn play(
    mut stream: TcpStream,
    script: Script,
    log: Arc<Mutex<Vec<String>>>,
    gone: Arc<tokio::sync::Notify>,
) {
    stream.set_nodelay(true).unwrap();
    let Some(request) = read_request(&mut stream).await else { return };
    log.lock().unwrap().push(request);
    for act in script {
        match act {
            Act::Send(bytes) => {
                if stream.write_all(&bytes).await.is_err() {
                    return;
                }
            }
            Act::Pause(time) => tokio::time::sleep(time).await,
            Act::Reset => {
                stream.set_zero_linger().unwrap();
                return;
            }
            Act::Hang => {
                let mut byte = [0];
                let _ = stream.read(&mut byte).await;
                gone.notify_one();
                return;
            }
        }
    }
    let _ = stream.shutdown().await;
}

async fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 8192];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| {
                    line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok()
                })
                .unwrap_or(0);
            if body.len() >= length {
                return Some(text);
            }
        }
        match stream.read(&mut buffer).await {
            Ok(count) if count > 0 => bytes.extend(&buffer[..count]),
            _ => return None,
        }
    }
}
