//! What ran in several shards and was merged is what ran in one, byte for byte.
//!
//! `TIEOUT_SHARDS=1..40 cargo test --test nights shards` tries more worlds.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use tieout::sandbox::{WorldOptions, plant_codes};

use crate::harness::{Served, Site, clean, reports};

/// Numbers of shards, by turns.
const COUNTS: [u32; 5] = [2, 3, 1, 5, 4];

fn seeds(default: &str) -> Vec<u64> {
    let text = std::env::var("TIEOUT_SHARDS").unwrap_or_else(|_| default.to_owned());
    let (first, last) = text.split_once("..").unwrap_or((&text, &text));
    (first.parse().unwrap()..=last.parse().unwrap()).collect()
}

fn all_planted(seed: u64, merchants: u32) -> WorldOptions {
    let plants = plant_codes().into_iter().map(str::to_owned).collect();
    WorldOptions { plants, ..clean(seed, "2026-11-02", "2026-11-08", merchants, 40) }
}

fn store(site: &Site, shard: u32) -> PathBuf {
    site.path().join(format!("shard-{shard}.db"))
}

/// Runs a command in every shard.
fn in_shards(site: &Site, count: u32, arguments: &[&str]) {
    for shard in 1..=count {
        let (name, store) = (format!("{shard}/{count}"), store(site, shard));
        let mut all = arguments.to_vec();
        all.extend(["--shard", &name, "--db", store.to_str().unwrap(), "--out", "parts"]);
        site.run(&all).expect(0);
    }
}

fn merge(site: &Site, count: u32) {
    let stores: Vec<PathBuf> = (1..=count).map(|shard| store(site, shard)).collect();
    let mut arguments = vec!["merge", "--out", "reports"];
    // The order in which they are named does not count.
    arguments.extend(stores.iter().rev().map(|path| path.to_str().unwrap()));
    site.run(&arguments).expect(0);
}

/// All files but the manifests.
fn tables(site: &Site) -> reports::Files {
    let mut files = reports::files(&site.reports());
    files.retain(|name, _| !name.ends_with("run.json"));
    files
}

/// What the manifests say of results: all but when it ran, how the listings were read, and how
/// much was received (a date beside the run's own is read for those alone that need it). The
/// digest of the results covers every row that the stores keep.
fn manifests(served: &Served, site: &Site) -> BTreeMap<String, Value> {
    let of = |date| {
        let mut record = reports::manifest(&site.reports(), date);
        for key in ["started", "ended", "stages", "records"] {
            record.as_object_mut().unwrap().remove(key);
        }
        // Dates beside the run's own are read by the shards that need them.
        let listings = record["listings"].as_array_mut().unwrap();
        listings.retain(|listing| listing["date"] == date.to_string());
        for listing in listings {
            for key in ["pages", "bytes", "digest"] {
                listing.as_object_mut().unwrap().remove(key);
            }
        }
        record
    };
    served.dates().into_iter().map(|date| (date.to_string(), of(date))).collect()
}

#[track_caller]
fn assert_same(served: &Served, whole: &Site, merged: &Site, about: &str) {
    let (expected, found) = (manifests(served, whole), manifests(served, merged));
    let incomplete = |record: &Value| -> Vec<Value> {
        let listings = record["listings"].as_array().unwrap().iter();
        listings.filter(|listing| listing["verdict"] != "complete").cloned().collect()
    };
    for (date, record) in &found {
        assert_eq!(incomplete(&expected[date]), incomplete(record), "{about}, {date}");
    }
    reports::assert_same(&tables(whole), &tables(merged), about);
    for (date, expected) in &expected {
        assert_eq!(expected.as_object().unwrap().len(), found[date].as_object().unwrap().len());
        for (key, expected) in expected.as_object().unwrap() {
            let (expected, found) = (lines(expected), lines(&found[date][key]));
            let only = |left: &[String], right: &[String]| -> Vec<String> {
                left.iter().filter(|line| !right.contains(line)).cloned().collect()
            };
            let (lost, more) = (only(&expected, &found), only(&found, &expected));
            assert_eq!(expected, found, "{about}, {date}, {key}: {lost:#?} and {more:#?}");
        }
    }
}

/// A value as lines: of a list each element.
fn lines(value: &Value) -> Vec<String> {
    match value {
        Value::Array(elements) => elements.iter().map(ToString::to_string).collect(),
        _ => vec![value.to_string()],
    }
}

#[test]
fn what_ran_in_shards_is_what_ran_in_one() {
    for seed in seeds("1..3") {
        let count = COUNTS[usize::try_from(seed).unwrap() % COUNTS.len()];
        let options = all_planted(seed, 4 + u32::try_from(seed % 5).unwrap());
        let served = match seed % 2 {
            0 => Served::new(&options),
            _ => Served::linked(&options),
        };
        let (whole, shards) = (served.site_with_books(), served.site_with_books());
        let range = format!("{}..{}", options.from, options.to);
        whole.run_range(options.from, options.to).expect(0);
        if seed % 3 == 0 {
            for date in served.dates() {
                in_shards(&shards, count, &["run", "--date", &date.to_string()]);
            }
        } else {
            in_shards(&shards, count, &["run", "--date", &range]);
        }
        merge(&shards, count);
        assert_same(&served, &whole, &shards, &format!("seed {seed}, {count} shards"));
    }
}
