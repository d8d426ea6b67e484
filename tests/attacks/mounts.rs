//! File systems that are read-only or full, as real mounts in a private namespace: each command
//! names the file, the cause and the remedy, and with free space the next run is whole. A machine
//! where the tests may not mount says so and proves nothing.
#![cfg(target_os = "linux")]
#![expect(clippy::print_stderr, reason = "a test that proves nothing says so")]

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use crate::harness::{Ended, Served, Site, clean};

/// A folder of the store alone, and one of the reports alone.
const RUN: [&str; 7] =
    ["run", "--date", "2026-11-02", "--db", "store/tieout.db", "--out", "reports"];

/// Runs the script in the site's folder; `$tieout` is the program. Its mounts end with it.
pub fn mounted(site: &Site, script: &str) -> Ended {
    let program = site.command(&[]);
    let mut shell = Command::new("unshare");
    shell.args(["-m", "sh", "-c", script]).current_dir(site.path());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.env("tieout", program.get_program());
    shell.output().map_or_else(
        |error| Ended { code: None, stdout: String::new(), stderr: error.to_string() },
        Ended::from,
    )
}

/// A world with a site that has its folders; `None` where mounting is not possible.
fn served() -> Option<(Served, Site)> {
    let served = Served::new(&clean(14, "2026-11-02", "2026-11-02", 1, 40));
    let site = served.site();
    for folder in ["store", "reports"] {
        std::fs::create_dir(site.path().join(folder)).unwrap();
    }
    let probe = mounted(&site, "mount -t tmpfs -o size=64k none store && mount --bind . .");
    if probe.code != Some(0) {
        eprintln!("not tested, as nothing can be mounted here: {}", probe.stderr.trim());
        return None;
    }
    Some((served, site))
}

fn read_only(site: &Site, folder: &str, arguments: &[&str]) -> Ended {
    let script = format!(
        "mount --bind {folder} {folder} && mount -o remount,bind,ro {folder} && exec \"$tieout\" {}",
        arguments.join(" ")
    );
    mounted(site, &script)
}

fn assert_says(ended: &Ended, about: &str, parts: &[&str]) {
    for part in parts {
        assert!(ended.stderr.contains(part), "{about}: no \"{part}\" in\n{}", ended.stderr);
    }
    let hints = ended.stderr.lines().filter(|line| line.starts_with("hint: ")).count();
    assert_eq!(hints, 1, "{about}: {}", ended.stderr);
}

#[test]
fn a_read_only_file_system_under_the_store_is_named() {
    let Some((_served, site)) = served() else { return };
    let first = read_only(&site, "store", &RUN).expect(1);
    assert_says(&first, "a first run", &["store/tieout.db", "Read-only file system", "read-only"]);
    site.run(&RUN).expect(0);
    let store = ["--db", "store/tieout.db"];
    for command in [
        &RUN[..],
        &["status"],
        &["verify", "reports"],
        &["backup", "copy.db"],
        &["close", "2026-11-02", "--by", "Anna"],
        &["prune", "--older-than", "2026-11-01", "--by", "Anna"],
    ] {
        let arguments = [command, if command == RUN { &[] } else { &store }].concat();
        let ended = read_only(&site, "store", &arguments).expect(1);
        assert_says(&ended, command[0], &["store/tieout.db", "read-only", "for writing"]);
    }
    site.run(&RUN).expect(0);
    site.run(&["verify", "reports", "--db", "store/tieout.db"]).expect(0);
}

#[test]
fn a_read_only_file_system_under_the_reports_is_named() {
    let Some((_served, site)) = served() else { return };
    let first = read_only(&site, "reports", &RUN).expect(1);
    assert_says(&first, "a first run", &["reports/", "Read-only file system", "read-only"]);
    site.run(&RUN).expect(0);
    let again = read_only(&site, "reports", &RUN).expect(1);
    assert_says(&again, "a run", &["reports/", "Read-only file system", "read-only"]);
    let close = ["close", "2026-11-02", "--by", "Anna", "--db", "store/tieout.db"];
    let closed = read_only(&site, "reports", &close).expect(1);
    let report = "tieout report --date 2026-11-02";
    assert_says(&closed, "close", &["the decision is in the audit trail", "read-only", report]);
    site.run(&["report", "--date", "2026-11-02", "--db", "store/tieout.db"]).expect(0);
    site.run(&["verify", "reports", "--db", "store/tieout.db"]).expect(0);
}

