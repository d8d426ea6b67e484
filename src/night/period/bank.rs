//! The state at the banks as of the end of a period: the verdict of each deposit, and the bridge
//! from the paid deposits to the lines of the statements.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use crate::night::NightError;
use tieout_model::money::{Currency, Minor};
use tieout_model::{
    BankBridgeRow, BankStanding, BankVerdict, BridgeStep, CARRIED, MerchantId, PAYS, PAYS_FEES,
    StandingKind, TAKEN_BACK, is_on_the_way,
};

/// The dates of the period that the bridge covers.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub first: NaiveDate,
    /// The last reconciled date.
    pub last: NaiveDate,
}

impl Span {
    fn holds(self, day: Option<NaiveDate>) -> bool {
        day.is_some_and(|day| (self.first..=self.last).contains(&day))
    }
}

/// The bridges of all banks as of the end of `span`; `names` are the merchants' names by id.
///
/// # Errors
/// When a sum overflows, or a bridge does not add up.
pub(super) fn bridges(
    standing: &[BankStanding],
    span: Span,
    names: &BTreeMap<MerchantId, String>,
) -> Result<Vec<BankBridgeRow>, NightError> {
    let banks: BTreeSet<&str> = standing.iter().map(|one| one.bank.as_str()).collect();
    let mut rows = Vec::new();
    for bank in banks {
        let own: Vec<&BankStanding> = standing.iter().filter(|one| one.bank == bank).collect();
        let open = cannot_be_closed(&own, span);
        if !open.is_empty() {
            rows.extend(open);
            continue;
        }
        let mut codes: BTreeMap<&str, Currency> = BTreeMap::new();
        codes.extend(own.iter().filter_map(|one| one.currency).map(|one| (one.code(), one)));
        for currency in codes.into_values() {
            let of = |kind: StandingKind| {
                let is_own =
                    move |one: &&BankStanding| one.kind == kind && one.currency == Some(currency);
                own.iter().copied().filter(is_own)
            };
            let deposits = of(StandingKind::Deposit).map(|one| (one.id.as_str(), one)).collect();
            let lines = of(StandingKind::Line).collect();
            rows.extend(Bridge { span, deposits, lines }.rows()?);
        }
    }
    for row in &mut rows {
        row.merchant_name = names.get(&row.merchant_id).cloned().unwrap_or_default();
    }
    rows.sort_by(|one, other| sort_key(one).cmp(&sort_key(other)));
    Ok(rows)
}

type SortKey<'a> = (&'a str, &'a str, BridgeStep, Option<NaiveDate>, &'a str, &'a str, &'a str);

fn sort_key(row: &BankBridgeRow) -> SortKey<'_> {
    let code = row.currency.map_or("", Currency::code);
    (&row.bank, code, row.step, row.date, &row.ach_deposit_id, &row.place, &row.note)
}

/// The days of the span that were not read, and its deposits and lines that could not be evaluated.
fn cannot_be_closed(own: &[&BankStanding], span: Span) -> Vec<BankBridgeRow> {
    let not_evaluated = BankVerdict::NotEvaluated.as_str();
    let mut open = Vec::new();
    for one in own {
        let is_within = one.day.is_none() || span.holds(one.day);
        let is_meant = is_within && (one.kind == StandingKind::Gap || one.verdict == not_evaluated);
        let note = match one.kind {
            _ if !is_meant => continue,
            StandingKind::Gap => one.place.clone(),
            StandingKind::Deposit => format!("deposit {} could not be evaluated", one.id),
            StandingKind::Line => format!("a line could not be evaluated: {}", one.place),
        };
        open.push(BankBridgeRow { amount: None, note, ..row(one, BridgeStep::CannotBeClosed) });
    }
    open
}

fn row(one: &BankStanding, step: BridgeStep) -> BankBridgeRow {
    let is_deposit = one.kind == StandingKind::Deposit;
    BankBridgeRow {
        bank: one.bank.clone(),
        currency: one.currency,
        step,
        merchant_id: one.merchant_id.clone(),
        merchant_name: String::new(),
        ach_deposit_id: if is_deposit { one.id.clone() } else { one.ach_deposit_id.clone() },
        date: one.day,
        due_date: one.due_date,
        amount: None,
        place: if one.kind == StandingKind::Line { one.place.clone() } else { String::new() },
        note: String::new(),
    }
}

