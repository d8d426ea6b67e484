//! Discovers the merchants visible to a key: the API's listings of the last days name them, and
//! their processing accounts list their terminals where the key may read them. Stores nothing.

mod error;
mod found;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Days, NaiveDate};
use futures_util::StreamExt as _;
use futures_util::stream;

pub use error::DiscoverError;
pub use found::{Discovery, FoundMerchant, Terminals};
pub use text::{Written, absolute, configuration, quoted};

use tieout_config::Settings;
use tieout_model::money::{Currency, Minor};
use tieout_model::{
    Listing, MerchantId, MerchantSummary, ProcessingTerminal, Record, Resource, Selector,
};
use tieout_read::api::{Api, ApiError};
use tieout_read::stop::Stop;

/// A merchant that trades once a week appears twice in the listings of this many days.
pub const DEFAULT_DAYS: u64 = 14;
/// As far as a run looks back: older data says little about the current state.
const MAX_DAYS: u64 = 75;
/// The client's own limits apply as well.
const AT_ONCE: usize = 16;

/// Reads the deposits and batches of `days` days up to `last`, and further back while a merchant
/// has no batch; then the terminals of each merchant.
///
/// # Errors
/// When the API cannot be used at all, or no listing names a merchant. Partial failures are kept in
/// [`Discovery::failures`].
pub async fn discover(
    settings: &Settings,
    last: NaiveDate,
    days: u64,
) -> Result<Discovery, DiscoverError> {
    let api = &Api::new(&settings.api, Stop::default())?;
    api.authorize().await?;
    let mut seen = Seen::default();
    let mut before = last.checked_add_days(Days::new(1)).unwrap_or(last);
    let mut first = last;
    for _ in 0..MAX_DAYS.div_ceil(days.max(1)) {
        first = before.checked_sub_days(Days::new(days.max(1))).unwrap_or(before);
        seen.read(api, first, before).await?;
        if seen.is_enough() {
            break;
        }
        before = first;
    }
    if seen.merchants.is_empty() {
        return Err(DiscoverError::Nobody { first, last, nameless: seen.nameless });
    }
    let mut discovery = Discovery {
        first,
        last,
        merchants: Vec::new(),
        nameless: seen.nameless,
        failures: seen.failures,
    };
    let lists = terminal_lists(api, &seen.merchants).await;
    let shared = shared_accounts(&seen.merchants);
    for (id, merchant) in seen.merchants {
        let terminals = terminals_of(&merchant, &lists, &shared, &mut discovery.failures);
        discovery.merchants.push(FoundMerchant {
            id,
            name: merchant.name,
            currencies: merchant.currencies,
            terminals,
        });
    }
    try_terminals(settings, api, &mut discovery).await;
    Ok(discovery)
}

/// The data of the listings about one merchant.
#[derive(Default)]
pub(in crate::night) struct SeenMerchant {
    name: Option<String>,
    pub accounts: BTreeSet<i64>,
    currencies: BTreeSet<&'static str>,
}

/// The data of the listings of some days.
#[derive(Default)]
pub(in crate::night) struct Seen {
    pub merchants: BTreeMap<MerchantId, SeenMerchant>,
    /// Records without a merchant id.
    nameless: u64,
    pub failures: Vec<String>,
    /// For each deposit its merchant, date and amount, where all three are known.
    pub deposits: Vec<(MerchantId, NaiveDate, Minor)>,
}

impl Seen {
    /// Checks that a merchant is known, and the currency of every one.
    fn is_enough(&self) -> bool {
        !self.merchants.is_empty()
            && self.merchants.values().all(|merchant| !merchant.currencies.is_empty())
    }

