//! What reconciled dates came to, written and read back: the report stage reads nothing else.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use rusqlite::types::Type;
use rusqlite::{Connection, Row, Transaction, named_params};

use super::books::{MatchReader, write_match};
use super::seal::{RESULT_TABLES, results_digest, seal};
use super::{Store, StoreError, While};
use crate::model::{
    BatchRow, DepositRow, Discrepancy, DiscrepancyStatus, Figure, MatchRow, NotEvaluated,
    RecordIds, Severity, SummaryRow, TransitRow, Verdict,
};
use crate::money::{Currency, Minor};

/// Everything that a reconciliation of one date says.
#[derive(Clone, Debug, Default)]
pub struct DayOutcome {
    pub discrepancies: Vec<Discrepancy>,
    pub not_evaluated: Vec<NotEvaluated>,
    pub deposits: Vec<DepositRow>,
    pub batches: Vec<BatchRow>,
    pub in_transit: Vec<TransitRow>,
    pub summary: Vec<SummaryRow>,
    /// What a person has accepted and is still there: in no report, but tested again when the
    /// acceptance ends.
    pub accepted: Vec<Discrepancy>,
    /// The part of `run.json` that is the same in every run over the same data.
    pub run_record: String,
    /// SHA-256 over every stored row of the date; empty until it is saved.
    pub results_digest: String,
}

impl Store {
    /// Replaces what `date` came to and marks later reconciled dates stale. The matches are in
    /// the order in which they are to be reported.
    ///
    /// Answers with the digest of what was written.
    ///
    /// # Errors
    /// When the store refuses; then nothing is changed.
    pub fn save_outcome(
        &mut self,
        date: NaiveDate,
        outcome: &DayOutcome,
        matches: &[MatchRow],
        configuration_digest: &str,
        now: DateTime<Utc>,
    ) -> Result<String, StoreError> {
        const DURING: &str = "saving what a date came to";
        let text = date.to_string();
        let transaction = self.connection.transaction().during(DURING)?;
        for table in RESULT_TABLES.into_iter().chain(["run_record"]) {
            transaction
                .execute(&format!("delete from {table} where business_date = ?1"), [&text])
                .during(DURING)?;
        }
        write_outcome(&transaction, &text, outcome, matches).during(DURING)?;
        let digest = results_digest(&transaction, date).during(DURING)?;
        transaction
            .execute(
                "insert into run_record (business_date, content, results_digest) \
                 values (?1, ?2, ?3)",
                (&text, &outcome.run_record, &digest),
            )
            .during(DURING)?;
        note_reconciled_listings(&transaction, &text).during(DURING)?;
        transaction
            .execute(
                include_str!("../../sql/ingest/reconciled.sql"),
                named_params! {
                    ":business_date": text,
                    ":is_complete": outcome.not_evaluated.is_empty(),
                    ":configuration_digest": configuration_digest,
                    ":last_run": now.to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
                },
            )
            .during(DURING)?;
        // An older date moves what every later one starts from.
        transaction
            .execute(
                "update business_day set stale = 1 where reconciled and business_date > ?1",
                [&text],
            )
            .during(DURING)?;
        transaction.commit().during(DURING)?;
        Ok(digest)
    }

