//! Pairs the deposits of every merchant that names a bank with the lines of its statements, as
//! of a date, and hands what differs to the bank checks. What the statements do not cover is
//! never held against anyone.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Days, NaiveDate};

use crate::calendar::Calendar;
use crate::config::{BankSettings, Merchant};
use crate::import::bank::Span;
use crate::import::statements::merchants_of_bank;
use crate::judge::{AsOf, JudgeError, Rules};
use crate::matching::bank::{self, DepositState, LineState, Outcome};
use crate::money::{Currency, Minor};
use crate::store::{BankFinding, BankGap, BankedDeposit, BankedLine, Store};

const NOT_IN_BANK: &str = "DEPOSIT_NOT_IN_BANK";
const UNKNOWN: &str = "BANK_CREDIT_UNKNOWN";
const MISMATCH: &str = "BANK_AMOUNT_MISMATCH";
const AMBIGUOUS: &str = "BANK_CREDIT_AMBIGUOUS";

/// Calendar days before the start date whose deposits and lines can explain each other: what is
/// left of them is nobody's concern.
const DAYS_BEFORE_START: u64 = 10;

/// A merchant's deposit with what pairing does not look at.
struct Known<'a> {
    merchant: &'a Merchant,
    deposit: BankedDeposit,
    amount: Minor,
    currency: Currency,
    due: NaiveDate,
}

impl Rules<'_> {
    /// Pairs as of the prepared date. Answers with what a person should know about the files.
    pub(crate) fn match_statements(
        &self,
        store: &Store,
        asof: &AsOf,
    ) -> Result<Vec<String>, JudgeError> {
        let mut gaps = BTreeSet::new();
        let mut findings = Vec::new();
        let mut warnings = Vec::new();
        let days_read = store.deposit_days_read()?;
        let nameless = store.nameless_deposits()?;
        for bank in &self.settings.banks {
            let merchants = merchants_of_bank(self.settings, bank);
            if merchants.is_empty() {
                continue;
            }
            let (is_readable, reasons) = note_gaps(store, bank, &merchants, &mut gaps)?;
            warnings.extend(reasons);
            if is_readable {
                let teller = Teller::new(self, store, asof, bank, merchants, &days_read)?;
                findings.extend(teller.findings(store, &nameless)?);
            }
        }
        store.hand_to_bank_checks(&findings, &gaps)?;
        Ok(warnings)
    }
}

/// Notes what of a bank's files could not be read; whether any could, and why the others could
/// not.
fn note_gaps(
    store: &Store,
    bank: &BankSettings,
    merchants: &[&Merchant],
    gaps: &mut BTreeSet<BankGap>,
) -> Result<(bool, Vec<String>), JudgeError> {
    let mut files = store.bank_files()?;
    files.retain(|file| file.bank == bank.name);
    let name = &bank.name;
    let mut reasons = Vec::new();
    for file in &files {
        if let Some(error) = &file.error {
            reasons.push(format!("bank \"{name}\": {error}"));
        } else if file.quarantined > 0 {
            reasons.push(format!(
                "bank \"{name}\": {} lines of {} were left out; the first is {}",
                file.quarantined, file.path, file.first_fault
            ));
        }
    }
    let is_readable = files.iter().any(|file| file.error.is_none());
    if files.is_empty() {
        reasons.push(format!("bank \"{name}\": no file matches {}", bank.path.display()));
    }
    // What was not read may be what a check would find missing.
    let codes: &[&'static str] = if is_readable {
        &[NOT_IN_BANK, MISMATCH]
    } else {
        &[NOT_IN_BANK, UNKNOWN, MISMATCH, AMBIGUOUS]
    };
    if let Some(reason) = reasons.first() {
        for merchant in merchants {
            gaps.extend(codes.iter().map(|&code| BankGap {
                merchant_id: merchant.id.to_string(),
                code,
                reason: reason.clone(),
            }));
        }
    }
    Ok((is_readable, reasons))
}

/// One bank section as of a date.
struct Teller<'a> {
    asof: &'a AsOf,
    bank: &'a BankSettings,
    bank_days: u32,
    merchants: Vec<&'a Merchant>,
    calendars: BTreeMap<&'a str, Calendar>,
    lines: Vec<BankedLine>,
    spans: Vec<Span>,
    days_read: &'a BTreeSet<NaiveDate>,
}

