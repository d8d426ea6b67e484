//! Reconciles one date: reads again what is open, judges, reads again what differs, judges
//! once more, and joins the findings with what was open before.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use crate::config::Settings;
use crate::judge::AsOf;
use crate::judge::Findings;
use crate::judge::Lifecycle;
use crate::judge::compare_with_the_past;
use crate::judge::continue_lives;
use crate::judge::discrepancy_id;
use crate::judge::evaluate;
use crate::judge::pairing::Books;
use crate::judge::prepare;
use crate::judge::record::{self, Roll};
use crate::judge::verdicts;
use crate::matching::LedgerCode;
use crate::model::{
    Discrepancy, DiscrepancyStatus, Finding, GroupKey, IdColumn, Listing, MatchRow, MerchantId,
    NotEvaluated, RecordIds,
};
use crate::night::Job;
use crate::night::JobError;
use crate::read::Fetcher;
use crate::read::follow_links;
use crate::read::needs;
use crate::read::reread;
use crate::report::RecordTotals;
use crate::store::{DayOutcome, FailedRead, Store};

/// Rounds of reading once more before what is found is reported: each can only follow from the
/// one before it, and figures have no more levels than these.
const CONFIRMATION_LIMIT: usize = 4;

/// The check whose ledger records may name a bank transfer that no listing holds.
const MISSING_AT_PROCESSOR: &str = LedgerCode::MissingAtProcessor.as_str();

/// What the checks and the books of a date say.
pub(crate) struct Judgement {
    pub findings: Findings,
    pub books: Books,
}

/// What a reconciliation of a date says, before it is kept.
pub(crate) struct Reconciled {
    pub outcome: DayOutcome,
    /// The pairs to report; they are many, and kept apart.
    pub matches: Vec<MatchRow>,
    /// What was found in closed dates and is reported here.
    pub priors: Vec<Discrepancy>,
}

