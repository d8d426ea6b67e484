//! A unique name for each record of a ledger.

use std::collections::HashMap;

use super::ledger_input::LedgerInput;
use super::order_by_id::compare_records;

/// A unique name for each record, which stays the same when later records arrive.
#[derive(Default)]
pub(super) struct RecordNames {
    pub(super) records: Vec<String>,
}

impl RecordNames {
    /// Of records with the same id, all but the first get a number, in order of date and then of
    /// content: further rows above them, or another order of rows, do not change their names.
    pub(super) fn of(input: &LedgerInput) -> Self {
        let records = &input.records;
        let standing = input.standing.as_deref();
        let kept = standing.map_or(0, |standing| standing.names.len());
        let mut names: Vec<String> =
            records.iter().map(|record| record.ledger_id.to_string()).collect();
        if let Some(standing) = standing {
            names[..kept].clone_from_slice(&standing.names);
            for (name, record) in names.iter_mut().zip(records).skip(kept) {
                if let Some(before) = standing.same_id.get(&record.ledger_id) {
                    *name = format!("{}#{}", record.ledger_id, before + 1);
                }
            }
        }
        let mut first: HashMap<&str, usize> = HashMap::with_capacity(records.len());
        let mut shared: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, record) in records.iter().enumerate().skip(kept) {
            let id = record.ledger_id.as_str();
            if let Some(before) = first.get(id) {
                shared.entry(id).or_insert_with(|| vec![*before]).push(at);
            } else {
                first.insert(id, at);
            }
        }
        for same in shared.values_mut() {
            same.sort_by(|one, other| {
                compare_records(&records[*one], &records[*other]).then(one.cmp(other))
            });
            let before =
                same.first().and_then(|at| standing?.same_id.get(&records[*at].ledger_id).copied());
            for (number, at) in (1 + before.unwrap_or(0)..).zip(same.iter()) {
                if number > 1 {
                    names[*at] = format!("{}#{number}", records[*at].ledger_id);
                }
            }
        }
        Self { records: names }
    }
}
