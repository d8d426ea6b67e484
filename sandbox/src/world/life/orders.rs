//! Payments under one order id: subscriptions, orders in parts, and sales returned in full.

use super::Weaver;
use crate::world::records::{Authorization, CardKind, Transfer};

/// Payments of a subscription.
const TIMES: usize = 3;

impl Weaver<'_> {
    /// Gives a payment the order, the account and the smaller amount of another one; its batch and
    /// its deposit follow.
    pub(super) fn pay_as(&mut self, at: usize, model: &Transfer) -> Option<()> {
        let (merchant, settled) =
            (self.records.transfers[at].merchant, self.records.transfers[at].settled?);
        let less = self.records.transfers[at].amount - model.amount;
        self.records.reduce_transfer(at, less)?;
        let one = &mut self.records.transfers[at];
        one.order_id.clone_from(&model.order_id);
        one.account_last4 = model.account_last4;
        self.woven.transfers.insert(at);
        self.claim(merchant, settled);
        Some(())
    }

    /// Plain payments of one merchant on different days, the smallest first.
    fn payments_of_one(&mut self, count: usize) -> Option<Vec<usize>> {
        let plain = self.plain_payments();
        let first = self.random.pick(&plain)?;
        let merchant = self.records.transfers[first].merchant;
        let mut own: Vec<usize> = Vec::new();
        for at in plain {
            let one = &self.records.transfers[at];
            let is_new =
                own.iter().all(|other| self.records.transfers[*other].settled != one.settled);
            if one.merchant == merchant && is_new {
                own.push(at);
            }
        }
        own.truncate(count);
        own.sort_by_key(|at| self.records.transfers[*at].amount);
        (own.len() == count).then_some(own)
    }

    /// Payments of one amount and order id, from one account.
    pub(super) fn subscribe(&mut self) -> Option<()> {
        let own = self.payments_of_one(TIMES)?;
        let mut model = self.records.transfers[*own.first()?].clone();
        model.order_id = format!("SUB-{:05}", own[0]);
        own.into_iter().try_for_each(|at| self.pay_as(at, &model))
    }

    /// Two payments of an order, which the books split differently.
    pub(super) fn order_in_parts(&mut self) -> Option<()> {
        let own = self.payments_of_one(2)?;
        for at in &own {
            let model = Transfer {
                order_id: format!("PART-{:05}", own[0]),
                account_last4: self.records.transfers[own[0]].account_last4,
                ..self.records.transfers[*at].clone()
            };
            self.pay_as(*at, &model)?;
        }
        Some(())
    }

    /// A sale is returned in full, days later, under its authorization.
    pub(super) fn give_back(&mut self) -> Option<()> {
        let days = self.due_days();
        let day = self.random.pick(&days)?;
        let at = {
            let captures = self.captures(&day);
            self.random.pick(&captures)?
        };
        let sale = self.records.authorizations[at].clone();
        let mut later = days;
        later.retain(|other| {
            other.merchant == day.merchant
                && other.date > day.date
                && other.date <= self.records.due(day.merchant, day.date, 1)
                && !self.captures(other).is_empty()
                && other.deposits.len() == 1
                && self.records.deposits[other.deposits[0]].net_amount > sale.amount
        });
        let later = self.random.pick(&later)?;
        self.claim(day.merchant, day.date);
        self.claim(later.merchant, later.date);
        let host = self.captures(&later).last().copied()?;
        let host = self.records.authorizations[host].clone();
        let end =
            self.records.authorizations.partition_point(|item| item.batch_id <= host.batch_id);
        let back = Authorization {
            part_of: sale.authorization_id(),
            kind: CardKind::Return,
            batch_id: host.batch_id,
            deposit_id: host.deposit_id,
            date: later.date,
            is_day_before: false,
            ..sale
        };
        self.records.insert_item(end - 1, &back);
        Some(())
    }
}
