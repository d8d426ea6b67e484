//! Errors of the API client. Each message names the listing, the page, the expected value and the
//! found one; it never contains a key, a token or a body.

use std::path::PathBuf;

use crate::trust::TrustError;

/// The subject of a token request.
pub(super) const TOKEN_SUBJECT: &str = "access token";

/// Why the API client could not be set up, or why a request failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    #[error("{setting} is not configured")]
    NotConfigured { setting: &'static str },
    #[error("{setting}: expected an address such as https://api.example.com/v1, found {found}")]
    BadUrl { setting: &'static str, found: String },
    #[error("{setting}: expected https, found plain http to {host}, which is not this machine")]
    PlainHttp { setting: &'static str, host: String },
    #[error("api key file {}: cannot be read: {cause}", path.display())]
    KeyUnreadable { path: PathBuf, cause: String },
    #[error("{origin}: expected an api key, found {found}")]
    BadKey { origin: String, found: &'static str },
    #[error("http client: cannot be set up: {cause}")]
    Client { cause: String },
    #[error(transparent)]
    Trust(#[from] TrustError),
    #[error("{subject}: {failure}{}", after_attempts(*attempts))]
    Request {
        /// `batches by date 2026-11-20, page 2`, or the access token.
        subject: String,
        /// Number of times the request was sent.
        attempts: u32,
        failure: Failure,
    },
}

/// Why one request, or the page that it returned, cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("{host} is unreachable: {cause}")]
    Unreachable { host: String, cause: String },
    #[error("{host} did not answer within {seconds} s")]
    TimedOut { host: String, seconds: u64 },
    #[error("the answer broke off: {cause}")]
    CutBody { cause: String },
    #[error("the api key was refused with status {status}")]
    KeyRefused { status: u16 },
    #[error("the access token was refused with status 401, also after it was renewed{detail}")]
    TokenRefused { detail: Detail },
    #[error("forbidden with status 403{detail}")]
    Forbidden { detail: Detail },
    #[error("expected status 200, found {status}{detail}")]
    Status { status: u16, detail: Detail },
    #[error("expected an answer, found a redirect with status {status} to {host}")]
    Redirect { status: u16, host: String },
    #[error("expected JSON, found {found}")]
    NotJson { found: String },
    #[error("expected at most {limit_bytes} bytes, found more")]
    TooLarge { limit_bytes: usize },
    #[error("expected an access token with its life in seconds, found {found}")]
    BadToken { found: &'static str },
    #[error("{field}: expected {expected}, found {found}")]
    Envelope { field: &'static str, expected: &'static str, found: String },
    #[error("count is {count} records, found {found}; the listing is incomplete")]
    CountDiffers { count: i64, found: usize },
    #[error("hasMore is true, expected a next link with a cursor, found none")]
    NextMissing,
    #[error("the next cursor \"{cursor}\" was followed before; the listing goes in circles")]
    CursorRepeated { cursor: String },
    #[error("expected at most {limit} pages, found more")]
    TooManyPages { limit: u32 },
    #[error("{pages} pages in a row had no new record; the listing does not end")]
    NothingNew { pages: u32 },
}

/// The text of a problem document as a suffix for a message; empty without one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detail(pub(super) String);

impl std::fmt::Display for Detail {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(formatter, " ({})", self.0) }
    }
}

impl ApiError {
    /// Checks that the API refused the caller: its key, its token or its permission.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self.failure(),
            Some(
                Failure::KeyRefused { .. }
                    | Failure::TokenRefused { .. }
                    | Failure::Forbidden { .. }
            )
        )
    }

    /// Checks that the host did not answer; further requests to it would fail as well.
    pub fn is_unreachable(&self) -> bool {
        matches!(self.failure(), Some(Failure::Unreachable { .. } | Failure::TimedOut { .. }))
    }

    /// Checks that the key lacks this operation, which not every key has.
    pub fn is_without_operation(&self) -> bool {
        matches!(
            self.failure(),
            Some(Failure::Forbidden { .. } | Failure::Status { status: 404, .. })
        )
    }

    /// Checks that the API rejected the request itself, as it does for a terminal that takes no
    /// bank transfers.
    pub fn is_bad_request(&self) -> bool {
        matches!(self.failure(), Some(Failure::Status { status: 400, .. }))
    }

    /// Checks that the API rejects a cursor, or that the cursor leads back to pages already read.
    /// The API may have forgotten a cursor that it issued some time ago.
    pub fn is_about_cursor(&self) -> bool {
        matches!(
            self.failure(),
            Some(
                Failure::Status { status: 400 | 404 | 409 | 410 | 422, .. }
                    | Failure::CursorRepeated { .. }
                    | Failure::NothingNew { .. }
            )
        )
    }

    /// Checks that the configuration is at fault, so that nothing was sent.
    pub fn is_configuration(&self) -> bool {
        match self {
            Self::NotConfigured { .. }
            | Self::BadUrl { .. }
            | Self::PlainHttp { .. }
            | Self::KeyUnreadable { .. }
            | Self::BadKey { .. }
            | Self::Trust(_) => true,
            Self::Client { .. } | Self::Request { .. } => false,
        }
    }

    /// The failure of the request, when one was sent.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Request { failure, .. } => Some(failure),
            _ => None,
        }
    }

    /// The remedy, for a `hint:` line.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::NotConfigured { setting: "api.api_key_file" } => {
                Some("set api_key_file under [api], or the environment variable TIEOUT_API_KEY")
            }
            Self::NotConfigured { .. } | Self::BadUrl { .. } => Some(
                "set base_url and auth_url under [api] in tieout.toml; a file that is elsewhere \
                     needs --config FILE, and tieout init writes one",
            ),
            Self::PlainHttp { .. } => {
                Some("use https; plain http is for a sandbox on this machine only")
            }
            Self::KeyUnreadable { .. } => {
                Some("check the path and that this user may read the file")
            }
            Self::BadKey { .. } => Some("the file holds the key alone, on one line"),
            Self::Client { .. } => None,
            Self::Trust(_) => Some("name a file of PEM certificates, or unset the variable"),
            Self::Request { subject, failure: Failure::Status { status: 404, .. }, .. }
                if subject == TOKEN_SUBJECT =>
            {
                Some("check the path of auth_url: the key is sent to {auth_url}/authorize")
            }
            Self::Request { failure, .. } => failure.hint(),
        }
    }
}

