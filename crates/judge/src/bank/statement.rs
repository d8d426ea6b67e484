//! The findings from pairing the deposits of one bank and currency with its lines.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use chrono::NaiveDate;

use super::account::Account;
use super::code::BankCode;
use super::fees::Fees;
use tieout_config::Merchant;
use tieout_matching::bank::{self, DepositState, LineState, Outcome};
use tieout_model::money::{Currency, Minor};
use tieout_model::{DepositId, Finding, HINT, MerchantId, RecordIds};
use tieout_store::{BankedDeposit, BankedLine};

/// A shortfall of at most one part in this many of the deposit, or of [`CHARGE_UNITS`] major units,
/// is called the bank's own charge.
const CHARGE_PART: i64 = 100;
const CHARGE_UNITS: i64 = 50;

/// A merchant's deposit with the fields that pairing does not use.
pub(super) struct Known<'a> {
    pub(super) merchant: &'a Merchant,
    pub(super) deposit: BankedDeposit,
    pub(super) amount: Minor,
    pub(super) currency: Currency,
    pub(super) due: NaiveDate,
}

/// The deposits, the lines and the pairs of one currency.
pub(super) struct Statement<'a> {
    pub(super) account: &'a Account<'a>,
    pub(super) deposits: &'a [Known<'a>],
    pub(super) fees: Fees<'a>,
    pub(super) lines: &'a [&'a BankedLine],
    /// Days with a deposit that a line may pay and that lacks data, with the reason.
    pub(super) unclear: &'a BTreeMap<NaiveDate, String>,
    pub(super) outcome: &'a Outcome,
    /// The deposits and lines that are not paired.
    pub(super) open: bank::Open<'a>,
    /// Positions of the deposits that repeat another one, by its id.
    pub(super) twins: BTreeMap<DepositId, Vec<usize>>,
}

