//! Resumes matching from the books kept of an earlier date, so that a night costs only the new and
//! open entries and not the whole history. Where the kept books are not enough, all entries are
//! matched again.

mod resuming;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use chrono::{Days, NaiveDate};

use resuming::{Resuming, is_refund};

use super::{AsOf, JudgeError, Rules, book_terms};
use tieout_config::Merchant;
use tieout_matching::{
    Bounds, Kept, LedgerInput, Outcome, RecordState, Terms, crowded, match_merchant,
    money_and_days, money_of_record, stands,
};
use tieout_model::digest::Digester;
use tieout_model::{LedgerStatus, MerchantId, ShortText, TransferKind};
use tieout_store::{
    ChangedTransfer, Changes, KeptDate, Since, Store, book_inputs, kept_books, side_by_side,
};

/// Raise it when the kept data change their meaning, or when matching makes other pairs.
const REVISION: &str = "3";

/// Calendar days to go further back when a merchant cannot resume from its latest kept date: as of
/// an earlier date, an entry that is linked to a new one may not be settled yet.
const FURTHER_BACK: [u64; 4] = [0, 10, 40, 100];

/// A digest of everything but the facts that a merchant's kept books depend on, by merchant id.
pub(super) type MadeFor<'a> = HashMap<&'a MerchantId, String>;

/// A merchant with the result of matching its books.
pub(super) struct MatchedMerchant<'a> {
    pub merchant: &'a Merchant,
    pub terms: Terms,
    pub input: LedgerInput,
    pub outcome: Outcome,
}

/// The books kept of a merchant as of a date, still valid.
struct Start<'a> {
    merchant: &'a Merchant,
    kept: Kept,
}

