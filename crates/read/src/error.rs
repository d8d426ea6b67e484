//! Why reading ended early.

use chrono::NaiveDate;

use super::api::ApiError;
use tieout_store::StoreError;

/// Errors that end the reading of a run, or of one date of it. An incomplete listing is not an
/// error: its state records it.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error(transparent)]
    Api(#[from] ApiError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{business_date}: nothing was read; the first error was: {first}")]
    NothingRead { business_date: NaiveDate, first: String, is_refusal: bool },
}

impl ReadError {
    /// The remedy, where there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Api(error) => error.hint().map(str::to_owned),
            Self::Store(error) => error.hint().map(str::to_owned),
            Self::NothingRead { is_refusal: true, .. } => {
                Some("check the key and that it may read settlement reports".to_owned())
            }
            Self::NothingRead { is_refusal: false, .. } => Some(
                "check api.base_url, api.auth_url and the network, then run the date again"
                    .to_owned(),
            ),
        }
    }
}
