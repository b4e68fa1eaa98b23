//! One list of scenarios, run for each provider over a real socket on a paused clock.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail, also in what it shares with others"
)]

mod support;

use std::time::Duration;

use callgate_llm::{Block, Delta, HttpOptions, LlmError, Message, ResultPart, Role, StopReason};
use futures_util::StreamExt;
use support::{
    ask,
    dialect::{Dialect, KEY, options},
    hello,
    raw_server::{Act, RawServer, STREAM_HEAD, chunked, cut, response},
};
use tokio::time::Instant;

macro_rules! scenarios {
    ($dialect:expr; $($name:ident),* $(,)?) => {
        $(#[tokio::test(start_paused = true)]
        async fn $name() {
            super::$name($dialect).await;
        })*
    };
}

/// Makes each scenario a test of each provider. What a wire format can't do is an ignored test with
/// its reason, so that it is seen in every run.
macro_rules! conformance {
    ($($module:ident => $dialect:expr, also: [$($also:ident),*], skips: [$($skip:ident: $reason:literal),*];)*) => {
        $(mod $module {
            use super::*;

            scenarios!($dialect;
                text_arrives_at_every_chunk_size,
                several_interleaved_calls_arrive_whole,
                l20_arguments_that_are_no_json_arrive_as_they_are,
                l30_two_thousand_calls_arrive,
                l01_a_cut_at_any_byte_is_complete_or_retried,
                l01_a_reset_is_retried,
                l01_an_answer_that_is_always_cut_is_reported,
                l03_an_error_inside_the_stream_is_retried,
                l05_the_asked_wait_is_kept,
                l05_a_wait_over_the_maximum_is_an_error,
                l07_the_attempts_are_bounded,
                l08_a_refused_key_is_not_tried_again_nor_shown,
                l09_a_conversation_that_is_too_long_is_told,
                l21_a_silent_stream_is_retried,
                l21_a_silent_server_is_retried,
                a_server_that_is_not_there_is_told,
                a_redirect_is_not_followed,
                a_server_that_does_not_stream_is_understood,
                a_web_page_is_told,
                a_whole_answer_counts_though_the_connection_stays_open,
                a_slow_stream_has_no_total_time,
                dropping_the_stream_ends_the_request,
                the_key_goes_along_and_no_key_sends_no_header,
                $($also),*
            );

            $(#[test]
            #[ignore = $reason]
            fn $skip() {})*
        })*
    };
}

conformance! {
    anthropic => Dialect::Anthropic, also: [
        thinking_signatures_go_back_unchanged,
        images_in_results_are_sent
    ], skips: [];
    openai_chat => Dialect::OpenAiChat, also: [], skips: [
        thinking_signatures_go_back_unchanged: "the wire format has no signatures",
        images_in_results_are_sent: "the wire format allows only text in results"
    ];
}

fn call(id: &str, name: &str, arguments: &str) -> Block {
    let [id, name, arguments] = [id, name, arguments].map(str::to_owned);
    Block::ToolUse { id, name, arguments }
}

async fn text_arrives_at_every_chunk_size(dialect: Dialect) {
    let body = dialect.text(&["Hel", "lo, ", "你好 👋"]);
    for size in [1, 2, 3, 7, 64, 100_000] {
        let server = RawServer::start([chunked(&body, size)]).await;
        let heard = ask(&*dialect.at(&server.url)).await;
        assert_eq!(heard.answer().text(), "Hello, 你好 👋", "chunks of {size}");
        assert_eq!(
            (heard.answer().stop, heard.answer().usage.output_tokens),
            (StopReason::EndTurn, 2)
        );
        assert_eq!(heard.retries(), 0);
    }
}

async fn several_interleaved_calls_arrive_whole(dialect: Dialect) {
    let body = dialect.calls(&[
        ("c1", "read_file", &["{\"pa", "th\": ", "\"a\"}"]),
        ("c2", "glob", &["{\"pattern\"", ": \"*\"}"]),
        ("c3", "list", &[]),
    ]);
    let server = RawServer::start([chunked(&body, 5)]).await;
    let answer = ask(&*dialect.at(&server.url)).await.answer();
    assert_eq!(answer.stop, StopReason::ToolUse);
    let wanted = [
        call("c1", "read_file", "{\"path\": \"a\"}"),
        call("c2", "glob", "{\"pattern\": \"*\"}"),
        call("c3", "list", ""),
    ];
    assert_eq!(answer.message.content, wanted);
}