    /// Reads the days from `first` up to, and without, `before`, the newest first. The first
    /// trading name seen of a merchant is kept.
    pub async fn read(
        &mut self,
        api: &Api,
        first: NaiveDate,
        before: NaiveDate,
    ) -> Result<(), DiscoverError> {
        let days: Vec<NaiveDate> = first.iter_days().take_while(|day| *day < before).collect();
        let listings = days.into_iter().rev().flat_map(|day| {
            [Resource::Deposits, Resource::Batches]
                .map(|resource| Listing::new(resource, Selector::Date(day)))
        });
        let mut readings =
            stream::iter(listings.map(|listing| read(api, listing))).buffered(AT_ONCE);
        let (mut first_error, mut complete) = (None, 0_usize);
        while let Some((records, faults, error)) = readings.next().await {
            self.failures.extend(faults);
            for record in &records {
                self.add(record);
            }
            match error {
                None => complete += 1,
                Some(error) => {
                    self.failures.push(error.to_string());
                    first_error.get_or_insert(error);
                }
            }
        }
        match first_error {
            Some(error) if complete == 0 && self.merchants.is_empty() => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn add(&mut self, record: &Record) {
        let Some(MerchantSummary { merchant_id, doing_business_as, processing_account_id }) =
            record.merchant()
        else {
            return;
        };
        let Some(id) = merchant_id else {
            self.nameless += 1;
            return;
        };
        let merchant = self.merchants.entry(id.clone()).or_default();
        if merchant.name.is_none() {
            merchant.name = doing_business_as.as_ref().map(ToString::to_string);
        }
        merchant.accounts.extend(processing_account_id);
        if let Record::Deposit(deposit) = record
            && let Some((day, amount)) = deposit.payment_date.zip(deposit.net_amount)
        {
            self.deposits.push((id.clone(), day, amount));
        }
        if let Record::Batch(batch) = record {
            merchant.currencies.extend(batch.currency.map(Currency::code));
        }
    }
}

/// The records of a listing as far as it can be read, the number of records that cannot be
/// understood in words, and the error that ended the reading early.
async fn read(api: &Api, listing: Listing) -> (Vec<Record>, Option<String>, Option<ApiError>) {
    let (mut records, mut left_out) = (Vec::new(), 0);
    let mut pages = api.pages(&listing, &[]);
    let error = loop {
        match pages.next().await {
            Ok(Some(page)) => {
                records.extend(page.records);
                left_out += page.faults.len();
            }
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    let faults = (left_out > 0).then(|| format!("{listing}: records not understood: {left_out}"));
    (records, faults, error)
}

type Lists = BTreeMap<i64, Result<Vec<ProcessingTerminal>, ApiError>>;

async fn terminal_lists(api: &Api, merchants: &BTreeMap<MerchantId, SeenMerchant>) -> Lists {
    let accounts: BTreeSet<i64> =
        merchants.values().flat_map(|merchant| merchant.accounts.iter().copied()).collect();
    let readings =
        accounts.into_iter().map(|account| async move { (account, api.terminals(account).await) });
    stream::iter(readings).buffer_unordered(AT_ONCE).collect().await
}

/// Accounts listed for more than one merchant: which of them owns the terminals is not known.
fn shared_accounts(merchants: &BTreeMap<MerchantId, SeenMerchant>) -> BTreeSet<i64> {
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    for account in merchants.values().flat_map(|merchant| &merchant.accounts) {
        *counts.entry(*account).or_default() += 1;
    }
    counts.into_iter().filter(|(_, count)| *count > 1).map(|(account, _)| account).collect()
}

/// The terminals of a merchant, when each of its accounts lists them.
fn terminals_of(
    merchant: &SeenMerchant,
    lists: &Lists,
    shared: &BTreeSet<i64>,
    failures: &mut Vec<String>,
) -> Terminals {
    if merchant.accounts.is_empty() {
        return Terminals::Unknown("no record names its processing account".to_owned());
    }
    let mut all = Vec::new();
    for account in &merchant.accounts {
        match lists.get(account) {
            _ if shared.contains(account) => {
                let reason = format!("processing account {account} is another merchant's as well");
                return Terminals::Unknown(reason);
            }
            Some(Ok(terminals)) => all.extend(terminals.iter().cloned()),
            Some(Err(error)) if error.is_without_operation() => return Terminals::NotForThisKey,
            Some(Err(error)) => {
                failures.push(error.to_string());
                return Terminals::Unknown("the list could not be read".to_owned());
            }
            None => return Terminals::Unknown("the list was not read".to_owned()),
        }
    }
    Terminals::known(all)
}

/// Requests the last day's bank transfers of each terminal once. A terminal that takes none is left
/// out, as a run would fail on it every night.
async fn try_terminals(settings: &Settings, api: &Api, discovery: &mut Discovery) {
    let date = discovery.last;
    let listings = discovery.merchants.iter().flat_map(|merchant| merchant.terminals.ids());
    let listings: Vec<Listing> = listings
        .flat_map(|terminal| {
            [Resource::Payments, Resource::Refunds].map(|resource| {
                Listing::new(resource, Selector::Settled { terminal: terminal.clone(), date })
            })
        })
        .collect();
    let at_once = settings.api.max_in_flight.clamp(1, AT_ONCE);
    let answers: Vec<Result<(), ApiError>> = stream::iter(&listings)
        .map(|listing| async move { api.first_page(listing, 1).await.map(|_| ()) })
        .buffered(at_once)
        .collect()
        .await;
    let mut without = BTreeSet::new();
    for (pair, listings) in answers.chunks(2).zip(listings.chunks(2)) {
        let Some(Selector::Settled { terminal, .. }) = listings.first().map(|one| &one.selector)
        else {
            continue;
        };
        let mut errors = pair.iter().filter_map(|answer| answer.as_ref().err()).peekable();
        if errors.clone().filter(|error| error.is_bad_request()).count() == pair.len() {
            without.insert(terminal.clone());
        } else if let Some(error) = errors.peek() {
            discovery.failures.push(error.to_string());
        }
    }
    for merchant in &mut discovery.merchants {
        merchant.terminals.leave_out(&without);
    }
}
