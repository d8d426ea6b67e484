//! The known name that a mistyped one most likely means, by edit distance.

/// Longer names are cut for the comparison: the distance takes time with their product.
const MAX_COMPARED_CHARS: usize = 80;

/// The candidate with the smallest edit distance to `name`; the first of equals.
pub(super) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let name = name.to_lowercase();
    candidates.into_iter().min_by_key(|candidate| edit_distance(&name, &candidate.to_lowercase()))
}

/// Insertions, deletions and replacements that turn one text into the other (Levenshtein).
pub(super) fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().take(MAX_COMPARED_CHARS).collect();
    let mut previous: Vec<usize> = (0..=right.len()).collect();
    for (row, left_char) in left.chars().take(MAX_COMPARED_CHARS).enumerate() {
        let mut current = vec![row + 1];
        for (column, right_char) in right.iter().enumerate() {
            let replaced = previous[column] + usize::from(left_char != *right_char);
            let shifted = previous[column + 1].min(current[column]) + 1;
            current.push(replaced.min(shifted));
        }
        previous = current;
    }
    previous.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_the_edits_between_two_words() {
        let cases = [("", "", 0), ("abc", "", 3), ("kitten", "sitting", 3), ("page", "pgae", 2)];
        for (left, right, expected) in cases {
            assert_eq!(edit_distance(left, right), expected, "{left} {right}");
        }
    }

    #[test]
    fn names_the_nearest_candidate() {
        assert_eq!(nearest("page_sizes", ["max_in_flight", "page_size"]), Some("page_size"));
        assert_eq!(nearest("anything", []), None);
    }
}
