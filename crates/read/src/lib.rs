//! What a date needs, and reading it from the API: which listings, page by page, read again where
//! something differs, and looked back at. Never judges.

pub mod api;
mod asked;
mod channel;
mod dependencies;
mod error;
mod fetch;
mod fetcher;
mod look_back;
pub mod needs;
mod parts;
pub mod progress;
mod received;
mod starts;
pub mod stop;
mod stretch;
mod stretches;
pub mod trust;
mod watched;

pub use error::ReadError;
pub use fetch::{begin as begin_dates, dates as fetch_dates};
pub use fetcher::Fetcher;
pub use look_back::follow_links;
