//! One pass over the authorizations of the days that a date looks at: what they add up to, batch
//! by batch, and which few of them the checks look at one by one. They are the mass of a night,
//! so no check walks through them by itself.

use std::collections::{BTreeSet, HashMap};

use chrono::NaiveDate;
use rusqlite::{Connection, Row, params};

/// The file of `sql/asof` that makes the tables which are filled here.
pub(crate) const TABLES: &str = "04_cards";

// The columns of `sql/cards/day.sql`: to look for a name in every row would take longer than the
// rest.
const AUTHORIZATION_ID: usize = 0;
const BATCH_ID: usize = 1;
const MERCHANT_ID: usize = 2;
const CURRENCY: usize = 3;
const HAS_TRANSACTION: usize = 4;
const TRANSACTION_TYPE: usize = 5;
const AMOUNT: usize = 6;
const PREAUTHORIZATION: usize = 7;
const RESPONSE: usize = 8;
const TRANSACTION_ID: usize = 9;
const IS_SPLIT: usize = 10;

/// Transactions of a day whose ids lie no further apart than this are looked for in one walk along
/// their index: to pass an id that is not of the day costs less than to begin anew.
const NEAR: i64 = 16;

/// Where an amount is added up, but for its kind and day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Place {
    batch_id: Option<i64>,
    merchant_id: Option<String>,
    currency: Option<String>,
}

/// What an issuer answers when it approves, in full or in part, the most frequent first.
const APPROVALS: [&str; 8] = [
    "approved",
    "approveVip",
    "approveWithId",
    "honorWithId",
    "successful",
    "partialApproval",
    "partialAuthorization",
    "noReasonToDecline",
];

/// Published answers that tell nothing, or that an approval by voice or stand-in may follow.
const SILENT: [&str; 15] = [
    "unknown",
    "forceStip",
    "noFinancialImpact",
    "noActionTaken",
    "contactCardIssuer",
    "pleaseCallIssuer",
    "forwardToIssuer",
    "referToCardIssuer",
    "referToCardIssuerSpecialCondition",
    "issuerNotAvailable",
    "issuerTimeout",
    "issuerUnavailable",
    "destinationCannotBeFoundForRouting",
    "unableToGoOnline",
    "systemMalfunction",
];

/// The other published answers: each refuses.
const REFUSALS: [&str; 68] = [
    "activityCountLimitExceeded",
    "alreadyReversed",
    "cannotVerifyPin",
    "cardAuthenticationFailed",
    "cardTypeVerificationError",
    "cashRequestExceedsIssuerLimit",
    "cashServiceNotAvailable",
    "cidVerificationError",
    "cryptographicFailure",
    "dailyThresholdExceeded",
    "declineCvv2Failure",
    "deny",
    "denyAccountCanceled",
    "denyClosedMerchant",
    "denyNewCardIssued",
    "denyPickUpCard",
    "doNotHonor",
    "duplicateTransmissionDetected",
    "error",
    "exceedsWithdrawalAmountLimit",
    "expiredCard",
    "fileTemporarilyUnavailable",
    "formatError",
    "functionNotSupported",
    "incorrectCvv",
    "incorrectPin",
    "ineligibleForResubmission",
    "insufficientFunds",
    "invalidAccount",
    "invalidAccountNumber",
    "invalidAmount",
    "invalidAuthorizationLifeCycle",
    "invalidBillerInformation",
    "invalidCardSecurityCode",
    "invalidCurrencyCode",
    "invalidMerchant",
    "invalidResponse",
    "invalidTransaction",
    "noCardRecord",
    "noCheckingAccount",
    "noCreditAccount",
    "noSavingsAccount",
    "noSuchIssuer",
    "pickUpCard",
    "pickUpCardSpecialCondition",
    "pinChangeRequestDeclined",
    "pinCryptographicErrorFound",
    "pinEntryTriesExceeded",
    "pinNotChanged",
    "reenterTransaction",
    "restrictedCard",
    "reversal",
    "reversalDataInconsistent",
    "revokeAllAuthorizationsOrder",
    "scheduledTransactionstoppedByCardholder",
    "securityViolation",
    "surchargeAmountNotPermitted",
    "suspectFraud",
    "transactionAmountExceedsApprovalAmount",
    "transactionCannotBeCompleted",
    "transactionNotAllowedAtMerchant",
    "transactionNotAllowedAtTerminal",
    "transactionNotPermitted",
    "transactionNotPermittedToCardholder",
    "unableToLocateRecordInFile",
    "unableToVerifyPin",
    "unacceptablePin",
    "unsafePin",
];

