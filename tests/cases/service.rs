//! Answers requests from the records of a case, as the API does: filters, single records, 404.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use serde_json::{Value, json};

use super::case::{Case, Record};
use crate::harness::day;
use crate::harness::gateway::Answer;

type Query = BTreeMap<String, String>;

/// The API's answer to a path with its query.
pub fn answer(case: &Case, path: &str) -> Answer {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let query: Query = query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.replace("%3A", ":")))
        .collect();
    if path == "/authorize" {
        let token = json!({"access_token": "t", "token_type": "Bearer", "expires_in": 3600});
        return (200, token.to_string());
    }
    let (resource, id) = match path.trim_start_matches("/v1/").split_once('/') {
        Some((resource, id)) => (resource, Some(id)),
        None => (path.trim_start_matches("/v1/"), None),
    };
    // A key has the operation if a transaction of the case states its deposit.
    let has_links = case
        .records
        .iter()
        .any(|record| ["held-by", "standing"].iter().any(|name| record.text(name).is_some()));
    if resource == "disputes" {
        return disputes(case, id, &query);
    }
    let known = resource_of(resource).filter(|_| resource != "transactions" || has_links);
    let Some((kinds, is_listed, write)) = known else {
        return (404, not_found());
    };
    let of_kind = case.records.iter().filter(|record| kinds.contains(&record.kind.as_str()));
    if let Some(id) = id {
        let found = of_kind.into_iter().find(|record| record.id == id);
        return match found {
            Some(record) if record.text("unreadable") == Some("yes") => (400, "{}".to_owned()),
            Some(record) => (200, write(case, record).to_string()),
            None => (404, not_found()),
        };
    }
    let data: Vec<Value> = of_kind
        .filter(|record| is_listed(case, record, &query))
        .map(|record| write(case, record))
        .collect();
    let page = json!({
        "limit": 100, "count": data.len(), "hasMore": false, "data": data, "links": []
    });
    (200, page.to_string())
}

/// A key has the operation if the case has a dispute, or states that there is none.
fn disputes(case: &Case, id: Option<&str>, query: &Query) -> Answer {
    let records = || case.of("dispute").filter(|record| record.id != "none");
    if case.of("dispute").next().is_none() {
        return (404, not_found());
    }
    if let Some(id) = id.and_then(|rest| rest.strip_suffix("/statuses")) {
        let Some(record) = records().find(|record| record.id == id) else {
            return (404, not_found());
        };
        return match record.text("unreadable") {
            Some("yes") => (500, "{}".to_owned()),
            _ => (200, json!(statuses(record)).to_string()),
        };
    }
    let own = records().filter(|record| on(record, "submitted", query));
    let data: Vec<Value> = own.map(|record| dispute(case, record)).collect();
    let page = json!({
        "limit": 100, "count": data.len(), "hasMore": false, "data": data, "links": []
    });
    (200, page.to_string())
}

/// `new@2026-11-03,stand@2026-11-06`, the oldest first; without any, new on its submission date.
fn statuses(record: &Record) -> Vec<Value> {
    let new = format!("new@{}", record.text("submitted").unwrap());
    let life = record.text("life").unwrap_or(&new);
    let one = |(nth, status): (usize, &str)| {
        let (status, date) = status.split_once('@').unwrap();
        json!({"disputeStatusId": nth + 1, "status": status, "statusDate": date})
    };
    life.split(',').enumerate().map(one).collect()
}

fn dispute(case: &Case, record: &Record) -> Value {
    let item = record.text("transaction").and_then(|id| {
        let is_it = |item: &&Record| item.text("transaction").unwrap_or(&item.id) == id;
        case.of("capture").find(is_it)
    });
    json!({
        "disputeId": number(&record.id), "disputeType": "firstDispute",
        "currentStatus": statuses(record).last(),
        "createdDate": record.text("submitted"), "receivedDate": record.text("submitted"),
        "disputeAmount": amount(record),
        "feeAmount": record.number("fee"), "currency": currency(record),
        "card": {"cardNumber": "411111******1111"}, "merchant": merchant(record),
        "transaction": {
            "transactionId": record.text("transaction").map(number), "type": "capture",
            "date": item.and_then(|item| batch_date(case, item)),
            "amount": item.map(|item| item.number("amount"))
        }
    })
}

fn not_found() -> String {
    json!({"type": "about:blank", "title": "Not found", "status": 404}).to_string()
}

type Kinds = &'static [&'static str];
type IsListed = fn(&Case, &Record, &Query) -> bool;
type Write = fn(&Case, &Record) -> Value;

