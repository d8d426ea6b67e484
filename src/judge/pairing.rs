//! Pairs the items of every merchant that names a ledger with its records, as of a date: what
//! the ledger checks select, what the reports show, and what could not be told and why.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use chrono::NaiveDate;

use crate::calendar::Calendar;
use crate::config::Merchant;
use crate::judge::lateness::{late_ledgers, newest_unposted};
use crate::judge::run::{Found, Gap};
use crate::judge::{AsOf, JudgeError, Rules};
use crate::matching::{
    self, BankingDays, LedgerCode, LedgerInput, Matched, RecordState, Row, Subjects, Tally, Terms,
    Totals, findings, ledger_rows, match_merchant,
};
use crate::model::{Finding, LedgerStatus, Listing, MatchRow};
use crate::money::{Currency, Minor};
use crate::report::{ItemTotals, LedgerTotals, Total};
use crate::store::{LedgerFileState, OpenFinding, Store};

/// Merchants that are matched side by side at the most; the machine's cores bound it further.
const THREADS_LIMIT: usize = 8;

/// What the books of a date came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Books {
    pub items: ItemTotals,
    pub ledger: LedgerTotals,
    pub matches: Vec<MatchRow>,
    /// Merchants whose records were matched, and by currency how many of their paid records are
    /// dated the day: in scope, and matched.
    pub days: BTreeMap<String, BTreeMap<&'static str, DayCount>>,
    /// By merchant and subject: the bank transfers that records name which have nothing at the
    /// processor, and that no listing holds.
    pub named: BTreeMap<(String, String), Listing>,
    pub warnings: Vec<String>,
}

/// Paid ledger records of a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DayCount {
    pub records: i64,
    pub matched: i64,
}

/// What matching one merchant came to.
struct MerchantBooks {
    merchant_id: String,
    totals: Totals,
    matches: Vec<MatchRow>,
    findings: Vec<Row>,
    /// `None` when some of the day's records are out of scope because days were not read.
    days: Option<BTreeMap<&'static str, DayCount>>,
    /// Records that are out of scope because a day that they depend on was not read.
    not_read: u64,
    /// The newest day before the business date of an item that no record is matched with.
    unposted: Option<NaiveDate>,
}

