//! The evidence of a page yields the same records as the page, however a service distorts it.

use proptest::prelude::*;
use serde_json::Value as Json;

use crate::api::{evidence, pages, wire};
use tieout_model::{AuthorizationId, Listing, Resource, Selector};

fn listings() -> Vec<Listing> {
    let date = Selector::Date("2026-11-20".parse().unwrap());
    let mut listings: Vec<Listing> =
        Resource::ALL.into_iter().map(|resource| Listing::new(resource, date.clone())).collect();
    listings.push(Listing::new(
        Resource::Authorizations,
        Selector::AuthorizationById(AuthorizationId(7)),
    ));
    listings
}

/// Reads `body` and its evidence, and asserts that they agree. Returns whether `body` could be
/// read.
fn compare(listing: &Listing, body: &[u8]) -> bool {
    let Ok((content, evidence)) = pages::read_and_keep(listing, 3, body) else { return false };
    let proof = wire::read(listing, 3, &evidence).expect("evidence can be read");
    assert_eq!(proof.records, content.records);
    assert_eq!(proof.faults.len(), content.faults.len());
    assert_eq!(evidence::scrub(listing, &evidence), Some(evidence), "nothing is left to scrub");
    true
}

/// A page with one record that has every field, for each resource.
fn page(resource: Resource) -> String {
    let merchant = r#""merchant":{"merchantId":"4525434572","doingBusinessAs":"Café \"Noor\" \u0026 Co","processingAccountId":38,"link":{"rel":"self","method":"get","href":"https://example.org/x?a=1"}}"#;
    let record = match resource {
        Resource::Deposits => format!(
            r#"{{"achDepositId":5,"associationDate":"2026-11-18","achDate":null,"paymentDate":"2026-11-20","transactions":3,"sales":10000,"returns":-0,"dailyFees":12,"netAmount":9988,{merchant},"links":[]}}"#
        ),
        Resource::Fees => format!(
            r#"{{"associationDate":"2026-11-18","description":"Discount","amount":12,{merchant},"achDeposit":{{"achDepositId":"5"}}}}"#
        ),
        Resource::Batches => format!(
            r#"{{"batchId":11,"date":"2026-11-18","saleAmount":1,"returnAmount":0,"transactionCount":1,"currency":"USD",{merchant},"new":{{"deep":[1,2.5e3,{{"x":"y"}}]}},"links":[]}}"#
        ),
        Resource::Authorizations => format!(
            r#"{{"authorizationId":900001,"createdDate":"2026-11-18","authorizationResponse":"approved","preauthorizationRequestAmount":4080,"currency":"USD","batch":{{"batchId":11,"date":"2026-11-18","cycle":"am","link":{{"rel":"b"}}}},"card":{{"cardNumber":"411773******2045","type":"visa","cvvPresenceIndicator":true}},{merchant},"transaction":{{"transactionId":77,"type":"capture","date":"2026-11-18","entryMethod":"swiped","amount":4080}}}}"#
        ),
        Resource::Transactions => format!(
            r#"{{"transactionId":77,"type":"return","amount":-5,"currency":"JPY",{merchant},"settled":{{"achDepositId":5}},"batch":null}}"#
        ),
        Resource::Disputes => format!(
            r#"{{"disputeId":5117,"disputeType":"firstDispute","currentStatus":{{"disputeStatusId":9021,"status":"new","statusDate":"2026-11-18","link":{{"rel":"statuses"}}}},"createdDate":"2026-11-18","receivedDate":"2026-11-17","description":"Noor","referenceNumber":"83101177","disputeAmount":4499,"feeAmount":1500,"firstDispute":true,"authorizationCode":"574254","currency":"USD","card":{{"cardNumber":"411773******2045","type":"visa"}},{merchant},"transaction":{{"transactionId":77,"type":"capture","date":"2026-10-26","amount":4499}}}}"#
        ),
        Resource::DisputeStatuses => {
            let status = r#"{"disputeStatusId":9021,"status":"new","statusDate":"2026-11-18","link":{"rel":"self"},"note":"Noor"}"#;
            return format!("[{status}, {status}]");
        }
        Resource::Payments | Resource::Refunds => {
            let id = if resource == Resource::Payments { "paymentId" } else { "refundId" };
            format!(
                r#"{{"{id}":"T7WQ2LKD90","processingTerminalId":5520117,"order":{{"orderId":"HLB-42","dateTime":"2026-03-16T18:05:31Z","description":"books","amount":4080,"currency":"USD","breakdown":{{"taxes":[{{"rate":5.10}}]}}}},"customer":{{"name":"Noor"}},"bankAccount":{{"accountNumber":"1234563307","nameOnAccount":"Noor Ibsen"}},"returns":[{{"paymentId":"R1","date":"2026-03-20","represented":false}}],"representment":null,"transactionResult":{{"type":"payment","status":"ready","authorizedAmount":-7}}}}"#
            )
        }
    };
    format!(
        r#"{{"limit":100,"count":2,"hasMore":true,"links":[{{"rel":"next","method":"get","href":"https://example.org/v1/x?after=9"}}],"data":[{record}, {record}]}}"#
    )
}

