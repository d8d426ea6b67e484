//! Changes of generated records that keep dependent records consistent: ids stay in order, headers
//! and deposits follow their items.

use chrono::NaiveDate;

use super::disputes::{Dispute, DisputeStatus, DisputeType};
use super::records::{Authorization, CardKind, Deposit, Records};

/// Ids and fees differ, so that no two disputes explain the same adjustment.
const FIRST_ID: i64 = 5_100;
const ID_STEP: i64 = 17;
const FEE: i64 = 1_500;
const FEE_STEP: i64 = 7;

impl Records {
    /// Adds a dispute of a card transaction; returns its position.
    pub fn add_dispute(
        &mut self,
        item: &Authorization,
        dispute_type: DisputeType,
        statuses: Vec<(DisputeStatus, NaiveDate)>,
    ) -> usize {
        let at = self.disputes.len();
        let ordinal = i64::try_from(at).unwrap_or(i64::MAX / ID_STEP / 2);
        self.disputes.push(Dispute {
            id: FIRST_ID + ordinal * ID_STEP,
            merchant: item.merchant as usize,
            item: Some(item.id),
            kind: dispute_type,
            created: statuses.first().map_or(item.date, |(_, since)| *since),
            amount: item.amount,
            fee: FEE + ordinal * FEE_STEP,
            statuses,
        });
        at
    }

    /// Position of the batch with that id.
    pub fn batch_at(&self, id: i64) -> Option<usize> {
        self.batches.binary_search_by_key(&id, |batch| batch.id).ok()
    }

    /// Changes the deposit with that id; its components add up again afterwards.
    pub fn change_deposit(&mut self, id: i64, change: impl FnOnce(&mut Deposit)) {
        let found = self.deposits.binary_search_by_key(&id, |deposit| deposit.id);
        if let Ok(at) = found {
            let deposit = &mut self.deposits[at];
            change(deposit);
            deposit.net_amount = deposit.components();
        }
    }

    /// Adds a card item right after the record at `before`, to the batch and the deposit that it
    /// names. Ids rise in steps of two or more, so the next ones are free and are used for it.
    pub fn insert_item(&mut self, before: usize, item: &Authorization) {
        let previous = &self.authorizations[before];
        let (id, transaction_id) = (previous.id + 1, previous.transaction_id + 1);
        let item = Authorization { id, transaction_id, ..item.clone() };
        let (batch_id, deposit_id, amount, kind) =
            (item.batch_id, item.deposit_id, item.amount, item.kind);
        self.authorizations.insert(before + 1, item);
        // A record without a transaction has the id of the one before it.
        for later in &mut self.authorizations[before + 2..] {
            if later.transaction_id >= transaction_id {
                break;
            }
            later.transaction_id = transaction_id;
        }
        let (sale, returned) = match kind {
            CardKind::None => return,
            CardKind::Capture => (amount, 0),
            CardKind::Return => (0, amount),
        };
        if let Some(at) = self.batch_at(batch_id) {
            let batch = &mut self.batches[at];
            batch.sales += sale;
            batch.returns += returned;
            batch.count += 1;
        }
        self.change_deposit(deposit_id, |deposit| {
            deposit.sales += sale;
            deposit.returns += returned;
            deposit.transactions += 1;
        });
    }

    /// Takes an amount out of a capture, its batch and its deposit.
    pub fn reduce_capture(&mut self, at: usize, amount: i64) {
        let item = &mut self.authorizations[at];
        item.amount -= amount;
        let (batch_id, deposit_id) = (item.batch_id, item.deposit_id);
        if let Some(at) = self.batch_at(batch_id) {
            self.batches[at].sales -= amount;
        }
        self.change_deposit(deposit_id, |deposit| deposit.sales -= amount);
    }

    /// Takes an amount out of a settled payment, its batch and the last deposit of its day.
    pub fn reduce_transfer(&mut self, at: usize, amount: i64) -> Option<()> {
        let (merchant, date) = (self.transfers[at].merchant, self.transfers[at].settled?);
        let batches: Vec<usize> = (0..self.batches.len())
            .filter(|at| (self.batches[*at].merchant, self.batches[*at].date) == (merchant, date))
            .collect();
        let batch = *batches.get(super::totals::place(at, batches.len()))?;
        let mut own = self.deposits.iter();
        let last = own.rfind(|one| (one.merchant, one.association_date) == (merchant, date))?.id;
        self.transfers[at].amount -= amount;
        self.batches[batch].sales -= amount;
        self.change_deposit(last, |deposit| deposit.sales -= amount);
        Some(())
    }

    /// Makes room for `count` authorizations and transactions after the record at `before`.
    pub fn make_room(&mut self, before: usize, count: usize) {
        let step = 2 * i64::try_from(count + 1).unwrap_or(i64::MAX / 4);
        let last = self.authorizations[before].id;
        let moved = |id: i64| if id > last { id + step } else { id };
        for item in &mut self.authorizations[before + 1..] {
            item.transaction_id += step;
        }
        for item in &mut self.authorizations {
            item.id = moved(item.id);
            item.part_of = moved(item.part_of);
        }
        for dispute in &mut self.disputes {
            dispute.item = dispute.item.map(moved);
        }
    }
}
