//! Which listings a date needs, and reading them from the API page by page. Reads records again
//! where a difference appears, and looks back at recent dates. Never judges.

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
