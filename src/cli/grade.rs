//! Compares the findings of a run with the answer key of its world: every planted discrepancy must
//! be found on the dates on which it exists, and no other.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use tieout_sandbox::{AnswerKey, Expected};

use tieout_model::{Discrepancy, DiscrepancyStatus, Figure};

/// The findings of one date.
pub type Found = (NaiveDate, Vec<Discrepancy>);

/// The differences between the answer key and the findings, one line each; empty when they agree.
/// `dates` are the dates of the run, oldest first, starting with the first of the world.
pub fn grade(key: &AnswerKey, dates: &[Found]) -> Vec<String> {
    let mut wrong = Vec::new();
    // Planted discrepancies that are open, by the id with which they were found.
    let mut open: BTreeMap<String, &Expected> = BTreeMap::new();
    for (date, rows) in dates {
        let mut rest: Vec<&Discrepancy> = rows.iter().collect();
        open.retain(|id, planted| {
            let is_last = planted.last_seen == Some(*date);
            let status = if is_last { DiscrepancyStatus::Cleared } else { DiscrepancyStatus::Open };
            match rest.iter().position(|row| row.discrepancy_id == *id && row.status == status) {
                Some(index) => drop(rest.swap_remove(index)),
                None => {
                    wrong.push(format!("{date}: not {}: {}", status.as_str(), describe(planted)));
                }
            }
            !is_last
        });
        for planted in key.expected.iter().filter(|planted| planted.first_seen == *date) {
            match rest.iter().position(|row| is_new(row) && agrees(planted, row)) {
                Some(index) => {
                    let row = rest.swap_remove(index);
                    if row.is_carried {
                        open.insert(row.discrepancy_id.clone(), planted);
                    }
                }
                None => wrong.push(format!("{date}: not found: {}", describe(planted))),
            }
        }
        wrong.extend(rest.into_iter().map(|row| {
            format!("{date}: not planted: {} {} {}", row.status.as_str(), row.code, row.explanation)
        }));
    }
    wrong
}

fn is_new(row: &Discrepancy) -> bool {
    row.status == DiscrepancyStatus::New
}

fn agrees(planted: &Expected, row: &Discrepancy) -> bool {
    let currency = match row.figure {
        Figure::Amount => row.currency.map(|currency| currency.code().to_owned()),
        Figure::Count => None,
    };
    planted.code == row.code
        && planted.merchant_id == row.merchant_id.as_str()
        && planted.currency == currency
        && planted.expected == row.expected
        && planted.actual == row.actual
        && planted.batch_id == row.ids.batch_id
        && planted.ach_deposit_id == row.ids.ach_deposit_id
        && planted.authorization_id == row.ids.authorization_id
        && planted.transaction_id == row.ids.transaction_id
        && planted.payment_id == row.ids.payment_id
        && planted.refund_id == row.ids.refund_id
        && planted.ledger_id == row.ids.ledger_id
        && planted.dispute_id == row.ids.dispute_id
}

fn describe(planted: &Expected) -> String {
    serde_json::to_string(planted).unwrap_or_else(|_| planted.code.clone())
}
