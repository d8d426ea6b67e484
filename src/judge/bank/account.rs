//! One bank section as of a date: its statements, and the deposits of its merchants that must stand
//! on them.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Days, NaiveDate};

use super::code::BankCode;
use super::statement::{Known, Statement, line_to_pair, of_deposits, to_pair};
use crate::calendar::Calendar;
use crate::config::{BankSettings, Merchant};
use crate::import::bank::Span;
use crate::judge::{AsOf, JudgeError, Rules};
use crate::matching::bank;
use crate::model::Finding;
use crate::money::Minor;
use crate::store::{BankedDeposit, BankedLine, Store};

/// Calendar days before the start date whose deposits and lines can explain each other: what is
/// left of them is nobody's concern.
const DAYS_BEFORE_START: u64 = 10;

/// One bank section as of a date.
pub(super) struct Account<'a> {
    pub(super) asof: &'a AsOf,
    pub(super) bank: &'a BankSettings,
    pub(super) bank_days: u32,
    pub(super) merchants: Vec<&'a Merchant>,
    pub(super) calendars: BTreeMap<&'a str, Calendar>,
    pub(super) lines: Vec<BankedLine>,
    pub(super) spans: Vec<Span>,
    pub(super) days_read: &'a BTreeSet<NaiveDate>,
    /// The payment date of each deposit that was looked at.
    paid_on: BTreeMap<String, NaiveDate>,
}

impl<'a> Account<'a> {
    pub(super) fn new(
        rules: &'a Rules<'_>,
        store: &Store,
        asof: &'a AsOf,
        bank: &'a BankSettings,
        merchants: Vec<&'a Merchant>,
        days_read: &'a BTreeSet<NaiveDate>,
    ) -> Result<Self, JudgeError> {
        let calendar = |merchant: &Merchant| rules.settings.calendar(merchant.calendar);
        let calendars =
            merchants.iter().map(|merchant| (merchant.id.as_str(), calendar(merchant))).collect();
        Ok(Self {
            asof,
            bank,
            bank_days: rules.settings.settlement.bank_days,
            merchants,
            calendars,
            lines: store.banked_lines(&bank.name, first_day(asof))?,
            spans: store.bank_spans(&bank.name)?,
            days_read,
            paid_on: BTreeMap::new(),
        })
    }

    pub(super) fn due(&self, merchant_id: &str, date: NaiveDate) -> NaiveDate {
        self.calendars[merchant_id].due(date, self.bank_days)
    }

    pub(super) fn findings(
        &mut self,
        store: &Store,
        nameless: &[(i64, NaiveDate)],
    ) -> Result<Vec<Finding>, JudgeError> {
        let mut known: BTreeMap<&str, Vec<Known<'_>>> = BTreeMap::new();
        let mut findings = Vec::new();
        let mut unclear: BTreeMap<NaiveDate, String> = nameless
            .iter()
            .map(|(id, day)| (*day, format!("deposit {id} names no merchant")))
            .collect();
        for merchant in self.merchants.clone() {
            for deposit in self.deposits_of(store, merchant)? {
                self.paid_on.insert(deposit.ach_deposit_id.to_string(), deposit.payment_date);
                let due = self.due(merchant.id.as_str(), deposit.payment_date);
                match (deposit.is_dated, deposit.net_amount, deposit.currency) {
                    // Nothing has to arrive.
                    (true, Some(Minor(0)), _) => {}
                    (true, Some(amount), Some(currency)) => {
                        let entry = Known { merchant, deposit, amount, currency, due };
                        known.entry(currency.code()).or_default().push(entry);
                    }
                    _ => {
                        let lack = if deposit.is_dated {
                            "has no net amount, or no currency that is known"
                        } else {
                            "names no payment date"
                        };
                        let problem = format!("deposit {} {lack}", deposit.ach_deposit_id);
                        unclear.insert(deposit.payment_date, problem.clone());
                        findings.extend(self.unclear(merchant, &deposit, due, problem));
                    }
                }
            }
        }
        for line in &self.lines {
            known.entry(line.currency.code()).or_default();
        }
        for (code, deposits) in known {
            let lines: Vec<&BankedLine> =
                self.lines.iter().filter(|line| line.currency.code() == code).collect();
            let outcome = bank::pair(
                &deposits.iter().map(to_pair).collect::<Vec<_>>(),
                &lines.iter().map(|line| line_to_pair(line)).collect::<Vec<_>>(),
            );
            let (deposits, lines, unclear) = (&deposits, &lines, &unclear);
            let statement =
                Statement { account: &*self, deposits, lines, unclear, outcome: &outcome };
            findings.extend(statement.findings());
        }
        if self.lines.is_empty() {
            findings = self.without_processor(findings);
        }
        Ok(findings)
    }