impl Rules<'_> {
    /// Resumes from the kept books and returns the merchants for which this works, matched as of
    /// the prepared date. All other merchants must be matched afresh.
    pub(super) fn go_on<'a>(
        &self,
        store: &Store,
        asof: &AsOf,
        merchants: &[&'a Merchant],
        made_for: &MadeFor<'_>,
    ) -> Result<Vec<MatchedMerchant<'a>>, JudgeError> {
        let (mut gone_on, mut changes) = (Vec::new(), HashMap::new());
        // Each merchant with the date that was tried last.
        let mut left: Vec<(&'a Merchant, NaiveDate)> =
            merchants.iter().map(|merchant| (*merchant, asof.business_date)).collect();
        for days in FURTHER_BACK {
            let before = asof.business_date - Days::new(days);
            let mut by_date: BTreeMap<NaiveDate, Vec<Start<'a>>> = BTreeMap::new();
            let mut tried = Vec::new();
            for (merchant, last) in left {
                // Changed facts have already led to an earlier date.
                if last < before {
                    tried.push((merchant, last));
                } else if let Some(kept) = kept_of(store, merchant, made_for, before, &mut changes)?
                {
                    tried.push((merchant, kept.up_to));
                    by_date.entry(kept.up_to).or_default().push(Start { merchant, kept });
                }
            }
            let found = self.go_on_from(store, asof, by_date)?;
            let done: HashSet<&MerchantId> = found.iter().map(|one| &one.merchant.id).collect();
            tried.retain(|(merchant, _)| !done.contains(&merchant.id));
            left = tried;
            gone_on.extend(found);
        }
        Ok(gone_on)
    }

    /// The merchants of `by_date` whose new entries are linked to no settled entry.
    fn go_on_from<'a>(
        &self,
        store: &Store,
        asof: &AsOf,
        by_date: BTreeMap<NaiveDate, Vec<Start<'a>>>,
    ) -> Result<Vec<MatchedMerchant<'a>>, JudgeError> {
        let mut begun = Vec::new();
        for (date, starts) in by_date {
            begun.extend(self.resume_from(store, asof, date, starts)?);
        }
        let matched = side_by_side(begun, |(merchant, terms, input)| {
            let outcome = match_merchant(&input.merchant_input(&terms));
            MatchedMerchant { merchant, terms, input, outcome }
        });
        let mut gone_on = Vec::new();
        for mut one in matched {
            self.look_beside(store, asof, &mut one)?;
            let standing = one.input.standing.as_deref();
            if !standing.is_some_and(|standing| stands(standing, &one.outcome)) {
                tracing::debug!(
                    merchant = one.merchant.id.as_str(),
                    "the snapshot is not valid any more"
                );
                continue;
            }
            count_ids(store, &mut one)?;
            gone_on.push(one);
        }
        Ok(gone_on)
    }

    /// Digests everything but the facts that each merchant's kept books depend on.
    pub(super) fn made_for<'m>(
        &self,
        store: &Store,
        asof: &AsOf,
        merchants: &[&'m Merchant],
    ) -> Result<MadeFor<'m>, JudgeError> {
        let mut made_for = MadeFor::new();
        for merchant in merchants {
            let id = &merchant.id;
            let parts = [
                REVISION.to_owned(),
                env!("CARGO_PKG_VERSION").to_owned(),
                asof.start_date.to_string(),
                format!("{merchant:?}"),
                format!("{:?}", self.settings.calendar(merchant.calendar)),
                kept_books::early_days_of(store, id)?,
            ];
            let mut digester = Digester::default();
            for part in parts {
                digester.add(part.as_bytes());
            }
            made_for.insert(id, digester.finish());
        }
        Ok(made_for)
    }

    /// Adds the new entries to the kept ones. Omits merchants that need entries which were not
    /// kept.
    fn resume_from<'a>(
        &self,
        store: &Store,
        asof: &AsOf,
        date: NaiveDate,
        starts: Vec<Start<'a>>,
    ) -> Result<Vec<(&'a Merchant, Terms, LedgerInput)>, JudgeError> {
        let ledgers = book_terms::ledgers_of(self, asof, starts.iter().map(|one| one.merchant));
        let named = starts.iter().flat_map(|one| &one.kept.records);
        let wanted: BTreeSet<ShortText> =
            named.filter_map(|one| one.0.named().map(ShortText::from)).collect();
        let since = Since { date, wanted: &wanted };
        let mut inputs = book_inputs::read_since(store, &ledgers, &since)?;
        let joined = kept_books::joined_before(store, date, asof.business_date)?;
        let mut begun = Vec::new();
        for Start { merchant, kept } in starts {
            let Some(new) = inputs.remove(&merchant.id) else { continue };
            // An item that names no merchant may belong to any.
            if joined.contains(&None) || joined.contains(&Some(merchant.id.clone())) {
                tracing::debug!(
                    merchant = merchant.id.as_str(),
                    "an item is joined with an older one"
                );
                continue;
            }
            let terms = book_terms::terms(self, asof, merchant, asof.business_date);
            let before = book_terms::terms(self, asof, merchant, date);
            let Some(bounds) = Bounds::of(&before) else { continue };
            let resuming = Resuming { store, merchant_id: &merchant.id, date, terms: &terms };
            if let Some(mut input) = resuming.with(kept, new, &bounds)? {
                book_terms::mark_days(self, merchant, &terms, &mut input);
                if !input.records.iter().any(|record| record.day_not_read) {
                    begun.push((merchant, terms, input));
                }
            } else {
                tracing::debug!(merchant = merchant.id.as_str(), "a new record has an older name");
            }
        }
        Ok(begun)
    }

    /// Reads the older entries that lie near the pairs made by day and amount alone, and matches
    /// again if there are any.
    fn look_beside(
        &self,
        store: &Store,
        asof: &AsOf,
        one: &mut MatchedMerchant<'_>,
    ) -> Result<(), JudgeError> {
        let asked = crowded(&one.input, &one.outcome);
        let Some(standing) = &one.input.standing else { return Ok(()) };
        if asked.is_empty() {
            return Ok(());
        }
        let days = asked.iter().flat_map(|(item, record)| {
            let [first, second] = item.days();
            [first, second, record.date]
        });
        let reach = u64::from(one.terms.window_days) * 2 + 14;
        let first = days.min().unwrap_or(standing.up_to) - Days::new(reach);
        let first = first.max(asof.start_date).pred_opt().unwrap_or(first);
        let ledgers = book_terms::ledgers_of(self, asof, std::iter::once(one.merchant));
        let since = Since { date: first, wanted: &BTreeSet::new() };
        let mut inputs = book_inputs::read_since(store, &ledgers, &since)?;
        let Some(beside) = inputs.remove(&one.merchant.id) else { return Ok(()) };
        let keys: HashSet<u128> =
            asked.iter().filter_map(|(item, _)| Some(money_and_days(item)?.0)).collect();
        let kept_items: HashSet<(bool, bool, &str)> = one.input.items[..standing.items.len()]
            .iter()
            .map(|item| (item.kind.is_card(), is_refund(item), item.item_id.as_str()))
            .collect();
        let kept_records: HashSet<(&str, u32, NaiveDate)> = one.input.records
            [..standing.records.len()]
            .iter()
            .map(|record| (record.ledger_id.as_str(), record.line, record.date))
            .collect();
        let mut crowd = Vec::new();
        for item in beside.items.iter().filter(|item| item.day <= standing.up_to) {
            let key = (item.kind.is_card(), is_refund(item), item.item_id.as_str());
            if let Some((money, days)) = money_and_days(item)
                && keys.contains(&money)
                && !kept_items.contains(&key)
            {
                crowd.extend(days.map(|day| (money, day)));
            }
        }
        for record in beside.records.iter().filter(|record| record.date <= standing.up_to) {
            let money = money_of_record(record);
            if record.status == LedgerStatus::Paid
                && keys.contains(&money)
                && !kept_records.contains(&(record.ledger_id.as_str(), record.line, record.date))
            {
                crowd.push((money, record.date));
            }
        }
        if crowd.is_empty() {
            return Ok(());
        }
        if let Some(standing) = &mut one.input.standing {
            standing.crowd = crowd;
        }
        one.outcome = match_merchant(&one.input.merchant_input(&one.terms));
        Ok(())
    }
}