impl Job<'_> {
    /// What `date` comes to. With a fetcher, what is open and what differs is read once more.
    /// With `takes_waiting` it reports what was found in closed dates and waits for an open one.
    pub(crate) async fn reconcile(
        &self,
        store: &Store,
        fetcher: Option<&Fetcher<'_>>,
        date: NaiveDate,
        takes_waiting: bool,
    ) -> Result<Reconciled, JobError> {
        let asof = as_of(store, date)?;
        let listed = Listed::of(store, self.settings, &asof, takes_waiting)?;
        if fetcher.is_none() && !store.was_fetched(date)? {
            return Err(JobError::NeverFetched { business_date: date });
        }
        let mut judgement = match fetcher {
            Some(fetcher) => self.confirmed(store, fetcher, &asof, &listed).await?,
            None => self.judge(store, &asof, &listed)?,
        };
        let failed = store.failed_reads(date)?;
        let unread = self.unread_names(store, &judgement, &failed)?;
        let untested = set_aside_unreadable(&mut judgement.findings, &listed, &failed, &unread);
        let records = record::records(store, fetcher, date).await?;
        let outcome = self.conclude(store, &asof, records, &listed, &mut judgement, &untested)?;
        let matches = judgement.books.matches;
        Ok(Reconciled { outcome, matches, priors: listed.priors })
    }

    /// Reads once more what `date` will be judged by: a reconciliation that is a stage of its own
    /// cannot. The dates fetched with it count as reconciled: they will be, one after the other.
    pub(crate) async fn confirm(
        &self,
        store: &Store,
        fetcher: &Fetcher<'_>,
        date: NaiveDate,
    ) -> Result<(), JobError> {
        let mut asof = as_of(store, date)?;
        asof.read_along = fetcher.own_dates().filter(|day| *day < date).collect();
        asof.start_date = asof.read_along.iter().copied().fold(asof.start_date, NaiveDate::min);
        let listed = Listed::of(store, self.settings, &asof, false)?;
        self.confirmed(store, fetcher, &asof, &listed).await.map(drop)
    }

    /// What the date comes to once what is open and what differs was read once more.
    async fn confirmed(
        &self,
        store: &Store,
        fetcher: &Fetcher<'_>,
        asof: &AsOf,
        listed: &Listed,
    ) -> Result<Judgement, JobError> {
        let date = asof.business_date;
        let behind =
            listed.tested().flat_map(|open| reread::behind_open(self.settings, open)).collect();
        fetcher.read_again(date, behind).await?;
        store.note_read_up_to_now(date)?;
        let mut judgement = self.judge(store, asof, listed)?;
        // What is read once more can show another difference, whose records are read once more as
        // well; none is read twice.
        let (mut confirmed, mut followed) = (BTreeSet::new(), BTreeSet::new());
        for _ in 0..CONFIRMATION_LIMIT {
            let mut behind = behind_totals(&judgement.findings);
            behind.extend(store.unjudged_parts()?.into_iter().flat_map(reread::behind_part));
            behind.extend(named_transfers(&judgement).map(|(_, listing)| listing.clone()));
            behind.retain(|listing| confirmed.insert(listing.clone()));
            let mut linked = BTreeMap::new();
            if fetcher.has_links() {
                linked = linked_groups(&judgement.findings, listed);
                linked.retain(|group, is_new| followed.insert((group.clone(), *is_new)));
            }
            if behind.is_empty() && linked.is_empty() {
                break;
            }
            fetcher.read_again(date, behind).await?;
            follow_links(fetcher, date, &linked).await?;
            store.note_read_up_to_now(date)?;
            judgement = self.judge(store, asof, listed)?;
        }
        Ok(judgement)
    }

    fn judge(&self, store: &Store, asof: &AsOf, listed: &Listed) -> Result<Judgement, JobError> {
        let absent = listed.returning().chain(&listed.cleared).cloned().collect::<Vec<_>>();
        let sight = needs::look_back(self.settings, asof.business_date);
        let late = store.late_days(asof.business_date, sight.max(asof.start_date))?;
        prepare(store, self.settings, asof, &absent, &late)?;
        compare_with_the_past(store.connection(), asof)?;
        let mut books = self.match_books(store, asof)?;
        books.warnings.extend(self.match_statements(store, asof)?);
        let findings = evaluate(store, &self.registry, self.settings, asof)?;
        Ok(Judgement { findings, books })
    }

    /// Why it cannot be told that a ledger record has nothing at the processor, by merchant and
    /// subject: what it names could not be looked up, or is of a terminal that is not read.
    fn unread_names(
        &self,
        store: &Store,
        judgement: &Judgement,
        failed: &[FailedRead],
    ) -> Result<BTreeMap<(String, String), String>, JobError> {
        let mut unread = BTreeMap::new();
        for (finding, listing) in named_transfers(judgement) {
            let (selector, id, _) = listing.key();
            let resource = listing.resource.as_str();
            let is_same = |read: &&FailedRead| {
                (read.resource.as_str(), read.selector.as_str(), read.scope.as_str())
                    == (resource, selector, id.as_str())
            };
            let reason = match failed.iter().find(is_same) {
                Some(read) => format!("{resource} {id} could not be looked up: {}", read.error),
                None => match store.terminal_of(listing)? {
                    Some(terminal) if !self.settings.names_terminal(&terminal) => format!(
                        "{resource} {id} is of terminal {terminal}, which the configuration does \
                         not name"
                    ),
                    _ => continue,
                },
            };
            unread.insert((finding.merchant_id.clone(), finding.subject.clone()), reason);
        }
        Ok(unread)
    }

    fn conclude(
        &self,
        store: &Store,
        asof: &AsOf,
        records: RecordTotals,
        listed: &Listed,
        judgement: &mut Judgement,
        untested: &BTreeSet<String>,
    ) -> Result<DayOutcome, JobError> {
        let Judgement { findings, books } = &mut *judgement;
        let rules = store.merchant_rules()?;
        let date = asof.business_date;
        let mut ids: Vec<String> = findings
            .discrepancies
            .iter()
            .map(|finding| discrepancy_id(&finding.code, &finding.merchant_id, &finding.subject))
            .collect();
        ids.extend(listed.tested().map(|stored| stored.discrepancy_id.clone()));
        let lifecycle = Lifecycle {
            asof,
            registry: &self.registry,
            settings: self.settings,
            carried: &listed.carried,
            returning: &listed.ended,
            priors: &listed.priors,
            prior_dates: prior_dates(store, &ids, &listed.priors, date)?,
            accepted: store.accepted_among(ids.iter().map(String::as_str), date)?,
            first_seen: store.first_seen_before(date, &ids)?,
            untested,
            is_checked: &|merchant| {
                !self.settings.names_merchants()
                    || self.settings.merchant(&MerchantId::from(merchant)).is_some()
            },
            name_of: &|merchant| rules.get(merchant).map(|rule| rule.0.clone()).unwrap_or_default(),
            calendar_of: &|merchant| {
                let name = rules.get(merchant).and_then(|rule| rule.1.parse().ok());
                self.settings.calendar(name.unwrap_or(self.settings.settlement.calendar))
            },
        };
        let lives = continue_lives(&lifecycle, findings)?;
        let opening = &listed.carried;
        let roll = Roll::of(opening, &lives);
        roll.check()?;
        let nameless = store.nameless_records()?;
        let mut outcome = DayOutcome {
            not_evaluated: not_evaluated(findings, &nameless, asof.business_date),
            discrepancies: lives.rows,
            accepted: lives.accepted,
            in_transit: store.in_transit()?,
            ..DayOutcome::default()
        };
        let judged = verdicts::Judged::new(&self.registry, findings, &outcome);
        outcome.deposits = judged.deposits(store.unjudged_deposits()?);
        outcome.batches = judged.batches(store.unjudged_batches()?);
        let read = verdicts::Completeness::of(self.settings, store, date, &judged)?;
        outcome.summary = verdicts::summary(self, store, &read, opening, &outcome, books)?;
        let unread = read.unread_transit(&outcome.not_evaluated);
        outcome.not_evaluated.extend(unread);
        outcome.not_evaluated.sort();
        outcome.run_record =
            record::stable_part(self, store, asof, records, judgement, &outcome, &roll)?;
        Ok(outcome)
    }
}

