//! Details of attachments; the files themselves are never sent.

use std::sync::Arc;

use axum::extract::{Path, State};
use chrono::NaiveTime;

use super::answer::{Answer, json};
use crate::service::Service;
use crate::wire::{Attachment, Problem};

/// `GET /attachments/{attachmentId}`
pub async fn get_attachment(State(service): State<Arc<Service>>, Path(id): Path<String>) -> Answer {
    let merchants = &service.records().merchants;
    let place = Attachment::merchant_of(&id).filter(|place| *place < merchants.len());
    let place = place.ok_or_else(|| Problem::not_found(Some("attachment")))?;
    let created = service.world.options().from.and_time(NaiveTime::MIN).and_utc();
    json(&Attachment::new(place, &merchants[place], created))
}
