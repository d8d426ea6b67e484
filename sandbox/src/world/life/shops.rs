//! Properties of a merchant: a contract of its own with a card company, closed days, equal days.

use chrono::Days;

use super::weaver::{Day, Weaver};
use crate::world::records::{Authorization, Batch, CARDS, CardKind, Standing};

/// The card type of such contracts.
const BRAND: &str = "amex";
/// First dates on which a shop is closed.
const CLOSED_DAYS: u64 = 3;

/// Merchants without any kind worked in.
fn untouched(weaver: &Weaver<'_>) -> Vec<usize> {
    let is_free = |merchant: &usize| {
        weaver.records.merchants[*merchant].is_configured
            && !weaver.records.merchants[*merchant].is_silent
            && !weaver.woven.groups.iter().any(|(other, _)| other == merchant)
    };
    (0..weaver.records.merchants.len()).filter(is_free).collect()
}

/// One card company pays a merchant itself, on every day.
pub(super) fn contract_of_its_own(weaver: &mut Weaver<'_>) -> Option<()> {
    let is_brand = |item: &Authorization| {
        CARDS[usize::from(item.card)].1 == BRAND
            && item.kind != CardKind::None
            && item.standing == Standing::Ordinary
            && item.deposit_id != 0
    };
    let mut merchants = untouched(weaver);
    merchants.retain(|merchant| {
        let own = weaver.records.authorizations.iter();
        let own = own.filter(|item| item.merchant as usize == *merchant && is_brand(item));
        // Each deposit is more than twice the brand's items in it: it stays well above zero without
        // them.
        weaver.records.deposits.iter().all(|deposit| {
            let out: i64 = own
                .clone()
                .filter(|item| item.deposit_id == deposit.id)
                .map(|item| item.amount)
                .sum();
            deposit.merchant != *merchant || out == 0 || deposit.net_amount > 2 * out
        }) && own.clone().any(|item| item.date >= weaver.from)
    });
    let merchant = weaver.random.pick(&merchants)?;
    for at in 0..weaver.records.authorizations.len() {
        let item = &mut weaver.records.authorizations[at];
        if item.merchant as usize != merchant || !is_brand(item) {
            continue;
        }
        item.standing = Standing::PaidByThirdParty;
        let (amount, kind) = (item.amount, item.kind);
        let deposit_id = std::mem::take(&mut item.deposit_id);
        weaver.records.change_deposit(deposit_id, |deposit| {
            match kind {
                CardKind::Return => deposit.returns -= amount,
                _ => deposit.sales -= amount,
            }
            deposit.transactions -= 1;
        });
    }
    let dates: Vec<_> = weaver.days().into_keys().filter(|day| day.0 == merchant).collect();
    weaver.woven.groups.extend(dates);
    Some(())
}

/// A shop without bank transfers has no records before its first open day.
pub(super) fn close_first(weaver: &mut Weaver<'_>) -> Option<()> {
    let opens =
        weaver.from.checked_add_days(Days::new(CLOSED_DAYS)).filter(|at| *at < weaver.to)?;
    let mut merchants = untouched(weaver);
    merchants.retain(|merchant| {
        let has_open = |batch: &Batch| batch.merchant == *merchant && batch.date >= opens;
        !weaver.records.merchants[*merchant].takes_bank_transfers()
            && weaver.records.batches.iter().any(has_open)
    });
    let merchant = weaver.random.pick(&merchants)?;
    let records = &mut *weaver.records;
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
pub(super) fn repeat_next_day(weaver: &mut Weaver<'_>) -> Option<()> {
    let days = weaver.due_days();
    let is_pair = |pair: &[Day]| {
        let is_next = pair[0].merchant == pair[1].merchant
            && pair[1].date <= weaver.records.due(pair[0].merchant, pair[0].date, 1);
        let counts =
            pair[0].batches.len() == 1 && pair[1].batches.len() == 1 && pair[1].deposits.len() == 1;
        is_next && counts && weaver.captures(&pair[0]).len() >= 3
    };
    let pairs: Vec<_> = days.windows(2).filter(|pair| is_pair(pair)).map(<[Day]>::to_vec).collect();
    let pair = weaver.random.pick(&pairs)?;
    let first = &weaver.records.batches[pair[0].batches[0]];
    let mut copies: Vec<Authorization> = weaver.records.batch_items(first.id).to_vec();
    copies.retain(|item| item.kind != CardKind::None);
    let (at, deposit) = (pair[1].batches[0], weaver.records.deposits[pair[1].deposits[0]].id);
    let model = weaver.records.batches[at].clone();
    let again =
        Batch { id: model.id + 1, is_evening: true, sales: 0, returns: 0, count: 0, ..model };
    let end = weaver.records.authorizations.partition_point(|item| item.batch_id <= again.id);
    weaver.records.make_room(end - 1, copies.len());
    weaver.records.batches.insert(at + 1, again.clone());
    for (nth, copy) in copies.into_iter().enumerate() {
        let (batch_id, date) = (again.id, again.date);
        let copy = Authorization { batch_id, date, deposit_id: deposit, part_of: 0, ..copy };
        weaver.records.insert_item(end - 1 + nth, &copy);
    }
    for day in &pair {
        weaver.claim(day.merchant, day.date);
    }
    Some(())
}
