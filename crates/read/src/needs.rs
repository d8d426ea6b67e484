//! Which listings a business date reads, and which it depends on. Pure.

use chrono::{Days, NaiveDate};

use tieout_config::{Merchant, Settings};
use tieout_model::calendar::{Calendar, CalendarName};
use tieout_model::{Listing, Record, Resource, Selector, TerminalId, TransferKind};

/// Days between a batch date and the date on which its deposit is judged, at most: a deposit that
/// claims to pay for an older batch is not evaluated.
pub const GROUP_AGE_LIMIT_DAYS: u64 = 400;

/// The listings that a run of `date` reads afresh.
pub fn own(settings: &Settings, date: NaiveDate) -> Vec<Listing> {
    let mut listings: Vec<Listing> =
        [Resource::Deposits, Resource::Batches, Resource::Authorizations, Resource::Fees]
            .into_iter()
            .map(|resource| Listing::new(resource, Selector::Date(date)))
            .collect();
    listings
        .extend(settings.merchants.iter().flat_map(|merchant| terminals(settings, merchant, date)));
    listings
}

fn terminals(settings: &Settings, merchant: &Merchant, date: NaiveDate) -> Vec<Listing> {
    let from = look_back(settings, date);
    let mut listings = settled(merchant, date);
    for terminal in &merchant.terminals {
        for resource in [Resource::Payments, Resource::Refunds] {
            let terminal = terminal.clone();
            listings
                .push(Listing::new(resource, Selector::Run { terminal: terminal.clone(), date }));
            listings.push(Listing::new(resource, Selector::Unsettled { terminal, date, from }));
        }
    }
    listings.extend(returned_since(merchant, date, from));
    listings
}

/// The returned payments and refunds of a merchant. The key of such a listing omits how far back it
/// reaches.
pub fn returned(merchant: &Merchant, date: NaiveDate) -> Vec<Listing> {
    returned_since(merchant, date, date)
}

fn returned_since(merchant: &Merchant, date: NaiveDate, from: NaiveDate) -> Vec<Listing> {
    let of = |terminal: &TerminalId| Selector::Returned { terminal: terminal.clone(), date, from };
    let resources = [Resource::Payments, Resource::Refunds];
    let terminals = merchant.terminals.iter();
    terminals
        .flat_map(|terminal| resources.map(|resource| Listing::new(resource, of(terminal))))
        .collect()
}

/// The card transactions of a date with the deposits that contain them, for keys that have the
/// operation.
pub fn linked(date: NaiveDate) -> Listing {
    Listing::new(Resource::Transactions, Selector::Date(date))
}

/// The disputes submitted on a date, for keys that have the operation.
pub fn disputes(date: NaiveDate) -> Listing {
    Listing::new(Resource::Disputes, Selector::Date(date))
}

/// The listings that the ledgers of the merchants are matched with on `day`.
pub(crate) fn matched_with(settings: &Settings, day: NaiveDate) -> Vec<Listing> {
    let mut listings: Vec<Listing> = [Resource::Batches, Resource::Authorizations]
        .map(|resource| Listing::new(resource, Selector::Date(day)))
        .into();
    let with_ledger = settings.merchants.iter().filter(|merchant| merchant.ledger.is_some());
    listings.extend(with_ledger.flat_map(|merchant| settled(merchant, day)));
    listings
}

/// Adds the card transactions to the batches of a date, which need them where the key has them.
pub(crate) fn with_linked(listings: Vec<Listing>) -> Vec<Listing> {
    let dates: Vec<NaiveDate> = listings
        .iter()
        .filter_map(|listing| match (listing.resource, &listing.selector) {
            (Resource::Batches, Selector::Date(date)) => Some(*date),
            _ => None,
        })
        .collect();
    listings.into_iter().chain(dates.into_iter().map(linked)).collect()
}

/// The bank transfers of a merchant that settled on `date`.
pub fn settled(merchant: &Merchant, date: NaiveDate) -> Vec<Listing> {
    merchant
        .terminals
        .iter()
        .flat_map(|terminal| {
            [TransferKind::Payment, TransferKind::Refund].map(|kind| {
                Listing::new(
                    Resource::from(kind),
                    Selector::Settled { terminal: terminal.clone(), date },
                )
            })
        })
        .collect()
}

