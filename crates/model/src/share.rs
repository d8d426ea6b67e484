//! How much of the money of a date is explained and verified.

use crate::money::Minor;

/// The amounts of one currency that were due on a date, and the verified part of them. Amounts are
/// absolute, so that none cancels another; `None` means unknown, or nothing was due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoneyShare {
    /// Net amounts of the deposits that were due at the bank on the date.
    pub due: Option<Minor>,
    /// Those of them that tie out and that the bank shows; unknown when one could not be evaluated.
    pub verified: Option<Minor>,
    /// Items that the books must hold as of the date, since the start date.
    pub items_due: Option<Minor>,
    /// Those of them that are matched with a ledger record.
    pub items_matched: Option<Minor>,
}
