//! The key is sent to one place and the token to another, each no more often than needed, and
//! neither is seen anywhere else.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::server::{KEY, Server, answer, limits, page, read, settings, token};
use crate::api::Api;
use crate::api::ApiError;
use crate::api::Failure;
use crate::stop::Stop;
use tieout_config::ApiKeySource;
use tieout_model::{Listing, Resource, Selector};

/// Reads the listing from `count` tasks at once.
async fn read_at_once(api: &Api, count: usize) -> Vec<Result<(), ApiError>> {
    let readings: Vec<_> = (0..count)
        .map(|_| {
            let api = api.clone();
            tokio::spawn(async move { read(&api).await.map(|_| ()) })
        })
        .collect();
    let mut results = Vec::new();
    for reading in readings {
        results.push(reading.await.unwrap());
    }
    results
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn asks_for_one_token_however_many_are_waiting() {
    let server = Server::with_pages(|_, _| page(1, None)).await;
    let api = server.api();
    assert!(read_at_once(&api, 32).await.iter().all(Result::is_ok));
    let tokens = server.token_calls();
    assert_eq!(tokens.len(), 1);
    assert_eq!((tokens[0].method.as_str(), tokens[0].header("x-api-key")), ("POST", Some(KEY)));
    assert_eq!(tokens[0].header("content-length").unwrap_or("0"), "0");
    let pages = server.page_calls();
    assert_eq!(pages.len(), 32);
    for call in pages {
        assert_eq!(call.header("authorization"), Some("Bearer token-1"));
        assert_eq!(call.header("x-api-key"), None);
        assert_eq!(call.header("accept"), Some("application/json"));
        assert!(call.header("user-agent").unwrap().starts_with("tieout/"));
        assert!(call.header("accept-encoding").unwrap().contains("gzip"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn renews_a_refused_token_once_for_all_and_tries_each_request_once_more() {
    let server = Server::with_pages(|call, _| {
        if call.header("authorization") == Some("Bearer token-1") {
            answer(401, "")
        } else {
            page(1, None)
        }
    })
    .await;
    let api = server.api();
    assert!(read_at_once(&api, 16).await.iter().all(Result::is_ok));
    assert_eq!(server.token_calls().len(), 2);
}

#[tokio::test]
async fn reports_a_token_that_is_refused_also_after_it_was_renewed() {
    let server = Server::with_pages(|call, _| {
        let echo = call.header("authorization").unwrap().replace("Bearer ", "");
        answer(401, format!(r#"{{"title":"Not authorized","detail":"not {echo}"}}"#))
    })
    .await;
    let error = read(&server.api()).await.unwrap_err();
    assert_eq!((server.page_calls().len(), server.token_calls().len()), (2, 2));
    assert!(error.is_refusal() && !error.is_configuration());
    assert_eq!(
        error.to_string(),
        "batches by date 2026-11-20, page 1: the access token was refused with status 401, also \
         after it was renewed (Not authorized; not [token])"
    );
}

/// The outcome of one page request with the second token, after another request was refused with
/// it.
#[derive(Clone, Copy, Debug)]
enum Other {
    /// The service is too busy to check tokens.
    Undecided,
    /// The token was valid when the request came in; the answer is slow.
    Accepted,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn waits_for_what_others_learn_of_a_token_before_it_takes_a_refusal_for_its_own() {
    for other in [Other::Undecided, Other::Accepted] {
        let refused = Arc::new(AtomicBool::new(false));
        let come_in = Arc::new(AtomicBool::new(false));
        let server = Server::with_pages({
            let (refused, come_in) = (refused.clone(), come_in.clone());
            move |call, _| {
                let is_second = call.header("authorization") == Some("Bearer token-2");
                if call.header("authorization") == Some("Bearer token-1") {
                    answer(401, "")
                } else if is_second && call.target.contains("/authorizations") {
                    come_in.store(true, Ordering::SeqCst);
                    until(&refused);
                    // The client knows of the refusal well before this answer.
                    std::thread::sleep(Duration::from_millis(100));
                    match other {
                        Other::Undecided => answer(429, ""),
                        Other::Accepted => answer(200, r#"{"hasMore":false,"data":[]}"#),
                    }
                } else if is_second {
                    until(&come_in);
                    refused.store(true, Ordering::SeqCst);
                    answer(401, "")
                } else if call.target.contains("/authorizations") {
                    answer(200, r#"{"hasMore":false,"data":[]}"#)
                } else {
                    page(1, None)
                }
            }
        })
        .await;
        let api = server.api();
        let date = Selector::Date("2026-11-20".parse().unwrap());
        let slow = Listing::new(Resource::Authorizations, date);
        let slow = {
            let api = api.clone();
            tokio::spawn(async move { api.pages(&slow, &[]).next().await.map(|_| ()) })
        };
        let read = read(&api).await;
        assert!(read.is_ok(), "{other:?}: {read:?}");
        slow.await.unwrap().unwrap();
        assert_eq!(server.token_calls().len(), 3, "{other:?}");
    }
}

/// Waits until `it_is_so`, for a bounded time.
fn until(it_is_so: &AtomicBool) {
    let began = Instant::now();
    while !it_is_so.load(Ordering::SeqCst) && began.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[tokio::test]
async fn renews_a_token_before_it_expires() {
    // A token without a lifetime is due at once: it is used once, and the next request renews it.
    let server = Server::start(|call, number| {
        if call.is_for_a_token() {
            return token(number, if number == 1 { 0 } else { 3_600 });
        }
        page(1, (number == 1).then_some("?after=1"))
    })
    .await;
    let api = server.api();
    let mut pages = api.pages(&super::server::batches(), &[]);
    pages.next().await.unwrap();
    pages.next().await.unwrap();
    let tokens: Vec<_> = server
        .page_calls()
        .iter()
        .map(|call| call.header("authorization").unwrap().to_owned())
        .collect();
    assert_eq!(tokens, ["Bearer token-1", "Bearer token-2"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn reports_a_refused_key_without_trying_it_again_and_again() {
    for status in [401, 403] {
        let server = Server::start(move |call, _| {
            answer(status, format!(r#"{{"detail":"{}"}}"#, call.header("x-api-key").unwrap()))
        })
        .await;
        let api = server.api();
        for result in read_at_once(&api, 1).await {
            let error = result.unwrap_err();
            assert_eq!(error.failure(), Some(&Failure::KeyRefused { status }));
            assert!(error.is_refusal() && error.hint().is_some());
            assert!(!format!("{error} {error:?}").contains(KEY));
        }
        assert_eq!(server.token_calls().len(), 1);
        assert!(server.page_calls().is_empty());
    }
}

#[tokio::test]
async fn reads_the_key_file_again_for_each_token() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("key");
    let write = |text: &str| {
        std::io::Write::write_all(&mut std::fs::File::create(&path).unwrap(), text.as_bytes())
            .unwrap();
    };
    write("first\n");
    let server =
        Server::with_pages(|_, number| if number == 2 { answer(401, "") } else { page(1, None) })
            .await;
    let mut settings = server.settings();
    settings.api_key = Some(ApiKeySource::File(path.clone()));
    let api = Api::with_limits(&settings, &limits()).unwrap();
    read(&api).await.unwrap();
    write("second\r\n");
    read(&api).await.unwrap();
    let keys: Vec<_> = server
        .token_calls()
        .iter()
        .map(|call| call.header("x-api-key").unwrap().to_owned())
        .collect();
    assert_eq!(keys, ["first", "second"]);
}

#[tokio::test]
async fn refuses_to_start_without_a_key_or_with_an_address_that_is_not_to_be_trusted() {
    let server = Server::with_pages(|_, _| page(1, None)).await;
    let good = server.settings();
    let mut keyless = good.clone();
    keyless.api_key = None;
    let mut missing = good.clone();
    missing.api_key = Some(ApiKeySource::File("no/such/key".into()));
    let mut plain = good.clone();
    plain.auth_url = Some("http://identity.example.com".to_owned());
    let mut nowhere = good;
    nowhere.base_url = None;
    for (settings, expected) in [
        (keyless, "api.api_key_file is not configured"),
        (missing, "api key file no/such/key: cannot be read: "),
        (plain, "api.auth_url: expected https, found plain http to identity.example.com"),
        (nowhere, "api.base_url is not configured"),
    ] {
        let error = Api::new(&settings, Stop::default()).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
        assert!(error.is_configuration() && error.hint().is_some());
    }
}

#[tokio::test]
async fn shows_no_other_host_a_token_or_a_key() {
    let canary = Server::start(|_, _| answer(200, "{}")).await;
    let foreign = canary.address;
    let identity = Server::start(|_, number| token(number, 3_600)).await;
    let linked = Server::start(move |_, number| {
        page(1, (number == 1).then(|| format!("http://{foreign}/v1/batches?after=1")).as_deref())
    })
    .await;
    let api = Api::with_limits(&settings(linked.address, identity.address), &limits()).unwrap();
    assert_eq!(read(&api).await.unwrap().len(), 2);

    let seen = Arc::new(Mutex::new(Vec::new()));
    for status in [301, 302, 303, 307, 308] {
        let redirecting = Server::start(move |_, _| {
            let mut response = answer(status, "");
            let location = format!("http://{foreign}/v1/batches?key=secret-path");
            response.headers_mut().insert("location", location.parse().unwrap());
            response
        })
        .await;
        // First as the API, then as the identity service.
        for (base, auth) in
            [(redirecting.address, identity.address), (linked.address, redirecting.address)]
        {
            let api = Api::with_limits(&settings(base, auth), &limits()).unwrap();
            let error = read(&api).await.unwrap_err();
            let host = foreign.to_string();
            assert_eq!(error.failure(), Some(&Failure::Redirect { status, host }));
            seen.lock().unwrap().push(format!("{error} {error:?} {api:?}"));
        }
    }
    assert!(canary.page_calls().is_empty() && canary.token_calls().is_empty());
    for text in seen.lock().unwrap().iter() {
        let secrets = [KEY, "token-1", "secret-path"];
        assert!(secrets.iter().all(|secret| !text.contains(secret)), "{text}");
    }
    let identified = identity.token_calls();
    assert!(
        !identified.is_empty() && identified.iter().all(|c| c.header("authorization").is_none())
    );
    assert!(linked.page_calls().iter().all(|call| call.header("x-api-key").is_none()));
}
