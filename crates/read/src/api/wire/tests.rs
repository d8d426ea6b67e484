//! Records of the contract's own examples, and the treatment of bad records.

use super::*;
use tieout_model::money::Minor;
use tieout_model::{BatchId, Selector, TransferId, TransferKind};

fn listing(resource: Resource) -> Listing {
    Listing::new(resource, Selector::Date("2026-11-20".parse().unwrap()))
}

fn page(resource: Resource, data: &str) -> Content {
    let body = format!(r#"{{"limit":100,"hasMore":false,"links":[],"data":[{data}]}}"#);
    read(&listing(resource), 2, body.as_bytes()).unwrap()
}

fn faults(resource: Resource, data: &str) -> Vec<String> {
    let describe =
        |fault: RecordFault| format!("{}|{}|{}", fault.record, fault.field, fault.problem);
    page(resource, data).faults.into_iter().map(describe).collect()
}

/// A payment P with these further properties.
fn payment(rest: &str) -> String {
    format!(
        r#"{{"paymentId":"P","processingTerminalId":"T","transactionResult":
        {{"type":"payment","status":"ready"}},{rest}}}"#
    )
}

const MERCHANT: &str = r#""merchant":{"merchantId":"0730","doingBusinessAs":"Harbor Lane Books",
    "processingAccountId":51877,"link":{"rel":"x","method":"get","href":"y"}}"#;

#[test]
fn reads_a_deposit() {
    let data = format!(
        r#"{{"achDepositId":70418,"associationDate":"2026-03-16","achDate":"2026-03-17",
        "paymentDate":"2026-03-18","transactions":23,"sales":184250,"returns":12400,
        "dailyFees":4210,"heldSales":0,"achAdjustment":350,"holdback":3685,
        "reserveRelease":1200,"netAmount":164805,{MERCHANT},"links":[]}}"#
    );
    let content = page(Resource::Deposits, &data);
    let [Record::Deposit(deposit)] = &content.records[..] else { panic!("{content:?}") };
    assert_eq!(deposit.ach_deposit_id.0, 70_418);
    assert_eq!(deposit.merchant.merchant_id.as_ref().unwrap().as_str(), "0730");
    assert_eq!(deposit.merchant.processing_account_id, Some(51_877));
    assert_eq!(deposit.payment_date.unwrap().to_string(), "2026-03-18");
    assert_eq!(deposit.transactions, Some(23));
    let amounts = [
        (deposit.sales, 184_250),
        (deposit.returns, 12_400),
        (deposit.daily_fees, 4_210),
        (deposit.held_sales, 0),
        (deposit.ach_adjustment, 350),
        (deposit.holdback, 3_685),
        (deposit.reserve_release, 1_200),
        (deposit.net_amount, 164_805),
    ];
    for (found, expected) in amounts {
        assert_eq!(found, Some(Minor(expected)));
    }
}

#[test]
fn reads_an_authorization() {
    let data = format!(
        r#"{{"authorizationId":4402915,"authorizationResponse":"","currency":"USD",
        "preauthorizationRequestAmount":8730,"batch":{{"batchId":"90211","date":"2026-03-16"}},
        "card":{{"cardNumber":"411773******2045"}},{MERCHANT},
        "transaction":{{"transactionId":6130077,"type":"capture","date":"2026-03-15",
        "amount":8730}}}},
        {{"authorizationId":4402916,"batch":null,"card":{{"cardNumber":"41"}}}}"#
    );
    let content = page(Resource::Authorizations, &data);
    let [Record::Authorization(first), Record::Authorization(second)] = &content.records[..] else {
        panic!("{content:?}")
    };
    assert_eq!(first.authorization_response, None);
    assert_eq!(first.batch_id, Some(BatchId(90_211)));
    assert_eq!(first.card_last4.as_deref(), Some("2045"));
    let transaction = first.transaction.as_ref().unwrap();
    assert_eq!(transaction.transaction_type.as_deref(), Some("capture"));
    assert_eq!(transaction.amount, Some(Minor(8_730)));
    assert_eq!((second.batch_id, &second.card_last4, &second.transaction), (None, &None, &None));
}

