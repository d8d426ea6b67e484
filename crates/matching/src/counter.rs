//! Counter-entries: books that keep the receipt and post a refund when its money comes back. Such a
//! refund record is the return of the payment that it names, or the dispute of the sale.

use std::collections::HashMap;

use chrono::NaiveDate;

use super::input::Item;
use super::order_by_id::compare_records;
use super::progress::{Place, Progress};
use tieout_model::money::Minor;
use tieout_model::{LedgerKind, LedgerStatus};

/// The events that a counter-entry can be paired with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// Returns, and disputes that were lost.
    Certain,
    /// Undecided disputes, which may have been debited; used only for records that no pass has
    /// taken.
    Undecided,
}

/// Sets apart the paid refund records that are a return or a dispute: for each event, the nearest
/// record of its amount, dated at most the window before it.
pub(super) fn run(progress: &mut Progress<'_>, of: Of) {
    let mut by_name: HashMap<&str, Vec<u32>> = HashMap::new();
    for (at, record) in (0..).zip(progress.input.records) {
        let is_refund = record.kind == LedgerKind::Refund && record.status == LedgerStatus::Paid;
        if let Some(named) = record.named().filter(|_| is_refund && progress.is_record_open(at)) {
            by_name.entry(named).or_default().push(at);
        }
    }
    if by_name.is_empty() {
        return;
    }
    for (at, item) in (0..).zip(progress.input.items) {
        if !progress.is_item_known(at) || item.kind.ledger_kind() != LedgerKind::Payment {
            continue;
        }
        let events = came_back(progress, item, of);
        if events.is_empty() {
            continue;
        }
        let authorization = item.authorization_id.map(|id| id.to_string());
        let names = [Some(item.item_id.as_str()), authorization.as_deref()];
        let naming = names.into_iter().flatten().filter_map(|name| by_name.get(name));
        let naming: Vec<u32> = naming.flatten().copied().collect();
        for (date, amount) in events {
            let fits = naming.iter().copied().filter(|&one| {
                let record = progress.record(one);
                progress.is_record_open(one)
                    && (Some(record.amount), Some(record.currency)) == (amount, item.currency)
                    && is_near(progress, record.date, date)
            });
            let days = &progress.input.terms.banking_days;
            let nearest = fits.min_by(|&one, &other| {
                let (one, other) = (progress.record(one), progress.record(other));
                let away = |day: NaiveDate| days.distance(day, date);
                away(one.date).cmp(&away(other.date)).then_with(|| compare_records(one, other))
            });
            if let Some(record) = nearest {
                progress.place_record(record, Place::Counter { item: at, date });
            }
        }
    }
}

/// The dates by the business date on which money of an item came back, with the amounts.
fn came_back(progress: &Progress<'_>, item: &Item, of: Of) -> Vec<(NaiveDate, Option<Minor>)> {
    let input = progress.input;
    let returns = item.facts.iter().filter(|_| of == Of::Certain).flat_map(|facts| &facts.returns);
    let disputes = input.disputed.and_then(|disputed| disputed.get(&item.item_id));
    let disputes = disputes.into_iter().flatten();
    let disputes = disputes.filter(|one| one.is_lost == (of == Of::Certain));
    let mut events: Vec<(NaiveDate, Option<Minor>)> = returns
        .map(|one| (one.date, item.amount))
        .chain(disputes.map(|one| (one.date, one.amount.and_then(Minor::checked_abs))))
        .collect();
    events.retain(|(date, _)| *date <= input.terms.business_date);
    events.sort_unstable();
    events
}

fn is_near(progress: &Progress<'_>, record: NaiveDate, event: NaiveDate) -> bool {
    let terms = progress.input.terms;
    record >= event || terms.banking_days.distance(record, event) <= terms.window_days
}
