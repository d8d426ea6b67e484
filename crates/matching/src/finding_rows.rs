//! The results of matching as rows for the checks and the reports: ids, subjects and figures. Pure.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use super::findings::{LedgerCode, LedgerFinding};
use super::input::ItemKind;
use super::matched::Matched;
use super::subjects::{item_subject, transfer_subject};
use tieout_model::money::Minor;
use tieout_model::{
    AuthorizationId, BatchId, Finding, LedgerKind, Listing, RecordIds, Resource, Selector,
    Severity, ShortText, TransactionId, TransferId, TransferKind,
};

/// A finding. For a record missing at the processor, also the unlisted bank transfer that it may
/// name.
pub struct Row {
    pub finding: Finding,
    pub named: Option<Listing>,
}

/// Characters of a payment's or refund's id, as published by the API.
const TRANSFER_ID_LENGTH: usize = 10;

/// The findings of the ledger checks, each subject once.
pub fn ledger_rows(matched: &Matched<'_>, found: &[LedgerFinding]) -> Vec<Row> {
    let records = 0..u32::try_from(matched.input.records.len()).unwrap_or(u32::MAX);
    let not_evaluated: Vec<(u32, NaiveDate)> =
        records.filter_map(|at| Some((at, matched.failed_before(at)?))).collect();
    if found.is_empty() && not_evaluated.is_empty() {
        return Vec::new();
    }
    let mut seen = BTreeSet::new();
    let not_evaluated = not_evaluated.iter().map(|&(at, day)| not_evaluated_row(matched, at, day));
    let rows = found.iter().map(|finding| row(matched, finding));
    let mut is_new = |one: &Finding| seen.insert((one.code.clone(), one.subject.clone()));
    not_evaluated.chain(rows).filter(|row| is_new(&row.finding)).collect()
}

/// A finding for a record whose item may lie on an incompletely read day, due or not.
fn not_evaluated_row(matched: &Matched<'_>, at: u32, day: NaiveDate) -> Row {
    let record = matched.record(at);
    let finding = Finding {
        code: LedgerCode::MissingAtProcessor.as_str().to_owned(),
        merchant_id: matched.merchant_id.clone(),
        subject: matched.names().records[at as usize].clone(),
        batch_date: Some(record.date),
        problem: Some(format!(
            "an item of {day} with unknown fields could be ledger record {} of {}",
            record.ledger_id, record.date
        )),
        ..Finding::default()
    };
    Row { finding, named: None }
}

fn row(matched: &Matched<'_>, finding: &LedgerFinding) -> Row {
    let row = Finding {
        code: finding.code.as_str().to_owned(),
        merchant_id: matched.merchant_id.clone(),
        subject: subject(matched, finding),
        currency: finding.currency,
        expected_currency: finding.expected_currency,
        expected: expected(finding).map(|amount| amount.0),
        actual: finding.actual.map(|amount| amount.0),
        batch_date: finding.day,
        ids: ids(matched, finding),
        explanation: finding.explanation.clone(),
        // If the sums differ, something is missing, whichever pairing is right.
        severity: (finding.code == LedgerCode::AmbiguousMatch && finding.difference.is_some())
            .then_some(Severity::Error),
        problem: finding.problem.clone().or_else(|| matched.unknowns().why(finding)),
        ..Finding::default()
    };
    Row { finding: row, named: named_transfer(matched, finding) }
}

fn ids(matched: &Matched<'_>, finding: &LedgerFinding) -> RecordIds {
    // It concerns the merchant and stands for too many records to name.
    if finding.code == LedgerCode::LedgerNotFitting {
        return RecordIds::default();
    }
    let mut ids = Ids::default();
    for &position in &finding.items {
        ids.add_item(matched, position);
    }
    if let Some(transfer) = finding.transfer {
        let known = &matched.input.transfers[transfer as usize];
        match known.kind {
            TransferKind::Payment => ids.payments.insert(known.transfer_id.clone()),
            TransferKind::Refund => ids.refunds.insert(known.transfer_id.clone()),
        };
        ids.orders.extend(known.order_id.clone());
    }
    let records = match finding.code {
        // The second one is the record that the extra one repeats.
        LedgerCode::DuplicateInLedger => &finding.records[..finding.records.len().min(1)],
        _ => &finding.records,
    };
    let ledger_ids: BTreeSet<&str> =
        records.iter().map(|&one| matched.record(one).ledger_id.as_str()).collect();
    if finding.items.is_empty() && finding.transfer.is_none() {
        ids.orders.extend(records.iter().filter_map(|&one| matched.record(one).order_id.clone()));
    }
    RecordIds {
        batch_id: join(&ids.batches),
        authorization_id: join(&ids.authorizations),
        transaction_id: join(&ids.transactions),
        payment_id: join(&ids.payments),
        refund_id: join(&ids.refunds),
        order_id: join(&ids.orders),
        ledger_id: join(&ledger_ids),
        ..RecordIds::default()
    }
}

