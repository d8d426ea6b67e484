//! Transient failures are retried within limits; other failures are reported at once.

use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::server::{Server, answer, limits, page, read, settings, token};
use crate::api::Api;
use crate::api::Failure;
use crate::api::Limits;

#[tokio::test]
async fn tries_again_what_passes_and_reports_the_rest_at_once() {
    let cases = [
        (408, true),
        (429, true),
        (500, true),
        (502, true),
        (503, true),
        (504, true),
        (599, true),
        (400, false),
        (403, false),
        (404, false),
        (406, false),
        (204, false),
    ];
    for (status, is_transient) in cases {
        let server =
            Server::with_pages(
                move |_, number| {
                    if number < 4 { answer(status, "") } else { page(1, None) }
                },
            )
            .await;
        let result = read(&server.api()).await;
        assert_eq!(result.is_ok(), is_transient, "{status}: {result:?}");
        let expected = if is_transient { 4 } else { 1 };
        assert_eq!(server.page_calls().len(), expected, "{status}");
    }
}

#[tokio::test]
async fn gives_up_after_the_last_attempt_and_says_how_many_there_were() {
    let problem = r#"{"title":"Server error","detail":"Failure inside."}"#;
    let server = Server::with_pages(move |_, _| answer(500, problem)).await;
    let error = read(&server.api()).await.unwrap_err();
    assert_eq!(server.page_calls().len(), 4);
    assert_eq!(
        error.to_string(),
        "batches by date 2026-11-20, page 1: expected status 200, found 500 (Server error; \
         Failure inside.), after 4 attempts"
    );
    assert!(!error.is_refusal() && !error.is_configuration());
}

#[tokio::test]
async fn waits_as_long_as_the_api_asks_up_to_a_cap() {
    for (name, value) in [("retry-after", "3600"), ("x-ratelimit-reset", "9999999999")] {
        let server = Server::with_pages(move |_, number| {
            let mut response = if number == 1 { answer(429, "") } else { page(1, None) };
            response.headers_mut().insert(name, value.parse().unwrap());
            response
        })
        .await;
        let started = Instant::now();
        read(&server.api()).await.unwrap();
        assert!(started.elapsed() >= limits().longest_asked_wait, "{name}");
        assert_eq!(server.page_calls().len(), 2);
    }
}

#[tokio::test]
async fn ends_before_a_request_with_all_its_attempts_takes_too_long() {
    let server = Server::with_pages(|_, _| {
        let mut response = answer(503, "");
        response.headers_mut().insert("retry-after", "1".parse().unwrap());
        response
    })
    .await;
    let limits = Limits { longest_request: Duration::from_millis(20), ..limits() };
    let api = Api::with_limits(&server.settings(), &limits).unwrap();
    assert!(read(&api).await.is_err());
    assert_eq!(server.page_calls().len(), 1);
}

