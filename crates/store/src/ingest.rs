//! Writes the content of a listing: pages as evidence, records as rows. Runs inside the writer's
//! transaction, so that a page's cursor and its rows are committed together.

pub(super) mod bound;
mod card;
mod dispute;
mod held;
mod page;
mod returns;
mod settlement;
mod transfer;
mod values;

use std::collections::HashSet;

use rusqlite::{Connection, named_params};

use super::reading::Reading;
use super::seal::seal;
use super::sums::Gathered;
use super::tally::{Tally, is_card};
use card::{Cards, Insert};
use dispute::{insert_dispute, insert_status};
use held::two_contents;
pub(super) use page::{Evidence, Packer, Written};
pub use page::{IngestError, PageContent, names_two_contents};
use settlement::{insert_batch, insert_deposit, insert_fee, refuse_two_contents};
use tieout_model::{MerchantSummary, Record, Resource};
use transfer::Transfers;

/// The statements of a page, looked up once for all of its records.
struct Statements<'connection> {
    connection: &'connection Connection,
    cards: Option<Insert<'connection>>,
    transfers: Option<Transfers<'connection>>,
}

impl<'connection> Statements<'connection> {
    fn cards(&mut self, resource: Resource) -> rusqlite::Result<&mut Insert<'connection>> {
        match &mut self.cards {
            Some(insert) => Ok(insert),
            none => Ok(none.insert(Insert::prepare(self.connection, resource)?)),
        }
    }

    fn transfers(&mut self) -> rusqlite::Result<&mut Transfers<'connection>> {
        match &mut self.transfers {
            Some(transfers) => Ok(transfers),
            none => Ok(none.insert(Transfers::prepare(self.connection)?)),
        }
    }
}

/// State of the writer that spans pages and readings.
#[derive(Default)]
pub(super) struct Ingest {
    merchants: HashSet<MerchantSummary>,
    /// The merchant that was named last: most often the next record names it again.
    latest: MerchantSummary,
    /// The records that were written.
    pub(super) stored: Tally,
    pub(super) cards: Cards,
    same_transfers: transfer::Same,
    gathered: Gathered,
}

impl Ingest {
    /// An ingest that adds its new rows to the gathered sums.
    pub(super) fn gathering(gathered: Gathered) -> Self {
        Self { gathered, ..Self::default() }
    }

    /// Must be called before the transaction is committed.
    pub(super) fn finish(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        transfer::tell_the_same(connection, &mut self.same_transfers)
    }

    /// Stores `page`: its evidence, its cursor, and its records. A record whose content has changed
    /// within this reading keeps its first content and is named.
    pub(super) fn page(
        &mut self,
        connection: &Connection,
        reading: &Reading,
        page: &PageContent,
        evidence: &Evidence,
    ) -> rusqlite::Result<Written> {
        let mut written = Written::default();
        let mut refused = None;
        let mut statements = Statements { connection, cards: None, transfers: None };
        for (index, record) in page.records.iter().enumerate() {
            let place = (index, evidence.hashes[index]);
            match self.record(connection, &mut statements, reading, page, place, record) {
                Ok(is_added) => {
                    written.added += u64::from(is_added);
                    written.repeated += u64::from(!is_added);
                }
                Err(IngestError::Sql(error)) if is_about_the_record(&error) => {
                    refused.get_or_insert_with(|| {
                        let (listing, place) = (&reading.listing, index + 1);
                        let page = page.number;
                        let name = record
                            .key()
                            .map_or_else(|| format!("record {place}"), |key| key.to_string());
                        format!("{listing}, {page}: {name} cannot be stored: {error}")
                    });
                }
                Err(IngestError::Sql(error)) => return Err(error),
                Err(conflict) => {
                    refused.get_or_insert(conflict.to_string());
                }
            }
        }
        if let Some(cards) = &mut statements.cards {
            cards.end_page(reading, &self.gathered)?;
        }
        if let Some(error) = page.fault.as_ref().or(refused.as_ref()) {
            // With the page, so that a run that is killed now does not lose the error.
            connection
                .prepare_cached(
                    "update reading set error = coalesce(error, ?2) where reading_id = ?1",
                )?
                .execute((reading.reading_id, error))?;
        }
        write_page(connection, reading, page, evidence, written.added)?;
        Ok(written)
    }