fn as_of(store: &Store, date: NaiveDate) -> Result<AsOf, JobError> {
    Ok(AsOf {
        business_date: date,
        previous_date: store.previous_reconciled(date)?,
        start_date: store.start_date(date)?,
        read_along: Vec::new(),
    })
}

/// The records behind every difference in a total.
fn behind_totals(findings: &Findings) -> BTreeSet<Listing> {
    let totals = findings.discrepancies.iter().filter(|finding| reread::is_total(&finding.code));
    totals
        .flat_map(|finding| {
            let RecordIds { ach_deposit_id, batch_id, .. } = &finding.ids;
            reread::behind_total(&finding.code, ach_deposit_id, batch_id)
        })
        .collect()
}

/// The groups of which something is said that can rest on links, and whether it was not said with
/// the same figures before; and those of which nothing can be said, since links lead to what was
/// not read.
fn linked_groups(findings: &Findings, listed: &Listed) -> BTreeMap<GroupKey, bool> {
    let open: BTreeSet<_> = listed
        .tested()
        .map(|open| {
            let row = &open;
            (&*row.code, &*row.merchant_id, &*open.subject, row.expected, row.actual)
        })
        .collect();
    let mut groups = BTreeMap::new();
    for finding in findings.discrepancies.iter().chain(&findings.not_evaluated) {
        let Finding { code, merchant_id, subject, expected, actual, .. } = finding;
        let is_untold = finding.problem.is_some();
        let is_new =
            !is_untold && !open.contains(&(&**code, merchant_id, subject, *expected, *actual));
        if let Some(batch_date) = finding.batch_date
            && (is_new || is_untold)
            && reread::rests_on_links(code)
        {
            let merchant_id = MerchantId::from(merchant_id.as_str());
            *groups.entry(GroupKey { merchant_id, batch_date }).or_default() |= is_new;
        }
    }
    groups
}

/// The ledger records that have nothing at the processor, and the bank transfers that they name: one
/// that the processor knows is not missing there.
fn named_transfers(judgement: &Judgement) -> impl Iterator<Item = (&Finding, &Listing)> {
    let missing = judgement.findings.discrepancies.iter();
    let missing = missing.filter(|finding| finding.code == MISSING_AT_PROCESSOR);
    missing.filter_map(|finding| {
        let subject = (finding.merchant_id.clone(), finding.subject.clone());
        Some((finding, judgement.books.named.get(&subject)?))
    })
}

/// What a date is joined with beside its own findings.
struct Listed {
    /// What was open when the latest earlier reconciled date closed.
    carried: Vec<Discrepancy>,
    /// What was accepted and is so no longer.
    ended: Vec<Discrepancy>,
    /// What was cleared while its records were still read again.
    cleared: Vec<Discrepancy>,
    /// What was found in closed dates, for this date to report.
    priors: Vec<Discrepancy>,
}

impl Listed {
    fn of(
        store: &Store,
        settings: &Settings,
        asof: &AsOf,
        takes_waiting: bool,
    ) -> Result<Self, JobError> {
        let mut carried = match asof.previous_date {
            Some(previous) => store.discrepancies(previous)?,
            None => Vec::new(),
        };
        carried.retain(|open| open.is_carried && open.status != DiscrepancyStatus::Cleared);
        let is_carried: BTreeSet<&str> =
            carried.iter().map(|open| open.discrepancy_id.as_str()).collect();
        let mut ended = store.returning(asof.previous_date, asof.business_date)?;
        ended.retain(|stored| !is_carried.contains(stored.discrepancy_id.as_str()));
        let date = asof.business_date;
        let cleared = store.cleared_lately(needs::restated_from(settings, date), date)?;
        let priors = store.prior_findings(asof.business_date, takes_waiting)?;
        Ok(Self { carried, ended, cleared, priors })
    }

    /// What is in no list of the earlier date, and is there unless it is known to be gone.
    fn returning(&self) -> impl Iterator<Item = &Discrepancy> {
        let late = self.priors.iter().filter(|found| found.is_carried);
        self.ended.iter().chain(late)
    }

    /// Everything of which the records are read again because it was there before.
    fn tested(&self) -> impl Iterator<Item = &Discrepancy> {
        self.carried.iter().chain(self.returning())
    }
}