async fn l20_arguments_that_are_no_json_arrive_as_they_are(dialect: Dialect) {
    let body = dialect.calls(&[("c1", "t", &["{\"a\": ", "01,,"])]);
    let server = RawServer::start([chunked(&body, 50)]).await;
    let answer = ask(&*dialect.at(&server.url)).await.answer();
    assert_eq!(answer.message.content, [call("c1", "t", "{\"a\": 01,,")]);
}

async fn l30_two_thousand_calls_arrive(dialect: Dialect) {
    let ids: Vec<String> = (0..2000).map(|number| format!("c{number}")).collect();
    let pieces: &[&str] = &["{}"];
    let calls: Vec<_> = ids.iter().map(|id| (id.as_str(), "t", pieces)).collect();
    let server = RawServer::start([chunked(&dialect.calls(&calls), 8192)]).await;
    let answer = ask(&*dialect.at(&server.url)).await.answer();
    let wanted: Vec<Block> = ids.iter().map(|id| call(id, "t", "{}")).collect();
    assert_eq!(answer.message.content, wanted);
}

async fn l01_a_cut_at_any_byte_is_complete_or_retried(dialect: Dialect) {
    let body = dialect.calls(&[("c1", "t", &["{\"a\":", " 1}"]), ("c2", "t", &["{}"])]);
    let wanted = [call("c1", "t", "{\"a\": 1}"), call("c2", "t", "{}")];
    let mut retried = 0;
    for at in 0..body.len() {
        let server = RawServer::start([cut(&body, at), chunked(&body, 1000)]).await;
        let heard = ask(&*dialect.at(&server.url)).await;
        assert_eq!(heard.answer().message.content, wanted, "cut at {at}");
        assert_eq!(heard.retries() + 1, server.requests().len(), "cut at {at}");
        retried += heard.retries();
    }
    // All but those cuts that lost nothing of the answer itself.
    assert!(retried > body.len() / 2, "{retried} of {}", body.len());
}

async fn l01_a_reset_is_retried(dialect: Dialect) {
    let reset = vec![
        Act::Send(STREAM_HEAD.into()),
        Act::Send(dialect.started(&["half"]).into_bytes()),
        Act::Pause(Duration::from_millis(5)),
        Act::Reset,
    ];
    let server = RawServer::start([reset, chunked(&dialect.text(&["whole"]), 1000)]).await;
    let heard = ask(&*dialect.at(&server.url)).await;
    assert_eq!((heard.answer().text().as_str(), heard.retries()), ("whole", 1));
}

async fn l01_an_answer_that_is_always_cut_is_reported(dialect: Dialect) {
    let body = dialect.text(&["half"]);
    let server = RawServer::start([cut(&body, body.len() / 2)]).await;
    let heard = ask(&*dialect.at(&server.url)).await;
    assert!(matches!(heard.error(), LlmError::GaveUp { attempts: 3, .. }), "{:?}", heard.error);
    assert!(!heard.deltas.iter().any(|delta| matches!(delta, Delta::Stopped(_))));
}

async fn l03_an_error_inside_the_stream_is_retried(dialect: Dialect) {
    let broken = dialect.started(&["one ", "two ", "three "]) + &Dialect::overloaded();
    let good = dialect.text(&["one ", "two"]);
    let server = RawServer::start([chunked(&broken, 1000), chunked(&good, 1000)]).await;
    let heard = ask(&*dialect.at(&server.url)).await;
    let said = heard.deltas.iter().filter(|delta| matches!(delta, Delta::Text { .. })).count();
    assert_eq!(said, 5, "what came before the error is streamed too");
    assert_eq!(heard.answer().text(), "one two");
    let reason = heard.deltas.iter().find_map(|delta| match delta {
        Delta::Retrying { attempt: 1, reason, .. } => Some(reason.clone()),
        _ => None,
    });
    assert_eq!(reason.unwrap(), "the provider can't answer now (HTTP 529): Overloaded");
}

async fn l05_the_asked_wait_is_kept(dialect: Dialect) {
    let busy = response(429, &[("retry-after", "7")], "{\"error\":{\"message\":\"slow down\"}}");
    let server = RawServer::start([busy, chunked(&dialect.text(&["ok"]), 1000)]).await;
    let start = Instant::now();
    let heard = ask(&*dialect.at(&server.url)).await;
    assert_eq!(heard.answer().text(), "ok");
    let wait = Duration::from_secs(7);
    assert!(matches!(heard.deltas[0], Delta::Retrying { attempt: 1, wait: w, .. } if w == wait));
    assert!(start.elapsed() >= wait && start.elapsed() < wait * 2, "{:?}", start.elapsed());
}

