//! Everything that is written for one business date.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::manifest::RunRecord;
use super::order;
use super::table::{RowSource, Table};
use crate::config::ComponentSigns;
use crate::model::{BatchRow, DepositRow, Discrepancy, MatchRow, SummaryRow, TransitRow};

/// Everything that is written for one business date.
#[derive(Clone, Debug)]
pub struct DateReport {
    pub business_date: NaiveDate,
    pub discrepancies: Vec<Discrepancy>,
    pub deposits: Vec<DepositRow>,
    pub batches: Vec<BatchRow>,
    pub in_transit: Vec<TransitRow>,
    pub summary: Vec<SummaryRow>,
    /// Its `files` are filled in by the writer.
    pub run: RunRecord,
    /// With which signs the components of a deposit add up to its net amount.
    pub signs: ComponentSigns,
    /// Code to what the check looks for.
    pub meanings: BTreeMap<String, String>,
}

impl DateReport {
    /// Every table, in the order in which a person wants to see them.
    pub(super) fn tables<'a>(&'a self, matches: &'a dyn RowSource<MatchRow>) -> Vec<Table<'a>> {
        vec![
            Table::of(order::summary(&self.summary)),
            Table::of(order::discrepancies(&self.discrepancies)),
            Table::of(order::deposits(&self.deposits)),
            Table::of(order::batches(&self.batches)),
            Table::streamed(matches),
            Table::of(order::in_transit(&self.in_transit)),
        ]
    }
}
