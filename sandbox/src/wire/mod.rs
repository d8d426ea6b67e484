//! The JSON of the service, written only from the contract. Records are converted into these shapes
//! for each request.

mod attachment;
mod bank_account;
mod bank_transfer;
mod dispute;
mod page;
mod problem;
mod reporting;
mod terminal;

use chrono::NaiveDate;
use serde::{Serialize, Serializer};

use super::live::Book;
use super::world::records::Merchant;

pub use attachment::Attachment;
pub use bank_account::percent_encoded;
pub use bank_transfer::{Payment, Refund};
pub use dispute::{Dispute, statuses as dispute_statuses};
pub use page::Page;
pub use problem::{FieldError, Problem};
pub use reporting::{AchDeposit, AchDepositFee, Authorization, Batch, Transaction};
pub use terminal::ProcessingTerminal;

/// A property that may be absent, null, or known.
#[derive(Clone, Debug)]
pub enum Sent<T> {
    Absent,
    Null,
    Value(T),
}

impl<T> Sent<T> {
    /// An unknown value, which is absent or null depending on `coin`.
    pub fn unknown(coin: u64) -> Self {
        if coin.is_multiple_of(2) { Self::Null } else { Self::Absent }
    }

    /// The value, or an unknown one by `coin`.
    pub fn from_option(value: Option<T>, coin: u64) -> Self {
        value.map_or_else(|| Self::unknown(coin), Self::Value)
    }

    /// Checks whether the property is absent.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }
}

impl<T: Serialize> Serialize for Sent<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Absent | Self::Null => serializer.serialize_none(),
            Self::Value(value) => value.serialize(serializer),
        }
    }
}

/// Pointer to another resource or page.
#[derive(Clone, Debug, Serialize)]
pub struct Link {
    rel: &'static str,
    method: &'static str,
    href: String,
}

impl Link {
    /// A link to `path` at the address of the request, so that a client which follows links
    /// unchanged stays here.
    pub fn new(book: Book<'_>, rel: &'static str, path: &str) -> Self {
        Self { rel, method: "get", href: format!("{}{path}", book.base) }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MerchantSummary<'w> {
    merchant_id: &'w str,
    doing_business_as: &'w str,
    processing_account_id: i64,
    link: Link,
}

impl<'w> MerchantSummary<'w> {
    /// The merchant of a reporting record.
    pub fn new(book: Book<'_>, merchant: &'w Merchant) -> Self {
        Self {
            merchant_id: &merchant.id,
            doing_business_as: &merchant.name,
            processing_account_id: merchant.account_id,
            link: Link::new(
                book,
                "processingAccount",
                &format!("/processing-accounts/{}", merchant.account_id),
            ),
        }
    }
}

/// The day before `date` when `is_day_before`.
fn earlier(date: NaiveDate, is_day_before: bool) -> NaiveDate {
    if is_day_before { date.pred_opt().unwrap_or(date) } else { date }
}
