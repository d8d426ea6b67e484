//! The dataset: every row is read back as written, the same store gives the same bytes, an
//! unfinished partition is not part of it, and the partitions of all shards equal those of one
//! store.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]
#![expect(clippy::disallowed_methods, reason = "a test plays the person who writes files by hand")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use crate::harness::{Ended, Served, Site, clean, day, lively};
use crate::nights::shifting;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value;
use tieout_model::digest::sha256_hex;
use tieout_sandbox::{WorldOptions, plant_codes};

type Row = BTreeMap<String, Field>;

fn planted(seed: u64, merchants: u32) -> WorldOptions {
    let plants = plant_codes().into_iter().map(str::to_owned).collect();
    let options = clean(seed, "2026-11-02", "2026-11-08", merchants, 40);
    lively(WorldOptions { plants, ..options })
}

/// A store with the whole world in it.
fn reconciled(served: &Served) -> Site {
    let site = served.site_with_books();
    let ended = site.run_range(day("2026-11-02"), day("2026-11-08"));
    assert!(matches!(ended.code, Some(0 | 4)), "{ended:#?}");
    site
}

fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![dir.to_owned()]);
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(content) = std::fs::read(&path) {
                found.insert(path.strip_prefix(dir).unwrap().to_owned(), content);
            }
        }
    }
    found
}

/// The files that an engine reads: those that do not begin with a dot.
fn visible(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = files(dir);
    found.retain(|path, _| !path.file_name().unwrap().to_str().unwrap().starts_with('.'));
    found
}

fn manifests(dir: &Path) -> Vec<Value> {
    let mut found = visible(dir);
    found.retain(|path, _| path.starts_with("manifests"));
    found.into_values().map(|content| serde_json::from_slice(&content).unwrap()).collect()
}

fn part(dir: &Path, table: &str, date: &str, shard: &str) -> PathBuf {
    dir.join(table).join(format!("business_date={date}/shard={shard}/part.parquet"))
}

fn rows(path: &Path) -> Vec<Row> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap();
    rows.map(|row| row.unwrap().into_columns().into_iter().collect()).collect()
}

/// Every row of a table, of all dates and shards.
fn all_rows(dir: &Path, table: &str) -> Vec<String> {
    let paths = visible(&dir.join(table)).into_keys();
    let each = |path: PathBuf| {
        let date = path.iter().next().unwrap().to_str().unwrap().to_owned();
        let rows = rows(&dir.join(table).join(path));
        rows.into_iter().map(move |row| format!("{date} {row:?}"))
    };
    let mut found: Vec<String> = paths.flat_map(each).collect();
    found.sort();
    found
}

/// Fails unless every file that a manifest names exists with the stated size.
fn are_whole(dir: &Path) {
    for manifest in manifests(dir) {
        let date = manifest["business_date"].as_str().unwrap();
        let shard = manifest["shard"].as_str().unwrap();
        for table in manifest["tables"].as_array().unwrap() {
            let path = part(dir, table["name"].as_str().unwrap(), date, shard);
            let content = std::fs::read(&path).unwrap();
            assert_eq!(table["sha256"], sha256_hex(&content), "{}", path.display());
            assert_eq!(table["bytes"], content.len(), "{}", path.display());
        }
    }
}

