//! Where the stretches of a long listing begin: chosen by the sizes of the batches of its date.
//! Pure.

use std::collections::{BTreeMap, HashSet};

use crate::stretch::is_rising;
use tieout_model::BatchId;

/// A stretch costs a request to find its beginning and about half a page that is read twice:
/// with this many pages for each, a night sends less than a twentieth more.
const PAGES_PER_STRETCH: u64 = 32;

/// After what stretches begin that do not begin with the listing.
pub(super) enum Starts {
    /// Records, ascending: the next ones can be told from them.
    Ids(Vec<i64>),
    /// Cursors of the service, as they are stored, in the order of their batches.
    Cursors(Vec<String>),
    /// What an interrupted reading had chosen.
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

/// Records that the headers announce together.
pub(super) fn announced(sizes: &[(BatchId, u64)]) -> u64 {
    sizes.iter().fold(0, |sum, (_, size)| sum.saturating_add(*size))
}

/// Where stretches begin: as far from each other as the headers of the batches tell, in the order
/// in which they were submitted. By place of a batch, how many of its records come before; a
/// beginning of a batch that is not far from there is better, since its id is known and not
/// estimated.
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
        // The last one would be a rest of the division.
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
    /// Records that the headers announce before it.
    pub(super) before: u64,
    /// How many of its own come before a stretch is to begin, for each that is.
    pub(super) offsets: Vec<u64>,
    pub(super) found: Found,
}

/// What was read of the beginning of a batch.
#[derive(Default)]
pub(super) struct Found {
    /// Ids of its first records.
    pub(super) ids: Vec<i64>,
    /// What leads on from there; `None` when that is all.
    pub(super) next: Option<Next>,
}

/// How a service leads on.
pub(super) enum Next {
    /// By the id of the last record.
    Id,
    /// By something else, as it is stored.
    Cursor(String),
}

/// A number of ids that a number of records takes up.
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

/// After what stretches begin. Where cursors are no ids, after the first records of the batches:
/// what leads on from there leads to the same place in the whole listing, or to none that counts.
pub(super) fn starts_of(found: &[Beginning]) -> Starts {
    let leads_by_id = found.iter().any(|one| matches!(one.found.next, Some(Next::Id)));
    if !leads_by_id {
        let mut seen = HashSet::new();
        let cursors: Vec<String> = found
            .iter()
            .filter_map(|one| match &one.found.next {
                // They are stored with commas between them.
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

/// The ids after which stretches begin. Within a batch they are estimated: from where the next one
/// begins, else from the batch before, else from its own first records.
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

    /// Sizes of batches; by place of a batch the offsets that are chosen.
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
        // A place that is counted is the same in every batch.
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
            // The next one tells better, and what it told is taken for the last.
            (
                &[beginning(0, &[50], &[70, 72]), beginning(100, &[0, 10], &[470, 900])],
                &[270, 470, 510],
            ),
            // Ids that do not rise from batch to batch tell nothing.
            (&[beginning(0, &[5], &[70, 72]), beginning(100, &[0], &[9, 10])], &[80, 9]),
            (&[beginning(0, &[u64::MAX], &[i64::MIN, i64::MAX])], &[]),
        ];
        for (place, (found, expected)) in cases.iter().enumerate() {
            assert_eq!(ids_of(found), *expected, "case {place}");
        }
    }
}
