//! The verdict of each deposit, batch and merchant, from the findings and the checks that were not
//! evaluated.

use std::collections::{BTreeSet, HashSet};

use chrono::NaiveDate;

use crate::Findings;
use crate::transit::Transit;
use crate::{JudgeError, Registry, Rules};
use tieout_model::money::{Currency, Minor};
use tieout_model::{
    BatchRow, DepositRow, Discrepancy, DiscrepancyStatus, Listing, MerchantId, NotEvaluated,
    Resource, Selector, Severity, SummaryRow, Verdict,
};
use tieout_store::{DayOutcome, Store, SummaryFigures, Unjudged, listings};

/// The deposits and batches that a discrepancy or a not-evaluated finding names.
pub(crate) struct Judged {
    unevaluated_deposits: HashSet<String>,
    unevaluated_batches: HashSet<String>,
    named_deposits: HashSet<String>,
    named_batches: HashSet<String>,
    /// Merchants for which a check of deposits, or of batches, could not run; the empty id stands
    /// for all.
    deposit_gaps: BTreeSet<MerchantId>,
    batch_gaps: BTreeSet<MerchantId>,
}

pub(super) fn ids(column: &str) -> impl Iterator<Item = String> + '_ {
    column.split(';').filter(|id| !id.is_empty()).map(str::to_owned)
}

pub(crate) fn is_open_trouble(registry: &Registry, stored: &Discrepancy) -> bool {
    stored.status != DiscrepancyStatus::Cleared && is_trouble(registry, stored)
}

/// Whether it is an error or a warning of a check that decides verdicts, open or not.
pub(super) fn is_trouble(registry: &Registry, stored: &Discrepancy) -> bool {
    stored.severity >= Severity::Warning
        && registry.find(&stored.code).is_none_or(|check| check.decides_verdict)
}

impl Judged {
    pub fn new(registry: &Registry, findings: &Findings, outcome: &DayOutcome) -> Self {
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
        let is_trouble = |stored: &&Discrepancy| is_open_trouble(registry, stored);
        for stored in outcome.discrepancies.iter().filter(is_trouble) {
            judged.named_deposits.extend(ids(&stored.ids.ach_deposit_id));
            judged.named_batches.extend(ids(&stored.ids.batch_id));
        }
        judged
    }

    pub fn deposits(&self, rows: Vec<Unjudged<DepositRow>>) -> Vec<DepositRow> {
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

    pub fn batches(&self, rows: Vec<Unjudged<BatchRow>>) -> Vec<BatchRow> {
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

fn is_gapped(gaps: &BTreeSet<MerchantId>, merchant_id: &MerchantId) -> bool {
    gaps.contains(MerchantId::NONE) || gaps.contains(merchant_id)
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

/// Which listings of the date are complete. A figure that rests on an incomplete one is unknown.
pub(crate) struct Completeness<'run> {
    deposits: bool,
    batches: bool,
    authorizations: bool,
    /// Merchants whose settled and returned bank transfers were not all read.
    unsettled: BTreeSet<MerchantId>,
    /// Merchants for which a check of deposits or batches could not run; the empty id stands for
    /// all.
    gaps: BTreeSet<MerchantId>,
    transit: Transit<'run>,
}

impl<'run> Completeness<'run> {
    pub fn of(
        rules: &Rules<'run>,
        store: &Store,
        date: NaiveDate,
        judged: &Judged,
    ) -> Result<Self, JudgeError> {
        let dated =
            |resource| listings::is_complete(store, &Listing::new(resource, Selector::Date(date)));
        let mut unsettled = BTreeSet::new();
        for merchant in &rules.settings.merchants {
            let returned = tieout_read::needs::returned(merchant, date);
            // A listed payment can be a return: only the payment that came back states this.
            for listing in tieout_read::needs::settled(merchant, date).into_iter().chain(returned) {
                if !listings::is_complete(store, &listing)? {
                    unsettled.insert(merchant.id.clone());
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

    /// The entries for money in transit that may be missing, unless `said` already has the same
    /// check for the merchant.
    pub(crate) fn unread_transit(&self, said: &[NotEvaluated]) -> Vec<NotEvaluated> {
        let is_said = |entry: &&NotEvaluated| {
            said.iter().any(|other| {
                other.code == entry.code
                    && (other.merchant_id.is_empty() || other.merchant_id == entry.merchant_id)
            })
        };
        self.transit.failed().filter(|entry| !is_said(entry)).cloned().collect()
    }

    pub(crate) fn has_items(&self, merchant: &MerchantId) -> bool {
        self.authorizations && !self.unsettled.contains(merchant)
    }

    pub fn row(&self, figures: SummaryFigures, outcome: &DayOutcome) -> SummaryRow {
        let merchant = &figures.merchant_id;
        let has_items = self.has_items(merchant);
        let has_transit = self.transit.is_known(merchant);
        let worst = outcome
            .deposits
            .iter()
            .filter(|row| row.merchant_id == *merchant && same(row.currency, figures.currency))
            .map(|row| row.verdict)
            .chain(
                outcome
                    .batches
                    .iter()
                    .filter(|row| {
                        row.merchant_id == *merchant && same(row.currency, figures.currency)
                    })
                    .map(|row| row.verdict),
            )
            .min()
            .unwrap_or(Verdict::Tied);
        // Without rows no verdict exists to take, and unread data must not read as tied.
        let is_untold = !figures.is_checked || is_gapped(&self.gaps, merchant);
        let none = figures.currency.map(|_| Minor::default());
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
            closing_amount: none,
            verdict: if is_untold { Verdict::NotEvaluated } else { worst },
            opening_amount: none,
            new_amount: none,
            cleared_amount: none,
            accepted: Some(0),
            accepted_amount: none,
            on_hold_amount: None,
            overdue_amount: None,
            final_date: None,
            changed_amount: none,
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