#[tokio::test]
async fn tries_a_body_again_that_is_no_json_and_quotes_nothing_of_it() {
    let server = Server::with_pages(|_, number| {
        if number == 1 { answer(200, r#"{"data":[{"nameOnAccount":"Noor"#) } else { page(1, None) }
    })
    .await;
    assert_eq!(read(&server.api()).await.unwrap().len(), 1);
    let server = Server::with_pages(|_, _| answer(200, "<html>Noor</html>")).await;
    let error = read(&server.api()).await.unwrap_err().to_string();
    assert_eq!(
        error,
        "batches by date 2026-11-20, page 1: expected JSON, found something else at line 1 \
         column 1 of 17 bytes, after 4 attempts"
    );
}

/// Answers each connection with the next of `answers`, byte for byte, and closes it.
fn raw_server(answers: Vec<String>) -> std::net::SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = Vec::new();
            let mut buffer = [0; 1_024];
            while !request.windows(4).any(|window| window == b"\r\n\r\n") {
                let length = stream.read(&mut buffer).unwrap();
                request.extend_from_slice(&buffer[..length]);
            }
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    address
}

#[tokio::test]
async fn tries_again_when_a_body_is_cut_or_a_connection_breaks() {
    let auth = Server::with_pages(|_, _| page(1, None)).await;
    let body = r#"{"hasMore":false,"data":[{"batchId":1}]}"#;
    let whole = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let cut = whole[..whole.len() - 5].to_owned();
    let base = raw_server(vec![cut.clone(), String::new(), whole]);
    let api = Api::with_limits(&settings(base, auth.address), &limits()).unwrap();
    assert_eq!(read(&api).await.unwrap()[0].records.len(), 1);

    let base = raw_server(vec![cut; 4]);
    let api = Api::with_limits(&settings(base, auth.address), &limits()).unwrap();
    let error = read(&api).await.unwrap_err();
    assert!(matches!(error.failure(), Some(Failure::CutBody { .. })), "{error}");
    assert!(error.to_string().ends_with("after 4 attempts"), "{error}");
}

#[tokio::test]
async fn names_the_host_that_cannot_be_reached() {
    let auth = Server::with_pages(|_, _| page(1, None)).await;
    let nobody = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let api = Api::with_limits(&settings(nobody, auth.address), &limits()).unwrap();
    let error = read(&api).await.unwrap_err();
    assert!(error.to_string().contains(&format!("{nobody} is unreachable: ")), "{error}");
    assert!(error.hint().is_some());
}

#[tokio::test]
async fn gives_up_on_an_answer_that_does_not_come_in_time() {
    let auth = Server::with_pages(|_, _| page(1, None)).await;
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut settings = settings(silent.local_addr().unwrap(), auth.address);
    settings.timeout_seconds = 1;
    settings.max_attempts = 1;
    let api = Api::with_limits(&settings, &limits()).unwrap();
    let error = read(&api).await.unwrap_err();
    assert!(matches!(error.failure(), Some(Failure::TimedOut { seconds: 1, .. })), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sends_fewer_requests_at_once_after_the_api_has_had_enough() {
    let server =
        Server::with_pages(|_, number| if number <= 2 { answer(429, "") } else { page(1, None) })
            .await;
    let mut settings = server.settings();
    settings.max_in_flight = 8;
    let api = Api::with_limits(&settings, &limits()).unwrap();
    read(&api).await.unwrap();
    assert_eq!(api.inner.exchange.limit(), 2);
}

/// How long one request waits for another.
const MEETING_LIMIT: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn never_has_more_requests_under_way_than_allowed() {
    let (under_way, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let server = Server::with_pages({
        let (under_way, most) = (under_way.clone(), most.clone());
        move |_, _| {
            let now = under_way.fetch_add(1, Ordering::SeqCst) + 1;
            most.fetch_max(now, Ordering::SeqCst);
            // Two requests must be under way at once here, to show that the limit is used; the wait
            // for them is bounded.
            let began = Instant::now();
            while most.load(Ordering::SeqCst) < 2 && began.elapsed() < MEETING_LIMIT {
                std::thread::sleep(Duration::from_millis(1));
            }
            under_way.fetch_sub(1, Ordering::SeqCst);
            page(1, None)
        }
    })
    .await;
    let mut settings = server.settings();
    settings.max_in_flight = 2;
    let api = Api::with_limits(&settings, &limits()).unwrap();
    let readings: Vec<_> = (0..20)
        .map(|_| {
            let api = api.clone();
            tokio::spawn(async move { read(&api).await.unwrap() })
        })
        .collect();
    for reading in readings {
        reading.await.unwrap();
    }
    assert_eq!(most.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn tries_the_token_again_when_the_identity_service_stumbles() {
    let server = Server::start(|call, number| match (call.is_for_a_token(), number) {
        (true, 1) => answer(503, ""),
        (true, 2) => answer(200, "<html>"),
        (true, _) => token(number, 3_600),
        (false, _) => page(1, None),
    })
    .await;
    assert_eq!(read(&server.api()).await.unwrap().len(), 1);
    assert_eq!(server.token_calls().len(), 3);
}
