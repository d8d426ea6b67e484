//! The scenario that a seed draws.

use chrono::Days;
use tieout_sandbox::{Fault, Outcome, World, WorldOptions, plant_codes};

use crate::harness::day;

/// Weeks with and without weekends, holidays and month ends.
const FIRST_DATES: [&str; 6] =
    ["2026-11-03", "2026-11-06", "2026-11-25", "2026-12-23", "2026-06-30", "2026-09-04"];

/// Plants whose records are all part of a total that is read again before it is reported.
const CONFIRMED_PLANTS: [&str; 6] = [
    "DEPOSIT_NET_MISMATCH",
    "DEPOSIT_SALES_MISMATCH",
    "DEPOSIT_FEES_MISMATCH",
    "BATCH_SALES_MISMATCH",
    "BATCH_COUNT_MISMATCH",
    "PAYMENT_NOT_SETTLED",
];

/// How the dates are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nights {
    /// All of them in one run.
    Range,
    /// Each date is a run of its own, like a cron job.
    Each {
        /// Whether every second night is undisturbed. Not with a fault that shows other records
        /// than the sound service: that would be a restatement.
        is_alternating: bool,
        /// Whether only the failed dates are run again, and the others updated from the store.
        is_mended: bool,
    },
}

/// A world and the disturbances of its nights.
#[derive(Clone, Debug)]
pub struct Scenario {
    pub seed: u64,
    pub world: WorldOptions,
    pub faults: Vec<Fault>,
    pub percent: u32,
    pub page_size: u64,
    pub in_flight: u64,
    /// Whether the merchants' own books are compared as well.
    pub has_books: bool,
    /// The hundredths of an undisturbed run's requests at which the run is killed, one after the
    /// other.
    pub kills: Vec<u64>,
    /// Whether the key has `/transactions`.
    pub has_links: bool,
    pub nights: Nights,
}

impl Scenario {
    /// The same for the same seed.
    pub fn draw(seed: u64, is_nightly: bool) -> Self {
        let mut random = Random(seed);
        let faults = draw_faults(&mut random);
        let world = draw_world(&mut random, seed, &faults, if is_nightly { 8 } else { 4 });
        let kills = match random.below(4) {
            0 | 1 => 0,
            2 => 1,
            _ => 4,
        };
        let is_corrected = faults.iter().any(|fault| fault.outcome() == Outcome::Corrects);
        Self {
            seed,
            world,
            faults,
            percent: random.choose(&[3, 8, 15, 30]),
            page_size: random.choose(&[1, 5, 20, 100]),
            in_flight: random.choose(&[1, 4, 16]),
            has_books: random.below(2) == 0,
            kills: (0..kills).map(|_| 1 + random.below(130)).collect(),
            has_links: random.below(2) == 0,
            nights: if is_nightly {
                Nights::Each {
                    is_alternating: !is_corrected && seed % 3 == 2,
                    is_mended: seed.is_multiple_of(2),
                }
            } else {
                Nights::Range
            },
        }
    }

    /// Whether one of the faults has that outcome.
    pub fn has(&self, outcome: Outcome) -> bool {
        self.faults.iter().any(|fault| fault.outcome() == outcome)
    }
}

/// Up to five faults. Faults that show other records the first time are not mixed with faults that
/// spoil the second read: the source of a figure would be ambiguous.
fn draw_faults(random: &mut Random) -> Vec<Fault> {
    let excluded = if random.below(3) == 0 { Outcome::Spoils } else { Outcome::Corrects };
    // A record that changes and is listed twice has two contents.
    let is_kept = |fault: &Fault| {
        fault.outcome() != excluded
            && (excluded == Outcome::Corrects || *fault != Fault::DuplicateRecords)
    };
    let choices: Vec<Fault> = Fault::ALL.into_iter().filter(is_kept).collect();
    // A third of the nights has no spoiling fault: the run must overcome the others.
    let is_mild = random.below(3) == 0;
    let choices: Vec<Fault> = choices
        .into_iter()
        .filter(|fault| !is_mild || matches!(fault.outcome(), Outcome::Passes | Outcome::Harmless))
        .collect();
    let mut faults: Vec<Fault> = (0..=random.below(5)).map(|_| random.choose(&choices)).collect();
    faults.sort_unstable();
    faults.dedup();
    faults
}

/// A world of up to `dates` dates.
fn draw_world(random: &mut Random, seed: u64, faults: &[Fault], dates: u64) -> WorldOptions {
    let from = day(random.choose(&FIRST_DATES));
    let codes: Vec<String> = if faults.iter().any(|fault| fault.outcome() == Outcome::Corrects) {
        CONFIRMED_PLANTS.map(str::to_owned).to_vec()
    } else {
        plant_codes().into_iter().map(str::to_owned).collect()
    };
    let plants = (0..random.below(5)).map(|_| random.choose(&codes)).collect();
    // Now and then a date that is long enough to be read from several places at once.
    let volume = if random.below(8) == 0 { 200 } else { 4 + random.below(30) };
    let options = WorldOptions {
        seed,
        from,
        to: from + Days::new(random.below(dates)),
        merchants: u32::try_from(1 + random.below(4)).unwrap(),
        transactions_per_day: u32::try_from(volume).unwrap(),
        plants,
        kinds: Vec::new(),
        lateness: None,
    };
    // Not every plant fits into every small world.
    if World::generate(&options).is_ok() {
        return options;
    }
    WorldOptions { plants: Vec::new(), ..options }
}

/// splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn choose<T: Clone>(&mut self, choices: &[T]) -> T {
        let index = self.below(u64::try_from(choices.len()).unwrap());
        choices[usize::try_from(index).unwrap()].clone()
    }
}
