//! The store as of one business date: temporary tables that the checks select from, built by
//! the files of `crates/store/sql/asof` in order of name.

use std::collections::BTreeSet;
use std::thread::{Scope, ScopedJoinHandle};

use chrono::{Days, NaiveDate};

use super::JudgeError;
use super::cards::{self, DayCards};
use super::registry::Registry;
use tieout_config::{Settings, TransactionsMode};
use tieout_model::{DepositId, Discrepancy};
use tieout_read::needs;
use tieout_store::ASOF_FILES;
use tieout_store::{StatementError, Store, book_inputs, judging};

/// Banking days that a bank transfer may stay pending or accepted beyond `settle_days`.
const PENDING_DAYS: u32 = 5;

const MERCHANT_COLUMNS: &str = "merchant_id, name, currency, time_zone, calendar, \
                                capture_tolerance_percent, names_terminals, payout_days, \
                                settle_days, window_days, names_bank";

/// The dates and the other inputs of one reconciliation.
#[derive(Clone, Debug)]
pub struct AsOf {
    pub business_date: NaiveDate,
    /// The latest earlier reconciled date.
    pub previous_date: Option<NaiveDate>,
    /// The earliest date reconciled into the store; `business_date` when it is the first.
    pub start_date: NaiveDate,
    /// Earlier dates that were read, are not reconciled yet, and count as if they were.
    pub read_along: Vec<NaiveDate>,
    /// Deposits that did not arrive at the bank and that the processor sent again: their groups are
    /// judged without them.
    pub resent: BTreeSet<DepositId>,
}

impl AsOf {
    /// `AsOf` for the first date of a store.
    pub fn first(business_date: NaiveDate) -> Self {
        let (previous_date, read_along, resent) = (None, Vec::new(), BTreeSet::new());
        Self { business_date, previous_date, start_date: business_date, read_along, resent }
    }

    /// The checks test everything that falls due after this date and up to the business date.
    fn due_after(&self) -> NaiveDate {
        self.previous_date.unwrap_or_else(|| before(self.business_date, 1))
    }
}

/// A day of authorizations that a thread is reading.
type DayAhead<'scope> = (String, ScopedJoinHandle<'scope, Result<DayCards, StatementError>>);

fn before(date: NaiveDate, days: u64) -> NaiveDate {
    date.checked_sub_days(Days::new(days)).unwrap_or(date)
}

/// The earliest date from which money that is due after `due_after` can still wait.
pub fn window_start(settings: &Settings, due_after: NaiveDate, days: u32) -> NaiveDate {
    needs::earliest_due(settings, due_after.succ_opt().unwrap_or(due_after), days)
}

/// Builds the temporary tables; those of an earlier date on this connection are dropped. `open` is
/// tested although none of it may be new on the date. The days of `late` have records that were
/// read after their own night; they are tested like those of the date.
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
    begin(store, settings, asof)?;
    insert_checks(store, registry).map_err(failed(asof, "the records to judge again"))?;
    judging::insert_carried(store, open).map_err(failed(asof, "the open discrepancies"))?;
    insert_late(store, settings, late).map_err(failed(asof, "the late days"))?;
    std::thread::scope(|scope| {
        let mut ahead = read_ahead(store, asof, scope).map_err(failed(asof, cards::TABLES))?;
        // The card items of the date, which matching will want.
        let for_books = book_inputs::cards_ahead(store, asof.business_date)
            .map(|cards| scope.spawn(move || cards.read()));
        for &(stem, sql) in ASOF_FILES {
            judging::run(store, sql).map_err(failed(asof, stem))?;
            if stem == cards::TABLES {
                // Ignore a failed read-ahead; `fill` reads the day again and returns the error.
                let read = ahead
                    .drain(..)
                    .filter_map(|(day, thread)| Some((day, thread.join().ok()?.ok()?)));
                cards::fill(store, read.collect()).map_err(failed(asof, stem))?;
            }
        }
        if let Some(read) = for_books.and_then(|thread| thread.join().ok()) {
            book_inputs::take_cards(store, read);
        }
        Ok(())
    })
}

/// Inserts the settings and the merchants with their terms, but no data of the date.
///
/// # Errors
/// When a step fails.
pub fn prepare_merchants(
    store: &Store,
    settings: &Settings,
    asof: &AsOf,
) -> Result<(), JudgeError> {
    begin(store, settings, asof)?;
    let (stem, sql) = ASOF_FILES[0];
    judging::run(store, sql).map_err(failed(asof, stem))
}

/// Reads the many authorizations of a night, each day in its own thread, beside the steps before
/// them, which do not depend on them. A day that fails here is read when its turn comes.
fn read_ahead<'scope>(
    store: &Store,
    asof: &AsOf,
    scope: &'scope Scope<'scope, '_>,
) -> Result<Vec<DayAhead<'scope>>, StatementError> {
    let days = judging::days_ahead(store, asof.business_date, asof.start_date)?;
    let beside = days.into_iter().filter_map(|day| Some((day, store.beside().ok()?)));
    let read = |(day, beside): (String, Store)| {
        let of_day = day.clone();
        (day, scope.spawn(move || cards::read(&beside, &of_day)))
    };
    Ok(beside.map(read).collect())
}