    /// What `date` came to, or `None` when it was never reconciled.
    ///
    /// # Errors
    /// When the store refuses or holds what no program of this version wrote.
    pub fn outcome(&self, date: NaiveDate) -> Result<Option<DayOutcome>, StoreError> {
        const DURING: &str = "reading what a date came to";
        let text = date.to_string();
        let records: Vec<(String, String)> = rows(
            &self.connection,
            "select content, results_digest from run_record where business_date = ?1",
            &text,
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .during(DURING)?;
        let Some((run_record, results_digest)) = records.into_iter().next() else {
            return Ok(None);
        };
        let connection = &self.connection;
        Ok(Some(DayOutcome {
            discrepancies: self.discrepancies(date)?,
            not_evaluated: rows(
                connection,
                include_str!("../../sql/report/not_evaluated.sql"),
                &text,
                not_evaluated,
            )
            .during(DURING)?,
            deposits: rows(
                connection,
                "select * from deposit_result where business_date = ?1 order by ach_deposit_id",
                &text,
                deposit,
            )
            .during(DURING)?,
            batches: rows(
                connection,
                "select * from batch_result where business_date = ?1 order by batch_id",
                &text,
                batch,
            )
            .during(DURING)?,
            in_transit: rows(
                connection,
                "select * from transit_result where business_date = ?1 order by kind, id",
                &text,
                transit,
            )
            .during(DURING)?,
            summary: rows(
                connection,
                "select * from summary_result where business_date = ?1 \
                 order by merchant_id, currency",
                &text,
                summary,
            )
            .during(DURING)?,
            accepted: self.accepted(date)?,
            run_record,
            results_digest,
        }))
    }

    /// The discrepancies that were new, open or cleared on `date`.
    ///
    /// # Errors
    /// When the store refuses or holds what no program of this version wrote.
    pub fn discrepancies(&self, date: NaiveDate) -> Result<Vec<Discrepancy>, StoreError> {
        rows(
            &self.connection,
            "select * from discrepancy_day \
             where business_date = ?1 and status <> 'accepted' order by discrepancy_id",
            &date.to_string(),
            discrepancy,
        )
        .during("reading discrepancies")
    }

    /// The discrepancies that were there on `date` and accepted.
    ///
    /// # Errors
    /// When the store refuses or holds what no program of this version wrote.
    pub fn accepted(&self, date: NaiveDate) -> Result<Vec<Discrepancy>, StoreError> {
        rows(
            &self.connection,
            "select * from discrepancy_day \
             where business_date = ?1 and status = 'accepted' order by discrepancy_id",
            &date.to_string(),
            discrepancy,
        )
        .during("reading discrepancies")
    }

    /// The rows of a statement that selects from `discrepancy_day`.
    pub(super) fn stored_discrepancies(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
    ) -> rusqlite::Result<Vec<Discrepancy>> {
        self.connection.prepare_cached(sql)?.query_map(parameters, discrepancy)?.collect()
    }

    /// Hands every row of `matches.csv` of `date` to `take`, in the order in which they were
    /// saved. They are many: they are never held at once. Ends early with what `take` refuses.
    ///
    /// # Errors
    /// When the store refuses or holds what no program of this version wrote.
    pub fn each_match<E>(
        &self,
        date: NaiveDate,
        mut take: impl FnMut(&MatchRow) -> Result<(), E>,
    ) -> Result<Result<(), E>, StoreError> {
        const DURING: &str = "reading the matches of a date";
        let mut statement = self
            .connection
            .prepare_cached(include_str!("../../sql/report/matches.sql"))
            .during(DURING)?;
        let mut rows = statement.query([date.to_string()]).during(DURING)?;
        let mut reader = MatchReader::default();
        while let Some(row) = rows.next().during(DURING)? {
            if let Err(refused) = take(&reader.row(row).during(DURING)?) {
                return Ok(Err(refused));
            }
        }
        Ok(Ok(()))
    }

    /// The dates on which discrepancies first existed, of those that existed before `date`.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn first_seen_before(
        &self,
        date: NaiveDate,
        ids: &[String],
    ) -> Result<BTreeMap<String, NaiveDate>, StoreError> {
        const DURING: &str = "looking for earlier dates of a discrepancy";
        let mut statement = self
            .connection
            .prepare_cached(include_str!("../../sql/report/first_seen.sql"))
            .during(DURING)?;
        let mut found = BTreeMap::new();
        for id in ids {
            let first: Option<String> =
                statement.query_row((id, date.to_string()), |row| row.get(0)).during(DURING)?;
            if let Some(first) = first {
                found.insert(id.clone(), parse_date("first_seen", &first).during(DURING)?);
            }
        }
        Ok(found)
    }

