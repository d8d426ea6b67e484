//! The deposits of one bank's merchants that must appear on its statements.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::account::{Account, first_day};
use super::code::BankCode;
use super::fees::{self, Fees, MonthFees};
use super::standing::{self, of_deposit, of_statement};
use super::statement::{Known, Statement, of_deposits};
use crate::JudgeError;
use crate::adjustments::NotCredited;
use tieout_config::Merchant;
use tieout_matching::bank;
use tieout_model::money::Minor;
use tieout_model::{BankMatchRow, BankStanding, BankVerdict, Finding};
use tieout_model::{DepositId, MerchantId, number_digest};
use tieout_store::{BankedDeposit, BankedLine, Store, banks};

/// The result of pairing one bank's statements.
#[derive(Default)]
pub(super) struct Banked {
    pub(super) findings: Vec<Finding>,
    /// The payment date of each deposit, by its id.
    pub(super) paid_on: BTreeMap<String, NaiveDate>,
    pub(super) rows: Vec<BankMatchRow>,
    /// Deposits that did not arrive and that the processor sent again, with whether the bank shows
    /// the later deposit.
    pub(super) resent: BTreeMap<DepositId, bool>,
    /// Deposits that did not arrive and that no equal deposit of their group repeats.
    pub(super) not_credited: Vec<NotCredited>,
    /// The months, by their last days, whose fees a line took.
    pub(super) fees_taken: Vec<(MerchantId, NaiveDate)>,
    /// The state of every deposit and line, and of days that were not read.
    pub(super) standing: Vec<BankStanding>,
}

/// The deposits and lines of one bank after pairing, before anything is said of them.
pub(super) struct Paired<'a> {
    pub(super) account: &'a Account<'a>,
    pub(super) of_currencies: Vec<OfCurrency<'a>>,
    /// Days with a deposit that lacks data, with the reason.
    unclear: BTreeMap<NaiveDate, String>,
    /// The results for these deposits.
    banked: Banked,
}

/// The deposits and lines of one currency.
#[derive(Default)]
pub(super) struct OfCurrency<'a> {
    pub(super) deposits: Vec<Known<'a>>,
    fees: Vec<MonthFees<'a>>,
    pub(super) lines: Vec<&'a BankedLine>,
    /// Deposits, followed by fees, and lines in the form that pairing takes.
    given: (Vec<bank::Deposit>, Vec<bank::Line>),
    pub(super) outcome: bank::Outcome,
}

impl Paired<'_> {
    /// The findings, rows and states. `is_whole` is true if every file of the bank was read.
    pub(super) fn banked(self, is_whole: bool) -> Banked {
        let Self { account, of_currencies, unclear, mut banked } = self;
        for one in &of_currencies {
            let statement = Statement {
                account,
                deposits: &one.deposits,
                fees: Fees { months: &one.fees, deposits: one.deposits.len() },
                lines: &one.lines,
                unclear: &unclear,
                outcome: &one.outcome,
                open: bank::Open::new((&one.given.0, &one.given.1), &one.outcome),
                twins: twins(&one.deposits),
            };
            banked.findings.extend(statement.findings());
            banked.rows.extend(statement.rows(is_whole));
            banked.standing.extend(of_statement(&statement, is_whole));
            let (resent, not_credited) = statement.not_arrived();
            banked.resent.extend(resent);
            banked.not_credited.extend(not_credited);
            banked.fees_taken.extend(statement.fees.taken(&one.outcome, &one.lines));
        }
        banked.standing.extend(standing::gaps(account, &unclear));
        banked
    }
}