    fn record(
        &mut self,
        connection: &Connection,
        statements: &mut Statements<'_>,
        reading: &Reading,
        page: &PageContent,
        (index, content): (usize, i64),
        record: &Record,
    ) -> Result<bool, IngestError> {
        if !is_card(record) && reading.listing.is_counted() {
            self.stored.record(reading, page.number, index, record);
        }
        let changed = match record {
            Record::Deposit(deposit) => {
                self.merchant(connection, &deposit.merchant)?;
                insert_deposit(connection, reading, deposit, content)?
            }
            Record::Fee(fee) => {
                self.merchant(connection, &fee.merchant)?;
                return insert_fee(connection, reading, page.number, index, fee)
                    .map_err(Into::into);
            }
            Record::Batch(batch) => {
                self.merchant(connection, &batch.merchant)?;
                insert_batch(connection, reading, batch, content)?
            }
            Record::Authorization(authorization) => {
                self.merchant(connection, &authorization.merchant)?;
                let insert = statements.cards(reading.listing.resource)?;
                return self.cards.store(insert, &mut self.stored, reading, page, record, content);
            }
            Record::Transaction(transaction) => {
                self.merchant(connection, &transaction.merchant)?;
                let insert = statements.cards(reading.listing.resource)?;
                return self.cards.store(insert, &mut self.stored, reading, page, record, content);
            }
            Record::Dispute(dispute) => {
                self.merchant(connection, &dispute.merchant)?;
                insert_dispute(connection, reading, dispute, content)?
            }
            Record::DisputeStatus(status) => {
                return insert_status(connection, reading, page, index, status).map_err(Into::into);
            }
            Record::BankTransfer(transfer) => {
                let same = &mut self.same_transfers;
                let kept = statements.transfers()?.keep(same, reading, transfer, content)?;
                if kept.is_contradicted {
                    return Err(two_contents(reading, page, record));
                }
                return Ok(kept.is_listed);
            }
        };
        Ok(changed || refuse_two_contents(connection, reading, page, record, content)?)
    }

    fn merchant(
        &mut self,
        connection: &Connection,
        merchant: &MerchantSummary,
    ) -> rusqlite::Result<()> {
        let Some(merchant_id) = &merchant.merchant_id else { return Ok(()) };
        if self.latest == *merchant {
            return Ok(());
        }
        if self.merchants.contains(merchant) {
            self.latest.clone_from(merchant);
            return Ok(());
        }
        let changed = connection
            .prepare_cached(include_str!("../sql/ingest/merchant.sql"))?
            .execute(named_params! {
                ":merchant_id": merchant_id.as_str(),
                ":doing_business_as": merchant.doing_business_as.as_deref(),
                ":processing_account_id": merchant.processing_account_id,
            })?;
        if changed > 0 {
            seal(connection, "merchant", &[&merchant_id.as_str()])?;
        }
        self.merchants.insert(merchant.clone());
        Ok(())
    }
}

/// Keeps the evidence of a page and its cursor, and counts it with its reading.
fn write_page(
    connection: &Connection,
    reading: &Reading,
    page: &PageContent,
    evidence: &Evidence,
    added: u64,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("insert or ignore into page_body (digest, content) values (?1, ?2)")?
        .execute((&evidence.digest, &evidence.content))?;
    connection.prepare_cached(include_str!("../sql/ingest/page.sql"))?.execute(named_params! {
        ":reading_id": reading.reading_id,
        ":part": page.number.part,
        ":page_number": page.number.number,
        ":after": page.after,
        ":next": page.next,
        ":records": i64::try_from(added).unwrap_or(i64::MAX),
        ":digest": evidence.digest,
    })?;
    connection.prepare_cached(include_str!("../sql/ingest/reading_progress.sql"))?.execute(
        named_params! {
            ":reading_id": reading.reading_id,
            ":records": i64::try_from(added).unwrap_or(i64::MAX),
            ":bytes": i64::try_from(page.received_bytes).unwrap_or(i64::MAX),
        },
    )?;
    Ok(())
}

/// Whether the store refuses a record for its content, which concerns its listing alone; any other
/// refusal concerns the whole run.
fn is_about_the_record(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{ConstraintViolation, TooBig, TypeMismatch};
    matches!(error.sqlite_error_code(), Some(ConstraintViolation | TooBig | TypeMismatch))
}

#[cfg(test)]
mod tests;
