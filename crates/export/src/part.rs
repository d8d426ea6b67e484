//! One Parquet file: the rows of one table of one date, sorted by merchant. The same rows give the
//! same bytes.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use chrono::NaiveDate;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::SortingColumn;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;

use super::ExportError;
use super::column::ColumnBuffer;
use super::manifest::{ColumnSum, DATASET_VERSION};
use super::table::{ColumnKind, Table};
use tieout_store::{Store, StoreError, StoredCell, dataset};

/// Rows of a group: the number held in memory at once, and the least that an engine skips by
/// merchant.
const GROUP_ROWS: usize = 32 * 1024;

/// Compression level; higher levels take longer than they save.
const COMPRESSION_LEVEL: i32 = 1;

/// The facts of a written file.
#[derive(Debug, Default)]
pub(super) struct PartFacts {
    pub rows: u64,
    pub sums: Vec<ColumnSum>,
}

/// Why a row was refused.
enum RowError {
    Store(StoreError),
    Wrong(String),
    Parquet(parquet::errors::ParquetError),
}

impl From<StoreError> for RowError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// The file as it is being written.
struct Part<'out> {
    writer: SerializedFileWriter<&'out mut (dyn Write + Send)>,
    columns: Vec<ColumnBuffer>,
    /// Number of rows in the current group.
    held: usize,
    rows: u64,
    totals: Totals,
}

/// Writes the rows that `table` has on `date` to `out`.
///
/// # Errors
/// When the store refuses, a value does not fit, or the file cannot be written.
pub(super) fn write_part(
    store: &Store,
    table: &Table,
    date: NaiveDate,
    out: &mut (dyn Write + Send),
) -> Result<PartFacts, ExportError> {
    let wrong = |reason: String| ExportError::Table {
        table: table.name.to_owned(),
        business_date: date,
        reason,
    };
    let failed = |error: parquet::errors::ParquetError| wrong(error.to_string());
    let mut part = Part::begin(table, out).map_err(failed)?;
    let last = table.columns.len().saturating_sub(1);
    dataset::each_cell(store, table.sql, date, &mut |place, cell| {
        part.take(place, cell, place == last)
    })
    .map_err(|error| match error {
        RowError::Store(error) => ExportError::Store(error),
        RowError::Wrong(reason) => wrong(reason),
        RowError::Parquet(error) => failed(error),
    })?;
    part.end_group().map_err(failed)?;
    part.writer.close().map_err(failed)?;
    Ok(PartFacts { rows: part.rows, sums: part.totals.sums(table) })
}

impl<'out> Part<'out> {
    fn begin(table: &Table, out: &'out mut (dyn Write + Send)) -> ParquetResult<Self> {
        let sorted = table.place("merchant_id").and_then(|place| i32::try_from(place).ok());
        let sorted = sorted.map(|place| {
            vec![SortingColumn { column_idx: place, descending: false, nulls_first: true }]
        });
        let mut properties = WriterProperties::builder()
            .set_created_by(format!("tieout dataset {DATASET_VERSION}"))
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(COMPRESSION_LEVEL)?))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_sorting_columns(sorted);
        // Ids rise within a merchant and hardly repeat: their deltas are short, and a dictionary
        // would be useless work.
        for column in table.columns.iter().filter(|column| column.kind == ColumnKind::Integer) {
            let path = ColumnPath::from(column.name);
            properties = properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
        }
        let properties = Arc::new(properties.build());
        let writer = SerializedFileWriter::new(out, table.schema()?, properties)?;
        let columns = table.columns.iter().map(|column| ColumnBuffer::new(column.kind)).collect();
        Ok(Self { writer, columns, held: 0, rows: 0, totals: Totals::of(table) })
    }

    fn take(&mut self, place: usize, cell: StoredCell<'_>, is_last: bool) -> Result<(), RowError> {
        self.columns[place].push(cell).map_err(RowError::Wrong)?;
        self.totals.take(place, cell);
        if is_last {
            self.totals.end_row().map_err(RowError::Wrong)?;
            self.held += 1;
            self.rows += 1;
            if self.held == GROUP_ROWS {
                self.end_group().map_err(RowError::Parquet)?;
            }
        }
        Ok(())
    }

    fn end_group(&mut self) -> ParquetResult<()> {
        if self.held == 0 {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        for column in &mut self.columns {
            let Some(mut writer) = group.next_column()? else { break };
            column.write(writer.untyped())?;
            writer.close()?;
        }
        group.close()?;
        self.held = 0;
        Ok(())
    }
}

/// The amounts of a table, added up by currency and column.
struct Totals {
    currency_place: Option<usize>,
    is_money: Vec<bool>,
    /// The currency of the current row.
    currency: String,
    amounts: Vec<(usize, i64)>,
    /// By currency (empty if unknown) and position of the column.
    sums: BTreeMap<String, BTreeMap<usize, i64>>,
}

impl Totals {
    fn of(table: &Table) -> Self {
        Self {
            currency_place: table.place("currency"),
            is_money: table.columns.iter().map(|one| one.kind == ColumnKind::Money).collect(),
            currency: String::new(),
            amounts: Vec::new(),
            sums: BTreeMap::new(),
        }
    }

    fn take(&mut self, place: usize, cell: StoredCell<'_>) {
        match cell {
            StoredCell::Integer(amount) if self.is_money[place] => {
                self.amounts.push((place, amount));
            }
            StoredCell::Text(text) if Some(place) == self.currency_place => {
                self.currency.clear();
                self.currency.push_str(text);
            }
            StoredCell::Unknown if Some(place) == self.currency_place => self.currency.clear(),
            _ => {}
        }
    }

    fn end_row(&mut self) -> Result<(), String> {
        if self.amounts.is_empty() {
            return Ok(());
        }
        if !self.sums.contains_key(&self.currency) {
            self.sums.insert(self.currency.clone(), BTreeMap::new());
        }
        let Some(sums) = self.sums.get_mut(&self.currency) else { return Ok(()) };
        for (place, amount) in self.amounts.drain(..) {
            let sum = sums.entry(place).or_default();
            *sum = sum.checked_add(amount).ok_or("its amounts add up to more than 64 bits hold")?;
        }
        Ok(())
    }

    fn sums(self, table: &Table) -> Vec<ColumnSum> {
        let each = |(currency, sums): (String, BTreeMap<usize, i64>)| {
            sums.into_iter().map(move |(place, total_minor)| ColumnSum {
                currency: currency.clone(),
                column: table.columns[place].name.to_owned(),
                total_minor,
            })
        };
        self.sums.into_iter().flat_map(each).collect()
    }
}