    /// The latest reconciled date before `date`.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn previous_reconciled(&self, date: NaiveDate) -> Result<Option<NaiveDate>, StoreError> {
        self.reconciled_date(
            "select max(business_date) from business_day where reconciled and business_date < ?1",
            date,
        )
    }

    /// The start date: the earliest reconciled date, `date` included.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn start_date(&self, date: NaiveDate) -> Result<NaiveDate, StoreError> {
        let earliest = self.reconciled_date(
            "select min(business_date) from business_day where reconciled and business_date < ?1",
            date,
        )?;
        Ok(earliest.unwrap_or(date))
    }

    /// Notes that `date` is judged by everything that was read so far.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn note_read_up_to_now(&self, date: NaiveDate) -> Result<(), StoreError> {
        const DURING: &str = "noting what a date is judged by";
        let newest = newest_reading(&self.connection).during(DURING)?;
        self.connection
            .execute(
                "update business_day set read_up_to = ?2 where business_date = ?1",
                (date.to_string(), newest),
            )
            .during(DURING)?;
        Ok(())
    }

    fn reconciled_date(&self, sql: &str, date: NaiveDate) -> Result<Option<NaiveDate>, StoreError> {
        const DURING: &str = "looking for reconciled dates";
        let text: Option<String> =
            self.connection.query_row(sql, [date.to_string()], |row| row.get(0)).during(DURING)?;
        text.map(|text| parse_date("business_date", &text)).transpose().during(DURING)
    }
}

