//! A name for each record of a ledger that no other record has.

use std::collections::HashMap;

use super::ledger_input::LedgerInput;
use super::order_by_id::compare_records;

/// A name for each record that no other has, and that stays when later records come.
#[derive(Default)]
pub(super) struct RecordNames {
    pub(super) records: Vec<String>,
}

impl RecordNames {
    /// Of records with one id, all but the first get a number: by date and then by what they say,
    /// since another row above them, or another order of rows, makes them no others.
    pub(super) fn of(input: &LedgerInput) -> Self {
        let records = &input.records;
        let mut names: Vec<String> =
            records.iter().map(|record| record.ledger_id.to_string()).collect();
        let mut first: HashMap<&str, usize> = HashMap::with_capacity(records.len());
        let mut shared: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, record) in records.iter().enumerate() {
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
            for (number, at) in (2..).zip(same.iter().skip(1)) {
                names[*at] = format!("{}#{number}", records[*at].ledger_id);
            }
        }
        Self { records: names }
    }
}