fn resource_of(name: &str) -> Option<(Kinds, IsListed, Write)> {
    Some(match name {
        "ach-deposits" => (&["deposit"], |_, record, query| on(record, "paid", query), deposit),
        "ach-deposit-fees" => (&["fee"], is_fee_listed, fee),
        "batches" => (&["batch"], |_, record, query| on(record, "date", query), batch),
        "authorizations" => {
            (&["capture", "return", "void"], is_authorization_listed, authorization)
        }
        "transactions" => (&["capture", "return"], is_authorization_listed, transaction),
        "bank-transfer-payments" => (&["payment"], is_transfer_listed, transfer),
        "bank-transfer-refunds" => (&["refund"], is_transfer_listed, transfer),
        _ => return None,
    })
}

fn on(record: &Record, field: &str, query: &Query) -> bool {
    record.text(field) == query.get("date").map(String::as_str)
}

fn is_fee_listed(_: &Case, record: &Record, query: &Query) -> bool {
    match query.get("achDepositId") {
        Some(id) => record.text("deposit") == Some(id),
        None => on(record, "listed", query),
    }
}

fn is_authorization_listed(case: &Case, record: &Record, query: &Query) -> bool {
    match query.get("batchId") {
        Some(id) => record.text("batch") == Some(id),
        None => query.get("date").map(|text| day(text)) == batch_date(case, record),
    }
}

fn batch_date(case: &Case, record: &Record) -> Option<NaiveDate> {
    record.date("date").or_else(|| {
        case.of("batch").find(|batch| record.text("batch") == Some(&batch.id))?.date("date")
    })
}

fn is_transfer_listed(_: &Case, record: &Record, query: &Query) -> bool {
    let asked = |name: &str| query.get(name).map(String::as_str);
    let is_settled = record.text("settled").is_some();
    let is_run_within = || match record.date("run") {
        Some(run) => {
            let moment = format!("{run}T15:00:00Z");
            asked("dateFrom").is_none_or(|from| moment.as_str() >= from)
                && asked("dateTo").is_none_or(|to| moment.as_str() <= to)
        }
        // Without a time it is in every range.
        None => true,
    };
    let listed_by = record.text("listed-by").or(record.text("terminal"));
    asked("processingTerminalId") == Some(listed_by.unwrap_or("T1"))
        && match asked("settlementState") {
            Some("settled") => {
                let date = asked("settlementDate");
                record.text("settled") == date || record.text("again") == date
            }
            Some(_) => !is_settled && is_run_within(),
            None => is_run_within(),
        }
        && asked("status").is_none_or(|status| status == status_of(record))
}

fn status_of(record: &Record) -> &str {
    record.text("status").unwrap_or("complete")
}

/// The value `unknown` leaves the field out.
fn amount(record: &Record) -> Value {
    match record.text("amount") {
        Some("unknown") => Value::Null,
        _ => json!(record.number("amount")),
    }
}

fn currency(record: &Record) -> Value {
    match record.text("currency") {
        Some("unknown") => Value::Null,
        code => json!(code.unwrap_or("USD")),
    }
}

fn merchant(record: &Record) -> Value {
    if record.merchant() == "unknown" {
        return Value::Null;
    }
    json!({"merchantId": record.merchant(), "doingBusinessAs": "Shop", "processingAccountId": 1})
}

fn number(id: &str) -> i64 {
    id.parse().unwrap()
}

fn deposit(_: &Case, record: &Record) -> Value {
    let of = |field| record.number(field);
    let components =
        of("sales") - of("returns") - of("fees") - of("held") - of("adjustment") - of("holdback")
            + of("release");
    json!({
        "achDepositId": number(&record.id), "associationDate": record.text("of"),
        "achDate": record.text("paid"),
        "paymentDate": record.text("received").map_or(json!(record.text("paid")), |_| Value::Null),
        "transactions": of("transactions"), "sales": of("sales"), "returns": of("returns"),
        "dailyFees": of("fees"), "heldSales": of("held"), "achAdjustment": of("adjustment"),
        "holdback": of("holdback"), "reserveRelease": of("release"),
        "netAmount": match record.text("net") {
            None => json!(components),
            Some("unknown") => Value::Null,
            Some(_) => json!(of("net")),
        },
        "merchant": merchant(record), "links": []
    })
}

fn fee(_: &Case, record: &Record) -> Value {
    let deposit = record.text("deposit").map(|id| json!({"achDepositId": number(id)}));
    json!({
        "associationDate": record.text("listed"), "adjustmentDate": record.text("listed"),
        "description": record.text("description").unwrap_or("Discount"),
        "amount": amount(record), "merchant": merchant(record), "achDeposit": deposit
    })
}

