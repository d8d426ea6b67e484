//! The subjects of discrepancies, which identify a discrepancy on every date, and their positions
//! in the matched input.

use std::collections::HashMap;

use super::findings::LedgerCode;
use super::input::KnownTransfer;
use super::matched::Matched;
use super::unknowns::About;

/// Card transactions, authorizations and bank transfers are numbered separately.
pub(super) fn item_subject(matched: &Matched<'_>, position: u32) -> String {
    let item = matched.item(position);
    let has_transaction = matched.input.card_ids[position as usize].transaction_id.is_some();
    if item.kind.is_card() && !has_transaction {
        return format!("authorization/{}", item.item_id);
    }
    format!("{}/{}", item.kind.as_str(), item.item_id)
}

pub(super) fn transfer_subject(transfer: &KnownTransfer) -> String {
    format!("{}/{}", transfer.kind.as_str(), transfer.transfer_id)
}

/// The positions in the matched input that the subjects of discrepancies stand for.
pub struct Subjects<'m> {
    items: HashMap<String, u32>,
    records: HashMap<&'m str, u32>,
    transfers: HashMap<String, u32>,
}

impl<'m> Subjects<'m> {
    pub fn of(matched: &'m Matched<'_>) -> Self {
        let input = matched.input;
        let items = 0..u32::try_from(input.items.len()).unwrap_or(u32::MAX);
        let transfers = input.transfers.iter().zip(0..);
        Self {
            items: items.map(|position| (item_subject(matched, position), position)).collect(),
            records: matched.names().records.iter().map(String::as_str).zip(0..).collect(),
            transfers: transfers.map(|(one, at)| (transfer_subject(one), at)).collect(),
        }
    }

    pub fn about(&self, code: LedgerCode, subject: &str) -> About {
        let of_items = |subject| self.items.get(subject).copied();
        let of_records = |subject| self.records.get(subject).copied();
        match code {
            LedgerCode::MissingAtProcessor | LedgerCode::DuplicateInLedger => {
                About { records: of_records(subject).into_iter().collect(), ..About::default() }
            }
            LedgerCode::AmbiguousMatch => About {
                items: subject.split(';').filter_map(of_items).collect(),
                records: subject.split(';').filter_map(of_records).collect(),
                transfer: None,
            },
            LedgerCode::MissingInLedger
            | LedgerCode::AmountMismatch
            | LedgerCode::CurrencyMismatch
            | LedgerCode::StatusMismatch
            | LedgerCode::LedgerNotFitting => About {
                items: of_items(subject).into_iter().collect(),
                transfer: self.transfers.get(subject).copied(),
                records: Vec::new(),
            },
        }
    }
}
