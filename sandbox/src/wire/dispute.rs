//! Disputes and their statuses.

use chrono::NaiveDate;
use serde::Serialize;

use super::{Link, Sent};
use crate::live::Book;
use crate::random::mix;
use crate::world::disputes::{self, DisputeStatus};
use crate::world::records::{CARDS, CardKind, Merchant};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Dispute<'w> {
    dispute_id: i64,
    dispute_type: &'static str,
    current_status: Status,
    created_date: NaiveDate,
    last_modified_date: NaiveDate,
    received_date: Option<NaiveDate>,
    description: &'static str,
    reference_number: String,
    dispute_amount: i64,
    fee_amount: i64,
    first_dispute: bool,
    #[serde(skip_serializing_if = "Sent::is_absent")]
    authorization_code: Sent<String>,
    currency: &'w str,
    card: Card,
    merchant: MerchantNames<'w>,
    transaction: Transaction,
}

/// A status of a dispute.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    dispute_status_id: i64,
    status: &'static str,
    status_date: NaiveDate,
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<Link>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Card {
    card_number: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    card_type: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MerchantNames<'w> {
    merchant_id: &'w str,
    doing_business_as: &'w str,
    processing_account_id: i64,
}

impl<'w> MerchantNames<'w> {
    fn new(merchant: &'w Merchant) -> Self {
        Self {
            merchant_id: &merchant.id,
            doing_business_as: &merchant.name,
            processing_account_id: merchant.account_id,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Transaction {
    transaction_id: Option<i64>,
    #[serde(rename = "type")]
    transaction_type: Option<&'static str>,
    date: Option<NaiveDate>,
    amount: Option<i64>,
}

impl<'w> Dispute<'w> {
    pub fn new(book: Book<'w>, dispute: &disputes::Dispute) -> Self {
        let merchant = book.merchant(dispute.merchant);
        let hash = mix(dispute.id.unsigned_abs());
        let item = dispute.item.and_then(|key| book.records().authorization(key));
        let statuses = statuses(book, dispute);
        let last = statuses.len();
        let current = statuses.into_iter().next_back();
        let path = format!("/disputes/{}/statuses", dispute.id);
        let current_status = current.map_or_else(
            || Status::new(dispute.id, 0, (DisputeStatus::New, dispute.created)),
            |status| Status { link: Some(Link::new(book, "statuses", &path)), ..status },
        );
        let card = item.map(|item| CARDS[usize::from(item.card)]);
        Self {
            dispute_id: dispute.id,
            dispute_type: dispute.kind.as_str(),
            last_modified_date: current_status.status_date.max(dispute.created),
            current_status,
            created_date: dispute.created,
            received_date: if hash.is_multiple_of(3) { None } else { dispute.created.pred_opt() },
            description: "",
            reference_number: format!("{}", 83_000_000 + hash % 900_000),
            dispute_amount: dispute.amount,
            fee_amount: dispute.fee,
            first_dispute: last < 4,
            authorization_code: Sent::from_option(
                item.map(|item| format!("{:06X}", mix(item.id.unsigned_abs()) % 0xFF_FFFF)),
                hash,
            ),
            currency: merchant.currency,
            card: Card {
                card_number: item.zip(card).map(|(item, (first_six, card_type))| {
                    let masked = if card_type == "amex" { "*****" } else { "******" };
                    format!("{first_six}{masked}{:04}", item.card_last4)
                }),
                card_type: card.map(|(_, card_type)| card_type),
            },
            merchant: MerchantNames::new(merchant),
            transaction: Transaction {
                transaction_id: item.map(|item| item.transaction_id),
                transaction_type: item.map(|item| match item.kind {
                    CardKind::Return => "return",
                    _ => "capture",
                }),
                date: item.map(|item| super::earlier(item.date, item.is_day_before)),
                amount: item.map(|item| item.amount),
            },
        }
    }
}

impl Status {
    fn new(dispute: i64, place: usize, (status, since): (DisputeStatus, NaiveDate)) -> Self {
        Self {
            // Few disputes have as many as ten statuses.
            dispute_status_id: dispute * 10 + i64::try_from(place).unwrap_or(9),
            status: status.as_str(),
            status_date: since,
            link: None,
        }
    }
}

/// The statuses of a dispute up to the current day of the clock.
pub fn statuses(book: Book<'_>, dispute: &disputes::Dispute) -> Vec<Status> {
    let so_far = dispute.statuses_by(book.today()).iter().enumerate();
    so_far.map(|(place, status)| Status::new(dispute.id, place, *status)).collect()
}