impl Rules<'_> {
    /// Matches as of the prepared date: what the books came to, and what the ledger checks find.
    pub(crate) fn match_books(
        &self,
        store: &Store,
        asof: &AsOf,
    ) -> Result<(Books, Found), JudgeError> {
        let named: Vec<&Merchant> =
            self.settings.merchants.iter().filter(|merchant| merchant.ledger.is_some()).collect();
        if named.is_empty() {
            return Ok((Books::default(), Found::default()));
        }
        let files = store.ledger_files()?;
        let unread = self.unread_ledgers(&named, &files);
        let readable: Vec<&Merchant> = named
            .into_iter()
            .filter(|merchant| {
                let id = merchant.id.as_str();
                !unread.iter().any(|gap| gap.code.is_empty() && gap.merchant_id == id)
            })
            .collect();
        let ledgers = readable
            .iter()
            .filter_map(|merchant| Some((merchant.id.to_string(), merchant.ledger.clone()?)))
            .collect();
        let mut inputs = store.ledger_inputs(&ledgers, self.early_day(asof))?;
        let open = store.open_ledger_findings()?;
        let work: Vec<(&Merchant, LedgerInput)> = readable
            .into_iter()
            .filter_map(|merchant| Some((merchant, inputs.remove(merchant.id.as_str())?)))
            .collect();
        let matched =
            side_by_side(work, |(merchant, input)| self.match_one(asof, merchant, input, &open));
        // A ledger that several shards read is counted, and spoken of, by one of them.
        let mut files = files;
        files.retain(|file| {
            self.settings.speaks_for(|one| one.ledger.as_ref() == Some(&file.ledger))
        });
        let mut books = Books { warnings: warnings(&files), ..Books::default() };
        books.ledger.quarantined = Total::of(files.iter().map(|file| file.quarantined).sum());
        let mut found = Found { findings: Vec::new(), gaps: for_each_check(unread) };
        let unposted = matched.iter().filter_map(|one| Some((&*one.merchant_id, one.unposted?)));
        books.warnings.extend(late_ledgers(self.settings, asof, &files, &unposted.collect()));
        let mut totals = Totals::default();
        for merchant in matched {
            add_totals(&mut totals, &merchant.totals);
            books.matches.extend(merchant.matches);
            books.named.extend(merchant.findings.iter().filter_map(|Row { finding, named }| {
                let subject = (finding.merchant_id.clone(), finding.subject.clone());
                Some((subject, named.clone()?))
            }));
            found.findings.extend(merchant.findings.into_iter().map(|row| row.finding));
            if merchant.not_read > 0 {
                books.warnings.push(format!(
                    "{} ledger records of merchant {} are out of scope: days that they could have \
                     settled on were not read completely",
                    merchant.not_read, merchant.merchant_id
                ));
            }
            books.days.extend(merchant.days.map(|days| (merchant.merchant_id, days)));
        }
        state_totals(&mut books, &totals)?;
        Ok((books, found))
    }

    /// The ledger checks that cannot be evaluated, as a ledger could not be read; without a code
    /// every one.
    fn unread_ledgers(&self, merchants: &[&Merchant], files: &[LedgerFileState]) -> BTreeSet<Gap> {
        let mut gaps = BTreeSet::new();
        for ledger in &self.settings.ledgers {
            let own: Vec<&LedgerFileState> =
                files.iter().filter(|file| file.ledger == ledger.name).collect();
            let Some((code, reason)) = unread(&own) else { continue };
            let name = &ledger.name;
            let reason = match reason {
                Some(reason) => format!("ledger \"{name}\": {reason}"),
                None => format!("ledger \"{name}\": no file matches {}", ledger.path.display()),
            };
            let named = merchants.iter().filter(|one| one.ledger.as_ref() == Some(&ledger.name));
            gaps.extend(named.map(|merchant| Gap {
                code: code.to_owned(),
                merchant_id: merchant.id.to_string(),
                reason: reason.clone(),
            }));
        }
        gaps
    }

    fn match_one(
        &self,
        asof: &AsOf,
        merchant: &Merchant,
        mut input: LedgerInput,
        open: &[OpenFinding],
    ) -> MerchantBooks {
        let terms = self.terms(asof, merchant);
        let days = DaysRead::new(self, merchant, &terms, &input.days_read, &input.early_failed);
        let mut not_read = 0;
        for record in &mut input.records {
            record.day_not_read = record.date >= terms.start && !days.are_read(record.date);
            not_read += u64::from(record.day_not_read && record.status == LedgerStatus::Paid);
        }
        let outcome = match_merchant(&input.merchant_input(&terms));
        let merchant_id = merchant.id.as_str();
        let matched = Matched::of(merchant_id, &input, &terms, &outcome);
        let found = findings(&matched.merchant_input(), &outcome);
        let mut rows = ledger_rows(&matched, &found);
        let told: BTreeSet<(&str, String)> = rows
            .iter()
            .map(|row| (row.finding.code.as_str(), row.finding.subject.clone()))
            .collect();
        let is_absent = |one: &&OpenFinding| {
            one.merchant_id == merchant_id
                && !told.contains(&(one.code.as_str(), one.subject.clone()))
        };
        let absent: Vec<&OpenFinding> = open.iter().filter(is_absent).collect();
        rows.extend(not_evaluated(&matched, &absent, &days));
        MerchantBooks {
            matches: matching::matches(&matched),
            days: is_day_counted(&matched).then(|| day_counts(&matched)),
            findings: rows,
            not_read,
            unposted: newest_unposted(&input, &outcome, terms.business_date),
            totals: outcome.totals,
            merchant_id: merchant_id.to_owned(),
        }
    }

    /// The earliest day that is within the window of the start date by the calendar of some
    /// merchant.
    fn early_day(&self, asof: &AsOf) -> NaiveDate {
        let named = self.settings.merchants.iter().filter(|one| one.ledger.is_some());
        let early = named.map(|merchant| {
            let terms = self.terms(asof, merchant);
            let near = |day: &NaiveDate| {
                terms.banking_days.distance(*day, terms.start) <= terms.window_days
            };
            let days = std::iter::successors(Some(terms.start), NaiveDate::pred_opt);
            days.take_while(near).last().unwrap_or(terms.start)
        });
        early.min().unwrap_or(asof.start_date)
    }

    fn terms(&self, asof: &AsOf, merchant: &Merchant) -> Terms {
        let own = merchant.terms;
        let calendar = self.settings.calendar(merchant.calendar);
        Terms {
            start: asof.start_date,
            business_date: asof.business_date,
            window_days: own.window_days,
            tolerance_minor: own.amount_tolerance_minor,
            tolerance_basis_points: own.amount_tolerance_basis_points,
            settle_days: own.settle_days,
            ledger_days: own.ledger_days,
            banking_days: BankingDays::new(
                &calendar,
                asof.start_date,
                asof.business_date,
                own.window_days,
            ),
        }
    }
}

