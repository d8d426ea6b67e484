//! Bad input of any kind gets an answer with a reason, and never causes a panic or a 500. Requests
//! come from seeds: valid ones, damaged in places.

use serde_json::{Value, json};

use super::client::{Client, start};
use crate::ServeOptions;
use crate::random::Random;

const PATHS: [&str; 23] = [
    "/ach-deposits",
    "/ach-deposits/70418",
    "/ach-deposit-fees",
    "/batches",
    "/batches/90211",
    "/transactions",
    "/transactions/6130077",
    "/authorizations",
    "/authorizations/4402915",
    "/attachments/20931",
    "/bank-accounts/verify",
    "/bank-transfer-payments",
    "/bank-transfer-payments/T7WQ2LKD90",
    "/bank-transfer-payments/T7WQ2LKD90/close",
    "/bank-transfer-payments/T7WQ2LKD90/refund",
    "/bank-transfer-payments/T7WQ2LKD90/represent",
    "/bank-transfer-payments/T7WQ2LKD90/reverse",
    "/bank-transfer-refunds",
    "/bank-transfer-refunds/F8YD46JSUM",
    "/bank-transfer-refunds/F8YD46JSUM/reverse",
    "/authorize",
    "/",
    "/nothing",
];

const NAMES: [&str; 18] = [
    "date",
    "merchantId",
    "batchId",
    "achDepositId",
    "transactionType",
    "processingTerminalId",
    "orderId",
    "nameOnAccount",
    "last4",
    "type",
    "status",
    "dateFrom",
    "dateTo",
    "settlementState",
    "settlementDate",
    "paymentLinkId",
    "before",
    "limit",
];

const VALUES: [&str; 22] = [
    "2026-11-05",
    "2026-11-05T00:00:00Z",
    "1230001",
    "100",
    "settled",
    "payment",
    "",
    "0",
    "-1",
    "99999999999999999999999999",
    "-9223372036854775808",
    "NaN",
    "1e308",
    "null",
    "%00",
    "%ff%fe",
    "%",
    "%F0%9F%92%B8",
    "2026-02-30",
    "+262142-12-31",
    "9999-12-31T23:59:60Z",
    "'%22<>;--",
];

const NASTY: [&str; 8] = ["null", "true", "-1", "1e400", "\"\\u0000\"", "[]", "{}", "\"\\ud83d\""];

fn bodies(client: &Client) -> [Value; 4] {
    let terminal = &client.world.records().merchants[0].terminals[0];
    let account = json!({
        "type": "ach", "accountType": "checking", "secCode": "web", "nameOnAccount": "Noor Ibsen",
        "accountNumber": "4418823307", "routingNumber": "021000021",
    });
    [
        json!({
            "processingTerminalId": terminal,
            "order": {
                "orderId": "H-1", "amount": 4_080, "currency": "USD",
                "breakdown": {
                    "subtotal": i64::MAX, "tip": {"type": "percentage", "percentage": 100},
                    "taxes": [{"type": "rate", "rate": 99.99999, "name": "T"}],
                },
            },
            "customer": {"contactMethods": [{"type": "email", "value": "a@example.org"}]},
            "paymentMethod": account,
        }),
        json!({"processingTerminalId": terminal, "bankAccount": account}),
        json!({"amount": 100, "description": "Part"}),
        json!({"paymentMethod": account}),
    ]
}

/// The body as text, with a piece cut out, doubled or replaced.
fn spoiled(random: &mut Random, body: &Value) -> Vec<u8> {
    let mut bytes = body.to_string().into_bytes();
    for _ in 0..random.between(0, 3) {
        let at = random.index(bytes.len());
        let end = (at + random.index(12) + 1).min(bytes.len());
        match random.between(1, 4) {
            1 => drop(bytes.drain(at..end)),
            2 => bytes[at] = u8::try_from(random.between(0, 255)).unwrap(),
            3 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let colon = text[..].match_indices(':').map(|(at, _)| at).nth(random.index(8));
                let nasty = NASTY[random.index(NASTY.len())];
                let Some(colon) = colon else { continue };
                let rest =
                    text[colon + 1..].find([',', '}']).map_or("", |to| &text[colon + 1 + to..]);
                bytes = format!("{}{nasty}{rest}", &text[..=colon]).into_bytes();
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

#[tokio::test]
async fn bad_input_of_any_kind_is_answered_with_a_reason() {
    let client = start(ServeOptions::default()).await;
    let bodies = bodies(&client);
    let mut refused = 0;
    for seed in 0..1_500 {
        let mut random = Random::new(seed, &[77]);
        let mut url = PATHS[random.index(PATHS.len())].to_owned();
        if random.chance(20) {
            let value = VALUES[random.index(VALUES.len())];
            url = url.replace(|letter: char| letter.is_ascii_digit(), "") + value;
        }
        for pair in 0..random.between(0, 5) {
            let (name, value) = (random.index(NAMES.len()), random.index(VALUES.len()));
            let mark = if pair == 0 { "?" } else { "&" };
            for part in [mark, NAMES[name], "=", VALUES[value]] {
                url.push_str(part);
            }
        }
        let method = *random.choose(&["GET", "GET", "POST", "POST", "POST", "PUT", "DELETE"]);
        let url = format!("{}/v1{url}", client.sandbox.base_url());
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        let mut request = client.http.request(method, &url).bearer_auth(&client.token);
        if random.chance(90) {
            request = request.header("idempotency-key", super::client::fresh_key());
        }
        if random.chance(90) {
            request = request.header("content-type", "application/json");
        }
        let body = random.index(bodies.len());
        let body = spoiled(&mut random, &bodies[body]);
        let answer = request.body(body).send().await.unwrap();
        let status = answer.status().as_u16();
        let content_type = answer.headers()["content-type"].to_str().unwrap().to_owned();
        let text = answer.text().await.unwrap();
        assert!(status < 500, "seed {seed}: {url}: {text}");
        if status >= 400 {
            refused += 1;
            assert_eq!(content_type, "application/problem+json", "seed {seed}: {url}");
            let problem: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(problem["status"], status, "seed {seed}: {url}");
            assert!(problem["detail"].is_string(), "seed {seed}: {url}");
        }
    }
    assert!(refused > 500, "{refused}");
    client.sandbox.stop().await;
}
