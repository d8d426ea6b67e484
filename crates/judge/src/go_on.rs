//! Resumes matching from the books kept of an earlier date, so that a night costs only the new and
//! open entries and not the whole history. Where the kept books are not enough, all entries are
//! matched again.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use chrono::{Days, NaiveDate};

use super::{AsOf, JudgeError, Rules};
use tieout_config::Merchant;
use tieout_matching::{
    Bounds, Item, Kept, LedgerInput, Outcome, RecordState, Terms, crowded, match_merchant,
    money_and_days, money_of_record, name_of_return, names_of_item, names_of_record,
    names_of_reference, names_of_transfer, resume, stands,
};
use tieout_model::digest::Digester;
use tieout_model::{LedgerKind, LedgerStatus, ShortText, TransferKind};
use tieout_store::{
    ChangedTransfer, Changes, KeptDate, NameOf, Since, Store, book_inputs, kept_books,
    side_by_side,
};

/// Raise it when the kept data change their meaning, or when matching makes other pairs.
const REVISION: &str = "2";

/// Calendar days to go further back when a merchant cannot resume from its latest kept date: as of
/// an earlier date, an entry that is linked to a new one may not be settled yet.
const FURTHER_BACK: [u64; 4] = [0, 10, 40, 100];

/// A digest of everything but the facts that a merchant's kept books depend on, by merchant id.
pub(super) type MadeFor<'a> = HashMap<&'a str, String>;

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
            let done: HashSet<&str> = found.iter().map(|one| one.merchant.id.as_str()).collect();
            tried.retain(|(merchant, _)| !done.contains(merchant.id.as_str()));
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
            let id = merchant.id.as_str();
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
        let ledgers = self.ledgers_of(asof, starts.iter().map(|one| one.merchant));
        let named = starts.iter().flat_map(|one| &one.kept.records);
        let wanted: BTreeSet<ShortText> =
            named.filter_map(|one| one.0.named().map(ShortText::from)).collect();
        let since = Since { date, wanted: &wanted };
        let mut inputs = book_inputs::read_since(store, &ledgers, &since)?;
        let joined = kept_books::joined_before(store, date, asof.business_date)?;
        let mut begun = Vec::new();
        for Start { merchant, kept } in starts {
            let Some(new) = inputs.remove(merchant.id.as_str()) else { continue };
            // An item that names no merchant may belong to any.
            if joined.contains(&None) || joined.contains(&Some(merchant.id.to_string())) {
                tracing::debug!(
                    merchant = merchant.id.as_str(),
                    "an item is joined with an older one"
                );
                continue;
            }
            let terms = self.terms(asof, merchant, asof.business_date);
            let before = self.terms(asof, merchant, date);
            let Some(bounds) = Bounds::of(&before) else { continue };
            let resuming = Resuming { store, merchant_id: merchant.id.as_str(), date };
            if let Some(mut input) = resuming.with(kept, new, &bounds)? {
                self.mark_days(merchant, &terms, &mut input);
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
        let ledgers = self.ledgers_of(asof, std::iter::once(one.merchant));
        let since = Since { date: first, wanted: &BTreeSet::new() };
        let mut inputs = book_inputs::read_since(store, &ledgers, &since)?;
        let Some(beside) = inputs.remove(one.merchant.id.as_str()) else { return Ok(()) };
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
    let id = merchant.id.as_str();
    let (Some(ledger), Some(made_for)) = (merchant.ledger.as_deref(), made_for.get(id)) else {
        return Ok(None);
    };
    for KeptDate { date, seen: known } in kept_books::dates(store, id, made_for, before)? {
        let changed = kept_books::ledger_changed_since(store, ledger, known.change_id)?;
        if changed.is_some_and(|first| first <= date) {
            tracing::debug!(merchant = id, %date, "the ledger is another one");
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
            tracing::debug!(merchant = id, %date, ?days, "items are others");
            continue;
        }
        let own = since.transfers.iter().filter(|one| one.merchant_id.as_deref() == Some(id));
        let settled = own.filter(|one| one.settled_day.is_some_and(|day| day <= date));
        let settled: Vec<&ChangedTransfer> = settled.collect();
        if settled.iter().any(|one| one.is_represented || one.moved) {
            tracing::debug!(merchant = id, %date, "a transfer is another one");
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
        tracing::debug!(merchant = id, %date, "a settled transfer has changed");
    }
    Ok(None)
}

fn is_refund(item: &Item) -> bool {
    item.kind.ledger_kind() == LedgerKind::Refund
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
    let of = (one.merchant.id.as_str(), ledger);
    standing.same_id = kept_books::count_ledger_ids(store, of, &ids, standing.up_to)?;
    Ok(())
}

/// One merchant while its new entries are added to its kept books.
struct Resuming<'r> {
    store: &'r Store,
    merchant_id: &'r str,
    /// The date of the kept books.
    date: NaiveDate,
}

impl Resuming<'_> {
    /// Joins the kept and the new entries; `None` if the new ones are linked to entries that were
    /// not kept.
    fn with(
        &self,
        mut kept: Kept,
        mut new: LedgerInput,
        bounds: &Bounds,
    ) -> Result<Option<LedgerInput>, JudgeError> {
        if !new.early_failed.is_empty() || new.returns_unread || !self.refresh(&mut kept, &mut new)
        {
            return Ok(None);
        }
        if self.is_anything_joined(&kept, &new, bounds)? {
            return Ok(None);
        }
        let mut input = resume(kept, new);
        Ok(self.look_up(&mut input)?.then_some(input))
    }

    /// Removes older bank transfers from the new entries and copies their current facts to the kept
    /// ones. Returns whether they are otherwise unchanged.
    fn refresh(&self, kept: &mut Kept, new: &mut LedgerInput) -> bool {
        let mut places: HashMap<(bool, ShortText), usize> = HashMap::new();
        for (at, (item, ..)) in kept.items.iter().enumerate() {
            if !item.kind.is_card() {
                places.insert((is_refund(item), item.item_id.clone()), at);
            }
        }
        let mut is_same = true;
        let mut ids = Vec::new();
        let items = std::mem::take(&mut new.items);
        for (item, id) in items.into_iter().zip(std::mem::take(&mut new.card_ids)) {
            if item.day > self.date {
                new.items.push(item);
                ids.push(id);
            } else if let Some(&at) = places.get(&(is_refund(&item), item.item_id.clone())) {
                let before = &mut kept.items[at].0;
                before.facts.clone_from(&item.facts);
                is_same &= *before == item;
            }
        }
        new.card_ids = ids;
        is_same
    }

    /// Checks whether a new entry shares a name with a settled entry that was not kept, or has a
    /// day too far back.
    fn is_anything_joined(
        &self,
        kept: &Kept,
        new: &LedgerInput,
        bounds: &Bounds,
    ) -> Result<bool, JudgeError> {
        if new.items.iter().any(|item| item.days()[1] < bounds.earliest) {
            tracing::debug!("a new item is of an old day");
            return Ok(true);
        }
        let is_settled = |of: NameOf, names: &mut dyn Iterator<Item = ShortText>| {
            let mut last = None;
            let mut names = names.inspect(|name| last = Some(name.clone()));
            let found = kept_books::is_any_name_settled(
                self.store,
                self.merchant_id,
                of,
                &mut names,
                self.date,
            );
            if matches!(found, Ok(true)) {
                tracing::debug!(?of, name = last.as_deref(), "an older record has this name");
            }
            found
        };
        // A record that was not kept may be the counter-entry of an item that came back.
        let back = kept.items.iter().filter(|one| one.0.has_returns());
        let mut back = back.flat_map(|one| {
            names_of_item(&one.0).into_iter().take(1).chain(name_of_return(&one.0))
        });
        if is_settled(NameOf::Records, &mut back)? {
            return Ok(true);
        }
        let kept: HashSet<&str> =
            kept.transfers.iter().map(|one| one.transfer_id.as_str()).collect();
        let transfers = new.transfers.iter();
        let transfers = transfers.filter(|one| !kept.contains(one.transfer_id.as_str()));
        let mut names =
            new.items.iter().flat_map(names_of_item).chain(transfers.flat_map(names_of_transfer));
        if is_settled(NameOf::Records, &mut names)? {
            return Ok(true);
        }
        let own = new.items.iter().filter(|item| !item.kind.is_card());
        let mut own = own
            .flat_map(|item| names_of_item(item).into_iter().take(1).chain(name_of_return(item)));
        if is_settled(NameOf::Items, &mut own)? {
            return Ok(true);
        }
        let mut names = new.records.iter().flat_map(names_of_record);
        if is_settled(NameOf::Items, &mut names)? {
            return Ok(true);
        }
        let references = new.records.iter().map(names_of_reference);
        let mut references = references.filter_map(|own| own.into_iter().next());
        is_settled(NameOf::Records, &mut references).map_err(Into::into)
    }

    /// Looks up the ids that no loaded entry carries. Returns false if a new entry names an older
    /// one that was not kept.
    fn look_up(&self, input: &mut LedgerInput) -> Result<bool, JudgeError> {
        let mut at_hand: HashSet<ShortText> = HashSet::new();
        at_hand.extend(input.items.iter().flat_map(names_of_item));
        at_hand.extend(input.transfers.iter().flat_map(names_of_transfer));
        at_hand.extend(input.other_references.iter().cloned());
        let standing = input.standing.as_deref();
        let new = standing.map_or(0, |standing| standing.records.len());
        let new_items = standing.map_or(0, |standing| standing.items.len());
        let mut settled_ids = HashSet::new();
        let mut others = Vec::new();
        for (at, record) in input.records.iter().enumerate() {
            let Some(id) = record.named() else { continue };
            if names_of_reference(record).iter().any(|name| at_hand.contains(name))
                || at_hand.contains(id)
            {
                continue;
            }
            let found = kept_books::known_id(self.store, self.merchant_id, id)?;
            let kind = match record.kind {
                LedgerKind::Payment => TransferKind::Payment,
                LedgerKind::Refund => TransferKind::Refund,
            };
            let is_older = found.card_day.is_some_and(|day| day <= self.date)
                || found.transfers.contains(&kind)
                // The record may be the counter-entry of that payment.
                || (record.kind == LedgerKind::Refund && found.came_back);
            if is_older && at >= new {
                tracing::debug!(id, "a new record names an older one");
                return Ok(false);
            }
            if is_older || !found.transfers.is_empty() {
                settled_ids.insert(ShortText::from(id));
            }
            if found.is_return {
                others.push(ShortText::from(id));
            }
        }
        for row in &input.left_out {
            let Some(id) = row.reference.as_deref() else { continue };
            let found = kept_books::known_id(self.store, self.merchant_id, id)?;
            if found.card_day.is_some() || !found.transfers.is_empty() {
                settled_ids.insert(ShortText::from(id));
            }
        }
        for item in input.items.iter().skip(new_items) {
            let Some(original) = item.representment_of() else { continue };
            let is_original =
                |one: &Item| one.item_id.as_str() == original && is_refund(one) == is_refund(item);
            let is_at_hand = input.items.iter().any(is_original)
                || input.transfers.iter().any(|one| one.transfer_id.as_str() == original);
            if !is_at_hand
                && !kept_books::known_id(self.store, self.merchant_id, original)?
                    .transfers
                    .is_empty()
            {
                return Ok(false);
            }
        }
        input.other_references.extend(others);
        if let Some(standing) = &mut input.standing {
            standing.settled_ids = settled_ids;
        }
        Ok(true)
    }
}
