//! Any commands in any order conserve money, and executing them again gives the same state. Scripts
//! come from seeds; a failure names its seed. `tests/long/life.rs` proves that nights over such a
//! state tie out.

use chrono::{TimeDelta, TimeZone};

use super::*;
use crate::random::Random;
use crate::world::details::{Account, AccountKind, Bank, Details, masked};
use crate::world::records::{Records, TransferType};
use crate::{World, WorldOptions};

/// Account numbers: most are good, some lead to returns or refusals.
const NUMBERS: [&str; 6] =
    ["4418823307", "4418821111", "4418829901", "4418829910", "4418829999", "4418829998"];

fn world(seed: u64, (from, to): (&str, &str)) -> World {
    let options = WorldOptions {
        seed,
        from: from.parse().unwrap(),
        to: to.parse().unwrap(),
        merchants: 4,
        transactions_per_day: 12,
        kinds: Vec::new(),
        lateness: None,
        plants: Vec::new(),
    };
    World::generate(&options).unwrap().0
}

/// The world and the live records as one set of records.
fn merged(world: &World, live: &Live) -> Records {
    let mut records = world.records().clone();
    for (at, transfer) in &live.changed {
        records.transfers[*at] = transfer.clone();
    }
    records.transfers.extend(live.transfers.iter().cloned());
    records.batches.extend(live.batches.values().flatten().cloned());
    records.deposits.extend(live.deposits.iter().cloned());
    records.fees.extend(live.fees.iter().cloned());
    records
}

fn source(random: &mut Random, kind: AccountKind) -> Source {
    if random.chance(10) {
        let (token, sec_code) = (format!("296753{:06}", random.between(0, 3)), None);
        return Source::SecureToken { token, sec_code };
    }
    if random.chance(10) {
        let digest = format!("digest-{}", random.between(0, 5));
        return Source::SingleUse { digest, sec_code: None };
    }
    Source::Account(Account {
        kind,
        name: "Noor Ibsen".to_owned(),
        number: masked(NUMBERS[random.index(NUMBERS.len())]),
        sec_code: None,
        bank: Bank::Routing(masked("021000021")),
        secure_token: None,
    })
}

/// One command that a person might give; many of them are refused.
fn draw(random: &mut Random, world: &World, live: &Live) -> Command {
    let book = live.book(world);
    let count = world.records().transfers.len() + live.transfers.len();
    let recent = count.saturating_sub(random.index(30) + 1);
    let transfer = book.transfer(if random.chance(80) { recent } else { random.index(count) });
    let id = transfer.id.clone();
    let merchant = &world.records().merchants[random.index(4)];
    let kind = if merchant.currency == "CAD" { AccountKind::Pad } else { AccountKind::Ach };
    match random.between(1, 100) {
        1..=35 => {
            let new = NewTransfer {
                terminal: random.choose(&merchant.terminals).clone(),
                order_id: format!("ORDER-{}", random.between(0, 9)),
                amount: random.amount(0, 9_000),
                currency: merchant.currency.to_owned(),
                details: Details::unknown(),
                source: source(random, kind),
                tokenize: random.chance(20),
                secure_token_id: None,
            };
            if random.chance(80) { Command::Pay(new) } else { Command::GiveBack(new) }
        }
        36..=45 => Command::Refund {
            payment_id: id,
            amount: random.amount(1, 9_000),
            description: "Part".to_owned(),
        },
        46..=50 => Command::ReversePayment { payment_id: id },
        51..=53 => Command::ReverseRefund { refund_id: id },
        54..=65 => Command::Represent { return_id: id, source: None },
        66..=72 => Command::Close { return_id: id },
        73..=77 => Command::ComeBack { payment_id: id, code: random.index(13) },
        _ => {
            let hours = i64::from(random.between(1, 60));
            Command::Advance { now: live.now + TimeDelta::hours(hours) }
        }
    }
}