fn rows<T>(
    connection: &Connection,
    sql: &str,
    date: &str,
    read: fn(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    connection.prepare_cached(sql)?.query_map([date], read)?.collect()
}

fn write_outcome(
    transaction: &Transaction<'_>,
    date: &str,
    outcome: &DayOutcome,
    matches: &[MatchRow],
) -> rusqlite::Result<()> {
    for discrepancy in &outcome.discrepancies {
        let status = discrepancy.status.as_str();
        write_discrepancy(transaction, date, discrepancy, status)?;
    }
    for discrepancy in &outcome.accepted {
        write_discrepancy(transaction, date, discrepancy, "accepted")?;
    }
    let mut insert = transaction.prepare(
        "insert or ignore into not_evaluated (business_date, code, merchant_id, scope, reason) \
         values (?1, ?2, ?3, ?4, ?5)",
    )?;
    for entry in &outcome.not_evaluated {
        insert.execute((date, &entry.code, &entry.merchant_id, &entry.scope, &entry.reason))?;
    }
    for row in &outcome.deposits {
        write_deposit(transaction, date, row)?;
    }
    for row in &outcome.batches {
        write_batch(transaction, date, row)?;
    }
    for (ordinal, row) in matches.iter().enumerate() {
        write_match(transaction, date, ordinal, row)?;
    }
    for row in &outcome.in_transit {
        transaction.prepare_cached(include_str!("../../sql/ingest/transit_result.sql"))?.execute(
            named_params! {
                ":business_date": date,
                ":kind": row.kind,
                ":id": row.id,
                ":merchant_id": row.merchant_id,
                ":merchant_name": row.merchant_name,
                ":currency": row.currency.map(Currency::code),
                ":date": row.date.to_string(),
                ":due_date": row.due_date.to_string(),
                ":amount_minor": row.amount.map(|amount| amount.0),
            },
        )?;
    }
    for row in &outcome.summary {
        write_summary(transaction, date, row)?;
    }
    Ok(())
}

/// Notes which complete listings of the date it was judged by, the first time: what a later
/// reading says is compared with what they said by then.
fn note_reconciled_listings(transaction: &Transaction<'_>, date: &str) -> rusqlite::Result<()> {
    let newest: i64 = newest_reading(transaction)?;
    transaction.execute(include_str!("../../sql/ingest/reconciled_listing.sql"), (date, newest))?;
    Ok(())
}

fn newest_reading(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("select coalesce(max(reading_id), 0) from reading", [], |row| row.get(0))
}

fn write_discrepancy(
    transaction: &Transaction<'_>,
    date: &str,
    stored: &Discrepancy,
    status: &str,
) -> rusqlite::Result<()> {
    let row = &stored;
    transaction.prepare_cached(include_str!("../../sql/ingest/discrepancy_day.sql"))?.execute(
        named_params! {
            ":business_date": date,
            ":discrepancy_id": row.discrepancy_id,
            ":code": row.code,
            ":severity": row.severity.as_str(),
            ":status": status,
            ":is_carried": stored.is_carried,
            ":is_reopened": stored.is_reopened,
            ":first_seen": row.first_seen.to_string(),
            ":age_days": row.age_days,
            ":subject": stored.subject,
            ":merchant_id": row.merchant_id,
            ":merchant_name": row.merchant_name,
            ":currency": row.currency.map(Currency::code),
            ":figure": figure_word(row.figure),
            ":has_difference": stored.has_difference,
            ":expected": row.expected,
            ":actual": row.actual,
            ":batch_date": row.batch_date.map(|date| date.to_string()),
            ":batch_id": row.ids.batch_id,
            ":ach_deposit_id": row.ids.ach_deposit_id,
            ":authorization_id": row.ids.authorization_id,
            ":transaction_id": row.ids.transaction_id,
            ":payment_id": row.ids.payment_id,
            ":refund_id": row.ids.refund_id,
            ":order_id": row.ids.order_id,
            ":ledger_id": row.ids.ledger_id,
            ":explanation": row.explanation,
            ":action": row.action,
        },
    )?;
    Ok(())
}

/// Keeps a discrepancy as it was found in the closed `date`.
pub(super) fn write_prior_finding(
    transaction: &Transaction<'_>,
    date: &str,
    stored: &Discrepancy,
) -> rusqlite::Result<()> {
    let row = &stored;
    transaction.prepare_cached(include_str!("../../sql/ingest/prior_finding.sql"))?.execute(
        named_params! {
            ":business_date": date,
            ":discrepancy_id": row.discrepancy_id,
            ":code": row.code,
            ":severity": row.severity.as_str(),
            ":is_carried": stored.is_carried,
            ":subject": stored.subject,
            ":merchant_id": row.merchant_id,
            ":currency": row.currency.map(Currency::code),
            ":figure": figure_word(row.figure),
            ":has_difference": stored.has_difference,
            ":expected": row.expected,
            ":actual": row.actual,
            ":batch_date": row.batch_date.map(|date| date.to_string()),
            ":batch_id": row.ids.batch_id,
            ":ach_deposit_id": row.ids.ach_deposit_id,
            ":authorization_id": row.ids.authorization_id,
            ":transaction_id": row.ids.transaction_id,
            ":payment_id": row.ids.payment_id,
            ":refund_id": row.ids.refund_id,
            ":order_id": row.ids.order_id,
            ":ledger_id": row.ids.ledger_id,
            ":explanation": row.explanation,
            ":action": row.action,
        },
    )?;
    seal(transaction, "prior_finding", &[&date, &row.discrepancy_id])
}

fn figure_word(figure: Figure) -> &'static str {
    match figure {
        Figure::Amount => "amount",
        Figure::Count => "count",
    }
}

fn write_deposit(
    transaction: &Transaction<'_>,
    date: &str,
    row: &DepositRow,
) -> rusqlite::Result<()> {
    let minor = |amount: Option<Minor>| amount.map(|amount| amount.0);
    let day = |date: Option<NaiveDate>| date.map(|date| date.to_string());
    transaction.prepare_cached(include_str!("../../sql/ingest/deposit_result.sql"))?.execute(
        named_params! {
            ":business_date": date,
            ":ach_deposit_id": row.ach_deposit_id,
            ":merchant_id": row.merchant_id,
            ":merchant_name": row.merchant_name,
            ":currency": row.currency.map(Currency::code),
            ":association_date": day(row.association_date),
            ":ach_date": day(row.ach_date),
            ":payment_date": day(row.payment_date),
            ":transactions": row.transactions,
            ":sales_minor": minor(row.sales),
            ":returns_minor": minor(row.returns),
            ":daily_fees_minor": minor(row.daily_fees),
            ":held_sales_minor": minor(row.held_sales),
            ":ach_adjustment_minor": minor(row.ach_adjustment),
            ":holdback_minor": minor(row.holdback),
            ":reserve_release_minor": minor(row.reserve_release),
            ":net_amount_minor": minor(row.net_amount),
            ":net_expected_minor": minor(row.net_expected),
            ":batch_sales_minor": minor(row.batch_sales),
            ":batch_returns_minor": minor(row.batch_returns),
            ":batch_transactions": row.batch_transactions,
            ":fees_total_minor": minor(row.fees_total),
            ":returned_amount_minor": minor(row.returned_amount),
            ":unexplained_minor": minor(row.unexplained),
            ":verdict": row.verdict.as_str(),
        },
    )?;
    Ok(())
}

