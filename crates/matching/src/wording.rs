//! The words of findings for items, records and refusals. Never decides anything.

use super::input::{Item, Record};
use super::states::Refusal;
use tieout_model::money::{Currency, Minor};

pub(super) fn money(amount: Option<Minor>, currency: Option<Currency>) -> String {
    match (amount, currency) {
        (Some(amount), Some(currency)) => currency.in_words(amount),
        _ => "an unknown amount".to_owned(),
    }
}

pub(super) fn name_item(item: &Item) -> String {
    let amount = money(item.amount, item.currency);
    format!("{} {} of {amount} dated {}", item.kind.as_str(), item.item_id, item.day)
}

pub(super) fn name_record(record: &Record) -> String {
    let amount = money(Some(record.amount), Some(record.currency));
    let kind = record.kind.as_str();
    format!("ledger {kind} {} of {amount} dated {}", record.ledger_id, record.date)
}

pub(super) fn reason(refusal: Refusal) -> String {
    match refusal {
        Refusal::NamesAnother => "the record names something else".to_owned(),
        Refusal::LastFourDiffers => "the last four digits differ".to_owned(),
        Refusal::OrderDiffers => "the order ids differ".to_owned(),
        Refusal::CurrencyDiffers => "the currencies differ".to_owned(),
        Refusal::NotUnique => "others fit as well".to_owned(),
        Refusal::TooFar { distance_days } => format!("{distance_days} banking days apart"),
        Refusal::AmountDiffers => "the amounts differ".to_owned(),
    }
}

/// Maximum number of ids in a sentence; the finding holds them all.
const MAX_IDS_SHOWN: usize = 5;

pub(super) fn join<'a>(ids: impl Iterator<Item = &'a str> + Clone) -> String {
    let count = ids.clone().count();
    let shown: Vec<&str> = ids.take(MAX_IDS_SHOWN).collect();
    match count.saturating_sub(MAX_IDS_SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

pub(super) fn capitalize(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}
