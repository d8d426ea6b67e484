//! The authorizations of a day, read once: they are the bulk of a night.

use chrono::NaiveDate;
use rusqlite::Row;
use tieout_model::{AuthorizationId, BatchId, TransactionId};

use super::{Result, Store, all};
use crate::columns::text_or_null;

/// Transactions of a day whose ids lie no further apart than this are searched in one walk along
/// their index: passing an id of another day costs less than a new search.
const NEAR: i64 = 16;

/// An authorization with one of its transactions.
#[derive(Clone, Copy, Debug)]
pub struct Card<'row> {
    pub authorization_id: AuthorizationId,
    pub batch_id: Option<BatchId>,
    pub merchant_id: Option<&'row str>,
    pub currency: Option<&'row str>,
    pub has_transaction: bool,
    pub transaction_type: Option<&'row str>,
    pub amount: Option<i64>,
    pub preauthorization: Option<i64>,
    pub response: Option<&'row str>,
    pub transaction_id: Option<TransactionId>,
    pub is_split: bool,
}

/// The days that `date` probably looks at, to be read ahead by connections beside this one. None
/// when other connections cannot see this store, or the changes of its open transaction. The exact
/// days are known only later.
pub fn days_ahead(store: &Store, date: NaiveDate, start: NaiveDate) -> Result<Vec<String>> {
    if store.is_in_memory() || !store.connection.is_autocommit() {
        return Ok(Vec::new());
    }
    let sql = include_str!("../../sql/cards/days_ahead.sql");
    all(store, sql, [date.to_string(), start.to_string()], |row| row.get(0))
}

/// The days whose authorizations the prepared date looks at, in order, and whether it judges their
/// captures.
pub fn card_days(store: &Store) -> Result<Vec<(String, bool)>> {
    all(store, "select day, is_judged from temp.card_days order by day", [], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}

/// Walks through the authorizations of a day.
pub fn each_card(store: &Store, day: &str, mut take: impl FnMut(Card<'_>)) -> Result<()> {
    let mut statement = store.connection.prepare_cached(include_str!("../../sql/cards/day.sql"))?;
    let mut rows = statement.query([day])?;
    while let Some(row) = rows.next()? {
        take(card(row)?);
    }
    Ok(())
}

/// Reads columns by place: looking up their names in every row would take longer than the rest.
fn card<'row>(row: &'row Row<'_>) -> rusqlite::Result<Card<'row>> {
    Ok(Card {
        authorization_id: row.get(0).map(AuthorizationId)?,
        batch_id: row.get::<_, Option<_>>(1)?.map(BatchId),
        merchant_id: text_or_null(row, 2)?,
        currency: text_or_null(row, 3)?,
        has_transaction: row.get(4)?,
        transaction_type: text_or_null(row, 5)?,
        amount: row.get(6)?,
        preauthorization: row.get(7)?,
        response: text_or_null(row, 8)?,
        transaction_id: row.get::<_, Option<_>>(9)?.map(TransactionId),
        is_split: row.get(10)?,
    })
}

/// The authorizations of `standing`, pairs of a transaction and an authorization, that share their
/// transaction's id with another one of the store.
pub fn repeated(
    store: &Store,
    mut standing: Vec<(TransactionId, AuthorizationId)>,
) -> Result<Vec<(AuthorizationId, TransactionId)>> {
    standing.sort_unstable();
    let mut statement =
        store.connection.prepare_cached(include_str!("../../sql/cards/transactions.sql"))?;
    let mut repeated = Vec::new();
    for near in standing.chunk_by(|one, next| next.0.0.saturating_sub(one.0.0) <= NEAR) {
        let (Some((first, _)), Some((last, _))) = (near.first(), near.last()) else { continue };
        let mut rows = statement.query([first.0, last.0])?;
        let mut latest = None;
        // Authorizations whose transaction is not passed yet.
        let mut ahead = near;
        while let Some(row) = rows.next()? {
            let id = TransactionId(row.get(0)?);
            if latest.replace(id) != Some(id) {
                continue;
            }
            ahead = &ahead[ahead.partition_point(|(transaction_id, _)| *transaction_id < id)..];
            while let Some(((transaction_id, authorization_id), rest)) = ahead.split_first()
                && *transaction_id == id
            {
                repeated.push((*authorization_id, id));
                ahead = rest;
            }
        }
    }
    Ok(repeated)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rusqlite::params;

    use super::*;

    /// An authorization: its day, its transaction if it has one, and whether it is delisted.
    type Card = (u8, Option<i64>, bool);

    /// Transactions that are near each other, further apart, and at both ends of the range of ids.
    fn any_cards() -> impl Strategy<Value = Vec<Card>> {
        let id = prop_oneof![
            6 => 1_i64..40,
            2 => 1_i64..2_000,
            1 => prop::sample::select(&[i64::MIN, -1, 0, i64::MAX][..]),
        ];
        let card = (0_u8..3, prop::option::weighted(0.9, id), prop::bool::weighted(0.1));
        prop::collection::vec(card, 0..60)
    }

    fn store(cards: &[Card]) -> Store {
        let store = Store::in_memory().unwrap();
        let connection = store.connection();
        connection.pragma_update(None, "foreign_keys", false).unwrap();
        for (place, (day, transaction_id, is_gone)) in cards.iter().enumerate() {
            let id = i64::try_from(place).unwrap();
            connection
                .execute(
                    "insert into authorization (authorization_id, transaction_key, day, \
                     has_transaction, transaction_id, reading, first_reading, content, gone_in) \
                     values (?1, coalesce(?3, 0), ?2, 1, ?3, 1, 1, 0, ?4)",
                    params![id, format!("2026-06-1{day}"), transaction_id, is_gone.then_some(2)],
                )
                .unwrap();
        }
        store
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn repeated_are_those_whose_transaction_stands_elsewhere_as_well(cards in any_cards()) {
            let stands_twice = |card: &Card| {
                card.1.is_some() && cards.iter().filter(|other| other.1 == card.1).count() > 1
            };
            let expected: Vec<i64> = (0..)
                .zip(&cards)
                .filter(|(_, card)| card.0 == 0 && !card.2 && stands_twice(card))
                .map(|(id, _)| id)
                .collect();
            let store = store(&cards);
            let mut standing = Vec::new();
            each_card(&store, "2026-06-10", |card| {
                standing.extend(card.transaction_id.map(|id| (id, card.authorization_id)));
            }).unwrap();
            let repeated = repeated(&store, standing).unwrap();
            let mut found: Vec<i64> = repeated.into_iter().map(|(id, _)| id.0).collect();
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
