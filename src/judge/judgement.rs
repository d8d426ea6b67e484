//! What judging a date came to.

use crate::judge::Findings;
use crate::judge::bank::Banked;
use crate::judge::pairing::Books;

/// What the checks and the books of a date say.
pub(crate) struct Judgement {
    pub findings: Findings,
    pub books: Books,
    pub banked: Banked,
}
