//! The inputs of matching as of the prepared date: items, known bank transfers, ledger records and
//! the days that were read. Decides what an item is; never pairs anything.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic::resume_unwind;

use chrono::NaiveDate;
use compact_str::ToCompactString as _;
use rusqlite::{Connection, Row, named_params};

use super::at_hand::AtHand;
use super::book_cards::CardsAtHand;
use super::columns::{currency_column, date_column, minor_column, required_date};
use super::columns::{merchant_column, required_merchant};
use super::named_books::Ledgers;
use super::statement::rows;
use super::{REPRESENTED_UNKNOWN, Store, StoreError, While};
use tieout_matching::{
    CardIds, Dispute, Item, ItemKind, KnownTransfer, Last4, LedgerInput, LeftOutRow, ReturnFact,
    TransferFacts, TransferStatus,
};
use tieout_model::{LedgerKind, MerchantId, ShortText, TransferKind};

/// A discrepancy of a ledger check that was open when the latest earlier date closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenFinding {
    pub code: String,
    pub merchant_id: MerchantId,
    pub subject: String,
    pub batch_date: Option<NaiveDate>,
}

const READING: &str = "reading items and ledger records";

type Inputs = BTreeMap<MerchantId, LedgerInput>;

/// Names the merchants whose books are matched; to be called before anything of theirs is read.
///
/// # Errors
/// When the store refuses.
pub fn name_merchants(store: &Store, merchants: &BTreeSet<&MerchantId>) -> Result<(), StoreError> {
    let sql = "insert or ignore into temp.ledger_merchant (merchant_id) values (?1)";
    let mut insert = store.connection().prepare_cached(sql).during(READING)?;
    for merchant in merchants {
        insert.execute([merchant.as_str()]).during(READING)?;
    }
    Ok(())
}

/// Everything that matching needs as of the prepared date, of the merchants that `ledgers`
/// names.
///
/// # Errors
/// When the store refuses or holds a value that this version does not write.
pub fn read(store: &Store, ledgers: &Ledgers) -> Result<Inputs, StoreError> {
    read_both(store, ledgers, None)
}

/// The inputs dated after `since`, and the bank transfers that it wants.
///
/// # Errors
/// When the store refuses or holds a value that this version does not write.
pub fn read_since(
    store: &Store,
    ledgers: &Ledgers,
    since: &Since<'_>,
) -> Result<Inputs, StoreError> {
    read_both(store, ledgers, Some(since))
}

fn read_both(
    store: &Store,
    ledgers: &Ledgers,
    since: Option<&Since<'_>>,
) -> Result<Inputs, StoreError> {
    let connection = store.connection();
    let mut inputs: Inputs =
        ledgers.keys().map(|merchant| (merchant.clone(), LedgerInput::default())).collect();
    // After an error nothing stays at hand.
    let AtHand { mut cards, records: mut at_hand } = store.at_hand.take();
    let beside = || open_beside(store).ok().flatten();
    let read = || -> rusqlite::Result<Inputs> {
        for table in ["book_merchant", "book_transfer", "book_wanted"] {
            connection.prepare_cached(&format!("delete from temp.{table}"))?.execute([])?;
        }
        let mut insert = connection.prepare_cached(
            "insert into temp.book_merchant (merchant_id, early_day) values (?1, ?2)",
        )?;
        for (merchant, books) in ledgers {
            insert.execute((merchant.as_str(), books.early_day.to_string()))?;
        }
        find_transfers(connection, since)?;
        read_completeness(connection, &mut inputs)?;
        read_left_out(connection, &mut inputs, ledgers)?;
        let since_date = since.map(|since| since.date);
        cards.add_items((connection, beside), ledgers, since_date, &mut inputs)?;
        let returns = read_returns(connection, &mut inputs, since.is_some())?;
        read_bank_transfers(connection, &mut inputs, returns)?;
        Ok(inputs)
    };
    // Both sides are read at once, each on a connection of its own.
    let date = connection
        .query_row("select business_date from temp.asof", [], |row| {
            required_date(row, "business_date")
        })
        .during(READING)?;
    let since_date = since.map(|since| since.date);
    let beside = open_beside(store)?;
    let (inputs, records) = std::thread::scope(|scope| {
        let mut read_records =
            |connection: &Connection| at_hand.read(connection, ledgers, date, since_date);
        match beside {
            Some(beside) => {
                let records = scope.spawn(move || read_records(&beside.connection));
                let inputs = read();
                (inputs, records.join().unwrap_or_else(|panic| resume_unwind(panic)))
            }
            None => (read(), read_records(connection)),
        }
    });
    let (mut inputs, records) = (inputs.during(READING)?, records.during(READING)?);
    for (merchant, own) in records {
        if let Some(input) = inputs.get_mut(&merchant) {
            input.records = own;
        }
    }
    store.at_hand.replace(AtHand { cards, records: at_hand });
    Ok(inputs)
}

