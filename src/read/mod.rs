//! What a date needs, and reading it from the API: which listings, page by page, read again where
//! something differs, and looked back at. Never judges.

pub mod api;
mod fetch;
pub(crate) mod listings;
pub(crate) mod look_back;
pub(crate) mod needs;
pub mod progress;
pub(crate) mod reread;
pub mod trust;

pub use fetch::{Fetched, Fetcher};
