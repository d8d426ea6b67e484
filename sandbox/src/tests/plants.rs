//! Every plant is found by a judge that does not know it, and nothing else is.

use crate::examiner::{judge, sort};
use crate::{Expected, World, WorldOptions, plant_codes};
use crate::{banks, books};

fn options(seed: u64, plants: &[&str]) -> WorldOptions {
    WorldOptions {
        seed,
        from: "2026-11-02".parse().unwrap(),
        to: "2026-11-08".parse().unwrap(),
        merchants: 6,
        transactions_per_day: 60,
        kinds: Vec::new(),
        lateness: None,
        plants: plants.iter().map(|code| (*code).to_owned()).collect(),
    }
}

fn assert_key(options: &WorldOptions) {
    let (world, key) = World::generate(options)
        .unwrap_or_else(|error| panic!("seed {}, {:?}: {error}", options.seed, options.plants));
    // The judge sees the processor's records alone.
    let is_books =
        |code: &str| books::PLANT_CODES.contains(&code) || banks::PLANT_CODES.contains(&code);
    let mut expected = key.expected;
    expected.retain(|entry| !is_books(&entry.code));
    sort(&mut expected);
    let found = judge(&world);
    let show = |entries: &[Expected]| {
        let lines: Vec<String> =
            entries.iter().map(|entry| serde_json::to_string(entry).unwrap()).collect();
        lines.join("\n")
    };
    assert_eq!(show(&found), show(&expected), "seed {}", options.seed);
}

#[test]
fn a_world_without_plants_has_no_discrepancy() {
    for seed in 0..25 {
        assert_key(&options(seed, &[]));
    }
    // Over the year's end, with holidays; and as small as it gets.
    for seed in 0..5 {
        let (from, to) = ("2026-12-18".parse().unwrap(), "2027-01-06".parse().unwrap());
        assert_key(&WorldOptions { from, to, ..options(seed, &[]) });
        let (from, merchants) = ("2026-11-08".parse().unwrap(), 1);
        let transactions_per_day = 1;
        assert_key(&WorldOptions { from, merchants, transactions_per_day, ..options(seed, &[]) });
    }
}

#[test]
fn each_plant_alone_is_found_and_nothing_else() {
    for code in plant_codes() {
        for seed in 0..2 {
            assert_key(&WorldOptions { merchants: 4, ..options(seed, &[code]) });
            assert_key(&options(seed, &[code, code]));
        }
    }
}

#[test]
fn all_plants_together_are_found_and_nothing_else() {
    for seed in 0..15 {
        assert_key(&options(seed, &plant_codes()));
    }
    // A week of three merchants has room for one of each.
    for seed in 0..4 {
        let (merchants, transactions_per_day) = (3, 200);
        assert_key(&WorldOptions {
            merchants,
            transactions_per_day,
            ..options(seed, &plant_codes())
        });
    }
    let twice: Vec<&str> = plant_codes().into_iter().chain(plant_codes()).collect();
    for seed in 0..3 {
        let to = "2026-11-20".parse().unwrap();
        assert_key(&WorldOptions { to, merchants: 9, ..options(seed, &twice) });
    }
}
