//! The tables of the dataset, as the headers of `crates/store/sql/export` describe them: a new file
//! there adds a table.

use std::collections::BTreeSet;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::schema::types::{Type, TypePtr};

use super::ExportError;

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    Text,
    Integer,
    Count,
    /// Minor units of the row's `currency`; the manifest adds them up.
    Money,
    Date,
    Flag,
    /// The decimals of the currency, whose code the statement selects.
    Exponent,
}

impl ColumnKind {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "text" => Self::Text,
            "integer" => Self::Integer,
            "count" => Self::Count,
            "money" => Self::Money,
            "date" => Self::Date,
            "flag" => Self::Flag,
            "exponent" => Self::Exponent,
            _ => return None,
        })
    }

    /// The Parquet type, which engines show.
    fn parquet(self) -> (Physical, Option<LogicalType>) {
        match self {
            Self::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Self::Integer | Self::Money => (Physical::INT64, None),
            Self::Count | Self::Exponent => (Physical::INT32, None),
            Self::Date => (Physical::INT32, Some(LogicalType::Date)),
            Self::Flag => (Physical::BOOLEAN, None),
        }
    }
}

/// One column, and its meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: &'static str,
    pub kind: ColumnKind,
    pub means: &'static str,
}

/// One table: its columns and the statement that gives its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub name: &'static str,
    pub columns: Vec<Column>,
    /// The resources on which its rows of a day depend; empty if the header does not state them.
    pub rests_on: Vec<&'static str>,
    pub sql: &'static str,
}

impl Table {
    /// Every table, in order of name.
    ///
    /// # Errors
    /// When a header cannot be parsed.
    pub fn all() -> Result<Vec<Self>, ExportError> {
        tieout_store::TABLE_FILES.iter().map(|(name, sql)| Self::read(name, sql)).collect()
    }

    fn read(name: &'static str, sql: &'static str) -> Result<Self, ExportError> {
        let wrong = |line: &str| ExportError::Header {
            table: name.to_owned(),
            reason: format!("\"{line}\" is not a column line: -- column NAME KIND: meaning"),
        };
        let mut columns = Vec::new();
        for line in sql.lines().filter_map(|line| line.strip_prefix("-- column ")) {
            let (head, means) = line.split_once(": ").ok_or_else(|| wrong(line))?;
            let (name, kind) = head.split_once(' ').ok_or_else(|| wrong(line))?;
            let kind = ColumnKind::from_name(kind).ok_or_else(|| wrong(line))?;
            columns.push(Column { name, kind, means });
        }
        let rests_on = sql.lines().find_map(|line| line.strip_prefix("-- rests on: "));
        let rests_on = rests_on.map_or_else(Vec::new, |line| line.split(", ").collect());
        Ok(Self { name, columns, rests_on, sql })
    }

    /// Whether its rows of the day stay the same when these resources change.
    pub(super) fn is_untouched_by(&self, changed: &BTreeSet<String>) -> bool {
        let touches = |resource: &&str| changed.contains(*resource);
        !self.rests_on.is_empty() && !self.rests_on.iter().any(touches)
    }

    /// Its Parquet schema: unknown values are null in every column.
    pub(super) fn schema(&self) -> parquet::errors::Result<TypePtr> {
        let field = |column: &Column| {
            let (physical, logical) = column.kind.parquet();
            Type::primitive_type_builder(column.name, physical)
                .with_repetition(Repetition::OPTIONAL)
                .with_logical_type(logical)
                .build()
                .map(Arc::new)
        };
        let fields = self.columns.iter().map(field).collect::<parquet::errors::Result<_>>()?;
        Type::group_type_builder(self.name).with_fields(fields).build().map(Arc::new)
    }

    /// The position of a column.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}

#[cfg(test)]
#[path = "../../config/src/book.rs"]
mod book;

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::book::assert_generated;
    use super::*;
    use tieout_config::{Settings, Sources};
    use tieout_store::{Store, dataset};

    #[test]
    fn every_statement_gives_the_columns_of_its_header() {
        let store = Store::in_memory().unwrap();
        let settings = Settings::load(&Sources::default(), &[]).unwrap();
        crate::prepare(&store, &settings, "2026-11-20".parse().unwrap()).unwrap();
        let tables = Table::all().unwrap();
        assert!(tables.len() > 20, "{}", tables.len());
        for table in tables {
            let described: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
            assert_eq!(
                dataset::column_names(&store, table.sql).unwrap(),
                described,
                "{}",
                table.name
            );
            table.schema().unwrap();
        }
    }

    /// Every table, with its grain and its columns, for the book.
    fn markdown() -> String {
        let mut page = String::new();
        for table in Table::all().unwrap() {
            let comment = table.sql.lines().map_while(|line| line.strip_prefix("-- "));
            let header: Vec<&str> =
                comment.take_while(|line| !line.starts_with("column ")).collect();
            let header = header.join(" ");
            let (purpose, grain) = header.split_once(" grain: ").unwrap();
            let purpose = purpose.strip_prefix("purpose: ").unwrap();
            let grain = grain.split(['.', ';']).next().unwrap();
            writeln!(page, "### `{}`\n\nHolds {purpose} One row is {grain}.\n", table.name)
                .unwrap();
            page.push_str("| column | type | meaning |\n|---|---|---|\n");
            for column in &table.columns {
                let kind = match column.kind {
                    ColumnKind::Text => "text",
                    ColumnKind::Integer | ColumnKind::Money => "bigint",
                    ColumnKind::Count | ColumnKind::Exponent => "integer",
                    ColumnKind::Date => "date",
                    ColumnKind::Flag => "boolean",
                };
                writeln!(page, "| `{}` | {kind} | {} |", column.name, column.means).unwrap();
            }
            page.push('\n');
        }
        page.truncate(page.trim_end().len());
        page + "\n"
    }

    #[test]
    fn the_book_has_every_table() {
        assert_generated("docs/dataset.md", "-p tieout-export", &markdown());
    }

    #[test]
    fn money_has_a_currency_and_the_currency_an_exponent() {
        for table in Table::all().unwrap() {
            let has = |kind| table.columns.iter().any(|column| column.kind == kind);
            let currency = table.place("currency");
            if has(ColumnKind::Money) || has(ColumnKind::Exponent) {
                let exponent = table.place("currency_exponent");
                assert_eq!(exponent, currency.map(|place| place + 1), "{}", table.name);
            }
        }
    }
}
