//! From the tree of checked values to the settings: defaults, paths, and rules between several
//! values. The tree checks each single value.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use chrono::NaiveDate;
use chrono_tz::Tz;

use super::cron_expression::{schedule_of, unsupported};
use super::error::{ConfigError, Faults};
use super::fields::{calendar, checks, path, time_zone};
use super::merchants::Usual;
use super::tree::{Entry, Table, quote};
use super::{
    ApiKeySource, ApiSettings, ComponentSigns, CustomChecks, EvidenceSettings, MatchingSettings,
    Merchant, MerchantTerms, NotifySettings, ReportFormat, ReportSettings, ScheduleSettings,
    Secret, Settings, SettlementSettings, TransactionsMode, WebhookFormat, banks, merchants,
    web_address,
};
use tieout_model::Accounts;
use tieout_model::calendar::CalendarName;
use tieout_model::dates;

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
    root: &Table,
    surroundings: &Surroundings<'_>,
    mut faults: Faults,
) -> Result<Settings, ConfigError> {
    let folder = surroundings.folder;
    let is_whole = faults.is_empty();
    let time_zone = faults.note(time_zone(root, "time_zone", "")).flatten().unwrap_or(Tz::UTC);
    let settlement = settlement(root.table("settlement"));
    let api = api(root.table("api"), surroundings, &mut faults);
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
        lookback_days: lookback_days(settlement.lookback_days, &merchants),
        ..settlement
    };
    Ok(Settings {
        time_zone,
        api,
        store_path: path(root.table("store"), "path", folder)
            .unwrap_or_else(|| folder.join("tieout.db")),
        reports: reports(root.table("reports"), folder),
        schedule,
        settlement,
        matching,
        checks: checks(root.table("checks")),
        custom_checks: CustomChecks {
            dir: path(root.table("custom_checks"), "dir", folder),
            timeout_seconds: root.table("custom_checks").number("timeout_seconds", 10),
        },
        evidence: EvidenceSettings {
            signing_key_file: path(root.table("evidence"), "signing_key_file", folder),
        },
        export_dir: path(root.table("export"), "dir", folder),
        sign_off_people: root.table("sign_off").number("people", 1),
        journal,
        notify,
        merchants,
        elsewhere: BTreeMap::new(),
        shard: None,
        ledgers,
        banks,
    })
}

fn api(table: &Table, surroundings: &Surroundings<'_>, faults: &mut Faults) -> ApiSettings {
    let from_environment = match surroundings.api_key.map(str::trim) {
        Some(key) if !key.chars().all(|c| c.is_ascii_graphic()) => {
            faults.add(ConfigError::ApiKeyCharacters);
            None
        }
        key => key.map(|key| ApiKeySource::Environment(Secret::new(key.to_owned()))),
    };
    let from_file = || path(table, "api_key_file", surroundings.folder).map(ApiKeySource::File);
    ApiSettings {
        base_url: faults.note(web_address::of_api(table, "base_url")).flatten(),
        auth_url: faults.note(web_address::of_api(table, "auth_url")).flatten(),
        api_key: from_environment.or_else(from_file),
        page_size: table.number("page_size", 100),
        max_in_flight: table.number("max_in_flight", 16),
        requests_per_second: table.number("requests_per_second", 50),
        timeout_seconds: table.number("timeout_seconds", 60),
        max_attempts: table.number("max_attempts", 6),
        transactions: match table.word("transactions") {
            Some("off") => TransactionsMode::Off,
            _ => TransactionsMode::Auto,
        },
    }
}

fn reports(table: &Table, folder: &Path) -> ReportSettings {
    use ReportFormat::{Csv, Html, Json, Xlsx};
    let format_of = |entry: &Entry| match entry.text()?.0 {
        "csv" => Some(Csv),
        "json" => Some(Json),
        "html" => Some(Html),
        _ => Some(Xlsx),
    };
    let formats = if table.0.contains_key("formats") {
        table.list("formats").iter().filter_map(format_of).collect()
    } else {
        BTreeSet::from([Csv, Json, Html, Xlsx])
    };
    ReportSettings {
        dir: path(table, "dir", folder).unwrap_or_else(|| folder.join("reports")),
        formats,
    }
}