/// The amounts of a deposit's lines, before the period and in it.
#[derive(Clone, Copy, Default)]
struct Shown {
    is_any: bool,
    before: i64,
    within: i64,
}

/// The bridge of one bank and currency.
struct Bridge<'a> {
    span: Span,
    /// By id.
    deposits: BTreeMap<&'a str, &'a BankStanding>,
    lines: Vec<&'a BankStanding>,
}

impl<'a> Bridge<'a> {
    fn rows(&self) -> Result<Vec<BankBridgeRow>, NightError> {
        let mut rows = Vec::new();
        let shown = self.shown(&mut rows)?;
        for deposit in self.deposits.values() {
            let shown = shown.get(deposit.id.as_str()).copied().unwrap_or_default();
            self.add_deposit(deposit, shown, &mut rows)?;
        }
        for line in self.lines.iter().filter(|line| self.span.holds(line.day)) {
            let amount = line.amount.map_or(0, |amount| amount.0);
            let step = match line.verdict.as_str() {
                _ if !self.paid_by(line).is_empty() => None,
                PAYS_FEES => Some(BridgeStep::Fees),
                TAKEN_BACK => Some(BridgeStep::TakenBack),
                verdict if verdict == BankVerdict::Ambiguous.as_str() => {
                    Some(BridgeStep::AmbiguousLine)
                }
                verdict if verdict == BankVerdict::Due.as_str() => Some(BridgeStep::LineNotDue),
                _ => Some(BridgeStep::UnexplainedLine),
            };
            rows.extend(step.map(|step| with(row(line, step), amount)));
            rows.push(with(row(line, BridgeStep::Statement), amount));
        }
        let sums = |is_meant: fn(BridgeStep) -> bool| -> i128 {
            let meant = rows.iter().filter(|row| is_meant(row.step));
            meant.filter_map(|row| row.amount).map(|amount| i128::from(amount.0)).sum()
        };
        let (steps, statement) = (
            sums(|step| step != BridgeStep::Statement),
            sums(|step| step == BridgeStep::Statement),
        );
        match rows.first() {
            Some(first) if steps != statement => {
                let note = "its deposits do not add up to its lines".to_owned();
                let step = BridgeStep::CannotBeClosed;
                Ok(vec![BankBridgeRow { step, amount: None, note, ..first.clone() }])
            }
            _ => Ok(rows),
        }
    }

    /// The deposits that a line pays.
    fn paid_by(&self, line: &'a BankStanding) -> Vec<&'a str> {
        line.ach_deposit_id.split(';').filter(|id| self.deposits.contains_key(id)).collect()
    }

    /// The amounts of the lines by deposit. A line for several deposits gives each its own amount;
    /// the difference of the line from their sum is a row of its own.
    fn shown(&self, rows: &mut Vec<BankBridgeRow>) -> Result<BTreeMap<&'a str, Shown>, NightError> {
        let mut shown: BTreeMap<&str, Shown> = BTreeMap::new();
        for line in &self.lines {
            let Some(amount) = line.amount else { continue };
            let ids = self.paid_by(line);
            if ids.is_empty() {
                continue;
            }
            let mut rest = amount.0;
            for id in &ids {
                let own = self.deposits[id].amount.map_or(0, |amount| amount.0);
                let is_whole = ids.len() == 1 && line.verdict != PAYS_FEES;
                let share = if is_whole { amount.0 } else { own };
                rest = less(rest, share)?;
                let of = shown.entry(*id).or_default();
                of.is_any = true;
                let is_before = line.day.is_some_and(|day| day < self.span.first);
                let sum = if is_before { &mut of.before } else { &mut of.within };
                *sum = plus(*sum, share)?;
            }
            if rest == 0 || !self.span.holds(line.day) {
                continue;
            }
            match line.verdict.as_str() {
                PAYS_FEES => rows.push(with(row(line, BridgeStep::Fees), rest)),
                PAYS => {
                    let note = "the line and its deposits differ".to_owned();
                    let differs = with(row(line, BridgeStep::AmountDiffers), rest);
                    rows.push(BankBridgeRow { note, ..differs });
                }
                _ => {}
            }
        }
        Ok(shown)
    }

