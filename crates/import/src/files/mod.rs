//! Input files: where they are, whether they have changed, and their text in any packing and
//! encoding. Knows neither ledgers nor banks.

mod code_pages;
mod error;
mod fingerprint;
mod foreign;
mod open;
mod pattern;
mod probe;
mod seen;
mod text;

pub use code_pages::{as_din_66003, decodings};
pub use error::FileError;
pub use fingerprint::Fingerprint;
pub use foreign::{Foreign, foreign_bytes, foreign_table, foreign_text};
pub use open::open_regular;
pub use pattern::files_of;
pub use probe::{Probe, contents, probe};
pub use seen::Seen;
pub use text::{TextReader, first_lines};
