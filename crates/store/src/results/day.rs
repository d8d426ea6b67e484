//! The results of reconciling one date.

use tieout_model::{
    Acceptance, BankMatchRow, BankStanding, BatchRow, DepositRow, Discrepancy, DisputeRow,
    JournalEntry, NotEvaluated, RunRecord, SummaryRow, TransitRow,
};

/// All results of reconciling one date.
#[derive(Clone, Debug, Default)]
pub struct DayOutcome {
    pub discrepancies: Vec<Discrepancy>,
    pub not_evaluated: Vec<NotEvaluated>,
    pub deposits: Vec<DepositRow>,
    pub batches: Vec<BatchRow>,
    pub in_transit: Vec<TransitRow>,
    pub disputes: Vec<DisputeRow>,
    /// In the order in which they are reported.
    pub bank_matches: Vec<BankMatchRow>,
    /// The state of deposits and lines at the banks; empty when read back, as
    /// [`super::Store::bank_standing`] reads it as of a date.
    pub bank_standing: Vec<BankStanding>,
    /// The entries that the date posts to the books, by deposit.
    pub journal: Vec<JournalEntry>,
    pub summary: Vec<SummaryRow>,
    /// Accepted discrepancies that still exist: in no report, but re-evaluated when the acceptance
    /// ends.
    pub accepted: Vec<Discrepancy>,
    /// The acceptances of these discrepancies.
    pub acceptances: Vec<Acceptance>,
    /// The part of `run.json` that is the same in every run over the same data.
    pub run_record: RunRecord,
    /// SHA-256 over every stored row of the date; empty until it is saved.
    pub results_digest: String,
}
