//! The store as of one business date: temporary tables that the checks select from, built by
//! the files of `sql/asof` in order of name.

use std::collections::BTreeSet;
use std::thread::{Scope, ScopedJoinHandle};

use chrono::{Days, NaiveDate};
use rusqlite::{Connection, named_params};

use super::cards::{self, DayCards};
use super::registry::Registry;
use super::{ASOF_FILES, JudgeError};
use crate::config::{Settings, TransactionsMode};
use crate::model::Discrepancy;
use crate::read::needs;
use crate::store::{Store, register_functions_with};

/// Banking days that a bank transfer may stay pending or accepted beyond `settle_days`.
const PENDING_DAYS: u32 = 5;

/// What "as of" means for one reconciliation.
#[derive(Clone, Debug)]
pub struct AsOf {
    pub business_date: NaiveDate,
    /// The latest earlier reconciled date.
    pub previous_date: Option<NaiveDate>,
    /// The earliest date reconciled into the store; `business_date` when it is the first.
    pub start_date: NaiveDate,
    /// Earlier dates that were read and are not reconciled yet, and count as if they were.
    pub read_along: Vec<NaiveDate>,
    /// Deposits that did not arrive at the bank and that the processor sent again: their groups are
    /// judged without them.
    pub resent: BTreeSet<i64>,
}

impl AsOf {
    /// The first date of a store.
    pub fn first(business_date: NaiveDate) -> Self {
        let (previous_date, read_along, resent) = (None, Vec::new(), BTreeSet::new());
        Self { business_date, previous_date, start_date: business_date, read_along, resent }
    }

    /// Whatever falls due after this date and up to the business date is tested.
    fn due_after(&self) -> NaiveDate {
        self.previous_date.unwrap_or_else(|| before(self.business_date, 1))
    }
}

/// A day of authorizations that is being read.
type DayAhead<'scope> = (String, ScopedJoinHandle<'scope, rusqlite::Result<DayCards>>);

fn before(date: NaiveDate, days: u64) -> NaiveDate {
    date.checked_sub_days(Days::new(days)).unwrap_or(date)
}

/// The earliest date from which something due after `due_after` can still be waiting.
pub(crate) fn window_start(settings: &Settings, due_after: NaiveDate, days: u32) -> NaiveDate {
    needs::earliest_due(settings, due_after.succ_opt().unwrap_or(due_after), days)
}

/// Builds the temporary tables; those of an earlier date on this connection are dropped.
/// `open` is tested although nothing of it may be new on the date; what the days of `late` hold
/// was read after their own night and is tested like what is of the date.
///
/// # Errors
/// When a step fails.
pub fn prepare(
    store: &Store,
    settings: &Settings,
    registry: &Registry,
    asof: &AsOf,
    open: &[&Discrepancy],
    late: &[NaiveDate],
) -> Result<(), JudgeError> {
    let connection = store.connection();
    begin(connection, settings, asof)?;
    hand_checks(connection, registry).map_err(failed(asof, "what the checks reopen"))?;
    hand_open(connection, open).map_err(failed(asof, "what is open"))?;
    hand_late(connection, settings, late).map_err(failed(asof, "what was read late"))?;
    std::thread::scope(|scope| {
        let mut ahead = read_ahead(store, asof, scope).map_err(failed(asof, cards::TABLES))?;
        for (stem, sql) in ASOF_FILES {
            connection.execute_batch(sql).map_err(failed(asof, stem))?;
            if stem == cards::TABLES {
                // Whoever could not read it is asked why when it is read again.
                let read = ahead
                    .drain(..)
                    .filter_map(|(day, thread)| Some((day, thread.join().ok()?.ok()?)));
                cards::fill(connection, read.collect()).map_err(failed(asof, stem))?;
            }
        }
        Ok(())
    })
}

/// Hands over the settings, and the merchants with their terms, and nothing of the date itself.
///
/// # Errors
/// When a step fails.
pub fn prepare_merchants(
    store: &Store,
    settings: &Settings,
    asof: &AsOf,
) -> Result<(), JudgeError> {
    let connection = store.connection();
    begin(connection, settings, asof)?;
    let (stem, sql) = ASOF_FILES[0];
    connection.execute_batch(sql).map_err(failed(asof, stem))
}

