//! Why a discovery learned nothing from the API.

use chrono::NaiveDate;

use crate::exit::Exit;
use tieout_read::api::ApiError;

/// An error that ends a discovery.
#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    #[error(transparent)]
    Api(#[from] ApiError),
    #[error(
        "no deposit and no batch of {first} to {last} names a merchant{}",
        of_nameless(*nameless)
    )]
    Nobody { first: NaiveDate, last: NaiveDate, nameless: u64 },
}

fn of_nameless(count: u64) -> String {
    match count {
        0 => String::new(),
        1 => "; 1 record has no merchant id".to_owned(),
        more => format!("; {more} records have no merchant id"),
    }
}

impl DiscoverError {
    /// The exit code that the error leads to.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Api(error) if error.is_configuration() => Exit::Usage,
            Self::Api(error) if error.is_refusal() => Exit::Refused,
            Self::Api(_) | Self::Nobody { .. } => Exit::Failed,
        }
    }

    /// The remedy, where there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Api(ApiError::NotConfigured { setting: "api.api_key_file" }) => {
                Some("name it with --api-key-file FILE, or set TIEOUT_API_KEY".to_owned())
            }
            Self::Api(ApiError::NotConfigured { .. }) => Some(
                "name both addresses: --base-url URL --auth-url URL, or TIEOUT_API__BASE_URL and \
                 TIEOUT_API__AUTH_URL"
                    .to_owned(),
            ),
            Self::Api(error) => error.hint().map(str::to_owned),
            Self::Nobody { .. } => Some(
                "ask the processor which merchants this key sees; --date names the last day to \
                 read, when it is long ago"
                    .to_owned(),
            ),
        }
    }
}
