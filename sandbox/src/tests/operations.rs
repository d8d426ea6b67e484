//! Actions through the API: the rules of payments, refunds and returns, and the protocol of every
//! POST.

use serde_json::{Value, json};

use super::client::{Client, fresh_key, start};
use crate::ServeOptions;

const PAYMENTS: &str = "/bank-transfer-payments";
const REFUNDS: &str = "/bank-transfer-refunds";
const GOOD: &str = "4418823307";

/// The first terminal of a merchant: 0 is in the United States, 1 in Canada, 2 in Japan.
fn terminal(client: &Client, merchant: usize) -> String {
    client.world.records().merchants[merchant].terminals[0].clone()
}

fn ach(number: &str) -> Value {
    json!({
        "type": "ach", "accountType": "checking", "secCode": "web", "nameOnAccount": "Noor Ibsen",
        "accountNumber": number, "routingNumber": "021000021",
    })
}

fn pad() -> Value {
    json!({
        "type": "pad", "nameOnAccount": "Ada Quill", "accountNumber": "00418823307",
        "transitNumber": "20418", "institutionNumber": "010",
    })
}

fn sale(client: &Client, amount: i64, method: &Value) -> Value {
    json!({
        "processingTerminalId": terminal(client, 0),
        "order": {"orderId": "HLB-1", "amount": amount, "currency": "USD"},
        "paymentMethod": method,
    })
}

async fn pay(client: &Client, amount: i64, number: &str) -> String {
    let (status, body) = client.post(PAYMENTS, &sale(client, amount, &ach(number))).await;
    assert_eq!(status, 201, "{body}");
    body["paymentId"].as_str().unwrap().to_owned()
}

async fn payment(client: &Client, id: &str) -> Value {
    client.get(&format!("{PAYMENTS}/{id}")).await.1
}

/// The status of the payment or refund, or the kind of a problem.
fn word(answer: &(u16, Value)) -> (u16, &str) {
    let (status, body) = answer;
    let kind = body["type"].as_str().map(|kind| kind.rsplit('#').next().unwrap());
    (*status, kind.unwrap_or_else(|| body["transactionResult"]["status"].as_str().unwrap()))
}

const CONFLICT: (u16, &str) = (409, "cannot-be-modified");
const MISSING: (u16, &str) = (404, "not-found");

#[tokio::test]
async fn a_payment_is_reversed_while_its_batch_is_open_and_refunded_when_it_is_closed() {
    let client = start(ServeOptions::default()).await;
    let nothing = Value::Null;
    let refund = |amount: i64| json!({"amount": amount, "description": "Sent back"});
    let (first, second) = (pay(&client, 900, GOOD).await, pay(&client, 900, GOOD).await);
    let third = pay(&client, 900, GOOD).await;
    let at = |id: &str, verb: &str| format!("{PAYMENTS}/{id}/{verb}");
    assert_eq!(word(&client.post(&at(&first, "reverse"), &nothing).await), (200, "reversal"));
    assert_eq!(word(&client.post(&at(&first, "reverse"), &nothing).await), CONFLICT);
    assert_eq!(word(&client.post(&at(&first, "refund"), &refund(1)).await), CONFLICT);
    assert_eq!(word(&client.post(&at(&second, "refund"), &refund(901)).await), CONFLICT);
    // A refund in an open batch becomes a reversal.
    assert_eq!(word(&client.post(&at(&second, "refund"), &refund(100)).await), (200, "reversal"));
    client.pass(1).await;
    assert_eq!(payment(&client, &third).await["transactionResult"]["status"], "pending");
    assert_eq!(word(&client.post(&at(&third, "reverse"), &nothing).await), CONFLICT);
    for amount in [400, 400] {
        assert_eq!(word(&client.post(&at(&third, "refund"), &refund(amount)).await).0, 200);
    }
    let (status, body) = client.post(&at(&third, "refund"), &refund(101)).await;
    assert_eq!((status, &body["errors"][0]["parameter"]), (409, &json!("amount")));
    let refunds = payment(&client, &third).await["refunds"].clone();
    let own = format!("{REFUNDS}/{}", refunds[0]["refundId"].as_str().unwrap());
    // A reversed refund can be given again.
    let void = client.post(&format!("{own}/reverse"), &nothing).await;
    assert_eq!(word(&void), (200, "reversal"));
    assert_eq!(void.1["transactionResult"]["authorizedAmount"], -400);
    assert_eq!(word(&client.post(&at(&third, "refund"), &refund(500)).await).0, 200);
    assert_eq!(word(&client.post(&format!("{own}/reverse"), &nothing).await), CONFLICT);
    for verb in ["reverse", "close", "represent"] {
        assert_eq!(word(&client.post(&at("NOSUCHIDXX", verb), &nothing).await), MISSING);
    }
    assert_eq!(word(&client.post(&at("NOSUCHIDXX", "refund"), &refund(1)).await), MISSING);
    assert_eq!(
        word(&client.post(&at("NOSUCHID", "refund"), &refund(1)).await),
        (400, "bad-request")
    );
    client.pass(4).await;
    assert_eq!(payment(&client, &third).await["transactionResult"]["status"], "complete");
    client.sandbox.stop().await;
}

