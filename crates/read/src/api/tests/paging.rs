//! A listing is followed to its end, and an incomplete one is never taken for complete.

use super::server::{Server, answer, batches, limits, page, read};
use crate::api::Api;
use crate::api::Failure;
use crate::api::Limits;
use tieout_model::{BatchId, Listing, Resource, Selector};

#[tokio::test]
async fn follows_the_cursor_of_each_page_to_the_last() {
    let server = Server::with_pages(|_, number| match number {
        1 => page(1, Some("https://api.example.com//v1/batchs?limit=1&&after=a%2Fb")),
        2 => page(2, Some("http://internal/batches?after=90211&date=1999-01-01")),
        _ => page(3, None),
    })
    .await;
    let api = server.api();
    let pages = read(&api).await.unwrap();
    let targets: Vec<_> = server.page_calls().into_iter().map(|call| call.target).collect();
    assert_eq!(
        targets,
        [
            "/v1/batches?date=2026-11-20&limit=100",
            "/v1/batches?date=2026-11-20&limit=100&after=a%2Fb",
            "/v1/batches?date=2026-11-20&limit=100&after=90211",
        ]
    );
    let cursors: Vec<_> = pages
        .iter()
        .map(|page| (page.number, page.after.as_deref(), page.next.as_deref()))
        .collect();
    assert_eq!(
        cursors,
        [(1, None, Some("a/b")), (2, Some("a/b"), Some("90211")), (3, Some("90211"), None)]
    );
    assert!(pages.iter().all(|page| page.records.len() == 1 && page.record_count == 1));
    assert!(pages.iter().all(|page| page.received_bytes > 0 && !page.evidence.is_empty()));
    assert_eq!(api.requests(), 4);
}

#[tokio::test]
async fn goes_on_where_an_interrupted_reading_stopped() {
    let server = Server::with_pages(|_, _| page(3, Some("?after=7"))).await;
    let api = server.api();
    let resume = ["5".to_owned(), "7".to_owned()];
    let error = api.pages(&batches(), &resume).next().await.unwrap_err();
    assert!(server.page_calls()[0].target.ends_with("&after=7"));
    assert_eq!(
        error.to_string(),
        "batches by date 2026-11-20, page 3: the next cursor \"7\" was followed before; the \
         listing goes in circles"
    );
}

#[tokio::test]
async fn refuses_a_page_that_repeats_its_cursor() {
    let server = Server::with_pages(|_, number| match number {
        1 | 3 => page(1, Some("?after=1")),
        _ => page(2, Some("?after=2")),
    })
    .await;
    let error = read(&server.api()).await.unwrap_err();
    assert_eq!(error.failure(), Some(&Failure::CursorRepeated { cursor: "1".to_owned() }));
    assert_eq!(server.page_calls().len(), 3);
}

#[tokio::test]
async fn refuses_a_page_that_does_not_say_where_it_goes_on() {
    let body = r#"{"hasMore":true,"links":[{"rel":"self","href":"?after=1"}],"data":[]}"#;
    let server = Server::with_pages(move |_, _| answer(200, body)).await;
    let error = read(&server.api()).await.unwrap_err();
    assert_eq!(error.failure(), Some(&Failure::NextMissing));
    assert_eq!(server.page_calls().len(), 1);
}

#[tokio::test]
async fn refuses_a_page_whose_count_is_not_that_of_its_records() {
    let body = r#"{"count":2,"hasMore":false,"data":[{"batchId":1}]}"#;
    let server = Server::with_pages(move |_, _| answer(200, body)).await;
    let error = read(&server.api()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "batches by date 2026-11-20, page 1: count is 2 records, found 1; the listing is \
         incomplete"
    );
}

#[tokio::test]
async fn refuses_more_pages_than_there_can_be() {
    let server = Server::with_pages(|_, number| page(1, Some(&format!("?after={number}")))).await;
    let limits = Limits { page_limit: 3, ..limits() };
    let api = Api::with_limits(&server.settings(), &limits).unwrap();
    let error = read(&api).await.unwrap_err();
    assert_eq!(error.failure(), Some(&Failure::TooManyPages { limit: 3 }));
    assert_eq!(server.page_calls().len(), 3);
}

#[tokio::test]
async fn ends_where_cursors_go_on_for_ever_and_nothing_new_comes() {
    let empty = |number| {
        let body = format!(
            r#"{{"hasMore":true,"links":[{{"rel":"next","href":"?after=x{number}"}}],"data":[]}}"#
        );
        answer(200, body)
    };
    let server = Server::with_pages(move |_, number| empty(number)).await;
    let error = read(&server.api()).await.unwrap_err();
    assert_eq!(error.failure(), Some(&Failure::NothingNew { pages: 100 }));
    assert_eq!(server.page_calls().len(), 100);
    let same = |_: &_, number| page(7, Some(&format!("?after=x{number}")));
    let server = Server::with_pages(same).await;
    let error = read(&server.api()).await.unwrap_err();
    assert_eq!(error.failure(), Some(&Failure::NothingNew { pages: 100 }));
    assert_eq!(server.page_calls().len(), 101);
    // A page that a filter of the service leaves empty does not end the listing.
    let sparse = move |_: &_, number: usize| match number {
        300 => page(8, None),
        number if number % 99 == 0 => {
            page(u32::try_from(number).unwrap(), Some(&format!("?after=y{number}")))
        }
        number => empty(number),
    };
    let server = Server::with_pages(sparse).await;
    read(&server.api()).await.unwrap();
}

#[tokio::test]
async fn refuses_a_body_that_is_too_large_without_reading_it_all() {
    let server = Server::with_pages(|_, _| answer(200, " ".repeat(5_000_000))).await;
    let limits = Limits { body_limit_bytes: 1_000, ..limits() };
    let api = Api::with_limits(&server.settings(), &limits).unwrap();
    let error = read(&api).await.unwrap_err();
    assert_eq!(error.failure(), Some(&Failure::TooLarge { limit_bytes: 1_000 }));
    assert_eq!(server.page_calls().len(), 1);
}

#[tokio::test]
async fn takes_404_for_an_answer_where_one_record_is_asked_for() {
    let server = Server::with_pages(|call, _| match call.target.as_str() {
        "/v1/batches/7" => answer(200, r#"{"batchId":7}"#),
        _ => answer(404, r#"{"title":"Not found","detail":"There is no such thing."}"#),
    })
    .await;
    let api = server.api();
    let single = |id| Listing::new(Resource::Batches, Selector::BatchById(BatchId(id)));
    let mut pages = api.pages(&single(7), &[]);
    let found = pages.next().await.unwrap().unwrap();
    assert!(!found.absent && found.records.len() == 1);
    assert_eq!(pages.next().await.unwrap(), None);
    let absent = api.pages(&single(8), &[]).next().await.unwrap().unwrap();
    assert!(absent.absent && absent.records.is_empty() && absent.record_count == 0);
    let error = read(&api).await.unwrap_err();
    assert!(error.to_string().contains("expected status 200, found 404 (Not found;"), "{error}");
}

#[tokio::test]
async fn accepts_an_odd_content_type_over_sound_json() {
    let server = Server::with_pages(|_, _| {
        let mut response = page(1, None);
        response.headers_mut().insert("content-type", "text/html".parse().unwrap());
        response
    })
    .await;
    assert_eq!(read(&server.api()).await.unwrap().len(), 1);
}
