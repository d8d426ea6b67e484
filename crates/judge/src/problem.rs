//! Why a check could not be evaluated. A statement selects a problem as plain values: JSON arrays of
//! a kind and its values, one for each part of the sentence. Makes the sentence.

use std::fmt::Display;

use serde_json::{Value, json};

/// The kinds, each with the names of its values and its part of a sentence.
macro_rules! problems {
    ($($kind:literal($($value:ident),*) $part:literal)*) => {
        #[cfg(test)]
        const KINDS: &[(&str, &[&str])] = &[$(($kind, &[$(stringify!($value)),*])),*];

        /// The part of a sentence; `None` for an unknown kind or another number of values.
        fn part(kind: &str, values: &[String]) -> Option<String> {
            match (kind, values) {
                $(($kind, [$($value),*]) => Some(format!($part)),)*
                _ => None,
            }
        }
    };
}

problems! {
    // Listings that were not read completely.
    "authorizations_unread"(day) "the authorizations of {day} were not read completely"
    "batches_unread"(day) "the batches of {day} were not read completely"
    "card_types_unread"(day, merchant)
        "the authorizations of {day} were not read completely, so the card types of merchant \
         {merchant} are not known"
    "cards_unread"(day) "the card transactions of {day} were not read completely"
    "deposits_unread"(from, to) "the deposits from {from} to {to} were not read completely"
    "disputes_unread"(day) "the disputes of {day} were not read completely"
    "fee_day_unread"(day) "the fees listed on {day} were not read completely"
    "fees_unread"(deposit) "the fees of deposit {deposit} were not read completely"
    "group_settled_unread"(merchant, day)
        "the bank transfers of merchant {merchant} settled for {day} were not read completely"
    "returns_unread"(merchant)
        "the returned bank transfers of merchant {merchant} were not read completely"
    "settled_unread"(merchant, day)
        "the bank transfers of merchant {merchant} settled on {day} were not read completely"
    "statuses_unread"(dispute) "the statuses of dispute {dispute} were not read completely"
    "terminal_unread"(terminal, day)
        "the bank transfers of terminal {terminal} settled since {day} were not read completely"
    "deposit_not_found"(deposit) "deposit {deposit}, named by a fee, could not be looked up"
    "payment_not_found"(payment, refund)
        "payment {payment}, named by refund {refund}, could not be looked up"

    // Terminals whose bank transfers were never requested, with the remedy.
    "terminals_unset"(merchant) "the terminals of merchant {merchant} are not configured"
    "terminals_unknown"(merchant, terminals)
        "listings of merchant {merchant} name terminals that are not configured ({terminals})"
    "so_returns_unread"() ", so not all its returned bank transfers were read"
    "so_transfers_unread"() ", so not all its bank transfers were read"
    "add_merchant"(merchant)
        "\nhint: Add merchant {merchant} to the configuration, with its terminals."
    "add_terminals"(merchant)
        "\nhint: Add the terminals to the key terminals of merchant {merchant}."
    "set_terminals"(merchant)
        "\nhint: Set the key terminals of merchant {merchant}, or terminals = [] when it takes no \
         bank transfers."

    // Records that may belong to several others.
    "cards_nameless"(merchant, day)
        "a card transaction that names no merchant may belong to the group of merchant {merchant} \
         for {day}"
    "deposit_undated"(deposit) "deposit {deposit} names no association date"
    "nameless_deposit"(deposit, day)
        "deposit {deposit} of {day} names no merchant: it may pay for this group"
    "undated_deposit"(deposit, day)
        "deposit {deposit} of {day} names no association date: it may pay for this group"
    "nameless_batch"(batch, day) "batch {batch} of {day} names no merchant"
    "may_be_of_group"() ": it may belong to this group"
    "may_be_paid"() ": the deposit may pay for it"
    "may_hold_transfer"() ": the bank transfer may belong to it"
    "nameless_batch_on"(day, merchant)
        "a batch of {day} names no merchant: the bank transfers of merchant {merchant} may belong \
         to it"
    "return_unplaced"(merchant)
        "the batch date that a returned bank transfer of merchant {merchant} counts to is not known"
    "return_unclear"(id, payment)
        "return {id} of payment {payment} does not say whether it was presented again"

    // Currencies.
    "batch_names_no_currency"(batch) "batch {batch} names no currency"
    "batch_without_currency"(merchant, day)
        "a batch of merchant {merchant} on {day} names no currency"
    "group_transfer_without_currency"(merchant, day)
        "a bank transfer of merchant {merchant} settled for {day} names no currency"
    "item_without_currency"() "a transaction in it names no currency"
    "merchant_without_currency"(merchant) "the currency of merchant {merchant} is not known"
    "refund_without_currency"(payment) "payment {payment} or a refund of it names no currency"
    "several_currencies"(merchant, day)
        "the batches of merchant {merchant} on {day} have several currencies"
    "transfer_without_currency"(merchant, day)
        "a bank transfer of merchant {merchant} settled on {day} names no currency"

    // Figures that a record leaves out.
    "authorization_with_unknown"(authorization)
        "authorization {authorization} has a record without an amount"
    "authorization_without_amount"(authorization) "authorization {authorization} has no amount"
    "batch_leaves_out"(batch, figure) "Batch {batch} leaves its {figure} out"
    "batch_without_amounts"(batch) "batch {batch} leaves its sales or returns out"
    "batch_without_figures"(batch) "batch {batch} leaves its sales, returns or count out"
    "batches_leave_out"(batches, merchant, day, figure)
        "The group of batches {batches} of merchant {merchant} on {day} leaves its {figure} out"
    "cards_unclear"(merchant, day)
        "a card transaction of merchant {merchant} for {day} has no amount, no currency or an \
         unknown type"
    "deposit_without_fees"(deposit) "deposit {deposit} leaves its fees out"
    "deposit_without_figures"(deposit) "deposit {deposit} leaves its sales, returns or count out"
    "deposit_without_holds"(deposit) "deposit {deposit} leaves its held sales or its holdback out"
    "deposit_without_net"(deposit) "deposit {deposit} leaves a component or its net out"
    "dispute_without_amount"(dispute) "dispute {dispute} leaves its amount or fee out"
    "fee_without_amount"(deposit) "a fee of deposit {deposit} has no amount"
    "group_leaves_out"(merchant, day, figure)
        "a batch or deposit of merchant {merchant} for {day} leaves its {figure} out"
    "item_without_amount"() "an item of it has no amount"
    "listed_fee_without_amount"(day) "a fee listed on {day} has no amount"
    "refund_without_amount"(payment) "payment {payment} or a refund of it has no amount"
    "transfer_has_no_amount"(kind, transfer) "{kind} {transfer} has no amount"
    "transfer_without_amount"(kind, transfer) "{kind} {transfer} has no amount or currency"

    // Values that the API does not publish.
    "authorization_of_unknown_type"(authorization)
        "authorization {authorization} has a type that is neither capture nor return"
    "cards_unpublished"(merchant, day)
        "a card transaction of merchant {merchant} for {day} has a status that is not published"
    "item_of_unknown_type"()
        "a transaction in it has a type that is neither capture nor return"
    "payment_unpublished"(payment) "payment {payment} has a status that is not published"
    "again_unread"(payment) "a payment that presents {payment} again was not read"
    "refund_unclear"(payment)
        "a refund of payment {payment} has no time, or a status that is not published"
    "unpublished_response"(authorization, response)
        "authorization {authorization} was answered with {response}, which is not published"
    "unpublished_status"(kind, transfer, status)
        "{kind} {transfer} has the status {status}, which is not published"
    "unpublished_type"(kind, transfer, of)
        "{kind} {transfer} has the type {of}, which is not published"
}

