//! Faults within a page that arrives: in its links, its counts, its records.

use serde_json::{Value, json};

use super::draw::{Asked, details, strikes};
use super::kinds::{Fault, FaultOptions};
use crate::random::Random;

/// The amount of each kind of record that a total includes, as a path of properties.
const AMOUNTS: [&[&str]; 6] = [
    &["disputeAmount"],
    &["netAmount"],
    &["saleAmount"],
    &["transaction", "amount"],
    &["order", "amount"],
    &["amount"],
];

/// A text that differs when the page differs.
pub(super) fn snapshot(page: &Value) -> String {
    page.to_string()
}

/// Applies every fault that is drawn for the page.
pub(super) fn spoil(options: &FaultOptions, asked: &Asked, page: &mut Value) {
    if strikes(options, Fault::WrongTypes, asked) {
        break_a_type(page, &mut details(options, Fault::WrongTypes, asked, 0));
    }
    if page.get("data").is_none_or(|data| !data.is_array()) {
        return;
    }
    if strikes(options, Fault::TwoContents, asked) && !asked.is_fees() {
        contradict(page, &mut details(options, Fault::TwoContents, asked, 0));
    }
    if strikes(options, Fault::WrongCount, asked) {
        let more = details(options, Fault::WrongCount, asked, 0).chance(50);
        let count = page["count"].as_i64().unwrap_or_default();
        page["count"] = json!(if more || count == 0 { count + 1 } else { count - 1 });
    }
    if strikes(options, Fault::MissingNext, asked) {
        page["hasMore"] = json!(true);
        if let Some(links) = page["links"].as_array_mut() {
            links.retain(|link| link["rel"] != "next");
        }
    }
    let repeated =
        asked.parameter("after").filter(|_| strikes(options, Fault::RepeatedCursor, asked));
    for_each_link(page, &mut |link| {
        let Some(href) = link["href"].as_str().map(str::to_owned) else { return };
        let mut href = href;
        if let Some(cursor) = repeated.filter(|_| link["rel"] == "next") {
            href = format!("{}?after={cursor}", href.split('?').next().unwrap_or_default());
        }
        if strikes(options, Fault::ForeignLinks, asked) {
            href = elsewhere(&options.canary, &href);
        }
        if strikes(options, Fault::MisspeltLinks, asked) {
            href = misspelt(&href);
        }
        link["href"] = json!(href);
        if strikes(options, Fault::OddMethods, asked) {
            let mut random = details(options, Fault::OddMethods, asked, 0);
            link["method"] =
                random.choose(&[json!("delete"), json!("POST"), json!(7), json!(null)]).clone();
        }
    });
}

/// The links of a page and of its records.
fn for_each_link(value: &mut Value, change: &mut impl FnMut(&mut Value)) {
    match value {
        Value::Object(properties) if properties.contains_key("href") => change(value),
        Value::Object(properties) => {
            for inner in properties.values_mut() {
                for_each_link(inner, change);
            }
        }
        Value::Array(elements) => {
            for inner in elements {
                for_each_link(inner, change);
            }
        }
        _ => {}
    }
}

fn elsewhere(canary: &str, href: &str) -> String {
    let path = href.split_once("://").map_or(href, |(_, rest)| rest);
    let path = path.find('/').map_or("", |start| &path[start..]);
    format!("{canary}{path}")
}

fn misspelt(href: &str) -> String {
    let (path, query) = href.split_once('?').unwrap_or((href, ""));
    let path = path.replace("/v1/", "/v1//").replace("batches", "batchs").replace("ach-", "ahc-");
    format!("{path}?{}", query.replace('&', "&&"))
}

/// Adds a record again with another amount.
fn contradict(page: &mut Value, random: &mut Random) {
    let Some(data) = page["data"].as_array_mut().filter(|data| !data.is_empty()) else { return };
    let mut again = data[random.index(data.len())].clone();
    if add_to_amount(&mut again, 100) {
        data.push(again);
        let count = data.len();
        page["count"] = json!(count);
    }
}

/// Adds minor units to the first amount of the record; returns false when it has none.
pub(super) fn add_to_amount(record: &mut Value, minor: i64) -> bool {
    AMOUNTS.into_iter().any(|path| {
        let mut value = &mut *record;
        for name in path {
            match value.get_mut(*name) {
                Some(inner) => value = inner,
                None => return false,
            }
        }
        let Some(amount) = value.as_i64() else { return false };
        *value = json!(amount + minor);
        true
    })
}

/// Gives a record or one of its fields an invalid type.
fn break_a_type(page: &mut Value, random: &mut Random) {
    let record = match page.get("data").and_then(Value::as_array) {
        Some(data) if data.is_empty() => return,
        Some(data) => {
            let index = random.index(data.len());
            &mut page["data"][index]
        }
        None => page,
    };
    if random.chance(20) {
        *record = random.choose(&[json!(7), json!("a record"), json!([]), json!(true)]).clone();
        return;
    }
    let wrong = [
        ("achDepositId", json!({"id": 1})),
        ("netAmount", json!(12.5)),
        ("paymentDate", json!("2026-02-30")),
        ("merchant", json!(7)),
        ("amount", json!("much")),
        ("description", json!(["a", "fee"])),
        ("batchId", json!("x7")),
        ("saleAmount", json!(true)),
        ("currency", json!("XXQ")),
        ("transactionCount", json!(-0.5)),
        ("authorizationId", json!([1])),
        ("transaction", json!("none")),
        ("preauthorizationRequestAmount", json!(1e30)),
        ("paymentId", json!({"payment": "id"})),
        ("refundId", json!(false)),
        ("order", json!("an order")),
        ("transactionResult", json!(null)),
        ("disputeId", json!([5])),
        ("disputeAmount", json!("much")),
        ("currentStatus", json!("new")),
        ("createdDate", json!("2026-02-30")),
        ("processingTerminalId", json!(["7"])),
    ];
    let fitting: Vec<&(&str, Value)> =
        wrong.iter().filter(|(name, _)| record.get(*name).is_some()).collect();
    if let Some((name, value)) = fitting.get(random.index(fitting.len().max(1))) {
        record[*name] = value.clone();
    }
}