fn write_batch(transaction: &Transaction<'_>, date: &str, row: &BatchRow) -> rusqlite::Result<()> {
    transaction.prepare_cached(include_str!("../../sql/ingest/batch_result.sql"))?.execute(
        named_params! {
            ":business_date": date,
            ":batch_id": row.batch_id,
            ":merchant_id": row.merchant_id,
            ":merchant_name": row.merchant_name,
            ":currency": row.currency.map(Currency::code),
            ":batch_date": row.batch_date.to_string(),
            ":transaction_count": row.transaction_count,
            ":sale_amount_minor": row.sale_amount.map(|amount| amount.0),
            ":return_amount_minor": row.return_amount.map(|amount| amount.0),
            ":items_count": row.items_count,
            ":items_sales_minor": row.items_sales.map(|amount| amount.0),
            ":items_returns_minor": row.items_returns.map(|amount| amount.0),
            ":ach_deposit_id": row.ach_deposit_id,
            ":verdict": row.verdict.as_str(),
        },
    )?;
    Ok(())
}

fn write_summary(
    transaction: &Transaction<'_>,
    date: &str,
    row: &SummaryRow,
) -> rusqlite::Result<()> {
    transaction.prepare_cached(include_str!("../../sql/ingest/summary_result.sql"))?.execute(
        named_params! {
            ":business_date": date,
            ":merchant_id": row.merchant_id,
            ":currency": row.currency.map(Currency::code).unwrap_or_default(),
            ":merchant_name": row.merchant_name,
            ":deposits": row.deposits,
            ":deposited_net_minor": row.deposited_net.map(|amount| amount.0),
            ":batches": row.batches,
            ":items": row.items,
            ":items_amount_minor": row.items_amount.map(|amount| amount.0),
            ":ledger_records": row.ledger_records,
            ":matched": row.matched,
            ":in_transit_minor": row.in_transit_amount.map(|amount| amount.0),
            ":opening": row.opening,
            ":new": row.new,
            ":cleared": row.cleared,
            ":closing": row.closing,
            ":closing_minor": row.closing_amount.map(|amount| amount.0),
            ":verdict": row.verdict.as_str(),
        },
    )?;
    Ok(())
}

/// A date as stored; what is no date names its column.
pub(crate) fn parse_date(column: &str, text: &str) -> rusqlite::Result<NaiveDate> {
    text.parse().map_err(|_| wrong(column, text))
}

pub(super) fn wrong(column: &str, found: &str) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(
        0,
        Type::Text,
        format!("column {column} holds \"{found}\"").into(),
    )
}

pub(crate) fn date_column(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<NaiveDate>> {
    row.get::<_, Option<String>>(column)?.map(|text| parse_date(column, &text)).transpose()
}

pub(super) fn required_date(row: &Row<'_>, column: &str) -> rusqlite::Result<NaiveDate> {
    date_column(row, column)?.ok_or_else(|| wrong(column, ""))
}

pub(crate) fn currency_column(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<Currency>> {
    match row.get::<_, Option<String>>(column)? {
        None => Ok(None),
        Some(code) if code.is_empty() => Ok(None),
        Some(code) => Currency::from_code(&code).map(Some).ok_or_else(|| wrong(column, &code)),
    }
}

pub(crate) fn minor_column(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<Minor>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Minor))
}

