//! Counter-entries: books that keep the receipt and post a refund when its money comes back. Such a
//! refund record is the return of the payment that it names, or the dispute of the sale. By
//! reference here; by order id in the passes of the order id, where a return is one more entry of
//! its order.

use std::collections::{HashMap, HashSet};

use chrono::NaiveDate;

use super::input::Item;
use super::order_by_id::compare_records;
use super::order_entry::Entry;
use super::progress::{Place, Progress};
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

/// The records that name items, by what they name.
struct Naming<'a> {
    by_name: HashMap<&'a str, Vec<u32>>,
    /// Those of the names that can be authorizations.
    numbers: HashSet<AuthorizationId>,
}

impl<'a> Naming<'a> {
    fn of(progress: &Progress<'a>, records: impl Iterator<Item = u32>) -> Self {
        let mut by_name: HashMap<&str, Vec<u32>> = HashMap::new();
        for at in records {
            if let Some(named) = progress.record(at).named() {
                by_name.entry(named).or_default().push(at);
            }
        }
        let numbers = by_name.keys().filter_map(|name| name.parse().ok());
        Self { numbers: numbers.map(AuthorizationId).collect(), by_name }
    }

    fn item(&self, item: &Item) -> Vec<u32> {
        let authorization = item.authorization_id.filter(|id| self.numbers.contains(id));
        let authorization = authorization.map(|id| id.to_string());
        let names = [Some(item.item_id.as_str()), authorization.as_deref()];
        let naming = names.into_iter().flatten().filter_map(|name| self.by_name.get(name));
        naming.flatten().copied().collect()
    }
}

/// Sets apart the paid refund records that name what came back: for each event, the nearest record
/// of its amount, dated at most the window before it. Notes those that name any payment.
pub(super) fn run(progress: &mut Progress<'_>, of: Of) {
    let named = Naming::of(progress, refunds_left(progress));
    if named.by_name.is_empty() {
        return;
    }
    for (at, item) in (0..).zip(progress.input.items) {
        if !is_payment(progress, at) {
            continue;
        }
        let naming = named.item(item);
        if naming.is_empty() {
            continue;
        }
        progress.naming_payments.extend(&naming);
        for (date, amount) in came_back(progress, item, of) {
            let fits = naming.iter().copied().filter(|&one| {
                let record = progress.record(one);
                (Some(record.amount), Some(record.currency)) == (amount, item.currency)
                    && progress.is_countering(one, date)
            });
            if let Some(record) = nearest(progress, fits, date) {
                progress.counter(record, at, date);
            }
        }
    }
    for transfer in progress.input.transfers {
        if let Some(naming) = named.by_name.get(transfer.transfer_id.as_str())
            && transfer.ledger_kind() == LedgerKind::Payment
        {
            progress.naming_payments.extend(naming);
        }
    }
    // Payments that are not loaded are known by their ids.
    let settled = progress.input.standing.iter().flat_map(|standing| &standing.settled_ids);
    for naming in settled.filter_map(|id| named.by_name.get(id.as_str())) {
        progress.naming_payments.extend(naming);
    }
}

/// Sets opposites aside: a payment record beyond those that make up its item, and a refund record
/// of its amount that names the item as well and that nothing explains (a chargeback that was
/// posted and reversed, a mistake that was corrected). Together they change nothing.
pub(super) fn set_opposites_aside(progress: &mut Progress<'_>) {
    let is_extra = |at: &u32| {
        matches!(progress.records[*at as usize], Place::Duplicate(_))
            && progress.record(*at).kind == LedgerKind::Payment
    };
    let extra: Vec<u32> = (0..).zip(&progress.records).map(|one| one.0).filter(is_extra).collect();
    if extra.is_empty() {
        return;
    }
    let (extra, refunds) =
        (Naming::of(progress, extra.into_iter()), Naming::of(progress, refunds_left(progress)));
    for (at, item) in (0..).zip(progress.input.items) {
        let mut own = if is_payment(progress, at) { extra.item(item) } else { Vec::new() };
        progress.sort_records(&mut own);
        for payment in own {
            let posted = progress.record(payment);
            let fits = refunds.item(item).into_iter().filter(|&one| {
                let record = progress.record(one);
                (record.amount, record.currency) == (posted.amount, posted.currency)
            });
            if let Some(refund) = nearest(progress, fits, posted.date) {
                let date = posted.date.max(progress.record(refund).date);
                progress.place_record(refund, Place::Counter { item: at, date });
                progress.records[payment as usize] = Place::Counter { item: at, date };
            }
        }
    }
}

/// The open record of `fits` that is nearest to the date.
fn nearest(
    progress: &Progress<'_>,
    fits: impl Iterator<Item = u32>,
    date: NaiveDate,
) -> Option<u32> {
    let days = &progress.input.terms.banking_days;
    fits.filter(|&one| progress.is_record_open(one)).min_by(|&one, &other| {
        let (one, other) = (progress.record(one), progress.record(other));
        let away = |day: NaiveDate| days.distance(day, date);
        away(one.date).cmp(&away(other.date)).then_with(|| compare_records(one, other))
    })
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