/// The cards at hand, to be read ahead to `date` by a thread beside this connection, and then
/// given back by [`take_cards`]; `None` where none are at hand or no other connection can read them.
pub fn cards_ahead(store: &Store, date: NaiveDate) -> Option<CardsAhead> {
    if store.at_hand.borrow().cards.is_empty() || !store.connection.is_autocommit() {
        return None;
    }
    let beside = open_beside(store).ok()??;
    let cards = std::mem::take(&mut store.at_hand.borrow_mut().cards);
    Some(CardsAhead { cards, beside, date })
}

/// Takes cards that were read ahead.
pub fn take_cards(store: &Store, ahead: CardsAhead) {
    store.at_hand.borrow_mut().cards = ahead.cards;
}

/// A second connection to what is committed; none to a store in memory.
fn open_beside(store: &Store) -> Result<Option<Store>, StoreError> {
    if store.is_in_memory() { Ok(None) } else { store.beside().map(Some) }
}

/// The configured merchants that no listing names.
///
/// # Errors
/// When the store refuses.
pub fn unlisted_merchants(store: &Store) -> Result<BTreeSet<MerchantId>, StoreError> {
    rows(&store.connection, include_str!("../sql/books/unlisted_merchants.sql"), [], |row| {
        required_merchant(row, 0)
    })
    .during(READING)
}

/// The ledger findings that were open when the latest earlier reconciled date closed.
///
/// # Errors
/// When the store refuses.
pub fn open_findings(store: &Store) -> Result<Vec<OpenFinding>, StoreError> {
    rows(&store.connection, include_str!("../sql/books/open_findings.sql"), [], |row| {
        Ok(OpenFinding {
            code: row.get("code")?,
            merchant_id: required_merchant(row, "merchant_id")?,
            subject: row.get("subject")?,
            batch_date: date_column(row, "batch_date")?,
        })
    })
    .during(READING)
}

/// The cards of a run's dates, and the connection that reads them ahead.
pub struct CardsAhead {
    cards: CardsAtHand,
    beside: Store,
    date: NaiveDate,
}

impl CardsAhead {
    /// Reads the days that are not at hand; none after an error, so that they are read later.
    #[must_use]
    pub fn read(mut self) -> Self {
        if self.cards.read_ahead(&self.beside.connection, self.date).is_err() {
            self.cards = CardsAtHand::default();
        }
        self
    }
}

/// The date after which new inputs are dated, and the bank transfers that are wanted in addition.
pub struct Since<'a> {
    pub date: NaiveDate,
    pub wanted: &'a BTreeSet<ShortText>,
}

/// Calendar days before that date whose listings are read for bank transfers: a transfer that ran
/// on one of them may have settled or changed since.
const TRANSFER_DAYS: u64 = 16;

fn find_transfers(connection: &Connection, since: Option<&Since<'_>>) -> rusqlite::Result<()> {
    let Some(since) = since else {
        connection.prepare_cached(include_str!("../sql/books/known_transfers.sql"))?.execute([])?;
        return Ok(());
    };
    let mut want = connection
        .prepare_cached("insert or ignore into temp.book_wanted (transfer_id) values (?1)")?;
    for id in since.wanted {
        want.execute([id.as_str()])?;
    }
    let from = since.date - chrono::Days::new(TRANSFER_DAYS);
    connection
        .prepare_cached(include_str!("../sql/books/known_transfers_since.sql"))?
        .execute(named_params! { ":since": from.to_string() })?;
    Ok(())
}