fn verdict_column(row: &Row<'_>) -> rusqlite::Result<Verdict> {
    let text: String = row.get("verdict")?;
    [Verdict::NotEvaluated, Verdict::Discrepancy, Verdict::InTransit, Verdict::Tied]
        .into_iter()
        .find(|verdict| verdict.as_str() == text)
        .ok_or_else(|| wrong("verdict", &text))
}

fn not_evaluated(row: &Row<'_>) -> rusqlite::Result<NotEvaluated> {
    Ok(NotEvaluated {
        code: row.get("code")?,
        merchant_id: row.get("merchant_id")?,
        scope: row.get("scope")?,
        reason: row.get("reason")?,
    })
}

fn discrepancy(row: &Row<'_>) -> rusqlite::Result<Discrepancy> {
    let status: String = row.get("status")?;
    let status = match status.as_str() {
        "new" => DiscrepancyStatus::New,
        // Accepted is a matter of lists: the discrepancy itself is there.
        "open" | "accepted" => DiscrepancyStatus::Open,
        "cleared" => DiscrepancyStatus::Cleared,
        _ => return Err(wrong("status", &status)),
    };
    Ok(Discrepancy {
        is_reopened: row.get("is_reopened")?,
        status,
        business_date: required_date(row, "business_date")?,
        first_seen: required_date(row, "first_seen")?,
        age_days: row.get("age_days")?,
        merchant_name: row.get("merchant_name")?,
        ..discrepancy_figures(row)?
    })
}

/// What a discrepancy says, whatever the date; dates and status are for the caller to set.
pub(super) fn discrepancy_figures(row: &Row<'_>) -> rusqlite::Result<Discrepancy> {
    let severity: String = row.get("severity")?;
    let figure: String = row.get("figure")?;
    let expected: Option<i64> = row.get("expected")?;
    let actual: Option<i64> = row.get("actual")?;
    let has_difference: bool = row.get("has_difference")?;
    Ok(Discrepancy {
        discrepancy_id: row.get("discrepancy_id")?,
        code: row.get("code")?,
        severity: Severity::from_name(&severity).ok_or_else(|| wrong("severity", &severity))?,
        status: DiscrepancyStatus::Open,
        business_date: NaiveDate::default(),
        first_seen: NaiveDate::default(),
        age_days: 0,
        merchant_id: row.get("merchant_id")?,
        merchant_name: String::new(),
        subject: row.get("subject")?,
        currency: currency_column(row, "currency")?,
        figure: if figure == "count" { Figure::Count } else { Figure::Amount },
        expected,
        actual,
        difference: expected
            .zip(actual)
            .filter(|_| has_difference)
            .and_then(|(expected, actual)| actual.checked_sub(expected)),
        batch_date: date_column(row, "batch_date")?,
        ids: record_ids(row)?,
        explanation: row.get("explanation")?,
        action: row.get("action")?,
        is_carried: row.get("is_carried")?,
        is_reopened: false,
        has_difference,
    })
}

fn record_ids(row: &Row<'_>) -> rusqlite::Result<RecordIds> {
    Ok(RecordIds {
        batch_id: row.get("batch_id")?,
        ach_deposit_id: row.get("ach_deposit_id")?,
        authorization_id: row.get("authorization_id")?,
        transaction_id: row.get("transaction_id")?,
        payment_id: row.get("payment_id")?,
        refund_id: row.get("refund_id")?,
        order_id: row.get("order_id")?,
        ledger_id: row.get("ledger_id")?,
        dispute_id: String::new(),
    })
}

fn deposit(row: &Row<'_>) -> rusqlite::Result<DepositRow> {
    deposit_figures(row, verdict_column(row)?)
}

