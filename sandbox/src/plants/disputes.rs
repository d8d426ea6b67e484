//! Plants in disputes, and in card items that share an authorization.

use chrono::NaiveDate;

use super::key::Expected;
use super::planter::{Nth, Planter};
use crate::world::disputes::{Dispute, DisputeStatus, DisputeType};
use crate::world::records::{Authorization, CardKind, Role, Standing};

/// Transactions examined for a dispute with a refund, at most.
const CANDIDATES: usize = 40;

/// A dispute waits for an answer of the merchant, and five banking days have passed.
pub fn dispute_open(planter: &mut Planter<'_>, nth: Nth) -> Option<()> {
    let candidates: Vec<(usize, NaiveDate)> = planter
        .plain_captures()
        .into_iter()
        .filter_map(|at| {
            let item = &planter.records.authorizations[at];
            let created = item.date.succ_opt()?;
            let due = planter.records.due(item.merchant as usize, created, 5);
            planter.is_in_range(due).then_some((at, created))
        })
        .collect();
    let (at, created) = planter.random.pick(&candidates)?;
    let item = planter.records.authorizations[at].clone();
    let merchant = item.merchant as usize;
    planter.use_group(merchant, item.date);
    let (dispute_type, status) = match nth.0 % 3 {
        0 => (DisputeType::First, DisputeStatus::New),
        1 => (DisputeType::Prearbitration, DisputeStatus::PrearbitrationInProcess),
        _ => (DisputeType::First, DisputeStatus::PrecomplianceInProcess),
    };
    let dispute = planter.records.add_dispute(&item, dispute_type, vec![(status, created)]);
    let due = planter.records.due(merchant, created, 5);
    let dispute = planter.records.disputes[dispute].clone();
    let entry = planter.about_dispute("DISPUTE_OPEN", &dispute, &item, due);
    // The finding names only the dispute and its transaction.
    let entry = Expected { authorization_id: String::new(), ..entry };
    planter.expected.push(entry.with_figures(0, dispute.amount));
    Some(())
}

/// A disputed sale was refunded as well: under its own authorization or, in every second plant, to
/// the same card under another one.
pub fn disputed_and_refunded(planter: &mut Planter<'_>, nth: Nth) -> Option<()> {
    let (mut candidates, all, captures) =
        (Vec::new(), planter.free_groups(), planter.plain_captures());
    // A few candidates are enough.
    for _ in 0..CANDIDATES {
        let Some(at) = planter.random.pick(&captures) else { break };
        let item = &planter.records.authorizations[at];
        // A sale from before the first date is not read by a run.
        if !planter.is_in_range(item.date) {
            continue;
        }
        let merchant = item.merchant as usize;
        let groups = all.iter();
        let later = groups.filter(|group| {
            group.merchant == merchant && group.date > item.date && planter.is_in_range(group.date)
        });
        let host = later.into_iter().find_map(|group| planter.host(group));
        if let Some(host) = host.filter(|_| planter.is_only_sale(item)) {
            candidates.push((at, host));
        }
    }
    let (at, host) = planter.random.pick(&candidates)?;
    let item = planter.records.authorizations[at].clone();
    let host = planter.records.authorizations[host].clone();
    let merchant = item.merchant as usize;
    planter.use_group(merchant, item.date);
    planter.use_group(merchant, host.date);
    let is_same = nth.0.is_multiple_of(2);
    let returned = Authorization {
        part_of: if is_same { item.id } else { 0 },
        batch_id: host.batch_id,
        deposit_id: host.deposit_id,
        date: host.date,
        kind: CardKind::Return,
        preauthorization: None,
        response: None,
        is_day_before: false,
        ..item.clone()
    };
    let items = &planter.records.authorizations;
    let end = items.partition_point(|other| other.batch_id <= host.batch_id);
    planter.records.insert_item(end - 1, &returned);
    let created = item.date.succ_opt()?;
    let next = created.succ_opt()?;
    let statuses =
        vec![(DisputeStatus::New, created), (DisputeStatus::RepresentmentInProgress, next)];
    let dispute = planter.records.add_dispute(&item, DisputeType::First, statuses);
    let dispute = planter.records.disputes[dispute].clone();
    let first_seen = host.date.max(created).max(planter.from);
    let entry = planter.about_dispute("DISPUTED_AND_REFUNDED", &dispute, &item, first_seen);
    planter.expected.push(entry.with_figures(item.amount, 2 * item.amount));
    Some(())
}

