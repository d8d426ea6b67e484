//! The deposits of a period as of its last reconciled date: their state at the bank, and how they
//! tie out.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use tieout_judge::Registry;
use tieout_judge::standing::Standing;
use tieout_model::money::{Currency, Minor};
use tieout_model::{
    BankStanding, CARRIED, DepositId, DepositRow, Discrepancy, MerchantId, NotEvaluated,
    StandingKind, TransitRow, Verdict,
};

/// The results of a period's last reconciled date that concern deposits of any date.
pub(super) struct End<'a> {
    pub registry: &'a Registry,
    pub date: NaiveDate,
    pub discrepancies: &'a [Discrepancy],
    pub accepted: &'a [Discrepancy],
    pub in_transit: &'a [TransitRow],
    pub at_banks: &'a [BankStanding],
    /// The checks that were not evaluated, by date.
    pub not_evaluated: &'a BTreeMap<NaiveDate, Vec<NotEvaluated>>,
}

impl End<'_> {
    /// Brings `deposits` up to the date; each comes with its payment date.
    pub fn bring_up(&self, deposits: &mut [(NaiveDate, DepositRow)]) {
        let standing = Standing::of(self.registry, self.discrepancies, self.in_transit);
        let deposits_only = |one: &&BankStanding| one.kind == StandingKind::Deposit;
        let at_banks: BTreeMap<&str, &BankStanding> =
            self.at_banks.iter().filter(deposits_only).map(|one| (one.id.as_str(), one)).collect();
        let accepted: BTreeSet<&str> =
            self.accepted.iter().flat_map(|row| row.ids.ach_deposit_id.split(';')).collect();
        for (_, row) in superseded(deposits) {
            row.unexplained = None;
        }
        for (day, row) in deposits.iter_mut().filter(|one| one.0 < self.date) {
            let id = row.ach_deposit_id.to_string();
            let before = self.not_evaluated.get(day).map_or(&[][..], Vec::as_slice);
            let own = standing.verdict(self.registry, row, before);
            if let Some(at_bank) = at_banks.get(id.as_str()) {
                show(row, at_bank);
            }
            // A deposit whose discrepancy was cleared ties out.
            let is_cleared = row.verdict == Verdict::Discrepancy && own == Verdict::Tied;
            if is_cleared && row.unexplained.is_some() && !accepted.contains(id.as_str()) {
                row.unexplained = Some(Minor(0));
            }
            row.verdict = standing.with_bank(own, row);
        }
    }
}

/// Shows the state at the bank; a carried balance has none to show.
fn show(row: &mut DepositRow, at_bank: &BankStanding) {
    row.bank_date = at_bank.bank_date;
    row.bank_amount = at_bank.bank_amount;
    row.bank_verdict.clone_from(&at_bank.verdict);
    if at_bank.verdict == CARRIED {
        row.bank_verdict.clear();
    }
}

/// Deposits that were followed by another one for one of their batch dates; the later one states
/// the unexplained amount of the whole group.
fn superseded(
    deposits: &mut [(NaiveDate, DepositRow)],
) -> impl Iterator<Item = &mut (NaiveDate, DepositRow)> {
    let mut last: BTreeMap<(MerchantId, &str, String), (NaiveDate, DepositId)> = BTreeMap::new();
    for (day, row) in deposits.iter() {
        for key in groups(row) {
            let newest = last.entry(key).or_insert((*day, row.ach_deposit_id));
            *newest = (*newest).max((*day, row.ach_deposit_id));
        }
    }
    deposits.iter_mut().filter(move |(day, row)| {
        groups(row).any(|key| last.get(&key).is_some_and(|one| *one > (*day, row.ach_deposit_id)))
    })
}

fn groups(row: &DepositRow) -> impl Iterator<Item = (MerchantId, &'static str, String)> + '_ {
    let code = row.currency.map_or("", Currency::code);
    let dates = row.pays_for.split(';').filter(|date| !date.is_empty());
    dates.map(move |date| (row.merchant_id.clone(), code, date.to_owned()))
}
