//! Planted discrepancies are found, no more and no fewer; a clean day is clean. `../long/worlds.rs`
//! runs more worlds.

use tieout_sandbox::plant_codes;

use super::graded::{WEEKS, assert_clean, assert_graded, planted};
use crate::harness::{clean, lively, rounds};

#[test]
fn finds_all_that_is_planted_and_nothing_else() {
    for (seed, (from, to)) in rounds((1..).zip(&WEEKS[..3])) {
        assert_graded(&planted(clean(seed, from, to, 4, 60), &plant_codes()));
    }
}

#[test]
fn finds_nothing_in_single_days_of_any_kind() {
    // A Sunday, a Monday after a long weekend, Christmas Eve, a leap day, New Year.
    let days = ["2026-11-08", "2026-10-13", "2026-12-24", "2028-02-29", "2027-01-01"];
    for (seed, day) in rounds((600..).zip(days)) {
        assert_clean(&lively(clean(seed, day, day, 3, 30)));
    }
}
