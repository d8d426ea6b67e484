//! What a machine can do to a night: a disk without room, a folder that cannot be written. The
//! message is clear, the exit code right, and the next night makes up for it.

use std::process::Command;

use crate::harness::{Ended, Served, Site, clean, day, reports};

/// The same command under a limit for the size of any file, as a full disk would have it: a
/// write beyond it fails.
fn with_little_room(site: &Site, blocks: u32) -> Command {
    let program = env!("CARGO_BIN_EXE_tieout");
    let script = format!(
        "trap '' XFSZ; ulimit -f {blocks}; exec {program} run --date 2026-11-03..2026-11-04"
    );
    let mut command = site.command(&[]);
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(site.path());
    for (name, value) in command.envs(std::iter::empty::<(&str, &str)>()).get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    shell
}

#[test]
fn a_full_disk_ends_with_one_and_the_next_run_makes_up_for_it() {
    let served = Served::new(&clean(91, "2026-11-03", "2026-11-04", 3, 200));
    let undisturbed = served.site();
    undisturbed.run_range(day("2026-11-03"), day("2026-11-04")).expect(0);
    let whole = reports::comparable_however_fetched(&undisturbed.reports());
    for blocks in [8, 200, 600, 1200] {
        let site = served.site();
        let ended = Ended::from(with_little_room(&site, blocks).output().unwrap());
        let about = format!("{blocks} blocks: {:?}\n{}", ended.code, ended.stderr);
        assert!(matches!(ended.code, Some(1 | 4)), "{about}");
        assert!(ended.stderr.contains("error"), "{about}");
        assert!(!ended.stderr.contains("panicked"), "{about}");
        for (name, content) in reports::files(&site.reports()) {
            assert!(
                name.ends_with("run.json") || undisturbed_has(&undisturbed, &name, &content),
                "{about}: {name}"
            );
        }
        site.run_range(day("2026-11-03"), day("2026-11-04")).expect(0);
        let files = reports::comparable_however_fetched(&site.reports());
        reports::assert_same(&whole, &files, &about);
    }
}

fn undisturbed_has(site: &Site, name: &str, content: &[u8]) -> bool {
    reports::files(&site.reports()).get(name).is_some_and(|expected| expected == content)
}

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
