//! Since when each business date is final, or what it waits for, according to the stored results.
//! It re-evaluates nothing.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use rusqlite::named_params;
use serde::Serialize;

use super::columns::{parse_date, required_date, required_merchant};
use super::statement::rows;
use super::{Store, StoreError, While};
use tieout_model::MerchantId;

const READING: &str = "reading which dates are final";

/// Whether a business date is final.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DateFinality {
    /// The first date as of which everything up to this one was final.
    pub final_since: Option<NaiveDate>,
    /// The reasons why it is not final; `None` for a date that is final or not reconciled.
    pub waits_for: Option<WaitsFor>,
}

/// The reasons that keep a date from being final, dated up to it: an earlier date holds back a
/// later one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WaitsFor {
    /// The newest reconciled date, whose results state the reasons.
    pub as_of: NaiveDate,
    /// Merchants that are not final up to this date.
    pub merchants: Vec<MerchantId>,
    pub batches: u64,
    pub bank_transfers: u64,
    pub on_hold: u64,
    pub discrepancies: u64,
    /// The latest due date of money in transit; `None` while one of them is unknown.
    pub due_by: Option<NaiveDate>,
}

/// One reason why dates are not final.
struct Waited {
    /// `None` where it holds back every date.
    day: Option<NaiveDate>,
    kind: String,
    code: String,
    due: Option<NaiveDate>,
}

/// Since when each reconciled date is final, or what it waits for. `holds` decides by the code
/// of an open discrepancy whether it keeps its date from being final.
///
/// # Errors
/// When the store refuses or holds a value that this version does not write.
pub fn by_date(
    store: &Store,
    holds: impl Fn(&str) -> bool,
) -> Result<BTreeMap<NaiveDate, DateFinality>, StoreError> {
    let until = final_until(store)?;
    let (Some(first), Some(newest)) = (until.first(), until.last()) else {
        return Ok(BTreeMap::new());
    };
    let (first, as_of) = (first.0, newest.0);
    let mut waited = waited(store, as_of)?;
    waited.retain(|one| {
        one.day.is_none_or(|day| day >= first) && (one.kind != "discrepancy" || holds(&one.code))
    });
    let merchants = merchants_final_until(store, as_of)?;
    let since = |day: NaiveDate| {
        let is_final = |one: &&(NaiveDate, Option<NaiveDate>)| one.1.is_some_and(|to| day <= to);
        until.iter().find(is_final).map(|one| one.0)
    };
    let of = |day: NaiveDate| match since(day) {
        Some(date) => DateFinality { final_since: Some(date), waits_for: None },
        None => DateFinality {
            final_since: None,
            waits_for: Some(waits_for(day, as_of, &merchants, &waited)),
        },
    };
    Ok(until.iter().map(|(day, _)| (*day, of(*day))).collect())
}

fn final_until(store: &Store) -> Result<Vec<(NaiveDate, Option<NaiveDate>)>, StoreError> {
    rows(&store.connection, include_str!("../sql/report/final_until.sql"), [], |row| {
        Ok((required_date(row, "as_of")?, date_or_none(row, "final_until")?))
    })
    .during(READING)
}

fn waited(store: &Store, as_of: NaiveDate) -> Result<Vec<Waited>, StoreError> {
    let sql = include_str!("../sql/report/waits_for.sql");
    rows(&store.connection, sql, named_params! { ":as_of": as_of.to_string() }, |row| {
        Ok(Waited {
            day: date_or_none(row, "day")?,
            kind: row.get("kind")?,
            code: row.get("code")?,
            due: date_or_none(row, "due_date")?,
        })
    })
    .during(READING)
}

fn merchants_final_until(
    store: &Store,
    as_of: NaiveDate,
) -> Result<Vec<(MerchantId, Option<NaiveDate>)>, StoreError> {
    let sql = include_str!("../sql/report/not_final.sql");
    rows(&store.connection, sql, named_params! { ":as_of": as_of.to_string() }, |row| {
        Ok((required_merchant(row, "merchant_id")?, date_or_none(row, "final_until")?))
    })
    .during(READING)
}

/// A date; `None` for an empty text as for null.
fn date_or_none(row: &rusqlite::Row<'_>, column: &str) -> rusqlite::Result<Option<NaiveDate>> {
    let text: Option<String> = row.get(column)?;
    text.filter(|text| !text.is_empty()).map(|text| parse_date(column, &text)).transpose()
}

