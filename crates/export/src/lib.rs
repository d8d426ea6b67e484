//! Writes business dates as a Parquet dataset, which SQL engines read: `tieout export`, and after
//! every run if `[export] dir` is set. Judges nothing, and changes nothing in the store.
//!
//! A partition is one store's data of one business date: a file for each table of
//! `crates/store/sql/export`, and a manifest, which comes last. All files are complete on the disk
//! before the first of them gets its name, and the manifest is absent during the renames: a
//! partition without a manifest is no part of the dataset.

mod column;
mod error;
mod folder;
mod manifest;
mod part;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use chrono::{Days, NaiveDate};

use tieout_config::Settings;
use tieout_judge::{AsOf, prepare_merchants};
use tieout_store::{DayState, Prover, ReadEvidence, Store, StoreError, dataset, days, seal, share};

pub use error::ExportError;
pub use manifest::{DATASET_VERSION, Manifest, TableRecord};
pub use table::{ColumnKind, Table};

use folder::Folder;

/// The result of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// The manifests of the written partitions, oldest first.
    pub partitions: Vec<Manifest>,
}

impl Exported {
    /// Rows of all tables together.
    pub fn rows(&self) -> u64 {
        self.partitions.iter().flat_map(|one| &one.tables).map(|table| table.rows).sum()
    }

    /// Bytes of all files together.
    pub fn bytes(&self) -> u64 {
        self.partitions.iter().flat_map(|one| &one.tables).map(|table| table.bytes).sum()
    }
}

/// Writes the partitions of `dates` into the dataset at `dir`; without dates those of every day
/// from the first that was read to the newest business date.
///
/// # Errors
/// When rows of the store were altered, the dataset belongs to another store, another export is
/// running, there is nothing to export, or a file cannot be written. A partition is whole or absent.
pub fn export(
    store: &Store,
    settings: &Settings,
    dir: &Path,
    dates: Option<&[NaiveDate]>,
) -> Result<Exported, ExportError> {
    seal::refuse_altered_rows(store)?;
    let folder = Folder::open(dir, share::shard(store)?)?;
    let newest = dataset::newest_reading(store)?;
    let days = days::all(store)?;
    let Some(dates) = dates else {
        let every_day = whole(&every_day(store, settings, &days)?);
        let exported = write(store, settings, &folder, &days, &every_day, |_| Ok(()))?;
        folder.note_read_up_to(newest)?;
        return Ok(exported);
    };
    are_known(&days, dates)?;
    // No note of the newest reading: it would hide changes of the days that are left out.
    write(store, settings, &folder, &days, &whole(dates), |_| Ok(()))
}

/// Writes the partitions of `dates`, which a run has just reconciled, and those of earlier days
/// whose facts have changed since the dataset was last written. A new dataset gets every day. Holds
/// the rows of these dates alone against their pages and digests, as the store grows with the years.
///
/// # Errors
/// As [`export`].
pub fn export_run(
    store: &Store,
    read: ReadEvidence<'_>,
    settings: &Settings,
    dir: &Path,
    dates: &[NaiveDate],
) -> Result<Exported, ExportError> {
    let folder = Folder::open(dir, share::shard(store)?)?;
    let newest = dataset::newest_reading(store)?;
    let days = days::all(store)?;
    let every_day = every_day(store, settings, &days)?;
    let read_up_to = folder.read_up_to()?;
    let wanted = match read_up_to {
        None => {
            seal::refuse_altered_rows(store)?;
            whole(&every_day)
        }
        Some(read_up_to) => {
            seal::refuse_altered_files(store)?;
            let mut changed: BTreeMap<NaiveDate, BTreeSet<String>> = BTreeMap::new();
            for (day, resource) in dataset::days_changed_since(store, read_up_to)? {
                changed.entry(day).or_default().insert(resource);
            }
            let mut wanted: Wanted =
                changed.into_iter().map(|(day, resources)| (day, Some(resources))).collect();
            wanted.extend(whole(dates));
            wanted.retain(|day, _| every_day.contains(day));
            wanted
        }
    };
    let mut prover = Prover::new(store, read)?;
    let exported = write(store, settings, &folder, &days, &wanted, |date| {
        let Some(read_up_to) = read_up_to else { return Ok(()) };
        seal::refuse_altered_pages(store, date)?;
        prover.refuse_altered(date, read_up_to)
    })?;
    folder.note_read_up_to(newest)?;
    Ok(exported)
}

/// The dates to write, each with its changed resources; `None` to write all of it.
type Wanted = BTreeMap<NaiveDate, Option<BTreeSet<String>>>;

fn whole(dates: &[NaiveDate]) -> Wanted {
    dates.iter().map(|date| (*date, None)).collect()
}

fn write(
    store: &Store,
    settings: &Settings,
    folder: &Folder,
    days: &[DayState],
    wanted: &Wanted,
    mut refuse_altered: impl FnMut(NaiveDate) -> Result<(), StoreError>,
) -> Result<Exported, ExportError> {
    let tables = Table::all()?;
    let mut exported = Exported::default();
    for (&date, changed) in wanted {
        // A view of the store, so that a concurrent run changes nothing between two tables.
        let _view = store.view()?;
        seal::refuse_altered(store, date)?;
        refuse_altered(date)?;
        prepare(store, settings, date)?;
        let day = days.iter().find(|day| day.business_date == date);
        let mut manifest = Manifest::begin(date, folder.shard(), day);
        let mut partition = folder.begin(date)?;
        for table in &tables {
            let is_untouched = changed.as_ref().is_some_and(|one| table.is_untouched_by(one));
            let kept = if is_untouched { partition.keep(table) } else { None };
            manifest.tables.push(match kept {
                Some(record) => record,
                None => partition.write(store, table)?,
            });
        }
        partition.publish(&manifest)?;
        exported.partitions.push(manifest);
    }
    Ok(exported)
}

/// Prepares the settings, the merchants and the bank lines of a date for the statements of
/// `crates/store/sql/export`.
fn prepare(store: &Store, settings: &Settings, date: NaiveDate) -> Result<(), ExportError> {
    prepare_merchants(store, settings, &AsOf::first(date))?;
    // The banks of its own merchants; another shard has the others.
    let banks = settings.merchants.iter().filter_map(|merchant| merchant.bank.as_deref());
    let banks: BTreeSet<&str> = banks.collect();
    Ok(dataset::prepare_lines(store, &banks, date)?)
}

fn are_known(days: &[DayState], dates: &[NaiveDate]) -> Result<(), ExportError> {
    let is_known =
        |date: &&NaiveDate| days.iter().any(|day| day.business_date == **date && day.is_reconciled);
    match dates.iter().find(|date| !is_known(date)) {
        Some(&business_date) => Err(ExportError::NotReconciled { business_date }),
        None => Ok(()),
    }
}

/// Every day up to the newest business date, from the first day that was read or on which a bank
/// transfer ran, at most the look-back before the start date.
fn every_day(
    store: &Store,
    settings: &Settings,
    days: &[DayState],
) -> Result<Vec<NaiveDate>, ExportError> {
    let Some(start) = days.iter().find(|day| day.is_reconciled).map(|day| day.business_date) else {
        return Err(ExportError::Nothing);
    };
    prepare_merchants(store, settings, &AsOf::first(start))?;
    let look_back = Days::new(u64::from(settings.settlement.lookback_days));
    let earliest = start.checked_sub_days(look_back).unwrap_or(start);
    let (first, last) = dataset::span(store, earliest)?.ok_or(ExportError::Nothing)?;
    Ok(first.max(earliest).iter_days().take_while(|day| *day <= last).collect())
}
