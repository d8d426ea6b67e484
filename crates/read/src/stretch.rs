//! One stretch of a long listing, and the place where it meets the next. Pure except for its pages.

use crate::api::{ApiError, Page, Pages};
use tieout_model::Record;

/// A stretch whose first page was read.
pub(super) struct Stretch {
    /// Its index among the stretches, which numbers its pages.
    pub(super) place: u32,
    pub(super) pages: Pages,
    /// Ids of the first page.
    pub(super) first: Vec<i64>,
    /// Ids of the last page already stored.
    pub(super) stored: Vec<i64>,
    /// The next page to keep, when it is read already.
    pub(super) page: Option<Page>,
    /// Whether the last page is already stored.
    pub(super) is_done: bool,
}

impl Stretch {
    /// Checks that it begins after the first page of the stretch `before`.
    pub(super) fn comes_after(&self, before: &Self) -> bool {
        before.first.last().zip(self.first.first()).is_some_and(|(last, first)| last < first)
    }
}

/// The result of opening a stretch; `None` where the listing has no page there.
pub(super) type Opened = Result<Option<Stretch>, ApiError>;

/// The usable stretches: those with stored pages, and those that opened with rising ids beyond those
/// of the stretch before. Dropping another one costs nothing, since the stretch before it reads on. Without the first
/// stretch the listing has no beginning, so its error is returned.
pub(super) fn in_order(opened: Vec<Opened>) -> Result<Vec<Stretch>, ApiError> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for stretch in opened {
        let stretch = match stretch {
            Ok(Some(stretch)) => stretch,
            Err(error) if stretches.is_empty() => return Err(error),
            Ok(None) | Err(_) => continue,
        };
        let is_later = stretches.last().is_none_or(|before| stretch.comes_after(before));
        let begins_well = stretches.first().is_none_or(|beginning| is_rising(&beginning.first));
        let is_begun = !stretch.stored.is_empty();
        if is_begun || (is_later && begins_well && is_rising(&stretch.first)) {
            stretches.push(stretch);
        }
    }
    Ok(stretches)
}

/// Up to `count` positions beyond the last of `starts`, spaced as the last two.
pub(super) fn beyond(starts: &[i64], count: usize) -> Vec<i64> {
    let [.., before, last] = starts else { return Vec::new() };
    let distance = last.checked_sub(*before).filter(|distance| *distance > 0);
    let next = |start: &i64| start.checked_add(distance?);
    std::iter::successors(next(last), next).take(count).collect()
}

/// Checks that a stretch opened after `start` has records beyond it.
pub(super) fn finds_more(opened: &Opened, start: i64) -> bool {
    match opened {
        Ok(Some(stretch)) => stretch.first.first().is_some_and(|first| *first > start),
        Ok(None) | Err(_) => false,
    }
}

/// Checks whether a later stretch begins within a page: its first records equal the rest of the
/// page.
pub(super) fn meets(page: &[i64], firsts: &[Vec<i64>], index: usize) -> bool {
    firsts.iter().skip(index + 1).any(|first| {
        let place = first.first().and_then(|id| page.iter().position(|found| found == id));
        place.is_some_and(|place| page[place..].iter().zip(first).all(|(one, other)| one == other))
    })
}

/// The distance in ids from the end of a page to the beginning of the next stretch. It approximates
/// the number of records, by which stretches are compared. The end of the last stretch is unknown.
pub(super) fn left(page: &[i64], firsts: &[Vec<i64>], index: usize) -> u64 {
    let next = firsts.get(index + 1).and_then(|first| first.first());
    let (Some(last), Some(next)) = (page.last(), next) else { return u64::MAX };
    u64::try_from(next.saturating_sub(*last)).unwrap_or_default()
}

/// Checks that ids never fall; those of an authorization captured in parts are equal.
pub(super) fn is_rising(ids: &[i64]) -> bool {
    ids.is_sorted()
}

pub(super) fn ids(records: &[Record]) -> Vec<i64> {
    records
        .iter()
        .filter_map(|record| match record {
            Record::Authorization(item) => Some(item.authorization_id.0),
            Record::Transaction(item) => Some(item.transaction_id.0),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_on_beyond_the_last_place_at_its_distance() {
        let cases: [(&[i64], usize, &[i64]); 7] = [
            (&[], 2, &[]),
            (&[40], 2, &[]),
            (&[40, 70], 0, &[]),
            (&[10, 40, 70], 3, &[100, 130, 160]),
            (&[70, 70], 2, &[]),
            (&[70, 40], 2, &[]),
            (&[0, i64::MAX / 2 + 1], 2, &[]),
        ];
        for (starts, count, expected) in cases {
            assert_eq!(beyond(starts, count), expected, "{starts:?}");
        }
    }

    #[test]
    fn meets_only_a_later_stretch_that_goes_on_alike() {
        let firsts = vec![vec![1, 2, 3], vec![7, 8, 9], vec![12, 13]];
        let cases: [(&[i64], usize, bool); 8] = [
            (&[4, 5, 6], 0, false),
            (&[5, 6, 7], 0, true),
            (&[6, 7, 8], 0, true),
            (&[12, 13, 14], 0, true),
            (&[6, 7, 10], 0, false),
            (&[7, 8, 9], 1, false),
            (&[11, 12, 13], 1, true),
            (&[], 0, false),
        ];
        for (page, index, expected) in cases {
            assert_eq!(meets(page, &firsts, index), expected, "{page:?}");
        }
    }

    #[test]
    fn tells_how_much_is_left_of_a_stretch() {
        let firsts = vec![vec![1, 2], vec![70, 80], vec![90]];
        assert_eq!(left(&[1, 2], &firsts, 0), 68);
        assert_eq!(left(&[88, 89], &firsts, 1), 1);
        assert_eq!(left(&[95], &firsts, 1), 0);
        assert_eq!(left(&[95], &firsts, 2), u64::MAX);
        assert_eq!(left(&[], &firsts, 0), u64::MAX);
        assert_eq!(left(&[i64::MIN], &[vec![0], vec![i64::MAX]], 0), i64::MAX as u64);
    }
}