/// What of a ledger could not be read, from its files: the check that this costs, or none for every
/// one, and why; nothing when it is all there.
fn unread(files: &[&LedgerFileState]) -> Option<(&'static str, Option<String>)> {
    let absent = files.iter().find(|file| !file.absent_columns.is_empty());
    if let Some(file) = absent {
        let (path, absent) = (&file.path, &file.absent_columns);
        return Some(("", Some(format!("{path} has no column for {absent}"))));
    }
    let why = |file: &&LedgerFileState| {
        let no_row = || format!("no row of {} could be read", file.path);
        file.error.clone().or_else(|| (file.rows == 0 && file.quarantined > 0).then(no_row))
    };
    let reason = files.iter().find_map(why);
    if files.iter().all(|file| why(file).is_some()) {
        return Some(("", reason));
    }
    // What the unreadable file holds may be what another check would find missing.
    reason.map(|reason| (LedgerCode::MissingInLedger.as_str(), Some(reason)))
}

/// The same gaps with the code of a check in each.
fn for_each_check(gaps: BTreeSet<Gap>) -> Vec<Gap> {
    let every = |gap: Gap| -> Vec<Gap> {
        if !gap.code.is_empty() {
            return vec![gap];
        }
        let codes = LedgerCode::ALL.iter();
        codes.map(|code| Gap { code: code.as_str().to_owned(), ..gap.clone() }).collect()
    };
    gaps.into_iter().flat_map(every).collect()
}

/// Of what is open and was not found: what can no longer be tested, as a day behind it, or behind
/// what it may have been paired with, is not read completely any more. Absence of evidence never
/// clears.
fn not_evaluated(matched: &Matched<'_>, absent: &[&OpenFinding], days: &DaysRead<'_>) -> Vec<Row> {
    let is_any_not_read = matched.input.records.iter().any(|record| record.day_not_read);
    let beside = (is_any_not_read && !absent.is_empty())
        .then(|| (Subjects::of(matched), matched.unknowns()));
    let why = |code: LedgerCode, one: &OpenFinding| {
        let day = one.batch_date?;
        if !days.are_read(day) {
            let merchant_id = matched.merchant_id;
            return Some(format!(
                "what merchant {merchant_id} settled around {day} was not read completely"
            ));
        }
        let (subjects, unknowns) = beside.as_ref()?;
        unknowns.why_still_open(&subjects.about(code, &one.subject))
    };
    let rows = absent.iter().filter_map(|one| {
        let code = LedgerCode::ALL.into_iter().find(|code| code.as_str() == one.code)?;
        let finding = Finding {
            code: code.as_str().to_owned(),
            merchant_id: one.merchant_id.clone(),
            subject: one.subject.clone(),
            batch_date: one.batch_date,
            problem: Some(why(code, one)?),
            ..Finding::default()
        };
        Some(Row { finding, named: None })
    });
    rows.collect()
}

/// Which dates a record or an item can be judged on.
struct DaysRead<'a> {
    calendar: Calendar,
    terms: &'a Terms,
    /// Since the start.
    read: &'a BTreeSet<NaiveDate>,
    /// Before the start, where a day is read only when something needs it.
    early_failed: &'a BTreeSet<NaiveDate>,
    /// For each date since the start.
    by_date: BTreeMap<NaiveDate, bool>,
}

impl<'a> DaysRead<'a> {
    fn new(
        rules: &Rules<'_>,
        merchant: &Merchant,
        terms: &'a Terms,
        read: &'a BTreeSet<NaiveDate>,
        early_failed: &'a BTreeSet<NaiveDate>,
    ) -> Self {
        let calendar = rules.settings.calendar(merchant.calendar);
        let mut days = Self { calendar, terms, read, early_failed, by_date: BTreeMap::new() };
        let dates = terms.start.iter_days().take_while(|date| *date <= terms.business_date);
        days.by_date = dates.map(|date| (date, days.are_read_around(date))).collect();
        days
    }

    fn are_read(&self, date: NaiveDate) -> bool {
        self.by_date.get(&date).copied().unwrap_or_else(|| self.are_read_around(date))
    }

    /// Whether every day was read on which the partner of what is dated `date` could lie: the days
    /// of the window before it, and the days after it until it is due.
    fn are_read_around(&self, date: NaiveDate) -> bool {
        let terms = self.terms;
        let due_days = terms.settle_days.saturating_add(terms.ledger_days);
        let last = self.calendar.due(date, due_days).min(terms.business_date);
        let mut after = date.iter_days().take_while(|day| *day <= last);
        let mut before =
            std::iter::successors(date.pred_opt(), NaiveDate::pred_opt).take_while(|day| {
                *day >= terms.start && terms.banking_days.distance(*day, date) <= terms.window_days
            });
        after.all(|day| self.is_read(day)) && before.all(|day| self.is_read(day))
    }

    /// What is dated before the start is named by an id or an order, however old: any day there
    /// that could not be read may hold it.
    fn is_read(&self, day: NaiveDate) -> bool {
        if day < self.terms.start { self.early_failed.is_empty() } else { self.read.contains(&day) }
    }
}