impl Failure {
    fn hint(&self) -> Option<&str> {
        match self {
            Self::KeyRefused { .. } => {
                Some("the key may be revoked, or belong to another environment than auth_url")
            }
            Self::TokenRefused { .. } => {
                Some("base_url and auth_url may belong to different environments")
            }
            Self::Forbidden { .. } => Some("ask the processor which resources this key may read"),
            Self::Redirect { .. } => {
                Some("set the address that it redirects to, if that is the processor's")
            }
            Self::Unreachable { cause, .. } if cause.contains("certificate") => {
                Some("name a file with the certificate of its authority (PEM) in SSL_CERT_FILE")
            }
            Self::Unreachable { .. } | Self::TimedOut { .. } => {
                Some("check base_url, auth_url, the network and the processor's status page")
            }
            Self::Status { status: 429, .. } => {
                Some("lower requests_per_second or max_in_flight under [api]")
            }
            Self::Status { status: 404, .. } => Some("check the path of base_url"),
            Self::NotJson { .. } | Self::BadToken { .. } => {
                Some("a gateway or a portal may answer in place of the API; check the addresses")
            }
            Self::Envelope { .. }
            | Self::CountDiffers { .. }
            | Self::NextMissing
            | Self::CursorRepeated { .. }
            | Self::TooManyPages { .. }
            | Self::NothingNew { .. } => Some(
                "run again; if the error persists, report it to the processor with the \
                      listing",
            ),
            Self::Status { .. } | Self::CutBody { .. } | Self::TooLarge { .. } => None,
        }
    }
}

fn after_attempts(attempts: u32) -> String {
    if attempts > 1 { format!(", after {attempts} attempts") } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_listing_the_page_what_was_expected_and_what_came() {
        let error = ApiError::Request {
            subject: "batches by date 2026-11-20, page 2".to_owned(),
            attempts: 6,
            failure: Failure::Status { status: 503, detail: Detail("try later".to_owned()) },
        };
        assert_eq!(
            error.to_string(),
            "batches by date 2026-11-20, page 2: expected status 200, found 503 (try later), \
             after 6 attempts"
        );
        assert!(!error.is_refusal());
        assert!(!error.is_configuration());
    }
}