fn schedule(table: &Table) -> Result<ScheduleSettings, ConfigError> {
    let cron = table.word("cron").unwrap_or("0 30 5 * * *");
    if let (Err(_), Some((_, place))) = (schedule_of(cron), table.text("cron")) {
        return Err(ConfigError::Value {
            place: place.clone(),
            key: "schedule.cron".to_owned(),
            expected: "[seconds] minutes hours day month weekday".to_owned(),
            found: quote(cron),
            hint: Some(cron_hint(cron)),
        });
    }
    let date = table.word("date").unwrap_or("yesterday");
    // The clock resolves the text at night; here a distant day tests only its syntax.
    let wording = dates::parse(date, NaiveDate::from_ymd_opt(9000, 1, 1).unwrap_or_default());
    if let (Err(error), Some((_, place))) = (wording, table.text("date")) {
        return Err(ConfigError::Value {
            place: place.clone(),
            key: "schedule.date".to_owned(),
            expected: "dates as --date takes them".to_owned(),
            found: format!("{} ({error})", quote(date)),
            hint: None,
        });
    }
    let catch_up_days = table.number("catch_up_days", 7);
    Ok(ScheduleSettings { cron: cron.to_owned(), date: date.to_owned(), catch_up_days })
}

fn cron_hint(cron: &str) -> Box<str> {
    match unsupported(cron) {
        Some(sign) => format!(
            "{} is not supported; a day is a number, a name (FRI), a list (1,15), a range (MON-FRI) \
             or a step (*/2)",
            quote(sign)
        )
        .into(),
        None => "every day at 05:30 is \"0 30 5 * * *\"".into(),
    }
}

fn matching(table: &Table) -> MatchingSettings {
    MatchingSettings {
        window_days: table.number("window_days", 3),
        amount_tolerance_minor: table.number("amount_tolerance_minor", 0),
        amount_tolerance_basis_points: table.number("amount_tolerance_basis_points", 0),
    }
}

/// More days than a file can set.
const UNSET_DAYS: u32 = u32::MAX;

/// Calendar days in which a debit can come back, over a weekend, and be handled: 60 in the United
/// States, 90 of a pre-authorised debit in Canada.
fn lookback_days(set: u32, merchants: &[Merchant]) -> u32 {
    let is_canadian = merchants.iter().any(|one| one.calendar == CalendarName::Canada);
    match set {
        UNSET_DAYS if is_canadian => 110,
        UNSET_DAYS => 75,
        set => set,
    }
}

fn settlement(table: &Table) -> SettlementSettings {
    let mut extra_holidays = BTreeSet::new();
    for (text, _) in table.list("extra_holidays").iter().filter_map(Entry::text) {
        extra_holidays.extend(text.parse::<NaiveDate>());
    }
    SettlementSettings {
        payout_days: table.number("payout_days", 2),
        settle_days: table.number("settle_days", 1),
        ledger_days: table.number("ledger_days", 1),
        return_days: table.number("return_days", 5),
        bank_days: table.number("bank_days", 1),
        statement_days: table.number("statement_days", 1),
        dispute_days: table.number("dispute_days", 5),
        lookback_days: table.number("lookback_days", UNSET_DAYS),
        restated_days: table.number("restated_days", 7),
        restated_requests: table.number("restated_requests", 200),
        capture_tolerance_percent: table.number("capture_tolerance_percent", 0),
        calendar: calendar(table).unwrap_or(CalendarName::UsFederalReserve),
        extra_holidays,
        signs: signs(table.table("signs")),
    }
}

fn signs(table: &Table) -> ComponentSigns {
    let default = ComponentSigns::default();
    let sign = |name, default| match table.word(name) {
        Some("plus") => 1,
        Some(_) => -1,
        None => default,
    };
    ComponentSigns {
        sales: sign("sales", default.sales),
        returns: sign("returns", default.returns),
        daily_fees: sign("daily_fees", default.daily_fees),
        held_sales: sign("held_sales", default.held_sales),
        ach_adjustment: sign("ach_adjustment", default.ach_adjustment),
        holdback: sign("holdback", default.holdback),
        reserve_release: sign("reserve_release", default.reserve_release),
    }
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

fn notify(table: &Table, folder: &Path, faults: &mut Faults) -> NotifySettings {
    let mut address = |name| faults.note(web_address::of_notice(table, name)).flatten();
    NotifySettings {
        webhook_url: address("webhook_url"),
        webhook_format: match table.word("webhook_format") {
            Some("slack") => WebhookFormat::Slack,
            _ => WebhookFormat::Json,
        },
        webhook_secret_file: path(table, "webhook_secret_file", folder),
        heartbeat_url: address("heartbeat_url"),
        metrics_file: path(table, "metrics_file", folder),
        reports_url: address("reports_url"),
        tells_each_error: table.word("new_errors") == Some("each"),
    }
}
