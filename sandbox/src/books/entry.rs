//! The entries that a merchant posts: one for each of its items, named in the usual ways, and a few
//! for bank transfers that did not settle.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use crate::random::{Random, mix};
use crate::world::records::{CardKind, Records, Role, Transfer, TransferStatus, TransferType};

/// Authorization ids below the first transaction id cannot be confused with transaction ids.
const FIRST_TRANSACTION_ID: i64 = 6_130_076;

/// The subject of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Position of an authorization.
    Card(usize),
    /// Position of a bank transfer.
    Transfer(usize),
    /// No record of the processor.
    Nothing,
}

/// A row of the books.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub source: Source,
    pub merchant: usize,
    pub id: String,
    pub is_refund: bool,
    pub date: NaiveDate,
    pub amount: i64,
    pub currency: &'static str,
    pub order_id: Option<String>,
    pub reference: Option<String>,
    pub last4: Option<String>,
    /// `paid`, `void`, `declined` or `returned`.
    pub status: &'static str,
}

impl Entry {
    /// The ids of the items that the entry covers.
    pub fn item_ids(&self, records: &Records) -> BTreeSet<String> {
        match self.source {
            Source::Card(at) => {
                BTreeSet::from([records.authorizations[at].transaction_id.to_string()])
            }
            Source::Transfer(at) => {
                let transfer = &records.transfers[at];
                let again = transfer.representment.map(|again| &records.transfers[again]);
                [Some(transfer), again].into_iter().flatten().map(|one| one.id.clone()).collect()
            }
            Source::Nothing => BTreeSet::new(),
        }
    }
}

/// The books of one merchant, in the order of its records, in full agreement with the processor.
pub fn clean(seed: u64, records: &Records, merchant: usize) -> Vec<Entry> {
    let mut clerk = Clerk {
        records,
        merchant,
        random: Random::new(seed, &[6, merchant as u64]),
        uses: Uses::of(records, merchant),
        entries: Vec::new(),
    };
    for (at, item) in records.authorizations.iter().enumerate() {
        let is_item = item.kind != CardKind::None && item.role != Role::Extra;
        if item.merchant as usize == merchant && is_item {
            clerk.card(at);
        }
    }
    for (at, transfer) in records.transfers.iter().enumerate() {
        if transfer.merchant == merchant {
            clerk.transfer(at, transfer);
        }
    }
    clerk.entries
}

/// How often values occur among a merchant's items: a value that occurs once identifies its item.
#[derive(Default)]
pub struct Uses {
    amounts: BTreeMap<(bool, i64), u32>,
    last_fours: BTreeMap<(bool, i64, u16), u32>,
    /// Over all bank transfers, settled or not.
    orders: BTreeMap<(bool, String), u32>,
}

impl Uses {
    /// Counts the values of one merchant's items.
    pub fn of(records: &Records, merchant: usize) -> Self {
        let mut uses = Self::default();
        for item in &records.authorizations {
            if item.merchant as usize == merchant && item.kind != CardKind::None {
                uses.add(item.kind == CardKind::Return, item.amount, item.card_last4);
            }
        }
        for transfer in records.transfers.iter().filter(|one| one.merchant == merchant) {
            let is_refund = transfer.transfer_type.is_refund();
            uses.add(is_refund, transfer.amount, transfer.account_last4);
            *uses.orders.entry((is_refund, transfer.order_id.clone())).or_default() += 1;
        }
        uses
    }

    fn add(&mut self, is_refund: bool, amount: i64, last4: u16) {
        *self.amounts.entry((is_refund, amount)).or_default() += 1;
        *self.last_fours.entry((is_refund, amount, last4)).or_default() += 1;
    }

    /// Checks that only one item of the kind has the amount.
    pub fn is_amount_alone(&self, is_refund: bool, amount: i64) -> bool {
        self.amounts.get(&(is_refund, amount)) == Some(&1)
    }

    /// Checks that only one item of the kind has the amount and the last four digits.
    pub fn is_last4_alone(&self, is_refund: bool, amount: i64, last4: u16) -> bool {
        self.last_fours.get(&(is_refund, amount, last4)) == Some(&1)
    }

    /// Checks that only one transfer of the kind has the order id.
    pub fn is_order_alone(&self, transfer: &Transfer) -> bool {
        let key = (transfer.transfer_type.is_refund(), transfer.order_id.clone());
        self.orders.get(&key) == Some(&1)
    }
}

struct Clerk<'w> {
    records: &'w Records,
    merchant: usize,
    random: Random,
    uses: Uses,
    entries: Vec<Entry>,
}

