//! Planted discrepancies are found, no more and no fewer; worlds without any are clean.

use tieout_sandbox::{World, WorldOptions, newer_plants, plant_codes, plants_of_a_week};

use crate::graded::{WEEKS, assert_clean, assert_graded, planted};
use crate::harness::{self, clean, lively, rounds};
use crate::kinds::seeds;

#[test]
fn finds_all_that_is_planted_whatever_the_week() {
    for (seed, (from, to)) in rounds((1..).zip(WEEKS).skip(3)) {
        assert_graded(&planted(clean(seed, from, to, 4, 60), &plant_codes()));
    }
}

/// The world with so many merchants, `least` or more, that each plant finds a place.
fn with_room(least: u32, world: impl Fn(u32) -> WorldOptions) -> WorldOptions {
    (least..).map(world).find(|options| World::generate(options).is_ok()).unwrap()
}

/// `WORLD_SEEDS=1..1000` looks at more worlds.
#[test]
fn finds_all_that_is_planted_whatever_the_seed() {
    for seed in harness::seeds("WORLD_SEEDS", "100..115") {
        let merchants = 3 + u32::try_from(seed % 4).unwrap();
        assert_graded(&with_room(merchants, |merchants| {
            planted(clean(seed, "2026-11-02", "2026-11-08", merchants, 40), &plant_codes())
        }));
    }
}

#[test]
fn finds_each_code_alone() {
    for (seed, code) in rounds((200..).zip(plant_codes())) {
        assert_graded(&planted(clean(seed, "2026-11-02", "2026-11-08", 3, 20), &[code]));
    }
}

#[test]
fn finds_each_newer_plant_alone() {
    for (seed, name) in rounds((800..).zip(newer_plants())) {
        assert_graded(&planted(clean(seed, "2026-11-02", "2026-11-15", 9, 40), &[name]));
    }
}

/// `WORLD_SEEDS=1..20` looks at more worlds, `WORLD_PLANTS=A,B` plants these alone.
#[test]
fn finds_what_is_planted_among_all_kinds() {
    let plants = std::env::var("WORLD_PLANTS").unwrap_or_else(|_| plants_of_a_week().join(","));
    let plants: Vec<&str> = plants.split(',').filter(|name| !name.is_empty()).collect();
    for seed in seeds() {
        assert_graded(&with_room(24, |merchants| {
            planted(lively(clean(seed, "2026-11-02", "2026-11-08", merchants, 200)), &plants)
        }));
    }
}

#[test]
fn finds_the_same_code_planted_twice() {
    for (seed, code) in rounds((300..).zip(plant_codes())) {
        assert_graded(&planted(clean(seed, "2026-11-02", "2026-11-11", 4, 20), &[code, code]));
    }
}

#[test]
fn finds_nothing_where_nothing_is_planted_over_holidays_and_month_ends() {
    for (seed, (from, to)) in rounds((400..).zip(WEEKS)) {
        assert_clean(&lively(clean(seed, from, to, 4, 40)));
    }
}

#[test]
fn finds_nothing_where_nothing_is_planted_whatever_the_merchants_and_volumes() {
    for (seed, merchants) in rounds((500..).zip([1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6])) {
        let volume = [1, 3, 10, 40, 400][usize::try_from(seed % 5).unwrap()];
        assert_clean(&lively(clean(seed, "2026-11-05", "2026-11-10", merchants, volume)));
    }
}
