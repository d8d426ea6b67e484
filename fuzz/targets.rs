//! A target for each parser of foreign files. A target returns for all bytes: it panics only when
//! an invariant does not hold. `tests/attacks/parsers.rs` drives the same targets without a fuzzer.

use std::path::Path;

use tieout_config::{Settings, Sources};
use tieout_import::bank::{Surroundings, check_file as check_statement};
use tieout_import::ledger::check_file as check_ledger;
use tieout_model::RunRecord;
use tieout_model::dates;
use tieout_model::money::Currency;
use tieout_model::{AuthorizationId, Listing, Resource, Selector, mask_card_numbers};
use tieout_read::api::{evidence, records_of};
use tieout_report::PublicKey;

const CONFIGURATION: &str = "[[merchants]]\nid = \"1\"\ncurrency = \"USD\"\nbank = \"account\"\n\
    ledger = \"books\"\n[[ledgers]]\nname = \"books\"\npath = \"books/*\"\n\
    [[banks]]\nname = \"account\"\npath = \"bank/*\"\noriginators = [\"Northwind Payments\"]\n\
    columns = { date = \"Date\", amount = \"Amount\", description = \"Text\" }\n";

/// Calls `read` with a file that holds `bytes`, beside a configuration.
fn with_file(bytes: &[u8], read: impl FnOnce(&Path, &Settings)) {
    let folder = tempfile::tempdir().unwrap();
    let (config, file) = (folder.path().join("tieout.toml"), folder.path().join("file"));
    std::fs::write(&config, CONFIGURATION).unwrap();
    std::fs::write(&file, bytes).unwrap();
    let sources = Sources { config_file: Some(config), ..Sources::default() };
    read(&file, &Settings::load(&sources, &[]).unwrap());
}

/// A bank's statement in any format, also packed: it is refused or read, the same each time.
pub fn statement(bytes: &[u8]) {
    with_file(bytes, |file, settings| {
        let read = || {
            let surroundings = Surroundings {
                currency: Currency::from_code("USD"),
                time_zone: Some(settings.time_zone),
                merchant_ids: &[&"1".into()],
            };
            check_statement(file, &settings.banks[0], surroundings)
                .map_err(|error| error.to_string())
        };
        assert_eq!(read(), read());
    });
}

/// A merchant's ledger as CSV or workbook: it is refused or read, the same each time.
pub fn ledger(bytes: &[u8]) {
    with_file(bytes, |file, settings| {
        let read = || {
            check_ledger(file, &settings.ledgers[0], &settings.merchants)
                .map_err(|error| error.to_string())
        };
        assert_eq!(read(), read());
    });
}

/// A page of any listing, chosen by the first byte; the stored evidence of a page gives the same
/// records as the page.
pub fn page(bytes: &[u8]) {
    let Some((first, body)) = bytes.split_first() else { return };
    let date = Selector::Date("2026-11-20".parse().unwrap());
    let drawn = usize::from(*first) % (Resource::ALL.len() + 1);
    let listing = match Resource::ALL.get(drawn) {
        Some(resource) => Listing::new(*resource, date),
        None => {
            Listing::new(Resource::Authorizations, Selector::AuthorizationById(AuthorizationId(7)))
        }
    };
    let records = records_of(&listing, body);
    let kept = evidence::scrub(&listing, body);
    // A page that cannot be read leaves no evidence.
    if let Some(kept) = kept.filter(|_| !records.is_empty()) {
        assert_eq!(records_of(&listing, &kept), records);
        assert_eq!(evidence::scrub(&listing, &kept), Some(kept), "nothing is left to scrub");
    }
}

/// A configuration: it is refused with a place and a reason, or understood.
pub fn configuration(bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tieout.toml");
    std::fs::write(&file, bytes).unwrap();
    let sources = Sources { config_file: Some(file), ..Sources::default() };
    if let Err(error) = Settings::load(&sources, &[]) {
        assert!(!error.to_string().is_empty());
    }
}

/// The dates of a command line: sorted, each once, within the years that are accepted.
pub fn business_dates(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(dates) = dates::parse(&text, "2026-11-20".parse().unwrap()) {
        assert!(!dates.is_empty() && dates.is_sorted_by(|one, next| one < next), "{dates:?}");
        let first = "1970-01-01".parse().unwrap();
        assert!(dates.iter().all(|date| *date >= first), "{dates:?}");
    }
}

/// A manifest: a parsed manifest is written and parsed the same.
pub fn manifest(bytes: &[u8]) {
    if let Ok(record) = serde_json::from_slice::<RunRecord>(bytes) {
        let written = serde_json::to_vec(&record).unwrap();
        assert_eq!(serde_json::from_slice::<RunRecord>(&written).unwrap(), record);
    }
}

/// A public key in PEM.
pub fn public_key(bytes: &[u8]) {
    with_file(bytes, |file, _| {
        if let Err(error) = PublicKey::read(file) {
            assert!(!error.to_string().is_empty());
        }
    });
}

/// Free text: masking is idempotent.
pub fn free_text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let masked = mask_card_numbers(&text).into_owned();
    assert_eq!(mask_card_numbers(&masked), masked, "of {text}");
}