impl Clerk<'_> {
    fn card(&mut self, at: usize) {
        let item = &self.records.authorizations[at];
        let is_refund = item.kind == CardKind::Return;
        let last4 = format!("{:04}", item.card_last4);
        let (way, lag) = (self.random.between(1, 100), self.lag(item.date));
        let by_last4 = self.uses.is_last4_alone(is_refund, item.amount, item.card_last4);
        let by_amount = self.uses.is_amount_alone(is_refund, item.amount);
        let mut entry = self.entry(Source::Card(at), is_refund, item.date, item.amount);
        match way {
            1..=25 if by_last4 => (entry.last4, entry.date) = (Some(last4), lag),
            // Without any number the item is found only on the same day.
            26..=32 if by_amount => {}
            33..=42 if item.id < FIRST_TRANSACTION_ID => {
                (entry.reference, entry.date) = (Some(item.authorization_id().to_string()), lag);
            }
            // The number of a wallet differs from the card's.
            43..=47 => {
                entry.reference = Some(item.transaction_id.to_string());
                entry.last4 = Some(format!("{:04}", (item.card_last4 + 1) % 10_000));
            }
            _ => {
                entry.reference = Some(item.transaction_id.to_string());
                entry.last4 = Some(last4).filter(|_| way % 2 == 0);
                entry.order_id = (way % 3 == 0).then(|| format!("WEB-{at}"));
                entry.date = lag;
            }
        }
        self.entries.push(entry);
    }

    fn transfer(&mut self, at: usize, transfer: &Transfer) {
        match transfer.settled.filter(|_| transfer.is_item()) {
            Some(day) => self.settled(at, transfer, day),
            None => self.unsettled(at, transfer),
        }
    }

    fn settled(&mut self, at: usize, transfer: &Transfer, day: NaiveDate) {
        let way = self.random.between(1, 100);
        if transfer.represents.is_some_and(|original| self.stands_for_both(original)) {
            return;
        }
        let is_refund = transfer.transfer_type.is_refund();
        let is_paid_at_last = transfer.representment.is_some() && self.stands_for_both(at);
        let status = if is_paid_at_last { "paid" } else { self.status(transfer) };
        let last4 = format!("{:04}", transfer.account_last4);
        let by_last4 = self.uses.is_last4_alone(is_refund, transfer.amount, transfer.account_last4);
        let lag = self.lag(day);
        let mut entry = self.entry(Source::Transfer(at), is_refund, day, transfer.amount);
        entry.status = status;
        match way {
            1..=20 if by_last4 && status == "paid" => {
                (entry.last4, entry.date) = (Some(last4), lag);
            }
            21..=55 if self.uses.is_order_alone(transfer) => {
                (entry.order_id, entry.date) = (Some(transfer.order_id.clone()), lag);
            }
            _ => {
                entry.reference = Some(transfer.id.clone());
                entry.order_id = way.is_multiple_of(2).then(|| transfer.order_id.clone());
            }
        }
        self.entries.push(entry);
    }

    /// Checks whether the merchant posts nothing for a re-presentment of this payment: then one
    /// paid entry covers both.
    fn stands_for_both(&self, original: usize) -> bool {
        self.records.transfers[original].is_item() && mix(original as u64).is_multiple_of(2)
    }

    /// Now and then posts a transfer that has not settled, or never will.
    fn unsettled(&mut self, at: usize, transfer: &Transfer) {
        let moves_money = transfer.return_of.is_none()
            && transfer.transfer_type != TransferType::AccountVerification;
        if !moves_money || !self.random.chance(35) {
            return;
        }
        let status = self.status(transfer);
        let is_refund = transfer.transfer_type.is_refund();
        let source = Source::Transfer(at);
        let mut entry = self.entry(source, is_refund, transfer.run_date, transfer.amount);
        entry.status = status;
        entry.reference = Some(transfer.id.clone());
        self.entries.push(entry);
    }

    /// The merchant's status of a bank transfer, in agreement with the processor.
    fn status(&mut self, transfer: &Transfer) -> &'static str {
        match transfer.status {
            TransferStatus::Declined
            | TransferStatus::Expired
            | TransferStatus::Referral
            | TransferStatus::Pickup => "declined",
            TransferStatus::Reversal => "void",
            // No return states that it was closed or presented again.
            TransferStatus::Returned if transfer.returns.is_empty() => "returned",
            TransferStatus::Returned => {
                let is_done =
                    |entry: &crate::world::records::Return| entry.represented || entry.closed;
                let may_stay_paid = transfer.returns.iter().all(is_done);
                if may_stay_paid && self.random.chance(50) { "paid" } else { "returned" }
            }
            TransferStatus::Ready
            | TransferStatus::Pending
            | TransferStatus::Complete
            | TransferStatus::Admin
            | TransferStatus::Accepted => "paid",
        }
    }

    /// The day of posting: mostly the same day, now and then up to the next banking day.
    fn lag(&mut self, day: NaiveDate) -> NaiveDate {
        if self.random.chance(85) {
            return day;
        }
        let last = self.records.merchants[self.merchant].calendar.due(day, 1);
        let days: Vec<NaiveDate> = day.iter_days().take_while(|one| *one <= last).collect();
        *self.random.choose(&days)
    }

    fn entry(&mut self, source: Source, is_refund: bool, date: NaiveDate, amount: i64) -> Entry {
        Entry {
            source,
            merchant: self.merchant,
            // Unique over all merchants, as they may share a ledger.
            id: format!("INV-{:03}-{:06}", self.merchant, self.entries.len() + 1),
            is_refund,
            date,
            amount,
            currency: self.records.merchants[self.merchant].currency,
            order_id: None,
            reference: None,
            last4: None,
            status: "paid",
        }
    }
}