/// What an authorization counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Capture,
    Return,
    /// Its transaction has another type, or none.
    Unknown,
    /// It has no transaction.
    None,
}

/// The kinds as `temp.listed_cards` names them, in their order.
const KINDS: [&str; 4] = ["capture", "return", "unknown", "none"];

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    items: i64,
    known: i64,
    /// Wider than an amount, so that none that is listed can overflow it on the way.
    amount: i128,
}

/// By kind.
type Sums = [Sum; KINDS.len()];

/// What one day's authorizations come to.
#[derive(Default)]
pub(crate) struct DayCards {
    totals: Totals,
    /// Those that share their transaction's id with another one, with that id.
    repeated: Vec<(i64, i64)>,
    /// Captures that were refused, whose answer is not published, that go beyond the authorized
    /// amount, or that may do so together with others.
    doubtful: BTreeSet<i64>,
}

/// The days that `date` probably looks at, to be read beforehand. Which ones it looks at is known
/// only later, and whatever is missing then is read then.
///
/// # Errors
/// When the store refuses.
pub(crate) fn days_ahead(
    connection: &Connection,
    date: NaiveDate,
    start: NaiveDate,
) -> rusqlite::Result<Vec<String>> {
    connection
        .prepare(include_str!("../../sql/cards/days_ahead.sql"))?
        .query_map([date.to_string(), start.to_string()], |row| row.get(0))?
        .collect()
}

/// Fills the tables of [`TABLES`]; `ahead` is what was read beforehand, by day.
///
/// # Errors
/// When the store refuses, or a sum does not fit into 64 bits.
pub(crate) fn fill(
    connection: &Connection,
    mut ahead: HashMap<String, DayCards>,
) -> rusqlite::Result<()> {
    let days: Vec<(String, bool)> = connection
        .prepare(
            "select days.day, days.day in (select day from temp.judged_days) \
             from temp.card_days as days order by days.day",
        )?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut insert = connection
        .prepare("insert into temp.card_responses (response, meaning) values (?1, ?2)")?;
    let meanings =
        [("approval", &APPROVALS[..]), ("nothing", &SILENT[..]), ("refusal", &REFUSALS[..])];
    for (meaning, responses) in meanings {
        for response in responses {
            insert.execute([response, meaning])?;
        }
    }
    for (day, is_judged) in days {
        let cards = match ahead.remove(&day) {
            Some(cards) => cards,
            None => read(connection, &day)?,
        };
        cards.write(connection, &day, is_judged)?;
    }
    Ok(())
}

/// Walks through the authorizations of a day.
///
/// # Errors
/// When the store refuses.
pub(crate) fn read(connection: &Connection, day: &str) -> rusqlite::Result<DayCards> {
    let mut statement = connection.prepare(include_str!("../../sql/cards/day.sql"))?;
    let mut rows = statement.query([day])?;
    let mut cards = DayCards::default();
    let mut standing = Vec::new();
    while let Some(row) = rows.next()? {
        let kind = kind(row)?;
        cards.totals.add(row, kind)?;
        if let Some(transaction_id) = row.get::<_, Option<i64>>(TRANSACTION_ID)? {
            standing.push((transaction_id, row.get(AUTHORIZATION_ID)?));
        }
        if kind == Kind::Capture && is_doubtful(row)? {
            cards.doubtful.insert(row.get(AUTHORIZATION_ID)?);
        }
    }
    cards.repeated = repeated(connection, standing)?;
    Ok(cards)
}

