//! The service over HTTP: tokens, pages, filters and problems.

use std::collections::BTreeSet;

use serde_json::Value;

use super::client::{link, start};
use crate::{Links, ServeOptions};

fn texts(records: &[Value]) -> Vec<String> {
    records.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn pages_hold_every_record_once_in_both_directions() {
    let client = start(ServeOptions::default()).await;
    let terminal = client.world.records().merchants[0].terminals[0].clone();
    let settled = "settlementState=settled&settlementDate=2026-11-05";
    let lists = [
        "/ach-deposits?date=2026-11-05".to_owned(),
        "/ach-deposit-fees?date=2026-11-05".to_owned(),
        "/batches?date=2026-11-05".to_owned(),
        "/transactions?date=2026-11-05".to_owned(),
        "/transactions?date=2026-11-05&transactionType=Return".to_owned(),
        "/authorizations?date=2026-11-05".to_owned(),
        format!("/authorizations?date=2026-11-05&merchantId={}", {
            &client.world.records().merchants[0].id
        }),
        format!("/bank-transfer-payments?processingTerminalId={terminal}"),
        format!("/bank-transfer-payments?processingTerminalId={terminal}&{settled}"),
        format!("/bank-transfer-refunds?processingTerminalId={terminal}"),
    ];
    for list in lists {
        let whole = client.follow(&format!("{list}&limit=100"), "next").await;
        assert!(!whole.is_empty(), "{list}");
        let distinct: BTreeSet<String> = texts(&whole).into_iter().collect();
        if !list.starts_with("/ach-deposit-fees") {
            assert_eq!(distinct.len(), whole.len(), "{list}");
        }
        let forwards = client.follow(&format!("{list}&limit=3"), "next").await;
        assert_eq!(texts(&forwards), texts(&whole), "{list}");
        // From the last page back to the first.
        let mut last = format!("{list}&limit=3");
        while let Some(next) = link(&client.page(&last).await, "next") {
            last = next;
        }
        let backwards = client.follow(&last, "previous").await;
        assert_eq!(texts(&backwards), texts(&whole), "{list}");
    }
    client.sandbox.stop().await;
}

#[tokio::test]
async fn lists_hold_what_the_world_holds() {
    let client = start(ServeOptions::default()).await;
    let records = client.world.records();
    let start = records.batches[0].date;
    let (mut batches, mut items, mut deposits, mut fees) = (0, 0, 0, 0);
    for date in start.iter_days().take(25) {
        let count = async |path: &str| {
            client.follow(&format!("/{path}?date={date}&limit=100"), "next").await.len()
        };
        batches += count("batches").await;
        items += count("authorizations").await;
        deposits += count("ach-deposits").await;
        fees += count("ach-deposit-fees").await;
    }
    assert_eq!(batches, records.batches.len());
    assert_eq!(items, records.authorizations.len());
    assert_eq!(deposits, records.deposits.len());
    assert_eq!(fees, records.fees.len());
    let mut payments = 0;
    for terminal in records.merchants.iter().flat_map(|merchant| &merchant.terminals) {
        for resource in ["payments", "refunds"] {
            let path = format!("/bank-transfer-{resource}?processingTerminalId={terminal}");
            payments += client.follow(&format!("{path}&limit=100"), "next").await.len();
        }
    }
    let listed = records.transfers.iter().filter(|transfer| transfer.is_listed).count();
    assert_eq!(payments, listed);
    client.sandbox.stop().await;
}

#[tokio::test]
async fn single_records_equal_the_listed_ones() {
    let client = start(ServeOptions::default()).await;
    let records = client.world.records();
    let terminal = &records.merchants[1].terminals[0];
    let lists = [
        ("/ach-deposits?date=2026-11-05", "/ach-deposits", "achDepositId"),
        ("/batches?date=2026-11-05", "/batches", "batchId"),
        ("/transactions?date=2026-11-05", "/transactions", "transactionId"),
        ("/authorizations?date=2026-11-05", "/authorizations", "authorizationId"),
        (
            &format!("/bank-transfer-payments?processingTerminalId={terminal}"),
            "/bank-transfer-payments",
            "paymentId",
        ),
        (
            &format!("/bank-transfer-refunds?processingTerminalId={terminal}"),
            "/bank-transfer-refunds",
            "refundId",
        ),
    ];
    for (list, path, name) in lists {
        for record in client.page(list).await["data"].as_array().unwrap() {
            let id = record[name].to_string().replace('"', "");
            assert_eq!(client.get(&format!("{path}/{id}")).await, (200, record.clone()));
        }
    }
    // A return that is in no list can still be read by its own id.
    let mut transfers = records.transfers.iter();
    let returned = transfers.find(|transfer| !transfer.is_listed).unwrap();
    let (status, body) = client.get(&format!("/bank-transfer-payments/{}", returned.id)).await;
    assert_eq!((status, body["paymentId"].as_str()), (200, Some(returned.id.as_str())));
    client.sandbox.stop().await;
}

#[tokio::test]
async fn filters_keep_what_they_name() {
    let client = start(ServeOptions::default()).await;
    let records = client.world.records();
    let (batch, deposit) = (&records.batches[3], &records.deposits[3]);
    let fees = format!("/ach-deposit-fees?achDepositId={}", deposit.id);
    for fee in client.follow(&fees, "next").await {
        assert_eq!(fee["achDeposit"]["achDepositId"], deposit.id);
    }
    let items = client.follow(&format!("/authorizations?batchId={}", batch.id), "next").await;
    assert_eq!(items.len(), records.batch_items(batch.id).len());
    assert!(items.iter().all(|item| item["batch"]["batchId"] == batch.id));
    let (terminal, moment) = (&records.merchants[0].terminals[0], "2026-11-04T00:00:00%2B00:00");
    let list = format!("/bank-transfer-payments?processingTerminalId={terminal}&limit=100");
    let all = client.follow(&list, "next").await;
    let before = client.follow(&format!("{list}&dateTo={moment}"), "next").await;
    let after = client.follow(&format!("{list}&dateFrom={moment}"), "next").await;
    assert_eq!(before.len() + after.len(), all.len());
    for wanted in [vec!["complete"], vec!["returned", "declined"]] {
        let query = format!("&status={}", wanted.join("&status="));
        let found = client.follow(&format!("{list}{query}"), "next").await;
        let is_wanted = |payment: &&Value| {
            wanted.contains(&payment["transactionResult"]["status"].as_str().unwrap())
        };
        assert_eq!(texts(&found).len(), all.iter().filter(is_wanted).count(), "{wanted:?}");
    }
    let unsettled = client.follow(&format!("{list}&settlementState=unsettled"), "next").await;
    let settled = client.follow(&format!("{list}&settlementState=settled"), "next").await;
    assert_eq!(unsettled.len() + settled.len(), all.len());
    client.sandbox.stop().await;
}

#[tokio::test]
async fn problems_name_what_is_wrong() {
    let client = start(ServeOptions::default()).await;
    let terminal = &client.world.records().merchants[0].terminals[0];
    let payments = format!("/bank-transfer-payments?processingTerminalId={terminal}");
    let cases = [
        ("/batches", 400, "date"),
        ("/batches?date=2026-13-40", 400, "date"),
        ("/batches?date=2026-11-5", 400, "date"),
        ("/batches?date=2026-11-05&limit=0", 400, "limit"),
        ("/batches?date=2026-11-05&limit=101", 400, "limit"),
        ("/batches?date=2026-11-05&limit=ten", 400, "limit"),
        ("/batches?date=2026-11-05&after=x7", 400, "after"),
        ("/batches?date=2026-11-05&after=7&before=9", 400, "before"),
        ("/batches/x7", 400, "batchId"),
        ("/ach-deposits", 400, "date"),
        ("/ach-deposits/x7", 400, "achDepositId"),
        ("/ach-deposit-fees", 400, "date"),
        ("/ach-deposit-fees?achDepositId=x7", 400, "achDepositId"),
        ("/authorizations", 400, "date"),
        ("/authorizations?batchId=x7", 400, "batchId"),
        ("/transactions?date=2026-11-05&transactionType=capture", 400, "transactionType"),
        ("/bank-transfer-payments", 400, "processingTerminalId"),
        (&format!("{payments}&status=lost"), 400, "status"),
        (&format!("{payments}&type=refund"), 400, "type"),
        (&format!("{payments}&dateFrom=2026-11-05"), 400, "dateFrom"),
        (&format!("{payments}&settlementDate=today"), 400, "settlementDate"),
        (&format!("{payments}&settlementState=some"), 400, "settlementState"),
        (&format!("{payments}&last4=12x4"), 400, "last4"),
        (&format!("{payments}&after=NOSUCHIDXX"), 400, "after"),
        ("/bank-transfer-payments?processingTerminalId=99999999", 403, ""),
        ("/ach-deposits/1", 404, ""),
        ("/batches/1", 404, ""),
        ("/transactions/1", 404, ""),
        ("/authorizations/1", 404, ""),
        ("/bank-transfer-payments/NOSUCHID", 400, "paymentId"),
        ("/bank-transfer-refunds/NOSUCHIDXXX", 400, "refundId"),
        ("/bank-transfer-payments/NOSUCHIDXX", 404, ""),
        ("/bank-transfer-refunds/NOSUCHIDXX", 404, ""),
        ("/no-such-thing", 404, ""),
    ];
    for (path, expected, parameter) in cases {
        let (status, body) = client.get(path).await;
        assert_eq!((status, &body["status"]), (expected, &Value::from(expected)), "{path}");
        assert_eq!(body["errors"][0]["parameter"].as_str().unwrap_or_default(), parameter);
        for name in ["type", "title", "detail"] {
            assert!(body[name].is_string(), "{path} {name}");
        }
    }
    client.sandbox.stop().await;
}

#[tokio::test]
async fn an_empty_list_is_an_empty_page() {
    let client = start(ServeOptions::default()).await;
    let page = client.page("/batches?date=2020-01-01").await;
    let expected = r#"{"limit":10,"count":0,"hasMore":false,"links":[],"data":[]}"#;
    assert_eq!(page, serde_json::from_str::<Value>(expected).unwrap());
    client.sandbox.stop().await;
}

#[tokio::test]
async fn asks_for_a_key_a_token_and_json() {
    let client = start(ServeOptions::default()).await;
    let base = client.sandbox.base_url();
    let batches = format!("{base}/v1/batches?date=2026-11-05");
    let post = |key: &str| client.http.post(format!("{base}/authorize")).header("x-api-key", key);
    let cases = [
        (post("wrong"), 401),
        (client.http.post(format!("{base}/authorize")), 401),
        (client.http.get(&batches), 401),
        (client.http.get(&batches).bearer_auth("sandbox.1.0"), 401),
        (client.http.get(&batches).header("authorization", "Basic eDp5"), 401),
        (client.http.get(&batches).bearer_auth(&client.token).header("accept", "text/html"), 406),
        (client.http.get(&batches).bearer_auth(&client.token), 200),
        (client.http.get(format!("{base}/nowhere")), 404),
        (client.http.put(&batches).bearer_auth(&client.token), 405),
    ];
    let requests = client.sandbox.requests();
    let count = cases.len() as u64;
    for (request, expected) in cases {
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), expected);
        let body: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
        assert!(expected == 200 || body["status"] == expected, "{body}");
    }
    assert_eq!(client.sandbox.requests(), requests + count);
    client.sandbox.stop().await;
}

