//! What a person at a terminal sees of a fetch: a line of what is done in all, and a bar for
//! each listing that takes more than a moment. Nothing is drawn unless [`show`] was called;
//! never anything but names of listings and numbers.

use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use tieout_model::Listing;

/// A listing has a bar of its own from this page on: most have one page and would flicker.
const PAGES_BEFORE_A_BAR: u64 = 3;

/// How often a bar that waits for an answer is drawn again.
const TICK: Duration = Duration::from_millis(200);

/// Bars that fit on a small screen; the listings beyond them count in the first line alone.
const BARS_AT_ONCE: usize = 12;

const OVERALL: &str = "{spinner} {elapsed_precise} listings {pos} of {len} asked for so far";
const OF_MANY: &str = "{prefix} [{bar:24}] {pos} of {len} records, {msg}, {per_sec}, {eta} left";
const OF_UNKNOWN: &str = "{spinner} {prefix} {pos} records, {msg}, {per_sec}";

static BARS: OnceLock<MultiProgress> = OnceLock::new();

/// Bars of listings that are drawn now.
static DRAWN: AtomicUsize = AtomicUsize::new(0);

/// From now on bars are drawn on standard error, if that is a terminal.
pub fn show() {
    BARS.get_or_init(MultiProgress::new);
}

/// Writes log lines above the bars.
pub fn writer() -> impl Write {
    Above { line: Vec::new() }
}

struct Above {
    line: Vec<u8>,
}

impl Write for Above {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        let write = || io::stderr().write_all(&line);
        match BARS.get() {
            Some(bars) if !line.is_empty() => bars.suspend(write),
            _ => write(),
        }
    }
}

impl Drop for Above {
    fn drop(&mut self) {
        // A log that cannot be written has nowhere to say so.
        drop(self.flush());
    }
}

/// The line of a whole fetch; it disappears with this.
#[derive(Debug)]
pub struct Overall {
    bar: ProgressBar,
}

impl Overall {
    /// A line that counts listings.
    pub fn begin() -> Self {
        let bar = drawn(OVERALL, ProgressBar::new(0));
        Self { bar }
    }

    /// A listing was asked for.
    pub fn asked(&self) {
        self.bar.inc_length(1);
    }

    /// A listing has its verdict.
    pub fn done(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Overall {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// What is seen of one listing; it disappears with this.
#[derive(Debug)]
pub struct Reading {
    name: String,
    pages: u64,
    records: u64,
    /// Records that there will be, where that is known.
    expected: Option<u64>,
    bar: Option<ProgressBar>,
}

impl Reading {
    /// The listing begins, or goes on.
    pub fn begin(listing: &Listing) -> Self {
        Self { name: listing.to_string(), pages: 0, records: 0, expected: None, bar: None }
    }

    /// About so many records will come.
    pub fn expect(&mut self, records: u64) {
        self.expected = Some(records);
    }

    /// A page came.
    pub fn page(&mut self, records: usize) {
        self.pages += 1;
        self.records += records as u64;
        if self.bar.is_none() && self.pages >= PAGES_BEFORE_A_BAR {
            self.bar = self.draw();
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.records);
            bar.set_message(format!("{} pages", self.pages));
        }
    }

    fn draw(&self) -> Option<ProgressBar> {
        BARS.get()?;
        if DRAWN.fetch_add(1, Ordering::Relaxed) >= BARS_AT_ONCE {
            DRAWN.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        let bar = match self.expected {
            Some(expected) => drawn(OF_MANY, ProgressBar::new(expected)),
            None => drawn(OF_UNKNOWN, ProgressBar::new_spinner()),
        };
        bar.set_prefix(self.name.clone());
        Some(bar)
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
            DRAWN.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// `bar` among the others, or hidden where nothing is shown.
fn drawn(template: &str, bar: ProgressBar) -> ProgressBar {
    let Some(bars) = BARS.get() else { return ProgressBar::hidden() };
    let bar = bars.add(bar);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(TICK);
    bar
}

#[cfg(test)]
mod tests {
    use super::*;
    use tieout_model::{Resource, Selector};

    #[test]
    fn counts_without_drawing_where_nothing_is_shown() {
        let date = "2026-11-20".parse().unwrap();
        let mut reading = Reading::begin(&Listing::new(Resource::Batches, Selector::Date(date)));
        reading.expect(500);
        for _ in 0..5 {
            reading.page(100);
        }
        assert_eq!((reading.pages, reading.records), (5, 500));
        assert!(reading.bar.is_none());
    }

    #[test]
    fn every_template_is_understood() {
        for template in [OVERALL, OF_MANY, OF_UNKNOWN] {
            assert!(ProgressStyle::with_template(template).is_ok(), "{template}");
        }
    }
}
