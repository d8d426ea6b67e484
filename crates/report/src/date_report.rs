//! The contents of all reports of one business date.

use std::borrow::Cow;

use chrono::NaiveDate;
use chrono_tz::Tz;

use super::journal::{self, JournalLine};
use super::order;
use super::table::{RowSource, Table};
use super::totals::{is_moving, own_verdict};
use tieout_config::ComponentSigns;
use tieout_model::money::Currency;
use tieout_model::{
    AcceptedRow, Accounts, BankMatchRow, BatchRow, DepositRow, Discrepancy, DisputeRow,
    JournalEntry, MatchRow, MoneyShare, ReportedChecks, RunRecord, SummaryRow, TransitRow, Verdict,
};

/// The contents of all reports of one business date.
#[derive(Clone, Debug)]
pub struct DateReport<'run> {
    pub business_date: NaiveDate,
    pub discrepancies: Cow<'run, [Discrepancy]>,
    /// Existing and accepted findings, which are in no list of open ones.
    pub accepted: Vec<AcceptedRow>,
    pub deposits: Cow<'run, [DepositRow]>,
    pub batches: Cow<'run, [BatchRow]>,
    pub in_transit: Cow<'run, [TransitRow]>,
    /// The money in transit on the date before; `None` if that was not reconciled.
    pub expected: Option<Vec<TransitRow>>,
    pub disputes: Cow<'run, [DisputeRow]>,
    pub bank_matches: Cow<'run, [BankMatchRow]>,
    /// The journal entries of the date.
    pub journal: Cow<'run, [JournalEntry]>,
    /// The accounts of the journal; no journal is written without them.
    pub accounts: Option<Cow<'run, Accounts<String>>>,
    pub summary: Cow<'run, [SummaryRow]>,
    /// The explained and verified money, by currency.
    pub shares: Vec<(Currency, MoneyShare)>,
    /// Its `files` are filled in by the writer.
    pub run: RunRecord,
    /// The signs with which the components of a deposit add up to its net amount.
    pub signs: ComponentSigns,
    /// The time zone in which the times of people's acts are shown.
    pub time_zone: Tz,
    /// The time zone of all merchants; `None` if they have several.
    pub merchant_zone: Option<Tz>,
    /// The properties of each check.
    pub checks: ReportedChecks,
}

impl DateReport<'_> {
    /// The same with owned data, for a thread that outlives the run's date.
    pub fn into_owned(self) -> DateReport<'static> {
        DateReport {
            discrepancies: self.discrepancies.into_owned().into(),
            deposits: self.deposits.into_owned().into(),
            batches: self.batches.into_owned().into(),
            in_transit: self.in_transit.into_owned().into(),
            disputes: self.disputes.into_owned().into(),
            bank_matches: self.bank_matches.into_owned().into(),
            journal: self.journal.into_owned().into(),
            accounts: self.accounts.map(|accounts| Cow::Owned(accounts.into_owned())),
            summary: self.summary.into_owned().into(),
            ..self
        }
    }

    /// The verdict by the new findings of the date.
    pub fn own_verdict(&self) -> Verdict {
        let is_moving = is_moving(&self.in_transit, &self.deposits);
        own_verdict(&self.discrepancies, is_moving, &self.checks, &self.run)
    }

    /// Every table, in the order that suits a reader.
    pub(super) fn tables<'a>(
        &'a self,
        matches: &'a dyn RowSource<MatchRow>,
        journal: Option<&'a [JournalLine]>,
    ) -> Vec<Table<'a>> {
        let mut tables = vec![
            Table::of(order::summary(&self.summary)),
            Table::of(order::discrepancies(&self.discrepancies)),
            Table::of(order::deposits(&self.deposits)),
            Table::of(order::batches(&self.batches)),
            Table::streamed(matches),
            Table::of(order::bank_matches(&self.bank_matches)),
            Table::of(order::disputes(&self.disputes)),
            Table::of(order::in_transit(&self.in_transit)),
        ];
        tables.extend(journal.map(|lines| Table::of(lines.iter().collect())));
        tables
    }

    /// The lines of the journal, if its accounts are configured.
    pub(super) fn journal(&self) -> Option<Vec<JournalLine>> {
        let accounts = self.accounts.as_deref()?;
        Some(journal::lines(self.business_date, &self.journal, accounts))
    }
}
