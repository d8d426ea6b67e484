//! The verdict of each deposit, batch and merchant, from what was found and what could not
//! be told.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use chrono::NaiveDate;

use crate::config::Settings;
use crate::judge::Findings;
use crate::judge::pairing::Books;
use crate::judge::record::left_by_acceptance;
use crate::judge::transit::Transit;
use crate::judge::{JudgeError, Registry, Rules};
use crate::model::{
    BatchRow, DepositRow, Discrepancy, DiscrepancyStatus, Figure, Listing, MerchantId,
    NotEvaluated, Resource, Selector, Severity, SummaryRow, Verdict,
};
use crate::money::{Currency, Minor};
use crate::store::{DayOutcome, Store, SummaryFigures, Unjudged};

/// Which deposits and batches are named by what.
pub(crate) struct Judged {
    unevaluated_deposits: HashSet<String>,
    unevaluated_batches: HashSet<String>,
    named_deposits: HashSet<String>,
    named_batches: HashSet<String>,
    /// Merchants for which a check of deposits, of batches could not run; empty: for all.
    deposit_gaps: BTreeSet<String>,
    batch_gaps: BTreeSet<String>,
}

fn ids(column: &str) -> impl Iterator<Item = String> + '_ {
    column.split(';').filter(|id| !id.is_empty()).map(str::to_owned)
}

fn is_open_trouble(stored: &Discrepancy) -> bool {
    stored.status != DiscrepancyStatus::Cleared && stored.severity >= Severity::Warning
}

impl Judged {
    pub(crate) fn new(registry: &Registry, findings: &Findings, outcome: &DayOutcome) -> Self {
        let mut judged = Self {
            unevaluated_deposits: HashSet::new(),
            unevaluated_batches: HashSet::new(),
            named_deposits: HashSet::new(),
            named_batches: HashSet::new(),
            deposit_gaps: BTreeSet::new(),
            batch_gaps: BTreeSet::new(),
        };
        for finding in &findings.not_evaluated {
            let Some(check) = registry.find(&finding.code) else { continue };
            if check.names_deposit {
                judged.unevaluated_deposits.extend(ids(&finding.ids.ach_deposit_id));
            }
            if check.names_batch {
                judged.unevaluated_batches.extend(ids(&finding.ids.batch_id));
            }
        }
        for gap in &findings.gaps {
            let Some(check) = registry.find(&gap.code) else { continue };
            if check.names_deposit {
                judged.deposit_gaps.insert(gap.merchant_id.clone());
            }
            if check.names_batch {
                judged.batch_gaps.insert(gap.merchant_id.clone());
            }
        }
        for stored in outcome.discrepancies.iter().filter(|stored| is_open_trouble(stored)) {
            judged.named_deposits.extend(ids(&stored.ids.ach_deposit_id));
            judged.named_batches.extend(ids(&stored.ids.batch_id));
        }
        judged
    }

    pub(crate) fn deposits(&self, rows: Vec<Unjudged<DepositRow>>) -> Vec<DepositRow> {
        rows.into_iter()
            .map(|unjudged| {
                let id = unjudged.row.ach_deposit_id.to_string();
                let is_unevaluated = self.unevaluated_deposits.contains(&id)
                    || is_gapped(&self.deposit_gaps, &unjudged.row.merchant_id);
                let verdict = verdict(&unjudged, is_unevaluated, self.named_deposits.contains(&id));
                DepositRow { verdict, ..unjudged.row }
            })
            .collect()
    }

    pub(crate) fn batches(&self, rows: Vec<Unjudged<BatchRow>>) -> Vec<BatchRow> {
        rows.into_iter()
            .map(|unjudged| {
                let id = unjudged.row.batch_id.to_string();
                let is_unevaluated = unjudged.is_unread
                    || self.unevaluated_batches.contains(&id)
                    || is_gapped(&self.batch_gaps, &unjudged.row.merchant_id);
                let verdict = verdict(&unjudged, is_unevaluated, self.named_batches.contains(&id));
                BatchRow { verdict, ..unjudged.row }
            })
            .collect()
    }
}

fn is_gapped(gaps: &BTreeSet<String>, merchant_id: &str) -> bool {
    gaps.contains("") || gaps.contains(merchant_id)
}

fn verdict<R>(unjudged: &Unjudged<R>, is_unevaluated: bool, is_named: bool) -> Verdict {
    if is_unevaluated || !unjudged.is_checked {
        Verdict::NotEvaluated
    } else if is_named {
        Verdict::Discrepancy
    } else if unjudged.is_in_transit {
        Verdict::InTransit
    } else {
        Verdict::Tied
    }
}

type Key = (String, Option<Currency>);