/// A night's authorizations are many, and what stands before them does not depend on them: they
/// are read beside it, each day by itself. What cannot be read so, since nobody else sees this
/// store or what a transaction has changed in it, is read when its turn comes.
fn read_ahead<'scope>(
    store: &Store,
    asof: &AsOf,
    scope: &'scope Scope<'scope, '_>,
) -> rusqlite::Result<Vec<DayAhead<'scope>>> {
    if store.is_in_memory() || !store.connection().is_autocommit() {
        return Ok(Vec::new());
    }
    let days = cards::days_ahead(store.connection(), asof.business_date, asof.start_date)?;
    let beside = days.into_iter().filter_map(|day| Some((day, store.beside().ok()?)));
    let read = |(day, beside): (String, Store)| {
        let of_day = day.clone();
        (day, scope.spawn(move || cards::read(beside.connection(), &of_day)))
    };
    Ok(beside.map(read).collect())
}

/// Hands the settings to SQL; the temporary tables are still to come.
pub(crate) fn begin(
    connection: &Connection,
    settings: &Settings,
    asof: &AsOf,
) -> Result<(), JudgeError> {
    drop_temporary(connection).map_err(failed(asof, "a clean slate"))?;
    register_functions_with(connection, &settings.settlement.extra_holidays)
        .map_err(failed(asof, "the functions"))?;
    write_settings(connection, settings, asof).map_err(failed(asof, "the settings"))?;
    hand_resent(connection, asof).map_err(failed(asof, "what was sent again"))?;
    hand_read_along(connection, asof).map_err(failed(asof, "what was read along"))
}

fn hand_resent(connection: &Connection, asof: &AsOf) -> rusqlite::Result<()> {
    let mut insert =
        connection.prepare("insert into temp.resent_deposits (ach_deposit_id) values (?1)")?;
    for id in &asof.resent {
        insert.execute([id])?;
    }
    Ok(())
}

fn hand_read_along(connection: &Connection, asof: &AsOf) -> rusqlite::Result<()> {
    let mut insert = connection.prepare("insert into temp.read_along (day) values (?1)")?;
    for day in &asof.read_along {
        insert.execute([day.to_string()])?;
    }
    Ok(())
}

fn hand_checks(connection: &Connection, registry: &Registry) -> rusqlite::Result<()> {
    let mut insert =
        connection.prepare("insert into temp.reopened_by (what, code) values (?1, ?2)")?;
    for check in registry.iter() {
        for what in &check.reopens {
            insert.execute([what, &check.code])?;
        }
    }
    Ok(())
}

fn hand_open(connection: &Connection, open: &[&Discrepancy]) -> rusqlite::Result<()> {
    let mut insert = connection.prepare(include_str!("../../sql/carried.sql"))?;
    for row in open {
        insert.execute(named_params! {
            ":discrepancy_id": row.discrepancy_id,
            ":code": row.code,
            ":subject": row.subject,
            ":merchant_id": row.merchant_id,
            ":currency": row.currency.map(crate::money::Currency::code),
            ":batch_date": row.batch_date.map(|date| date.to_string()),
            ":batch_id": row.ids.batch_id,
            ":ach_deposit_id": row.ids.ach_deposit_id,
            ":authorization_id": row.ids.authorization_id,
            ":transaction_id": row.ids.transaction_id,
            ":payment_id": row.ids.payment_id,
            ":refund_id": row.ids.refund_id,
        })?;
    }
    Ok(())
}

fn hand_late(
    connection: &Connection,
    settings: &Settings,
    late: &[NaiveDate],
) -> rusqlite::Result<()> {
    let mut insert =
        connection.prepare("insert into temp.late_days (day, waiting_from) values (?1, ?2)")?;
    for day in late {
        let due_after = before(*day, 1);
        let from = window_start(settings, due_after, settings.longest(|terms| terms.payout_days));
        insert.execute((day.to_string(), from.to_string()))?;
    }
    Ok(())
}

fn failed(asof: &AsOf, step: &str) -> impl FnOnce(rusqlite::Error) -> JudgeError {
    let (step, business_date) = (step.to_owned(), asof.business_date);
    move |source| JudgeError::Prepare { step, business_date, source }
}