/// The latest kept books before `before` that no later change has made invalid.
fn kept_of(
    store: &Store,
    merchant: &Merchant,
    made_for: &MadeFor<'_>,
    before: NaiveDate,
    seen: &mut HashMap<(i64, NaiveDate), Changes>,
) -> Result<Option<Kept>, JudgeError> {
    let id = &merchant.id;
    let (Some(ledger), Some(made_for)) = (merchant.ledger.as_deref(), made_for.get(id)) else {
        return Ok(None);
    };
    for KeptDate { date, seen: known } in kept_books::dates(store, id, made_for, before)? {
        let changed = kept_books::ledger_changed_since(store, ledger, known.change_id)?;
        if changed.is_some_and(|first| first <= date) {
            tracing::debug!(merchant = id.as_str(), %date, "the ledger is another one");
            continue;
        }
        let since = match seen.entry((known.reading_id, date)) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                entry.insert(kept_books::changes_since(store, known.reading_id, date)?)
            }
        };
        if since.is_unclear || since.days.iter().any(|day| *day <= date) {
            let days = &since.days;
            tracing::debug!(merchant = id.as_str(), %date, ?days, "items are others");
            continue;
        }
        let own = since.transfers.iter().filter(|one| one.merchant_id.as_ref() == Some(id));
        let settled = own.filter(|one| one.settled_day.is_some_and(|day| day <= date));
        let settled: Vec<&ChangedTransfer> = settled.collect();
        if settled.iter().any(|one| one.is_represented || one.moved) {
            tracing::debug!(merchant = id.as_str(), %date, "a transfer is another one");
            continue;
        }
        let Some(mut kept) = kept_books::of_date(store, id, date)? else { continue };
        let at_hand: HashSet<(bool, ShortText)> = kept
            .items
            .iter()
            .filter(|one| !one.0.kind.is_card())
            .map(|one| (is_refund(&one.0), one.0.item_id.clone()))
            .collect();
        let key =
            |one: &ChangedTransfer| (one.kind == TransferKind::Refund, one.transfer_id.clone());
        if settled.iter().all(|one| at_hand.contains(&key(one))) {
            // A transfer that moved is either unknown to the API now, or is read anew as settled.
            let own = since.transfers.iter();
            let moved: HashSet<_> = own.filter(|one| one.moved).map(key).collect();
            kept.transfers.retain(|one| {
                let is_refund = one.kind == TransferKind::Refund;
                !moved.contains(&(is_refund, one.transfer_id.clone()))
            });
            return Ok(Some(kept));
        }
        tracing::debug!(merchant = id.as_str(), %date, "a settled transfer has changed");
    }
    Ok(None)
}

/// Counts the older records that carry the ledger id of a new record: names that tell equal ids
/// apart need these counts.
fn count_ids(store: &Store, one: &mut MatchedMerchant<'_>) -> Result<(), JudgeError> {
    let Some(standing) = one.input.standing.as_deref_mut() else { return Ok(()) };
    let Some(ledger) = one.merchant.ledger.as_deref() else { return Ok(()) };
    let new = one.input.records.iter().zip(&one.outcome.records).skip(standing.records.len());
    let is_by_name = |state: &RecordState| {
        state.pair().is_some_and(|pair| one.outcome.pairs[pair as usize].pass.is_by_name())
    };
    let ids: BTreeSet<ShortText> = new
        .filter(|(_, state)| !is_by_name(state))
        .map(|(record, _)| record.ledger_id.clone())
        .collect();
    let of = (&one.merchant.id, ledger);
    standing.same_id = kept_books::count_ledger_ids(store, of, &ids, standing.up_to)?;
    Ok(())
}
