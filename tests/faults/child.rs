//! The program as a process that can be killed, and must end by itself otherwise.

use std::fs::File;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::{Ended, Site};

/// By far longer than any night of these worlds, with all its waits.
const PATIENCE: Duration = Duration::from_secs(240);

/// The interval at which a child is checked.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// Runs to its end; fails when it hangs. Its output goes to files, so that no pipe fills up.
pub fn run_to_end(site: &Site, command: Command) -> Ended {
    run(site, command, || false).unwrap()
}

/// Runs until it ends, or is killed once `is_time` holds: then the result is `None`.
pub fn run(site: &Site, mut command: Command, is_time: impl Fn() -> bool) -> Option<Ended> {
    let [out, err] = ["stdout.txt", "stderr.txt"].map(|name| site.path().join(name));
    let mut child = command
        .stdout(Stdio::from(File::create(&out).unwrap()))
        .stderr(Stdio::from(File::create(&err).unwrap()))
        .spawn()
        .unwrap();
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        let hangs = began.elapsed() > PATIENCE;
        if hangs || is_time() {
            child.kill().unwrap();
            child.wait().unwrap();
            assert!(!hangs, "the run hangs:\n{}", tail(&std::fs::read_to_string(&err).unwrap()));
            return None;
        }
        std::thread::park_timeout(LOOK_EVERY);
    };
    Some(Ended {
        code: status.code(),
        stdout: std::fs::read_to_string(&out).unwrap(),
        stderr: std::fs::read_to_string(&err).unwrap(),
    })
}

/// The last lines of an output.
pub fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(25)..].join("\n")
}