    fn add_deposit(
        &self,
        deposit: &BankStanding,
        shown: Shown,
        rows: &mut Vec<BankBridgeRow>,
    ) -> Result<(), NightError> {
        let (Some(Minor(net)), Some(day)) = (deposit.amount, deposit.day) else { return Ok(()) };
        let Span { first, last } = self.span;
        let Shown { is_any, before, within } = shown;
        let is_over = before != 0 && within == 0;
        // An earlier deposit that could not be evaluated has no part in the lines of the period.
        let is_unknown = !is_any && deposit.verdict == BankVerdict::NotEvaluated.as_str();
        if day > last || (day < first && (is_over || is_unknown)) {
            return Ok(());
        }
        if day >= first {
            rows.push(with(row(deposit, BridgeStep::Paid), net));
            if before != 0 {
                rows.push(with(row(deposit, BridgeStep::CreditedBefore), less(0, before)?));
            }
        } else {
            let is_overdue = deposit.due_date.is_some_and(|due| due < first);
            let step =
                if is_overdue { BridgeStep::OverdueAtStart } else { BridgeStep::OnTheWayAtStart };
            rows.push(with(row(deposit, step), less(net, before)?));
        }
        let left = less(less(net, before)?, within)?;
        if left == 0 {
            return Ok(());
        }
        let step = match deposit.verdict.as_str() {
            _ if is_any => BridgeStep::AmountDiffers,
            CARRIED => BridgeStep::Carried,
            verdict if is_on_the_way(verdict) => BridgeStep::OnTheWayAtEnd,
            verdict if verdict == BankVerdict::Ambiguous.as_str() => BridgeStep::AmbiguousDeposit,
            _ => BridgeStep::OverdueAtEnd,
        };
        rows.push(with(row(deposit, step), less(0, left)?));
        Ok(())
    }
}

fn with(row: BankBridgeRow, amount: i64) -> BankBridgeRow {
    BankBridgeRow { amount: Some(Minor(amount)), ..row }
}

fn plus(one: i64, other: i64) -> Result<i64, NightError> {
    one.checked_add(other).ok_or_else(overflow)
}

fn less(one: i64, other: i64) -> Result<i64, NightError> {
    one.checked_sub(other).ok_or_else(overflow)
}

fn overflow() -> NightError {
    NightError::NotConserved("a sum of bank lines in a period overflows".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: StandingKind, id: &str, amount: i64, verdict: &str) -> BankStanding {
        BankStanding {
            bank: "operating".to_owned(),
            kind,
            id: id.to_owned(),
            currency: Currency::from_code("USD"),
            day: NaiveDate::from_ymd_opt(2026, 11, 4),
            amount: Some(Minor(amount)),
            verdict: verdict.to_owned(),
            ..BankStanding::default()
        }
    }

    #[test]
    fn fees_are_a_step_of_their_own() {
        let paid = "9".to_owned();
        let credit = of(StandingKind::Line, "a", 27_110, PAYS_FEES);
        let standing = [
            of(StandingKind::Deposit, "9", 30_000, "found"),
            BankStanding { ach_deposit_id: paid, ..credit },
            of(StandingKind::Line, "b", -1_500, PAYS_FEES),
        ];
        let day = standing[0].day.unwrap();
        let rows = bridges(&standing, Span { first: day, last: day }, &BTreeMap::new()).unwrap();
        let told: Vec<(BridgeStep, i64)> =
            rows.iter().map(|row| (row.step, row.amount.unwrap().0)).collect();
        let expected = [
            (BridgeStep::Paid, 30_000),
            (BridgeStep::Fees, -1_500),
            (BridgeStep::Fees, -2_890),
            (BridgeStep::Statement, -1_500),
            (BridgeStep::Statement, 27_110),
        ];
        assert_eq!(told, expected);
    }
}