impl Statement<'_> {
    pub(super) fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (at, state) in self.outcome.deposits.iter().take(self.deposits.len()).enumerate() {
            match *state {
                DepositState::Missing | DepositState::TakenBack { .. } => {
                    findings
                        .extend(self.missing(at).map(|row| self.with_words_of_missing(at, row)));
                }
                DepositState::Differs { .. } => findings.extend(self.differs(at)),
                DepositState::Paid { .. }
                | DepositState::Together { .. }
                | DepositState::Ambiguous { .. } => {}
            }
        }
        for (at, state) in self.outcome.lines.iter().enumerate() {
            if *state == LineState::Unknown {
                findings.extend(self.unknown(at).map(|row| self.with_words_of_unknown(at, row)));
            }
        }
        findings.extend(self.outcome.ambiguities.iter().filter_map(|set| self.ambiguous(set)));
        findings
    }

    /// The common fields of a finding about a deposit; `None` if it is not due or out of scope.
    fn about(&self, code: BankCode, at: usize) -> Option<Finding> {
        let (known, asof) = (&self.deposits[at], self.account.asof);
        let deposit = &known.deposit;
        if deposit.payment_date < asof.start_date || known.due > asof.business_date {
            return None;
        }
        let merchant = &known.merchant.id;
        let uncovered = self.account.uncovered(merchant, deposit.payment_date, known.due);
        Some(Finding {
            code: code.as_str().to_owned(),
            merchant_id: merchant.clone(),
            subject: deposit.ach_deposit_id.to_string(),
            currency: Some(known.currency),
            expected: Some(known.amount.0),
            batch_date: deposit.association_date,
            ids: of_deposits(deposit.ach_deposit_id.to_string()),
            is_awaited: uncovered.is_some() && self.account.is_awaited(merchant, known.due),
            problem: uncovered.map(|day| {
                let name = &self.account.bank.name;
                format!(
                    "the statements of bank \"{name}\" do not cover {day}{HINT}Put the statement of \
                     {day} among the files of the bank and run the date again."
                )
            }),
            ..Finding::default()
        })
    }

    /// Its explanation is left out: that looks for the nearest lines.
    pub(super) fn missing(&self, at: usize) -> Option<Finding> {
        let known = &self.deposits[at];
        let (merchant, paid) = (&known.merchant.id, known.deposit.payment_date);
        if self.account.missing_from(merchant, paid, known.amount.0)
            > self.account.asof.business_date
        {
            return None;
        }
        let row = self.about(BankCode::DepositNotInBank, at)?;
        // An unexplained line may pay it together with deposits that were not read.
        let problem = row.problem.clone().or_else(|| {
            let (first, last) = reach(known);
            let is_open = |(line, state): (&&BankedLine, &LineState)| {
                !matches!(state, LineState::Pays(_) | LineState::Together { .. })
                    && (first..=last).contains(&line.date)
            };
            let mut lines = self.lines.iter().zip(&self.outcome.lines);
            if lines.any(is_open) { self.unread_around(known) } else { None }
        });
        Some(Finding { actual: Some(0), problem, ..row })
    }

    fn with_words_of_missing(&self, at: usize, row: Finding) -> Finding {
        let known = &self.deposits[at];
        let mut explanation = format!(
            "Deposit {} of {}, paid on {}, is not on the statements of bank \"{}\", where it was \
             due on {}.",
            known.deposit.ach_deposit_id,
            money(known.amount.0, known.currency),
            known.deposit.payment_date,
            self.account.bank.name,
            known.due
        );
        if let DepositState::TakenBack { line } = self.outcome.deposits[at] {
            let line = self.lines[line];
            let _ = write!(
                explanation,
                " The bank debited it back on {} ({}).",
                line.date,
                place(line)
            );
        }
        let near = self.nearest_lines(at);
        explanation.push_str(&near.sentence);
        if let Some(again) = self.sent_again(at) {
            let Known { deposit, .. } = &self.deposits[again];
            let _ = write!(
                explanation,
                " Deposit {} of the same group and amount, paid on {}, seems to pay it again.",
                deposit.ach_deposit_id, deposit.payment_date
            );
        }
        Finding { explanation, also_near: near.others, ..row }
    }

    /// The later deposit of the same group and figures, beyond its batches, that the bank shows;
    /// else the next one of them.
    pub(super) fn sent_again(&self, at: usize) -> Option<usize> {
        let again = self.twins.get(&self.deposits[at].deposit.ach_deposit_id)?;
        let mut shown = again
            .iter()
            .filter_map(|&one| if self.is_shown(one) { Some(one) } else { self.sent_again(one) });
        shown.find(|&one| self.is_shown(one)).or_else(|| again.first().copied())
    }

    pub(super) fn is_shown(&self, at: usize) -> bool {
        let state = &self.outcome.deposits[at];
        matches!(state, DepositState::Paid { .. } | DepositState::Together { .. })
    }

    /// The lines that can only belong to this deposit, alone or all together.
    pub(super) fn lines_of(&self, deposit: usize) -> Vec<usize> {
        let is_of = |state: &LineState| match state {
            LineState::Pays(own) => own.contains(&deposit),
            LineState::Together { set } => self.outcome.together[*set].deposits.contains(&deposit),
            LineState::Differs { deposit: of } => *of == deposit,
            LineState::Unknown | LineState::TakenBack | LineState::Ambiguous { .. } => false,
        };
        let states = self.outcome.lines.iter().enumerate();
        states.filter(|(_, state)| is_of(state)).map(|(at, _)| at).collect()
    }

    pub(super) fn differs(&self, at: usize) -> Option<Finding> {
        let known = &self.deposits[at];
        let lines: Vec<&BankedLine> = self.lines_of(at).iter().map(|&at| self.lines[at]).collect();
        let sum = lines.iter().try_fold(0_i64, |sum, line| sum.checked_add(line.amount.0))?;
        let charge = if is_own_charge(known.amount, Minor(sum), known.currency) {
            " The difference may be the bank's own charge."
        } else {
            ""
        };
        let shown: Vec<String> =
            lines.iter().map(|line| format!("{} ({})", line.date, place(line))).collect();
        let explanation = format!(
            "Deposit {} paid {}, but the bank shows {} for it on {}.{charge}",
            known.deposit.ach_deposit_id,
            money(known.amount.0, known.currency),
            money(sum, known.currency),
            shown.join(" and ")
        );
        let row = self.about(BankCode::AmountMismatch, at)?;
        let problem = row.problem.clone().or_else(|| self.unread_around(known));
        Some(Finding { actual: Some(sum), explanation, problem, ..row })
    }

    /// Why other deposits that a line could pay together with this one, or in its place, are not
    /// all known.
    fn unread_around(&self, known: &Known<'_>) -> Option<String> {
        let account = self.account;
        let merchant = &known.merchant.id;
        let (first, last) = reach(known);
        let earliest = account.first_on_time(merchant, first).max(account.asof.start_date);
        self.unread(earliest, last.min(account.asof.business_date))
    }

    /// Why the deposits paid from `first` to `last` are not all known: those of a day were not
    /// read, or one lacks data. Neither day lies before the start or after the business date.
    fn unread(&self, first: NaiveDate, last: NaiveDate) -> Option<String> {
        let mut days = first.iter_days().take_while(|day| *day <= last);
        days.find_map(|day| {
            let is_read = self.account.days_read.contains(&day);
            let unread =
                (!is_read).then(|| format!("the deposits of {day} were not read completely"));
            unread.or_else(|| self.unclear.get(&day).cloned())
        })
    }

    /// The day by which a line must be explained: the processor may still list its deposit until
    /// then.
    pub(super) fn line_due(&self, line: &BankedLine) -> NaiveDate {
        self.account.due(self.account.merchant_of(line), line.date)
    }

    /// Its explanation is left out: that looks for the nearest deposits.
    pub(super) fn unknown(&self, at: usize) -> Option<Finding> {
        let (line, account) = (self.lines[at], self.account);
        let (merchant, due) = (account.merchant_of(line), self.line_due(line));
        if line.date < account.asof.start_date || due > account.asof.business_date {
            return None;
        }
        let first = account.first_on_time(merchant, line.date);
        if first < account.asof.start_date || self.fees.may_be_in(line) {
            return None;
        }
        let currency = line.currency;
        Some(Finding {
            code: BankCode::CreditUnknown.as_str().to_owned(),
            merchant_id: merchant.clone(),
            subject: line.key.clone(),
            currency: Some(currency),
            expected: Some(0),
            actual: Some(line.amount.0),
            batch_date: Some(line.date),
            problem: self.unread(first, due),
            ..Finding::default()
        })
    }

    fn with_words_of_unknown(&self, at: usize, row: Finding) -> Finding {
        let (line, near) = (self.lines[at], self.nearest_deposits(at));
        let explanation = format!(
            "Bank \"{}\" shows {} of the processor on {} ({}), which no deposit explains.{}",
            self.account.bank.name,
            money(line.amount.0, line.currency),
            line.date,
            place(line),
            near.sentence
        );
        Finding { explanation, also_near: near.others, ..row }
    }

    fn ambiguous(&self, set: &bank::Ambiguity) -> Option<Finding> {
        let asof = self.account.asof;
        let lines: Vec<&BankedLine> = set.lines.iter().map(|&at| self.lines[at]).collect();
        let deposits = set.deposits.iter().filter_map(|&at| self.deposits.get(at));
        let deposits: Vec<&Known<'_>> = deposits.collect();
        let due = lines.iter().map(|line| self.line_due(line));
        let due = due.chain(deposits.iter().map(|known| known.due)).min()?;
        let is_in_scope = lines.iter().any(|line| line.date >= asof.start_date)
            && deposits.iter().all(|known| known.deposit.payment_date >= asof.start_date);
        if due > asof.business_date || !is_in_scope {
            return None;
        }
        let merchants = deposits.iter().map(|known| known.merchant);
        let merchants = merchants.chain(self.fees.at(set.deposits.iter()).map(|one| one.merchant));
        let merchant = merchants.map(|merchant| &merchant.id).min()?;
        let mut ids: Vec<DepositId> =
            deposits.iter().map(|known| known.deposit.ach_deposit_id).collect();
        ids.sort_unstable();
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let problem = deposits.iter().find_map(|known| self.unread_around(known));
        let mut subject: Vec<String> = lines.iter().map(|line| line.key.clone()).collect();
        subject.sort();
        subject.extend(ids.iter().cloned());
        let shown: Vec<String> = lines
            .iter()
            .map(|line| {
                let amount = money(line.amount.0, line.currency);
                format!("{amount} on {} ({})", line.date, place(line))
            })
            .collect();
        Some(Finding {
            code: BankCode::CreditAmbiguous.as_str().to_owned(),
            merchant_id: merchant.clone(),
            subject: subject.join(";"),
            currency: lines.first().map(|line| line.currency),
            batch_date: lines.iter().map(|line| line.date).min(),
            ids: of_deposits(ids.join(";")),
            explanation: format!(
                "Bank \"{}\" shows {}, which could pay {} in several ways.{}",
                self.account.bank.name,
                shown.join(", "),
                self.fees.said_of_set(&set.deposits, &ids),
                self.lacks(&lines, &deposits)
            ),
            problem,
            ..Finding::default()
        })
    }
}

