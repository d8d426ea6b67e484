//! Groups findings by cause: a missing batch shows in its deposit's sales, in the count of its
//! transactions and on the bank statement, and is money once. Two findings have one cause if they
//! name the same record and state the same amount, or amounts that add up to it. All others stay
//! separate, so that no second cause hides behind a first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::totals::{absolute_difference, is_open};
use tieout_model::money::{Currency, Minor};
use tieout_model::{
    Discrepancy, Figure, IdColumn, MerchantId, MoneyPart, ReportedChecks, Severity,
};

/// The only ids that findings about the totals of a day name.
const TOTALS: [IdColumn; 2] = [IdColumn::Batch, IdColumn::Deposit];
/// The ids by which findings about single movements are grouped. They name their batch too, but any
/// other difference in it is another cause.
const MOVEMENTS: [IdColumn; 6] = [
    IdColumn::Authorization,
    IdColumn::Transaction,
    IdColumn::Payment,
    IdColumn::Refund,
    IdColumn::Ledger,
    IdColumn::Dispute,
];

/// A record named by more findings than this groups none of them: no check has so many about one.
const MAX_OF_A_RECORD: usize = 50;

/// An open error or warning, with the others that its cause explains.
#[derive(Clone, Debug)]
pub(super) struct Cause<'a> {
    /// The largest of them: its difference is the money of the cause.
    pub lead: &'a Discrepancy,
    pub others: Vec<&'a Discrepancy>,
}

impl<'a> Cause<'a> {
    /// Its amount without sign; `None` if no finding of it is an amount.
    pub fn total(&self) -> Option<(i128, Currency)> {
        let (amount, currency) = absolute_difference(self.lead).zip(self.lead.currency)?;
        (amount.0 != 0).then_some((i128::from(amount.0), currency))
    }

    /// The sum at the top of a report to which its money belongs.
    pub fn part(&self, checks: &ReportedChecks) -> MoneyPart {
        checks.of(&self.lead.code).claim.of(self.lead.difference.unwrap_or_default())
    }

    /// The highest severity of its findings.
    pub fn severity(&self) -> Severity {
        self.findings().map(|row| row.severity).max().unwrap_or(self.lead.severity)
    }

    /// Whether it is about the set-up.
    pub fn is_setup(&self, checks: &ReportedChecks) -> bool {
        checks.of(&self.lead.code).is_setup
    }

    /// All of its findings, the lead first.
    pub fn findings(&self) -> impl Iterator<Item = &'a Discrepancy> + '_ {
        std::iter::once(self.lead).chain(self.others.iter().copied())
    }
}

/// The causes of the findings open on `end`, in the order in which a person should look at them:
/// the set-up first, since money cannot be judged while it is wrong; then errors before warnings;
/// then by amount within a currency. Amounts of two currencies are never compared.
pub(super) fn causes<'a>(
    rows: &'a [Discrepancy],
    end: NaiveDate,
    checks: &ReportedChecks,
) -> Vec<Cause<'a>> {
    let open = rows.iter().filter(|row| is_open(row, end) && row.severity >= Severity::Warning);
    causes_of(open.collect(), checks)
}

/// The causes of these findings, in the same order.
pub(super) fn causes_of<'a>(
    mut open: Vec<&'a Discrepancy>,
    checks: &ReportedChecks,
) -> Vec<Cause<'a>> {
    open.sort_by_cached_key(|row| (size(row), Reverse(row.severity), &*row.discrepancy_id));
    let named = named(&open);
    let mut is_taken = vec![false; open.len()];
    let mut causes = Vec::new();
    for (position, lead) in open.iter().enumerate() {
        if std::mem::replace(&mut is_taken[position], true) {
            continue;
        }
        let beside = records(lead).filter_map(|record| named.get(&record)).flatten().copied();
        let beside: BTreeSet<usize> = beside.filter(|other| !is_taken[*other]).collect();
        let beside: Vec<(usize, &Discrepancy)> =
            beside.into_iter().map(|other| (other, open[other])).collect();
        let explained = explained(lead, &beside);
        for other in &explained {
            is_taken[*other] = true;
        }
        let others = explained.into_iter().map(|other| open[other]).collect();
        causes.push(Cause { lead, others });
    }
    // The sort is stable: within a severity the order by currency and amount stays.
    causes.sort_by_key(|cause| (!cause.is_setup(checks), Reverse(cause.severity())));
    causes
}