/// The sum of the captures of an authorization exceeds it.
pub fn parts_exceed_authorization(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let mut captures = planter.plain_captures();
    captures.retain(|at| {
        let item = &planter.records.authorizations[*at];
        let merchant = &planter.records.merchants[item.merchant as usize];
        // A restaurant may capture a ninth more.
        planter.is_in_range(item.date) && merchant.capture_tolerance_percent == 0
    });
    let at = planter.random.pick(&captures)?;
    let whole = planter.records.authorizations[at].clone();
    let merchant = whole.merchant as usize;
    planter.use_group(merchant, whole.date);
    let rest = whole.amount * 2 / 5;
    let authorized = whole.amount * 9 / 10;
    planter.records.reduce_capture(at, rest);
    let item = &mut planter.records.authorizations[at];
    item.preauthorization = Some(authorized);
    item.response = Some(crate::world::records::APPROVED);
    let part = Authorization { part_of: item.id, amount: rest, ..item.clone() };
    planter.records.insert_item(at, &part);
    let second = planter.records.authorizations[at + 1].transaction_id;
    let entry = planter.entry("CAPTURE_EXCEEDS_AUTHORIZATION", merchant, whole.date);
    planter.expected.push(Expected {
        last_seen: Some(whole.date),
        batch_id: whole.batch_id.to_string(),
        authorization_id: whole.authorization_id().to_string(),
        transaction_id: format!("{};{second}", whole.transaction_id),
        ..entry.with_figures(authorized, whole.amount)
    });
    Some(())
}

impl Planter<'_> {
    /// Positions of ordinary captures of configured merchants, on days that no plant has used,
    /// including days before the range.
    fn plain_captures(&self) -> Vec<usize> {
        let items = self.records.authorizations.iter().enumerate();
        items
            .filter(|(_, item)| {
                let merchant = item.merchant as usize;
                self.records.merchants[merchant].is_configured
                    && item.kind == CardKind::Capture
                    && item.role == Role::Ordinary
                    && item.standing == Standing::Ordinary
                    && item.part_of == 0
                    && item.deposit_id != 0
                    && item.amount > 200
                    && !self.used_groups.contains(&(merchant, item.date))
            })
            .map(|(at, _)| at)
            .collect()
    }

    /// An item of a group beside which others can be added: it names a batch and a deposit.
    fn host(&self, group: &super::planter::Group) -> Option<usize> {
        let last = self.records.batches[*group.batches.last()?].id;
        let items = &self.records.authorizations;
        let start = items.partition_point(|item| item.batch_id < last);
        let end = items.partition_point(|item| item.batch_id <= last);
        (start..end).rev().find(|at| items[*at].deposit_id != 0)
    }

    /// Checks that no other item of the merchant has its last four digits and its amount.
    fn is_only_sale(&self, item: &Authorization) -> bool {
        let same = self.records.authorizations.iter().filter(|other| {
            other.merchant == item.merchant
                && (other.card_last4, other.amount) == (item.card_last4, item.amount)
        });
        same.count() == 1
    }

    fn about_dispute(
        &self,
        code: &'static str,
        dispute: &Dispute,
        item: &Authorization,
        first_seen: NaiveDate,
    ) -> Expected {
        Expected {
            dispute_id: dispute.id.to_string(),
            authorization_id: item.authorization_id().to_string(),
            transaction_id: item.transaction_id.to_string(),
            ..self.entry(code, dispute.merchant, first_seen)
        }
    }
}