impl<'a> Teller<'a> {
    fn new(
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
        })
    }

    fn due(&self, merchant_id: &str, date: NaiveDate) -> NaiveDate {
        self.calendars[merchant_id].due(date, self.bank_days)
    }

    fn findings(
        &self,
        store: &Store,
        nameless: &[(i64, NaiveDate)],
    ) -> Result<Vec<BankFinding>, JudgeError> {
        let mut known: BTreeMap<&str, Vec<Known<'_>>> = BTreeMap::new();
        let mut findings = Vec::new();
        let mut unclear: BTreeMap<NaiveDate, String> = nameless
            .iter()
            .map(|(id, day)| (*day, format!("deposit {id} names no merchant")))
            .collect();
        for &merchant in &self.merchants {
            for deposit in self.deposits_of(store, merchant)? {
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
            let desk = Desk { teller: self, deposits, lines, unclear, outcome: &outcome };
            findings.extend(desk.findings());
        }
        Ok(findings)
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
    ) -> Option<BankFinding> {
        let is_judged =
            deposit.payment_date >= self.asof.start_date && due <= self.asof.business_date;
        is_judged.then(|| BankFinding {
            code: NOT_IN_BANK,
            merchant_id: merchant.id.to_string(),
            subject: deposit.ach_deposit_id.to_string(),
            batch_date: deposit.association_date,
            ach_deposit_id: deposit.ach_deposit_id.to_string(),
            problem: Some(problem),
            ..BankFinding::default()
        })
    }

    /// The earliest payment date for which a line of `date` is on time.
    fn first_on_time(&self, merchant: &str, date: NaiveDate) -> NaiveDate {
        std::iter::successors(Some(date), NaiveDate::pred_opt)
            .take_while(|day| self.due(merchant, *day) >= date)
            .last()
            .unwrap_or(date)
    }

    /// The first banking day from `first` to `last` that some account's statements leave out.
    fn uncovered(&self, merchant: &str, first: NaiveDate, last: NaiveDate) -> Option<NaiveDate> {
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

fn to_pair(known: &Known<'_>) -> bank::Deposit {
    let (payment_date, (earliest, due)) = (known.deposit.payment_date, reach(known));
    bank::Deposit {
        id: known.deposit.ach_deposit_id,
        merchant_id: known.merchant.id.to_string(),
        earliest,
        payment_date,
        due,
        amount: known.amount.0,
    }
}

fn line_to_pair(line: &BankedLine) -> bank::Line {
    bank::Line {
        key: line.key.clone(),
        date: line.date,
        amount: line.amount.0,
        merchant_id: line.merchant_id.clone(),
    }
}

/// What pairing in one currency came to, as rows for the checks.
struct Desk<'a> {
    teller: &'a Teller<'a>,
    deposits: &'a [Known<'a>],
    lines: &'a [&'a BankedLine],
    /// Days with a deposit that a line may pay and that does not say enough to tell, and why.
    unclear: &'a BTreeMap<NaiveDate, String>,
    outcome: &'a Outcome,
}

