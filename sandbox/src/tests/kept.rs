//! The state file preserves the state across a restart.

use std::sync::Arc;

use serde_json::{Value, json};

use super::client::{Client, connect, fresh_key};
use super::week;
use crate::{Links, SandboxError, ServeOptions, StateError, World, serve};

async fn open(seed: u64, path: &std::path::Path) -> Result<Client, SandboxError> {
    let world = Arc::new(World::generate(&week(seed)).unwrap().0);
    let options = ServeOptions { state: Some(path.to_owned()), ..ServeOptions::default() };
    Ok(connect(serve(Arc::clone(&world), options).await?, world).await)
}

fn sale(client: &Client, number: &str) -> Value {
    json!({
        "processingTerminalId": client.world.records().merchants[0].terminals[0],
        "order": {"orderId": "KEPT-1", "amount": 900, "currency": "USD"},
        "paymentMethod": {
            "type": "ach", "nameOnAccount": "Noor Ibsen", "accountNumber": number,
            "routingNumber": "021000021",
        },
        "credentialOnFile": {"tokenize": true},
    })
}

/// The live state as far as a client can see it.
async fn seen(client: &Client) -> Vec<Value> {
    let mut seen = vec![client.http_json("/_sandbox/clock").await];
    for terminal in &client.world.records().merchants[0].terminals {
        for resource in ["payments", "refunds"] {
            let list = format!("/bank-transfer-{resource}?processingTerminalId={terminal}");
            seen.extend(client.follow(&list, "next").await);
        }
    }
    for date in client.world.options().from.iter_days().take(25) {
        for resource in ["batches", "ach-deposits", "ach-deposit-fees"] {
            seen.extend(client.follow(&format!("/{resource}?date={date}"), "next").await);
        }
    }
    seen
}

#[tokio::test]
async fn what_happened_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let client = open(3, &path).await.unwrap();
    let (body, key) = (sale(&client, "004418829901"), fresh_key());
    let first = client.post_again("/bank-transfer-payments", &body, &key).await;
    client.pass(4).await;
    let id = first.1["paymentId"].as_str().unwrap();
    let refused = client.post(&format!("/bank-transfer-payments/{id}/reverse"), &Value::Null).await;
    assert_eq!(refused.0, 409);
    let batch = client.page("/batches?date=2026-11-09").await["data"][0]["batchId"].clone();
    let change = client.control(&format!("/amounts/{batch}"), &json!({"saleAmount": 1})).await;
    assert_eq!(change.0, 200);
    let before = seen(&client).await;
    client.sandbox.stop().await;

    let client = open(3, &path).await.unwrap();
    assert_eq!(seen(&client).await, before);
    assert_eq!(client.get(&format!("/batches/{batch}")).await.1["saleAmount"], 1);
    let again = client.post_again("/bank-transfer-payments", &body, &key).await;
    assert_eq!(again, first, "the first answer, also after a restart");
    client.sandbox.stop().await;

    // The number was masked before it reached the file.
    for file in ["state.db", "state.db-wal"] {
        let bytes = std::fs::read(folder.path().join(file)).unwrap_or_default();
        let number = b"004418829901";
        assert!(!bytes.windows(number.len()).any(|window| window == number), "{file}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "for its owner alone");
    }
}

#[tokio::test]
async fn a_state_file_belongs_to_its_world_and_to_one_sandbox() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let client = open(3, &path).await.unwrap();
    let second = open(3, &path).await.err();
    assert!(
        matches!(second, Some(SandboxError::State(StateError::Database { .. }))),
        "two sandboxes on one file: {second:?}"
    );
    client.sandbox.stop().await;
    let other = open(4, &path).await.err();
    assert!(matches!(other, Some(SandboxError::State(StateError::OtherWorld { .. }))), "{other:?}");
    let text = folder.path().join("text.db");
    std::fs::copy("Cargo.toml", &text).unwrap();
    assert!(matches!(open(3, &text).await.err(), Some(SandboxError::State(_))));
}

#[tokio::test]
async fn serves_https_with_a_certificate_that_signs_itself() {
    let world = Arc::new(World::generate(&week(3)).unwrap().0);
    let options = ServeOptions { tls: true, links: Links::Here, ..ServeOptions::default() };
    let sandbox = serve(Arc::clone(&world), options).await.unwrap();
    let base = sandbox.base_url();
    assert!(base.starts_with("https://"));
    let pem = sandbox.certificate().unwrap().to_owned();
    let stranger = reqwest::Client::new().get(format!("{base}/_sandbox")).send().await;
    assert!(stranger.is_err(), "nobody trusts it unless told to");
    let certificate = reqwest::Certificate::from_pem(pem.as_bytes()).unwrap();
    let http = reqwest::Client::builder().add_root_certificate(certificate).build().unwrap();
    let key = http.post(format!("{base}/authorize")).header("x-api-key", crate::API_KEY);
    let token: Value =
        serde_json::from_str(&key.send().await.unwrap().text().await.unwrap()).unwrap();
    let list = http.get(format!("{base}/v1/batches?date=2026-11-05&limit=1"));
    let list = list.bearer_auth(token["access_token"].as_str().unwrap()).send().await.unwrap();
    assert_eq!(list.status(), 200);
    let page: Value = serde_json::from_str(&list.text().await.unwrap()).unwrap();
    let next = page["links"][0]["href"].as_str().unwrap();
    assert!(next.starts_with(&base), "{next}");
    sandbox.stop().await;
}
