//! The properties that all records of the API share.

use serde::Deserialize;

use super::field::{FieldFault, Shape};
use tieout_model::{Record, Resource, ShortText};

/// A record as the API writes it.
pub(super) trait Wire: for<'de> Deserialize<'de> + for<'de> Shape<'de> {
    /// The id, for messages.
    fn id(&self) -> Option<ShortText>;

    fn convert(self, resource: Resource) -> Result<Record, FieldFault>;
}

/// Turns empty text into `None`.
pub(super) fn filled<T: AsRef<str>>(text: Option<T>) -> Option<T> {
    text.filter(|text| !text.as_ref().is_empty())
}
