//! Everything that is written for one business date.

use std::borrow::Cow;
use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::order;
use super::table::{RowSource, Table};
use crate::config::ComponentSigns;
use crate::model::{
    BankMatchRow, BatchRow, DepositRow, Discrepancy, DisputeRow, MatchRow, RunRecord, SummaryRow,
    TransitRow,
};

/// Everything that is written for one business date.
#[derive(Clone, Debug)]
pub struct DateReport<'run> {
    pub business_date: NaiveDate,
    pub discrepancies: Cow<'run, [Discrepancy]>,
    pub deposits: Cow<'run, [DepositRow]>,
    pub batches: Cow<'run, [BatchRow]>,
    pub in_transit: Cow<'run, [TransitRow]>,
    pub disputes: Cow<'run, [DisputeRow]>,
    pub bank_matches: Cow<'run, [BankMatchRow]>,
    pub summary: Cow<'run, [SummaryRow]>,
    /// Its `files` are filled in by the writer.
    pub run: RunRecord,
    /// With which signs the components of a deposit add up to its net amount.
    pub signs: ComponentSigns,
    /// Code to what the check looks for.
    pub meanings: BTreeMap<String, String>,
}

impl DateReport<'_> {
    /// Every table, in the order in which a person wants to see them.
    pub(super) fn tables<'a>(&'a self, matches: &'a dyn RowSource<MatchRow>) -> Vec<Table<'a>> {
        vec![
            Table::of(order::summary(&self.summary)),
            Table::of(order::discrepancies(&self.discrepancies)),
            Table::of(order::deposits(&self.deposits)),
            Table::of(order::batches(&self.batches)),
            Table::streamed(matches),
            Table::of(order::bank_matches(&self.bank_matches)),
            Table::of(order::disputes(&self.disputes)),
            Table::of(order::in_transit(&self.in_transit)),
        ]
    }
}
