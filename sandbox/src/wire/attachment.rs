//! Details of an uploaded file. Uploading is outside the contract, so every merchant has one
//! generated attachment: its processing account's statement.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;

use crate::world::records::Merchant;

/// The id of the first merchant's attachment; the others follow.
const FIRST_ID: usize = 20_931;

const UPLOAD_STATUSES: [&str; 3] = ["accepted", "pending", "rejected"];

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Attachment {
    attachment_id: String,
    #[serde(rename = "type")]
    attachment_type: &'static str,
    upload_status: &'static str,
    file_name: String,
    content_type: &'static str,
    description: Option<&'static str>,
    entity: Entity,
    created_date: String,
    last_modified_date: String,
    metadata: Metadata,
}

#[derive(Serialize)]
struct Entity {
    #[serde(rename = "type")]
    entity_type: &'static str,
    id: String,
}

#[derive(Serialize)]
struct Metadata {
    ticket: String,
}

impl Attachment {
    /// The attachment id of the merchant at that index.
    pub fn id_of(merchant: usize) -> String {
        (FIRST_ID + merchant).to_string()
    }

    /// The index of the merchant with that attachment id, if there is one.
    pub fn merchant_of(id: &str) -> Option<usize> {
        let number: usize = id.parse().ok()?;
        number.checked_sub(FIRST_ID).filter(|merchant| Self::id_of(*merchant) == id)
    }

    /// The attachment of a merchant, uploaded at `created`.
    pub fn new(place: usize, merchant: &Merchant, created: DateTime<Utc>) -> Self {
        let moment = created.to_rfc3339_opts(SecondsFormat::Secs, true);
        Self {
            attachment_id: Self::id_of(place),
            attachment_type: "merchantStatements",
            upload_status: UPLOAD_STATUSES[place % UPLOAD_STATUSES.len()],
            file_name: format!("statement-{}.pdf", merchant.account_id),
            content_type: "application/pdf",
            description: place.is_multiple_of(2).then_some("Statement of the last month"),
            entity: Entity {
                entity_type: "processingAccount",
                id: merchant.account_id.to_string(),
            },
            created_date: moment.clone(),
            last_modified_date: moment,
            metadata: Metadata { ticket: format!("OPS-{}", 300 + place) },
        }
    }
}
