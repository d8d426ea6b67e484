//! The known name that is nearest to a mistyped one, by edit distance.

/// Longer names are cut: the distance takes time in proportion to the product of the lengths.
const MAX_COMPARED_CHARS: usize = 80;

/// The candidate with the smallest edit distance to `name`; the first of equals.
pub(super) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let name = name.to_lowercase();
    candidates.into_iter().min_by_key(|candidate| edit_distance(&name, &candidate.to_lowercase()))
}

/// Insertions, deletions and replacements between two texts (Levenshtein).
pub fn edit_distance(left: &str, right: &str) -> usize {
    strsim::levenshtein(start_of(left), start_of(right))
}

/// The part of `text` that is compared.
fn start_of(text: &str) -> &str {
    text.char_indices().nth(MAX_COMPARED_CHARS).map_or(text, |(end, _)| &text[..end])
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
