//! Compares the status of a record in the books with its status at the processor.

use chrono::NaiveDate;

use super::input::{TransferFacts, TransferStatus};
use tieout_model::LedgerStatus;

/// The processor's status that contradicts the books.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Contradiction {
    pub(super) said: &'static str,
    /// Whether a field that decides it is unknown.
    pub(super) is_uncertain: bool,
}

/// The processor's status as of a business date, if it contradicts the books or may do so.
///
/// `facts` are those of a bank transfer; `None` is a card item, which always moved money. The
/// caller checks whether something explains a card record with the status returned.
pub(super) fn contradiction(
    ledger: LedgerStatus,
    facts: Option<&TransferFacts>,
    business_date: NaiveDate,
) -> Option<Contradiction> {
    let Some(facts) = facts else {
        let submitted = Contradiction { said: "submitted", is_uncertain: false };
        return (ledger != LedgerStatus::Paid).then_some(submitted);
    };
    let status = as_of(facts, business_date);
    let mut is_uncertain = false;
    let contradicts = match ledger {
        LedgerStatus::Paid => match status {
            TransferStatus::Declined | TransferStatus::Reversal => true,
            TransferStatus::Returned => {
                let has_open = |represented| {
                    facts.returns.iter().any(|one| {
                        one.stands(business_date)
                            && !one.is_closed
                            && one.is_represented == represented
                    })
                };
                let is_certain = has_open(Some(false));
                is_uncertain = !is_certain;
                is_certain || has_open(None)
            }
            _ => false,
        },
        LedgerStatus::Void | LedgerStatus::Declined => status == TransferStatus::Complete,
        LedgerStatus::Returned => {
            let mut returns = facts.returns.iter();
            status == TransferStatus::Complete && !returns.any(|one| one.is_whole(business_date))
        }
    };
    contradicts.then(|| Contradiction { said: status.as_str(), is_uncertain })
}

/// The status as of the date: with only later returns, or such as are undone, `returned` was still
/// `complete`.
pub(super) fn as_of(facts: &TransferFacts, business_date: NaiveDate) -> TransferStatus {
    let is_back = facts.returns.iter().any(|one| one.stands(business_date));
    if facts.status == TransferStatus::Returned && !facts.returns.is_empty() && !is_back {
        TransferStatus::Complete
    } else {
        facts.status
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReturnFact;

    #[test]
    fn compares_the_books_with_the_processor() {
        use LedgerStatus::{Declined, Paid, Returned, Void};
        use TransferStatus as Status;
        let day = |text: &str| -> NaiveDate { text.parse().unwrap() };
        let back = |date: &str, is_closed, is_represented| ReturnFact {
            date: day(date),
            undone_on: None,
            is_closed,
            is_represented: Some(is_represented),
        };
        let open = back("2026-11-20", false, false);
        let undone =
            ReturnFact { undone_on: Some(day("2026-11-20")), ..back("2026-11-18", false, false) };
        let cases = [
            (Paid, Status::Complete, vec![], false),
            (Paid, Status::Pending, vec![], false),
            (Paid, Status::Declined, vec![], true),
            (Paid, Status::Reversal, vec![], true),
            (Paid, Status::Admin, vec![], false),
            (Paid, Status::Returned, vec![open], true),
            (Paid, Status::Returned, vec![back("2026-11-20", true, false)], false),
            (Paid, Status::Returned, vec![back("2026-11-20", false, true)], false),
            (Paid, Status::Returned, vec![back("2026-11-21", false, false)], false),
            (Paid, Status::Returned, vec![back("2026-11-01", false, true), open], true),
            (Paid, Status::Returned, vec![undone], false),
            (Returned, Status::Complete, vec![undone], true),
            (Void, Status::Complete, vec![], true),
            (Void, Status::Reversal, vec![], false),
            (Void, Status::Pending, vec![], false),
            (Declined, Status::Complete, vec![], true),
            (Declined, Status::Declined, vec![], false),
            (Declined, Status::Returned, vec![back("2026-11-21", false, false)], true),
            (Returned, Status::Complete, vec![], true),
            (Returned, Status::Complete, vec![back("2026-11-21", false, false)], false),
            (Returned, Status::Returned, vec![open], false),
            (Returned, Status::Returned, vec![back("2026-11-21", false, false)], false),
        ];
        for (ledger, status, returns, expected) in cases {
            let facts = TransferFacts { status, returns, representment_of: None };
            let found = contradiction(ledger, Some(&facts), day("2026-11-20"));
            assert_eq!(found.is_some(), expected, "{ledger:?} {facts:?}");
        }
        let unsaid = ReturnFact { is_represented: None, ..open };
        for (returns, expected) in [
            (vec![open], Some(false)),
            (vec![unsaid], Some(true)),
            (vec![unsaid, open], Some(false)),
            (vec![ReturnFact { is_closed: true, ..unsaid }], None),
        ] {
            let facts = TransferFacts { status: Status::Returned, returns, representment_of: None };
            let found = contradiction(Paid, Some(&facts), day("2026-11-20"));
            assert_eq!(found.map(|one| one.is_uncertain), expected, "{facts:?}");
        }
        for (ledger, expected) in [(Paid, false), (Void, true), (Declined, true), (Returned, true)]
        {
            assert_eq!(contradiction(ledger, None, day("2026-11-20")).is_some(), expected);
        }
    }
}