fn play(seed: u64, world: &World, start: Option<DateTime<Utc>>) -> (Live, Vec<Command>) {
    let mut random = Random::new(seed, &[99]);
    let mut live = Live::new(world, start);
    let mut done = Vec::new();
    for _ in 0..150 {
        let command = draw(&mut random, world, &live);
        if live.apply(world, &command).is_ok() {
            done.push(command);
        }
    }
    let last = Command::Advance { now: live.now + TimeDelta::days(8) };
    live.apply(world, &last).unwrap();
    done.push(last);
    (live, done)
}

/// A plain week, Thanksgiving, the end of the year, and a change of the clocks.
const SPANS: [(&str, &str); 4] = [
    ("2026-11-02", "2026-11-08"),
    ("2026-11-20", "2026-11-25"),
    ("2026-12-18", "2026-12-24"),
    ("2027-03-08", "2027-03-13"),
];

#[test]
fn money_is_conserved() {
    for seed in 50..60 {
        let world = world(seed, SPANS[1]);
        let (live, _) = play(seed, &world, None);
        let book = live.book(&world);
        let mut settled: BTreeMap<(usize, NaiveDate), (i64, i64, i64)> = BTreeMap::new();
        let records = merged(&world, &live);
        for transfer in records.transfers.iter().filter(|transfer| transfer.is_item()) {
            let date = transfer.settled.unwrap();
            if date > world.options().to {
                let sums = settled.entry((transfer.merchant, date)).or_default();
                sums.2 += 1;
                match transfer.transfer_type {
                    TransferType::Payment => sums.0 += transfer.amount,
                    _ => sums.1 += transfer.amount,
                }
            }
        }
        let batches: BTreeMap<(usize, NaiveDate), (i64, i64, i64)> = live
            .batches
            .values()
            .flatten()
            .map(|batch| ((batch.merchant, batch.date), (batch.sales, batch.returns, batch.count)))
            .collect();
        assert_eq!(batches, settled, "seed {seed}");
        for payment in &records.transfers {
            assert!(book.refunded(payment) <= payment.amount, "seed {seed}: {}", payment.id);
            assert!(book.presentations_before(payment) <= 2, "seed {seed}: {}", payment.id);
            if let Some(date) = payment.settled.filter(|date| *date > world.options().to) {
                assert!(payment.run_date <= date, "seed {seed}: {}", payment.id);
            }
        }
        for deposit in &live.deposits {
            let calendar = &world.records().merchants[deposit.merchant].calendar;
            assert!(calendar.is_banking_day(deposit.payment_date), "seed {seed}: {deposit:?}");
        }
    }
}

#[test]
fn the_same_commands_give_the_same_state() {
    for seed in 70..74 {
        let world = world(seed, SPANS[2]);
        let (live, done) = play(seed, &world, None);
        let mut again = Live::new(&world, None);
        for command in &done {
            // In the form of a state file.
            let text = serde_json::to_string(command).unwrap();
            again.apply(&world, &serde_json::from_str(&text).unwrap()).unwrap();
        }
        assert_eq!(format!("{again:?}"), format!("{live:?}"), "seed {seed}");
    }
}

#[test]
fn a_refused_command_changes_nothing() {
    for seed in 80..84 {
        let world = world(seed, SPANS[3]);
        let mut random = Random::new(seed, &[98]);
        let mut live = Live::new(&world, None);
        let mut refused = 0;
        for _ in 0..150 {
            let before = format!("{live:?}");
            if live.apply(&world, &draw(&mut random, &world, &live)).is_err() {
                assert_eq!(format!("{live:?}"), before, "seed {seed}");
                refused += 1;
            }
        }
        assert!(refused > 20, "seed {seed}: {refused}");
    }
}

#[test]
fn the_clock_runs_forwards_and_not_too_far() {
    let world = world(1, SPANS[0]);
    let mut live = Live::new(&world, None);
    let now = live.now;
    for far in [now - TimeDelta::seconds(1), now + TimeDelta::days(MAX_DAYS + 1)] {
        let refused = live.apply(&world, &Command::Advance { now: far });
        assert!(matches!(refused, Err(Refusal::Clock { .. })));
    }
    let late = Utc.with_ymd_and_hms(9999, 1, 1, 0, 0, 0).unwrap();
    assert!(Live::new(&world, Some(late)).now() < late, "a clock walks {MAX_STEPS} steps at most");
}