fn drop_temporary(connection: &Connection) -> rusqlite::Result<()> {
    let objects: Vec<(String, String)> = connection
        .prepare("select type, name from temp.sqlite_schema where type in ('table', 'view')")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    // Views first: they name tables.
    for kind in ["view", "table"] {
        for (_, name) in objects.iter().filter(|(found, _)| found == kind) {
            connection.execute_batch(&format!("drop {kind} temp.\"{name}\""))?;
        }
    }
    Ok(())
}

fn write_settings(
    connection: &Connection,
    settings: &Settings,
    asof: &AsOf,
) -> rusqlite::Result<()> {
    connection.execute_batch(include_str!("../../sql/settings.sql"))?;
    let settlement = &settings.settlement;
    let payout_days = settings.longest(|terms| terms.payout_days);
    let settle_days = settings.longest(|terms| terms.settle_days);
    let signs = settlement.signs;
    connection.execute(
        include_str!("../../sql/settings_asof.sql"),
        named_params! {
            ":business_date": asof.business_date.to_string(),
            ":previous_date": asof.previous_date.map(|date| date.to_string()),
            ":start_date": asof.start_date.to_string(),
            ":due_after": asof.due_after().to_string(),
            ":window_start": window_start(settings, asof.due_after(), payout_days).to_string(),
            ":run_window_start":
                window_start(settings, asof.due_after(), settle_days).to_string(),
            ":pending_window_start":
                window_start(settings, asof.due_after(), settle_days + PENDING_DAYS)
                    .to_string(),
            ":payout_days": settlement.payout_days,
            ":settle_days": settlement.settle_days,
            ":return_days": settlement.return_days,
            ":dispute_days": settlement.dispute_days,
            ":lookback_days": settlement.lookback_days,
            ":window_days": settings.matching.window_days,
            ":capture_tolerance_percent": settlement.capture_tolerance_percent,
            ":restated_from":
                before(asof.business_date, u64::from(settlement.restated_days)).to_string(),
            ":names_merchants": settings.names_merchants(),
            ":uses_links": settings.api.transactions == TransactionsMode::Auto,
            ":time_zone": settings.time_zone.name(),
            ":calendar": settlement.calendar.as_str(),
            ":sign_sales": signs.sales,
            ":sign_returns": signs.returns,
            ":sign_daily_fees": signs.daily_fees,
            ":sign_held_sales": signs.held_sales,
            ":sign_ach_adjustment": signs.ach_adjustment,
            ":sign_holdback": signs.holdback,
            ":sign_reserve_release": signs.reserve_release,
        },
    )?;
    write_merchants(connection, settings)
}

fn write_merchants(connection: &Connection, settings: &Settings) -> rusqlite::Result<()> {
    let mut merchant = connection.prepare(
        "insert into temp.configured_merchant \
         (merchant_id, name, currency, time_zone, calendar, capture_tolerance_percent, \
         names_terminals, payout_days, settle_days, window_days, names_bank) \
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    let mut terminal = connection.prepare(
        "insert into temp.configured_terminal (terminal_id, merchant_id) values (?1, ?2)",
    )?;
    let mut elsewhere =
        connection.prepare("insert into temp.elsewhere_merchant (merchant_id) values (?1)")?;
    let mut terminal_elsewhere =
        connection.prepare("insert into temp.elsewhere_terminal (terminal_id) values (?1)")?;
    for (id, merchant) in &settings.elsewhere {
        elsewhere.execute([id.as_str()])?;
        for terminal in &merchant.terminals {
            terminal_elsewhere.execute([terminal.as_str()])?;
        }
    }
    for configured in &settings.merchants {
        merchant.execute((
            configured.id.as_str(),
            &configured.name,
            configured.currency.map(crate::money::Currency::code),
            configured.time_zone.name(),
            configured.calendar.as_str(),
            configured.capture_tolerance_percent,
            configured.names_terminals,
            configured.terms.payout_days,
            configured.terms.settle_days,
            configured.terms.window_days,
            configured.bank.is_some(),
        ))?;
        for id in &configured.terminals {
            terminal.execute((id.as_str(), configured.id.as_str()))?;
        }
    }
    Ok(())
}
