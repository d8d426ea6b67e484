//! Reconciles one date: re-reads the records behind open discrepancies, judges, re-reads the
//! records behind new differences, judges once more, and joins the findings with the discrepancies
//! that were open before.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::NaiveDate;

use super::bank::Banked;
use crate::asof::prepare;
use crate::judgement::Judgement;
use crate::life::without_prior_period;
use crate::opening::{Opening, prior_dates};
use crate::pairing::{Books, MatchedBooks};
use crate::places::Opened;
use crate::run::evaluate;
use crate::run_record::{self, Roll};
use crate::{
    AsOf, Findings, JudgeError, Lifecycle, Lives, Registry, Rules, adjustments, bank,
    continue_lives, discrepancy_id, finality, journal, reread, restated, standing, stands_for,
    summary, unreadable, verdicts,
};
use tieout_model::{
    BankMatchRow, DepositRow, Discrepancy, DiscrepancyStatus, Finding, GroupKey, Listing, MatchRow,
    is_on_the_way,
};
use tieout_model::{DepositId, RecordTotals};
use tieout_read::{Fetcher, follow_links, needs};
use tieout_store::{
    DayOutcome, KeptBooks, Store, Touched, Unjudged, bank_fees, banks, days, decisions,
    discrepancies, judging, plan, results, sign_off, touched,
};

/// Maximum number of confirmation rounds. Each round can only follow from the one before it, and
/// figures have no more levels than this.
const CONFIRMATION_LIMIT: usize = 4;

/// The matched books and the paired statements of a date.
struct Matched {
    books: MatchedBooks,
    bank: Banked,
}

/// The result of reconciling a date, before it is stored.
pub struct Reconciled {
    pub outcome: DayOutcome,
    /// The pairs to report. They are kept apart because they are many.
    pub matches: Vec<MatchRow>,
    /// Findings of closed dates that this date reports.
    pub priors: Vec<Discrepancy>,
    /// Restatements of records of closed dates, each under that date, for a later date to report.
    pub waiting: Vec<(NaiveDate, Discrepancy)>,
    /// The books to keep, from which the next date resumes.
    pub kept: Arc<Vec<KeptBooks>>,
}

/// Reconciles `date`. With a fetcher, the records behind open discrepancies and new differences are
/// re-read. With `takes_waiting`, the date also reports the findings of closed dates that wait for
/// an open one.
pub async fn reconcile(
    rules: &Rules<'_>,
    store: &Store,
    fetcher: Option<&Fetcher<'_>>,
    date: NaiveDate,
    takes_waiting: bool,
) -> Result<Reconciled, JudgeError> {
    let asof = as_of(store, date)?;
    let opening = Opening::of(store, rules.settings, &asof, takes_waiting)?;
    if fetcher.is_none() && !days::was_fetched(store, date)? {
        return Err(JudgeError::NeverFetched { business_date: date });
    }
    let mut judgement = if let Some(fetcher) = fetcher {
        confirmed(rules, store, fetcher, &asof, &opening).await?
    } else {
        days::note_judged_up_to_now(store, date)?;
        judge(rules, store, &asof, &opening)?
    };
    let failed = judging::failed_reads(store, date)?;
    let Judgement { findings, books, .. } = &mut judgement;
    let unread = unreadable::unread_names(rules.settings, store, findings, &books.named, &failed)?;
    let untested =
        unreadable::set_aside_unreadable(rules.registry, findings, &opening, &failed, &unread);
    let records = run_record::records(store, fetcher, date).await?;
    let closed = closed_records(store, &judgement.findings)?;
    let mut lives =
        lives(rules, store, &asof, &opening, &mut judgement.findings, &untested, &closed)?;
    let mut waiting = Vec::new();
    if !takes_waiting && !sign_off::is_closed(store, date)? {
        waiting = set_aside_restated(&mut lives, &closed);
    }
    let outcome = conclude(rules, store, &asof, records, &opening, &mut judgement, lives)?;
    let Books { matches, kept, .. } = judgement.books;
    Ok(Reconciled { outcome, matches, priors: opening.priors, waiting, kept })
}

/// Re-reads the records by which `date` will be judged, for a reconciliation that runs as a
/// separate stage without a fetcher. The earlier dates fetched in the same run count as reconciled:
/// they will be, one after the other.
pub async fn confirm(
    rules: &Rules<'_>,
    store: &Store,
    fetcher: &Fetcher<'_>,
    date: NaiveDate,
) -> Result<(), JudgeError> {
    let mut asof = as_of(store, date)?;
    asof.read_along = fetcher.own_dates().filter(|day| *day < date).collect();
    asof.start_date = asof.read_along.iter().copied().fold(asof.start_date, NaiveDate::min);
    let opening = Opening::of(store, rules.settings, &asof, false)?;
    confirmed(rules, store, fetcher, &asof, &opening).await.map(drop)
}

