//! A fault in one record of a page.

/// A record that could not be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordFault {
    /// `batch 90211`, or `record 3 of page 2` when it has no id.
    pub record: String,
    /// `order.amount`; empty when the fault concerns the record as a whole.
    pub field: String,
    /// `expected …, found …`.
    pub problem: String,
}
