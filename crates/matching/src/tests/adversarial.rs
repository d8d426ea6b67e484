//! Inputs made to be slow. Each test would take minutes if a pass compared each entry with each.
//! The tests measure nothing; the benchmark does.

use super::*;

/// Large enough to notice a quadratic pass, small enough for every run of the tests.
const MANY: i64 = 20_000;

fn scene(item: impl Fn(i64) -> String, record: impl Fn(i64) -> String) -> Scene {
    let items: String = (0..MANY).map(|at| item(at) + "\n").collect();
    let records: String = (0..MANY).map(|at| record(at) + "\n").collect();
    Scene::new(&items, &records)
}

fn check(scene: &Scene, matched: usize, ambiguous: usize) {
    let input = scene.input();
    let outcome = match_merchant(&input);
    let is_ambiguous = |state: &&ItemState| matches!(state, ItemState::Ambiguous { .. });
    assert_eq!(outcome.pairs.len(), matched);
    assert_eq!(outcome.items.iter().filter(is_ambiguous).count(), ambiguous);
    findings(&input, &outcome);
}

const ALL: usize = 20_000;

#[test]
fn everything_is_equal() {
    let same_day = scene(
        |at| format!("capture {at} 20 5 last4=1111"),
        |_| "payment A 20 5 last4=1111".to_owned(),
    );
    check(&same_day, ALL, 0);
    let nearby = scene(
        |at| format!("capture {at} 20 5 last4=1111"),
        |at| format!("payment {at} 23 5 last4=1111"),
    );
    check(&nearby, ALL, 0);
    let no_last4 = scene(|at| format!("capture {at} 20 5"), |at| format!("payment {at} 20 5"));
    check(&no_last4, ALL, 0);
    let one_short = Scene { records: no_last4.records[1..].to_vec(), ..no_last4 };
    check(&one_short, 0, ALL);
}

#[test]
fn one_amount_on_every_day_of_the_month() {
    let spread = scene(
        |at| format!("capture {at} {} 5 last4=1111", at % 28 + 2),
        |at| format!("payment {at} {} 5 last4=1111", at % 14 * 2 + 3),
    );
    let outcome = spread.outcome();
    assert!(outcome.pairs.len() > ALL / 4);
}

#[test]
fn one_order_for_everything() {
    let sums = scene(
        |at| format!("payment P{at} 20 {} order=O", at * 2 + 1),
        |at| format!("payment {at} 20 {} order=O", at * 2 + 2),
    );
    check(&sums, 0, ALL);
    let equal = scene(
        |at| format!("payment P{at} 20 5 order=O last4={:04}", at % 10_000),
        |at| format!("payment {at} 20 5 order=O last4={:04}", (at + 1) % 10_000),
    );
    check(&equal, ALL, 0);
    let mut unsettled =
        scene(|at| format!("capture {at} 2 1"), |at| format!("payment {at} 20 {} order=O", at % 3));
    let transfers: Vec<String> =
        (0..MANY).map(|at| format!("payment P{at} 20 1 order=O")).collect();
    unsettled = unsettled.transfers(&transfers.join("\n"));
    check(&unsettled, 0, 0);
}

#[test]
fn everything_names_the_same_thing() {
    let duplicates =
        scene(|at| format!("capture {at} 20 5"), |at| format!("payment {at} 20 5 ref=7"));
    check(&duplicates, 1, 0);
    // An unlisted object has no duplicates, and a reference to it contradicts nothing.
    let unlisted = scene(
        |at| format!("capture {at} 20 5 auth=7"),
        |at| format!("payment {at} 20 5 ref=100007"),
    );
    check(&unlisted, ALL, 0);
    let one_authorization = scene(
        |at| format!("capture {} 20 5 auth=7", at + 8),
        |at| format!("payment {at} 20 5 ref=7"),
    );
    check(&one_authorization, ALL, 0);
}

#[test]
fn thousands_of_orders_compete_for_one_day() {
    let competing = scene(
        |at| format!("payment P{at} 20 5 last4=1111 order=X{at}"),
        |at| format!("payment {at} {} 5 last4=1111", 20 + at % 2),
    );
    let outcome = competing.outcome();
    assert_eq!(outcome.ambiguities.len(), 1);
    let contradicting = scene(
        |at| format!("payment P{at} 20 5 last4={:04} order=X{at}", at % 10_000),
        |at| format!("payment {at} 20 5 last4={:04} order=Y{at}", at % 10_000),
    );
    check(&contradicting, 0, 0);
    let almost_unique = scene(
        |at| format!("capture {at} 20 5 last4={:04}", at % 5_000),
        |at| format!("payment {at} 20 5 last4={:04}", at % 5_000 + 5_000),
    );
    check(&almost_unique, 0, 0);
}
