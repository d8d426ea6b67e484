//! Records that are listed twice, and records that differ when they are read again.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::draw::{Asked, details, strikes};
use super::kinds::{Fault, FaultOptions};
use super::pages::add_to_amount;

/// Last records that are remembered; beyond this number all are forgotten.
const REMEMBERED_RECORDS: usize = 10_000;

/// Added to the ids of a record, to give an id that no other record has.
const STRANGER: i64 = 4_000_000_000;

/// The last record of each page, by the cursor that follows it.
#[derive(Debug, Default)]
pub(super) struct LastRecords {
    by_cursor: HashMap<String, Value>,
}

impl LastRecords {
    /// Lists a record of this page twice, or the last one of the page before once more. Fee lines
    /// are left alone, since two equal ones are two fees.
    pub(super) fn repeat(&mut self, options: &FaultOptions, asked: &Asked, page: &mut Value) {
        if !options.faults.contains(&Fault::DuplicateRecords) || asked.is_fees() {
            return;
        }
        let Some(data) = page["data"].as_array_mut().filter(|data| !data.is_empty()) else {
            return;
        };
        let last = data.last().cloned().unwrap_or_default();
        if strikes(options, Fault::DuplicateRecords, asked) {
            let mut random = details(options, Fault::DuplicateRecords, asked, 0);
            let before = asked
                .parameter("after")
                .and_then(|after| self.by_cursor.get(&format!("{} {after}", asked.path)).cloned());
            let again = before.unwrap_or_else(|| data[random.index(data.len())].clone());
            data.insert(random.index(data.len() + 1), again);
            let count = data.len();
            page["count"] = json!(count);
        }
        if self.by_cursor.len() > REMEMBERED_RECORDS {
            self.by_cursor.clear();
        }
        let names =
            ["achDepositId", "batchId", "authorizationId", "paymentId", "refundId", "disputeId"];
        for name in names {
            // The id of a record precedes those that it refers to.
            if let Some(id) = last.get(name) {
                let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
                self.by_cursor.insert(format!("{} {id}", asked.path), last);
                return;
            }
        }
    }
}

/// Changes the first reading of a page, so that every later one differs.
pub(super) fn show_otherwise(options: &FaultOptions, asked: &Asked, page: &mut Value) {
    let is_by_date = asked.parameter("date").is_some();
    let is_listed = |path: &str| is_by_date && asked.path.ends_with(path);
    let is_read_again = is_listed("/ach-deposits")
        || is_listed("/authorizations")
        || (asked.is_fees() && asked.parameter("achDepositId").is_some());
    let is_items = is_listed("/authorizations");
    let Some(data) = page.get_mut("data").and_then(Value::as_array_mut) else { return };
    if is_read_again && strikes(options, Fault::ChangedRecord, asked) {
        let mut random = details(options, Fault::ChangedRecord, asked, 0);
        let start = random.index(data.len().max(1));
        let changed = (0..data.len())
            .map(|step| (start + step) % data.len())
            .find(|index| !is_items || is_item(&data[*index]));
        if let Some(index) = changed {
            add_to_amount(&mut data[index], i64::from(random.between(1, 5_000)));
        }
    }
    if is_items && strikes(options, Fault::LateRecord, asked) {
        let mut random = details(options, Fault::LateRecord, asked, 0);
        let start = random.index(data.len().max(1));
        let late = (0..data.len())
            .map(|step| (start + step) % data.len())
            .find(|index| is_item(&data[*index]));
        if let Some(index) = late {
            data.remove(index);
        }
    }
    if is_items
        && strikes(options, Fault::VanishingRecord, asked)
        && let Some(mut stranger) = data.iter().find(|record| is_item(record)).cloned()
    {
        shift(&mut stranger["authorizationId"]);
        shift(&mut stranger["transaction"]["transactionId"]);
        data.push(stranger);
    }
    let count = data.len();
    if page["count"] != json!(count) {
        page["count"] = json!(count);
    }
}

/// A capture or return that counts in a batch: a change of it would change the batch's total.
fn is_item(record: &Value) -> bool {
    record["batch"]["batchId"].is_i64()
        && record["transaction"]["transactionId"].is_i64()
        && matches!(record["transaction"]["type"].as_str(), Some("capture" | "return"))
        && record["transaction"]["amount"].as_i64().is_some_and(|amount| amount > 0)
}

fn shift(id: &mut Value) {
    *id = json!(id.as_i64().unwrap_or_default() + STRANGER);
}
