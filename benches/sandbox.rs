//! How many pages a second the sandbox serves, with the client on the same cores, and what a
//! million authorizations cost in memory. `cargo bench --bench sandbox [-- AUTHORIZATIONS]`
//! Pages for each second of processor time hold on a busy machine too.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark speaks and fails loudly"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tieout_sandbox::{API_KEY, ServeOptions, World, WorldOptions, serve};

const CLIENTS: usize = 16;
const SECONDS: u64 = 5;

fn main() {
    let authorizations = std::env::args().find_map(|argument| argument.parse().ok());
    let authorizations: u32 = authorizations.unwrap_or(1_000_000);
    let started = Instant::now();
    let (world, _) = World::generate(&WorldOptions {
        seed: 1,
        from: "2026-11-02".parse().unwrap(),
        to: "2026-11-06".parse().unwrap(),
        merchants: 200,
        // The world begins ten days before its first date.
        transactions_per_day: authorizations / 15,
        plants: Vec::new(),
        kinds: Vec::new(),
        lateness: None,
    })
    .unwrap();
    println!(
        "world of {authorizations} authorizations: {:.1} s, {} MiB resident",
        started.elapsed().as_secs_f64(),
        resident_mib()
    );
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(measure(Arc::new(world)));
    println!("after serving: {} MiB resident", resident_mib());
}

async fn measure(world: Arc<World>) {
    let sandbox = serve(world, ServeOptions::default()).await.unwrap();
    let base = sandbox.base_url();
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let key = http.post(format!("{base}/authorize")).header("x-api-key", API_KEY);
    let answer = key.send().await.unwrap().text().await.unwrap();
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    let token = answer["access_token"].as_str().unwrap().to_owned();
    for (name, path) in [
        ("authorizations, 100 a page", "/v1/authorizations?limit=100"),
        ("authorizations, 10 a page", "/v1/authorizations?limit=10"),
        ("batches, 100 a page", "/v1/batches?limit=100"),
    ] {
        let (pages, bytes) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let (until, spent) = (Instant::now() + Duration::from_secs(SECONDS), processor_ms());
        let mut clients = tokio::task::JoinSet::new();
        for client in 0..CLIENTS {
            let (http, token) = (http.clone(), token.clone());
            let (pages, bytes) = (Arc::clone(&pages), Arc::clone(&bytes));
            let list = format!("{base}{path}&date=2026-11-{:02}", 2 + client % 5);
            clients.spawn(async move {
                let mut after = String::new();
                while Instant::now() < until {
                    let url = format!("{list}{after}");
                    let page = http.get(url).bearer_auth(&token).send().await.unwrap();
                    assert_eq!(page.status(), 200);
                    let page = page.bytes().await.unwrap();
                    pages.fetch_add(1, Ordering::Relaxed);
                    bytes.fetch_add(page.len() as u64, Ordering::Relaxed);
                    after = next(&page).unwrap_or_default();
                }
            });
        }
        clients.join_all().await;
        let (pages, bytes) = (pages.load(Ordering::Relaxed), bytes.load(Ordering::Relaxed));
        let spent = (processor_ms() - spent).max(1);
        println!(
            "{name}: {} pages/s, {} MB/s; {} pages for each second of a core",
            pages / SECONDS,
            bytes / SECONDS / 1_000_000,
            pages * 1_000 / spent
        );
    }
    sandbox.stop().await;
}

/// The cursor of the next page: without reading all of it, which is not what is measured.
fn next(page: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(page).ok()?;
    let start = text.find("?after=")?;
    let end = text[start..].find('&')? + start;
    Some(format!("&{}", &text[start + 1..end]))
}

/// Processor time of this process, client and server, from the kernel.
fn processor_ms() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let times = after_name.split_whitespace().skip(11).take(2);
    // In hundredths of a second, everywhere that this file exists.
    times.filter_map(|ticks| ticks.parse::<u64>().ok()).sum::<u64>() * 10
}

/// Memory in use, from the kernel; zero where it does not say.
fn resident_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) / 1_024
}
