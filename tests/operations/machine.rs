//! Faults of a machine during a night: a folder that cannot be written, a file that is not a store.
//! The message is clear, the exit code right, and the next night recovers. Full disks are in
//! `../attacks`.

use crate::harness::{Ended, Served, clean, day};

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let served = Served::new(&clean(92, "2026-11-03", "2026-11-03", 2, 20));
    let site = served.site();
    // A file in the place of a folder refuses everyone, the superuser included.
    std::fs::write(site.path().join("reports"), "").unwrap();
    let ended = site.run_date(day("2026-11-03")).expect(1);
    assert!(ended.stderr.contains("reports"), "{}", ended.stderr);
    std::fs::remove_file(site.path().join("reports")).unwrap();
    site.run_date(day("2026-11-03")).expect(0);
    let site = served.site();
    std::fs::write(site.path().join("store"), "").unwrap();
    let mut command = site.command(&["run", "--date", "2026-11-03", "--db", "store/tieout.db"]);
    let ended = Ended::from(command.output().unwrap()).expect(1);
    assert!(ended.stderr.contains("store/tieout.db"), "{}", ended.stderr);
    assert!(ended.stderr.contains("hint:"), "{}", ended.stderr);
}

#[test]
fn a_file_that_is_no_store_is_refused_and_left_alone() {
    let served = Served::new(&clean(93, "2026-11-03", "2026-11-03", 2, 20));
    let site = served.site();
    let content = "these are not the records that you are looking for".repeat(100);
    std::fs::write(site.store(), &content).unwrap();
    let ended = site.run_date(day("2026-11-03")).expect(1);
    assert!(ended.stderr.contains("tieout.db"), "{}", ended.stderr);
    assert_eq!(std::fs::read_to_string(site.store()).unwrap(), content);
}