/// The batches of every date that is not due before `date`, and the deposits since then.
pub fn waiting(settings: &Settings, date: NaiveDate) -> Vec<Listing> {
    let first = first_waiting(settings, date);
    first
        .iter_days()
        .take_while(|day| *day < date)
        .flat_map(|day| {
            [Resource::Batches, Resource::Deposits]
                .map(|resource| Listing::new(resource, Selector::Date(day)))
        })
        .collect()
}

/// The earliest batch date B with `due(B, payout_days) >= date` in any calendar in use and under
/// the terms of any merchant.
pub fn first_waiting(settings: &Settings, date: NaiveDate) -> NaiveDate {
    earliest_due(settings, date, settings.longest(|terms| terms.payout_days))
}

/// The earliest day whose items or ledger records can match one of `date`.
pub fn window_start(settings: &Settings, date: NaiveDate) -> NaiveDate {
    earliest_due(settings, date, settings.longest(|terms| terms.window_days))
}

/// The earliest day B with `due(B, days) >= date` in any calendar in use.
pub fn earliest_due(settings: &Settings, date: NaiveDate, days: u32) -> NaiveDate {
    let calendars = calendars(settings);
    let mut first = date;
    for _ in 0..GROUP_AGE_LIMIT_DAYS {
        let earlier = before(first, 1);
        if calendars.iter().all(|calendar| calendar.due(earlier, days) < date) {
            break;
        }
        first = earlier;
    }
    first
}

fn calendars(settings: &Settings) -> Vec<Calendar> {
    CalendarName::ALL
        .into_iter()
        .filter(|name| {
            // Without configured merchants either calendar may turn out to be used.
            !settings.names_merchants()
                || *name == settings.settlement.calendar
                || settings.all_merchants().any(|merchant| merchant.calendar == *name)
        })
        .map(|name| settings.calendar(name))
        .collect()
}

/// The listings that a group is compared with when a deposit of `date` pays for it.
pub fn group(merchant: Option<&Merchant>, batch_date: NaiveDate, date: NaiveDate) -> Vec<Listing> {
    if batch_date > date || batch_date < before(date, GROUP_AGE_LIMIT_DAYS) {
        return Vec::new();
    }
    let mut listings = vec![
        Listing::new(Resource::Batches, Selector::Date(batch_date)),
        Listing::new(Resource::Authorizations, Selector::Date(batch_date)),
    ];
    listings.extend(merchant.into_iter().flat_map(|merchant| settled(merchant, batch_date)));
    listings.extend(
        batch_date
            .iter_days()
            .take_while(|day| *day <= date)
            .map(|day| Listing::new(Resource::Deposits, Selector::Date(day))),
    );
    listings
}

/// Drops records outside the local dates of a listing. Bank transfers are requested slightly wider
/// than those dates, since it is not published whether the range includes its ends. A transfer
/// without a run date is kept.
pub(crate) fn keep_by_local_date(
    settings: &Settings,
    listing: &Listing,
    records: Vec<Record>,
) -> Vec<Record> {
    let (terminal, first, last) = match &listing.selector {
        Selector::Run { terminal, date } => (terminal, *date, *date),
        Selector::Unsettled { terminal, date, from }
        | Selector::Returned { terminal, date, from } => (terminal, *from, *date),
        _ => return records,
    };
    let merchant = settings.merchants.iter().find(|merchant| merchant.terminals.contains(terminal));
    let time_zone = merchant.map_or(settings.time_zone, |merchant| merchant.time_zone);
    let is_meant = |record: &Record| match record {
        Record::BankTransfer(transfer) => transfer.run_at.is_none_or(|run_at| {
            let run_date = run_at.with_timezone(&time_zone).date_naive();
            first <= run_date && run_date <= last
        }),
        _ => true,
    };
    records.into_iter().filter(is_meant).collect()
}

/// The earliest date whose records are compared, on `date`, with their earlier state.
pub fn restated_from(settings: &Settings, date: NaiveDate) -> NaiveDate {
    before(date, u64::from(settings.settlement.restated_days))
}

/// How far back a run of `date` looks.
pub fn look_back(settings: &Settings, date: NaiveDate) -> NaiveDate {
    before(date, u64::from(settings.settlement.lookback_days))
}

pub fn before(date: NaiveDate, days: u64) -> NaiveDate {
    date.checked_sub_days(Days::new(days)).unwrap_or(NaiveDate::MIN)
}