impl Desk<'_> {
    fn findings(&self) -> Vec<BankFinding> {
        let mut findings = Vec::new();
        for (at, state) in self.outcome.deposits.iter().enumerate() {
            match *state {
                DepositState::Missing => findings.extend(self.missing(at)),
                DepositState::Differs { line } => findings.extend(self.differs(at, line)),
                DepositState::Paid { .. } | DepositState::Ambiguous { .. } => {}
            }
        }
        for (at, state) in self.outcome.lines.iter().enumerate() {
            if *state == LineState::Unknown {
                findings.extend(self.unknown(at));
            }
        }
        findings.extend(self.outcome.ambiguities.iter().filter_map(|set| self.ambiguous(set)));
        findings
    }

    /// A row about a deposit that is due, when it is one that a run judges.
    fn about(&self, code: &'static str, at: usize) -> Option<BankFinding> {
        let (known, asof) = (&self.deposits[at], self.teller.asof);
        let deposit = &known.deposit;
        if deposit.payment_date < asof.start_date || known.due > asof.business_date {
            return None;
        }
        let merchant = known.merchant.id.as_str();
        let uncovered = self.teller.uncovered(merchant, deposit.payment_date, known.due);
        Some(BankFinding {
            code,
            merchant_id: merchant.to_owned(),
            subject: deposit.ach_deposit_id.to_string(),
            currency: Some(known.currency),
            expected: Some(known.amount.0),
            batch_date: deposit.association_date,
            ach_deposit_id: deposit.ach_deposit_id.to_string(),
            problem: uncovered.map(|day| {
                format!("the statements of bank \"{}\" do not cover {day}", self.teller.bank.name)
            }),
            ..BankFinding::default()
        })
    }

    fn missing(&self, at: usize) -> Option<BankFinding> {
        let known = &self.deposits[at];
        let explanation = format!(
            "Deposit {} of {}, paid on {}, is not on the statements of bank \"{}\", where it was \
             due on {}.",
            known.deposit.ach_deposit_id,
            money(known.amount.0, known.currency),
            known.deposit.payment_date,
            self.teller.bank.name,
            known.due
        );
        let row = self.about(NOT_IN_BANK, at)?;
        // A line that nothing explains may pay it together with deposits that were not read.
        let problem = row.problem.clone().or_else(|| {
            let (first, last) = reach(known);
            let is_open = |(line, state): (&&BankedLine, &LineState)| {
                !matches!(state, LineState::Pays(_)) && (first..=last).contains(&line.date)
            };
            let mut lines = self.lines.iter().zip(&self.outcome.lines);
            if lines.any(is_open) { self.unread_around(known) } else { None }
        });
        Some(BankFinding { actual: Some(0), explanation, problem, ..row })
    }

    fn differs(&self, at: usize, line: usize) -> Option<BankFinding> {
        let (known, line) = (&self.deposits[at], self.lines[line]);
        let explanation = format!(
            "Deposit {} paid {}, but the bank shows {} for it on {} ({}).",
            known.deposit.ach_deposit_id,
            money(known.amount.0, known.currency),
            money(line.amount.0, known.currency),
            line.date,
            place(line)
        );
        let row = self.about(MISMATCH, at)?;
        let problem = row.problem.clone().or_else(|| self.unread_around(known));
        Some(BankFinding { actual: Some(line.amount.0), explanation, problem, ..row })
    }

    /// Why it is not known which other deposits one line could pay together with this one, or in
    /// its place: the deposits of a day were not read.
    fn unread_around(&self, known: &Known<'_>) -> Option<String> {
        let teller = self.teller;
        let merchant = known.merchant.id.as_str();
        let (first, last) = reach(known);
        let earliest = teller.first_on_time(merchant, first).max(teller.asof.start_date);
        self.unread(earliest, last.min(teller.asof.business_date))
    }

    /// Why the deposits paid from `first` to `last` are not all known: those of a day were not
    /// read, or one does not say enough. Neither day lies before the start or after the business
    /// date.
    fn unread(&self, first: NaiveDate, last: NaiveDate) -> Option<String> {
        let mut days = first.iter_days().take_while(|day| *day <= last);
        days.find_map(|day| {
            let is_read = self.teller.days_read.contains(&day);
            let unread =
                (!is_read).then(|| format!("the deposits of {day} were not read completely"));
            unread.or_else(|| self.unclear.get(&day).cloned())
        })
    }

    /// When a line must be explained: a deposit that it came before may still be stated.
    fn line_due(&self, line: &BankedLine) -> NaiveDate {
        self.teller.due(self.merchant_of(line), line.date)
    }

    /// The merchant that the line names, else the first of the bank's.
    fn merchant_of<'l>(&'l self, line: &'l BankedLine) -> &'l str {
        let ids = self.teller.merchants.iter().map(|merchant| merchant.id.as_str());
        line.merchant_id.as_deref().or_else(|| ids.min()).unwrap_or_default()
    }

    fn unknown(&self, at: usize) -> Option<BankFinding> {
        let (line, teller) = (self.lines[at], self.teller);
        let (merchant, due) = (self.merchant_of(line), self.line_due(line));
        if line.date < teller.asof.start_date || due > teller.asof.business_date {
            return None;
        }
        let first = teller.first_on_time(merchant, line.date);
        if first < teller.asof.start_date {
            return None;
        }
        let currency = line.currency;
        Some(BankFinding {
            code: UNKNOWN,
            merchant_id: merchant.to_owned(),
            subject: line.key.clone(),
            currency: Some(currency),
            expected: Some(0),
            actual: Some(line.amount.0),
            batch_date: Some(line.date),
            ach_deposit_id: String::new(),
            explanation: format!(
                "Bank \"{}\" shows {} of the processor on {} ({}), which no deposit explains.",
                teller.bank.name,
                money(line.amount.0, currency),
                line.date,
                place(line)
            ),
            problem: self.unread(first, due),
        })
    }

    fn ambiguous(&self, set: &bank::Ambiguity) -> Option<BankFinding> {
        let asof = self.teller.asof;
        let lines: Vec<&BankedLine> = set.lines.iter().map(|&at| self.lines[at]).collect();
        let deposits: Vec<&Known<'_>> = set.deposits.iter().map(|&at| &self.deposits[at]).collect();
        let due = lines.iter().map(|line| self.line_due(line));
        let due = due.chain(deposits.iter().map(|known| known.due)).min()?;
        let is_in_scope = lines.iter().any(|line| line.date >= asof.start_date)
            && deposits.iter().all(|known| known.deposit.payment_date >= asof.start_date);
        if due > asof.business_date || !is_in_scope {
            return None;
        }
        let first = deposits.iter().min_by_key(|known| known.merchant.id.as_str())?;
        let mut ids: Vec<i64> = deposits.iter().map(|known| known.deposit.ach_deposit_id).collect();
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
        Some(BankFinding {
            code: AMBIGUOUS,
            merchant_id: first.merchant.id.to_string(),
            subject: subject.join(";"),
            currency: Some(first.currency),
            batch_date: lines.iter().map(|line| line.date).min(),
            ach_deposit_id: ids.join(";"),
            explanation: format!(
                "Bank \"{}\" shows {}; that could pay deposits {} in more ways than one.",
                self.teller.bank.name,
                shown.join(", "),
                ids.join(", ")
            ),
            problem,
            ..BankFinding::default()
        })
    }
}

/// The days on which a line can pay the deposit in time.
fn reach(known: &Known<'_>) -> (NaiveDate, NaiveDate) {
    let paid = known.deposit.payment_date;
    (known.deposit.ach_date.unwrap_or(paid).min(paid), known.due)
}

fn money(amount: i64, currency: Currency) -> String {
    format!("{} {currency}", currency.format(Minor(amount)))
}

/// The file's name and the line, whatever folder it lies in on this machine.
fn place(line: &BankedLine) -> &str {
    line.place.rsplit(['/', '\\']).next().unwrap_or(&line.place)
}