impl Statement<'_> {
    /// The amount that lines lack to the deposits that they could pay, in words, once all are due.
    fn lacks(&self, lines: &[&BankedLine], deposits: &[&Known<'_>]) -> String {
        let is_due = |known: &&Known<'_>| known.due <= self.account.asof.business_date;
        let shown = lines.iter().try_fold(0_i64, |sum, line| sum.checked_add(line.amount.0));
        let sum = deposits.iter().try_fold(0_i64, |sum, one| sum.checked_add(one.amount.0));
        let (Some(shown), Some(sum), Some(first)) = (shown, sum, deposits.first()) else {
            return String::new();
        };
        let lack = sum.checked_sub(shown).filter(|lack| *lack > 0 && deposits.iter().all(is_due));
        let pays = if lines.len() == 1 { "it pays" } else { "they pay" };
        lack.map_or_else(String::new, |lack| {
            format!(
                " Whichever {pays}, {} of their {} is not in the bank.",
                money(lack, first.currency),
                money(sum, first.currency)
            )
        })
    }
}

impl Account<'_> {
    pub(super) fn to_pair(&self, known: &Known<'_>) -> bank::Deposit {
        let (payment_date, (earliest, due)) = (known.deposit.payment_date, reach(known));
        bank::Deposit {
            id: known.deposit.ach_deposit_id.0,
            merchant_id: known.merchant.id.clone(),
            earliest,
            payment_date,
            due,
            sum_until: self.sum_until(&known.merchant.id, payment_date),
            amount: known.amount.0,
            is_fees: false,
        }
    }

    /// `ids` are the deposits by the digest of their id.
    pub(super) fn line_to_pair(
        &self,
        line: &BankedLine,
        ids: &BTreeMap<String, DepositId>,
    ) -> bank::Line {
        bank::Line {
            key: line.key.clone(),
            date: line.date,
            back_from: self.back_from(self.merchant_of(line), line.date),
            amount: line.amount.0,
            merchant_id: line.merchant_id.clone(),
            names: line
                .names
                .split(' ')
                .filter_map(|digest| ids.get(digest).map(|id| id.0))
                .collect(),
        }
    }

    /// The merchant that the line names, else the first of the bank's.
    pub(super) fn merchant_of<'l>(&'l self, line: &'l BankedLine) -> &'l MerchantId {
        let ids = self.merchants.iter().map(|merchant| &merchant.id);
        let named = line.merchant_id.as_ref().filter(|id| self.calendars.contains_key(id));
        named.or_else(|| ids.min()).unwrap_or(MerchantId::NONE)
    }
}

