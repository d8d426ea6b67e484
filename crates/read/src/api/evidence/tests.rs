//! Evidence contains no private data, stays valid JSON and keeps numbers as they were written.

use proptest::prelude::*;
use serde_json::Value;

use super::scrub;
use tieout_model::{Listing, Resource, Selector, TransferId};

const SECRETS: [&str; 7] =
    ["Noor", "noor@example.org", "021000021", "296753", "CUST-77", "paperbacks", "shelf"];

fn listing(resource: Resource) -> Listing {
    Listing::new(resource, Selector::Date("2026-11-20".parse().unwrap()))
}

fn scrubbed(resource: Resource, body: &str) -> String {
    String::from_utf8(scrub(&listing(resource), body.as_bytes()).unwrap()).unwrap()
}

const PAYMENT: &str = r#"{
    "paymentId": "T7WQ2LKD90", "processingTerminalId": "5520117",
    "order": {"orderId": "HLB-42", "dateTime": "2026-03-16T18:05:31Z",
        "description": "Three paperbacks for Noor", "amount": 4080, "currency": "USD",
        "breakdown": {"subtotal": 3600, "taxes": [{"name": "City tax", "rate": 5.10e0}]}},
    "customer": {"contactMethods": [{"type": "email", "value": "noor@example.org"}]},
    "bankAccount": {"type": "ach", "nameOnAccount": "Noor Ibsen",
        "accountNumber": "1234563307", "routingNumber": "021000021",
        "secureToken": {"secureTokenId": "HLB-CUST-77", "customerName": "Noor Ibsen",
            "token": "2967530041885524"}},
    "returns": [], "representment": null,
    "transactionResult": {"type": "payment", "status": "ready", "authorizedAmount": -0.0},
    "customFields": [{"name": "shelf", "value": "B12"}], "newThing": {"name": "Noor"}}"#;