#[tokio::test]
async fn a_token_that_is_too_old_is_refused() {
    let client = start(ServeOptions { token_seconds: 0, ..ServeOptions::default() }).await;
    assert_eq!(client.get("/batches?date=2026-11-05").await.0, 401);
    client.sandbox.stop().await;
}

#[tokio::test]
async fn transactions_can_be_switched_off() {
    let client = start(ServeOptions { transactions: false, ..ServeOptions::default() }).await;
    for path in ["/transactions?date=2026-11-05", "/transactions/6130077"] {
        assert_eq!(client.get(path).await.0, 404, "{path}");
    }
    client.sandbox.stop().await;
}

#[tokio::test]
async fn writes_records_in_the_shape_of_the_contract() {
    let client = start(ServeOptions::default()).await;
    let records = client.world.records();
    let (returned, refund) = {
        let find = |keep: fn(&crate::world::records::Transfer) -> bool| {
            records.transfers.iter().find(|transfer| keep(transfer)).unwrap().id.clone()
        };
        (
            find(|transfer| transfer.representment.is_some()),
            find(|transfer| transfer.payment != crate::world::records::PaymentLink::None),
        )
    };
    let paths = [
        format!("/ach-deposits/{}", records.deposits[0].id),
        format!("/ach-deposit-fees?achDepositId={}&limit=1", records.deposits[0].id),
        format!("/batches/{}", records.batches[0].id),
        format!("/authorizations/{}", records.authorizations[0].id),
        format!("/transactions/{}", records.authorizations[0].transaction_id),
        format!("/bank-transfer-payments/{returned}"),
        format!("/bank-transfer-refunds/{refund}"),
        "/batches?date=2026-11-05&limit=1&after=1".to_owned(),
    ];
    let mut shapes: Vec<String> = Vec::new();
    for path in paths {
        let (_, body) = client.get(&path).await;
        let resource = path.split(['?', '/']).nth(1).unwrap();
        shapes.push(format!("{resource}\n{}", serde_json::to_string(&body).unwrap()));
    }
    insta::assert_snapshot!(shapes.join("\n\n"));
    client.sandbox.stop().await;
}

#[tokio::test]
async fn links_lead_to_where_the_request_came_to_when_that_is_asked_for() {
    let client = start(ServeOptions { links: Links::Here, ..ServeOptions::default() }).await;
    let base = client.sandbox.base_url();
    let page = client.page("/batches?date=2026-11-05&limit=1").await.to_string();
    assert!(page.contains(&format!("\"{base}/v1/batches?after=")), "{page}");
    assert!(!page.contains("payroc.com"), "{page}");
    let url = format!("{base}/v1/batches?date=2026-11-05&limit=1");
    for (host, expected) in [
        ("sandbox.example:8443", "http://sandbox.example:8443/v1/batches"),
        ("no host\"", &format!("{base}/v1/batches")),
    ] {
        let request = client.http.get(&url).bearer_auth(&client.token).header("host", host);
        let page = request.send().await.unwrap().text().await.unwrap();
        assert!(page.contains(expected), "{host}: {page}");
    }
    client.sandbox.stop().await;
}