/// Judges the date after re-reading the records behind open discrepancies and differences.
async fn confirmed(
    rules: &Rules<'_>,
    store: &Store,
    fetcher: &Fetcher<'_>,
    asof: &AsOf,
    opening: &Opening,
) -> Result<Judgement, JudgeError> {
    let date = asof.business_date;
    let behind_open = |open: &Discrepancy| {
        reread::behind_open(rules.settings, rules.registry.find(&open.code), open)
    };
    fetcher.read_again(date, opening.tested().flat_map(behind_open).collect()).await?;
    days::note_read_up_to_now(store, date)?;
    prepare_date(rules, store, asof, opening)?;
    let mut matched = match_all(rules, store, asof)?;
    let mut findings = find(rules, store, asof, &matched)?;
    // A re-read record can show another difference, whose records are then re-read as well; no
    // listing is re-read twice.
    let (mut confirmed, mut followed) = (BTreeSet::new(), BTreeSet::new());
    for _ in 0..CONFIRMATION_LIMIT {
        let mut behind = behind_totals(rules, &findings);
        behind.extend(judging::unjudged_parts(store)?.into_iter().flat_map(reread::behind_part));
        let named = unreadable::named_transfers(&findings, &matched.books.named);
        behind.extend(named.map(|(_, listing)| listing.clone()));
        behind.retain(|listing| confirmed.insert(listing.clone()));
        let mut linked = BTreeMap::new();
        if fetcher.has_links() {
            linked = linked_groups(rules.registry, &findings, opening);
            linked.retain(|group, is_new| followed.insert((group.clone(), *is_new)));
        }
        if behind.is_empty() && linked.is_empty() {
            break;
        }
        let known = touched::read_up_to(store)?;
        fetcher.read_again(date, behind).await?;
        follow_links(fetcher, date, &linked).await?;
        days::note_read_up_to_now(store, date)?;
        if touched::was_read_since(store, known)? {
            prepare_date(rules, store, asof, opening)?;
            matched = match_again(rules, store, asof, matched.books, known)?;
            findings = find(rules, store, asof, &matched)?;
        }
    }
    judgement(findings, matched)
}

fn judge(
    rules: &Rules<'_>,
    store: &Store,
    asof: &AsOf,
    opening: &Opening,
) -> Result<Judgement, JudgeError> {
    prepare_date(rules, store, asof, opening)?;
    let matched = match_all(rules, store, asof)?;
    let findings = find(rules, store, asof, &matched)?;
    judgement(findings, matched)
}

fn judgement(findings: Findings, matched: Matched) -> Result<Judgement, JudgeError> {
    let Matched { books, bank: banked } = matched;
    let mut books = books.into_books()?;
    books.warnings.extend(banked.warnings.iter().cloned());
    Ok(Judgement { findings, books, banked })
}

fn prepare_date(
    rules: &Rules<'_>,
    store: &Store,
    asof: &AsOf,
    opening: &Opening,
) -> Result<(), JudgeError> {
    let sight = needs::look_back(rules.settings, asof.business_date);
    let late = plan::late_days(store, asof.business_date, sight.max(asof.start_date))?;
    let prepare = |asof: &AsOf| {
        prepare(store, rules.settings, rules.registry, asof, &opening.reopened(), &late)
    };
    prepare(asof)?;
    if banks::has_twin_deposits(store)? {
        let resent: BTreeSet<_> = bank::find(rules, store, asof)?.resent.into_keys().collect();
        if !resent.is_empty() {
            prepare(&AsOf { resent, ..asof.clone() })?;
        }
    }
    Ok(())
}

fn match_all(rules: &Rules<'_>, store: &Store, asof: &AsOf) -> Result<Matched, JudgeError> {
    let nothing = (MatchedBooks::default(), Touched::default());
    let books = rules.match_books(store, asof, nothing.0, &nothing.1)?;
    Ok(Matched { books, bank: bank::find(rules, store, asof)? })
}

/// Matches again only the books that records read since `known` can have changed. Statements are
/// few and are paired again completely.
fn match_again(
    rules: &Rules<'_>,
    store: &Store,
    asof: &AsOf,
    before: MatchedBooks,
    known: i64,
) -> Result<Matched, JudgeError> {
    let touched = touched::since(store, known)?;
    let (date, merchants) = (asof.business_date, before.count(&touched));
    tracing::debug!(business_date = %date, merchants, "matching books again");
    let books = rules.match_books(store, asof, before, &touched)?;
    debug_assert_eq!(
        books.told(),
        match_all(rules, store, asof)?.books.told(),
        "the books of a merchant that is not among {touched:?} differ"
    );
    Ok(Matched { books, bank: bank::find(rules, store, asof)? })
}

