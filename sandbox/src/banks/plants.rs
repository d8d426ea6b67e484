//! Planted differences between the deposits and the bank statements. Each plant changes, adds or
//! removes lines so that only its own code is found there.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use super::format::share_out;
use super::line::{Line, clean, text};
use crate::plants::Expected;
use crate::random::Random;
use crate::world::records::{AtBank, Deposit, Records};
use crate::world::{WorldError, WorldOptions};

/// The codes that can be planted in statements, the most demanding first.
pub const PLANT_CODES: [&str; 4] =
    ["BANK_CREDIT_AMBIGUOUS", "BANK_AMOUNT_MISMATCH", "DEPOSIT_NOT_IN_BANK", "BANK_CREDIT_UNKNOWN"];

/// Plants of newer rules, which are planted only when named.
pub const NEWER_PLANTS: [&str; 1] = ["PROCESSOR_NOT_ON_STATEMENT"];

/// A name of the processor on statements that the configuration does not list.
const OTHER_NAME: &str = "NORTHSTAR ACQ 7741 SETTLEMENT";

const NEEDS: &str = "deposits of a configured merchant that are paid and due in the range";

/// The differences from clean statements.
#[derive(Clone, Debug, Default)]
pub struct Spoiled {
    /// Deposits whose clean lines are left out.
    removed: BTreeSet<i64>,
    added: Vec<Line>,
    /// Merchants whose lines never name the processor.
    unnamed: BTreeSet<usize>,
}

impl Spoiled {
    /// Checks whether a plant has changed anything.
    pub fn is_any(&self) -> bool {
        !(self.removed.is_empty() && self.added.is_empty() && self.unnamed.is_empty())
    }

    /// The lines of an account with the plants, oldest first.
    pub fn lines(
        &self,
        options: &WorldOptions,
        records: &Records,
        merchants: &[usize],
    ) -> Vec<Line> {
        let mut lines: Vec<Line> =
            merchants.iter().flat_map(|merchant| clean(options, records, *merchant)).collect();
        for line in &mut lines {
            if self.unnamed.contains(&line.merchant) && !line.deposits.is_empty() {
                OTHER_NAME.clone_into(&mut line.text);
            }
        }
        lines.retain(|line| !line.deposits.iter().any(|id| self.removed.contains(id)));
        let added = self.added.iter().filter(|line| merchants.contains(&line.merchant));
        lines.extend(added.cloned());
        lines.sort_by_key(|line| (line.date, line.merchant, line.amount));
        lines
    }
}

/// Plants the codes of `options` that concern the banks, and returns the expected findings.
///
/// # Errors
/// When there is no place for a plant.
pub fn plant(
    options: &WorldOptions,
    records: &Records,
) -> Result<(Spoiled, Vec<Expected>), WorldError> {
    let mut forger = Forger {
        options,
        records,
        random: Random::new(options.seed, &[9]),
        lines: Vec::new(),
        used: BTreeSet::new(),
        spoiled: Spoiled::default(),
        expected: Vec::new(),
    };
    let wanted = |code: &str| options.plants.iter().filter(|planted| *planted == code).count();
    let codes = || NEWER_PLANTS.into_iter().chain(PLANT_CODES);
    if codes().any(|code| wanted(code) > 0) {
        for (at, _) in records.merchants.iter().enumerate().filter(|(_, one)| one.is_configured) {
            forger.lines.extend(clean(options, records, at));
        }
        // A line of another amount beside a deposit that another plant keeps off the statements
        // would be that deposit.
        for deposit in records.deposits.iter().filter(|one| one.at_bank != AtBank::Shown) {
            forger.mark(deposit.merchant, deposit.payment_date);
        }
    }
    for code in codes() {
        for nth in 0..wanted(code) {
            let done = match code {
                "PROCESSOR_NOT_ON_STATEMENT" => forger.unnamed(),
                "BANK_CREDIT_AMBIGUOUS" => forger.ambiguous(),
                "BANK_AMOUNT_MISMATCH" => forger.amount(),
                "DEPOSIT_NOT_IN_BANK" => forger.missing(nth),
                _ => forger.unknown(),
            };
            done.ok_or(WorldError::DoesNotFit {
                code,
                from: options.from,
                to: options.to,
                needs: NEEDS,
            })?;
        }
    }
    Ok((forger.spoiled, forger.expected))
}

