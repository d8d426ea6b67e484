//! The card items that matching uses, as of the prepared date. The cards read of a day stay at hand
//! for the later dates of a run, until something of that day is written.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use chrono::NaiveDate;
use compact_str::ToCompactString as _;
use rusqlite::Connection;

use super::columns::{Repeated, required_date, required_merchant, text_or_null};
use super::named_books::Ledgers;
use super::side_by_side::{self, side_by_side};
use super::statement::rows;
use super::tally::Quick;
use tieout_matching::{CardIds, Item, ItemKind, Last4, LedgerInput, Unclear};
use tieout_model::money::{Currency, Minor};
use tieout_model::{AuthorizationId, BatchId, MerchantId, ShortText, TransactionId};

/// The most cards that stay at hand from one date to the next; a store of years exceeds the memory.
const AT_HAND: usize = 250_000;

/// An authorization with one of its transactions, of a merchant with matched books or without a
/// merchant.
struct Card {
    authorization_id: AuthorizationId,
    ids: CardIds,
    amount: Option<Minor>,
    /// The index of its merchant among those at hand.
    merchant: Option<u32>,
    currency: Option<Currency>,
    transaction_date: Option<NaiveDate>,
    last4: Option<Last4>,
    kind: Kind,
}

/// The kind of an authorization's transaction.
#[derive(Clone, Copy)]
enum Kind {
    /// It has none.
    None,
    One(ItemKind),
    /// Neither a capture nor a return, so that it may be either.
    Either,
}

impl Kind {
    fn of(has_transaction: bool, transaction_type: Option<&str>) -> Self {
        match transaction_type {
            _ if !has_transaction => Self::None,
            Some("capture") => Self::One(ItemKind::Capture),
            Some("return") => Self::One(ItemKind::Return),
            _ => Self::Either,
        }
    }
}

impl Card {
    fn place(&self) -> (i64, i64) {
        (self.authorization_id.0, self.ids.transaction_id.map_or(0, |id| id.0))
    }

    fn item(&self, day: NaiveDate, kind: ItemKind) -> Item {
        let id = self.ids.transaction_id.map_or(self.authorization_id.0, |id| id.0);
        // The sign of a return's amount is not published; its size is.
        let is_return = kind == ItemKind::Return;
        Item {
            kind,
            item_id: id.to_compact_string(),
            authorization_id: Some(self.authorization_id),
            day,
            second_day: self.transaction_date,
            amount: if is_return { self.amount.and_then(Minor::checked_abs) } else { self.amount },
            currency: self.currency,
            order_id: None,
            last4: self.last4,
            facts: None,
        }
    }
}

struct Day {
    /// The day's change count when it was read.
    changes: i64,
    cards: Vec<Card>,
    /// Whether it holds cards that take the merchant of their batch, which another reading may
    /// name.
    is_of_batches: bool,
}

/// The authorizations that were read from a store.
#[derive(Default)]
pub(super) struct CardsAtHand {
    /// The merchants whose books are matched, in order; the cards of others are not read.
    merchants: Vec<MerchantId>,
    days: BTreeMap<NaiveDate, Day>,
}

/// The range of items that are known as of the prepared date.
struct Sight {
    first: NaiveDate,
    date: NaiveDate,
    start: NaiveDate,
    is_since: bool,
    /// Merchants and days before the start date that a deposit pays for.
    paid: BTreeMap<MerchantId, BTreeSet<NaiveDate>>,
    /// The day before the start date from which items count: of each merchant, and the earliest of
    /// all.
    early: BTreeMap<MerchantId, NaiveDate>,
    earliest: Option<NaiveDate>,
    days_read: HashSet<NaiveDate>,
}

impl Sight {
    fn of(
        connection: &Connection,
        ledgers: &Ledgers,
        since: Option<NaiveDate>,
    ) -> rusqlite::Result<Self> {
        let (start, date) =
            connection.query_row("select start_date, business_date from temp.asof", [], |row| {
                Ok((required_date(row, "start_date")?, required_date(row, "business_date")?))
            })?;
        let sql = "select merchant_id, day from temp.paid_days_before_start";
        let days: Vec<(MerchantId, NaiveDate)> = rows(connection, sql, [], |row| {
            Ok((required_merchant(row, 0)?, required_date(row, "day")?))
        })?;
        let mut paid: BTreeMap<MerchantId, BTreeSet<NaiveDate>> = BTreeMap::new();
        for (merchant, day) in days {
            paid.entry(merchant).or_default().insert(day);
        }
        let sql = "select business_date as day from temp.complete_listing \
                   where resource = 'authorizations' and selector = 'date'";
        let days_read = rows(connection, sql, [], |row| required_date(row, "day"))?;
        let early: BTreeMap<MerchantId, NaiveDate> =
            ledgers.iter().map(|(id, books)| (id.clone(), books.early_day)).collect();
        let earliest = early.values().min().copied();
        let before_start = paid.values().flatten().copied().chain(earliest);
        let first = match since {
            Some(day) => day.succ_opt().unwrap_or(day),
            None => before_start.fold(start, NaiveDate::min),
        };
        Ok(Self { first, date, start, is_since: since.is_some(), paid, early, earliest, days_read })
    }