#[test]
fn keeps_what_the_contract_names_and_nothing_private() {
    let body = format!(r#"{{"count": 1, "hasMore": false, "links": [], "data": [{PAYMENT}]}}"#);
    assert_eq!(
        scrubbed(Resource::Payments, &body),
        concat!(
            r#"{"count":1,"hasMore":false,"links":[],"data":[{"paymentId":"T7WQ2LKD90","#,
            r#""processingTerminalId":"5520117","order":{"orderId":"HLB-42","#,
            r#""dateTime":"2026-03-16T18:05:31Z","amount":4080,"currency":"USD","#,
            r#""breakdown":{"subtotal":3600,"taxes":[{"name":"City tax","rate":5.10e0}]}},"#,
            r#""bankAccount":{"type":"ach","accountNumber":"*3307"},"returns":[],"#,
            r#""representment":null,"transactionResult":{"type":"payment","status":"ready","#,
            r#""authorizedAmount":-0.0}}]}"#
        )
    );
}

#[test]
fn scrubs_a_record_that_was_read_by_its_id() {
    let listing =
        Listing::new(Resource::Payments, Selector::TransferById(TransferId::from("T7WQ2LKD90")));
    let text = String::from_utf8(scrub(&listing, PAYMENT.as_bytes()).unwrap()).unwrap();
    assert!(text.starts_with(r#"{"paymentId":"T7WQ2LKD90","#), "{text}");
    assert!(SECRETS.iter().all(|secret| !text.contains(secret)), "{text}");
}

#[test]
fn sees_through_escapes_in_names_and_numbers() {
    let cases = [
        (r#"{"data":[{"bankAccount":{"\u006eameOnAccount":"Noor"}}]}"#, r#"[{"bankAccount":{}}]"#),
        (
            r#"{"data":[{"bankAccount":{"account\u004eumber":"1234\u0035678\u0039"}}]}"#,
            r#"[{"bankAccount":{"accountNumber":"*6789"}}]"#,
        ),
        (
            r#"{"data":[{"bankAccount":{"accountNumber":123456789}}]}"#,
            r#"[{"bankAccount":{"accountNumber":"*6789"}}]"#,
        ),
        (
            r#"{"data":[{"bankAccount":{"accountNumber":["123456789"]}}]}"#,
            r#"[{"bankAccount":{"accountNumber":[]}}]"#,
        ),
        (
            r#"{"data":[{"bankAccount":{"accountNumber":"12345678 Noor"}}]}"#,
            r#"[{"bankAccount":{"accountNumber":"*"}}]"#,
        ),
        (
            r#"{"data":[{"bankAccount":{"accountNumber":12345678.5}}]}"#,
            r#"[{"bankAccount":{"accountNumber":false}}]"#,
        ),
        (
            r#"{"data":["Noor",{"order":"Noor"},7,null,["Noor"]]}"#,
            r#"[false,{"order":false},false,null,[]]"#,
        ),
        (r#"{"data":[{"orderId":"Noor","order":{"order":{"amount":1}}}]}"#, r#"[{"order":{}}]"#),
        (r#"{"data":[{"order":{"amount":{"name":"Noor"}}}]}"#, r#"[{"order":{"amount":{}}}]"#),
        (
            r#"{"data":[{"order":{"description":"a\"}]","amount":12}}]}"#,
            r#"[{"order":{"amount":12}}]"#,
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(scrubbed(Resource::Payments, body), format!(r#"{{"data":{expected}}}"#));
    }
}

#[test]
fn does_not_fall_over_what_is_nested_without_end() {
    let deep = format!(r#"{{"x":{}{},"data":[]}}"#, "[".repeat(200_000), "]".repeat(200_000));
    assert_eq!(scrubbed(Resource::Batches, &deep), r#"{"data":[]}"#);
}

#[test]
fn refuses_what_is_no_json() {
    for body in ["", "{", r#"{"count""#, r#"{"count":}"#, r#"{"data":[1"#, "{}x", r#"{"count":1]"#]
    {
        assert_eq!(scrub(&listing(Resource::Batches), body.as_bytes()), None, "{body}");
    }
}

/// Names of the contract, private ones among them, and unknown names.
fn name() -> impl Strategy<Value = String> {
    let names = [
        "data",
        "links",
        "rel",
        "href",
        "order",
        "description",
        "amount",
        "bankAccount",
        "accountNumber",
        "nameOnAccount",
        "routingNumber",
        "secureToken",
        "customerName",
        "customer",
        "customFields",
        "returns",
        "payment",
        "paymentId",
        "card",
        "cardNumber",
        "merchant",
        "doingBusinessAs",
        "unknown",
    ];
    proptest::sample::select(names.to_vec()).prop_map(str::to_owned)
}

/// Any JSON with private, public and unknown names.
fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        "[ -~é\"\\\\\n]{0,12}".prop_map(Value::String),
        "[0-9*]{0,20}".prop_map(Value::String),
    ];
    leaf.prop_recursive(6, 60, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            proptest::collection::vec((name(), inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

const PRIVATE: [&str; 7] = [
    "nameOnAccount",
    "routingNumber",
    "secureToken",
    "customerName",
    "customer",
    "customFields",
    "unknown",
];

/// Replaces every value below a private name by a marker, and every card or account number by one
/// with known last four digits.
fn mark(value: &mut Value, is_private: bool) {
    match value {
        Value::Object(properties) => {
            for (name, value) in properties.iter_mut() {
                if name == "accountNumber" || name == "cardNumber" {
                    *value = Value::String("7777777712345678".to_owned());
                }
                mark(value, is_private || PRIVATE.contains(&name.as_str()));
            }
        }
        Value::Array(elements) => {
            for value in elements {
                mark(value, is_private);
            }
        }
        other if is_private => *other = Value::String("PRIVATE".to_owned()),
        _ => {}
    }
}

/// Writes every character of names and texts as an escape.
fn escaped(value: &Value) -> String {
    let text = |text: &str| {
        let units: Vec<_> = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
        format!("\"{}\"", units.concat())
    };
    match value {
        Value::String(string) => text(string),
        Value::Array(elements) => {
            format!("[ {} ]", elements.iter().map(escaped).collect::<Vec<_>>().join(" , "))
        }
        Value::Object(properties) => {
            let pairs = properties
                .iter()
                .map(|(name, value)| format!("{} : {}", text(name), escaped(value)));
            format!("{{ {} }}", pairs.collect::<Vec<_>>().join(" ,\n"))
        }
        other => other.to_string(),
    }
}

proptest! {
    #[test]
    fn gives_valid_json_without_private_values_whatever_comes(
        value in json(),
        is_escaped: bool,
        index in 0..Resource::ALL.len(),
    ) {
        let resource = Resource::ALL[index];
        let mut value = Value::Object([("data".to_owned(), Value::Array(vec![value]))].into_iter().collect());
        mark(&mut value, false);
        let body = if is_escaped { escaped(&value) } else { value.to_string() };
        let text = scrubbed(resource, &body);
        let kept: Value = serde_json::from_str(&text).unwrap();
        prop_assert!(kept.is_object());
        let plain = kept.to_string();
        prop_assert!(!plain.contains("PRIVATE"), "{plain}");
        prop_assert!(!plain.contains("77777777"), "{plain}");
        prop_assert_eq!(scrubbed(resource, &text), text);
    }

    #[test]
    fn keeps_numbers_byte_for_byte(number in "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?") {
        let body = format!(r#"{{"data":[{{"saleAmount":{number}}}]}}"#);
        prop_assert_eq!(scrubbed(Resource::Batches, &body), body);
    }
}
