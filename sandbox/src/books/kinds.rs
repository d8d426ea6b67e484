//! Books as people keep them: order ids in other spellings, references damaged by a spreadsheet,
//! wrong invoices that were voided, orders that cost nothing. All of them agree with the processor
//! when read as a bookkeeper reads them.

use std::collections::BTreeMap;

use super::entry::{Entry, Source, Uses};
use super::{Spoiled, parts};
use crate::random::Random;
use crate::world::records::Records;
use crate::world::{Kind, WorldOptions};

/// Percentage of suitable entries that are written in another way.
const PERCENT: u32 = 50;
/// Percentage of entries preceded by a voided wrong one.
const VOIDED_PERCENT: u32 = 3;
/// Orders of 0.00 in the books of a merchant.
const FREE_ORDERS: usize = 3;

/// The number of entries of each kind.
pub type Tally = BTreeMap<Kind, usize>;

/// The clean entries of a merchant with the variations of people, and the number of each kind.
/// Entries that a plant changes are left alone.
pub fn write(
    options: &WorldOptions,
    records: &Records,
    spoiled: &Spoiled,
    entries: Vec<Entry>,
) -> (Vec<Entry>, Tally) {
    let mut tally = Tally::new();
    let Some(merchant) = entries.first().map(|entry| entry.merchant) else {
        return (entries, tally);
    };
    let has = |kind| options.kinds.contains(&kind);
    let mut random = Random::new(options.seed, &[12, merchant as u64]);
    let uses = Uses::of(records, merchant);
    let mut written = Vec::new();
    for mut entry in entries {
        if spoiled.is_changed(&entry.id) {
            written.push(entry);
            continue;
        }
        if has(Kind::OrderSpellings) && random.chance(PERCENT) {
            spell_order(&mut random, &mut entry);
        }
        if has(Kind::DamagedReferences) && random.chance(PERCENT) {
            damage_reference(&mut random, records, &uses, &mut entry);
        }
        if has(Kind::VoidedEntries) && entry.status == "paid" && random.chance(VOIDED_PERCENT) {
            written.extend(voided(&entry));
        }
        match parts::write(options, records, &uses, &entry) {
            Some((kind, entries)) => {
                *tally.entry(kind).or_default() += 1;
                written.extend(entries);
            }
            None => written.push(entry),
        }
    }
    if has(Kind::FreeOrders) && written.iter().any(|entry| !spoiled.is_changed(&entry.id)) {
        written.extend(free_orders(&mut random, &written));
    }
    (written, tally)
}

/// The same letters and digits in another case, with other punctuation and without leading zeros.
fn spell_order(random: &mut Random, entry: &mut Entry) {
    let is_only_name = entry.reference.is_none() && entry.last4.is_none();
    let Some(order) = entry.order_id.as_ref().filter(|_| is_only_name) else { return };
    let mut parts = order.split('-').map(|part| {
        let digits = part.trim_start_matches('0');
        if digits.is_empty() || part.starts_with(|sign: char| !sign.is_ascii_digit()) {
            part
        } else {
            digits
        }
    });
    let separator = *random.choose(&[" ", "/", "_"]);
    let spelled = parts.by_ref().collect::<Vec<_>>().join(separator);
    entry.order_id = Some(match random.between(0, 2) {
        0 => spelled.to_lowercase(),
        1 => format!("#{spelled}"),
        _ => spelled,
    });
}

/// A leading sign or a formula still names the item. A number with decimals or an exponent names
/// nothing, so only an item that day, amount and last four digits identify is written so.
fn damage_reference(random: &mut Random, records: &Records, uses: &Uses, entry: &mut Entry) {
    let Some(reference) = entry.reference.clone() else { return };
    let way = random.between(0, 3);
    if way < 2 {
        entry.reference =
            Some(if way == 0 { format!("'{reference}") } else { format!("=\"{reference}\"") });
        return;
    }
    let Source::Card(at) = entry.source else { return };
    let item = &records.authorizations[at];
    if !uses.is_last4_alone(entry.is_refund, item.amount, item.card_last4) {
        return;
    }
    entry.date = item.date;
    entry.last4 = Some(format!("{:04}", item.card_last4));
    entry.reference = Some(match (way, reference.parse::<i64>()) {
        (3, Ok(number)) => {
            let digits = number.to_string();
            let exponent = digits.len() - 1;
            format!("{}.{}E+{exponent:02}", &digits[..1], &digits[1..3.min(digits.len())])
        }
        _ => format!("{reference}.0"),
    });
}

/// The entry made first: a wrong amount, voided, under the same reference.
fn voided(entry: &Entry) -> Option<Entry> {
    entry.reference.as_ref()?;
    Some(Entry {
        id: format!("{}V", entry.id),
        amount: entry.amount + 1_000,
        status: "void",
        ..entry.clone()
    })
}

/// Orders of zero, which the processor never receives.
fn free_orders(random: &mut Random, entries: &[Entry]) -> Vec<Entry> {
    let Some(model) = entries.first() else { return Vec::new() };
    (0..FREE_ORDERS)
        .map(|nth| Entry {
            source: Source::Nothing,
            id: format!("FREE-{:03}-{nth}", model.merchant),
            is_refund: false,
            date: random.choose(entries).date,
            amount: 0,
            order_id: Some(format!("FREE-{nth}")),
            reference: None,
            last4: None,
            status: "paid",
            ..model.clone()
        })
        .collect()
}
