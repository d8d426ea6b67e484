//! Files that others write and the program reads: where they are, whether they have changed, and
//! their text, whatever it is packed and encoded in. Knows neither ledgers nor banks.

mod error;
mod fingerprint;
mod pattern;
mod text;

pub use error::FileError;
pub use fingerprint::Fingerprint;
pub use pattern::files_of;
pub use text::{Probe, TextReader, probe};