#[tokio::test]
async fn a_return_is_presented_again_twice_at_most_or_closed_for_good() {
    let client = start(ServeOptions::default()).await;
    let nothing = Value::Null;
    let at = |id: &str, verb: &str| format!("{PAYMENTS}/{id}/{verb}");
    let mut id = pay(&client, 3_000, "4418829901").await;
    for presentation in 0..3 {
        client.pass(7).await;
        let found = payment(&client, &id).await;
        assert_eq!(found["transactionResult"]["status"], "returned");
        assert_eq!(found["transactionResult"]["processorResponseCode"], "R01");
        let returned = found["returns"][0]["paymentId"].as_str().unwrap().to_owned();
        let own = payment(&client, &returned).await;
        assert_eq!(own["paymentId"], returned);
        // The id of the payment is not accepted.
        for verb in ["close", "represent"] {
            assert_eq!(word(&client.post(&at(&id, verb), &nothing).await), MISSING);
        }
        let again = client.post(&at(&returned, "represent"), &nothing).await;
        if presentation < 2 {
            assert_eq!(again.1["paymentId"], id, "the payment that was presented again");
            assert_eq!(again.1["returns"][0]["represented"], true);
            assert_eq!(word(&client.post(&at(&returned, "close"), &nothing).await), CONFLICT);
            id = again.1["representment"]["paymentId"].as_str().unwrap().to_owned();
        } else {
            assert_eq!(word(&again), CONFLICT);
            let closed = client.post(&at(&returned, "close"), &nothing).await.1;
            assert_eq!(closed["returns"][0]["closed"], true);
            for verb in ["close", "represent"] {
                assert_eq!(word(&client.post(&at(&returned, verb), &nothing).await), CONFLICT);
            }
        }
    }
    // With other bank details the second presentation is not returned.
    let id = pay(&client, 800, GOOD).await;
    let early = client.control("/returns", &json!({"paymentId": id, "returnCode": "R03"})).await;
    assert_eq!(early.0, 409, "a payment in the open batch cannot come back");
    client.pass(1).await;
    let back = client.control("/returns", &json!({"paymentId": id, "returnCode": "R03"})).await.1;
    let returned = back["returns"][0]["paymentId"].as_str().unwrap();
    let method = json!({"paymentMethod": ach("118800427")});
    let again = client.post(&at(returned, "represent"), &method).await.1;
    let again = payment(&client, again["representment"]["paymentId"].as_str().unwrap()).await;
    assert_eq!(again["bankAccount"]["accountNumber"], "*****0427");
    let method = json!({"paymentMethod": pad()});
    let refused = client.post(&at(returned, "represent"), &method).await;
    assert_eq!(word(&refused), (400, "bad-request"));
    client.sandbox.stop().await;
}

