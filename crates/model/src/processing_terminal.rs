//! A terminal of a merchant: bank transfers are listed per terminal.

use super::{ShortText, TerminalId};

/// A processing terminal, as its processing account lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessingTerminal {
    pub id: TerminalId,
    /// `active`, `inactive` or another word; the enum is open.
    pub status: Option<ShortText>,
    /// An IANA name, as the API wrote it.
    pub time_zone: Option<ShortText>,
}