struct Forger<'w> {
    options: &'w WorldOptions,
    records: &'w Records,
    random: Random,
    /// The clean lines of all configured merchants.
    lines: Vec<Line>,
    /// Merchant-days near a plant.
    used: BTreeSet<(usize, NaiveDate)>,
    spoiled: Spoiled,
    expected: Vec<Expected>,
}

impl Forger<'_> {
    /// The deposit does not arrive; every second one arrives a day late.
    fn missing(&mut self, nth: usize) -> Option<()> {
        let is_late = nth % 2 == 1;
        // A deposit below zero is missed later: until then a later deposit may carry it.
        let (line, deposit) =
            self.take(if is_late { 2 } else { 1 }, |_, one| one.net_amount > 0)?;
        let due = self.records.due(line.merchant, deposit.payment_date, 1);
        let late = self.records.due(line.merchant, deposit.payment_date, 2);
        let expected =
            self.about("DEPOSIT_NOT_IN_BANK", &deposit, due).with_figures(deposit.net_amount, 0);
        self.expected.push(Expected { last_seen: is_late.then_some(late), ..expected });
        self.spoiled.removed.insert(deposit.id);
        if is_late {
            self.spoiled.added.push(Line { date: late, ..line });
        }
        Some(())
    }

    /// No line names the processor. Until deposits of two dates are due, each deposit is missing on
    /// its own.
    fn unnamed(&mut self) -> Option<()> {
        let accounts = share_out(self.options.seed, self.records);
        let mut found: Vec<(usize, Vec<Deposit>)> = Vec::new();
        for merchant in accounts.iter().filter_map(|(_, merchants)| match merchants[..] {
            [only] => Some(only),
            _ => None,
        }) {
            let mut paid: Vec<Deposit> = self
                .records
                .deposits
                .iter()
                // A deposit below zero waits: a later one may carry it.
                .filter(|one| one.merchant == merchant && one.net_amount > 0)
                .filter(|one| one.payment_date >= self.options.from)
                .cloned()
                .collect();
            paid.sort_by_key(|one| (one.payment_date, one.id));
            if paid.iter().all(|one| one.at_bank == AtBank::Shown) {
                found.push((merchant, paid));
            }
        }
        found.retain(|(merchant, paid)| {
            let first = paid.first().map(|one| one.payment_date);
            let second = paid.iter().find(|one| Some(one.payment_date) > first);
            let is_due = second.is_some_and(|second| {
                self.records.due(*merchant, second.payment_date, 1) <= self.options.to
            });
            let early = paid.iter().filter(|one| Some(one.payment_date) == first);
            is_due && early.clone().all(|one| one.net_amount > 0)
        });
        let (merchant, paid) = self.random.pick(&found)?;
        let due = |one: &Deposit| self.records.due(merchant, one.payment_date, 1);
        let first = paid.first()?.payment_date;
        // Two payment dates tell, or lines of the other name with the amounts of two deposits.
        let second = paid.iter().find(|one| one.payment_date > first)?;
        let is_alone = |one: &&Deposit| {
            self.lines.iter().any(|line| line.merchant == merchant && line.deposits == [one.id])
        };
        let seen = paid
            .iter()
            .filter(is_alone)
            .nth(1)
            .map_or(due(second), |one| due(one).min(due(second)));
        for deposit in paid.iter().filter(|one| due(one) < seen) {
            let entry = self.about("DEPOSIT_NOT_IN_BANK", deposit, due(deposit));
            let entry = entry.with_figures(deposit.net_amount, 0);
            self.expected.push(Expected { last_seen: Some(seen), ..entry });
        }
        let about = self.about("PROCESSOR_NOT_ON_STATEMENT", paid.first()?, seen);
        let due = paid.iter().filter(|one| due(one) <= seen);
        let about = about.with_figures(due.map(|one| one.net_amount).sum(), 0);
        self.expected.push(Expected { ach_deposit_id: String::new(), ..about });
        for date in self.options.from.iter_days().take_while(|date| *date <= self.options.to) {
            self.used.insert((merchant, date));
        }
        self.spoiled.unnamed.insert(merchant);
        Some(())
    }

    /// The bank shows a smaller amount than was paid, on a line that could pay no other deposit.
    fn amount(&mut self) -> Option<()> {
        // A deposit below zero without a line of its own is a carried balance.
        let is_alone = |forger: &Self, deposit: &Deposit| {
            let mut others = forger.records.deposits.iter().filter(|one| one.id != deposit.id);
            deposit.net_amount > 0 && !others.any(|one| forger.is_open(one, deposit))
        };
        let (line, deposit) = self.take(1, is_alone)?;
        let less = line.amount - line.amount.signum() * self.random.amount(1, 99);
        let due = self.records.due(line.merchant, deposit.payment_date, 1);
        let expected = self.about("BANK_AMOUNT_MISMATCH", &deposit, due);
        self.expected.push(expected.with_figures(deposit.net_amount, less));
        self.spoiled.removed.insert(deposit.id);
        // On a shared account deposits of the others may be open.
        let text = format!("{} {}", line.text, self.records.merchants[line.merchant].id);
        self.spoiled.added.push(Line { amount: less, text, ..line });
        Some(())
    }

    /// Whether a smaller line on the day of this deposit could pay the merchant's other one, which no
    /// line shows by the day on which this one is due.
    fn is_open(&self, other: &Deposit, deposit: &Deposit) -> bool {
        let date = deposit.payment_date;
        let due = |one: &Deposit| self.records.due(one.merchant, one.payment_date, 1);
        let pays = |line: &Line| line.deposits.contains(&other.id) && line.date <= due(deposit);
        // Of what is paid later, only a deduction makes the line smaller.
        let is_paid_later = other.payment_date > date && other.net_amount > 0;
        other.merchant == deposit.merchant
            && other.ach_date.min(other.payment_date) <= date
            && date <= due(other)
            && !is_paid_later
            && !self.lines.iter().any(pays)
    }

    /// A line of the processor that no deposit explains.
    fn unknown(&mut self) -> Option<()> {
        let (line, deposit) = self.take(1, |_, _| true)?;
        // A line of the first banking day may pay a deposit from before the start.
        let date = deposit.payment_date;
        let amount = 90_000_000 + self.random.amount(1, 900_000);
        let text = text(&mut self.random, self.records, line.merchant);
        let due = self.records.due(line.merchant, date, 1);
        let expected = self.about("BANK_CREDIT_UNKNOWN", &deposit, due).with_figures(0, amount);
        self.expected.push(Expected { ach_deposit_id: String::new(), ..expected });
        // On a shared account the line's merchant is known only when the text names it.
        let text = format!("{text} {}", self.records.merchants[line.merchant].id);
        self.spoiled.added.push(Line { deposits: Vec::new(), date, amount, text, ..line });
        Some(())
    }

    /// Two lines that could each pay two of three deposits, and both need the middle deposit.
    fn ambiguous(&mut self) -> Option<()> {
        let mut found = Vec::new();
        for (line, on_its_day) in self.lines.iter().filter_map(|line| self.single(line)) {
            let date = on_its_day.payment_date;
            let three = self.payable(line.merchant, date);
            let Some((three, _)) = three.split_first_chunk::<3>() else { continue };
            // Until the last is paid, the lines have at most one choice, and none may be missing.
            let due = |one: &Deposit| self.records.due(line.merchant, one.payment_date, 1);
            let last = three.iter().map(|one| one.payment_date).max();
            if last <= three.iter().map(due).min() {
                found.push((line, three.clone()));
            }
        }
        let (line, mut three) = self.random.pick(&found)?;
        // Whole days are tried before other sums, and consecutive dates before separate ones: the
        // middle deposit has a day of its own, so that neither sum is preferred.
        three.sort_by_key(|deposit| deposit.payment_date);
        if three[0].payment_date == three[1].payment_date {
            three.swap(1, 2);
        } else if three[1].payment_date == three[2].payment_date {
            three.swap(0, 1);
        }
        for deposit in &three {
            self.mark(line.merchant, deposit.payment_date);
            self.spoiled.removed.insert(deposit.id);
        }
        let amount = |at: usize| three[at].net_amount;
        for amount in [amount(0) + amount(1), amount(1) + amount(2)] {
            let text = text(&mut self.random, self.records, line.merchant);
            let text = format!("{text} {}", self.records.merchants[line.merchant].id);
            self.spoiled.added.push(Line { deposits: Vec::new(), amount, text, ..line.clone() });
        }
        let mut ids: Vec<i64> = three.iter().map(|deposit| deposit.id).collect();
        ids.sort_unstable();
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let due = |one: &Deposit| self.records.due(line.merchant, one.payment_date, 1);
        let first_seen = three.iter().map(due).min()?;
        let expected = self.about("BANK_CREDIT_AMBIGUOUS", &three[0], first_seen);
        self.expected.push(Expected { ach_deposit_id: ids.join(";"), ..expected });
        Some(())
    }

    /// Deposits that a line of `date` could pay on time, each with a different amount and with a
    /// line of its own that can be removed.
    fn payable(&self, merchant: usize, date: NaiveDate) -> Vec<Deposit> {
        let mut amounts = BTreeSet::new();
        let mut found: Vec<Deposit> = self
            .records
            .deposits
            .iter()
            .filter(|deposit| {
                let days = deposit.ach_date.min(deposit.payment_date)
                    ..=self.records.due(merchant, deposit.payment_date, 1);
                deposit.merchant == merchant
                    && deposit.net_amount > 1_000
                    && days.contains(&date)
                    && (self.options.from..=self.options.to).contains(&deposit.payment_date)
                    && self.records.due(merchant, deposit.payment_date, 1) <= self.options.to
                    && self.is_free(merchant, deposit.payment_date)
                    && self.lines.iter().any(|line| line.deposits == [deposit.id])
            })
            .cloned()
            .collect();
        found.retain(|deposit| amounts.insert(deposit.net_amount));
        found
    }

    /// The line's only deposit, when it arrives on its day and is judged.
    fn single(&self, line: &Line) -> Option<(Line, Deposit)> {
        let [id] = line.deposits[..] else { return None };
        let deposit = self.records.deposits.iter().find(|deposit| deposit.id == id)?;
        let is_plain = line.date == deposit.payment_date
            // The first banking day is left to deposits from before the start.
            && deposit.payment_date >= self.records.due(line.merchant, self.options.from, 1)
            && line.amount.abs() > 1_000;
        is_plain.then(|| (line.clone(), deposit.clone()))
    }

    /// A line that pays one deposit, on a day after which at least `days` banking days are left in
    /// the range.
    fn take(
        &mut self,
        days: u32,
        fits: impl Fn(&Self, &Deposit) -> bool,
    ) -> Option<(Line, Deposit)> {
        let fitting: Vec<(Line, Deposit)> = self
            .lines
            .iter()
            .filter_map(|line| self.single(line))
            .filter(|(line, deposit)| {
                self.records.due(line.merchant, deposit.payment_date, days) <= self.options.to
                    && self.is_free(line.merchant, deposit.payment_date)
                    && fits(self, deposit)
            })
            .collect();
        let (line, deposit) = self.random.pick(&fitting)?;
        self.mark(line.merchant, deposit.payment_date);
        Some((line, deposit))
    }

    fn is_free(&self, merchant: usize, day: NaiveDate) -> bool {
        !self.used.contains(&(merchant, day))
    }

    /// Keeps other plants of the merchant at least a banking day away on either side.
    fn mark(&mut self, merchant: usize, day: NaiveDate) {
        let next = self.records.due(merchant, day, 1);
        let before = std::iter::successors(day.pred_opt(), NaiveDate::pred_opt)
            .find(|before| self.records.due(merchant, *before, 1) < day)
            .unwrap_or(day);
        let days = before.iter_days().skip(1).take_while(|day| *day <= next);
        self.used.extend(days.map(|day| (merchant, day)));
    }

    /// The key's entry about a deposit, without figures.
    fn about(&self, code: &str, deposit: &Deposit, first_seen: NaiveDate) -> Expected {
        let merchant = &self.records.merchants[deposit.merchant];
        let about = Expected::about(code, merchant, first_seen);
        Expected { ach_deposit_id: deposit.id.to_string(), ..about }
    }
}