fn find(
    rules: &Rules<'_>,
    store: &Store,
    asof: &AsOf,
    matched: &Matched,
) -> Result<Findings, JudgeError> {
    let terms = adjustments::Terms {
        at_bank: &matched.bank.shown(),
        not_credited: &matched.bank.not_credited,
        carried_until: &|merchant, day| bank::carried_until(rules.settings, merchant, day),
    };
    bank_fees::take_fees(store, &matched.bank.fees_taken)?;
    adjustments::fill(store, asof, &terms)?;
    let mut found = restated::find(store, asof)?;
    found.extend(matched.books.found.clone());
    found.extend(bank::without_carried(rules, store, asof, &matched.bank)?);
    let mut findings = evaluate(store, rules.registry, rules.settings, asof, found)?;
    stands_for::add_sums(rules.registry, &mut findings, &matched.books.found.findings);
    Ok(findings)
}

/// The ids of restatements whose record belongs to a closed date, with that date.
fn closed_records(
    store: &Store,
    findings: &Findings,
) -> Result<BTreeMap<String, NaiveDate>, JudgeError> {
    let mut closed = BTreeMap::new();
    for finding in &findings.discrepancies {
        if let Some(listed_on) = finding.listed_on
            && sign_off::is_closed(store, listed_on)?
        {
            let id = discrepancy_id(&finding.code, &finding.merchant_id, &finding.subject);
            closed.insert(id, listed_on);
        }
    }
    Ok(closed)
}

/// Removes the new restatements of `closed` dates: the latest open date of the run reports them.
fn set_aside_restated(
    lives: &mut Lives,
    closed: &BTreeMap<String, NaiveDate>,
) -> Vec<(NaiveDate, Discrepancy)> {
    let is_waiting = |row: &Discrepancy| {
        row.status == DiscrepancyStatus::New
            && !row.is_reopened
            && closed.contains_key(&row.discrepancy_id)
    };
    let (waiting, rows) = std::mem::take(&mut lives.rows).into_iter().partition(is_waiting);
    lives.rows = rows;
    let waiting: Vec<Discrepancy> = waiting;
    waiting
        .into_iter()
        .map(|mut row| {
            row.explanation = without_prior_period(&row.explanation).to_owned();
            (closed[&row.discrepancy_id], row)
        })
        .collect()
}

fn lives(
    rules: &Rules<'_>,
    store: &Store,
    asof: &AsOf,
    opening: &Opening,
    findings: &mut Findings,
    untested: &BTreeSet<String>,
    closed: &BTreeMap<String, NaiveDate>,
) -> Result<Lives, JudgeError> {
    let merchants = judging::merchant_rules(store)?;
    let date = asof.business_date;
    let mut ids: Vec<String> = findings
        .discrepancies
        .iter()
        .map(|finding| discrepancy_id(&finding.code, &finding.merchant_id, &finding.subject))
        .collect();
    let before = opening.tested().chain(&opening.accepted);
    ids.extend(before.map(|stored| stored.discrepancy_id.clone()));
    let lifecycle = Lifecycle {
        asof,
        registry: rules.registry,
        settings: rules.settings,
        carried: &opening.carried,
        was_accepted: &opening.accepted,
        priors: &opening.priors,
        restated_dates: closed,
        prior_dates: prior_dates(store, &ids, &opening.priors, date)?,
        accepted: decisions::accepted_among(store, ids.iter().map(String::as_str), date)?,
        assigned: decisions::assignments(store, date)?,
        first_seen: discrepancies::first_seen_before(store, date, &ids)?,
        untested,
        is_checked: &|merchant| {
            !rules.settings.names_merchants() || rules.settings.merchant(merchant).is_some()
        },
        name_of: &|merchant| merchants.get(merchant).map(|rule| rule.0.clone()).unwrap_or_default(),
        calendar_of: &|merchant| {
            let name = merchants.get(merchant).and_then(|rule| rule.1.parse().ok());
            rules.settings.calendar(name.unwrap_or(rules.settings.settlement.calendar))
        },
    };
    continue_lives(&lifecycle, findings)
}