/// Whether all paid records dated the business date are in scope, as far as days were read.
fn is_day_counted(matched: &Matched<'_>) -> bool {
    !(0..).zip(&matched.input.records).any(|(position, record)| {
        record.date == matched.terms.business_date
            && record.status == LedgerStatus::Paid
            && (record.day_not_read || matched.failed_before(position).is_some())
    })
}

/// The paid records dated the business date, by currency.
fn day_counts(matched: &Matched<'_>) -> BTreeMap<&'static str, DayCount> {
    let mut counts: BTreeMap<&'static str, DayCount> = BTreeMap::new();
    for (record, state) in matched.input.records.iter().zip(&matched.outcome.records) {
        let is_counted = record.date == matched.terms.business_date
            && record.status == LedgerStatus::Paid
            && !record.day_not_read
            && !matches!(state, RecordState::OutOfScope | RecordState::Later);
        if is_counted {
            let count = counts.entry(record.currency.code()).or_default();
            count.records += 1;
            count.matched += i64::from(matches!(state, RecordState::Matched { .. }));
        }
    }
    counts
}

/// What a person should know about the files that were read.
fn warnings(files: &[LedgerFileState]) -> Vec<String> {
    let mut warnings = Vec::new();
    for file in files {
        if let (true, Some(first)) = (file.quarantined > 0, &file.first_fault) {
            let (number, path) = (file.quarantined, &file.path);
            warnings.push(format!(
                "{number} ledger rows were left out of {path}; the first is {first}"
            ));
        }
        if let Some(error) = &file.error {
            warnings.push(format!("ledger \"{}\": {error}", file.ledger));
        }
        if !file.absent_columns.is_empty() {
            let absent = &file.absent_columns;
            warnings.push(format!("{} has no column for {absent}", file.path));
        }
    }
    warnings
}

fn add_totals(sum: &mut Totals, one: &Totals) {
    let parts = [
        (&mut sum.items, &one.items),
        (&mut sum.items_matched, &one.items_matched),
        (&mut sum.items_unmatched, &one.items_unmatched),
        (&mut sum.items_ambiguous, &one.items_ambiguous),
        (&mut sum.records, &one.records),
        (&mut sum.records_matched, &one.records_matched),
        (&mut sum.records_unmatched, &one.records_unmatched),
        (&mut sum.records_ambiguous, &one.records_ambiguous),
        (&mut sum.records_excluded, &one.records_excluded),
        (&mut sum.records_out_of_scope, &one.records_out_of_scope),
    ];
    for (sum, one) in parts {
        sum.count += one.count;
        for (code, amount) in &one.amounts {
            *sum.amounts.entry(code).or_default() += amount;
        }
    }
}

fn state_totals(books: &mut Books, totals: &Totals) -> Result<(), JudgeError> {
    books.items = ItemTotals {
        total: total(&totals.items)?,
        matched: total(&totals.items_matched)?,
        unmatched: total(&totals.items_unmatched)?,
        ambiguous: total(&totals.items_ambiguous)?,
    };
    books.ledger = LedgerTotals {
        total: total(&totals.records)?,
        matched: total(&totals.records_matched)?,
        unmatched: total(&totals.records_unmatched)?,
        ambiguous: total(&totals.records_ambiguous)?,
        excluded: total(&totals.records_excluded)?,
        out_of_scope: total(&totals.records_out_of_scope)?,
        quarantined: std::mem::take(&mut books.ledger.quarantined),
    };
    Ok(())
}

fn total(tally: &Tally) -> Result<Total, JudgeError> {
    let mut total = Total::of(tally.count);
    for (code, sum) in &tally.amounts {
        let amount = i64::try_from(*sum).map_err(|_| {
            JudgeError::NotConserved(format!(
                "the sum of items or ledger records in {code} overflows"
            ))
        })?;
        if let Some(currency) = Currency::from_code(code) {
            total = total.with(currency, Minor(amount));
        }
    }
    Ok(total)
}

/// Does `work` over `inputs` on several cores; the results come in the order of the inputs.
fn side_by_side<I: Send, O: Send>(inputs: Vec<I>, work: impl Fn(I) -> O + Sync) -> Vec<O> {
    let threads = std::thread::available_parallelism()
        .map_or(1, std::num::NonZero::get)
        .min(THREADS_LIMIT)
        .min(inputs.len());
    if threads <= 1 {
        return inputs.into_iter().map(work).collect();
    }
    let waiting = Mutex::new(inputs.into_iter().enumerate());
    let done = Mutex::new(BTreeMap::new());
    let take = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((position, input)) = take() {
                    let output = work(input);
                    done.lock().unwrap_or_else(PoisonError::into_inner).insert(position, output);
                }
            });
        }
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
}
