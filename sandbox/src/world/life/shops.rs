//! Properties of a merchant: a contract of its own with a card company, closed days, equal days.

use chrono::Days;

use super::Weaver;
use crate::world::records::{Authorization, Batch, CARDS, CardKind, Standing};

/// The card type of such contracts.
const BRAND: &str = "amex";
/// First dates on which a shop is closed.
const CLOSED_DAYS: u64 = 3;

impl Weaver<'_> {
    /// Merchants without any kind worked in.
    fn untouched(&self) -> Vec<usize> {
        let is_free = |merchant: &usize| {
            self.records.merchants[*merchant].is_configured
                && !self.records.merchants[*merchant].is_silent
                && !self.woven.groups.iter().any(|(other, _)| other == merchant)
        };
        (0..self.records.merchants.len()).filter(is_free).collect()
    }

    /// One card company pays a merchant itself, on every day.
    pub(super) fn contract_of_its_own(&mut self) -> Option<()> {
        let is_brand = |item: &Authorization| {
            CARDS[usize::from(item.card)].1 == BRAND
                && item.kind != CardKind::None
                && item.standing == Standing::Ordinary
                && item.deposit_id != 0
        };
        let mut merchants = self.untouched();
        merchants.retain(|merchant| {
            let own = self.records.authorizations.iter();
            let own = own.filter(|item| item.merchant as usize == *merchant && is_brand(item));
            // Each deposit is more than twice the brand's items in it: it stays well above zero
            // without them.
            self.records.deposits.iter().all(|deposit| {
                let out: i64 = own
                    .clone()
                    .filter(|item| item.deposit_id == deposit.id)
                    .map(|item| item.amount)
                    .sum();
                deposit.merchant != *merchant || out == 0 || deposit.net_amount > 2 * out
            }) && own.clone().any(|item| item.date >= self.from)
        });
        let merchant = self.random.pick(&merchants)?;
        for at in 0..self.records.authorizations.len() {
            let item = &mut self.records.authorizations[at];
            if item.merchant as usize != merchant || !is_brand(item) {
                continue;
            }
            item.standing = Standing::PaidByThirdParty;
            let (amount, kind) = (item.amount, item.kind);
            let deposit_id = std::mem::take(&mut item.deposit_id);
            self.records.change_deposit(deposit_id, |deposit| {
                match kind {
                    CardKind::Return => deposit.returns -= amount,
                    _ => deposit.sales -= amount,
                }
                deposit.transactions -= 1;
            });
        }
        let dates: Vec<_> = self.days().into_keys().filter(|day| day.0 == merchant).collect();
        self.woven.groups.extend(dates);
        Some(())
    }

    /// A shop without bank transfers has no records before its first open day.
    pub(super) fn close_first(&mut self) -> Option<()> {
        let opens =
            self.from.checked_add_days(Days::new(CLOSED_DAYS)).filter(|at| *at < self.to)?;
        let mut merchants = self.untouched();
        merchants.retain(|merchant| {
            let has_open = |batch: &Batch| batch.merchant == *merchant && batch.date >= opens;
            !self.records.merchants[*merchant].takes_bank_transfers()
                && self.records.batches.iter().any(has_open)
        });
        let merchant = self.random.pick(&merchants)?;
        let records = &mut *self.records;
        records.batches.retain(|one| one.merchant != merchant || one.date >= opens);
        records.authorizations.retain(|one| one.merchant as usize != merchant || one.date >= opens);
        let is_early = |one: &crate::world::records::Deposit| {
            one.merchant == merchant && one.association_date < opens
        };
        let gone: Vec<i64> =
            records.deposits.iter().filter(|one| is_early(one)).map(|one| one.id).collect();
        records.deposits.retain(|one| !is_early(one));
        records.fees.retain(|fee| fee.deposit_id.is_none_or(|id| !gone.contains(&id)));
        Some(())
    }

    /// The items of a batch are repeated on the merchant's next date, with that date as their own.
    pub(super) fn repeat_next_day(&mut self) -> Option<()> {
        let days = self.due_days();
        let is_pair = |pair: &[super::Day]| {
            let is_next = pair[0].merchant == pair[1].merchant
                && pair[1].date <= self.records.due(pair[0].merchant, pair[0].date, 1);
            let counts = pair[0].batches.len() == 1
                && pair[1].batches.len() == 1
                && pair[1].deposits.len() == 1;
            is_next && counts && self.captures(&pair[0]).len() >= 3
        };
        let pairs: Vec<_> =
            days.windows(2).filter(|pair| is_pair(pair)).map(<[super::Day]>::to_vec).collect();
        let pair = self.random.pick(&pairs)?;
        let first = &self.records.batches[pair[0].batches[0]];
        let mut copies: Vec<Authorization> = self.records.batch_items(first.id).to_vec();
        copies.retain(|item| item.kind != CardKind::None);
        let (at, deposit) = (pair[1].batches[0], self.records.deposits[pair[1].deposits[0]].id);
        let model = self.records.batches[at].clone();
        let again =
            Batch { id: model.id + 1, is_evening: true, sales: 0, returns: 0, count: 0, ..model };
        let end = self.records.authorizations.partition_point(|item| item.batch_id <= again.id);
        self.records.make_room(end - 1, copies.len());
        self.records.batches.insert(at + 1, again.clone());
        for (nth, copy) in copies.into_iter().enumerate() {
            let (batch_id, date) = (again.id, again.date);
            let copy = Authorization { batch_id, date, deposit_id: deposit, part_of: 0, ..copy };
            self.records.insert_item(end - 1 + nth, &copy);
        }
        for day in &pair {
            self.claim(day.merchant, day.date);
        }
        Some(())
    }
}