#[test]
fn gives_every_row_back_with_its_money_and_its_dates() {
    let served = Served::new(&planted(11, 4));
    let site = reconciled(&served);
    site.run(&["export", "--to", "lake"]).expect(0);
    let lake = site.path().join("lake");
    are_whole(&lake);
    for manifest in manifests(&lake) {
        let date = manifest["business_date"].as_str().unwrap();
        for table in manifest["tables"].as_array().unwrap() {
            let name = table["name"].as_str().unwrap();
            let rows = rows(&part(&lake, name, date, "1-of-1"));
            assert_eq!(table["rows"], rows.len(), "{name} of {date}");
            let mut sums: BTreeMap<(String, String), i64> = BTreeMap::new();
            for row in &rows {
                let currency = match row.get("currency") {
                    Some(Field::Str(code)) => code.clone(),
                    _ => String::new(),
                };
                for (column, field) in row {
                    if let (true, Field::Long(amount)) = (column.ends_with("_minor"), field) {
                        *sums.entry((currency.clone(), column.clone())).or_default() += amount;
                    }
                }
            }
            for sum in table["sums"].as_array().unwrap() {
                let text = |name: &str| sum[name].as_str().unwrap().to_owned();
                let found = sums.remove(&(text("currency"), text("column")));
                assert_eq!(sum["total_minor"].as_i64(), found, "{name} of {date}: {sum}");
            }
            assert!(sums.is_empty(), "{name} of {date}: {sums:?}");
        }
    }
    let deposits = rows(&part(&lake, "deposit_verdicts", "2026-11-04", "1-of-1"));
    assert!(!deposits.is_empty());
    for row in deposits {
        assert!(matches!(row["association_date"], Field::Date(_)), "{row:?}");
        assert!(matches!(row["currency_exponent"], Field::Int(_) | Field::Null), "{row:?}");
    }
    // As many as the report of the date shows.
    let csv = std::fs::read_to_string(site.reports().join("2026-11-06/discrepancies.csv")).unwrap();
    let shown = csv::Reader::from_reader(csv.as_bytes()).records().count();
    let exported = rows(&part(&lake, "discrepancies", "2026-11-06", "1-of-1"));
    assert!(shown > 0);
    assert_eq!(exported.len(), shown);
}

#[test]
fn the_same_store_gives_the_same_bytes_and_a_date_again_replaces_its_partition() {
    let served = Served::new(&planted(12, 4));
    let site = reconciled(&served);
    site.run(&["export", "--to", "one"]).expect(0);
    site.run(&["export", "--to", "two"]).expect(0);
    let (one, two) = (site.path().join("one"), site.path().join("two"));
    assert!(files(&one) == files(&two));
    // A damaged partition is written again.
    let damaged = part(&one, "deposits", "2026-11-04", "1-of-1");
    std::fs::write(&damaged, "").unwrap();
    site.run(&["export", "--to", "one", "--date", "2026-11-04"]).expect(0);
    assert!(files(&one) == files(&two));
    let never = site.run(&["export", "--to", "one", "--date", "2026-10-02"]).expect(1);
    assert!(never.stderr.contains("2026-10-02 was never reconciled"), "{}", never.stderr);
}

#[test]
fn the_partitions_of_all_shards_are_together_those_of_one_store() {
    // Pairs are numbered within a store; each shard reads the listings of other dates for itself.
    const TABLES: [&str; 17] = [
        "discrepancies",
        "deposit_verdicts",
        "batch_verdicts",
        "in_transit",
        "summary",
        "deposits",
        "batches",
        "authorizations",
        "fees",
        "bank_transfers",
        "settled_transfers",
        "transfer_returns",
        "ledger_records",
        "bank_lines",
        "disputes",
        "merchants",
        "terminals",
    ];
    let options = WorldOptions { kinds: Vec::new(), ..planted(13, 6) };
    let served = Served::new(&options);
    let site = reconciled(&served);
    site.run(&["export", "--to", "whole"]).expect(0);
    for shard in ["1/3", "2/3", "3/3"] {
        let store = format!("shard-{}.db", &shard[..1]);
        let ended = site.run(&[
            "run",
            "--date",
            "2026-11-02..2026-11-08",
            "--shard",
            shard,
            "--db",
            &store,
            "--out",
            "parts",
        ]);
        assert!(matches!(ended.code, Some(0 | 4)), "{ended:#?}");
        site.run(&["export", "--to", "shards", "--db", &store]).expect(0);
    }
    let (whole, shards) = (site.path().join("whole"), site.path().join("shards"));
    are_whole(&shards);
    let of_a_day = |manifest: &&Value| manifest["business_date"].as_str() == Some("2026-11-06");
    let count = manifests(&shards).iter().filter(of_a_day).count();
    assert_eq!(count, 3);
    for table in TABLES {
        let since = |rows: Vec<String>| -> Vec<String> {
            rows.into_iter().filter(|row| row.as_str() >= "business_date=2026-11-02").collect()
        };
        let (expected, found) = (since(all_rows(&whole, table)), since(all_rows(&shards, table)));
        assert!(!expected.is_empty() || table == "disputes", "{table}");
        let differs = expected.iter().zip(&found).find(|(expected, found)| expected != found);
        assert_eq!(differs, None, "{table}");
        assert_eq!(expected.len(), found.len(), "{table}");
    }
    // Both in one dataset would count twice.
    let refused = site.run(&["export", "--to", "shards", "--db", "tieout.db"]).expect(2);
    assert!(refused.stderr.contains("would count twice"), "{}", refused.stderr);
}

