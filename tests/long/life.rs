//! The life of payments that were made through the API, day by day: made, settled, paid, returned,
//! presented again, settled again, refunded, closed. The job runs every night, over weekends and
//! holidays, and ties out every night. With one amount changed by hand it finds that amount and
//! nothing else.

use std::collections::BTreeMap;

use chrono::{Days, NaiveDate};
use serde_json::{Value, json};

use crate::harness::reports::{manifest, table};
use crate::harness::{Ended, Served, Site, clean, day, rounds};

/// The night after `date`, when the day is over in every time zone of the world.
fn night(date: NaiveDate) -> String {
    format!("{}T12:00:00Z", date.checked_add_days(Days::new(1)).unwrap())
}

struct Life {
    served: Served,
    site: Site,
    http: reqwest::Client,
    token: String,
    keys: u64,
    /// The date that is being lived.
    date: NaiveDate,
}

impl Life {
    /// A world that ends on the day before `start`, reconciled up to its last date.
    fn begin(seed: u64, start: &str) -> Self {
        let last = day(start).pred_opt().unwrap();
        let from = last.checked_sub_days(Days::new(3)).unwrap();
        let served = Served::new(&clean(seed, &from.to_string(), &last.to_string(), 3, 12));
        let site = served.site();
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let base = served.sandbox.base_url();
        let request = http.post(format!("{base}/authorize")).header("x-api-key", "sandbox-key");
        let answer = served.runtime.block_on(async { request.send().await?.text().await });
        let answer: Value = serde_json::from_str(&answer.unwrap()).unwrap();
        let token = answer["access_token"].as_str().unwrap().to_owned();
        let mut life = Self { served, site, http, token, keys: 0, date: last };
        life.run(&format!("{from}..{last}")).expect(0);
        life.date = day(start);
        life.close_what_came_back();
        life
    }

    /// The world's own open returns would be outstanding in a few days.
    fn close_what_came_back(&mut self) {
        let described = self.ask("GET", "/_sandbox", None);
        let terminals = described["merchants"].as_array().unwrap().iter();
        let terminals: Vec<Value> = terminals
            .flat_map(|merchant| merchant["processingTerminalIds"].as_array().unwrap().clone())
            .collect();
        for terminal in terminals {
            let terminal = terminal.as_str().unwrap();
            let list = format!("processingTerminalId={terminal}&status=returned&limit=100");
            let page = self.ask("GET", &format!("/v1/bank-transfer-payments?{list}"), None);
            let payments = page["data"].as_array().unwrap().iter();
            let returns = payments.filter_map(|payment| payment["returns"].as_array());
            let open: Vec<&Value> = returns
                .flatten()
                .filter(|entry| entry["closed"] == false && entry["represented"] == false)
                .collect();
            for entry in open {
                self.act(entry["paymentId"].as_str().unwrap(), "close", None);
            }
        }
    }

    fn ask(&mut self, method: &str, path: &str, body: Option<Value>) -> Value {
        self.keys += 1;
        let url = format!("{}{path}", self.served.sandbox.base_url());
        let key = format!("5b0c1d7e-6a52-4f0e-9d3b-{:012x}", self.keys);
        let method = method.parse().unwrap();
        let mut request = self.http.request(method, url).bearer_auth(&self.token);
        request = request.header("idempotency-key", key);
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let answer = self.served.runtime.block_on(async { request.send().await?.text().await });
        let answer: Value = serde_json::from_str(&answer.unwrap()).unwrap();
        assert!(answer.get("type").is_none(), "{path}: {answer}");
        answer
    }

    /// Runs a sale at a merchant: 0 is in the United States, 1 in Canada.
    fn pay(&mut self, merchant: usize, amount: i64) -> String {
        let described = self.ask("GET", "/_sandbox", None);
        let merchant = &described["merchants"][merchant];
        let method = if merchant["currency"] == "CAD" {
            json!({
                "type": "pad", "nameOnAccount": "Ada Quill", "accountNumber": "00418823307",
                "transitNumber": "20418", "institutionNumber": "010",
            })
        } else {
            json!({
                "type": "ach", "nameOnAccount": "Noor Ibsen", "accountNumber": "4418823307",
                "routingNumber": "021000021", "secCode": "web",
            })
        };
        let body = json!({
            "processingTerminalId": merchant["processingTerminalIds"][0],
            "order": {
                "orderId": format!("LIFE-{amount}"), "amount": amount,
                "currency": merchant["currency"],
            },
            "paymentMethod": method,
        });
        let made = self.ask("POST", "/v1/bank-transfer-payments", Some(body));
        made["paymentId"].as_str().unwrap().to_owned()
    }

    fn act(&mut self, id: &str, verb: &str, body: Option<Value>) -> Value {
        self.ask("POST", &format!("/v1/bank-transfer-payments/{id}/{verb}"), body)
    }

    fn payment(&mut self, id: &str) -> Value {
        self.ask("GET", &format!("/v1/bank-transfer-payments/{id}"), None)
    }

    fn status(&mut self, id: &str) -> String {
        self.payment(id)["transactionResult"]["status"].as_str().unwrap().to_owned()
    }

    fn refund(&mut self, id: &str, amount: i64) -> Value {
        let body = json!({"amount": amount, "description": "Sent back"});
        self.act(id, "refund", Some(body))
    }

    /// The payment comes back today; the id of the return.
    fn comes_back(&mut self, id: &str, code: &str) -> String {
        let body = json!({"paymentId": id, "returnCode": code});
        let payment = self.ask("POST", "/_sandbox/returns", Some(body));
        payment["returns"][0]["paymentId"].as_str().unwrap().to_owned()
    }

