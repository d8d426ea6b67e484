//! What judging a date came to.

use crate::Findings;
use crate::bank::Banked;
use crate::pairing::Books;

/// What the checks and the books of a date say.
pub(crate) struct Judgement {
    pub findings: Findings,
    pub books: Books,
    pub banked: Banked,
}