#[test]
fn a_killed_export_leaves_whole_partitions_alone() {
    let served = Served::new(&planted(14, 4));
    let site = reconciled(&served);
    site.run(&["export", "--to", "whole"]).expect(0);
    let whole = visible(&site.path().join("whole"));
    for wanted in [1, 3, 6] {
        let lake = site.path().join(format!("lake-{wanted}"));
        let mut child = site.command(&["export", "--to", lake.to_str().unwrap()]).spawn().unwrap();
        while visible(&lake.join("manifests")).len() < wanted && child.try_wait().unwrap().is_none()
        {
            std::thread::yield_now();
        }
        let _ = child.kill();
        child.wait().unwrap();
        are_whole(&lake);
        // The next export writes the missing partitions.
        site.run(&["export", "--to", lake.to_str().unwrap()]).expect(0);
        assert!(visible(&lake) == whole, "after a kill at {wanted}");
    }
}

#[test]
fn names_what_it_cannot_write_into() {
    let served = Served::new(&clean(15, "2026-11-02", "2026-11-03", 1, 20));
    let site = served.site_with_books();
    let nothing = site.run(&["export", "--to", "lake"]);
    assert_ne!(nothing.code, Some(0));
    site.run_range(day("2026-11-02"), day("2026-11-03")).expect(0);
    let nowhere = site.run(&["export"]).expect(2);
    assert!(nowhere.stderr.contains("--to"), "{}", nowhere.stderr);
    site.run(&["export", "--to", "lake"]).expect(0);
    // A dataset of another version.
    let path = "lake/manifests/business_date=2026-11-03/shard=1-of-1/manifest.json";
    let manifest = std::fs::read_to_string(site.path().join(path)).unwrap();
    let other = manifest.replace("\"dataset_version\":1", "\"dataset_version\":7");
    std::fs::write(site.path().join(path), other).unwrap();
    let refused = site.run(&["export", "--to", "lake"]).expect(2);
    assert!(refused.stderr.contains("version 7 of the dataset"), "{}", refused.stderr);
    std::fs::write(site.path().join(path), "half").unwrap();
    let refused = site.run(&["export", "--to", "lake"]).expect(2);
    assert!(refused.stderr.contains("is not a manifest"), "{}", refused.stderr);
    // Two at once.
    let lock = File::options().write(true).open(site.path().join("lake/.lock-1-of-1")).unwrap();
    lock.lock().unwrap();
    let held = site.run(&["export", "--to", "lake"]).expect(6);
    assert!(held.stderr.contains("another export holds the lock"), "{}", held.stderr);
}

fn run_with_lake(site: &Site, date: &str, lake: &str) -> Ended {
    let mut command = site.command(&["run", "--date", date]);
    Ended::from(command.env("TIEOUT_EXPORT__DIR", site.path().join(lake)).output().unwrap())
}

