//! How a deposit ties out as of a date, regardless of its bank lines: on its payment date and on
//! every later date.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::verdicts::{ids, is_open_trouble};
use super::{Finder, Findings, JudgeError, Registry};
use tieout_model::{
    BankMatchRow, BankVerdict, DepositId, DepositRow, Discrepancy, MerchantId, NotEvaluated,
    TransitRow, Verdict, is_on_the_way,
};
use tieout_store::{DayOutcome, Store, Unjudged, results};

/// The types of `in_transit.csv` that belong to a batch date.
const OF_BATCHES: [&str; 2] = ["batch", "held"];

/// The open discrepancies and the money in transit of a date, as far as they decide the verdict of
/// a deposit of any date.
pub struct Standing<'a> {
    /// Deposits named by an open discrepancy other than a bank check's.
    named: BTreeSet<String>,
    /// Deposits named by an open discrepancy of a bank check; merchants where such a one names no
    /// deposit.
    named_at_bank: BTreeSet<&'a str>,
    /// Merchant, currency and batch date of money in transit.
    on_the_way: BTreeSet<(&'a MerchantId, &'a str, NaiveDate)>,
}

impl<'a> Standing<'a> {
    /// Collects the discrepancies and the money in transit as of the date.
    pub fn of(
        registry: &Registry,
        discrepancies: &'a [Discrepancy],
        in_transit: &'a [TransitRow],
    ) -> Self {
        let open = || discrepancies.iter().filter(|row| is_open_trouble(registry, row));
        let named = open().filter(|row| !is_of_bank(registry, &row.code));
        let at_bank = open().filter(|row| is_of_bank(registry, &row.code));
        let who = |row: &'a Discrepancy| match row.ids.ach_deposit_id.as_str() {
            "" => row.merchant_id.as_str(),
            ids => ids,
        };
        let batches = in_transit.iter().filter(|row| OF_BATCHES.contains(&row.kind.as_str()));
        Self {
            named: named.flat_map(|row| ids(&row.ids.ach_deposit_id)).collect(),
            named_at_bank: at_bank.flat_map(|row| who(row).split(';')).collect(),
            on_the_way: batches
                .filter_map(|row| Some((&row.merchant_id, row.currency?.code(), row.date?)))
                .collect(),
        }
    }

    /// How a deposit of an earlier date ties out. `before` are the not-evaluated entries of its
    /// payment date.
    pub fn verdict(
        &self,
        registry: &Registry,
        paid: &DepositRow,
        before: &[NotEvaluated],
    ) -> Verdict {
        let is_known = paid.verdict != Verdict::NotEvaluated || bank_alone(registry, before, paid);
        let code = paid.currency.map_or("", tieout_model::money::Currency::code);
        let mut dates = paid.pays_for.split(';').filter_map(|date| date.parse().ok());
        match () {
            () if !is_known => Verdict::NotEvaluated,
            () if self.named.contains(&paid.ach_deposit_id.to_string()) => Verdict::Discrepancy,
            () if dates.any(|date| self.on_the_way.contains(&(&paid.merchant_id, code, date))) => {
                Verdict::InTransit
            }
            () => Verdict::Tied,
        }
    }
}

impl Standing<'_> {
    /// The verdict of a row that includes its bank line; `own` is the verdict without it.
    pub fn with_bank(&self, own: Verdict, row: &DepositRow) -> Verdict {
        let is = |verdict: BankVerdict| row.bank_verdict == verdict.as_str();
        let id = row.ach_deposit_id.to_string();
        let is_named = self.named_at_bank.contains(id.as_str())
            || (is(BankVerdict::Missing) && self.named_at_bank.contains(row.merchant_id.as_str()));
        match own {
            Verdict::NotEvaluated => own,
            _ if is(BankVerdict::NotEvaluated) => Verdict::NotEvaluated,
            _ if is_named => Verdict::Discrepancy,
            Verdict::Tied if is_on_the_way(&row.bank_verdict) => Verdict::InTransit,
            _ => own,
        }
    }
}

fn is_of_bank(registry: &Registry, code: &str) -> bool {
    registry.find(code).is_some_and(|check| check.finder == Finder::Bank)
}

/// Whether only bank statements kept a deposit from being evaluated on its payment date. Each date
/// reports the bank's side anew.
fn bank_alone(registry: &Registry, before: &[NotEvaluated], paid: &DepositRow) -> bool {
    let is_own = |entry: &&NotEvaluated| {
        (entry.merchant_id.is_empty() || entry.merchant_id == paid.merchant_id)
            && registry.find(&entry.code).is_some_and(|check| check.names_deposit)
    };
    let mut own = before.iter().filter(is_own).peekable();
    own.peek().is_some() && own.all(|entry| is_of_bank(registry, &entry.code))
}

/// Fills in how each deposit of `outcome.bank_matches` ties out. `paid` are the deposits of the
/// date without their bank columns.
pub fn say(
    registry: &Registry,
    store: &Store,
    findings: &Findings,
    paid: &[Unjudged<DepositRow>],
    outcome: &mut DayOutcome,
) -> Result<(), JudgeError> {
    let own = own_verdicts(registry, findings, paid, outcome);
    let standing = Standing::of(registry, &outcome.discrepancies, &outcome.in_transit);
    let mut verdicts: BTreeMap<DepositId, Verdict> = BTreeMap::new();
    for id in outcome.bank_matches.iter().filter_map(|row| row.ach_deposit_id) {
        if let Some(verdict) = own.get(&id) {
            verdicts.insert(id, *verdict);
        } else if let Some((day, row)) = results::deposit_as_paid(store, id)? {
            let before = results::not_evaluated(store, day)?;
            verdicts.insert(id, standing.verdict(registry, &row, &before));
        }
    }
    // A deposit that no date has judged, because its merchant was added later, was not evaluated.
    let of = |id| verdicts.get(&id).copied().unwrap_or(Verdict::NotEvaluated);
    let say = |row: &mut BankMatchRow| row.deposit_verdict = row.ach_deposit_id.map(of);
    outcome.bank_matches.iter_mut().for_each(say);
    Ok(())
}

/// How the deposits paid on the date tie out.
fn own_verdicts(
    registry: &Registry,
    findings: &Findings,
    paid: &[Unjudged<DepositRow>],
    outcome: &DayOutcome,
) -> BTreeMap<DepositId, Verdict> {
    let standing = Standing::of(registry, &outcome.discrepancies, &outcome.in_transit);
    let is_meant = |code: &str| {
        registry.find(code).is_some_and(|check| check.names_deposit) && !is_of_bank(registry, code)
    };
    let unevaluated: BTreeSet<String> = findings
        .not_evaluated
        .iter()
        .filter(|finding| is_meant(&finding.code))
        .flat_map(|finding| ids(&finding.ids.ach_deposit_id))
        .collect();
    let gaps: BTreeSet<&MerchantId> = findings
        .gaps
        .iter()
        .filter(|gap| is_meant(&gap.code))
        .map(|gap| &gap.merchant_id)
        .collect();
    let verdict = |one: &Unjudged<DepositRow>| {
        let id = one.row.ach_deposit_id.to_string();
        let is_gapped = gaps.contains(MerchantId::NONE) || gaps.contains(&one.row.merchant_id);
        match () {
            () if is_gapped || !one.is_checked || unevaluated.contains(&id) => {
                Verdict::NotEvaluated
            }
            () if standing.named.contains(&id) => Verdict::Discrepancy,
            () if one.is_in_transit => Verdict::InTransit,
            () => Verdict::Tied,
        }
    };
    paid.iter().map(|one| (one.row.ach_deposit_id, verdict(one))).collect()
}