/// Findings without an amount come last; the others by currency, the largest first.
fn size(row: &Discrepancy) -> (bool, &'static str, Reverse<Option<Minor>>) {
    let amount = absolute_difference(row);
    let code = row.currency.filter(|_| amount.is_some()).map_or("", Currency::code);
    (amount.is_none(), code, Reverse(amount))
}

type Record<'a> = (&'a MerchantId, IdColumn, &'a str);

/// The records by which a finding can be grouped with others.
fn records(row: &Discrepancy) -> impl Iterator<Item = Record<'_>> {
    let is_of_movement = MOVEMENTS.iter().any(|column| !row.ids.get(*column).is_empty());
    let columns: &[IdColumn] = if is_of_movement { &MOVEMENTS } else { &TOTALS };
    columns.iter().flat_map(move |column| {
        let ids = row.ids.get(*column).split(';').filter(|id| !id.is_empty());
        ids.map(move |id| (&row.merchant_id, *column, id))
    })
}

fn named<'a>(open: &[&'a Discrepancy]) -> BTreeMap<Record<'a>, Vec<usize>> {
    let mut named: BTreeMap<Record<'_>, Vec<usize>> = BTreeMap::new();
    for (position, row) in open.iter().enumerate() {
        for record in records(row) {
            named.entry(record).or_default().push(position);
        }
    }
    named.retain(|_, rows| rows.len() <= MAX_OF_A_RECORD);
    named
}

/// The findings of `beside`, the largest first, that the cause of `lead` explains. At most one of
/// each check: two findings of one check are two differences.
fn explained(lead: &Discrepancy, beside: &[(usize, &Discrepancy)]) -> Vec<usize> {
    let mut codes = BTreeSet::from([lead.code.as_str()]);
    let mut found = Vec::new();
    let Some(amount) = absolute_difference(lead).map(|amount| i128::from(amount.0)) else {
        return found;
    };
    let of_money: Vec<(usize, &str, i128)> = beside
        .iter()
        .filter(|(_, row)| row.currency == lead.currency)
        .filter_map(|(other, row)| {
            Some((*other, row.code.as_str(), i128::from(absolute_difference(row)?.0)))
        })
        .collect();
    for (other, code, _) in of_money.iter().filter(|(_, _, part)| *part == amount) {
        if codes.insert(code) {
            found.push(*other);
        }
    }
    // A bank line is short by sales less returns: the three findings state two amounts and their
    // sum.
    if let [(one, one_code), (other, other_code)] = parts_of(amount, &of_money, &codes)[..] {
        codes.extend([one_code, other_code]);
        found.extend([one, other]);
    }
    for (other, row) in beside.iter().filter(|(_, row)| row.figure == Figure::Count) {
        if codes.insert(&row.code) {
            found.push(*other);
        }
    }
    found
}