async fn l05_a_wait_over_the_maximum_is_an_error(dialect: Dialect) {
    let server = RawServer::start([response(429, &[("retry-after", "999999999")], "busy")]).await;
    let start = Instant::now();
    let heard = ask(&*dialect.at(&server.url)).await;
    assert!(heard.error().to_string().contains("999999999 s (11574 days)"), "{:?}", heard.error);
    assert!(start.elapsed() < Duration::from_secs(1));
    assert_eq!(server.requests().len(), 1);
}

async fn l07_the_attempts_are_bounded(dialect: Dialect) {
    for status in [408, 409, 429, 500, 503, 529] {
        let server = RawServer::start([response(status, &[], "no")]).await;
        let options = HttpOptions { max_attempts: 5, ..options(&server.url) };
        let heard = ask(&*dialect.provider(options)).await;
        assert!(matches!(heard.error(), LlmError::GaveUp { attempts: 5, .. }), "{:?}", heard.error);
        assert_eq!((server.requests().len(), heard.retries()), (5, 4), "{status}");
    }
}

async fn l08_a_refused_key_is_not_tried_again_nor_shown(dialect: Dialect) {
    for status in [401, 403] {
        let body = format!("{{\"error\":{{\"message\":\"invalid key {KEY}\"}}}}");
        let server = RawServer::start([response(status, &[], &body)]).await;
        let heard = ask(&*dialect.at(&server.url)).await;
        let error = heard.error();
        assert!(error.to_string().contains("TEST_API_KEY"), "{error}");
        assert!(!format!("{error} {error:?}").contains(KEY), "{error:?}");
        assert_eq!(server.requests().len(), 1);
    }
}

async fn l09_a_conversation_that_is_too_long_is_told(dialect: Dialect) {
    let body =
        r#"{"error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}"#;
    let server = RawServer::start([response(400, &[], body)]).await;
    let heard = ask(&*dialect.at(&server.url)).await;
    assert!(heard.error().is_context_too_long(), "{:?}", heard.error);
    assert_eq!(server.requests().len(), 1);
}

async fn l21_a_silent_stream_is_retried(dialect: Dialect) {
    let silent = vec![
        Act::Send(STREAM_HEAD.into()),
        Act::Send(dialect.started(&["half"]).into_bytes()),
        Act::Hang,
    ];
    let server = RawServer::start([silent, chunked(&dialect.text(&["whole"]), 1000)]).await;
    let start = Instant::now();
    let heard = ask(&*dialect.at(&server.url)).await;
    assert_eq!((heard.answer().text().as_str(), heard.retries()), ("whole", 1));
    assert!(start.elapsed() >= Duration::from_secs(30), "{:?}", start.elapsed());
}

async fn l21_a_silent_server_is_retried(dialect: Dialect) {
    let server = RawServer::start([vec![Act::Hang]]).await;
    let heard = ask(&*dialect.at(&server.url)).await;
    let text = heard.error().to_string();
    assert_eq!(text, "gave up after 3 attempts: nothing came from the provider for 30 s");
}

async fn a_server_that_is_not_there_is_told(dialect: Dialect) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let heard = ask(&*dialect.at(&url)).await;
    let text = heard.error().to_string();
    assert!(text.contains(&url) && text.contains("refused"), "{text}");
    assert_eq!(heard.retries(), 2);
}

async fn a_redirect_is_not_followed(dialect: Dialect) {
    let other = RawServer::start([chunked(&dialect.text(&["stolen"]), 1000)]).await;
    let away = response(307, &[("location", &other.url)], "");
    let server = RawServer::start([away]).await;
    let heard = ask(&*dialect.at(&server.url)).await;
    assert!(matches!(heard.error(), LlmError::Refused { status: 307, .. }), "{:?}", heard.error);
    assert_eq!((server.requests().len(), other.requests().len()), (1, 0));
}

async fn a_server_that_does_not_stream_is_understood(dialect: Dialect) {
    let kind = [("content-type", "application/json")];
    let server = RawServer::start([response(200, &kind, &dialect.whole("all at once"))]).await;
    assert_eq!(ask(&*dialect.at(&server.url)).await.answer().text(), "all at once");
    let server = RawServer::start([response(200, &kind, "{\"error\":{\"code\":400}}")]).await;
    let heard = ask(&*dialect.at(&server.url)).await;
    assert!(matches!(heard.error(), LlmError::Refused { status: 400, .. }), "{:?}", heard.error);
}

async fn a_web_page_is_told(dialect: Dialect) {
    let page = response(200, &[("content-type", "text/html")], "<html>Welcome</html>");
    let server = RawServer::start([page]).await;
    let heard = ask(&*dialect.at(&server.url)).await;
    assert!(heard.error().to_string().contains("is the base URL right?"), "{:?}", heard.error);
    assert_eq!(server.requests().len(), 1);
}

