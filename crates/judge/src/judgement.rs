//! The result of judging a date.

use crate::Findings;
use crate::bank::Banked;
use crate::pairing::Books;

/// The findings, the matched books and the paired statements of a date.
pub(crate) struct Judgement {
    pub findings: Findings,
    pub books: Books,
    pub banked: Banked,
}