#[test]
fn says_what_the_page_says() {
    for resource in Resource::ALL {
        let listing = Listing::new(resource, Selector::Date("2026-11-20".parse().unwrap()));
        let body = page(resource);
        assert!(compare(&listing, body.as_bytes()), "{resource:?}");
        let spaced = body.replace("\":", "\" :\n ").replace("},", "} ,\t");
        assert!(compare(&listing, spaced.as_bytes()), "{resource:?}");
        let evidence = evidence::scrub(&listing, body.as_bytes()).unwrap();
        let evidence = String::from_utf8(evidence).unwrap();
        for private in ["411773", "1234563307", "Ibsen", "574254", "description\":\"Noor"] {
            assert!(!evidence.contains(private), "{resource:?}: {private}");
        }
    }
}

#[test]
fn what_is_dropped_may_be_deep() {
    let listing = &listings()[0];
    let deep = format!(r#"{{"x":{}{},"data":[]}}"#, "[".repeat(200_000), "]".repeat(200_000));
    assert!(compare(listing, deep.as_bytes()));
}

/// Distorts a value as a hostile or broken service could.
fn twist(body: &str, place: usize, with: &str, length: usize) -> String {
    let mut start = place % (body.len() + 1);
    while !body.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = (start + length).min(body.len());
    while !body.is_char_boundary(end) {
        end += 1;
    }
    format!("{}{with}{}", &body[..start], &body[end..])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn comes_to_the_same_whatever_is_changed(
        index in 0..Resource::ALL.len(),
        twists in proptest::collection::vec((
            any::<usize>(),
            prop_oneof![
                Just(String::new()),
                "[ \\[\\]{}:,\"\\\\0-9a-z.eE+-]{1,3}",
                proptest::sample::select(vec![
                    "null", "true", "[]", "{}", "\"\"", "1.5", "-0", "\\u0041", "\\ud800", "\\/",
                    "\"amount\":1,", "99999999999999999999", "1e999", "\u{7}", "é", "[[[]]]",
                    "{\"a\":[{}]}",
                ]).prop_map(str::to_owned),
            ],
            0..6_usize,
        ), 0..3),
    ) {
        let resource = Resource::ALL[index];
        let mut body = page(resource);
        for (place, with, length) in &twists {
            body = twist(&body, *place, with, *length);
        }
        for listing in listings() {
            compare(&listing, body.as_bytes());
        }
    }

    #[test]
    fn comes_to_the_same_whatever_a_property_holds(
        index in 0..Resource::ALL.len(),
        value in prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::Bool),
            any::<i64>().prop_map(Json::from),
            any::<u64>().prop_map(Json::from),
            prop_oneof![Just(-0.0), any::<f64>()].prop_map(Json::from),
            // A card number, written as a number.
            proptest::sample::select(vec![4_111_111_111_111_111_i64, 340_000_000_000_009])
                .prop_map(Json::from),
            ".{0,12}".prop_map(Json::String),
            "[0-9*]{0,20}".prop_map(Json::String),
            Just(serde_json::json!({"a": [1, {"b": null}]})),
            Just(serde_json::json!([{"paymentId": "x"}, 7, "y"])),
        ],
        which in any::<usize>(),
    ) {
        let resource = Resource::ALL[index];
        let mut body: Json = serde_json::from_str(&page(resource)).unwrap();
        let records = if body.is_array() { &mut body } else { &mut body["data"] };
        let record = records[0].as_object_mut().unwrap();
        let mut places: Vec<(String, Option<String>)> = Vec::new();
        for (name, value) in record.iter() {
            places.push((name.clone(), None));
            for inner in value.as_object().into_iter().flatten() {
                places.push((name.clone(), Some(inner.0.clone())));
            }
        }
        let (outer, inner) = places[which % places.len()].clone();
        match inner {
            Some(inner) => record[&outer][inner] = value,
            None => record[&outer] = value,
        }
        let listing = Listing::new(resource, Selector::Date("2026-11-20".parse().unwrap()));
        compare(&listing, body.to_string().as_bytes());
    }
}
