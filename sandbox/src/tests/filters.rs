//! Every filter of both bank transfer lists keeps exactly the records that it names, of the world's
//! and of the live ones.

use serde_json::{Value, json};

use super::client::{Client, start};
use crate::ServeOptions;

/// Checks whether a listed record fits the filter. The settlement filters are compared with the
/// records of the service, as answers do not show settlement.
type Named = fn(&Value) -> bool;

fn text<'v>(record: &'v Value, pointer: &str) -> &'v str {
    record.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

const HALF: &str = "2026-11-05T12:00:00Z";

const SHARED: [(&str, Named); 7] = [
    ("nameOnAccount=Noor%20Ibsen", |row| text(row, "/bankAccount/nameOnAccount") == "Noor Ibsen"),
    ("last4=3307", |row| text(row, "/bankAccount/accountNumber").ends_with("3307")),
    ("last4=33075", |_| false),
    ("orderId=LIVE-1", |row| text(row, "/order/orderId") == "LIVE-1"),
    ("status=complete", |row| text(row, "/transactionResult/status") == "complete"),
    ("status=declined&status=returned", |row| {
        ["declined", "returned"].contains(&text(row, "/transactionResult/status"))
    }),
    ("paymentLinkId=QX4TN8ZLWB", |_| false),
];

async fn prepare() -> Client {
    let client = start(ServeOptions::default()).await;
    let terminal = &client.world.records().merchants[0].terminals[0];
    for number in ["4418823307", "4418829901", "4418829999"] {
        let body = json!({
            "processingTerminalId": terminal,
            "order": {"orderId": "LIVE-1", "amount": 900, "currency": "USD"},
            "paymentMethod": {
                "type": "ach", "nameOnAccount": "Noor Ibsen", "accountNumber": number,
                "routingNumber": "021000021",
            },
        });
        assert_eq!(client.post("/bank-transfer-payments", &body).await.0, 201);
    }
    let refund = json!({
        "processingTerminalId": terminal,
        "order": {"orderId": "LIVE-1", "amount": 90, "currency": "USD", "description": "Goodwill"},
        "refundMethod": {
            "type": "ach", "nameOnAccount": "Noor Ibsen", "accountNumber": "4418823307",
            "routingNumber": "021000021",
        },
    });
    assert_eq!(client.post("/bank-transfer-refunds", &refund).await.0, 201);
    client.pass(5).await;
    client
}

async fn kept(client: &Client, list: &str, filter: &str) -> Vec<Value> {
    client.follow(&format!("{list}&{filter}"), "next").await
}

#[tokio::test]
async fn every_filter_keeps_what_it_names() {
    let client = prepare().await;
    for (resource, kinds) in [
        ("bank-transfer-payments", ["payment", "accountVerification"]),
        ("bank-transfer-refunds", ["refund", "unreferencedRefund"]),
    ] {
        for merchant in 0..2 {
            let terminal = &client.world.records().merchants[merchant].terminals[0];
            let list = format!("/{resource}?processingTerminalId={terminal}&limit=3");
            let all = client.follow(&list, "next").await;
            assert!(!all.is_empty());
            let back = client.follow(&format!("{list}&limit_is_ignored=1"), "next").await;
            assert_eq!(back, all, "a parameter that nobody knows changes nothing");
            for (filter, is_named) in SHARED {
                if resource.ends_with("refunds") && filter.starts_with("paymentLinkId") {
                    continue;
                }
                let expected: Vec<Value> =
                    all.iter().filter(|row| is_named(row)).cloned().collect();
                assert_eq!(kept(&client, &list, filter).await, expected, "{list} {filter}");
            }
            for kind in kinds {
                let expected: Vec<Value> = all
                    .iter()
                    .filter(|row| text(row, "/transactionResult/type") == kind)
                    .cloned()
                    .collect();
                let found = kept(&client, &list, &format!("type={kind}")).await;
                assert_eq!(found, expected, "{list} {kind}");
            }
            let both = format!("type={}&type={}", kinds[0], kinds[1]);
            assert_eq!(kept(&client, &list, &both).await, all);
            let (early, late) = (
                kept(&client, &list, &format!("dateTo={HALF}")).await,
                kept(&client, &list, &format!("dateFrom={HALF}")).await,
            );
            assert_eq!(early.len() + late.len(), all.len(), "{list}");
            let is_early = |row: &Value| text(row, "/order/dateTime") < HALF;
            assert!(early.iter().all(is_early) && !early.is_empty());
            settlement(&client, &list, &all).await;
        }
    }
    client.sandbox.stop().await;
}

/// Settled on some day, or not at all: every record is in exactly one of these lists.
async fn settlement(client: &Client, list: &str, all: &[Value]) {
    let settled = kept(client, list, "settlementState=settled").await;
    let unsettled = kept(client, list, "settlementState=unsettled").await;
    let mut by_day = Vec::new();
    for date in client.world.options().from.iter_days().take(20) {
        by_day.extend(kept(client, list, &format!("settlementDate={date}")).await);
        let both = format!("settlementDate={date}&settlementState=unsettled");
        assert!(kept(client, list, &both).await.is_empty());
    }
    // A transfer settled before the first business date of the world is in no list of those days.
    let start = client.world.options().from.checked_sub_days(chrono::Days::new(10)).unwrap();
    for date in start.iter_days().take(10) {
        by_day.extend(kept(client, list, &format!("settlementDate={date}")).await);
    }
    let sorted = |rows: &[Value]| {
        let mut rows: Vec<String> = rows.iter().map(ToString::to_string).collect();
        rows.sort();
        rows
    };
    assert_eq!(sorted(&by_day), sorted(&settled), "{list}");
    assert_eq!(sorted(&[settled, unsettled].concat()), sorted(all), "{list}");
}
