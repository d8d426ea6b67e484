//! A store on a file system that other machines could mount: one process at a time has it, and no
//! memory is shared through a file. bindfs is a real mount under FUSE, which counts as a network; a
//! machine without it says so and proves nothing.
#![cfg(target_os = "linux")]
#![expect(clippy::print_stderr, reason = "a test that proves nothing says so")]

use super::mounts::mounted;
use crate::harness::{Ended, Served, Site, clean, reports};

/// Runs the script in the site's folder, in which `store` is mounted under FUSE; `None` if it
/// cannot be mounted.
fn under_fuse(site: &Site, script: &str) -> Option<Ended> {
    std::fs::create_dir_all(site.path().join("disk")).unwrap();
    std::fs::create_dir_all(site.path().join("store")).unwrap();
    let mount = "bindfs --no-allow-other disk store";
    let probe = mounted(site, mount);
    if probe.code != Some(0) {
        eprintln!("not tested, as bindfs cannot mount here: {}", probe.stderr.trim());
        return None;
    }
    Some(mounted(site, &format!("{mount} || exit 77; {script}")))
}

#[test]
fn a_night_on_a_network_file_system_is_the_night_on_a_disk() {
    let served = Served::new(&clean(16, "2026-11-02", "2026-11-03", 2, 40));
    let local = served.site();
    local.run(&["run", "--date", "2026-11-02..2026-11-03"]).expect(0);
    let site = served.site();
    let script = "export TIEOUT_STORE__PATH=store/tieout.db; \
                  \"$tieout\" run --date 2026-11-02..2026-11-03 -q & run=$!; \
                  while kill -0 $run 2>/dev/null; do ls store; sleep 0.05; done; \
                  wait $run && \"$tieout\" verify reports >&2 && \"$tieout\" doctor >&2 && \
                  \"$tieout\" backup copies/ && ls store";
    let Some(ended) = under_fuse(&site, script) else { return };
    let ended = ended.expect(0);
    assert!(ended.stdout.contains("tieout.db-wal"), "no log was seen: {}", ended.stdout);
    assert!(!ended.stdout.contains("tieout.db-shm"), "shared memory: {}", ended.stdout);
    assert!(ended.stderr.contains("the store lies on FUSE"), "{}", ended.stderr);
    let on_disk = reports::comparable(&local.reports());
    reports::assert_same(&on_disk, &reports::comparable(&site.reports()), "on a network");
}

#[test]
fn one_process_at_a_time_has_a_store_on_a_network_file_system() {
    let served = Served::slow(&clean(17, "2026-11-02", "2026-11-02", 1, 6), 4000);
    let site = served.site();
    // The run is killed, and the next one reads the pages that it had written.
    let script = "export TIEOUT_STORE__PATH=store/tieout.db; \
                  \"$tieout\" run --date 2026-11-02 -q & run=$!; \
                  while ! [ -s store/tieout.db-wal ]; do sleep 0.05; done; \
                  \"$tieout\" status >&2; first=$?; \
                  kill -0 $run; running=$?; kill -9 $run; wait $run; \
                  [ -s store/tieout.db-wal ]; left=$?; \
                  \"$tieout\" status >&2; echo $first $running $left $?";
    let Some(ended) = under_fuse(&site, script) else { return };
    assert_eq!(ended.stdout.trim(), "1 0 0 0", "{}", ended.stderr);
    for part in ["store/tieout.db", "database is locked", "one process at a time"] {
        assert!(ended.stderr.contains(part), "{part}: {}", ended.stderr);
    }
}
