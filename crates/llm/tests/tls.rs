//! TLS: what is not trusted is refused, and no option changes that.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail, also in what it shares with others"
)]

use std::sync::Arc;

use callgate_llm::{Anthropic, HttpOptions, LlmError, Message, OpenAiChat, Provider, Request};
use futures_util::StreamExt;
use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use tokio::{io::AsyncReadExt, net::TcpListener};
use tokio_rustls::TlsAcceptor;

/// A server with a certificate that only itself vouches for. Gives its address and what it read of
/// requests.
async fn self_signed_server() -> (String, Arc<std::sync::Mutex<Vec<u8>>>) {
    let certificate = include_bytes!("fixtures/self_signed.pem");
    let key = include_bytes!("fixtures/self_signed_key.pem");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from_pem_slice(certificate).unwrap()],
            PrivateKeyDer::from_pem_slice(key).unwrap(),
        )
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let log = seen.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if let Ok(mut stream) = acceptor.accept(stream).await {
                let mut bytes = [0; 1024];
                let count = stream.read(&mut bytes).await.unwrap_or(0);
                log.lock().unwrap().extend(&bytes[..count]);
            }
        }
    });
    (url, seen)
}

async fn failure(provider: &dyn Provider) -> LlmError {
    let request = Request { messages: vec![Message::user("hello")], ..Request::default() };
    let mut pieces: Vec<_> = provider.stream(request).collect().await;
    assert_eq!(pieces.len(), 1, "it was tried again: {pieces:?}");
    pieces.remove(0).unwrap_err()
}

#[tokio::test]
async fn l31_a_self_signed_certificate_is_refused_and_nothing_is_sent() {
    let (url, seen) = self_signed_server().await;
    let options = HttpOptions {
        base_url: url.clone(),
        key: Some("sk-test-0123456789".into()),
        ..HttpOptions::default()
    };
    let providers: [Box<dyn Provider>; 2] = [
        Box::new(Anthropic::new(options.clone()).unwrap()),
        Box::new(OpenAiChat::new(options).unwrap()),
    ];
    for provider in providers {
        match failure(&*provider).await {
            LlmError::Certificate { url: shown, .. } => assert!(shown.starts_with(&url), "{shown}"),
            // A machine without any CA certificate trusts no server either.
            LlmError::Configuration { message } => assert!(message.contains("CA certificates")),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(*seen.lock().unwrap(), Vec::<u8>::new());
}

#[test]
fn l31_there_is_no_option_to_trust_more() {
    // Fails to compile when an option is added, so that whoever adds one thinks of this promise.
    let HttpOptions {
        base_url: _,
        key: _,
        key_source: _,
        model: _,
        connect_timeout: _,
        idle_timeout: _,
        max_attempts: _,
        max_wait: _,
    } = HttpOptions::default();
}
