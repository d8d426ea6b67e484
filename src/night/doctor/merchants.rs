//! Compares the configured merchants with those that the API lists: an unknown id, a missing
//! merchant, terminals that are not configured, or a time zone that differs from the terminals'
//! one.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Days, NaiveDate};

use super::banks;
use super::probe::Probe;
use crate::exit::Exit;
use crate::night::discover::{DEFAULT_DAYS, Seen};
use tieout_config::{Merchant, Settings, edit_distance};
use tieout_model::{MerchantId, ProcessingTerminal, TerminalId};
use tieout_read::api::Api;
use tieout_report::aligned::counted;

/// Ids shown of several at most.
const MAX_NAMED: usize = 10;
/// Two transposed digits, one digit too many or one too few.
const MISTYPED_DISTANCE: usize = 2;

/// Compares the merchants with the listings of the last days, and with their terminals where the
/// key may list them.
pub(super) async fn probes(settings: &Settings, api: &Api, today: NaiveDate) -> Vec<Probe> {
    const NAME: &str = "merchants";
    if !settings.names_merchants() {
        return Vec::new();
    }
    let first = today.checked_sub_days(Days::new(DEFAULT_DAYS - 1)).unwrap_or(today);
    let mut seen = Seen::default();
    let read = seen.read(api, first, today.succ_opt().unwrap_or(today)).await;
    let days = format!("the deposits and batches of {first} to {today}");
    if read.is_err() || !seen.failures.is_empty() {
        let found = format!("not compared, as {days} could not all be read");
        return vec![Probe::warning(NAME, found, "run tieout doctor again")];
    }
    if seen.merchants.is_empty() {
        let found = format!("{days} name no merchant; the ids cannot be checked");
        return vec![Probe::warning(NAME, found, "run tieout doctor again after the first sales")];
    }
    let unknown: Vec<&MerchantId> = seen
        .merchants
        .keys()
        .filter(|id| !settings.all_merchants().any(|merchant| merchant.id == **id))
        .collect();
    let unseen: Vec<&MerchantId> = settings
        .merchants
        .iter()
        .map(|merchant| &merchant.id)
        .filter(|id| !seen.merchants.contains_key(id))
        .collect();
    let mut probes = Vec::new();
    let (mistyped, unseen): (Vec<_>, Vec<_>) =
        unseen.into_iter().partition(|id| nearest(id, &unknown).is_some());
    probes.extend(mistyped.into_iter().map(|id| is_mistyped(id, &unknown, &days)));
    if !unseen.is_empty() {
        let found = format!("{} in none of {days}", named("stands", "stand", &unseen));
        let hint = "check the ids; merchants that were closed all that time are fine";
        // When another unknown merchant is listed, a run takes the id to be wrong.
        probes.push(if unknown.is_empty() {
            Probe::warning(NAME, found, hint)
        } else {
            Probe::failed(NAME, found, Some(hint.to_owned())).with_exit(Exit::Partial)
        });
    }
    if !unknown.is_empty() {
        let found =
            format!("{} not configured", named("is listed and", "are listed and", &unknown));
        let hint = "add [[merchants]] for them, else nothing is checked for them; tieout init \
                    --discover --config other.toml writes their sections";
        probes.push(Probe::warning(NAME, found, hint));
    }
    if probes.is_empty() {
        let count = counted(settings.merchants.len(), "merchant", "merchants");
        probes.push(Probe::ok(NAME, format!("{count} found in {days}")));
    }
    probes.extend(terminals(settings, api, &seen).await);
    probes.extend(banks::probes(settings, &seen.deposits));
    probes
}

fn is_mistyped(id: &MerchantId, unknown: &[&MerchantId], days: &str) -> Probe {
    let nearest = nearest(id, unknown).map(ToString::to_string).unwrap_or_default();
    let found = format!("{id} is in none of {days}, but {nearest} is, and is not configured");
    let hint = format!("is {nearest} meant?");
    Probe::failed("merchants", found, Some(hint)).with_exit(Exit::Partial)
}

