//! The sets of open entries that come nearest to an amount that nothing adds up to, in words.

use tieout_matching::search::{Near, Part};
use tieout_model::money::{Currency, Minor};

/// The number of sets that are named with a finding: one in its explanation, the others where it is
/// shown alone.
pub(crate) const NEAREST: usize = 4;

/// The nearest set as a sentence, and the next ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nearest {
    /// Empty without any, else begins with a blank.
    pub sentence: String,
    pub others: String,
}

impl Nearest {
    /// `sets` are the nearest ones to `target`; `member` names an entry; `is_short` says what the
    /// rest of the target is.
    pub fn of(
        sets: &[Near],
        (target, currency): (i64, Currency),
        is_short: &str,
        member: impl Fn(&Part) -> String,
    ) -> Self {
        let told = sets.iter().filter_map(|near| {
            let members: Vec<String> = near.set.iter().map(&member).collect();
            let (sum, rest) = figures(near, (target, currency), is_short)?;
            Some((members, sum, rest))
        });
        let mut told = told.peekable();
        let sentence = told.next().map_or_else(String::new, |(members, sum, rest)| {
            let (noun, verb) =
                if members.len() == 1 { ("entry", "comes") } else { ("entries", "come") };
            let members = members.join(" and ");
            format!(" The nearest open {noun}, {members}, {verb} to {sum}: {rest}.")
        });
        let others = told.map(|(members, sum, rest)| {
            let members = members.join(" and ");
            format!("{members} ({sum}, {rest})")
        });
        Self { sentence, others: others.collect::<Vec<_>>().join("; ") }
    }
}

/// What the set comes to, and what the target exceeds it by or the other way round.
fn figures(
    near: &Near,
    (target, currency): (i64, Currency),
    is_short: &str,
) -> Option<(String, String)> {
    let sum = i64::try_from(near.sum).ok()?;
    let missing = target.checked_sub(sum)?;
    let amount = currency.in_words(Minor(missing.checked_abs()?));
    let is_over = missing.signum() != target.signum();
    let rest = if is_over { format!("{amount} too much") } else { format!("{amount} {is_short}") };
    Some((currency.in_words(Minor(sum)), rest))
}