/// The sentence of a problem as a statement selects it; `None` if a part has no sentence.
pub(crate) fn sentence(problem: &str) -> Option<String> {
    let each = parts(problem)?.into_iter().map(|(kind, values)| {
        let values: Option<Vec<String>> = values.iter().map(shown).collect();
        part(&kind, &values?)
    });
    each.collect()
}

/// A problem with one value, as a statement would select it.
pub(crate) fn selected(kind: &str, value: impl Display) -> String {
    json!([kind, value.to_string()]).to_string()
}

/// The JSON arrays of a text, one after the other: each its kind and its values.
pub(crate) fn parts(text: &str) -> Option<Vec<(String, Vec<Value>)>> {
    let arrays = serde_json::Deserializer::from_str(text).into_iter::<Vec<Value>>();
    let part = |array: serde_json::Result<Vec<Value>>| {
        let mut array = array.ok()?;
        let kind = array.first()?.as_str()?.to_owned();
        array.remove(0);
        Some((kind, array))
    };
    arrays.map(part).collect()
}

/// A value as a sentence shows it: ids are joined with commas.
fn shown(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.replace(';', ", ")),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kinds that Rust selects.
    const OWN: [&str; 3] = ["disputes_unread", "dispute_without_amount", "statuses_unread"];

    /// Each `json_array(…)` of a statement: the kinds that it can have, and its other values.
    fn selected_in(sql: &str) -> Vec<(Vec<&str>, usize)> {
        let arguments = |rest: &str| {
            let (mut depth, mut commas) = (0_i32, Vec::new());
            for (at, character) in rest.char_indices() {
                match character {
                    '(' => depth += 1,
                    ')' if depth == 0 => return (commas, at),
                    ')' => depth -= 1,
                    ',' if depth == 0 => commas.push(at),
                    _ => {}
                }
            }
            (commas, rest.len())
        };
        let array = |rest| {
            let (commas, end) = arguments(rest);
            let first = &rest[..*commas.first().unwrap_or(&end)];
            (first.split('\'').skip(1).step_by(2).collect(), commas.len())
        };
        sql.split("json_array(").skip(1).map(array).collect()
    }

    #[test]
    fn has_a_sentence_for_every_problem_and_hint_of_the_statements() {
        let files = tieout_store::ASOF_FILES.iter().chain(tieout_store::SQL_CHECKS);
        let mut unused: Vec<&str> = KINDS.iter().map(|kind| kind.0).collect();
        unused.retain(|kind| !OWN.contains(kind));
        for (stem, sql) in files {
            for (kinds, values) in selected_in(sql) {
                assert!(!kinds.is_empty(), "{stem} has an array without a kind");
                for kind in kinds {
                    let own = KINDS.iter().map(|(known, names)| (*known, names.len()));
                    let mut known = own.chain(crate::hint::KINDS);
                    assert!(known.any(|one| one == (kind, values)), "{stem}: {kind}, {values}");
                    unused.retain(|known| *known != kind);
                }
            }
        }
        assert_eq!(unused, Vec::<&str>::new());
    }

    #[test]
    fn refuses_a_part_without_a_sentence() {
        let told = r#"["nameless_batch",7,"2026-11-03"]["may_be_paid"]"#;
        let expected = "batch 7 of 2026-11-03 names no merchant: the deposit may pay for it";
        assert_eq!(sentence(told).as_deref(), Some(expected));
        assert_eq!(sentence(&selected("fees_unread", 5)), part("fees_unread", &["5".to_owned()]));
        for unknown in [r#"["no_such_kind"]"#, r#"["batches_unread"]"#, "[7]", "in words"] {
            assert_eq!(sentence(unknown), None, "{unknown}");
        }
    }
}