/// Inserts the settings; the temporary tables that depend on them follow later.
fn begin(store: &Store, settings: &Settings, asof: &AsOf) -> Result<(), JudgeError> {
    judging::begin(store, &settings.settlement.extra_holidays)
        .map_err(failed(asof, "a clean slate"))?;
    insert_settings(store, settings, asof)
        .and_then(|()| insert_merchants(store, settings))
        .map_err(failed(asof, "the settings"))?;
    judging::insert(
        store,
        "resent_deposits",
        "ach_deposit_id",
        asof.resent.iter().map(|id| [id.0]),
    )
    .map_err(failed(asof, "the deposits that were sent again"))?;
    let read_along = asof.read_along.iter().map(|day| [day.to_string()]);
    judging::insert(store, "read_along", "day", read_along)
        .map_err(failed(asof, "the days of other deposits"))
}

fn insert_checks(store: &Store, registry: &Registry) -> Result<(), StatementError> {
    let reopens =
        registry.iter().flat_map(|check| check.reopens.iter().map(|what| (what, &check.code)));
    judging::insert(store, "reopened_by", "what, code", reopens)
}

fn insert_late(
    store: &Store,
    settings: &Settings,
    late: &[NaiveDate],
) -> Result<(), StatementError> {
    let days = late.iter().map(|day| {
        let due_after = before(*day, 1);
        let from = window_start(settings, due_after, settings.longest(|terms| terms.payout_days));
        [day.to_string(), from.to_string()]
    });
    judging::insert(store, "late_days", "day, waiting_from", days)
}

fn failed(asof: &AsOf, step: &str) -> impl FnOnce(StatementError) -> JudgeError {
    let (step, business_date) = (step.to_owned(), asof.business_date);
    move |source| JudgeError::Prepare { step, business_date, source }
}

fn insert_settings(store: &Store, settings: &Settings, asof: &AsOf) -> Result<(), StatementError> {
    let settlement = &settings.settlement;
    let payout_days = settings.longest(|terms| terms.payout_days);
    let settle_days = settings.longest(|terms| terms.settle_days);
    let signs = settlement.signs;
    judging::insert_settings(
        store,
        &[
            (":business_date", &asof.business_date.to_string()),
            (":previous_date", &asof.previous_date.map(|date| date.to_string())),
            (":start_date", &asof.start_date.to_string()),
            (":due_after", &asof.due_after().to_string()),
            (":window_start", &window_start(settings, asof.due_after(), payout_days).to_string()),
            (
                ":run_window_start",
                &window_start(settings, asof.due_after(), settle_days).to_string(),
            ),
            (
                ":pending_window_start",
                &window_start(settings, asof.due_after(), settle_days + PENDING_DAYS).to_string(),
            ),
            (":payout_days", &settlement.payout_days),
            (":settle_days", &settlement.settle_days),
            (":return_days", &settlement.return_days),
            (":dispute_days", &settlement.dispute_days),
            (":lookback_days", &settlement.lookback_days),
            (":window_days", &settings.matching.window_days),
            (":capture_tolerance_percent", &settlement.capture_tolerance_percent),
            (
                ":restated_from",
                &before(asof.business_date, u64::from(settlement.restated_days)).to_string(),
            ),
            (":names_merchants", &settings.names_merchants()),
            (":uses_links", &(settings.api.transactions == TransactionsMode::Auto)),
            (":time_zone", &settings.time_zone.name()),
            (":calendar", &settlement.calendar.as_str()),
            (":sign_sales", &signs.sales),
            (":sign_returns", &signs.returns),
            (":sign_daily_fees", &signs.daily_fees),
            (":sign_held_sales", &signs.held_sales),
            (":sign_ach_adjustment", &signs.ach_adjustment),
            (":sign_holdback", &signs.holdback),
            (":sign_reserve_release", &signs.reserve_release),
        ],
    )
}

fn insert_merchants(store: &Store, settings: &Settings) -> Result<(), StatementError> {
    let own = settings.merchants.iter();
    let rows = own.clone().map(|merchant| {
        (
            merchant.id.as_str(),
            &merchant.name,
            merchant.currency.map(tieout_model::money::Currency::code),
            merchant.time_zone.name(),
            merchant.calendar.as_str(),
            merchant.capture_tolerance_percent,
            merchant.names_terminals,
            merchant.terms.payout_days,
            merchant.terms.settle_days,
            merchant.terms.window_days,
            merchant.bank.is_some(),
        )
    });
    judging::insert(store, "configured_merchant", MERCHANT_COLUMNS, rows)?;
    let terminals = own.flat_map(|merchant| {
        merchant.terminals.iter().map(|id| [id.as_str(), merchant.id.as_str()])
    });
    judging::insert(store, "configured_terminal", "terminal_id, merchant_id", terminals)?;
    let elsewhere = settings.elsewhere.keys().map(|id| [id.as_str()]);
    judging::insert(store, "elsewhere_merchant", "merchant_id", elsewhere)?;
    let others = settings.elsewhere.values().flat_map(|merchant| &merchant.terminals);
    let terminals = others.map(|terminal| [terminal.as_str()]);
    judging::insert(store, "elsewhere_terminal", "terminal_id", terminals)
}
