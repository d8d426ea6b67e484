//! Merchants and their ledgers: the configured ones, with no id or terminal claimed twice.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use chrono_tz::Tz;

use super::error::{ConfigError, Faults};
use super::fields::{calendar, checks, identifier, required_path, time_zone};
use super::nearest::nearest;
use super::table;
use super::tree::{Entry, Table, quote};
use super::{BankSettings, LedgerSettings, Merchant, MerchantTerms};
use tieout_model::calendar::CalendarName;
use tieout_model::money::Currency;
use tieout_model::{MerchantId, TerminalId};

/// The ledgers and banks that merchants can name.
pub(super) struct Books<'a> {
    pub ledgers: &'a [LedgerSettings],
    pub banks: &'a [BankSettings],
}

/// The values of a merchant that has none of its own.
pub(super) struct Usual {
    pub time_zone: Tz,
    pub calendar: CalendarName,
    pub capture_tolerance_percent: u32,
    pub terms: MerchantTerms,
}

/// The configured merchants, in the order of the file.
pub(super) fn merchants(
    entries: &[Entry],
    books: &Books<'_>,
    usual: &Usual,
    faults: &mut Faults,
) -> Vec<Merchant> {
    // A faulty ledger or bank would seem to be missing.
    let are_books_whole = faults.is_empty();
    let mut merchants: Vec<Merchant> = Vec::new();
    let mut ids = BTreeSet::new();
    let mut owners: BTreeMap<String, MerchantId> = BTreeMap::new();
    for (index, entry) in entries.iter().enumerate() {
        let table = entry.table();
        let key = format!("merchants[{index}]");
        let currency = faults.note(currency(table, &format!("{key}.currency"))).flatten();
        let zone = faults.note(time_zone(table, "time_zone", &key)).flatten();
        let id = identifier(entry, "id", &format!("{key}.id"));
        let Some(id) = faults.note(id).map(MerchantId::from) else { continue };
        if !ids.insert(id.clone()) {
            faults.add(ConfigError::DuplicateMerchant { place: entry.place.clone(), id });
            continue;
        }
        faults.note(claim_terminals(table, &key, &id, &mut owners));
        let by_currency =
            currency.filter(|currency| currency.code() == "CAD").map(|_| CalendarName::Canada);
        let mut named = |result| match result {
            Err(_) if !are_books_whole => None,
            result => faults.note(result).flatten(),
        };
        merchants.push(Merchant {
            name: table.word("name").map(str::to_owned),
            currency,
            time_zone: zone.unwrap_or(usual.time_zone),
            terminals: terminals(table),
            calendar: calendar(table).or(by_currency).unwrap_or(usual.calendar),
            names_terminals: table.0.contains_key("terminals"),
            capture_tolerance_percent: table
                .own_number("capture_tolerance_percent")
                .unwrap_or(usual.capture_tolerance_percent),
            terms: usual.terms.with_own(table),
            ledger: named(named_ledger(table, &id, books.ledgers)),
            bank: named(named_bank(table, &id, books.banks)),
            checks: checks(table.table("checks")),
            id,
        });
    }
    merchants
}

fn claim_terminals(
    table: &Table,
    key: &str,
    merchant: &MerchantId,
    owners: &mut BTreeMap<String, MerchantId>,
) -> Result<(), ConfigError> {
    for (terminal, place) in table.list("terminals").iter().filter_map(Entry::text) {
        if terminal.is_empty() || terminal.contains(char::is_whitespace) {
            return Err(ConfigError::Value {
                place: place.clone(),
                key: format!("{key}.terminals"),
                expected: "ids without blanks".to_owned(),
                found: quote(terminal),
                hint: None,
            });
        }
        let owner = owners.insert(terminal.to_owned(), merchant.clone());
        if let Some(owner) = owner.filter(|owner| owner != merchant) {
            return Err(ConfigError::SharedTerminal {
                place: place.clone(),
                terminal: terminal.to_owned(),
                merchant: owner,
                other: merchant.clone(),
            });
        }
    }
    Ok(())
}

/// The terminals in their order; one that is named twice counts once.
fn terminals(table: &Table) -> Vec<TerminalId> {
    let mut terminals: Vec<TerminalId> = Vec::new();
    for (terminal, _) in table.list("terminals").iter().filter_map(Entry::text) {
        if !terminals.iter().any(|known| known.as_str() == terminal) {
            terminals.push(TerminalId::from(terminal));
        }
    }
    terminals
}

fn currency(table: &Table, key: &str) -> Result<Option<Currency>, ConfigError> {
    let Some((code, place)) = table.text("currency") else { return Ok(None) };
    Currency::from_code(code).map(Some).ok_or_else(|| ConfigError::Value {
        place: place.clone(),
        key: key.to_owned(),
        expected: "a currency of ISO 4217 such as \"USD\"".to_owned(),
        found: quote(code),
        hint: None,
    })
}

fn named_ledger(
    table: &Table,
    merchant: &MerchantId,
    ledgers: &[LedgerSettings],
) -> Result<Option<String>, ConfigError> {
    let Some((name, place)) = table.text("ledger") else { return Ok(None) };
    let names = || ledgers.iter().map(|ledger| ledger.name.as_str());
    if names().any(|known| known == name) {
        return Ok(Some(name.to_owned()));
    }
    Err(ConfigError::UnknownLedger {
        place: place.clone(),
        merchant: merchant.clone(),
        ledger: name.to_owned(),
        nearest: nearest(name, names()).map(str::to_owned),
    })
}

fn named_bank(
    table: &Table,
    merchant: &MerchantId,
    banks: &[BankSettings],
) -> Result<Option<String>, ConfigError> {
    let Some((name, place)) = table.text("bank") else { return Ok(None) };
    let names = || banks.iter().map(|bank| bank.name.as_str());
    if names().any(|known| known == name) {
        return Ok(Some(name.to_owned()));
    }
    let remedy = match nearest(name, names()) {
        Some(nearest) => format!("the nearest defined one is {nearest}"),
        None => format!("add [[banks]] with name = \"{name}\""),
    };
    Err(ConfigError::Value {
        place: place.clone(),
        key: format!("bank of merchant {merchant}"),
        expected: "the name of one of [[banks]]".to_owned(),
        found: quote(name),
        hint: Some(remedy.into()),
    })
}

/// The defined ledgers, in the order of the file.
pub(super) fn ledgers(
    entries: &[Entry],
    folder: &Path,
    faults: &mut Faults,
) -> Vec<LedgerSettings> {
    let mut ledgers: Vec<LedgerSettings> = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let key = format!("ledgers[{index}]");
        let Some(ledger) = faults.note(ledger(entry, &key, folder)) else { continue };
        if ledgers.iter().any(|known| known.name == ledger.name) {
            let (place, name) = (entry.place.clone(), ledger.name);
            faults.add(ConfigError::DuplicateLedger { place, name });
            continue;
        }
        ledgers.push(ledger);
    }
    ledgers
}

fn ledger(entry: &Entry, key: &str, folder: &Path) -> Result<LedgerSettings, ConfigError> {
    Ok(LedgerSettings {
        name: identifier(entry, "name", &format!("{key}.name"))?,
        path: required_path(entry, key, folder)?,
        table: table::settings(entry, key)?,
    })
}
