//! The order of rows in each table: a total one, so that the same rows give the same bytes in every
//! input order.

use std::cmp::Ordering;

use tieout_model::money::Currency;
use tieout_model::{
    BankMatchRow, BatchRow, DepositRow, Discrepancy, DisputeRow, MatchRow, SummaryRow, TransitRow,
};

/// By severity (error, warning, info), code, merchant and id.
pub(super) fn discrepancies(rows: &[Discrepancy]) -> Vec<&Discrepancy> {
    sorted(rows, |left, right| {
        // The most severe level is the largest.
        right
            .severity
            .cmp(&left.severity)
            .then_with(|| left.code.cmp(&right.code))
            .then_with(|| left.merchant_id.cmp(&right.merchant_id))
            .then_with(|| left.discrepancy_id.cmp(&right.discrepancy_id))
    })
}

/// By id.
pub(super) fn deposits(rows: &[DepositRow]) -> Vec<&DepositRow> {
    sorted(rows, |left, right| {
        left.ach_deposit_id
            .cmp(&right.ach_deposit_id)
            .then_with(|| left.merchant_id.cmp(&right.merchant_id))
    })
}

/// By id.
pub(super) fn batches(rows: &[BatchRow]) -> Vec<&BatchRow> {
    sorted(rows, |left, right| {
        left.batch_id.cmp(&right.batch_id).then_with(|| left.merchant_id.cmp(&right.merchant_id))
    })
}

/// By type, item and ledger record; equal ledger ids by all other fields.
pub fn compare_matches(left: &MatchRow, right: &MatchRow) -> Ordering {
    let rest =
        |row: &MatchRow| (row.item_date, row.ledger_date, row.item_amount, row.ledger_amount);
    left.item_type
        .cmp(&right.item_type)
        .then_with(|| compare_ids(&left.item_id, &right.item_id))
        .then_with(|| compare_ids(&left.ledger_id, &right.ledger_id))
        .then_with(|| left.merchant_id.cmp(&right.merchant_id))
        .then_with(|| code(Some(left.currency)).cmp(code(Some(right.currency))))
        .then_with(|| rest(left).cmp(&rest(right)))
        .then_with(|| left.pass.cmp(&right.pass))
        .then_with(|| left.order_id.cmp(&right.order_id))
}

/// Sorts the rows of `matches.csv`. They are too many to be sorted for each report, so the store
/// keeps them sorted.
pub fn sort_matches(rows: &mut [MatchRow]) {
    rows.sort_by(compare_matches);
}

/// By deposit, lines without a deposit first; then by their place.
pub(super) fn bank_matches(rows: &[BankMatchRow]) -> Vec<&BankMatchRow> {
    sorted(rows, |left, right| {
        left.ach_deposit_id
            .cmp(&right.ach_deposit_id)
            .then_with(|| left.merchant_id.cmp(&right.merchant_id))
            .then_with(|| left.bank.cmp(&right.bank))
            .then_with(|| left.bank_date.cmp(&right.bank_date))
            .then_with(|| left.bank_file.cmp(&right.bank_file))
            .then_with(|| compare_ids(&left.bank_line, &right.bank_line))
    })
}

/// By id.
pub(super) fn disputes(rows: &[DisputeRow]) -> Vec<&DisputeRow> {
    sorted(rows, |left, right| left.dispute_id.cmp(&right.dispute_id))
}

/// By type and id.
pub(super) fn in_transit(rows: &[TransitRow]) -> Vec<&TransitRow> {
    sorted(rows, |left, right| {
        left.kind
            .cmp(&right.kind)
            .then_with(|| compare_ids(&left.id, &right.id))
            .then_with(|| left.merchant_id.cmp(&right.merchant_id))
            .then_with(|| code(left.currency).cmp(code(right.currency)))
    })
}

/// By merchant and currency, an unknown currency first.
pub(super) fn summary(rows: &[SummaryRow]) -> Vec<&SummaryRow> {
    sorted(rows, |left, right| {
        left.merchant_id
            .cmp(&right.merchant_id)
            .then_with(|| left.merchant_name.cmp(&right.merchant_name))
            .then_with(|| code(left.currency).cmp(code(right.currency)))
    })
}

fn sorted<R>(rows: &[R], compare: impl Fn(&R, &R) -> Ordering) -> Vec<&R> {
    let mut rows: Vec<&R> = rows.iter().collect();
    rows.sort_by(|left, right| compare(left, right));
    rows
}

fn code(currency: Option<Currency>) -> &'static str {
    currency.map_or("", Currency::code)
}

/// All-digit ids by number and before all others; the others as text.
fn compare_ids(left: &str, right: &str) -> Ordering {
    let is_number = |id: &str| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    match (is_number(left), is_number(right)) {
        (true, true) => {
            // Without leading zeros, the longer of two numbers is the larger, at any length.
            let digits = |id: &str| id.trim_start_matches('0').len();
            digits(left)
                .cmp(&digits(right))
                .then_with(|| left.trim_start_matches('0').cmp(right.trim_start_matches('0')))
                .then_with(|| left.cmp(right))
        }
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (false, false) => left.cmp(right),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn puts_numbers_by_their_value_and_words_behind_them() {
        let mut ids = ["B-2", "10", "9", "", "007", "7", "123456789012345678901234567890"];
        ids.sort_by(|left, right| compare_ids(left, right));
        assert_eq!(ids, ["007", "7", "9", "10", "123456789012345678901234567890", "", "B-2"]);
    }

    proptest! {
        #[test]
        fn orders_ids_totally(mut ids in prop::collection::vec("[0-9a]{0,3}", 3)) {
            ids.sort_by(|left, right| compare_ids(left, right));
            for pair in ids.windows(2) {
                prop_assert!(compare_ids(&pair[0], &pair[1]) != Ordering::Greater);
            }
            prop_assert!(compare_ids(&ids[0], &ids[2]) != Ordering::Greater);
        }
    }
}