/// A row whose merchant could not be read may belong to any merchant of its ledger.
fn read_left_out(
    connection: &Connection,
    inputs: &mut Inputs,
    ledgers: &Ledgers,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(include_str!("../sql/books/left_out.sql"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let ledger: String = row.get("ledger")?;
        let merchant = merchant_column(row, "merchant_id")?;
        let one = LeftOutRow {
            kind: row.get_ref("kind")?.as_str_or_null()?.and_then(LedgerKind::from_name),
            date: date_column(row, "date")?,
            amount: minor_column(row, "amount_minor")?,
            currency: currency_column(row, "currency")?,
            reference: short_text(row, "reference")?,
            place: format!(
                "{}, line {}: {}",
                row.get_ref("path")?.as_str()?,
                row.get::<_, i64>("line")?,
                row.get_ref("reason")?.as_str()?,
            ),
        };
        let is_own = |id: &MerchantId| {
            ledgers[id].name == ledger && merchant.as_ref().is_none_or(|merchant| merchant == id)
        };
        for (_, input) in inputs.iter_mut().filter(|(id, _)| is_own(id)) {
            input.left_out.push(one.clone());
        }
    }
    Ok(())
}

fn read_completeness(connection: &Connection, inputs: &mut Inputs) -> rusqlite::Result<()> {
    let days_read = include_str!("../sql/books/days_read.sql");
    each_day(connection, inputs, days_read, |input| &mut input.days_read)?;
    let early_failed = include_str!("../sql/books/early_failed.sql");
    each_day(connection, inputs, early_failed, |input| &mut input.early_failed)?;
    read_disputed(connection, inputs)?;
    let mut statement = connection.prepare_cached("select merchant_id from temp.returns_unread")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if let Some(input) = inputs.get_mut(&required_merchant(row, "merchant_id")?) {
            input.returns_unread = true;
        }
    }
    Ok(())
}

/// The disputed card transactions; left unset where the key has no disputes or not all were read.
fn read_disputed(connection: &Connection, inputs: &mut Inputs) -> rusqlite::Result<()> {
    let sql = include_str!("../sql/books/are_disputes_known.sql");
    let are_known: bool = connection.query_row(sql, [], |row| row.get(0))?;
    if !are_known {
        return Ok(());
    }
    for input in inputs.values_mut() {
        input.disputed = Some(HashMap::new());
    }
    let sql = include_str!("../sql/books/disputes.sql");
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let input = inputs.get_mut(&required_merchant(row, "merchant_id")?);
        if let Some(disputed) = input.and_then(|input| input.disputed.as_mut()) {
            let item = row.get::<_, i64>("transaction_id")?.to_compact_string();
            let date = required_date(row, "first_date")?;
            let amount = minor_column(row, "amount_minor")?;
            let own = disputed.entry(item).or_default();
            if row.get("may_be_debited")? {
                own.push(Dispute { date, amount, is_lost: row.get("is_lost")? });
            }
        }
    }
    Ok(())
}

/// Puts each day that `sql` selects into one of the sets of its merchant.
fn each_day(
    connection: &Connection,
    inputs: &mut Inputs,
    sql: &str,
    set: impl Fn(&mut LedgerInput) -> &mut BTreeSet<NaiveDate>,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let day = required_date(row, "day")?;
        if let Some(input) = inputs.get_mut(&required_merchant(row, "merchant_id")?) {
            set(input).insert(day);
        }
    }
    Ok(())
}

