//! Chooses where the stretches of a long listing begin, by the sizes of the date's batches. Pure.

use std::collections::{BTreeMap, HashSet};

use crate::stretch::is_rising;
use tieout_model::BatchId;

/// A stretch costs a request to find its beginning and about half a page that is read twice. With
/// this many pages in each stretch, a night sends less than a twentieth more requests.
const PAGES_PER_STRETCH: u64 = 32;

/// The positions after which the stretches begin, except the first one, which begins with the
/// listing.
pub(super) enum Starts {
    /// Ids of records, ascending.
    Ids(Vec<i64>),
    /// The service's cursors, as stored, in the order of their batches.
    Cursors(Vec<String>),
    /// The positions that an interrupted reading had chosen.
    Chosen(Vec<String>),
}

impl Starts {
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Ids(ids) => ids.is_empty(),
            Self::Cursors(cursors) | Self::Chosen(cursors) => cursors.is_empty(),
        }
    }
}

/// The total of the record counts in the batch headers.
pub(super) fn announced(sizes: &[(BatchId, u64)]) -> u64 {
    sizes.iter().fold(0, |sum, (_, size)| sum.saturating_add(*size))
}

/// Chooses where stretches begin: evenly spaced by the record counts of the batch headers, in the
/// order in which the batches were submitted. Returns, by index of a batch, how many of its records
/// precede each beginning. The beginning of a nearby batch is preferred, since its id is known and
/// not estimated.
pub(super) fn choose(
    sizes: &[(BatchId, u64)],
    page_size: u64,
    limit: u64,
) -> BTreeMap<usize, Vec<u64>> {
    let total = announced(sizes);
    let stretches = (total / (PAGES_PER_STRETCH * page_size.max(1))).min(limit);
    let mut chosen: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
    if stretches < 2 {
        return chosen;
    }
    let length = total / stretches;
    let near = length / 4;
    let mut wanted = length;
    let mut before = 0_u64;
    for (place, (_, size)) in sizes.iter().enumerate().filter(|(_, (_, size))| *size > 0) {
        let end = before.saturating_add(*size);
        // A further stretch would only contain the remainder of the division.
        while wanted <= total - length && wanted.saturating_add(near) < end {
            let offset = wanted.saturating_sub(before);
            let offset = if offset <= near { 0 } else { offset };
            chosen.entry(place).or_default().push(offset);
            wanted += length;
        }
        before = end;
    }
    chosen
}

/// The beginning of a batch.
pub(super) struct Beginning {
    /// Records that the headers announce before the batch.
    pub(super) before: u64,
    /// For each stretch that begins in the batch, how many of the batch's records precede it.
    pub(super) offsets: Vec<u64>,
    pub(super) found: Found,
}

/// The records and the continuation that were read at the beginning of a batch.
#[derive(Default)]
pub(super) struct Found {
    /// Ids of the batch's first records.
    pub(super) ids: Vec<i64>,
    /// The continuation after them; `None` when there are no more records.
    pub(super) next: Option<Next>,
}

/// The form of a service's continuation.
pub(super) enum Next {
    /// The id of the last record.
    Id,
    /// Another cursor, as stored.
    Cursor(String),
}

/// The ratio of ids to records.
#[derive(Clone, Copy)]
struct Density {
    ids: i128,
    records: i128,
}

impl Density {
    /// `None` unless ids rise with the records.
    fn new(first: i64, last: i64, records: u64) -> Option<Self> {
        let ids = i128::from(last) - i128::from(first);
        (ids > 0 && records > 0).then_some(Self { ids, records: i128::from(records) })
    }

    fn id_after(self, first: i64, records: u64) -> Option<i64> {
        let distance = i128::from(records).checked_mul(self.ids)? / self.records;
        i64::try_from(i128::from(first).checked_add(distance)?).ok()
    }
}

/// The positions after which stretches begin. Where cursors are not ids, these are the cursors
/// after the first records of the batches: such a cursor leads to the same place in the whole
/// listing, or to a place that is not used.
pub(super) fn starts_of(found: &[Beginning]) -> Starts {
    let leads_by_id = found.iter().any(|one| matches!(one.found.next, Some(Next::Id)));
    if !leads_by_id {
        let mut seen = HashSet::new();
        let cursors: Vec<String> = found
            .iter()
            .filter_map(|one| match &one.found.next {
                // Cursors are stored separated by commas.
                Some(Next::Cursor(cursor)) if !cursor.contains(',') => Some(cursor.clone()),
                _ => None,
            })
            .filter(|cursor| seen.insert(cursor.clone()))
            .collect();
        if !cursors.is_empty() {
            return Starts::Cursors(cursors);
        }
    }
    let mut ids = ids_of(found);
    ids.sort_unstable();
    ids.dedup();
    Starts::Ids(ids)
}