/// The authorizations of `standing`, pairs of a transaction and an authorization, that share their
/// transaction's id with another one of the store.
fn repeated(
    connection: &Connection,
    mut standing: Vec<(i64, i64)>,
) -> rusqlite::Result<Vec<(i64, i64)>> {
    standing.sort_unstable();
    let mut statement = connection.prepare(include_str!("../../sql/cards/transactions.sql"))?;
    let mut repeated = Vec::new();
    for near in standing.chunk_by(|one, next| next.0.saturating_sub(one.0) <= NEAR) {
        let (Some((first, _)), Some((last, _))) = (near.first(), near.last()) else { continue };
        let mut rows = statement.query([first, last])?;
        let mut latest = None;
        // Those whose transaction is not passed yet.
        let mut ahead = near;
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
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

impl DayCards {
    fn write(&self, connection: &Connection, day: &str, is_judged: bool) -> rusqlite::Result<()> {
        let mut repeated = connection.prepare(
            "insert into temp.repeated_cards (authorization_id, transaction_id) \
                 values (?1, ?2)",
        )?;
        for ids in &self.repeated {
            repeated.execute(*ids)?;
        }
        let mut doubtful = connection
            .prepare("insert or ignore into temp.doubtful_cards (authorization_id) values (?1)")?;
        for id in self.doubtful.iter().filter(|_| is_judged) {
            doubtful.execute([id])?;
        }
        self.totals.write(connection, day)
    }
}

fn kind(row: &Row<'_>) -> rusqlite::Result<Kind> {
    if !row.get::<_, bool>(HAS_TRANSACTION)? {
        return Ok(Kind::None);
    }
    Ok(match bytes(row, TRANSACTION_TYPE)? {
        Some(b"capture") => Kind::Capture,
        Some(b"return") => Kind::Return,
        _ => Kind::Unknown,
    })
}

/// Whether a capture was refused, has an unpublished answer, or goes beyond what was authorized, by
/// itself or perhaps with others.
fn is_doubtful(row: &Row<'_>) -> rusqlite::Result<bool> {
    if let Some(response) = bytes(row, RESPONSE)?
        && !APPROVALS.iter().chain(&SILENT).any(|known| known.as_bytes() == response)
    {
        return Ok(true);
    }
    let approved = row.get::<_, Option<i64>>(PREAUTHORIZATION)?.filter(|approved| *approved > 0);
    let amount: Option<i64> = row.get(AMOUNT)?;
    let is_split: bool = row.get(IS_SPLIT)?;
    Ok(approved.is_some_and(|approved| is_split || amount.is_none_or(|amount| amount > approved)))
}

/// What a day has come to so far.
#[derive(Default)]
struct Totals {
    places: Vec<(Place, Sums)>,
    by_place: HashMap<Place, usize>,
    /// Where the row before was added: that of most rows, which come batch by batch.
    latest: usize,
}

impl Totals {
    fn add(&mut self, row: &Row<'_>, kind: Kind) -> rusqlite::Result<()> {
        let batch_id: Option<i64> = row.get(BATCH_ID)?;
        let (merchant_id, currency) = (bytes(row, MERCHANT_ID)?, bytes(row, CURRENCY)?);
        let is_same = self.places.get(self.latest).is_some_and(|(place, _)| {
            place.batch_id == batch_id
                && place.merchant_id.as_deref().map(str::as_bytes) == merchant_id
                && place.currency.as_deref().map(str::as_bytes) == currency
        });
        if !is_same {
            let (merchant_id, currency) = (row.get(MERCHANT_ID)?, row.get(CURRENCY)?);
            let place = Place { batch_id, merchant_id, currency };
            let next = self.places.len();
            self.latest = *self.by_place.entry(place.clone()).or_insert(next);
            if self.latest == next {
                self.places.push((place, Sums::default()));
            }
        }
        let amount: Option<i64> = row.get(AMOUNT)?;
        if let Some((_, sums)) = self.places.get_mut(self.latest) {
            let sum = &mut sums[kind as usize];
            let amount_minor = i128::from(amount.unwrap_or_default());
            sum.items += 1;
            sum.known += i64::from(amount.is_some());
            // The sign of a return's amount is not published; its size is.
            sum.amount += if kind == Kind::Return { amount_minor.abs() } else { amount_minor };
        }
        Ok(())
    }

    fn write(&self, connection: &Connection, day: &str) -> rusqlite::Result<()> {
        let mut insert = connection.prepare(
            "insert into temp.listed_cards \
             (day, batch_id, merchant_id, currency, kind, items, known, amount_minor) \
             values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?;
        for (place, sums) in &self.places {
            for (kind, sum) in KINDS.iter().zip(sums).filter(|(_, sum)| sum.items > 0) {
                let amount = i64::try_from(sum.amount)
                    .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
                insert.execute(params![
                    day,
                    place.batch_id,
                    place.merchant_id,
                    place.currency,
                    kind,
                    sum.items,
                    sum.known,
                    amount
                ])?;
            }
        }
        Ok(())
    }
}

/// A text as it is stored: most are only compared.
fn bytes<'row>(row: &'row Row<'_>, column: usize) -> rusqlite::Result<Option<&'row [u8]>> {
    Ok(row.get_ref(column)?.as_bytes_or_null()?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::store::Store;

    /// An authorization: its day, its transaction if it has one, and whether it is gone.
    type Card = (u8, Option<i64>, bool);

    /// Transactions that are near each other, further apart, and at both ends of what there is.
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
            let repeated = read(store(&cards).connection(), "2026-06-10").unwrap().repeated;
            let mut found: Vec<i64> = repeated.into_iter().map(|(id, _)| id).collect();
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