#[tokio::test]
async fn the_same_key_gives_the_first_answer_again_and_refuses_another_request() {
    let client = start(ServeOptions::default()).await;
    let (body, key) = (sale(&client, 500, &ach(GOOD)), fresh_key());
    let first = client.post_again(PAYMENTS, &body, &key).await;
    assert_eq!(first.0, 201);
    // The same body in another formatting.
    let written = serde_json::to_string_pretty(&body).unwrap();
    let request = client.http.post(format!("{}/v1{PAYMENTS}", client.sandbox.base_url()));
    let again = request
        .bearer_auth(&client.token)
        .header("idempotency-key", key.to_uppercase())
        .header("content-type", "application/json; charset=utf-8")
        .body(written)
        .send()
        .await
        .unwrap();
    assert_eq!(again.status(), 201);
    let again: Value = serde_json::from_str(&again.text().await.unwrap()).unwrap();
    assert_eq!(again, first.1);
    let other = client.post_again(PAYMENTS, &sale(&client, 501, &ach(GOOD)), &key).await;
    assert_eq!((word(&other), &other.1["status"]), ((400, "idempotency-key-in-use"), &json!(409)));
    let other = client.post_again(REFUNDS, &body, &key).await;
    assert_eq!(other.0, 400, "what cannot be read uses no key up");
    let reverse = format!("{PAYMENTS}/{}/reverse", first.1["paymentId"].as_str().unwrap());
    let other = client.post_again(&reverse, &Value::Null, &key).await;
    assert_eq!((word(&other), &other.1["status"]), ((400, "idempotency-key-in-use"), &json!(409)));
    // A refusal is kept like any other answer; a body that could not be read is not.
    let key = fresh_key();
    assert_eq!(word(&client.post_again(PAYMENTS, &json!({}), &key).await), (400, "bad-request"));
    assert_eq!(client.post_again(&reverse, &Value::Null, &key).await.0, 200);
    let twice = client.post_again(&reverse, &Value::Null, &key).await;
    assert_eq!(word(&twice), (200, "reversal"));
    assert_eq!(word(&client.post(&reverse, &Value::Null).await), CONFLICT);
    let list = format!("{PAYMENTS}?processingTerminalId={}&orderId=HLB-1", terminal(&client, 0));
    assert_eq!(client.page(&list).await["count"], 1);
    client.sandbox.stop().await;
}

#[tokio::test]
async fn a_post_needs_a_key_and_a_body_in_json() {
    let client = start(ServeOptions::default()).await;
    let body = sale(&client, 500, &ach(GOOD)).to_string();
    let url = format!("{}/v1{PAYMENTS}", client.sandbox.base_url());
    let post = || client.http.post(&url).bearer_auth(&client.token);
    let keyed = || post().header("idempotency-key", fresh_key());
    let json =
        |request: reqwest::RequestBuilder| request.header("content-type", "application/json");
    let long = format!("\"{}\"", "x".repeat(1_100_000));
    let cases = [
        (json(post()).body(body.clone()), 400, "idempotency-key-missing", ""),
        (
            json(post().header("idempotency-key", "7")).body(body.clone()),
            400,
            "bad-request",
            "Idempotency-Key",
        ),
        (
            json(post().header("idempotency-key", "5b0c1d7e-6a52-1f0e-9d3b-1f8e2a7c4410"))
                .body(body.clone()),
            400,
            "bad-request",
            "Idempotency-Key",
        ),
        (
            keyed().header("content-type", "text/plain").body(body.clone()),
            415,
            "unsupported-media-type",
            "",
        ),
        (keyed().body(body.clone()), 415, "unsupported-media-type", ""),
        (json(keyed()), 400, "bad-request", "body"),
        (json(keyed()).body("{\"order\":"), 400, "bad-request", "body"),
        (json(keyed()).body("[]"), 400, "bad-request", "body"),
        (json(keyed()).body(vec![b'"', 0xff, b'"']), 400, "bad-request", "body"),
        (json(keyed()).body("[".repeat(100_000)), 400, "bad-request", "body"),
        (json(keyed()).body(long), 413, "payload-too-large", ""),
        (
            json(keyed().header("accept", "application/xml")).body(body.clone()),
            406,
            "not-acceptable",
            "",
        ),
    ];
    for (number, (request, status, kind, parameter)) in cases.into_iter().enumerate() {
        let answer = request.send().await.unwrap();
        let found = answer.status().as_u16();
        let body: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
        assert_eq!(word(&(found, body.clone())), (status, kind), "case {number}: {body}");
        let named = body["errors"][0]["parameter"].as_str().unwrap_or_default();
        assert_eq!(named, parameter, "case {number}");
    }
    client.sandbox.stop().await;
}