/// The rows of `summary.csv`.
pub(crate) fn summary(
    settings: &Settings,
    store: &Store,
    read: &Completeness<'_>,
    opening: &[Discrepancy],
    outcome: &DayOutcome,
    books: &Books,
) -> Result<Vec<SummaryRow>, JudgeError> {
    let figures = store.summary_figures()?;
    let known: BTreeMap<String, Vec<Option<Currency>>> =
        figures.iter().fold(BTreeMap::new(), |mut known, row| {
            known.entry(row.merchant_id.clone()).or_insert_with(Vec::new).push(row.currency);
            known
        });
    // A discrepancy without a currency of its own counts where its merchant's others do.
    let key_of = |stored: &Discrepancy| -> Key {
        let merchant = stored.merchant_id.clone();
        let configured = settings
            .merchant(&MerchantId::from(merchant.as_str()))
            .and_then(|named| named.currency);
        let only = known.get(&merchant).filter(|all| all.len() == 1).and_then(|all| all[0]);
        let currency = stored.currency.or(configured).or(only);
        (merchant, currency)
    };
    let mut rows: BTreeMap<(String, String), SummaryRow> = BTreeMap::new();
    for row in figures {
        let summary = read.row(row, outcome);
        rows.insert(sort_key(&(summary.merchant_id.clone(), summary.currency)), summary);
    }
    for transit in &outcome.in_transit {
        let key = (transit.merchant_id.clone(), transit.currency);
        let row = rows
            .entry(sort_key(&key))
            .or_insert_with(|| read.row(nothing(&key, &transit.merchant_name), outcome));
        row.in_transit_amount = match (row.in_transit_amount, transit.amount) {
            (Some(sum), Some(amount)) => Some(checked(sum.checked_add(amount), "in transit")?),
            _ => None,
        };
    }
    for stored in opening {
        count(&mut rows, read, outcome, &key_of(stored), &stored.merchant_name, |row| {
            row.opening += 1;
        });
    }
    for stored in outcome.discrepancies.iter().filter(|stored| stored.is_carried) {
        let key = key_of(stored);
        let amount = closing_amount(stored, key.1);
        let mut overflow = false;
        count(&mut rows, read, outcome, &key, &stored.merchant_name, |row| {
            match stored.status {
                DiscrepancyStatus::New => row.new += 1,
                DiscrepancyStatus::Open => {}
                DiscrepancyStatus::Cleared => {
                    row.cleared += 1;
                    return;
                }
            }
            row.closing += 1;
            match row.closing_amount.unwrap_or_default().checked_add(amount) {
                Some(sum) => row.closing_amount = row.currency.map(|_| sum),
                None => overflow = true,
            }
        });
        checked((!overflow).then_some(()), "closing")?;
    }
    // An accepted one leaves the list as a cleared one does: a row still adds up.
    for stored in left_by_acceptance(opening, &outcome.accepted) {
        count(&mut rows, read, outcome, &key_of(stored), &stored.merchant_name, |row| {
            row.cleared += 1;
        });
    }
    count_records(&mut rows, read, store, outcome, books)?;
    for stored in outcome.discrepancies.iter().filter(|stored| is_open_trouble(stored)) {
        if let Some(row) = rows.get_mut(&sort_key(&key_of(stored))) {
            row.verdict = row.verdict.min(Verdict::Discrepancy);
        }
    }
    let rows: Vec<SummaryRow> = rows.into_values().collect();
    match rows.iter().find(|row| row.opening + row.new - row.cleared != row.closing) {
        None => Ok(rows),
        Some(row) => Err(JudgeError::NotConserved(format!(
            "merchant {}: opening {} + new {} - cleared {} is not closing {}",
            row.merchant_id, row.opening, row.new, row.cleared, row.closing
        ))),
    }
}

fn checked<T>(value: Option<T>, what: &str) -> Result<T, JudgeError> {
    value.ok_or_else(|| JudgeError::NotConserved(format!("the sum of what is {what} overflows")))
}

/// What a discrepancy adds to the closing amount of its merchant and currency.
fn closing_amount(stored: &Discrepancy, currency: Option<Currency>) -> Minor {
    if stored.figure != Figure::Amount || stored.currency != currency {
        return Minor::default();
    }
    stored.difference.and_then(|difference| Minor(difference).checked_abs()).unwrap_or_default()
}

fn count(
    rows: &mut BTreeMap<(String, String), SummaryRow>,
    read: &Completeness<'_>,
    outcome: &DayOutcome,
    key: &Key,
    name: &str,
    change: impl FnOnce(&mut SummaryRow),
) {
    change(rows.entry(sort_key(key)).or_insert_with(|| read.row(nothing(key, name), outcome)));
}

/// The paid ledger records of the day, of merchants whose records were matched; unknown where
/// the day's own listings are not complete.
fn count_records(
    rows: &mut BTreeMap<(String, String), SummaryRow>,
    read: &Completeness<'_>,
    store: &Store,
    outcome: &DayOutcome,
    books: &Books,
) -> Result<(), JudgeError> {
    let rules = store.merchant_rules()?;
    for (merchant, counts) in books.days.iter().filter(|one| read.has_items(one.0)) {
        let name = rules.get(merchant).map_or("", |rule| rule.0.as_str());
        for (&code, &counted) in counts {
            let key = (merchant.clone(), Currency::from_code(code));
            count(rows, read, outcome, &key, name, |row| {
                row.ledger_records = Some(counted.records);
                row.matched = Some(counted.matched);
            });
        }
    }
    for row in rows.values_mut() {
        if books.days.contains_key(&row.merchant_id) && read.has_items(&row.merchant_id) {
            row.ledger_records = row.ledger_records.or(Some(0));
            row.matched = row.matched.or(Some(0));
        }
    }
    Ok(())
}

