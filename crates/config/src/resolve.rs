//! From the tree of checked values to the settings: each section, and rules between several values.
//! The tree checks each single value.

use std::collections::BTreeMap;
use std::path::Path;

use super::api::api;
use super::error::{ConfigError, Faults};
use super::fields::{checks, path, time_zone};
use super::keys::ROOT;
use super::merchants::Usual;
use super::notify::notify;
use super::reports::reports;
use super::schedule::schedule;
use super::settlement::{MerchantTerms, SettlementSettings, matching, settlement};
use super::tree::{Table, declared};
use super::{CustomChecks, EvidenceSettings, Merchant, Settings, banks, defaults, merchants};
use tieout_model::Accounts;
use tieout_model::calendar::CalendarName;

/// The inputs of resolving beside the tree.
pub(super) struct Surroundings<'a> {
    /// The folder of the configuration file; empty without one.
    pub folder: &'a Path,
    pub api_key: Option<&'a str>,
}

/// The settings that `root` describes. `faults` holds the values that were refused before.
///
/// # Errors
/// With these faults and all others.
pub(super) fn settings(
    mut root: Table,
    surroundings: &Surroundings<'_>,
    mut faults: Faults,
) -> Result<Settings, ConfigError> {
    defaults::complete(&mut root, ROOT);
    let root = &root;
    let folder = surroundings.folder;
    let is_whole = faults.is_empty();
    let time_zone = faults.note(time_zone(root, "time_zone", "")).flatten().unwrap_or_default();
    let settlement = settlement(root.table("settlement"));
    let api = api(root.table("api"), (folder, surroundings.api_key), &mut faults);
    let schedule = faults.note(schedule(root.table("schedule")));
    let notify = notify(root.table("notify"), folder, &mut faults);
    let journal = faults.note(journal(root.table("journal"))).flatten();
    let ledgers = merchants::ledgers(root.list("ledgers"), folder, &mut faults);
    let banks = banks::banks(root.list("banks"), folder, &mut faults);
    let books = merchants::Books { ledgers: &ledgers, banks: &banks };
    let matching = matching(root.table("matching"));
    let usual = Usual {
        time_zone,
        calendar: settlement.calendar,
        capture_tolerance_percent: settlement.capture_tolerance_percent,
        terms: MerchantTerms::usual(&settlement, &matching),
    };
    let merchants = merchants::merchants(root.list("merchants"), &books, &usual, &mut faults);
    if !is_whole {
        // A value that was refused is not missing.
        faults.forget_missing();
    }
    let schedule = faults.or_value(schedule)?;
    let settlement = SettlementSettings {
        lookback_days: lookback_days(root.table("settlement"), &merchants),
        ..settlement
    };
    Ok(Settings {
        time_zone,
        api,
        store_path: declared(path(root.table("store"), "path", folder)),
        reports: reports(root.table("reports"), folder),
        schedule,
        settlement,
        matching,
        checks: checks(root.table("checks")),
        custom_checks: CustomChecks {
            dir: path(root.table("custom_checks"), "dir", folder),
            timeout_seconds: root.table("custom_checks").number("timeout_seconds"),
        },
        evidence: EvidenceSettings {
            signing_key_file: path(root.table("evidence"), "signing_key_file", folder),
        },
        export_dir: path(root.table("export"), "dir", folder),
        sign_off_people: root.table("sign_off").number("people"),
        journal,
        notify,
        merchants,
        elsewhere: BTreeMap::new(),
        shard: None,
        ledgers,
        banks,
    })
}

/// All the accounts, or none.
fn journal(table: &Table) -> Result<Option<Accounts<String>>, ConfigError> {
    let accounts = table.table("accounts");
    let Some((_, place)) = Accounts::NAMES.each().iter().find_map(|name| accounts.text(name))
    else {
        return Ok(None);
    };
    let account = |name: &str| match accounts.word(name).map(str::trim) {
        Some(account) if !account.is_empty() => Ok(account.to_owned()),
        _ => Err(ConfigError::Missing {
            place: place.clone(),
            key: format!("journal.accounts.{name}"),
        }),
    };
    Accounts::NAMES.try_map(account).map(Some)
}

/// Calendar days in which a debit can come back, over a weekend, and be handled: 60 in the United
/// States, 90 of a pre-authorised debit in Canada.
fn lookback_days(table: &Table, merchants: &[Merchant]) -> u32 {
    const CANADIAN_DAYS: u32 = 110;
    let is_canadian = merchants.iter().any(|one| one.calendar == CalendarName::Canada);
    let is_raised = is_canadian && !table.is_set("lookback_days");
    if is_raised { CANADIAN_DAYS } else { table.number("lookback_days") }
}