/// The bank transfer that a record missing at the processor names, if the reference has the form of
/// a transfer id. The processor knows more transfers than the listings of a few days hold.
fn named_transfer(matched: &Matched<'_>, finding: &LedgerFinding) -> Option<Listing> {
    if finding.code != LedgerCode::MissingAtProcessor {
        return None;
    }
    let record = matched.record(*finding.records.first()?);
    let id = record.named().filter(|reference| {
        reference.len() == TRANSFER_ID_LENGTH
            && reference.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })?;
    let resource = match record.kind {
        LedgerKind::Payment => Resource::Payments,
        LedgerKind::Refund => Resource::Refunds,
    };
    Some(Listing::new(resource, Selector::TransferById(TransferId::from(id))))
}

/// The amount of the books. A record in another currency is converted to the decimals of the row's
/// currency; `None` if these cannot hold it.
fn expected(finding: &LedgerFinding) -> Option<Minor> {
    let expected = finding.expected?;
    match finding.expected_currency {
        None => Some(expected),
        Some(own) => expected.in_decimals_of(own, finding.currency?),
    }
}

fn subject(matched: &Matched<'_>, finding: &LedgerFinding) -> String {
    let item = |&position: &u32| item_subject(matched, position);
    let record = |&position: &u32| matched.names().records[position as usize].clone();
    match finding.code {
        LedgerCode::MissingAtProcessor | LedgerCode::DuplicateInLedger => {
            finding.records.first().map(record).unwrap_or_default()
        }
        // The first of several currencies has the merchant alone as subject, like a single one.
        LedgerCode::LedgerNotFitting => {
            let merchant = std::iter::once(matched.merchant_id.to_string());
            merchant.chain(finding.subject.iter().cloned()).collect::<Vec<_>>().join(";")
        }
        LedgerCode::AmbiguousMatch => {
            let items = finding.items.iter().map(item);
            let all: Vec<String> = items.chain(finding.records.iter().map(record)).collect();
            all.join(";")
        }
        LedgerCode::MissingInLedger
        | LedgerCode::AmountMismatch
        | LedgerCode::CurrencyMismatch
        | LedgerCode::StatusMismatch => match (finding.items.first(), finding.transfer) {
            (Some(position), _) => item(position),
            (None, Some(transfer)) => transfer_subject(&matched.input.transfers[transfer as usize]),
            (None, None) => finding.subject.join(";"),
        },
    }
}

/// Ids of one row, ascending.
#[derive(Default)]
struct Ids {
    batches: BTreeSet<BatchId>,
    authorizations: BTreeSet<AuthorizationId>,
    transactions: BTreeSet<TransactionId>,
    payments: BTreeSet<ShortText>,
    refunds: BTreeSet<ShortText>,
    orders: BTreeSet<ShortText>,
}

impl Ids {
    fn add_item(&mut self, matched: &Matched<'_>, position: u32) {
        let item = matched.item(position);
        let card = matched.input.card_ids[position as usize];
        match item.kind {
            ItemKind::Capture | ItemKind::Return => {
                self.batches.extend(card.batch_id);
                self.authorizations.extend(item.authorization_id);
                self.transactions.extend(card.transaction_id);
            }
            ItemKind::Payment => {
                self.payments.insert(item.item_id.clone());
            }
            ItemKind::Refund => {
                self.refunds.insert(item.item_id.clone());
            }
        }
        self.orders.extend(item.order_id.clone());
    }
}

fn join<T: ToString>(ids: &BTreeSet<T>) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(";")
}
