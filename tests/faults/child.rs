//! The program as a process that can be killed, and must end by itself otherwise.

use std::fs::File;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::{Ended, Site};

/// No night of these worlds takes longer, by far, not even with all its waits.
const PATIENCE: Duration = Duration::from_secs(240);

/// How often a child is looked after.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// Runs to its end; fails when it hangs. What it says goes to files, so that no pipe fills up.
pub fn run_to_end(site: &Site, mut command: Command) -> Ended {
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
        if began.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the run hangs:\n{}", tail(&std::fs::read_to_string(&err).unwrap()));
        }
        std::thread::park_timeout(LOOK_EVERY);
    };
    Ended {
        code: status.code(),
        stdout: std::fs::read_to_string(&out).unwrap(),
        stderr: std::fs::read_to_string(&err).unwrap(),
    }
}

/// Starts the command and kills it once `is_time` holds, unless it ends before.
pub fn kill_when(mut command: Command, is_time: impl Fn() -> bool) {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    while !is_time() && child.try_wait().unwrap().is_none() {
        assert!(began.elapsed() < PATIENCE, "the run hangs before it is killed");
        std::thread::park_timeout(LOOK_EVERY);
    }
    // It may have ended between the two looks.
    let _ = child.kill();
    child.wait().unwrap();
}

/// The last lines of what was said.
pub fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(25)..].join("\n")
}
