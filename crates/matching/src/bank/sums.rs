//! Pairs several deposits with one line, several lines with one deposit, and whole days of both, in
//! the order of [`Kind`]. Each set is taken only if it is the only one that adds up and no other
//! line or deposit needs a member of it. A line that names a merchant pays that merchant's deposits;
//! what none of them explain, it may pay together with those of others. The fees of a month are
//! members only where deposits alone explain nothing.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::pairing::Pairing;
use crate::search::{Entry, Kind, Set, Sets, sets, sets_with, settle, share};

/// Whose deposits a line that names a merchant may pay.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Payees {
    /// The merchant's.
    Named,
    /// The merchant's together with others'.
    NamedAmongOthers,
    /// The merchant's less the fees of a month, or these alone.
    NamedLessFees,
}

/// Runs the step.
pub(super) fn run(pairing: &mut Pairing<'_>) {
    while of_kinds(pairing, Payees::Named) {}
    if pairing.has_several_merchants() {
        while of_kinds(pairing, Payees::NamedAmongOthers) {}
    }
    if !pairing.fees_left().is_empty() {
        while of_kinds(pairing, Payees::NamedLessFees) {}
    }
}

/// Takes the sets of each kind. Returns whether one was taken after which an earlier kind may find
/// more: of a day, other entries are left than before.
fn of_kinds(pairing: &mut Pairing<'_>, payees: Payees) -> bool {
    let mut leaves_less = false;
    for kind in Kind::IN_ORDER {
        while take(pairing, kind, payees) {
            leaves_less |= kind != Kind::IN_ORDER[0];
        }
        if kind == Kind::Day && payees == Payees::Named {
            days_of_both(pairing);
        }
    }
    leaves_less
}

/// Takes every certain set of the kind and sets the others aside. Returns whether any was taken. A
/// line is numbered by its position, a deposit by its position after all lines.
fn take(pairing: &mut Pairing<'_>, kind: Kind, payees: Payees) -> bool {
    let (lines, deposits) = (pairing.lines_left(), pairing.deposits_left());
    let fees = if payees == Payees::NamedLessFees { pairing.fees_left() } else { Vec::new() };
    let behind = pairing.lines.len();
    let mut wishes: BTreeMap<usize, Vec<BTreeSet<usize>>> = BTreeMap::new();
    let mut wish = |target: usize, found: &Sets, offset: usize| {
        let nodes = |set: &Vec<(usize, i64)>| set.iter().map(|part| part.0 + offset).collect();
        let all: Vec<BTreeSet<usize>> = found.all().iter().map(nodes).collect();
        if !all.is_empty() {
            wishes.insert(target, all);
        }
    };
    let is_asked = |line: &&usize| {
        let one = &pairing.lines[**line];
        one.names.is_empty() && (payees != Payees::NamedAmongOthers || one.merchant_id.is_some())
    };
    for &line in lines.iter().filter(is_asked) {
        let found = sets_of_line(pairing, kind, line, payees, (&deposits, &fees));
        if found == Sets::Bounded {
            pairing.outcome.bounded.insert(line);
        }
        let is_any_own =
            |set: &Vec<(usize, i64)>| set.iter().any(|part| pairing.is_allowed(line, part.0));
        if found.all().iter().all(is_any_own) {
            wish(line, &found, behind);
        }
    }
    // The lines of a deposit are the same in every round: they are tried in the first, and those of
    // fees in the last.
    let paid = if payees == Payees::Named { &deposits } else { &fees };
    for &deposit in paid {
        if !pairing.budget.has(lines_near(pairing, &lines, deposit).len()) {
            break;
        }
        let entries = lines_for(pairing, &lines, deposit);
        let found = sets(kind, pairing.deposits[deposit].amount, &entries, 2, &mut pairing.budget);
        wish(behind + deposit, &found, 0);
    }
    give_way(pairing, &lines, &mut wishes);
    share(&mut wishes, &twins(pairing, &lines));
    let settled = settle(&wishes, |one, other| {
        one < behind && other < behind && {
            let (one, other) = (&pairing.lines[one], &pairing.lines[other]);
            (one.date, &one.merchant_id) == (other.date, &other.merchant_id)
        }
    });
    for &target in &settled.taken {
        let own: Vec<usize> = wishes[&target][0].iter().copied().collect();
        if target < behind {
            pairing.pay(target, own.into_iter().map(|node| node - behind).collect());
        } else {
            pairing.pay_together(vec![target - behind], own);
        }
    }
    for nodes in settled.contested {
        let (lines, deposits): (BTreeSet<usize>, BTreeSet<usize>) =
            nodes.into_iter().partition(|node| *node < behind);
        let deposits = deposits.into_iter().map(|node| node - behind).collect();
        pairing.mark_ambiguous(lines, deposits);
    }
    !settled.taken.is_empty()
}

/// The sets of the kind that the line can pay, among the deposits and fees that are left.
fn sets_of_line(
    pairing: &mut Pairing<'_>,
    kind: Kind,
    line: usize,
    payees: Payees,
    (deposits, fees): (&[usize], &[usize]),
) -> Sets {
    if !pairing.budget.has(pairing.in_reach(deposits, line).len()) {
        return Sets::Bounded;
    }
    let amount = pairing.lines[line].amount;
    let entries = deposits_for(pairing, deposits, line, payees);
    if payees == Payees::NamedLessFees {
        let given = fees_for(pairing, fees, line);
        return sets_with(kind, amount, &entries, &given, &mut pairing.budget);
    }
    sets(kind, amount, &entries, 2, &mut pairing.budget)
}

