//! Counter-entries: books that keep the receipt and post a refund when its money comes back. Such a
//! refund record is the return of the payment that it names, or the dispute of the sale. By
//! reference here; by order id in the passes of the order id, where a return is one more entry of
//! its order.

use std::collections::{HashMap, HashSet};

use chrono::NaiveDate;

use super::input::Item;
use super::order_by_id::compare_records;
use super::order_entry::Entry;
use super::progress::Progress;
use tieout_model::money::Minor;
use tieout_model::{AuthorizationId, LedgerKind, LedgerStatus};

/// The events that a counter-entry can be paired with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// Returns, and disputes that were lost.
    Certain,
    /// Undecided disputes, which may have been debited; used only for records that no pass has
    /// taken.
    Undecided,
}

/// Sets apart the paid refund records that name what came back: for each event, the nearest record
/// of its amount, dated at most the window before it. Notes those that name any payment.
pub(super) fn run(progress: &mut Progress<'_>, of: Of) {
    let mut by_name: HashMap<&str, Vec<u32>> = HashMap::new();
    for at in refunds_left(progress) {
        if let Some(named) = progress.record(at).named() {
            by_name.entry(named).or_default().push(at);
        }
    }
    if by_name.is_empty() {
        return;
    }
    let numbers = by_name.keys().filter_map(|name| name.parse().ok());
    let numbers: HashSet<AuthorizationId> = numbers.map(AuthorizationId).collect();
    for (at, item) in (0..).zip(progress.input.items) {
        if !is_payment(progress, at) {
            continue;
        }
        let authorization = item.authorization_id.filter(|id| numbers.contains(id));
        let authorization = authorization.map(|id| id.to_string());
        let names = [Some(item.item_id.as_str()), authorization.as_deref()];
        let naming = names.into_iter().flatten().filter_map(|name| by_name.get(name));
        let naming: Vec<u32> = naming.flatten().copied().collect();
        if naming.is_empty() {
            continue;
        }
        progress.naming_payments.extend(&naming);
        for (date, amount) in came_back(progress, item, of) {
            let fits = naming.iter().copied().filter(|&one| {
                let record = progress.record(one);
                progress.is_record_open(one)
                    && (Some(record.amount), Some(record.currency)) == (amount, item.currency)
                    && progress.is_countering(one, date)
            });
            let days = &progress.input.terms.banking_days;
            let nearest = fits.min_by(|&one, &other| {
                let (one, other) = (progress.record(one), progress.record(other));
                let away = |day: NaiveDate| days.distance(day, date);
                away(one.date).cmp(&away(other.date)).then_with(|| compare_records(one, other))
            });
            if let Some(record) = nearest {
                progress.counter(record, at, date);
            }
        }
    }
    for transfer in progress.input.transfers {
        if let Some(naming) = by_name.get(transfer.transfer_id.as_str())
            && transfer.ledger_kind() == LedgerKind::Payment
        {
            progress.naming_payments.extend(naming);
        }
    }
    // Payments that are not loaded are known by their ids.
    let settled = progress.input.standing.iter().flat_map(|standing| &standing.settled_ids);
    for naming in settled.filter_map(|id| by_name.get(id.as_str())) {
        progress.naming_payments.extend(naming);
    }
}

/// The returns of bank transfers with an order id that have no counter-entry; none if no record
/// could be one.
pub(super) fn returns_left(progress: &Progress<'_>) -> Vec<Entry> {
    if !refunds_left(progress).any(|at| progress.record(at).order_id.is_some()) {
        return Vec::new();
    }
    let payments = (0..).zip(progress.input.items).filter(|(at, item)| {
        !item.kind.is_card() && item.order_id.is_some() && is_payment(progress, *at)
    });
    let entries = payments.flat_map(|(item, one)| {
        let events = came_back(progress, one, Of::Certain).into_iter();
        events.map(move |(date, _)| Entry::Back { item, date })
    });
    entries.filter(|entry| entry.is_open(progress)).collect()
}

/// The paid refund records that nothing has taken.
fn refunds_left(progress: &Progress<'_>) -> impl Iterator<Item = u32> {
    (0..).zip(progress.input.records).filter_map(|(at, record)| {
        let is_refund = record.kind == LedgerKind::Refund && record.status == LedgerStatus::Paid;
        (is_refund && progress.is_record_open(at)).then_some(at)
    })
}

fn is_payment(progress: &Progress<'_>, at: u32) -> bool {
    progress.is_item_known(at) && progress.item(at).kind.ledger_kind() == LedgerKind::Payment
}

/// The dates by the business date on which money of an item came back, with the amounts.
fn came_back(progress: &Progress<'_>, item: &Item, of: Of) -> Vec<(NaiveDate, Option<Minor>)> {
    let input = progress.input;
    let returns = item.facts.iter().filter(|_| of == Of::Certain).flat_map(|facts| &facts.returns);
    let disputes = input.disputed.and_then(|disputed| disputed.get(&item.item_id));
    let disputes = disputes.into_iter().flatten();
    let disputes = disputes.filter(|one| one.is_lost == (of == Of::Certain));
    let mut events: Vec<(NaiveDate, Option<Minor>)> = returns
        .filter(|one| one.is_whole(input.terms.business_date))
        .map(|one| (one.date, item.amount))
        .chain(disputes.map(|one| (one.date, one.amount.and_then(Minor::checked_abs))))
        .collect();
    events.retain(|(date, _)| *date <= input.terms.business_date);
    events.sort_unstable();
    events
}