#[test]
fn a_backup_onto_a_full_disk_leaves_nothing_and_can_be_made_again() {
    let Some((_served, site)) = served() else { return };
    site.run(&RUN).expect(0);
    let script = "mount -t tmpfs -o size=200k none reports && cd reports || exit 77; \
                  \"$tieout\" backup copy.db --config ../tieout.toml --db ../store/tieout.db >&2; \
                  first=$?; ls -A | wc -l; mount -o remount,size=64m ../reports; \
                  \"$tieout\" backup copy.db --config ../tieout.toml --db ../store/tieout.db >&2; \
                  echo $first $?";
    let ended = mounted(&site, script).expect(0);
    assert_eq!(ended.stdout.split_whitespace().collect::<Vec<_>>(), ["0", "1", "0"], "{ended:?}");
    assert_says(&ended, "backup", &["copy.db.unfinished", "make room"]);
}

/// A run with `folder` on a disk of so many KiB, and one more after the disk has grown.
fn with_room(site: &Site, folder: &str, kib: u32) -> (Ended, String) {
    let mut script =
        format!("mount -t tmpfs -o size={kib}k none {folder} || exit 77; \"$tieout\" ");
    let run = RUN.join(" ");
    write!(
        script,
        "{run} >&2; first=$?; mount -o remount,size=64m {folder}; \
         \"$tieout\" {run} >&2 2>second.log; second=$?; \
         \"$tieout\" verify reports --db store/tieout.db >&2; echo $first $second $?"
    )
    .unwrap();
    let ended = mounted(site, &script).expect(0);
    let codes = ended.stdout.trim().to_owned();
    (ended, codes)
}

#[test]
fn a_full_disk_is_named_and_the_next_run_is_whole() {
    let mut full = 0;
    for (folder, sizes) in [("store", &[16, 100, 700, 1400][..]), ("reports", &[8, 48][..])] {
        for &kib in sizes {
            let Some((_served, site)) = served() else { return };
            let (ended, codes) = with_room(&site, folder, kib);
            if codes == "0 0 0" {
                continue;
            }
            full += 1;
            let about = format!("{folder} of {kib} KiB");
            assert_eq!(codes, "1 0 0", "{about}: {}", ended.stderr);
            let named = if folder == "store" { "store/tieout.db" } else { "reports/" };
            // Without space for the index beside the store, SQLite reports no more than that.
            let is_index = ended.stderr.contains("disk I/O error");
            let remedy = if is_index { "its free space" } else { "make room" };
            assert_says(&ended, &about, &[named, remedy]);
        }
    }
    assert!(full >= 4, "the disk was full {full} times");
}

/// The partitions of a dataset whose manifest names a file that is absent or of another size, and
/// the number of whole partitions.
fn partitions(dir: &Path) -> (Vec<String>, usize) {
    let (mut broken, mut whole) = (Vec::new(), 0);
    for date in std::fs::read_dir(dir.join("manifests")).into_iter().flatten() {
        let date = date.unwrap().file_name().into_string().unwrap();
        let part = |table: &str| dir.join(table).join(&date).join("shard=1-of-1");
        let Ok(manifest) = std::fs::read(part("manifests").join("manifest.json")) else { continue };
        let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
        let is_there = |table: &serde_json::Value| {
            let path = part(table["name"].as_str().unwrap()).join("part.parquet");
            std::fs::metadata(path).is_ok_and(|file| Some(file.len()) == table["bytes"].as_u64())
        };
        if manifest["tables"].as_array().unwrap().iter().all(is_there) {
            whole += 1;
        } else {
            broken.push(date);
        }
    }
    (broken, whole)
}

#[test]
fn a_dataset_on_a_full_disk_is_named_and_whole_once_there_is_room() {
    let Some((_served, site)) = served() else { return };
    site.run(&RUN).expect(0);
    let export = "\"$tieout\" export --to reports/lake --db store/tieout.db >&2";
    let script = format!(
        "mount -t tmpfs -o size=600k none reports || exit 77; {export}; first=$?; \
         cp -r reports/lake begun; mount -o remount,size=64m reports; {export}; second=$?; \
         cp -r reports/lake whole; \
         head -c 64m /dev/zero > reports/fill 2> /dev/null; {export}; third=$?; \
         cp -r reports/lake kept; echo $first $second $third"
    );
    let ended = mounted(&site, &script).expect(0);
    assert_eq!(ended.stdout.trim(), "1 0 1", "{}", ended.stderr);
    for part in ["cannot write reports/lake/", "No space left", "hint: make room"] {
        assert_eq!(ended.stderr.matches(part).count(), 2, "{part}: {}", ended.stderr);
    }
    let [begun, whole, kept] = ["begun", "whole", "kept"].map(|name| site.path().join(name));
    let every = partitions(&whole).1;
    assert_eq!(partitions(&whole).0, Vec::<String>::new());
    let (broken, there) = partitions(&begun);
    assert!(broken.is_empty() && there < every, "{broken:?} {there}");
    // No space to replace a file: the existing files stay.
    assert_eq!(partitions(&kept), (Vec::new(), every));
}
