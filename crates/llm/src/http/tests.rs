use futures_util::StreamExt;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use super::*;
use crate::{HttpOptions, openai_chat::OpenAiChat, provider::Provider};

/// What is told of an answer with these headers and this body, and how many requests were made.
async fn told_of(headers: &str, body: &str) -> (String, usize) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 200 OK\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n{body}"
    );
    let served = tokio::spawn(async move {
        let (mut peer, _) = listener.accept().await.unwrap();
        let mut request = [0; 4096];
        let _ = peer.read(&mut request).await.unwrap();
        peer.write_all(answer.as_bytes()).await.unwrap();
    });
    let options = HttpOptions { base_url, max_attempts: 3, ..HttpOptions::default() };
    let provider = OpenAiChat::new(options).unwrap();
    let deltas: Vec<_> = provider.stream(Request::default()).collect().await;
    served.await.unwrap();
    let retries = deltas.iter().filter(|delta| matches!(delta, Ok(Delta::Retrying { .. }))).count();
    let error = deltas.into_iter().find_map(Result::err).unwrap();
    (error.to_string(), retries + 1)
}

#[tokio::test]
async fn what_is_no_event_stream_is_told_at_once_with_its_type() {
    let long = format!("<html>\n{}", "é ".repeat(50_000));
    let cases = [
        ("", "", "without a content type"),
        ("content-type: text/html; charset=utf-8\r\n", long.as_str(), "text/html"),
        ("content-type: text/plain\r\n", "hello\nyou", "It begins: hello you"),
        ("content-type: application/json\r\n", "", "application/json"),
        ("content-type: application/json\r\n", "{\"ok\": true}", "It begins: {\"ok\": true}"),
        ("content-type: application/json\r\n", "[1", "application/json"),
        (
            "content-type: application/json\r\n",
            "{\"error\": {\"message\": \"no such route\"}}",
            "no such route (this came as application/json",
        ),
    ];
    for (headers, body, words) in cases {
        let (text, attempts) = told_of(headers, body).await;
        assert_eq!(attempts, 1, "{headers}: {text}");
        assert!(text.contains(words), "{headers}: {text}");
        assert!(text.contains("is the base URL right?"), "{headers}: {text}");
        assert!(text.chars().count() < 500 && !text.contains('\n'), "{headers}: {text}");
    }
}