/// A deposit row without its verdict; the same columns come from the store and from SQL.
pub(crate) fn deposit_figures(row: &Row<'_>, verdict: Verdict) -> rusqlite::Result<DepositRow> {
    Ok(DepositRow {
        ach_deposit_id: row.get("ach_deposit_id")?,
        merchant_id: row.get("merchant_id")?,
        merchant_name: row.get("merchant_name")?,
        currency: currency_column(row, "currency")?,
        association_date: date_column(row, "association_date")?,
        ach_date: date_column(row, "ach_date")?,
        payment_date: date_column(row, "payment_date")?,
        transactions: row.get("transactions")?,
        sales: minor_column(row, "sales_minor")?,
        returns: minor_column(row, "returns_minor")?,
        daily_fees: minor_column(row, "daily_fees_minor")?,
        held_sales: minor_column(row, "held_sales_minor")?,
        ach_adjustment: minor_column(row, "ach_adjustment_minor")?,
        holdback: minor_column(row, "holdback_minor")?,
        reserve_release: minor_column(row, "reserve_release_minor")?,
        net_amount: minor_column(row, "net_amount_minor")?,
        net_expected: minor_column(row, "net_expected_minor")?,
        batch_sales: minor_column(row, "batch_sales_minor")?,
        batch_returns: minor_column(row, "batch_returns_minor")?,
        batch_transactions: row.get("batch_transactions")?,
        fees_total: minor_column(row, "fees_total_minor")?,
        returned_amount: minor_column(row, "returned_amount_minor")?,
        unexplained: minor_column(row, "unexplained_minor")?,
        verdict,
    })
}

fn batch(row: &Row<'_>) -> rusqlite::Result<BatchRow> {
    batch_figures(row, verdict_column(row)?)
}

/// A batch row without its verdict; the same columns come from the store and from SQL.
pub(crate) fn batch_figures(row: &Row<'_>, verdict: Verdict) -> rusqlite::Result<BatchRow> {
    Ok(BatchRow {
        batch_id: row.get("batch_id")?,
        merchant_id: row.get("merchant_id")?,
        merchant_name: row.get("merchant_name")?,
        currency: currency_column(row, "currency")?,
        batch_date: required_date(row, "batch_date")?,
        transaction_count: row.get("transaction_count")?,
        sale_amount: minor_column(row, "sale_amount_minor")?,
        return_amount: minor_column(row, "return_amount_minor")?,
        items_count: row.get("items_count")?,
        items_sales: minor_column(row, "items_sales_minor")?,
        items_returns: minor_column(row, "items_returns_minor")?,
        ach_deposit_id: row.get("ach_deposit_id")?,
        verdict,
    })
}

/// A row of what is in transit; the same columns come from the store and from SQL.
pub(crate) fn transit(row: &Row<'_>) -> rusqlite::Result<TransitRow> {
    Ok(TransitRow {
        kind: row.get("kind")?,
        id: row.get("id")?,
        merchant_id: row.get("merchant_id")?,
        merchant_name: row.get("merchant_name")?,
        currency: currency_column(row, "currency")?,
        date: required_date(row, "date")?,
        due_date: required_date(row, "due_date")?,
        amount: minor_column(row, "amount_minor")?,
    })
}

fn summary(row: &Row<'_>) -> rusqlite::Result<SummaryRow> {
    Ok(SummaryRow {
        merchant_id: row.get("merchant_id")?,
        merchant_name: row.get("merchant_name")?,
        currency: currency_column(row, "currency")?,
        deposits: row.get("deposits")?,
        deposited_net: minor_column(row, "deposited_net_minor")?,
        batches: row.get("batches")?,
        items: row.get("items")?,
        items_amount: minor_column(row, "items_amount_minor")?,
        ledger_records: row.get("ledger_records")?,
        matched: row.get("matched")?,
        in_transit_amount: minor_column(row, "in_transit_minor")?,
        opening: row.get("opening")?,
        new: row.get("new")?,
        cleared: row.get("cleared")?,
        closing: row.get("closing")?,
        closing_amount: minor_column(row, "closing_minor")?,
        verdict: verdict_column(row)?,
    })
}