fn sort_key((merchant, currency): &Key) -> (String, String) {
    (merchant.clone(), currency.map(Currency::code).unwrap_or_default().to_owned())
}

fn nothing((merchant_id, currency): &Key, merchant_name: &str) -> SummaryFigures {
    SummaryFigures {
        merchant_id: merchant_id.clone(),
        merchant_name: merchant_name.to_owned(),
        currency: *currency,
        deposits: 0,
        deposited_net: Some(Minor::default()),
        batches: 0,
        items: 0,
        items_amount: Some(Minor::default()),
        is_checked: true,
    }
}

/// Which listings of the date are complete: a figure that rests on another one is unknown.
pub(crate) struct Completeness<'run> {
    deposits: bool,
    batches: bool,
    authorizations: bool,
    /// Merchants whose settled and returned bank transfers were not all read.
    unsettled: BTreeSet<String>,
    /// Merchants for which a check of deposits or batches could not run; empty: for all.
    gaps: BTreeSet<String>,
    transit: Transit<'run>,
}

impl<'run> Completeness<'run> {
    pub(crate) fn of(
        rules: &Rules<'run>,
        store: &Store,
        date: NaiveDate,
        judged: &Judged,
    ) -> Result<Self, JudgeError> {
        let dated = |resource| store.is_complete(&Listing::new(resource, Selector::Date(date)));
        let mut unsettled = BTreeSet::new();
        for merchant in &rules.settings.merchants {
            let returned = crate::read::needs::returned(merchant, date);
            // A listed payment can be a return: the payment that came back says so.
            for listing in crate::read::needs::settled(merchant, date).into_iter().chain(returned) {
                if !store.is_complete(&listing)? {
                    unsettled.insert(merchant.id.to_string());
                }
            }
        }
        Ok(Self {
            deposits: dated(Resource::Deposits)?,
            batches: dated(Resource::Batches)?,
            authorizations: dated(Resource::Authorizations)?,
            unsettled,
            gaps: judged.deposit_gaps.union(&judged.batch_gaps).cloned().collect(),
            transit: Transit::of(rules, store, date)?,
        })
    }

    /// What of `in_transit.csv` may be missing, unless that the same check is not evaluated has been
    /// said already.
    pub(crate) fn unread_transit(&self, said: &[NotEvaluated]) -> Vec<NotEvaluated> {
        let is_said = |entry: &&NotEvaluated| {
            said.iter().any(|other| {
                other.code == entry.code
                    && (other.merchant_id.is_empty() || other.merchant_id == entry.merchant_id)
            })
        };
        self.transit.failed().filter(|entry| !is_said(entry)).cloned().collect()
    }

    fn has_items(&self, merchant: &str) -> bool {
        self.authorizations && !self.unsettled.contains(merchant)
    }

    fn row(&self, figures: SummaryFigures, outcome: &DayOutcome) -> SummaryRow {
        let merchant = figures.merchant_id.as_str();
        let has_items = self.has_items(merchant);
        let has_transit = self.transit.is_known(merchant);
        let worst = outcome
            .deposits
            .iter()
            .filter(|row| row.merchant_id == merchant && same(row.currency, figures.currency))
            .map(|row| row.verdict)
            .chain(
                outcome
                    .batches
                    .iter()
                    .filter(|row| {
                        row.merchant_id == merchant && same(row.currency, figures.currency)
                    })
                    .map(|row| row.verdict),
            )
            .min()
            .unwrap_or(Verdict::Tied);
        // Without rows there is no verdict to take: what was not read must not read as tied.
        let is_untold =
            !figures.is_checked || self.gaps.contains("") || self.gaps.contains(merchant);
        SummaryRow {
            deposits: self.deposits.then_some(figures.deposits),
            deposited_net: figures.deposited_net.filter(|_| self.deposits),
            batches: self.batches.then_some(figures.batches),
            items: has_items.then_some(figures.items),
            items_amount: figures.items_amount.filter(|_| has_items),
            ledger_records: None,
            matched: None,
            in_transit_amount: has_transit.then(Minor::default),
            opening: 0,
            new: 0,
            cleared: 0,
            closing: 0,
            closing_amount: figures.currency.map(|_| Minor::default()),
            verdict: if is_untold { Verdict::NotEvaluated } else { worst },
            merchant_id: figures.merchant_id,
            merchant_name: figures.merchant_name,
            currency: figures.currency,
        }
    }
}

/// Rows of an unknown currency belong to every row of their merchant.
fn same(row: Option<Currency>, summary: Option<Currency>) -> bool {
    row.is_none() || summary.is_none() || row == summary
}
