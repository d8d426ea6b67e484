//! What a reconciliation of one date says.

use tieout_model::{
    Acceptance, BankMatchRow, BankStanding, BatchRow, DepositRow, Discrepancy, DisputeRow,
    JournalEntry, NotEvaluated, RunRecord, SummaryRow, TransitRow,
};

/// Everything that a reconciliation of one date says.
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
    /// Where everything stands at the banks; of what is read back nothing, as
    /// [`super::Store::bank_standing`] reads it as of a date.
    pub bank_standing: Vec<BankStanding>,
    /// What the date posts to the books, by deposit.
    pub journal: Vec<JournalEntry>,
    pub summary: Vec<SummaryRow>,
    /// What a person has accepted and is still there: in no report, but tested again when the
    /// acceptance ends.
    pub accepted: Vec<Discrepancy>,
    /// Who accepted it.
    pub acceptances: Vec<Acceptance>,
    /// The part of `run.json` that is the same in every run over the same data.
    pub run_record: RunRecord,
    /// SHA-256 over every stored row of the date; empty until it is saved.
    pub results_digest: String,
}