#[test]
fn every_run_brings_the_dataset_up_to_date_also_of_earlier_days_that_have_changed() {
    let served = Served::new(&clean(16, "2026-11-02", "2026-11-06", 2, 20));
    let shifting = shifting::Shifting::new(&served);
    let site = shifting.site_with_books(&served);
    for date in ["2026-11-02", "2026-11-03", "2026-11-04"] {
        run_with_lake(&site, date, "lake").expect(0);
    }
    let lake = site.path().join("lake");
    let before = visible(&lake);
    let path = part(&lake, "batches", "2026-11-03", "1-of-1");
    let Field::Long(batch_id) = rows(&path)[0]["batch_id"] else { panic!("no batch") };
    let name = ("batches".to_owned(), batch_id.to_string());
    shifting.shift.lock().unwrap().more.insert(name, 100);
    let ended = run_with_lake(&site, "2026-11-05", "lake");
    assert!(matches!(ended.code, Some(0 | 4)), "{ended:#?}");
    let after = visible(&lake);
    let changed: BTreeSet<&str> = after
        .iter()
        .filter(|(path, content)| before.get(*path) != Some(content))
        .map(|(path, _)| path.iter().nth(1).unwrap().to_str().unwrap())
        .collect();
    assert!(changed.contains("business_date=2026-11-03"), "{changed:?}");
    assert!(changed.contains("business_date=2026-11-05"), "{changed:?}");
    are_whole(&lake);
    // Together they equal an export of all dates.
    site.run(&["export", "--to", "anew"]).expect(0);
    let anew = visible(&site.path().join("anew"));
    let of_results: Vec<_> = anew
        .iter()
        .filter(|(path, content)| after.get(*path) != Some(content))
        .map(|(path, _)| path.display().to_string())
        .collect();
    assert!(of_results.is_empty(), "{of_results:#?}");
}

#[test]
fn a_dataset_that_cannot_be_written_makes_the_run_partial_and_undoes_nothing() {
    let served = Served::new(&clean(17, "2026-11-02", "2026-11-03", 1, 20));
    let site = served.site_with_books();
    std::fs::write(site.path().join("lake"), "a file is in the way").unwrap();
    let ended = run_with_lake(&site, "2026-11-02", "lake").expect(4);
    assert!(ended.stderr.contains("was not written"), "{}", ended.stderr);
    assert!(site.reports().join("2026-11-02/run.json").exists());
}

#[test]
fn a_day_that_has_changed_elsewhere_keeps_its_authorizations_as_they_are() {
    let served = Served::new(&clean(19, "2026-11-02", "2026-11-06", 2, 20));
    let shifting = shifting::Shifting::new(&served);
    let site = shifting.site_with_books(&served);
    for date in ["2026-11-02", "2026-11-03"] {
        run_with_lake(&site, date, "lake").expect(0);
    }
    let lake = site.path().join("lake");
    let of = |table: &str| part(&lake, table, "2026-11-03", "1-of-1");
    let written = |path: &Path| std::fs::metadata(path).unwrap().modified().unwrap();
    let before = [written(&of("authorizations")), written(&of("deposits"))];
    let deposits = rows(&of("deposits"));
    let Field::Long(deposit_id) = deposits[0]["ach_deposit_id"] else { panic!("no deposit") };
    let name = ("ach-deposits".to_owned(), deposit_id.to_string());
    shifting.shift.lock().unwrap().more.insert(name, 100);
    let ended = run_with_lake(&site, "2026-11-04", "lake");
    assert!(matches!(ended.code, Some(0 | 4)), "{ended:#?}");
    assert_eq!(written(&of("authorizations")), before[0]);
    assert!(written(&of("deposits")) > before[1]);
    are_whole(&lake);
    site.run(&["export", "--to", "anew"]).expect(0);
    let (found, anew) = (visible(&lake), visible(&site.path().join("anew")));
    let odd: Vec<_> = anew.iter().filter(|(path, bytes)| found.get(*path) != Some(bytes)).collect();
    assert!(odd.is_empty(), "{:?}", odd.iter().map(|(path, _)| path).collect::<Vec<_>>());
    // A truncated file is written again.
    std::fs::write(of("authorizations"), "").unwrap();
    shifting.shift.lock().unwrap().more.clear();
    let ended = run_with_lake(&site, "2026-11-05", "lake");
    assert!(matches!(ended.code, Some(0 | 4)), "{ended:#?}");
    are_whole(&lake);
}
