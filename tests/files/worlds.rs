//! The readers read every line of the sandbox's files, without a fault, in every format.

use chrono::NaiveDate;
use tieout_config::{Settings, Sources};
use tieout_import::bank::{Surroundings, check_file};
use tieout_import::files::files_of;
use tieout_import::ledger::check_file as check_ledger;
use tieout_sandbox::{World, WorldOptions};

#[test]
fn reads_the_books_and_the_statements_of_worlds() {
    let date = |text: &str| text.parse::<NaiveDate>().unwrap();
    let (mut formats, mut records) = (std::collections::BTreeSet::new(), 0);
    for seed in 1..=4 {
        let (world, _) = World::generate(&WorldOptions {
            seed,
            from: date("2026-11-02"),
            to: date("2026-11-06"),
            merchants: 8,
            transactions_per_day: 20,
            plants: Vec::new(),
            kinds: Vec::new(),
            lateness: None,
        })
        .unwrap();
        let folder = tempfile::tempdir().unwrap();
        for file in world.files("http://127.0.0.1:1") {
            let path = folder.path().join(&file.path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, &file.content).unwrap();
        }
        let config_file = Some(folder.path().join("tieout.toml"));
        let settings = Settings::load(&Sources { config_file, ..Sources::default() }, &[]).unwrap();
        for ledger in &settings.ledgers {
            for path in files_of(&ledger.path).unwrap() {
                let checked = check_ledger(&path, ledger, &settings.merchants).unwrap();
                assert_eq!(checked.file.quarantined, [], "seed {seed}");
                records += checked.records.len();
            }
        }
        for bank in &settings.banks {
            let merchant = settings
                .merchants
                .iter()
                .find(|one| one.bank.as_ref() == Some(&bank.name))
                .unwrap();
            let surroundings = Surroundings {
                currency: merchant.currency,
                time_zone: Some(merchant.time_zone),
                merchant_ids: &[],
            };
            for path in files_of(&bank.path).unwrap() {
                let read = check_file(&path, bank, surroundings).unwrap();
                assert_eq!(read.faults, [], "seed {seed} {}", path.display());
                let covers = |one: &tieout_import::bank::CheckedAccount| !one.covers.is_empty();
                assert!(read.accounts.iter().any(covers), "seed {seed} {}", path.display());
                formats.insert(read.format.as_str());
            }
        }
    }
    assert!(formats.len() >= 5, "{formats:?}");
    assert!(records > 100, "{records}");
}