fn conclude(
    rules: &Rules<'_>,
    store: &Store,
    asof: &AsOf,
    records: RecordTotals,
    opening: &Opening,
    judgement: &mut Judgement,
    lives: Lives,
) -> Result<DayOutcome, JudgeError> {
    let date = asof.business_date;
    let Judgement { findings, books, banked } = &mut *judgement;
    let carried = &opening.carried;
    let roll = Roll::of(carried, &lives);
    roll.check()?;
    let nameless = judging::nameless_records(store)?;
    let mut outcome = DayOutcome {
        not_evaluated: unreadable::not_evaluated(rules, findings, &nameless, asof.business_date),
        discrepancies: lives.rows,
        acceptances: decisions::acceptances(store, date, &lives.accepted, carried)?,
        accepted: lives.accepted,
        in_transit: judging::in_transit(store)?,
        disputes: judging::dispute_rows(store)?,
        bank_matches: bank::match_rows(store, asof, banked)?,
        bank_standing: bank::standing(store, banked)?,
        ..DayOutcome::default()
    };
    let judged = verdicts::Judged::new(rules.registry, findings, &outcome);
    let deposits = judging::unjudged_deposits(store)?;
    standing::say(rules.registry, store, findings, &deposits, &mut outcome)?;
    let deposits = at_bank(deposits, &outcome.bank_matches);
    outcome.deposits = judged.deposits(deposits);
    outcome.batches = judged.batches(judging::unjudged_batches(store)?);
    let read = verdicts::Completeness::of(rules, store, date, &judged)?;
    let earlier = asof.previous_date.map(|date| results::summary(store, date)).transpose()?;
    let opened = Opened { found: carried, summary: &earlier.unwrap_or_default() };
    outcome.summary = summary::summary(rules, store, &read, &opened, &outcome, books)?;
    let finals = finality::final_dates(rules, store, date, &outcome, &findings.awaited)?;
    for row in &mut outcome.summary {
        row.final_date = finals.get(&row.merchant_id).copied();
    }
    let signs = &rules.settings.settlement.signs;
    let replaced: BTreeSet<_> = banked.paid_again().collect();
    outcome.journal = journal::entries(rules.registry, store, signs, date, (&outcome, &replaced))?;
    let unread = read.unread_transit(&outcome.not_evaluated);
    outcome.not_evaluated.extend(unread);
    outcome.not_evaluated.sort();
    outcome.run_record =
        run_record::stable_part(rules, store, asof, records, judgement, &outcome, &roll)?;
    Ok(outcome)
}

/// Adds the bank columns to the deposits; a deposit that need not have arrived yet is in transit.
fn at_bank(
    deposits: Vec<Unjudged<DepositRow>>,
    matches: &[BankMatchRow],
) -> Vec<Unjudged<DepositRow>> {
    let by_id: BTreeMap<DepositId, &BankMatchRow> =
        matches.iter().filter_map(|row| Some((row.ach_deposit_id?, row))).collect();
    let shown = |mut unjudged: Unjudged<DepositRow>| {
        if let Some(row) = by_id.get(&unjudged.row.ach_deposit_id) {
            unjudged.row.bank_date = row.bank_date;
            unjudged.row.bank_amount = row.bank_amount;
            unjudged.row.bank_verdict.clone_from(&row.verdict);
            unjudged.is_in_transit |= is_on_the_way(&row.verdict);
        }
        unjudged
    };
    deposits.into_iter().map(shown).collect()
}

fn as_of(store: &Store, date: NaiveDate) -> Result<AsOf, JudgeError> {
    Ok(AsOf {
        business_date: date,
        previous_date: days::previous_reconciled(store, date)?,
        start_date: days::start(store, date)?,
        read_along: Vec::new(),
        resent: BTreeSet::new(),
    })
}

/// The records behind every difference that must be re-read before it is reported.
fn behind_totals(rules: &Rules<'_>, findings: &Findings) -> BTreeSet<Listing> {
    let behind = |finding: &Finding| {
        let check = rules.registry.find(&finding.code)?;
        Some(reread::behind_found(rules.settings, check, finding))
    };
    findings.discrepancies.iter().filter_map(behind).flatten().collect()
}

/// Groups with a finding that can rest on links. The value is true if its figures are new, false if
/// the group could only not be evaluated, because links lead to records that were not read.
fn linked_groups(
    registry: &Registry,
    findings: &Findings,
    opening: &Opening,
) -> BTreeMap<GroupKey, bool> {
    let open: BTreeSet<_> = opening
        .tested()
        .map(|open| {
            let row = &open;
            (&*row.code, &row.merchant_id, &*open.subject, row.expected, row.actual)
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
            && registry.says(code, |check| check.rests_on_links)
        {
            let merchant_id = merchant_id.clone();
            *groups.entry(GroupKey { merchant_id, batch_date }).or_default() |= is_new;
        }
    }
    groups
}