impl<'a> Account<'a> {
    /// Pairs deposits and lines of every currency.
    pub(super) fn paired(
        &'a self,
        store: &Store,
        nameless: &[(DepositId, NaiveDate)],
    ) -> Result<Paired<'a>, JudgeError> {
        let mut known: BTreeMap<&str, OfCurrency<'a>> = BTreeMap::new();
        let mut banked = Banked::default();
        let mut unclear = without_merchant(nameless);
        for merchant in self.merchants.iter().copied() {
            for deposit in self.deposits_of(store, merchant)? {
                banked.paid_on.insert(deposit.ach_deposit_id.to_string(), deposit.payment_date);
                let due = self.due(&merchant.id, deposit.payment_date);
                match (deposit.is_dated, deposit.net_amount, deposit.currency) {
                    // A deposit of zero is not expected at the bank.
                    (true, Some(Minor(0)), _) => {}
                    (true, Some(amount), Some(currency)) => {
                        let entry = Known { merchant, deposit, amount, currency, due };
                        known.entry(currency.code()).or_default().deposits.push(entry);
                    }
                    _ => {
                        let lack = if deposit.is_dated {
                            "has no net amount, or no currency that is known"
                        } else {
                            "names no payment date"
                        };
                        let problem = format!("deposit {} {lack}", deposit.ach_deposit_id);
                        unclear.insert(deposit.payment_date, problem.clone());
                        self.not_told(merchant, &deposit, due, problem, &mut banked);
                    }
                }
            }
        }
        for fees in fees::of_account(self, store)? {
            known.entry(fees.currency.code()).or_default().fees.push(fees);
        }
        for line in &self.lines {
            known.entry(line.currency.code()).or_default().lines.push(line);
        }
        let ids = digests_of(known.values().flat_map(|one| &one.deposits));
        for one in known.values_mut() {
            let deposits = one.deposits.iter().map(|known| self.to_pair(known));
            let fees = (1..).zip(&one.fees).map(|(number, own)| fees::to_pair(number, own));
            one.given = (
                deposits.chain(fees).collect(),
                one.lines.iter().map(|line| self.line_to_pair(line, &ids)).collect(),
            );
            one.outcome = bank::pair(&one.given.0, &one.given.1);
        }
        let of_currencies = known.into_values().collect();
        Ok(Paired { account: self, of_currencies, unclear, banked })
    }

    /// Adds the row, the state and the finding of a deposit that lacks data.
    fn not_told(
        &self,
        merchant: &Merchant,
        deposit: &BankedDeposit,
        due: NaiveDate,
        problem: String,
        banked: &mut Banked,
    ) {
        let row = self.unclear_row(merchant, deposit, due);
        if deposit.payment_date >= self.asof.start_date {
            banked.standing.push(of_deposit(row.clone()));
        }
        banked.rows.extend(Some(row).filter(|row| self.is_shown(row, deposit.payment_date)));
        banked.findings.extend(self.unclear(merchant, deposit, due, problem));
    }

    /// The rows and states of the deposits of a bank whose files could not be read.
    pub(super) fn unread(
        &self,
        store: &Store,
    ) -> Result<(Vec<BankMatchRow>, Vec<BankStanding>), JudgeError> {
        let (mut rows, mut standing) = (Vec::new(), standing::gaps(self, &BTreeMap::new()));
        for merchant in self.merchants.iter().copied() {
            for deposit in self.deposits_of(store, merchant)? {
                let due = self.due(&merchant.id, deposit.payment_date);
                let row = self.unclear_row(merchant, &deposit, due);
                if deposit.payment_date >= self.asof.start_date {
                    standing.push(of_deposit(row.clone()));
                }
                rows.extend(Some(row).filter(|row| self.is_shown(row, deposit.payment_date)));
            }
        }
        Ok((rows, standing))
    }

    /// Whether the row's deposit is paid or due on the date.
    fn is_shown(&self, row: &BankMatchRow, paid: NaiveDate) -> bool {
        let date = self.asof.business_date;
        paid == date || row.due_date == Some(date)
    }

    fn unclear_row(
        &self,
        merchant: &Merchant,
        deposit: &BankedDeposit,
        due: NaiveDate,
    ) -> BankMatchRow {
        BankMatchRow {
            ach_deposit_id: Some(deposit.ach_deposit_id),
            merchant_id: merchant.id.clone(),
            currency: deposit.currency,
            payment_date: Some(deposit.payment_date).filter(|_| deposit.is_dated),
            due_date: Some(due),
            net_amount: deposit.net_amount,
            bank: self.bank.name.clone(),
            verdict: BankVerdict::NotEvaluated.as_str().to_owned(),
            ..BankMatchRow::default()
        }
    }

    fn deposits_of(
        &self,
        store: &Store,
        merchant: &Merchant,
    ) -> Result<Vec<BankedDeposit>, JudgeError> {
        let (id, currency) = (&merchant.id, merchant.currency);
        Ok(banks::deposits(store, id, currency, first_day(self.asof))?)
    }

    /// A not-evaluated finding for a deposit whose amount or date is unknown.
    fn unclear(
        &self,
        merchant: &Merchant,
        deposit: &BankedDeposit,
        due: NaiveDate,
        problem: String,
    ) -> Option<Finding> {
        let is_judged =
            deposit.payment_date >= self.asof.start_date && due <= self.asof.business_date;
        is_judged.then(|| Finding {
            code: BankCode::DepositNotInBank.as_str().to_owned(),
            merchant_id: merchant.id.clone(),
            subject: deposit.ach_deposit_id.to_string(),
            batch_date: deposit.association_date,
            ids: of_deposits(deposit.ach_deposit_id.to_string()),
            problem: Some(problem),
            ..Finding::default()
        })
    }
}

/// Positions of the deposits that repeat another one, by its id.
fn twins(deposits: &[Known<'_>]) -> BTreeMap<DepositId, Vec<usize>> {
    let mut twins: BTreeMap<DepositId, Vec<usize>> = BTreeMap::new();
    for (at, one) in deposits.iter().enumerate() {
        if let Some(first) = one.deposit.twin_of {
            twins.entry(first).or_default().push(at);
        }
    }
    twins
}

/// A reason for each day with a deposit that names no merchant.
fn without_merchant(nameless: &[(DepositId, NaiveDate)]) -> BTreeMap<NaiveDate, String> {
    let words =
        |(id, day): &(DepositId, NaiveDate)| (*day, format!("deposit {id} names no merchant"));
    nameless.iter().map(words).collect()
}

/// The deposits by the digest of their id, under which a line may name them.
fn digests_of<'a>(deposits: impl Iterator<Item = &'a Known<'a>>) -> BTreeMap<String, DepositId> {
    let ids = deposits.map(|one| one.deposit.ach_deposit_id);
    ids.map(|id| (number_digest(&id.to_string()), id)).collect()
}