async fn a_whole_answer_counts_though_the_connection_stays_open(dialect: Dialect) {
    let body = dialect.text(&["done"]);
    let body = body.strip_suffix("data: [DONE]\n\n").unwrap_or(&body);
    let open = vec![Act::Send(STREAM_HEAD.into()), Act::Send(body.into()), Act::Hang];
    let server = RawServer::start([open]).await;
    let start = Instant::now();
    let heard = ask(&*dialect.at(&server.url)).await;
    assert_eq!((heard.answer().text().as_str(), heard.retries()), ("done", 0));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

async fn a_slow_stream_has_no_total_time(dialect: Dialect) {
    let mut script = vec![Act::Send(STREAM_HEAD.into())];
    for byte in dialect.text(&["slow"]).into_bytes() {
        script.extend([Act::Send(vec![byte]), Act::Pause(Duration::from_secs(20))]);
    }
    let server = RawServer::start([script]).await;
    let start = Instant::now();
    let heard = ask(&*dialect.at(&server.url)).await;
    assert_eq!((heard.answer().text().as_str(), heard.retries()), ("slow", 0));
    assert!(start.elapsed() > Duration::from_mins(30), "{:?}", start.elapsed());
}

async fn dropping_the_stream_ends_the_request(dialect: Dialect) {
    let open = vec![
        Act::Send(STREAM_HEAD.into()),
        Act::Send(dialect.started(&["half"]).into_bytes()),
        Act::Hang,
    ];
    let server = RawServer::start([open]).await;
    let mut stream = dialect.at(&server.url).stream(hello());
    assert!(matches!(stream.next().await, Some(Ok(Delta::Started { .. }))));
    drop(stream);
    server.client_gone().await;
    assert_eq!(server.requests().len(), 1);
}

async fn the_key_goes_along_and_no_key_sends_no_header(dialect: Dialect) {
    let server = RawServer::start([chunked(&dialect.text(&["ok"]), 1000)]).await;
    ask(&*dialect.at(&server.url)).await.answer();
    let without = HttpOptions { key: None, ..options(&server.url) };
    ask(&*dialect.provider(without)).await.answer();
    let requests = server.requests();
    assert!(requests[0].contains(&dialect.key_header()), "{}", requests[0]);
    assert!(!requests[1].contains("x-api-key") && !requests[1].contains("authorization"));
    assert!(requests[0].contains("\"stream\":true"));
}

/// Sends the conversation and gives what arrived at the server.
async fn sent(dialect: Dialect, messages: Vec<Message>) -> String {
    let server = RawServer::start([chunked(&dialect.text(&["ok"]), 1000)]).await;
    let request = callgate_llm::Request { messages, ..hello() };
    let deltas: Vec<_> = dialect.at(&server.url).stream(request).collect().await;
    assert!(deltas.iter().all(Result::is_ok), "{deltas:?}");
    server.requests().remove(0)
}

async fn thinking_signatures_go_back_unchanged(dialect: Dialect) {
    let signature = "EpwBCioIDxgC+/==";
    let thought = r#"{"type":"thinking","thinking":"","signature":""}"#;
    let body = [
        format!(r#"{{"type":"content_block_start","index":0,"content_block":{thought}}}"#),
        format!(
            r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"signature_delta","signature":"{signature}"}}}}"#
        ),
    ];
    let body: Vec<String> = body.iter().map(|data| format!("data: {data}\n\n")).collect();
    let body = body.concat() + &dialect.ending("stop");
    let server = RawServer::start([chunked(&body, 1000)]).await;
    let answer = ask(&*dialect.at(&server.url)).await.answer();
    let request = sent(dialect, vec![Message::user("a"), answer.message, Message::user("b")]).await;
    assert!(request.contains(&format!(r#""signature":"{signature}""#)), "{request}");
}

async fn images_in_results_are_sent(dialect: Dialect) {
    let image = ResultPart::Image { media_type: "image/png".to_owned(), data: "QUJD".to_owned() };
    let result =
        Block::ToolResult { tool_use_id: "c1".to_owned(), content: vec![image], is_error: false };
    let messages = vec![
        Message::user("look"),
        Message { role: Role::Assistant, content: vec![call("c1", "t", "{}")] },
        Message { role: Role::User, content: vec![result] },
    ];
    let request = sent(dialect, messages).await;
    assert!(request.contains(r#""data":"QUJD""#), "{request}");
}