#[test]
fn reads_a_payment_with_its_returns_and_a_refund_with_its_payment() {
    let common = r#""processingTerminalId":"5520117",
        "order":{"orderId":"HLB-42","dateTime":"2026-03-16T18:05:31Z","amount":4080,
        "currency":"USD"},"bankAccount":{"type":"ach","accountNumber":"********3307"}"#;
    let payment = format!(
        r#"{{"paymentId":"T7WQ2LKD90",{common},
        "refunds":[{{"refundId":"F8YD46JSUM","dateTime":"2026-03-19T10:41:02Z",
            "currency":"USD","amount":1500,"status":"ready"}}],
        "returns":[{{"paymentId":"ZR5CH13VNE","date":"2026-03-20","returnCode":"R01",
            "returnReason":"Not enough funds","represented":true}}],
        "representment":{{"paymentId":"K0M83PXUHS","amount":4080,"status":"ready"}},
        "transactionResult":{{"type":"payment","status":"returned","currency":null}}}}"#
    );
    let content = page(Resource::Payments, &payment);
    let [Record::BankTransfer(transfer)] = &content.records[..] else { panic!("{content:?}") };
    assert_eq!(transfer.kind, TransferKind::Payment);
    assert_eq!(transfer.transfer_id, TransferId::from("T7WQ2LKD90"));
    assert_eq!(transfer.run_at.unwrap().to_rfc3339(), "2026-03-16T18:05:31+00:00");
    assert_eq!(transfer.account_last4.as_deref(), Some("3307"));
    assert_eq!(transfer.refunds[0].amount, Some(Minor(1_500)));
    assert_eq!(transfer.returns[0].code, "R01");
    assert!(transfer.returns[0].represented == Some(true) && !transfer.returns[0].closed);
    assert_eq!(transfer.representment.as_ref().unwrap().payment_id.as_str(), "K0M83PXUHS");

    let refund = format!(
        r#"{{"refundId":"F8YD46JSUM",{common},"payment":{{"paymentId":"T7WQ2LKD90"}},
        "transactionResult":{{"type":"refund","status":"complete","authorizedAmount":-1500}}}}"#
    );
    let content = page(Resource::Refunds, &refund);
    let [Record::BankTransfer(transfer)] = &content.records[..] else { panic!("{content:?}") };
    assert_eq!(transfer.kind, TransferKind::Refund);
    assert_eq!(transfer.amount, Some(Minor(4_080)));
    assert_eq!(transfer.payment.as_ref().unwrap().payment_id.as_str(), "T7WQ2LKD90");
}