fn batch(_: &Case, record: &Record) -> Value {
    json!({
        "batchId": number(&record.id), "date": record.text("date"),
        "createdDate": record.text("date"), "lastModifiedDate": record.text("date"),
        "saleAmount": record.number("sales"), "heldAmount": 0,
        "returnAmount": record.number("returns"), "transactionCount": record.number("count"),
        "currency": currency(record), "merchant": merchant(record),
        "links": []
    })
}

fn authorization(case: &Case, record: &Record) -> Value {
    let date = batch_date(case, record);
    let batch = record.text("batch").map(|id| json!({"batchId": number(id), "date": date}));
    let transaction = (record.kind != "void").then(|| {
        json!({
            "transactionId": number(record.text("transaction").unwrap_or(&record.id)),
            "type": record.text("type").unwrap_or(&record.kind),
            "date": record.text("sold").map_or(json!(date), |sold| json!(sold)),
            "entryMethod": "swiped", "amount": amount(record)
        })
    });
    json!({
        "authorizationId": number(record.text("under").unwrap_or(&record.id)),
        "createdDate": date, "lastModifiedDate": date,
        "authorizationResponse": record.text("response"),
        "preauthorizationRequestAmount": record.text("authorized").map(number),
        "currency": currency(record), "batch": batch,
        "card": {
            "cardNumber": format!("411111******{}", record.text("last4").unwrap_or("1111")),
            "type": record.text("brand"),
        },
        "merchant": merchant(record), "transaction": transaction
    })
}

fn transaction(case: &Case, record: &Record) -> Value {
    let date = batch_date(case, record);
    let batch = record.text("batch").map(|id| json!({"batchId": number(id), "date": date}));
    let settled = record.text("held-by").map(|id| json!({"achDepositId": number(id)}));
    json!({
        "transactionId": number(record.text("transaction").unwrap_or(&record.id)),
        "type": record.text("type").unwrap_or(&record.kind), "date": date,
        "amount": amount(record), "status": record.text("standing").unwrap_or("paid"),
        "currency": currency(record), "merchant": merchant(record),
        "batch": batch, "settled": settled,
        "card": {"cardNumber": format!("411111******{}", record.text("last4").unwrap_or("1111"))},
        "authorization": {"authorizationId": number(record.text("under").unwrap_or(&record.id))}
    })
}

fn transfer(case: &Case, record: &Record) -> Value {
    let is_refund = record.kind == "refund";
    let run = record.text("run").map(|date| format!("{date}T15:00:00Z"));
    let summary = |record: &Record, id: &str| {
        json!({
            id: record.id, "dateTime": record.text("run").map(|date| format!("{date}T15:00:00Z")),
            "currency": currency(record), "amount": amount(record), "status": status_of(record),
            "responseCode": "A", "responseMessage": "Accepted"
        })
    };
    let mut body = json!({
        "processingTerminalId": record.text("terminal").unwrap_or("T1"),
        "order": {
            "orderId": record.text("order").unwrap_or(&record.id), "dateTime": run,
            "amount": amount(record), "currency": currency(record)
        },
        "bankAccount": {
            "type": "ach", "secCode": "web", "nameOnAccount": "A Customer",
            "accountNumber": format!("*****{}", record.text("last4").unwrap_or("2222")),
            "routingNumber": "*****0021"
        },
        "transactionResult": {
            "type": record.text("type").unwrap_or(&record.kind), "status": status_of(record),
            "authorizedAmount": amount(record).as_i64().map(|amount| if is_refund { -amount } else { amount }),
            "currency": "USD", "responseCode": "A"
        }
    });
    if is_refund {
        body["refundId"] = json!(record.id);
        body["payment"] = match record.text("payment") {
            Some(id) => match case.of("payment").find(|payment| payment.id == id) {
                Some(payment) => summary(payment, "paymentId"),
                None => {
                    json!({"paymentId": id, "currency": "USD", "amount": record.number("amount"),
                               "status": "complete"})
                }
            },
            None => Value::Null,
        };
        return body;
    }
    body["paymentId"] = json!(record.id);
    let refunds = case.of("refund").filter(|refund| refund.text("payment") == Some(&record.id));
    body["refunds"] = refunds.map(|refund| summary(refund, "refundId")).collect();
    let returns = case.of("came-back").filter(|entry| entry.text("of") == Some(&record.id));
    body["returns"] = returns
        .map(|entry| {
            json!({
                "paymentId": entry.id, "date": entry.text("date"), "returnCode": entry.text("code").unwrap_or("R01"),
                "returnReason": "Insufficient funds",
                "represented": match entry.text("represented") {
                    Some("unknown") => Value::Null,
                    said => Value::from(said == Some("yes")),
                },
                "closed": entry.text("closed") == Some("yes")
            })
        })
        .collect();
    body
}
