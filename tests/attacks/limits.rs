//! A machine with too few resources: the program ends by itself, names its operation and the
//! refused resource, and the next run is whole.
#![cfg(unix)]

use std::process::{Command, Stdio};

use crate::harness::{Ended, Served, Site, clean, day};

/// The program under a limit of the shell.
fn limited(site: &Site, limit: &str, arguments: &[&str]) -> Ended {
    let program = site.command(arguments);
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &format!("{limit}; exec \"$0\" \"$@\"")])
        .arg(program.get_program())
        .args(program.get_args())
        .current_dir(site.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    Ended::from(shell.output().unwrap())
}

fn served() -> (Served, Site) {
    let served = Served::new(&clean(13, "2026-11-02", "2026-11-02", 1, 3));
    let site = served.site();
    (served, site)
}

#[test]
fn a_limit_of_the_size_of_files_is_an_error_and_no_death() {
    let (_served, site) = served();
    // Blocks of 512 bytes, or of 1,024 in some shells.
    for blocks in [0, 1, 100, 1000, 1500] {
        let command = format!("ulimit -f {blocks}");
        let ended = limited(&site, &command, &["run", "--date", "2026-11-02"]).expect(1);
        for part in ["tieout.db", "hint: ", "limit of the size of files (ulimit -f)"] {
            assert!(ended.stderr.contains(part), "{blocks} blocks: {part}: {}", ended.stderr);
        }
    }
    site.run_date(day("2026-11-02")).expect(0);
    site.run(&["verify", "reports"]).expect(0);
}

#[test]
fn a_limit_of_open_files_is_named() {
    let (_served, site) = served();
    for limit in [8, 10, 12, 16] {
        let command = format!("ulimit -n {limit}");
        let ended = limited(&site, &command, &["run", "--date", "2026-11-02"]);
        if ended.code == Some(0) {
            continue;
        }
        assert!(matches!(ended.code, Some(1 | 4)), "{limit}: {ended:?}");
        assert!(ended.stderr.contains("limit of open files"), "{limit}: {}", ended.stderr);
    }
    site.run_date(day("2026-11-02")).expect(0);
    site.run(&["verify", "reports"]).expect(0);
}

#[test]
fn dates_before_1970_are_refused_at_the_door() {
    let (_served, site) = served();
    for date in ["1969-12-31", "0001-01-01", "1969-12", "1969-12-31..1970-01-02"] {
        let ended = site.run(&["run", "--date", date]).expect(2);
        assert!(ended.stderr.contains("is before 1970"), "{date}: {}", ended.stderr);
    }
    site.run(&["run", "--date", "10000-01-01"]).expect(2);
    assert!(!site.store().exists());
}
