//! What a date needs, and reading it from the API: which listings, page by page, read again where
//! something differs, and looked back at. Never judges.

pub mod api;
mod channel;
mod dependencies;
mod error;
mod fetch;
mod fetcher;
mod look_back;
pub(crate) mod needs;
mod parts;
mod received;
mod starts;
mod stretch;
mod stretches;
pub mod trust;
mod watched;

pub use error::ReadError;
pub(crate) use fetch::dates as fetch_dates;
pub use fetcher::Fetcher;
pub(crate) use look_back::follow_links;
