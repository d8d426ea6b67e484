//! The configuration file of a discovery: known values as settings, unknown ones as comments beside
//! them. It contains only data of the API and of the person who ran the discovery.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use chrono::{DateTime, Offset as _, Utc};
use chrono_tz::Tz;
use toml::Value;

use super::found::{Discovery, FoundMerchant, Terminals};
use tieout_config::{ApiKeySource, Filled, Settings, template};
use tieout_report::aligned::{counted, printable};

/// The file, and a summary of it.
#[derive(Clone, Debug)]
pub struct Written {
    pub text: String,
    /// The values found, in one line.
    pub learnt: String,
    /// The values still missing, one line each.
    pub missing: Vec<String>,
}

/// The text of a configuration for the merchants of `discovery`. `settings` are those of the
/// discovery; `sets_zone` means that a person chose their time zone.
pub fn configuration(
    settings: &Settings,
    discovery: &Discovery,
    sets_zone: bool,
    places: BTreeMap<&'static str, String>,
    now: DateTime<Utc>,
) -> Written {
    let zone = if sets_zone { Some(settings.time_zone) } else { westernmost(discovery, now) };
    let missing = missing(settings, discovery, zone, sets_zone);
    let filled = Filled {
        notes: notes(discovery, &missing),
        values: values(settings, zone).into_iter().chain(places).collect(),
        merchants: discovery.merchants.iter().map(|one| section(one, zone)).collect(),
    };
    Written { text: template(&filled), learnt: learnt(discovery), missing }
}

/// The time zone in which the day ends last: when yesterday is over there, it is over for every
/// merchant.
fn westernmost(discovery: &Discovery, now: DateTime<Utc>) -> Option<Tz> {
    let zones = discovery.merchants.iter().filter_map(|merchant| merchant.terminals.zone());
    zones.min_by_key(|zone| (now.with_timezone(zone).offset().fix().local_minus_utc(), zone.name()))
}

fn values(settings: &Settings, zone: Option<Tz>) -> BTreeMap<&'static str, String> {
    let address = |address: &Option<String>| quoted(address.as_deref().unwrap_or_default());
    let mut values = BTreeMap::from([
        ("api.base_url", address(&settings.api.base_url)),
        ("api.auth_url", address(&settings.api.auth_url)),
    ]);
    values.extend(zone.map(|zone| ("time_zone", quoted(zone.name()))));
    if let Some(ApiKeySource::File(path)) = &settings.api.api_key {
        values.insert("api.api_key_file", quoted(&absolute(path)));
    }
    values
}

/// The file may be read from another folder than the one it is written in.
pub fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}

fn learnt(discovery: &Discovery) -> String {
    let merchants = &discovery.merchants;
    let terminals: usize = merchants.iter().map(|one| one.terminals.ids().count()).sum();
    let currencies: BTreeSet<&str> =
        merchants.iter().flat_map(|one| one.currencies.iter().copied()).collect();
    let zones: BTreeSet<&str> =
        merchants.iter().flat_map(|one| one.terminals.zone_names()).collect();
    format!(
        "{}, {}, {}, {}, from the deposits and batches of {} to {}",
        counted(merchants.len(), "merchant", "merchants"),
        counted(terminals, "terminal", "terminals"),
        counted(currencies.len(), "currency", "currencies"),
        counted(zones.len(), "time zone", "time zones"),
        discovery.first,
        discovery.last
    )
}