/// Changes to one part of a valid body, with the expected status and parameter.
fn wrong_sales() -> Vec<(&'static str, Value, u16, &'static str)> {
    vec![
        ("/processingTerminalId", Value::Null, 400, "processingTerminalId"),
        ("/processingTerminalId", json!("123"), 400, "processingTerminalId"),
        ("/processingTerminalId", json!("99999999"), 403, ""),
        ("/order", json!("none"), 400, "order"),
        ("/order/orderId", json!(""), 400, "order.orderId"),
        ("/order/orderId", json!("x".repeat(25)), 400, "order.orderId"),
        ("/order/amount", json!(0), 400, "order.amount"),
        ("/order/amount", json!(-5), 400, "order.amount"),
        ("/order/amount", json!(i64::MAX), 400, "order.amount"),
        ("/order/amount", json!(1.5), 400, "order.amount"),
        ("/order/amount", json!("500"), 400, "order.amount"),
        ("/order/amount", json!(1e30), 400, "order.amount"),
        ("/order/currency", json!("CAD"), 400, "order.currency"),
        ("/order/currency", json!("dollars"), 400, "order.currency"),
        ("/order/breakdown", json!({"tip": {}}), 400, "order.breakdown.subtotal"),
        (
            "/order/breakdown",
            json!({"subtotal": 1, "taxes": [{"type": "rate", "rate": 100, "name": "T"}]}),
            400,
            "order.breakdown.taxes[0].rate",
        ),
        ("/paymentMethod/type", json!("card"), 400, "paymentMethod.type"),
        ("/paymentMethod/accountNumber", json!("12x4"), 400, "paymentMethod.accountNumber"),
        ("/paymentMethod/accountNumber", json!("123"), 400, "paymentMethod.accountNumber"),
        ("/paymentMethod/routingNumber", json!("02100002"), 400, "paymentMethod.routingNumber"),
        ("/paymentMethod/secCode", json!("abc"), 400, "paymentMethod.secCode"),
        ("/paymentMethod/nameOnAccount", json!(""), 400, "paymentMethod.nameOnAccount"),
        ("/paymentMethod", pad(), 400, "paymentMethod.type"),
        (
            "/paymentMethod",
            json!({"type": "secureToken", "token": "123456789012"}),
            400,
            "paymentMethod.token",
        ),
        (
            "/paymentMethod",
            json!({"type": "singleUseToken", "token": "short"}),
            400,
            "paymentMethod.token",
        ),
        ("/customFields", json!([{"name": "a"}]), 400, "customFields[0].value"),
        ("/customer", json!({"notificationLanguage": "de"}), 400, "customer.notificationLanguage"),
        ("/credentialOnFile", json!({"tokenize": "yes"}), 400, "credentialOnFile.tokenize"),
    ]
}

