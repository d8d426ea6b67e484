//! The progress display of a fetch on a terminal: one line for the whole fetch, and a bar for each
//! listing that takes more than a moment. Nothing is drawn unless [`show`] was called. The display
//! contains only names of listings and numbers.

use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use tieout_model::Listing;

/// A listing gets a bar from this page on: most listings have one page, and their bars would
/// flicker.
const PAGES_BEFORE_A_BAR: u64 = 3;

/// Interval at which a waiting bar is redrawn.
const TICK: Duration = Duration::from_millis(200);

/// Bars that fit on a small screen; further listings count only in the first line.
const BARS_AT_ONCE: usize = 12;

const OVERALL: &str = "{spinner} {elapsed_precise} listings {pos} of {len} asked for so far";
const OF_MANY: &str = "{prefix} [{bar:24}] {pos} of {len} records, {msg}, {per_sec}, {eta} left";
const OF_UNKNOWN: &str = "{spinner} {prefix} {pos} records, {msg}, {per_sec}";

static BARS: OnceLock<MultiProgress> = OnceLock::new();

/// Number of bars drawn now.
static DRAWN: AtomicUsize = AtomicUsize::new(0);

/// Enables bars on standard error, if that is a terminal.
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
        // An error of writing the log cannot be logged.
        drop(self.flush());
    }
}

/// The line of a whole fetch; it disappears when this is dropped.
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

    /// Counts a requested listing.
    pub fn asked(&self) {
        self.bar.inc_length(1);
    }

    /// Counts a finished listing.
    pub fn done(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Overall {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The display of one listing; it disappears when this is dropped.
#[derive(Debug)]
pub struct Reading {
    name: String,
    pages: u64,
    records: u64,
    /// The expected number of records, where known.
    expected: Option<u64>,
    bar: Option<ProgressBar>,
}

impl Reading {
    /// Begins the display when a reading begins or resumes.
    pub fn begin(listing: &Listing) -> Self {
        Self { name: listing.to_string(), pages: 0, records: 0, expected: None, bar: None }
    }

    /// Sets the approximate number of records to expect.
    pub fn expect(&mut self, records: u64) {
        self.expected = Some(records);
    }

    /// Counts a page.
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

/// Adds `bar` to the display, or hides it when the display is off.
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