fn last4(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<Last4>> {
    Ok(row.get::<_, Option<String>>(column)?.as_deref().and_then(Last4::from_digits))
}

fn short_text(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<ShortText>> {
    Ok(row.get::<_, Option<String>>(column)?.map(ShortText::from))
}

/// Returns by payment; the id of a return that is dated up to the business date is known.
fn read_returns(
    connection: &Connection,
    inputs: &mut Inputs,
    is_since: bool,
) -> rusqlite::Result<HashMap<String, Vec<ReturnFact>>> {
    let sql = if is_since {
        include_str!("../sql/books/returns_since.sql")
    } else {
        include_str!("../sql/books/returns.sql")
    };
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    let mut returns: HashMap<String, Vec<ReturnFact>> = HashMap::new();
    while let Some(row) = rows.next()? {
        let fact = ReturnFact {
            date: required_date(row, "return_date")?,
            undone_on: date_column(row, "undone_on")?,
            is_closed: row.get("closed")?,
            is_represented: match row.get("represented")? {
                REPRESENTED_UNKNOWN => None,
                said => Some(said != 0),
            },
        };
        if row.get("is_taken_back")? {
            returns.entry(row.get("payment_id")?).or_default().push(fact);
        }
        if let Some(input) = inputs.get_mut(&required_merchant(row, "merchant_id")?)
            && row.get("is_dated")?
        {
            input.other_references.extend(short_text(row, "return_id")?);
        }
    }
    Ok(returns)
}

fn read_bank_transfers(
    connection: &Connection,
    inputs: &mut Inputs,
    mut returns: HashMap<String, Vec<ReturnFact>>,
) -> rusqlite::Result<()> {
    let mut statement =
        connection.prepare_cached(include_str!("../sql/books/bank_transfers.sql"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let Some(input) = inputs.get_mut(&required_merchant(row, "merchant_id")?) else { continue };
        let transfer_id: String = row.get("transfer_id")?;
        let kind = match row.get::<_, String>("kind")?.as_str() {
            "payment" => TransferKind::Payment,
            _ => TransferKind::Refund,
        };
        if row.get("is_return")? {
            input.other_references.push(transfer_id.into());
            continue;
        }
        let mut came_back = match kind {
            TransferKind::Payment => returns.remove(&transfer_id).unwrap_or_default(),
            TransferKind::Refund => Vec::new(),
        };
        if came_back.is_empty()
            && let Some(date) = date_column(row, "came_back_on")?
        {
            let is_represented = Some(row.get("is_represented")?);
            came_back.push(ReturnFact { date, undone_on: None, is_closed: false, is_represented });
        }
        let facts = TransferFacts {
            status: TransferStatus::from_name(&row.get::<_, String>("status")?),
            returns: came_back,
            representment_of: short_text(row, "representment_of")?,
        };
        let is_verification = row.get::<_, String>("transfer_type")? == "accountVerification";
        match date_column(row, "settled_day")? {
            Some(day) if !is_verification => {
                input.items.push(transfer_item(row, kind, transfer_id, day, facts)?);
                input.card_ids.push(CardIds::default());
            }
            _ => input.transfers.push(KnownTransfer {
                kind,
                transfer_id: transfer_id.into(),
                // A verification moves no money: only a record that names its id can refer to it.
                order_id: if is_verification { None } else { short_text(row, "order_id")? },
                amount: minor_column(row, "amount_minor")?,
                currency: currency_column(row, "currency")?,
                last4: last4(row, "account_last4")?,
                run_date: date_column(row, "run_date")?,
                is_listed: row.get("is_listed")?,
                facts,
            }),
        }
    }
    Ok(())
}

fn transfer_item(
    row: &Row<'_>,
    kind: TransferKind,
    transfer_id: String,
    day: NaiveDate,
    facts: TransferFacts,
) -> rusqlite::Result<Item> {
    Ok(Item {
        kind: match kind {
            TransferKind::Payment => ItemKind::Payment,
            TransferKind::Refund => ItemKind::Refund,
        },
        item_id: transfer_id.into(),
        authorization_id: None,
        day,
        second_day: date_column(row, "run_date")?,
        amount: minor_column(row, "amount_minor")?,
        currency: currency_column(row, "currency")?,
        order_id: short_text(row, "order_id")?,
        last4: last4(row, "account_last4")?,
        facts: Some(Box::new(facts)),
    })
}