#[tokio::test]
async fn a_bad_body_is_refused_with_the_name_of_what_is_wrong_and_never_with_its_value() {
    let client = start(ServeOptions::default()).await;
    for (pointer, value, status, parameter) in wrong_sales() {
        let mut body = sale(&client, 500, &ach(GOOD));
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let place = body.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        if value.is_null() {
            place.remove(name);
        } else {
            place.insert(name.to_owned(), value.clone());
        }
        let (found, body) = client.post(PAYMENTS, &body).await;
        assert_eq!(found, status, "{pointer} {value}: {body}");
        let named = body["errors"][0]["parameter"].as_str().unwrap_or_default();
        assert_eq!(named, parameter, "{pointer} {value}: {body}");
        assert!(!body.to_string().contains(GOOD), "{body}");
    }
    // All errors are reported at once.
    let (_, body) = client.post(PAYMENTS, &json!({"order": {"orderId": 7}})).await;
    let named: Vec<&str> = body["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| error["parameter"].as_str().unwrap())
        .collect();
    assert_eq!(
        named,
        [
            "processingTerminalId",
            "order.orderId",
            "order.amount",
            "order.currency",
            "paymentMethod"
        ]
    );
    client.sandbox.stop().await;
}

#[tokio::test]
async fn bank_details_come_from_accounts_and_from_tokens() {
    let client = start(ServeOptions::default()).await;
    let mut body = sale(&client, 4_080, &ach(GOOD));
    body["credentialOnFile"] = json!({"tokenize": true, "secureTokenId": "CUSTOMER-7"});
    body["order"]["breakdown"] = json!({
        "subtotal": 3_600, "tip": {"type": "percentage", "percentage": 10},
        "taxes": [{"type": "rate", "rate": 5, "name": "City tax"}],
    });
    let (_, made) = client.post(PAYMENTS, &body).await;
    let account = &made["bankAccount"];
    assert_eq!(account["accountNumber"], "******3307");
    assert_eq!(account["routingNumber"], "*****0021");
    assert_eq!(account["secureToken"]["secureTokenId"], "CUSTOMER-7");
    assert_eq!(made["order"]["breakdown"]["tip"]["amount"], 360);
    assert_eq!(made["order"]["breakdown"]["taxes"][0]["amount"], 180);
    let token = account["secureToken"]["token"].as_str().unwrap();
    assert!(token.starts_with("296753") && token.len() == 16);
    let stored = json!({"type": "secureToken", "token": token, "secCode": "tel"});
    let (status, again) = client.post(PAYMENTS, &sale(&client, 10, &stored)).await;
    assert_eq!((status, &again["bankAccount"]["accountNumber"]), (201, &json!("******3307")));
    let single = json!({"type": "singleUseToken", "token": "t".repeat(128)});
    assert_eq!(client.post(PAYMENTS, &sale(&client, 10, &single)).await.0, 201);
    let (status, used) = client.post(PAYMENTS, &sale(&client, 10, &single)).await;
    assert_eq!((status, &used["errors"][0]["detail"]), (400, &json!("used before")));
    // Canada takes PAD; Japan takes neither kind.
    let mut canadian = sale(&client, 10, &pad());
    canadian["processingTerminalId"] = json!(terminal(&client, 1));
    canadian["order"]["currency"] = json!("CAD");
    assert_eq!(client.post(PAYMENTS, &canadian).await.0, 201);
    canadian["processingTerminalId"] = json!(terminal(&client, 2));
    let refused = client.post(PAYMENTS, &canadian).await;
    assert_eq!(word(&refused), (400, "capabilities-missing"));
    for (number, expected) in [("4418829999", "declined"), ("4418829998", "admin")] {
        let (status, body) = client.post(PAYMENTS, &sale(&client, 10, &ach(number))).await;
        assert_eq!(word(&(status, body)), (201, expected));
    }
    let refund = json!({
        "processingTerminalId": terminal(&client, 0),
        "order": {"orderId": "G-1", "description": "", "amount": 700, "currency": "USD"},
        "refundMethod": stored,
    });
    let (status, body) = client.post(REFUNDS, &refund).await;
    assert_eq!((status, &body["transactionResult"]["authorizedAmount"]), (201, &json!(-700)));
    client.sandbox.stop().await;
}

#[tokio::test]
async fn verifies_accounts_and_shows_attachments() {
    let client = start(ServeOptions::default()).await;
    let mut wrong = ach(GOOD);
    wrong["routingNumber"] = json!("021000022");
    for (account, verified) in [(ach(GOOD), true), (wrong, false), (ach("4418829903"), false)] {
        let body = json!({"processingTerminalId": terminal(&client, 0), "bankAccount": account});
        let (status, answer) = client.post("/bank-accounts/verify", &body).await;
        assert_eq!((status, &answer["verified"]), (200, &json!(verified)), "{account}");
    }
    let body =
        json!({"processingTerminalId": terminal(&client, 0), "bankAccount": {"type": "ach"}});
    let (status, answer) = client.post("/bank-accounts/verify", &body).await;
    assert_eq!(status, 400);
    assert_eq!(answer["errors"][0]["parameter"], "bankAccount.nameOnAccount");
    let (status, attachment) = client.get("/attachments/20931").await;
    assert_eq!((status, &attachment["attachmentId"]), (200, &json!("20931")));
    for id in ["1", "020931", "+20931", "x", "99999999999999999999"] {
        assert_eq!(client.get(&format!("/attachments/{id}")).await.0, 404, "{id}");
    }
    client.sandbox.stop().await;
}

#[tokio::test]
async fn a_batch_closes_at_midnight_and_is_paid_on_a_banking_day() {
    let client = start(ServeOptions::default()).await;
    // Monday, 9 November; Wednesday the 11th is Veterans Day.
    let id = pay(&client, 1_234, GOOD).await;
    let settled = format!(
        "{PAYMENTS}?processingTerminalId={}&settlementState=settled&settlementDate=2026-11-09&limit=100",
        terminal(&client, 0)
    );
    assert!(!client.page(&settled).await.to_string().contains(&id));
    let late = json!({"now": "2026-11-10T04:59:59Z"});
    client.control("/clock", &late).await;
    assert!(!client.page(&settled).await.to_string().contains(&id));
    let happened = client.control("/clock", &json!({"seconds": 1})).await.1;
    assert!(client.page(&settled).await.to_string().contains(&id));
    let batch = client.get(&format!("/batches/{}", happened["happened"]["batches"][0])).await.1;
    assert_eq!(batch["date"], "2026-11-09");
    client.control("/clock", &json!({"now": "2026-11-13T12:00:00Z"})).await;
    let mid = &client.world.records().merchants[0].id;
    for (date, count) in [("2026-11-10", 0), ("2026-11-11", 0), ("2026-11-12", 1)] {
        let page = client.page(&format!("/ach-deposits?date={date}&merchantId={mid}")).await;
        let mut deposits = page["data"].as_array().unwrap().iter();
        let found: Vec<&Value> = deposits
            .by_ref()
            .filter(|deposit| deposit["associationDate"] == "2026-11-09")
            .collect();
        assert_eq!(found.len(), count, "{date}");
        for deposit in found {
            assert_eq!(deposit["sales"], batch["saleAmount"]);
            let fees = format!("/ach-deposit-fees?achDepositId={}", deposit["achDepositId"]);
            let fees = client.follow(&fees, "next").await;
            let sum: i64 = fees.iter().map(|fee| fee["amount"].as_i64().unwrap()).sum();
            assert_eq!(deposit["dailyFees"], sum);
            let same = client.get(&format!("/ach-deposits/{}", deposit["achDepositId"])).await.1;
            assert_eq!(&same, deposit);
        }
    }
    for (path, body) in [
        ("/clock", json!({"now": "2026-11-01T00:00:00Z"})),
        ("/clock", json!({"days": 401})),
        ("/clock", json!({"days": -1})),
        ("/clock", json!({"weeks": 1})),
        ("/returns", json!({"paymentId": id, "returnCode": "R99"})),
        ("/amounts/1", json!({"netAmount": 1, "sales": 1})),
        ("/amounts/1", json!({"colour": 1})),
    ] {
        assert_eq!(client.control(path, &body).await.0, 400, "{path} {body}");
    }
    assert_eq!(client.control("/amounts/1", &json!({"netAmount": 1})).await.0, 404);
    client.sandbox.stop().await;
}