    /// No line of the statements names the processor: one finding for each merchant of which
    /// deposits of several payment dates are missing, in place of one for each deposit.
    fn without_processor(&self, findings: Vec<Finding>) -> Vec<Finding> {
        let is_missing = |one: &Finding| {
            one.code == BankCode::DepositNotInBank.as_str() && one.problem.is_none()
        };
        let (missing, mut others): (Vec<Finding>, Vec<Finding>) =
            findings.into_iter().partition(is_missing);
        for merchant in &self.merchants {
            let own: Vec<&Finding> = missing
                .iter()
                .filter(|one| one.merchant_id.as_str() == merchant.id.as_str())
                .collect();
            let dates: BTreeSet<_> = own.iter().map(|one| self.paid_on[&one.subject]).collect();
            match (dates.first(), dates.last()) {
                (Some(first), Some(last)) if first != last => {
                    others.push(self.not_on_statement(merchant, own.len(), (*first, *last)));
                }
                _ => others.extend(own.into_iter().cloned()),
            }
        }
        others
    }

    fn not_on_statement(
        &self,
        merchant: &Merchant,
        deposits: usize,
        (first, last): (NaiveDate, NaiveDate),
    ) -> Finding {
        Finding {
            code: BankCode::ProcessorNotOnStatement.as_str().to_owned(),
            merchant_id: merchant.id.to_string(),
            subject: merchant.id.to_string(),
            batch_date: Some(first),
            explanation: format!(
                "{deposits} deposits paid from {first} to {last} were due, and no line on the \
                 statements of bank \"{}\" names the processor.",
                self.bank.name
            ),
            ..Finding::default()
        }
    }

    fn deposits_of(
        &self,
        store: &Store,
        merchant: &Merchant,
    ) -> Result<Vec<BankedDeposit>, JudgeError> {
        let (id, currency) = (merchant.id.as_str(), merchant.currency);
        Ok(store.banked_deposits(id, currency, first_day(self.asof))?)
    }

    /// A deposit of which it is not known what must arrive, or when.
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
            merchant_id: merchant.id.to_string(),
            subject: deposit.ach_deposit_id.to_string(),
            batch_date: deposit.association_date,
            ids: of_deposits(deposit.ach_deposit_id.to_string()),
            problem: Some(problem),
            ..Finding::default()
        })
    }

    /// The earliest payment date for which a line of `date` is on time.
    pub(super) fn first_on_time(&self, merchant: &str, date: NaiveDate) -> NaiveDate {
        std::iter::successors(Some(date), NaiveDate::pred_opt)
            .take_while(|day| self.due(merchant, *day) >= date)
            .last()
            .unwrap_or(date)
    }

    /// The first banking day from `first` to `last` that some account's statements leave out.
    pub(super) fn uncovered(
        &self,
        merchant: &str,
        first: NaiveDate,
        last: NaiveDate,
    ) -> Option<NaiveDate> {
        let accounts: BTreeSet<&str> =
            self.spans.iter().map(|span| span.account_last4.as_str()).collect();
        let is_covered = |day: NaiveDate| {
            !accounts.is_empty()
                && accounts.iter().all(|account| {
                    self.spans.iter().any(|span| {
                        span.account_last4 == *account && (span.first..=span.last).contains(&day)
                    })
                })
        };
        let calendar = &self.calendars[merchant];
        first
            .iter_days()
            .take_while(|day| *day <= last)
            .find(|day| calendar.is_banking_day(*day) && !is_covered(*day))
    }
}

fn first_day(asof: &AsOf) -> NaiveDate {
    asof.start_date.checked_sub_days(Days::new(DAYS_BEFORE_START)).unwrap_or(asof.start_date)
}