/// The id that `id` may be a typing error for.
fn nearest<'a>(id: &MerchantId, unknown: &[&'a MerchantId]) -> Option<&'a MerchantId> {
    let distance = |other: &MerchantId| edit_distance(id.as_str(), other.as_str());
    let nearest = unknown.iter().copied().min_by_key(|other| distance(other))?;
    (distance(nearest) <= MISTYPED_DISTANCE).then_some(nearest)
}

/// `1, 2 and 5 more stand`, with a limited number of ids.
fn named(verb: &str, verbs: &str, ids: &[&MerchantId]) -> String {
    let shown: Vec<String> = ids.iter().take(MAX_NAMED).map(ToString::to_string).collect();
    let more = match ids.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let verb = if ids.len() == 1 { verb } else { verbs };
    format!("{}{more} {verb}", shown.join(", "))
}

type Listed = BTreeMap<TerminalId, ProcessingTerminal>;

/// Checks each merchant's terminals where the key may list them: some may be missing from the
/// configuration, or be in another time zone.
async fn terminals(settings: &Settings, api: &Api, seen: &Seen) -> Vec<Probe> {
    let mut probes = Vec::new();
    let mut may_list = true;
    for merchant in &settings.merchants {
        let accounts = seen.merchants.get(&merchant.id).map(|one| one.accounts.clone());
        let mut listed = may_list.then(Listed::new).filter(|_| accounts.is_some());
        for account in accounts.iter().flatten() {
            match api.terminals(*account).await {
                Ok(terminals) => {
                    let known = listed.get_or_insert_default();
                    known.extend(terminals.into_iter().map(|one| (one.id.clone(), one)));
                }
                Err(error) => {
                    may_list &= !error.is_without_operation();
                    listed = None;
                    break;
                }
            }
        }
        probes.extend(of_merchant(merchant, listed.as_ref()));
    }
    probes
}

fn of_merchant(merchant: &Merchant, listed: Option<&Listed>) -> Vec<Probe> {
    const NAME: &str = "terminals";
    let id = &merchant.id;
    let named: BTreeSet<&TerminalId> = merchant.terminals.iter().collect();
    let missing: Vec<String> = listed
        .into_iter()
        .flat_map(Listed::keys)
        .filter(|terminal| !named.contains(terminal))
        .map(|terminal| format!("\"{terminal}\""))
        .collect();
    let mut probes = Vec::new();
    if !merchant.names_terminals {
        let hint = match missing.as_slice() {
            [] => "name them under terminals, or write terminals = [] when there are none".into(),
            known => format!("the API lists them: terminals = [{}]", known.join(", ")),
        };
        let found = format!(
            "merchant {id} names none; its bank transfers are not read, and differences that they \
             may explain are not evaluated"
        );
        // A merchant without terminals misses nothing.
        probes.push(if listed.is_some_and(Listed::is_empty) {
            Probe::warning(NAME, found, &hint)
        } else {
            Probe::failed(NAME, found, Some(hint)).with_exit(Exit::Partial)
        });
    } else if !missing.is_empty() {
        let found = format!("merchant {id} has {} that it does not name", missing.join(", "));
        let hint = "add them to terminals; only one that takes no bank transfers may be left out";
        probes.push(Probe::warning(NAME, found, hint));
    }
    let zones: BTreeSet<&str> = listed
        .into_iter()
        .flat_map(Listed::values)
        .filter_map(|one| one.time_zone.as_deref())
        .collect();
    if !zones.is_empty() && !zones.contains(merchant.time_zone.name()) {
        let zones = zones.into_iter().collect::<Vec<_>>().join(", ");
        let own = merchant.time_zone.name();
        let found = format!("merchant {id} is in {own}, its terminals are in {zones}");
        let hint = "set the merchant's time_zone: bank transfers are put on its local days";
        probes.push(Probe::warning("time zone", found, hint));
    }
    probes
}