fn waits_for(
    day: NaiveDate,
    as_of: NaiveDate,
    merchants: &[(MerchantId, Option<NaiveDate>)],
    waited: &[Waited],
) -> WaitsFor {
    let is_held_back = |until: Option<NaiveDate>| until.is_none_or(|until| until < day);
    let held: Vec<&Waited> =
        waited.iter().filter(|one| one.day.is_none_or(|of| of <= day)).collect();
    let number = |kind: &str| held.iter().filter(|one| one.kind == kind).count() as u64;
    let in_transit = held.iter().filter(|one| one.kind != "discrepancy");
    let due: Option<Vec<NaiveDate>> = in_transit.map(|one| one.due).collect();
    WaitsFor {
        as_of,
        merchants: merchants
            .iter()
            .filter(|(_, until)| is_held_back(*until))
            .map(|(id, _)| id.clone())
            .collect(),
        batches: number("batch"),
        bank_transfers: number("transfer"),
        on_hold: number("held"),
        discrepancies: number("discrepancy"),
        due_by: due.and_then(|due| due.into_iter().max()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    /// Three dates of two merchants: as of the last, the first is final for both.
    fn store(folder: &tempfile::TempDir) -> Store {
        let store = Store::open(&folder.path().join("tieout.db")).unwrap();
        let sql = "
            insert into business_day (business_date, fetch_state, reconciled)
                values ('2026-11-18', 'fetched', 1), ('2026-11-19', 'fetched', 1),
                    ('2026-11-20', 'fetched', 1), ('2026-11-21', 'fetched', 0);
            insert into summary_result (business_date, merchant_id, currency, merchant_name,
                    opening, new, cleared, closing, verdict, final_date)
                values ('2026-11-18', 'a', 'USD', '', 0, 0, 0, 0, 'tied', null),
                    ('2026-11-18', 'b', 'USD', '', 0, 0, 0, 0, 'tied', '2026-11-18'),
                    ('2026-11-19', 'a', 'USD', '', 0, 0, 0, 0, 'tied', '2026-11-18'),
                    ('2026-11-19', 'b', 'USD', '', 0, 0, 0, 0, 'tied', '2026-11-19'),
                    ('2026-11-20', 'a', 'USD', '', 0, 0, 0, 0, 'tied', '2026-11-18'),
                    ('2026-11-20', 'b', 'USD', '', 0, 0, 0, 0, 'tied', '2026-11-20');
            insert into transit_result (business_date, kind, id, merchant_id, merchant_name, date,
                    due_date)
                values ('2026-11-20', 'batch', '1', 'a', '', '2026-11-19', '2026-11-23'),
                    ('2026-11-20', 'payment', 'P', 'a', '', '2026-11-20', '2026-11-24'),
                    ('2026-11-20', 'refund', 'R', 'a', '', '2026-11-17', '2026-11-30');
            insert into discrepancy_day (business_date, discrepancy_id, code, severity, status,
                    is_carried, is_reopened, first_seen, age_days, subject, merchant_id,
                    merchant_name, figure, has_difference, batch_date, batch_id, ach_deposit_id,
                    authorization_id, transaction_id, payment_id, refund_id, order_id, ledger_id,
                    explanation, action)
                select '2026-11-20', id, code, 'error', status, 1, 0, '2026-11-19', 1, '', 'a', '',
                    'amount', 0, '2026-11-19', '', '', '', '', '', '', '', '', '', ''
                from (select '1' as id, 'HOLDS' as code, 'open' as status
                    union all select '2', 'HOLDS', 'cleared'
                    union all select '3', 'OTHER', 'open');";
        store.connection().execute_batch(sql).unwrap();
        store
    }

    #[test]
    fn says_since_when_a_date_is_final_and_what_another_waits_for() {
        let folder = tempfile::tempdir().unwrap();
        let found = by_date(&store(&folder), |code| code == "HOLDS").unwrap();
        let since = |text: &str| found[&day(text)].final_since;
        assert_eq!(since("2026-11-18"), Some(day("2026-11-19")));
        assert_eq!(found[&day("2026-11-18")].waits_for, None);
        assert_eq!((since("2026-11-19"), since("2026-11-20")), (None, None));
        let nineteenth = WaitsFor {
            as_of: day("2026-11-20"),
            merchants: vec!["a".into()],
            batches: 1,
            bank_transfers: 0,
            on_hold: 0,
            discrepancies: 1,
            due_by: Some(day("2026-11-23")),
        };
        assert_eq!(found[&day("2026-11-19")].waits_for, Some(nineteenth.clone()));
        // A reason that keeps an earlier date from being final holds back a later one too.
        let due_by = Some(day("2026-11-24"));
        let twentieth = WaitsFor { bank_transfers: 1, due_by, ..nineteenth };
        assert_eq!(found[&day("2026-11-20")].waits_for, Some(twentieth));
        // Not reconciled: neither final nor waiting.
        assert!(!found.contains_key(&day("2026-11-21")));
    }

    #[test]
    fn says_nothing_of_an_empty_store() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("tieout.db")).unwrap();
        assert!(by_date(&store, |_| true).unwrap().is_empty());
    }
}