/// The ids after which stretches begin. Within a batch they are estimated from the beginning of the
/// next batch, else from the density of the batch before, else from the batch's own first records.
fn ids_of(found: &[Beginning]) -> Vec<i64> {
    let found: Vec<&Beginning> = found.iter().filter(|one| is_rising(&one.found.ids)).collect();
    let mut starts = Vec::new();
    let mut density = None;
    for (place, one) in found.iter().enumerate() {
        let ids = &one.found.ids;
        let (Some(first), Some(last)) = (ids.first(), ids.last()) else { continue };
        let next = found.get(place + 1);
        let next = next.and_then(|next| Some((next.found.ids.first()?, next.before)));
        density = next
            .and_then(|(id, before)| Density::new(*first, *id, before.saturating_sub(one.before)))
            .or(density)
            .or_else(|| Density::new(*first, *last, ids.len() as u64 - 1));
        starts.extend(one.offsets.iter().filter_map(|offset| match offset {
            0 => Some(*first),
            offset => density?.id_after(*first, *offset),
        }));
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes of batches, and the chosen offsets by index of a batch.
    type Case = (&'static [u64], &'static [(usize, &'static [u64])]);

    #[test]
    fn begins_at_places_that_are_evenly_apart() {
        let batches = |sizes: &[u64]| -> Vec<(BatchId, u64)> {
            (1..).map(BatchId).zip(sizes.iter().copied()).collect()
        };
        let cases: [Case; 8] = [
            (&[], &[]),
            (&[6_399], &[]),
            (&[6_400], &[(0, &[3_200])]),
            (&[16_000], &[(0, &[3_200, 6_400, 9_600, 12_800])]),
            (&[3_100, 3_100], &[]),
            (&[3_200, 3_200], &[(1, &[0])]),
            (&[3_200, 0, 0, 3_200, 3_200], &[(3, &[0]), (4, &[0])]),
            (&[320, 9_280, 320, 2_880], &[(1, &[2_880, 6_080]), (3, &[0])]),
        ];
        for (sizes, expected) in cases {
            let expected: BTreeMap<usize, Vec<u64>> =
                expected.iter().map(|(place, offsets)| (*place, offsets.to_vec())).collect();
            assert_eq!(choose(&batches(sizes), 100, 16), expected, "{sizes:?}");
        }
        assert_eq!(choose(&batches(&[3_200; 200]), 100, 16).len(), 15);
        assert_eq!(choose(&batches(&[u64::MAX, u64::MAX]), 100, 16).len(), 1);
    }

    #[test]
    fn begins_after_cursors_only_where_none_is_an_id() {
        let cursor = |text: &str| Some(Next::Cursor(text.to_owned()));
        let starts = |next: Vec<Option<Next>>| {
            let found: Vec<Beginning> = (0..)
                .zip(next)
                .map(|(place, next)| Beginning {
                    before: 0,
                    offsets: vec![0],
                    found: Found { ids: vec![90 - place], next },
                })
                .collect();
            match starts_of(&found) {
                Starts::Ids(ids) => ids.iter().map(ToString::to_string).collect(),
                Starts::Cursors(cursors) | Starts::Chosen(cursors) => cursors,
            }
        };
        assert_eq!(starts(vec![Some(Next::Id), None, Some(Next::Id)]), ["88", "89", "90"]);
        assert_eq!(starts(vec![cursor("b"), None, cursor("a")]), ["b", "a"]);
        // A cursor that counts records is the same in every batch.
        assert_eq!(starts(vec![cursor("100"), cursor("100")]), ["100"]);
        // The last record may be one that could not be understood.
        assert_eq!(starts(vec![cursor("91"), Some(Next::Id)]), ["89", "90"]);
        assert_eq!(starts(vec![cursor("a,b"), None]), ["89", "90"]);
        assert_eq!(starts(vec![None, None]), ["89", "90"]);
        assert_eq!(starts(Vec::new()), [""; 0]);
    }

    #[test]
    fn estimates_the_ids_that_stand_before_a_place() {
        let beginning = |before: u64, offsets: &[u64], ids: &[i64]| Beginning {
            before,
            offsets: offsets.to_vec(),
            found: Found { ids: ids.to_vec(), next: None },
        };
        let cases: [(&[Beginning], &[i64]); 8] = [
            (&[], &[]),
            (&[beginning(0, &[5], &[])], &[]),
            (&[beginning(0, &[5], &[70])], &[]),
            (&[beginning(0, &[5, 50], &[70, 72, 74])], &[80, 170]),
            (&[beginning(0, &[5], &[74, 72])], &[]),
            // The next batch gives the better estimate, and its density is used for the last batch.
            (
                &[beginning(0, &[50], &[70, 72]), beginning(100, &[0, 10], &[470, 900])],
                &[270, 470, 510],
            ),
            // Ids that do not rise from batch to batch give no estimate.
            (&[beginning(0, &[5], &[70, 72]), beginning(100, &[0], &[9, 10])], &[80, 9]),
            (&[beginning(0, &[u64::MAX], &[i64::MIN, i64::MAX])], &[]),
        ];
        for (place, (found, expected)) in cases.iter().enumerate() {
            assert_eq!(ids_of(found), *expected, "case {place}");
        }
    }
}