/// Of the discrepancies that were found in a closed date: which one.
fn prior_dates(
    store: &Store,
    ids: &[String],
    priors: &[Discrepancy],
    date: NaiveDate,
) -> Result<BTreeMap<String, NaiveDate>, JobError> {
    let mut dates: BTreeMap<String, NaiveDate> = BTreeMap::new();
    for id in ids {
        if let Some(closed) = store.prior_date(id, date)? {
            dates.insert(id.clone(), closed);
        }
    }
    for prior in priors {
        let id = prior.discrepancy_id.clone();
        let entry = dates.entry(id).or_insert(prior.business_date);
        *entry = prior.business_date.min(*entry);
    }
    Ok(dates)
}

/// Whatever rests on a record that could not be read again is not evaluated. Answers with the
/// ids of the carried discrepancies that cannot be told for that reason.
fn set_aside_unreadable(
    findings: &mut Findings,
    listed: &Listed,
    failed: &[FailedRead],
    unread: &BTreeMap<(String, String), String>,
) -> BTreeSet<String> {
    if failed.is_empty() && unread.is_empty() {
        return BTreeSet::new();
    }
    let why = |finding: &Finding| {
        let subject = (finding.merchant_id.clone(), finding.subject.clone());
        let named = unread.get(&subject).filter(|_| finding.code == MISSING_AT_PROCESSOR).cloned();
        named.or_else(|| reason(failed, &finding.code, &finding.ids))
    };
    for mut finding in std::mem::take(&mut findings.discrepancies) {
        finding.problem = why(&finding);
        match finding.problem {
            Some(_) => findings.not_evaluated.push(finding),
            None => findings.discrepancies.push(finding),
        }
    }
    let mut untested = BTreeSet::new();
    for open in listed.tested() {
        let row = &open;
        if let Some(reason) = reason(failed, &row.code, &row.ids) {
            untested.insert(row.discrepancy_id.clone());
            findings.not_told.insert((
                row.code.clone(),
                row.merchant_id.clone(),
                open.subject.clone(),
                reason,
            ));
        }
    }
    untested
}

/// Why a discrepancy about these ids cannot be told; `None` when it can.
fn reason(failed: &[FailedRead], code: &str, ids: &RecordIds) -> Option<String> {
    failed.iter().find_map(|read| {
        let column = match (read.resource.as_str(), read.selector.as_str()) {
            ("ach-deposits", "id") => IdColumn::Deposit,
            ("ach-deposit-fees", "deposit") if code == "DEPOSIT_FEES_MISMATCH" => IdColumn::Deposit,
            ("authorizations", "batch") if code.starts_with("BATCH_") => IdColumn::Batch,
            ("batches", "id") if code.starts_with("BATCH_") || code.starts_with("DEPOSIT_") => {
                IdColumn::Batch
            }
            ("authorizations", "id") => IdColumn::Authorization,
            ("bank-transfer-payments", "id") => IdColumn::Payment,
            ("bank-transfer-refunds", "id") => IdColumn::Refund,
            _ => return None,
        };
        ids.each(column).any(|id| id == read.scope).then(|| {
            format!("{} {} could not be read again: {}", read.resource, read.scope, read.error)
        })
    })
}

fn not_evaluated(
    findings: &Findings,
    nameless: &[(String, String)],
    date: NaiveDate,
) -> Vec<NotEvaluated> {
    let mut entries = BTreeSet::new();
    for gap in &findings.gaps {
        entries.insert(NotEvaluated {
            code: gap.code.clone(),
            merchant_id: gap.merchant_id.clone(),
            scope: String::new(),
            reason: gap.reason.clone(),
        });
    }
    for finding in &findings.not_evaluated {
        entries.insert(NotEvaluated {
            code: finding.code.clone(),
            merchant_id: finding.merchant_id.clone(),
            scope: finding.subject.clone(),
            reason: finding.problem.clone().unwrap_or_default(),
        });
    }
    for (code, merchant_id, scope, reason) in &findings.not_told {
        entries.insert(NotEvaluated {
            code: code.clone(),
            merchant_id: merchant_id.clone(),
            scope: scope.clone(),
            reason: reason.clone(),
        });
    }
    for (kind, id) in nameless {
        let code = match kind.as_str() {
            "deposit" => "DEPOSIT_NET_MISMATCH",
            "batch" => "BATCH_WITHOUT_DEPOSIT",
            "fee" => "FEE_WITHOUT_DEPOSIT",
            _ => "BATCH_COUNT_MISMATCH",
        };
        entries.insert(NotEvaluated {
            code: code.to_owned(),
            merchant_id: String::new(),
            scope: format!("{kind} {id}"),
            reason: format!("{kind} {id}, listed for {date}, names no merchant"),
        });
    }
    entries.into_iter().collect()
}