    /// Ends the day; returns its events.
    fn end_day(&mut self) -> Value {
        let moved = self.ask("POST", "/_sandbox/clock", Some(json!({"now": night(self.date)})));
        moved["happened"].clone()
    }

    fn run(&self, dates: &str) -> Ended {
        let last = dates.rsplit("..").next().unwrap();
        let mut command = self.site.command(&["run", "--date", dates, "--fail-on", "info"]);
        Ended::from(command.env("TIEOUT_NOW", night(day(last))).output().unwrap())
    }

    /// The night's run of the day, which must be clean; then it is the next day.
    fn reconcile(&mut self) {
        let date = self.date;
        self.run(&date.to_string()).expect(0);
        let reports = self.site.reports();
        let found = table(&reports, date, "discrepancies.csv");
        assert!(found.is_empty(), "{date}: {found:#?}");
        let skipped = manifest(&reports, date)["checks"]["not_evaluated"].clone();
        assert_eq!(skipped, json!([]), "{date}");
        for file in ["deposits.csv", "batches.csv", "summary.csv"] {
            for row in table(&reports, date, file) {
                let verdict = row["verdict"].as_str();
                assert!(["tied", "in_transit"].contains(&verdict), "{date} {file}: {row:?}");
            }
        }
        self.date = date.succ_opt().unwrap();
    }

    /// Days without activity.
    fn sleep(&mut self, days: u32) {
        for _ in 0..days {
            self.end_day();
            self.reconcile();
        }
    }

    /// Lives on until `id` has that status, for two weeks at most.
    fn sleep_until(&mut self, id: &str, status: &str) {
        for _ in 0..14 {
            if self.status(id) == status {
                return;
            }
            self.sleep(1);
        }
        panic!("{id} is not {status} by {}", self.date);
    }
}

/// The whole life, from a Saturday before Thanksgiving, from the day before Christmas, and from
/// the day before the clocks change.
#[test]
fn a_payment_ties_out_on_every_day_of_its_life() {
    for (seed, start) in rounds([(1, "2026-11-21"), (2, "2026-12-24"), (3, "2027-03-13")]) {
        let mut life = Life::begin(seed, start);
        let (first, canadian) = (life.pay(0, 40_800), life.pay(1, 9_900));
        let void = life.pay(0, 100);
        assert_eq!(life.act(&void, "reverse", None)["transactionResult"]["status"], "reversal");
        life.sleep(1);
        // Settled, and paid on a banking day.
        assert_eq!(life.status(&first), "pending");
        life.sleep_until(&first, "complete");
        let mut presented = first.clone();
        for _ in 0..2 {
            let returned = life.comes_back(&presented, "R01");
            life.sleep(1);
            let payment = life.act(&returned, "represent", None);
            presented = payment["representment"]["paymentId"].as_str().unwrap().to_owned();
            // While it is on its way again, others come and go.
            life.pay(1, 5_000);
            life.sleep_until(&presented, "complete");
        }
        life.refund(&presented, 10_800);
        life.sleep(1);
        life.refund(&presented, 30_000);
        let returned = life.comes_back(&canadian, "R08");
        life.sleep(2);
        let closed = life.act(&returned, "close", None);
        assert_eq!(closed["returns"][0]["closed"], true);
        life.sleep(6);
        // By now all is paid, and no event of the life is pending.
        let codes = life.payment(&first)["returns"][0]["returnCode"].clone();
        assert_eq!(codes, "R01");
        let refunds = life.payment(&presented)["refunds"].clone();
        assert!(refunds.as_array().unwrap().iter().all(|refund| refund["status"] == "complete"));
    }
}

/// Found on `date`: code, and expected and actual.
fn found(life: &Life, date: NaiveDate) -> BTreeMap<String, (String, String)> {
    let rows = table(&life.site.reports(), date, "discrepancies.csv");
    rows.into_iter()
        .map(|row| (row["code"].clone(), (row["expected"].clone(), row["actual"].clone())))
        .collect()
}

#[test]
fn one_amount_that_is_changed_by_hand_is_the_one_discrepancy() {
    // A payment of a closed batch, before its day is read for the first time.
    let mut life = Life::begin(5, "2026-11-14");
    let payment = life.pay(0, 40_800);
    life.end_day();
    life.ask("POST", &format!("/_sandbox/amounts/{payment}"), Some(json!({"amount": 40_900})));
    life.run(&life.date.to_string()).expect(3);
    let date = life.date;
    let sums = found(&life, date);
    let (expected, actual) = &sums["BATCH_SALES_MISMATCH"];
    assert_eq!(sums.len(), 1, "{sums:?}");
    let cents = |amount: &str| amount.replace('.', "").parse::<i64>().unwrap();
    assert_eq!(cents(actual) - cents(expected), 40_800 - 40_900);

    // The net amount of the deposit that pays for it.
    let mut life = Life::begin(6, "2026-11-14");
    life.pay(0, 40_800);
    life.sleep(2);
    let deposit = life.end_day()["deposits"][0].clone();
    let path = format!("/v1/ach-deposits/{deposit}");
    let before = life.ask("GET", &path, None)["netAmount"].as_i64().unwrap();
    let path = format!("/_sandbox/amounts/{deposit}");
    life.ask("POST", &path, Some(json!({"netAmount": before - 100})));
    // It was paid on the day that follows.
    life.reconcile();
    life.end_day();
    life.run(&life.date.to_string()).expect(3);
    let sums = found(&life, life.date);
    let (expected, actual) = &sums["DEPOSIT_NET_MISMATCH"];
    assert_eq!(sums.len(), 1, "{sums:?}");
    assert_eq!((cents(expected), cents(actual)), (before, before - 100));
}