#[test]
fn makes_exactly_the_bad_records_faults() {
    let content = page(
        Resource::Batches,
        r#"{"batchId":1,"saleAmount":5},{"batchId":2,"saleAmount":"5"},{"saleAmount":5},
        {"batchId":4,"currency":"XYZ"},"text",null,{"batchId":7,"date":"2026-02-30"},
        {"batchId":8,"saleAmount":null,"unknown":[{}]}"#,
    );
    assert_eq!(content.record_count, 8);
    let ids: Vec<_> = content
        .records
        .iter()
        .map(|record| match record {
            Record::Batch(batch) => batch.batch_id.0,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(ids, [1, 8]);
    let faults: Vec<_> = content
        .faults
        .iter()
        .map(|fault| (&*fault.record, &*fault.field, &*fault.problem))
        .collect();
    assert_eq!(
        faults,
        [
            ("batch 2", "saleAmount", "expected an integer number of minor units, found text"),
            ("record 3 of page 2", "batchId", "expected a number, found nothing"),
            ("batch 4", "currency", "expected a currency of ISO 4217, found XYZ"),
            ("record 5 of page 2", "", "expected an object, found text"),
            ("record 6 of page 2", "", "expected an object, found nothing"),
            (
                "batch 7",
                "date",
                "expected a date such as 2026-11-20, found text that is not such a date"
            ),
        ]
    );
}

#[test]
fn names_the_field_of_a_fault_by_its_whole_path() {
    let cases = [
        (payment(r#""order":{"amount":12.5}"#), "payment P|order.amount|"),
        (payment(r#""order":7"#), "payment P|order|"),
        (payment(r#""returns":[{"paymentId":"R"}]"#), "payment P|returns[0].date|"),
        (payment(r#""returns":[null,7]"#), "payment P|returns[1]|"),
        (payment(r#""returns":7"#), "payment P|returns|"),
        (payment(r#""representment":{}"#), "payment P|representment.paymentId|"),
        (r#"{"paymentId":"P"}"#.to_owned(), "payment P|processingTerminalId|"),
        (
            r#"{"paymentId":"P","processingTerminalId":"T"}"#.to_owned(),
            "payment P|transactionResult|",
        ),
        (
            r#"{"paymentId":"P","processingTerminalId":"T","transactionResult":{"type":""}}"#
                .to_owned(),
            "payment P|transactionResult.type|",
        ),
        (r#"{"paymentId":""}"#.to_owned(), "record 1 of page 2|paymentId|"),
    ];
    for (data, expected) in cases {
        let faults = faults(Resource::Payments, &data);
        assert!(faults.len() == 1 && faults[0].starts_with(expected), "{faults:?} {expected}");
    }
}

#[test]
fn takes_what_a_payment_lists_twice_once_and_no_payment_that_contradicts_itself() {
    let back = |id: &str, rest: &str| {
        format!(r#"{{"paymentId":"{id}","date":"2026-03-20","returnCode":"R01"{rest}}}"#)
    };
    let refund = |id: &str, amount: &str| format!(r#"{{"refundId":"{id}","amount":{amount}}}"#);

    let (returns, refunds) = (
        [back("R", ""), back("S", ""), back("R", r#","closed":false"#)].join(","),
        [refund("F", "5"), refund("F", "5"), refund("G", "5")].join(","),
    );
    let content = page(
        Resource::Payments,
        &payment(&format!(r#""returns":[{returns}],"refunds":[{refunds}]"#)),
    );
    let [Record::BankTransfer(transfer)] = &content.records[..] else { panic!("{content:?}") };
    let ids: Vec<_> = transfer.returns.iter().map(|back| back.return_id.as_str()).collect();
    assert_eq!(ids, ["R", "S"]);
    let ids: Vec<_> = transfer.refunds.iter().map(|refund| refund.refund_id.as_str()).collect();
    assert_eq!(ids, ["F", "G"]);

    let returns = [back("R", ""), back("S", ""), back("R", r#","closed":true"#)].join(",");
    assert_eq!(
        faults(Resource::Payments, &payment(&format!(r#""returns":[{returns}]"#))),
        ["payment P|returns[2]|expected R as in returns[0], found another content"]
    );
    let refunds = [refund("F", "5"), refund("F", "null")].join(",");
    assert_eq!(
        faults(Resource::Payments, &payment(&format!(r#""refunds":[{refunds}]"#))),
        ["payment P|refunds[1]|expected F as in refunds[0], found another content"]
    );
}

#[test]
fn keeps_the_other_records_when_one_breaks_a_rule_of_json_itself() {
    let content = page(
        Resource::Batches,
        r#"{"batchId":1},{"batchId":2,"batchId":3},{"batchId":4,"currency":"\ud800"},
        {"batchId":5,"saleAmount":1e999},{"batchId":6}"#,
    );
    assert_eq!((content.records.len(), content.record_count), (2, 5));
    let names: Vec<_> = content.faults.iter().map(|fault| &*fault.record).collect();
    assert_eq!(names, ["record 2 of page 2", "record 3 of page 2", "record 4 of page 2"]);
}

#[test]
fn checks_that_a_reading_by_id_gave_that_record() {
    let listing = Listing::new(Resource::Batches, Selector::BatchById(BatchId(7)));
    let content = read(&listing, 1, br#"{"batchId":7}"#).unwrap();
    assert_eq!((content.records.len(), content.faults.len()), (1, 0));
    let content = read(&listing, 1, br#"{"batchId":8}"#).unwrap();
    assert_eq!(content.faults[0].problem, "expected 7, found 8");
    assert!(matches!(read(&listing, 1, b"{\"batchId\":"), Err(Failure::NotJson { .. })));
}

#[test]
fn takes_the_way_on_from_the_page() {
    let next = r#"[{"rel":"Previous","href":"?after=1"},{"rel":"NEXT","href":"//x?after=9"}]"#;
    let bare = r#"[{"rel":"next","href":"https://x/y"}]"#;
    let goes_on = || Follow::Next(Cursor::from_stored("9"));
    let cases = [
        ("true", next, goes_on()),
        ("null", next, goes_on()),
        ("false", next, Follow::End),
        ("null", "[]", Follow::End),
        ("null", "null", Follow::End),
        ("null", "7", Follow::End),
        ("false", "[]", Follow::End),
        ("true", "[]", Follow::Missing),
        ("true", bare, Follow::Missing),
        ("null", bare, Follow::Missing),
        ("false", bare, Follow::End),
    ];
    for (has_more, links, expected) in cases {
        let body = format!(r#"{{"hasMore":{has_more},"links":{links},"data":[]}}"#);
        let content = read(&listing(Resource::Batches), 1, body.as_bytes()).unwrap();
        assert_eq!(content.follow, expected, "{body}");
    }
}

#[test]
fn refuses_a_page_that_is_not_whole() {
    let cases = [
        ("[]", "page: expected an object, found a list"),
        ("null", "page: expected an object, found nothing"),
        ("{}", "data: expected a list, found nothing"),
        (r#"{"data":null}"#, "data: expected a list, found nothing"),
        (r#"{"data":{}}"#, "data: expected a list, found an object"),
        (r#"{"data":[],"hasMore":"no"}"#, "hasMore: expected true or false, found text"),
        (r#"{"data":[],"count":"0"}"#, "count: expected an integer, found text"),
        (r#"{"data":[{}],"count":2}"#, "count is 2 records, found 1; the listing is incomplete"),
        ("", "expected JSON, found an empty body"),
        (r#"{"data":["#, "expected JSON, found a body that ends in the middle, after 9 bytes"),
        ("<html>", "expected JSON, found something else at line 1 column 1 of 6 bytes"),
        (
            r#"{"data":[],"data":[]}"#,
            "page: expected each property once, found something else at line 1 column 17",
        ),
    ];
    for (body, expected) in cases {
        let failure = read(&listing(Resource::Batches), 1, body.as_bytes()).unwrap_err();
        assert_eq!(failure.to_string(), expected, "{body}");
    }
}

#[test]
fn believes_neither_of_two_contents_on_a_page() {
    let listing = tieout_model::Listing::new(
        tieout_model::Resource::Batches,
        tieout_model::Selector::Date("2026-11-20".parse().unwrap()),
    );
    let batch = |id: i64, sales: i64| {
        format!(r#"{{"batchId": {id}, "date": "2026-11-20", "saleAmount": {sales}}}"#)
    };
    let page = |records: &[String]| {
        let (count, data) = (records.len(), records.join(","));
        format!(r#"{{"count": {count}, "hasMore": false, "links": [], "data": [{data}]}}"#)
    };
    let read = |records: &[String]| {
        let content = super::read(&listing, 1, page(records).as_bytes()).unwrap();
        let kept: Vec<String> =
            content.records.iter().map(|record| record.key().unwrap().to_string()).collect();
        let faults: Vec<String> = content
            .faults
            .iter()
            .map(|fault| format!("{}: {}", fault.record, fault.problem))
            .collect();
        (kept, faults)
    };
    let twice = [batch(7, 1), batch(8, 1), batch(7, 1)];
    assert_eq!(read(&twice), (vec!["batch 7".into(), "batch 8".into(), "batch 7".into()], vec![]));
    for order in [[1, 2, 1], [2, 1, 1], [1, 1, 2]] {
        let [first, second, third] = order.map(|sales| batch(7, sales));
        let (kept, faults) = read(&[first, batch(8, 1), second, third]);
        assert_eq!(kept, ["batch 8"]);
        assert_eq!(faults, ["batch 7: listed again with another content"]);
    }
}