/// Where a debit may take back one of two equal credits that add up to the same deposits, the later
/// one waits: it pays these again once the debit has taken the earlier one.
fn give_way(
    pairing: &Pairing<'_>,
    left: &[usize],
    wishes: &mut BTreeMap<usize, Vec<BTreeSet<usize>>>,
) {
    let line = |at: usize| &pairing.lines[at];
    let mut by_amount: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for &at in left.iter().filter(|at| wishes.get(at).is_some_and(|sets| sets.len() == 1)) {
        by_amount.entry(line(at).amount).or_default().push(at);
    }
    let mut given = BTreeSet::new();
    for debit in left.iter().map(|&at| line(at)).filter(|one| one.amount < 0) {
        let equal = debit.amount.checked_neg().and_then(|amount| by_amount.get(&amount));
        let mut equal = equal.into_iter().flatten().copied();
        let is_taken = |&at: &usize| {
            (debit.back_from..=debit.date).contains(&line(at).date) && line(at).agrees_with(debit)
        };
        let Some(first) = equal.find(is_taken) else { continue };
        given.extend(equal.filter(|at| wishes[at] == wishes[&first]));
    }
    wishes.retain(|target, _| !given.contains(target));
}

/// The groups of lines that agree in everything that is compared: where an account has one merchant,
/// naming it says nothing.
fn twins(pairing: &Pairing<'_>, left: &[usize]) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for &at in left {
        let line = &pairing.lines[at];
        if line.names.is_empty() {
            let named = line.merchant_id.as_ref().filter(|_| pairing.has_several_merchants());
            groups.entry((line.date, line.amount, named)).or_default().push(at);
        }
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}

/// The deposits that the line could pay together with others.
pub(super) fn deposits_for(
    pairing: &Pairing<'_>,
    left: &[usize],
    line: usize,
    payees: Payees,
) -> Vec<Entry> {
    let in_reach = pairing.in_reach(left, line).iter();
    let own = in_reach.filter(|&&at| {
        pairing.is_near(line, at)
            && (payees == Payees::NamedAmongOthers || pairing.is_allowed(line, at))
    });
    own.map(|&at| {
        let deposit = &pairing.deposits[at];
        Entry::new(at, deposit.payment_date, pairing.party[at], deposit.amount)
    })
    .collect()
}

/// The fees that the line could hold: of one merchant's month, or of a month all that are left.
fn fees_for(pairing: &Pairing<'_>, left: &[usize], line: usize) -> Vec<Set> {
    let near = pairing.in_reach(left, line).iter().filter(|&&at| pairing.is_in_reach(line, at));
    let near: Vec<usize> = near.copied().collect();
    let part = |&at: &usize| (at, pairing.deposits[at].amount);
    let mut sets: Vec<Set> = near.iter().map(|at| vec![part(at)]).collect();
    let months = by_day(&near, |at| pairing.deposits[at].payment_date).into_values();
    sets.extend(months.filter(|own| own.len() > 1).map(|own| own.iter().map(part).collect()));
    sets
}

/// The lines that could pay the deposit together with others.
pub(super) fn lines_for(pairing: &Pairing<'_>, left: &[usize], deposit: usize) -> Vec<Entry> {
    let own = lines_near(pairing, left, deposit).iter().filter(|&&line| {
        pairing.lines[line].names.is_empty() && pairing.is_in_reach(line, deposit)
    });
    own.map(|&line| Entry::new(line, pairing.lines[line].date, 0, pairing.lines[line].amount))
        .collect()
}

/// The lines of `left` (in order of day) on the days on which a line can pay the deposit.
fn lines_near<'l>(pairing: &Pairing<'_>, left: &'l [usize], deposit: usize) -> &'l [usize] {
    let at = &pairing.deposits[deposit];
    let first = left.partition_point(|&line| pairing.lines[line].date < at.earliest);
    let end = left.partition_point(|&line| pairing.lines[line].date <= at.sum_until.max(at.due));
    &left[first.min(end)..end]
}

/// Pairs all lines left of one day with all deposits left of one day, if no other day fits.
fn days_of_both(pairing: &mut Pairing<'_>) {
    let (lines, deposits) = (pairing.lines_left(), pairing.deposits_left());
    let of_lines = by_day(&lines, |at| pairing.lines[at].date);
    let of_deposits = by_day(&deposits, |at| pairing.deposits[at].payment_date);
    let sum_of_lines = |own: &[usize]| -> i128 {
        own.iter().map(|&at| i128::from(pairing.lines[at].amount)).sum()
    };
    let mut found: Vec<(&Vec<usize>, &Vec<usize>)> = Vec::new();
    for own in of_lines.values().filter(|own| own.len() > 1) {
        let near = of_deposits.values().filter(|paid| {
            let sum: i128 = paid.iter().map(|&at| i128::from(pairing.deposits[at].amount)).sum();
            paid.len() > 1
                && sum == sum_of_lines(own)
                && own.iter().all(|&line| {
                    pairing.lines[line].names.is_empty()
                        && paid.iter().all(|&one| pairing.is_in_reach(line, one))
                })
        });
        found.extend(near.map(|paid| (own, paid)));
    }
    for (own, paid) in &found {
        let rivals = found.iter().filter(|other| other.0 == *own || other.1 == *paid);
        if rivals.count() == 1 {
            pairing.pay_together((*paid).clone(), (*own).clone());
        }
    }
}

fn by_day(all: &[usize], day: impl Fn(usize) -> NaiveDate) -> BTreeMap<NaiveDate, Vec<usize>> {
    let mut days: BTreeMap<NaiveDate, Vec<usize>> = BTreeMap::new();
    for &at in all {
        days.entry(day(at)).or_default().push(at);
    }
    days
}