/// The points that a person has to check, one line each.
fn missing(
    settings: &Settings,
    discovery: &Discovery,
    zone: Option<Tz>,
    sets_zone: bool,
) -> Vec<String> {
    let mut lines = Vec::new();
    if matches!(settings.api.api_key, Some(ApiKeySource::Environment(_))) {
        lines.push(
            "the API key came from TIEOUT_API_KEY: every command needs it there, or a file that \
             api_key_file names"
                .to_owned(),
        );
    }
    match zone {
        _ if sets_zone => {}
        Some(zone) => lines.push(format!(
            "time_zone is {}, the westernmost of the terminals': there \"yesterday\" is over for \
             every merchant; change it to yours if that is another",
            zone.name()
        )),
        None => lines.push("time_zone is not known and stays UTC: set yours".to_owned()),
    }
    let merchants = |is: &dyn Fn(&Terminals) -> bool| {
        discovery.merchants.iter().filter(|one| is(&one.terminals)).count()
    };
    let refused = merchants(&|terminals| matches!(terminals, Terminals::NotForThisKey));
    let unknown = merchants(&|terminals| matches!(terminals, Terminals::Unknown(_)));
    for (count, reason) in
        [(refused, "the key may not list them"), (unknown, "as their comments say")]
    {
        if count > 0 {
            lines.push(format!(
                "the terminals and time zones of {} are not known, {reason}: ask the processor \
                 and name them, since bank transfers are read per terminal",
                counted(count, "merchant", "merchants")
            ));
        }
    }
    let without = discovery.merchants.iter().filter(|one| one.currencies.len() != 1).count();
    if without > 0 {
        lines.push(format!(
            "the currency of {} is not set: no batch or several currencies",
            counted(without, "merchant", "merchants")
        ));
    }
    if discovery.nameless > 0 {
        lines.push(format!("records without a merchant id were seen: {}", discovery.nameless));
    }
    lines.extend(discovery.failures.iter().map(|failure| format!("not read: {failure}")));
    lines
}

fn notes(discovery: &Discovery, missing: &[String]) -> String {
    let mut text = format!(
        "#\n# Discovered: {}.\n# A merchant without a deposit or batch in those days is not here; \
         add it below.\n#\n# The API does not provide these; they are not compared without \
         them:\n#   your own books: describe them under [[ledgers]], then add ledger = \"NAME\" \
         to each merchant\n#   your bank's statements: describe them under [[banks]], then add \
         bank = \"NAME\"\n",
        learnt(discovery)
    );
    if !missing.is_empty() {
        text.push_str("#\n# To be completed:\n");
        for line in missing {
            comment(&mut text, &format!("  {line}"));
        }
    }
    text
}

fn comment(text: &mut String, line: &str) {
    // Writing into a String cannot fail.
    let _ = writeln!(text, "# {}", printable(line));
}

fn section(merchant: &FoundMerchant, common: Option<Tz>) -> String {
    let mut text = format!("\n[[merchants]]\nid = {}\n", quoted(merchant.id.as_str()));
    match &merchant.name {
        Some(name) => set(&mut text, "name", &quoted(name)),
        None => comment(&mut text, "name: no record has one"),
    }
    let currencies: Vec<&str> = merchant.currencies.iter().copied().collect();
    match currencies.as_slice() {
        [currency] => set(&mut text, "currency", &quoted(currency)),
        [] => comment(&mut text, "currency: no batch was seen; set it"),
        several => {
            let line = format!("currency: its batches have {}; set none", several.join(", "));
            comment(&mut text, &line);
        }
    }
    zone_line(&mut text, &merchant.terminals, common);
    terminal_lines(&mut text, &merchant.terminals);
    text
}

fn zone_line(text: &mut String, terminals: &Terminals, common: Option<Tz>) {
    if let Some(zone) = terminals.zone() {
        return set(text, "time_zone", &quoted(zone.name()));
    }
    let names: Vec<&str> = terminals.zone_names().into_iter().collect();
    let found = match names.as_slice() {
        [] => "not known".to_owned(),
        names => format!("its terminals say {}", names.join(", ")),
    };
    let common = common.map_or("UTC", |zone| zone.name());
    comment(text, &format!("time_zone: {found}; without it the day is that of {common}"));
}

fn terminal_lines(text: &mut String, terminals: &Terminals) {
    match terminals {
        Terminals::Known { listed, left_out } => {
            let ids = terminals.ids().map(|id| Value::String(id.to_string())).collect();
            for terminal in listed {
                let status = terminal.status.as_deref().filter(|status| *status != "active");
                if left_out.contains(&terminal.id) {
                    let line = format!("terminal {} takes no bank transfers", terminal.id);
                    comment(text, &line);
                } else if let Some(status) = status {
                    comment(text, &format!("terminal {} is {status}", terminal.id));
                }
            }
            set(text, "terminals", &Value::Array(ids).to_string());
        }
        Terminals::NotForThisKey => {
            comment(text, "terminals: the key may not list them; name them, or [] for none");
        }
        Terminals::Unknown(reason) => {
            comment(text, &format!("terminals: {reason}; name them, or [] for none"));
        }
    }
}

fn set(text: &mut String, name: &str, value: &str) {
    // Writing into a String cannot fail.
    let _ = writeln!(text, "{name} = {value}");
}

/// A text as TOML writes it.
pub fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}
