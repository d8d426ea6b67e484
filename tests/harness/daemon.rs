//! `tieout schedule` as a service: it stays up until it is told to end, and says how it does.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// By far longer than any step of these tests.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Sends a signal by its name.
pub fn send(child: &Child, signal: &str) {
    let sent = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

/// Waits until `holds`, or fails with the name of the missed condition.
#[track_caller]
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "{what} does not come true");
        std::thread::yield_now();
    }
}

/// A schedule that is up, and where it answers.
pub struct Scheduled {
    pub child: Child,
    log: std::path::PathBuf,
}

impl Drop for Scheduled {
    fn drop(&mut self) {
        // It has ended already where the test has not failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Scheduled {
    /// Starts the command, which answers on a port of its own choice and logs to `log`.
    pub fn start(mut command: Command, log: std::path::PathBuf) -> Self {
        let to = std::fs::File::create(&log).unwrap();
        let child = command.stdout(Stdio::null()).stderr(to).spawn().unwrap();
        Self { child, log }
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// Its answer on `path`; `None` before it listens.
    pub fn ask(&self, path: &str) -> Option<String> {
        let log = self.log();
        let address = log.split("http://").nth(1)?.split_whitespace().next()?;
        let url = format!("http://{address}{path}");
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { client.get(url).send().await.ok()?.text().await.ok() })
    }

    /// Its own status; null before it listens.
    pub fn status(&self) -> Value {
        self.ask("/status").and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Waits until its status is so, and no run is going on.
    #[track_caller]
    pub fn wait_for(&self, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let (began, mut status) = (Instant::now(), Value::Null);
        loop {
            if status["is_running"] == false && is_so(&status) {
                return status;
            }
            let log = || self.log();
            assert!(began.elapsed() < PATIENCE, "{what} does not come true: {status}\n{}", log());
            std::thread::sleep(Duration::from_millis(20));
            status = self.status();
        }
    }

    /// Waits until it has ended a run, with any result.
    #[track_caller]
    pub fn wait_for_a_run(&self) -> Value {
        self.wait_for("a run", |status| !status["last_run"].is_null())
    }

    pub fn end(mut self, signal: &str) {
        send(&self.child, signal);
        let status = self.child.wait().unwrap();
        if signal == "TERM" {
            assert_eq!(status.code(), Some(0), "{}", self.log());
        }
    }
}

/// The dates of the last run.
pub fn dates_of(status: &Value) -> Vec<&str> {
    let dates = status["last_run"]["dates"].as_array();
    dates.into_iter().flatten().filter_map(|date| date["business_date"].as_str()).collect()
}