    fn holds(&self, day: NaiveDate, merchant: Option<&MerchantId>) -> bool {
        let paid = merchant.and_then(|id| self.paid.get(id));
        // A card without a merchant may belong to any of them.
        let early = merchant.map_or(self.earliest, |id| self.early.get(id).copied());
        self.is_since
            || day >= self.start
            || paid.is_some_and(|days| days.contains(&day))
            || early.is_some_and(|early| day >= early && self.days_read.contains(&day))
    }
}

/// A card with its day.
type Dated<'at> = (NaiveDate, &'at Card);

impl CardsAtHand {
    /// Adds the card items that are known as of the prepared date, dated after `since`, to the
    /// inputs of their merchants.
    pub(super) fn add_items<B: AsRef<Connection> + Send>(
        &mut self,
        (connection, beside): (&Connection, impl Fn() -> Option<B>),
        ledgers: &Ledgers,
        since: Option<NaiveDate>,
        inputs: &mut BTreeMap<MerchantId, LedgerInput>,
    ) -> rusqlite::Result<()> {
        let sight = Sight::of(connection, ledgers, since)?;
        self.read(connection, beside, &sight)?;
        let (mut own, of_any) = self.known(&sight);
        let with_cards = inputs.iter_mut().filter_map(|(id, input)| {
            let place = self.merchants.binary_search(id).ok()?;
            Some((input, std::mem::take(&mut own[place])))
        });
        side_by_side(with_cards.collect(), |(input, mut cards)| {
            cards.extend(&of_any);
            add_cards(input, cards, &sight);
        });
        self.days.retain(|_, day| !day.is_of_batches);
        if self.days.values().map(|day| day.cards.len()).sum::<usize>() > AT_HAND {
            self.days.clear();
        }
        Ok(())
    }

    /// The known cards at hand with their days: those of each merchant, and those without one.
    fn known(&self, sight: &Sight) -> (Vec<Vec<Dated<'_>>>, Vec<Dated<'_>>) {
        let mut own = vec![Vec::new(); self.merchants.len()];
        let mut of_any = Vec::new();
        for (day, Day { cards, .. }) in self.days.range(sight.first..=sight.date) {
            let holds: Vec<bool> =
                self.merchants.iter().map(|merchant| sight.holds(*day, Some(merchant))).collect();
            let holds_of_any = sight.holds(*day, None);
            for card in cards {
                match card.merchant.map(|place| place as usize) {
                    Some(place) if holds[place] => own[place].push((*day, card)),
                    None if holds_of_any => of_any.push((*day, card)),
                    _ => {}
                }
            }
        }
        (own, of_any)
    }

    /// Reads the days that are not at hand as they are now, several of them side by side where
    /// `beside` opens further connections.
    fn read<B: AsRef<Connection> + Send>(
        &mut self,
        connection: &Connection,
        beside: impl Fn() -> Option<B>,
        sight: &Sight,
    ) -> rusqlite::Result<()> {
        let sql = "select merchant_id from temp.ledger_merchant order by merchant_id";
        let merchants: Vec<MerchantId> =
            rows(connection, sql, [], |row| required_merchant(row, 0))?;
        if merchants != self.merchants {
            *self = Self { merchants, ..Self::default() };
        }
        let missing = self.missing(connection, sight.first, sight.date)?;
        if missing.len() > 1 {
            let shares = missing.chunks(missing.len().div_ceil(side_by_side::threads()));
            let shares = shares.filter_map(|share| Some((beside()?, share)));
            let read = side_by_side(shares.collect(), |(beside, share)| {
                let read = |(day, changes): &(NaiveDate, i64)| {
                    Ok((*day, read_day(beside.as_ref(), &self.merchants, *day, *changes)?))
                };
                share.iter().map(read).collect::<rusqlite::Result<Vec<_>>>()
            });
            for share in read {
                self.days.extend(share?);
            }
        }
        for (day, changes) in self.missing(connection, sight.first, sight.date)? {
            self.days.insert(day, read_day(connection, &self.merchants, day, changes)?);
        }
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.days.is_empty()
    }

