//! The sets of one kind that add up to a target.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::whole::whole;
use super::{Budget, Entry, FEW, Kind, MAX_FEW, MAX_SETS, Part, Set, Sets};

/// The sets of the kind among `entries`, given in order of day and id, that add up to the target.
/// `least` is the minimum number of entries in a set: two if pairs one to one were searched before.
pub fn sets(kind: Kind, target: i64, entries: &[Entry], least: usize, budget: &mut Budget) -> Sets {
    if entries.len() < least {
        return Sets::None;
    }
    if !budget.take(entries.len()) {
        return Sets::Bounded;
    }
    match kind {
        Kind::DayOfOne => whole_days(target, &by_party(entries), least, false),
        Kind::Day => whole_days(target, &[entries.iter().collect()], least, false),
        Kind::Days => {
            let mut parties = by_party(entries);
            parties.push(entries.iter().collect());
            if parties.len() == 2 {
                parties.pop();
            }
            whole_days(target, &parties, least, true)
        }
        Kind::Few => few(target, entries, least),
    }
}

/// The sets that hold one of `given` whole, alone or together with a set of the kind among `entries`.
pub fn sets_with(
    kind: Kind,
    target: i64,
    entries: &[Entry],
    given: &[Set],
    budget: &mut Budget,
) -> Sets {
    let (mut found, mut is_bounded) = (Vec::new(), false);
    for some in given {
        let sum: i128 = some.iter().map(|part| i128::from(part.1)).sum();
        let Ok(rest) = i64::try_from(i128::from(target) - sum) else { continue };
        if rest == 0 {
            found.push(some.clone());
            continue;
        }
        let beside = sets(kind, rest, entries, 1, budget);
        is_bounded |= beside == Sets::Bounded;
        found.extend(beside.all().iter().map(|set| [set.as_slice(), some].concat()));
    }
    Sets::of(found, is_bounded)
}

fn by_party(entries: &[Entry]) -> Vec<Vec<&Entry>> {
    let mut parties: BTreeMap<usize, Vec<&Entry>> = BTreeMap::new();
    for entry in entries {
        parties.entry(entry.party).or_default().push(entry);
    }
    parties.into_values().collect()
}

/// The sets made of all entries of a day, or of consecutive days, within each group of entries.
fn whole_days(target: i64, groups: &[Vec<&Entry>], least: usize, is_several: bool) -> Sets {
    let (mut found, mut is_bounded) = (Vec::new(), false);
    for group in groups {
        let mut days: BTreeMap<NaiveDate, Vec<&Entry>> = BTreeMap::new();
        for entry in group {
            days.entry(entry.day).or_default().push(entry);
        }
        let days: Vec<Vec<&Entry>> = days.into_values().collect();
        for first in 0..days.len() {
            let lasts = if is_several { first + 1..days.len() } else { first..first + 1 };
            for last in lasts {
                let own: Vec<&Entry> = days[first..=last].iter().flatten().copied().collect();
                if own.len() < least {
                    continue;
                }
                match whole(target, &own) {
                    None => is_bounded = true,
                    Some(ways) => found.extend(ways),
                }
            }
        }
    }
    // A day with the entries of one party only gives the same set for the party and for all.
    for set in &mut found {
        set.sort_unstable();
    }
    found.sort();
    found.dedup();
    Sets::of(found, is_bounded)
}

/// The sets of at most [`FEW`] entries. A set that contains a smaller one is dropped: the
/// additional entries cancel each other. Equal entries are taken in order, so that they make one
/// set.
fn few(target: i64, entries: &[Entry], least: usize) -> Sets {
    if entries.len() > MAX_FEW {
        // A single entry equal to the target needs no sum.
        let mut singles: Vec<Set> = Vec::new();
        if least <= 1 {
            extend(target, entries, 1, &mut Vec::new(), 0, &mut singles);
        }
        return if singles.len() == 1 { Sets::of(singles, false) } else { Sets::Bounded };
    }
    let mut found: Vec<Set> = Vec::new();
    for count in least.max(1)..=FEW {
        extend(target, entries, count, &mut Vec::new(), 0, &mut found);
    }
    Sets::of(found, false)
}

/// Adds `count` more entries from `from` on to `chosen`.
fn extend(
    target: i64,
    entries: &[Entry],
    count: usize,
    chosen: &mut Vec<Part>,
    from: usize,
    found: &mut Vec<Set>,
) {
    if found.len() > MAX_SETS {
        return;
    }
    let missing = i128::from(target) - chosen.iter().map(|one| i128::from(one.1)).sum::<i128>();
    for (at, entry) in entries.iter().enumerate().skip(from) {
        let is_taken = |other: &Entry| chosen.iter().any(|one| one.0 == other.id);
        if entries[..at].iter().any(|other| other.is_equal(entry) && !is_taken(other)) {
            continue;
        }
        let rest = (count == 1).then(|| i64::try_from(-missing).ok()).flatten();
        let partial =
            rest.filter(|rest| *rest > 0 && entry.at_most.is_some_and(|most| *rest <= most));
        let partial = partial.map(|rest| -rest);
        let amounts = entry.amounts.iter().copied().chain(partial);
        for amount in amounts.collect::<Vec<_>>() {
            chosen.push((entry.id, amount));
            if count > 1 {
                extend(target, entries, count - 1, chosen, at + 1, found);
            } else if i128::from(amount) == missing {
                note(chosen, found);
            }
            chosen.pop();
        }
    }
}

fn note(chosen: &[Part], found: &mut Vec<Set>) {
    let holds = |known: &Set| known.iter().all(|part| chosen.contains(part));
    if !found.iter().any(holds) {
        found.push(chosen.to_vec());
    }
}
