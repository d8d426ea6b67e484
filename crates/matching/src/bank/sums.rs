//! One line for several deposits of one merchant: an exact search for the choices that add up,
//! within stated bounds.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::pairing::Pairing;

/// More deposits of a merchant than this are never tried for one line: the search meets in the
/// middle, at 2^12 sums on either side.
pub const MAX_CANDIDATES: usize = 24;

/// Which deposits a line could pay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    None,
    One(Vec<usize>),
    /// More than one way: all that take part.
    Several(BTreeSet<usize>),
    /// More deposits, or more sums in all, than are looked at.
    TooMany(BTreeSet<usize>),
}

impl Choice {
    /// What leaves no certain choice, and whether a bound was reached.
    pub(super) fn uncertain(self) -> Option<(BTreeSet<usize>, bool)> {
        match self {
            Self::Several(deposits) => Some((deposits, false)),
            Self::TooMany(deposits) => Some((deposits, true)),
            Self::None | Self::One(_) => None,
        }
    }
}

/// Pays every line that has one choice, among the deposits that `fits` says it may pay.
pub(super) fn run<'a>(
    pairing: &mut Pairing<'a>,
    fits: impl Fn(&Pairing<'a>, usize, usize) -> bool,
) {
    loop {
        let mut choices: BTreeMap<usize, Choice> = BTreeMap::new();
        let left = pairing.deposits_left();
        for line in pairing.lines_left() {
            let mut candidates = pairing.in_reach(&left, line).to_vec();
            candidates.retain(|&at| fits(pairing, line, at));
            let choice = choose(pairing, line, &candidates);
            if choice != Choice::None {
                choices.insert(line, choice);
            }
        }
        if !pay_what_is_certain(pairing, &choices) {
            for (line, choice) in choices {
                let Some((deposits, is_bounded)) = choice.uncertain() else { continue };
                // What another set has taken meanwhile is named there.
                let free: BTreeSet<usize> =
                    deposits.into_iter().filter(|&at| pairing.is_deposit_left(at)).collect();
                pairing.mark_ambiguous(BTreeSet::from([line]), free, is_bounded);
            }
            return;
        }
    }
}

/// Pays the lines with one choice that no other such line needs a part of; those that do
/// quarrel are set aside. Whether anything changed.
fn pay_what_is_certain(pairing: &mut Pairing<'_>, choices: &BTreeMap<usize, Choice>) -> bool {
    let mut wanted: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (&line, choice) in choices {
        if let Choice::One(deposits) = choice {
            for &deposit in deposits {
                wanted.entry(deposit).or_default().push(line);
            }
        }
    }
    let mut has_changed = false;
    for line in pairing.lines_left() {
        let Some(Choice::One(deposits)) = choices.get(&line) else { continue };
        if !deposits.iter().all(|&at| pairing.is_deposit_left(at)) {
            continue;
        }
        let rivals: BTreeSet<usize> =
            deposits.iter().flat_map(|at| wanted[at].iter().copied()).collect();
        // Equal lines are interchangeable: the first is paid.
        let is_equal = |other: &usize| {
            pairing.lines[*other].date == pairing.lines[line].date
                && choices.get(other) == choices.get(&line)
        };
        if rivals.iter().all(is_equal) {
            pairing.pay(line, deposits.clone());
        } else {
            let all = rivals.iter().filter_map(|rival| match choices.get(rival) {
                Some(Choice::One(deposits)) => Some(deposits.iter().copied()),
                _ => None,
            });
            let all = all.flatten().filter(|&at| pairing.is_deposit_left(at)).collect();
            let rivals = rivals.into_iter().filter(|&at| pairing.is_line_left(at)).collect();
            pairing.mark_ambiguous(rivals, all, false);
        }
        has_changed = true;
    }
    has_changed
}

/// The choices among `candidates` that add up to the line, each of one merchant.
pub(super) fn choose(pairing: &mut Pairing<'_>, line: usize, candidates: &[usize]) -> Choice {
    let mut by_merchant: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for &at in candidates {
        by_merchant.entry(pairing.deposits[at].merchant_id.as_str()).or_default().push(at);
    }
    let target = pairing.lines[line].amount;
    let mut found: Vec<Vec<usize>> = Vec::new();
    for of_merchant in by_merchant.into_values() {
        let cost = 1 << (of_merchant.len().min(MAX_CANDIDATES) / 2 + 1);
        if of_merchant.len() > MAX_CANDIDATES || pairing.budget.0 < cost {
            return Choice::TooMany(of_merchant.into_iter().collect());
        }
        pairing.budget.0 -= cost;
        found.extend(ways(pairing, of_merchant, target));
        if found.len() > 1 {
            return Choice::Several(found.into_iter().flatten().collect());
        }
    }
    found.pop().map_or(Choice::None, Choice::One)
}

/// Sums of one half, with the first way to make each and whether there is another.
type Half = HashMap<i128, (Vec<usize>, Option<Vec<usize>>)>;

/// Up to two different ways to choose deposits of one merchant that add up to `target`; equal
/// deposits of one day are taken in order of id, so that they make one way.
fn ways(pairing: &Pairing<'_>, mut of_merchant: Vec<usize>, target: i64) -> Vec<Vec<usize>> {
    of_merchant.sort_by_key(|&at| {
        let deposit = &pairing.deposits[at];
        (deposit.payment_date, deposit.amount, deposit.id)
    });
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for at in of_merchant {
        let deposit = &pairing.deposits[at];
        match classes.last_mut() {
            Some(class)
                if {
                    let first = &pairing.deposits[class[0]];
                    (first.payment_date, first.amount) == (deposit.payment_date, deposit.amount)
                } =>
            {
                class.push(at);
            }
            _ => classes.push(vec![at]),
        }
    }
    let (low, high) = classes.split_at(classes.len() / 2);
    let (low, high) = (half(pairing, low), half(pairing, high));
    let mut found = Vec::new();
    for (sum, (first, second)) in &high {
        let Some((one, other)) = low.get(&(i128::from(target) - sum)) else { continue };
        for high_way in [Some(first), second.as_ref()].into_iter().flatten() {
            for low_way in [Some(one), other.as_ref()].into_iter().flatten() {
                let way: Vec<usize> = low_way.iter().chain(high_way).copied().collect();
                if !way.is_empty() {
                    found.push(way);
                }
            }
        }
    }
    // Which two are kept must depend neither on the order of a hash table nor on the input's.
    found.sort_by_key(|way| {
        let rank = |&at: &usize| (pairing.deposits[at].payment_date, pairing.deposits[at].id);
        way.iter().map(rank).collect::<Vec<_>>()
    });
    found.truncate(2);
    found
}

fn half(pairing: &Pairing<'_>, classes: &[Vec<usize>]) -> Half {
    let mut sums: Vec<(i128, Vec<usize>)> = vec![(0, Vec::new())];
    for class in classes {
        let before = sums.len();
        for at in 0..before {
            let (mut sum, mut way) = sums[at].clone();
            for &deposit in class {
                sum += i128::from(pairing.deposits[deposit].amount);
                way.push(deposit);
                sums.push((sum, way.clone()));
            }
        }
    }
    let mut half = Half::with_capacity(sums.len());
    for (sum, way) in sums {
        match half.get_mut(&sum) {
            None => {
                half.insert(sum, (way, None));
            }
            Some((_, second)) => {
                second.get_or_insert(way);
            }
        }
    }
    half
}