    /// Reads the days after those at hand up to `date`, which the next matching will want.
    pub(super) fn read_ahead(
        &mut self,
        connection: &Connection,
        date: NaiveDate,
    ) -> rusqlite::Result<()> {
        let Some(first) = self.days.keys().next_back().and_then(NaiveDate::succ_opt) else {
            return Ok(());
        };
        for (day, changes) in self.missing(connection, first, date)? {
            let read = read_day(connection, &self.merchants, day, changes)?;
            if !read.is_of_batches {
                self.days.insert(day, read);
            }
        }
        Ok(())
    }

    /// The days that are not at hand as they are now, with their change counts.
    fn missing(
        &self,
        connection: &Connection,
        first: NaiveDate,
        last: NaiveDate,
    ) -> rusqlite::Result<Vec<(NaiveDate, i64)>> {
        let sql = "select day, changes from authorization_day where day between ?1 and ?2";
        let range = (first.to_string(), last.to_string());
        let mut days: Vec<(NaiveDate, i64)> =
            rows(connection, sql, range, |row| Ok((required_date(row, "day")?, row.get(1)?)))?;
        days.retain(|(day, changes)| {
            self.days.get(day).is_none_or(|known| known.changes != *changes)
        });
        Ok(days)
    }
}

/// Adds the items of a merchant's cards to its input. The first card of a transaction, in order of
/// authorization and transaction, stands for it.
fn add_cards(input: &mut LedgerInput, mut cards: Vec<Dated<'_>>, sight: &Sight) {
    cards.sort_by_key(|(_, card)| card.place());
    let mut seen: HashSet<TransactionId, Quick> = HashSet::default();
    for (day, card) in cards {
        let kinds = match card.kind {
            _ if !sight.days_read.contains(&day) => &[][..],
            Kind::None => &[],
            Kind::One(kind) => &[kind],
            Kind::Either => &[ItemKind::Capture, ItemKind::Return],
        };
        let id = card.ids.transaction_id;
        let has_merchant = card.merchant.is_some();
        let stands = has_merchant && id.is_none_or(|id| seen.insert(id));
        if let ([kind], true) = (kinds, stands) {
            input.items.push(card.item(day, *kind));
            input.card_ids.push(card.ids);
            continue;
        }
        if has_merchant {
            input.other_references.push(card.authorization_id.to_compact_string());
        }
        if stands {
            input.other_references.extend(id.map(|id| id.to_compact_string()));
        }
        if stands || !has_merchant {
            let problem = ShortText::const_new(if has_merchant {
                "is neither a capture nor a return"
            } else {
                "names no merchant"
            });
            let unclear = |kind| Unclear { item: card.item(day, kind), problem: problem.clone() };
            input.unclear.extend(kinds.iter().copied().map(unclear));
        }
    }
}

/// Reads the cards of a day that belong to one of `merchants`, which are in order, or to none.
fn read_day(
    connection: &Connection,
    merchants: &[MerchantId],
    day: NaiveDate,
    changes: i64,
) -> rusqlite::Result<Day> {
    let mut statement = connection.prepare_cached(include_str!("../sql/books/card_items.sql"))?;
    let mut rows = statement.query([day.to_string()])?;
    let mut read = Day { changes, cards: Vec::new(), is_of_batches: false };
    let (mut dates, mut currencies) = (Repeated::default(), Repeated::default());
    while let Some(row) = rows.next()? {
        let merchant = match text_or_null(row, 1)? {
            Some(id) => match merchants.binary_search_by(|known| known.as_str().cmp(id)) {
                Ok(place) => u32::try_from(place).ok(),
                Err(_) => continue,
            },
            None => None,
        };
        read.is_of_batches |= row.get::<_, bool>(10)?;
        read.cards.push(Card {
            authorization_id: AuthorizationId(row.get(0)?),
            ids: CardIds {
                transaction_id: row.get::<_, Option<_>>(6)?.map(TransactionId),
                batch_id: row.get::<_, Option<_>>(2)?.map(BatchId),
            },
            amount: row.get::<_, Option<i64>>(8)?.map(Minor),
            merchant,
            currency: currencies.currency(row, 3)?,
            transaction_date: dates.date_or_null(row, 9)?,
            last4: text_or_null(row, 4)?.and_then(Last4::from_digits),
            kind: Kind::of(row.get(5)?, text_or_null(row, 7)?),
        });
    }
    read.cards.shrink_to_fit();
    Ok(read)
}

#[cfg(test)]
mod tests;