/// The two findings of other checks whose amounts add up to `amount`; none if several pairs do.
fn parts_of<'a>(
    amount: i128,
    of_money: &[(usize, &'a str, i128)],
    codes: &BTreeSet<&str>,
) -> Vec<(usize, &'a str)> {
    let rest: Vec<_> = of_money
        .iter()
        .filter(|(_, code, part)| !codes.contains(code) && *part != 0 && *part != amount)
        .collect();
    let mut pairs = Vec::new();
    for (position, (one, one_code, part)) in rest.iter().enumerate() {
        for (other, other_code, more) in &rest[position + 1..] {
            if part + more == amount && one_code != other_code {
                pairs.push([(*one, *one_code), (*other, *other_code)]);
            }
        }
    }
    match pairs[..] {
        [pair] => pair.to_vec(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample::discrepancy;
    use tieout_model::RecordIds;

    /// A row from its id, check, difference, and ids of deposit, batch and transaction.
    fn row(id: &str, code: &str, difference: i64, ids: [&str; 3]) -> Discrepancy {
        let [deposit, batch, transaction] = ids.map(str::to_owned);
        let ids = RecordIds {
            ach_deposit_id: deposit,
            batch_id: batch,
            transaction_id: transaction,
            ..RecordIds::default()
        };
        let difference = Some(difference);
        Discrepancy { difference, ids, ..discrepancy(id, code, Severity::Error) }
    }

    fn count(id: &str, code: &str, ids: [&str; 3]) -> Discrepancy {
        Discrepancy { figure: Figure::Count, ..row(id, code, 3, ids) }
    }

    fn grouped(rows: &[Discrepancy]) -> Vec<String> {
        let end = "2026-11-20".parse().unwrap();
        let ids = |cause: &Cause<'_>| {
            cause.findings().map(|row| row.discrepancy_id.as_str()).collect::<Vec<_>>().join(" ")
        };
        causes(rows, end, &ReportedChecks::default()).iter().map(ids).collect()
    }

    #[test]
    fn puts_together_what_one_missing_batch_shows_in() {
        let rows = [
            count("count", "DEPOSIT_COUNT", ["9", "1;2", ""]),
            row("bank", "BANK_AMOUNT", -90_000, ["9", "", ""]),
            row("sales", "DEPOSIT_SALES", -100_000, ["9", "1;2", ""]),
            row("returns", "DEPOSIT_RETURNS", -10_000, ["9", "1;2", ""]),
            row("other", "DEPOSIT_FEES", -500, ["9", "", ""]),
        ];
        assert_eq!(grouped(&rows), ["sales bank returns count", "other"]);
    }

    #[test]
    fn leaves_apart_what_may_be_two_differences() {
        // Another merchant, another currency, another record, another amount.
        let elsewhere =
            Discrepancy { merchant_id: "1".into(), ..row("d", "BANK_AMOUNT", -100, ["9", "", ""]) };
        let foreign = Discrepancy {
            currency: Currency::from_code("CAD"),
            ..row("e", "DEPOSIT_NET", -100, ["9", "", ""])
        };
        let rows = [
            row("a", "DEPOSIT_SALES", -100, ["9", "", ""]),
            row("b", "BANK_AMOUNT", -100, ["8", "", ""]),
            row("c", "DEPOSIT_FEES", -99, ["9", "", ""]),
            elsewhere,
            foreign,
        ];
        assert_eq!(grouped(&rows), ["e", "a", "b", "d", "c"]);
        // Two sales of one amount in a batch are two sales, and a difference in the batch's total
        // is not attributed to either.
        let rows = [
            row("a", "MISSING", 100, ["", "1", "7"]),
            row("b", "MISSING", 100, ["", "1", "8"]),
            row("c", "BATCH_SALES", 100, ["", "1", ""]),
            row("d", "DUPLICATE", 100, ["", "1", "8"]),
        ];
        assert_eq!(grouped(&rows), ["a", "b d", "c"]);
        // Two pairs add up: neither is chosen.
        let rows = [
            row("a", "SALES", -100, ["9", "", ""]),
            row("b", "RETURNS", -60, ["9", "", ""]),
            row("c", "FEES", -40, ["9", "", ""]),
            row("d", "BANK", -40, ["9", "", ""]),
        ];
        assert_eq!(grouped(&rows), ["a", "b", "c d"]);
    }

    #[test]
    fn every_finding_stands_under_one_cause() {
        let rows: Vec<Discrepancy> = (0..200_i64)
            .zip(["SALES", "BANK", "COUNT", "NET"].into_iter().cycle())
            .map(|(number, code)| {
                let deposit = (number / 7).to_string();
                let row = row(&format!("{number:03}"), code, number % 5, [&deposit, "", ""]);
                Discrepancy {
                    figure: if code == "COUNT" { Figure::Count } else { Figure::Amount },
                    ..row
                }
            })
            .collect();
        let mut listed: Vec<String> =
            grouped(&rows).iter().flat_map(|ids| ids.split(' ').map(str::to_owned)).collect();
        listed.sort();
        let expected: Vec<String> = (0..200).map(|number| format!("{number:03}")).collect();
        assert_eq!(listed, expected);
    }
}
