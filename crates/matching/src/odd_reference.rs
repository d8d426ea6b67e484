//! Describes a reference that names nothing at the processor: a spreadsheet has damaged it, or it
//! differs from an id only in case, zeros or spaces. Never decides anything.

use std::collections::{HashMap, HashSet};

use super::input::MerchantInput;
use tieout_model::{AuthorizationId, ShortText};

/// Ids at the processor, keyed by the id without case, leading zeros and spaces.
pub(super) struct KnownIds<'a> {
    ids: HashMap<String, &'a str>,
    authorizations: HashSet<AuthorizationId>,
}

impl<'a> KnownIds<'a> {
    pub(super) fn of(input: &MerchantInput<'a>) -> Self {
        let of_items = input.items.iter().map(|item| item.item_id.as_str());
        let of_transfers = input.transfers.iter().map(|one| one.transfer_id.as_str());
        let settled = input.standing.iter().flat_map(|standing| &standing.settled_ids);
        let settled = settled.map(ShortText::as_str);
        let ids = of_items.chain(of_transfers).chain(settled).map(|id| (bare(id), id)).collect();
        let authorizations = input.items.iter().filter_map(|item| item.authorization_id);
        Self { ids, authorizations: authorizations.collect() }
    }

    /// Whether it is an id of an item, an authorization or a bank transfer.
    pub(super) fn holds(&self, reference: &str) -> bool {
        let is_authorization =
            || reference.parse().is_ok_and(|id| self.authorizations.contains(&AuthorizationId(id)));
        self.ids.get(&bare(reference)).is_some_and(|id| *id == reference) || is_authorization()
    }

    /// The known id that `reference` may stand for, in the processor's spelling.
    fn like(&self, reference: &str) -> Option<String> {
        let bare = bare(reference);
        let number =
            bare.parse().ok().map(AuthorizationId).filter(|id| self.authorizations.contains(id));
        let known = self.ids.get(&bare).map(|id| (*id).to_owned());
        known.or_else(|| number.map(|id| id.to_string()))
    }

    /// One sentence about a reference that names nothing.
    pub(super) fn describe(&self, reference: &str) -> String {
        if is_scientific(reference) {
            return format!(
                "The reference {reference} has lost digits: a spreadsheet wrote it as a number."
            );
        }
        let damage = undamaged(reference).map(|whole| (self.like(&whole), whole));
        match damage {
            Some((Some(id), _)) => format!(
                "The reference {reference} looks like {id}, written as a number by a spreadsheet."
            ),
            Some((None, whole)) => format!(
                "The reference {reference} looks damaged by a spreadsheet, and {whole} names \
                 nothing of this merchant at the processor."
            ),
            None => match self.like(reference) {
                Some(id) => format!(
                    "The reference {reference} differs from {id} in case, zeros or spaces only."
                ),
                None => format!(
                    "The reference {reference} names nothing of this merchant at the processor."
                ),
            },
        }
    }
}

fn bare(id: &str) -> String {
    let id: String = id.chars().filter(|one| !one.is_whitespace()).collect();
    id.trim_start_matches('0').to_lowercase()
}

/// Whether it is a number in scientific notation, such as `6.13E+06`.
pub(super) fn is_scientific(reference: &str) -> bool {
    let Some((number, exponent)) = reference.split_once(['e', 'E']) else { return false };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let fraction = number.split_once('.').map_or(
        number,
        |(whole, fraction)| {
            if digits(whole) { fraction } else { "" }
        },
    );
    digits(fraction) && exponent.strip_prefix('+').is_some_and(digits)
}

/// The digits of `6130001.0` or `6,130,001`; `None` if a spreadsheet did not write it.
fn undamaged(reference: &str) -> Option<String> {
    let whole = match reference.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|byte| byte == b'0') => whole,
        Some(_) => return None,
        None => reference,
    };
    let digits: String = whole.chars().filter(|one| *one != ',').collect();
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && digits != reference).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_what_a_spreadsheet_does_to_a_number() {
        for (reference, expected) in [
            ("6130001.0", Some("6130001")),
            ("6,130,001", Some("6130001")),
            ("6130001.5", None),
            ("6130001", None),
            ("INV,1", None),
        ] {
            assert_eq!(undamaged(reference).as_deref(), expected, "{reference}");
        }
        for (reference, expected) in
            [("6.13E+06", true), ("6E+6", true), ("6E6", false), ("E+6", false)]
        {
            assert_eq!(is_scientific(reference), expected, "{reference}");
        }
    }
}
