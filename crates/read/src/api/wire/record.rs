//! What every record of the API has in common.

use serde::Deserialize;

use super::field::{FieldFault, Shape};
use tieout_model::{Record, Resource, ShortText};

/// A record as the API writes it.
pub(super) trait Wire: for<'de> Deserialize<'de> + for<'de> Shape<'de> {
    /// Its id, for messages.
    fn id(&self) -> Option<ShortText>;

    fn convert(self, resource: Resource) -> Result<Record, FieldFault>;
}

/// Text that says something: nothing when it is empty.
pub(super) fn filled<T: AsRef<str>>(text: Option<T>) -> Option<T> {
    text.filter(|text| !text.as_ref().is_empty())
}
