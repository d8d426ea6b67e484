//! Restores kept pairs and sets from an earlier date, between passes 2 and 3, and frees the kept
//! unmatched entries after the passes by days.

use super::progress::{Place, Progress};
use super::representment::Representments;
use super::standing::{Role, Was};
use super::states::Pass;

/// Restores everything that stands unchanged. Called between passes 2 and 3.
pub(super) fn put_back(progress: &mut Progress<'_>, representments: &Representments) {
    let Some(standing) = progress.input.standing else { return };
    let mut pairs: Vec<Members> = vec![Members::default(); standing.pairs.len()];
    let mut sets: Vec<Members> = vec![Members::default(); standing.sets.len()];
    for (at, stays) in (0..).zip(&standing.items) {
        if let Role::Stands { .. } = stays.role {
            match stays.was {
                Was::Pair(pair) => pairs[pair as usize].items.push(at),
                Was::StandsIn(pair) => pairs[pair as usize].stand_ins.push(at),
                Was::Set(set) => sets[set as usize].items.push(at),
                Was::Free | Was::Named => set_apart(&mut progress.items[at as usize]),
            }
        }
    }
    for (at, stays) in (0..).zip(&standing.records) {
        if let Role::Stands { .. } = stays.role {
            match stays.was {
                Was::Pair(pair) | Was::StandsIn(pair) => pairs[pair as usize].records.push(at),
                Was::Set(set) => sets[set as usize].records.push(at),
                Was::Free | Was::Named => set_apart(&mut progress.records[at as usize]),
            }
        }
    }
    for (members, pass) in pairs.iter().zip(&standing.pairs) {
        // Another record of the order may have come, and what stood in have its own.
        let still_stand_in = members.stand_ins.iter().all(|&one| representments.is_again(one));
        if !pass.is_by_name() && still_stand_in && members.are_free(progress) {
            progress.pair(*pass, &members.items, &members.records);
            let Place::Pair(pair) = progress.items[members.items[0] as usize] else { continue };
            for &item in &members.stand_ins {
                progress.place_item(item, Place::StandsIn(pair));
            }
        }
    }
    for (members, pass) in sets.into_iter().zip(&standing.sets) {
        // A record may name a payment that has come since.
        let is_any_naming =
            members.records.iter().any(|one| progress.naming_payments.contains(one));
        if members.are_free(progress) && !(*pass == Pass::Unique && is_any_naming) {
            progress.mark_ambiguous(*pass, members.items, members.records);
        }
    }
}

/// Frees the entries that were apart: no further pass compares days.
pub(super) fn release(progress: &mut Progress<'_>) {
    for place in progress.items.iter_mut().chain(&mut progress.records) {
        if *place == Place::Apart {
            *place = Place::Free;
        }
    }
}

fn set_apart(place: &mut Place) {
    if *place == Place::Free {
        *place = Place::Apart;
    }
}

#[derive(Clone, Default)]
struct Members {
    items: Vec<u32>,
    stand_ins: Vec<u32>,
    records: Vec<u32>,
}

impl Members {
    /// Whether both sides have members, and no pass by id has taken one of them.
    fn are_free(&self, progress: &Progress<'_>) -> bool {
        let is_free = |place: &Place| *place == Place::Free;
        !self.items.is_empty()
            && !self.records.is_empty()
            && self.items.iter().all(|&one| is_free(&progress.items[one as usize]))
            && self.stand_ins.iter().all(|&one| is_free(&progress.items[one as usize]))
            && self.records.iter().all(|&one| is_free(&progress.records[one as usize]))
    }
}