/// The first and last day on which a line can pay the deposit in time.
fn reach(known: &Known<'_>) -> (NaiveDate, NaiveDate) {
    let paid = known.deposit.payment_date;
    (known.deposit.ach_date.unwrap_or(paid).min(paid), known.due)
}

pub(super) fn money(amount: i64, currency: Currency) -> String {
    currency.in_words(Minor(amount))
}

/// The file's name and the line, without the folder, which differs between machines.
pub(super) fn place(line: &BankedLine) -> &str {
    line.place.rsplit(['/', '\\']).next().unwrap_or(&line.place)
}

/// The ids of a finding about deposits, joined.
pub(super) fn of_deposits(ach_deposit_id: String) -> RecordIds {
    RecordIds { ach_deposit_id, ..RecordIds::default() }
}

/// Whether the bank shows slightly less than the deposit.
fn is_own_charge(paid: Minor, shown: Minor, currency: Currency) -> bool {
    let shortfall = paid.0.saturating_sub(shown.0);
    let unit = 10_i64.saturating_pow(currency.exponent());
    let is_small =
        shortfall <= paid.0 / CHARGE_PART || shortfall <= CHARGE_UNITS.saturating_mul(unit);
    paid.0 > 0 && shortfall > 0 && shortfall < paid.0 && is_small
}
