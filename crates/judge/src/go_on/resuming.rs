//! The new entries of a merchant, added to its kept books.

use std::collections::{HashMap, HashSet};

use chrono::NaiveDate;

use crate::JudgeError;
use tieout_matching::{
    Bounds, Item, Kept, LedgerInput, Terms, is_any_revived, name_of_return, names_of_item,
    names_of_record, names_of_reference, names_of_transfer, resume,
};
use tieout_model::{LedgerKind, MerchantId, ShortText, TransferKind};
use tieout_store::{NameOf, Store, kept_books};

/// One merchant while its new entries are added to its kept books.
pub(super) struct Resuming<'r> {
    pub(super) store: &'r Store,
    pub(super) merchant_id: &'r MerchantId,
    /// The date of the kept books.
    pub(super) date: NaiveDate,
    /// As of the date that is judged.
    pub(super) terms: &'r Terms,
}

impl Resuming<'_> {
    /// Joins the kept and the new entries; `None` if the new ones are linked to entries that were
    /// not kept.
    pub(super) fn with(
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
        if is_any_revived(kept, &new.transfers, self.terms) {
            tracing::debug!("a transfer of an old day may settle");
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

pub(super) fn is_refund(item: &Item) -> bool {
    item.kind.ledger_kind() == LedgerKind::Refund
}
