//! Operations that not every key has: disputes, their statuses, and terminals.

use super::client::start_with;
use super::week;
use crate::{Kind, ServeOptions, WorldOptions};

#[tokio::test]
async fn lists_disputes_by_their_day_with_the_statuses_up_to_the_clock() {
    let options = WorldOptions { merchants: 7, kinds: vec![Kind::Disputes], ..week(3) };
    let client = start_with(&options, ServeOptions::default()).await;
    let disputes = &client.world.records().disputes;
    assert!(!disputes.is_empty());
    for dispute in disputes {
        let listed = client.follow(&format!("/disputes?date={}", dispute.created), "next").await;
        let found = listed.iter().find(|one| one["disputeId"] == dispute.id).unwrap();
        assert_eq!(found["disputeAmount"], dispute.amount);
        let (status, all) = client.get(&format!("/disputes/{}/statuses", dispute.id)).await;
        assert_eq!((status, all.as_array().unwrap().len()), (200, dispute.statuses.len()));
        let newest = &all[dispute.statuses.len() - 1];
        assert_eq!(found["currentStatus"]["status"], newest["status"]);
        let transaction = found["transaction"]["transactionId"].as_i64().unwrap();
        let (status, transaction) = client.get(&format!("/transactions/{transaction}")).await;
        assert_eq!((status, &transaction["amount"]), (200, &found["transaction"]["amount"]));
    }
    assert_eq!(client.get("/disputes/1/statuses").await.0, 404);
    assert_eq!(client.get("/disputes").await.0, 400);
    client.sandbox.stop().await;
}

#[tokio::test]
async fn lists_the_terminals_of_a_processing_account() {
    let client = start_with(&week(3), ServeOptions::default()).await;
    for merchant in &client.world.records().merchants {
        let path = format!("/processing-accounts/{}/processing-terminals", merchant.account_id);
        let listed = client.follow(&format!("{path}?limit=1"), "next").await;
        let ids: Vec<&str> =
            listed.iter().map(|one| one["processingTerminalId"].as_str().unwrap()).collect();
        assert_eq!(ids, merchant.terminals);
        assert_eq!(listed[0]["timezone"], merchant.time_zone.name());
    }
    assert_eq!(client.get("/processing-accounts/1/processing-terminals").await.0, 404);
    client.sandbox.stop().await;
}

#[tokio::test]
async fn answers_404_to_a_key_without_the_operations() {
    let options = ServeOptions { disputes: false, terminals: false, ..ServeOptions::default() };
    let client = start_with(&week(3), options).await;
    let account = client.world.records().merchants[0].account_id;
    for path in [
        "/disputes?date=2026-11-04".to_owned(),
        "/disputes/5100/statuses".to_owned(),
        format!("/processing-accounts/{account}/processing-terminals"),
    ] {
        assert_eq!(client.get(&path).await.0, 404, "{path}");
    }
    client.sandbox.stop().await;
}

#[tokio::test]
async fn lists_a_late_batch_from_its_day_on() {
    let options = WorldOptions { merchants: 7, kinds: vec![Kind::LateRecords], ..week(3) };
    let (world, _) = crate::World::generate(&options).unwrap();
    let (id, day) = world.records().late.batches.iter().next().unwrap();
    let (id, day) = (*id, *day);
    for (clock, listed) in [(day.pred_opt().unwrap(), 404), (day, 200)] {
        let now = clock.and_hms_opt(12, 0, 0).unwrap().and_utc();
        let serving = ServeOptions { now: Some(now), ..ServeOptions::default() };
        let client = start_with(&options, serving).await;
        assert_eq!(client.get(&format!("/batches/{id}")).await.0, listed);
        let items = client.follow(&format!("/authorizations?batchId={id}"), "next").await;
        assert_eq!(items.is_empty(), listed == 404);
        client.sandbox.stop().await;
    }
}
