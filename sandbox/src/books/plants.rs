//! Planted differences between the books and the processor. Each plant changes, adds or removes
//! entries of clean books so that only its own code is found there.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::entry::{Entry, Source, Uses, clean};
use crate::plants::Expected;
use crate::random::Random;
use crate::world::records::{CardKind, Records, Role, TransferStatus};
use crate::world::{WorldError, WorldOptions};

/// The codes that can be planted in books, sorted.
pub const PLANT_CODES: [&str; 7] = [
    "AMBIGUOUS_MATCH",
    "AMOUNT_MISMATCH",
    "CURRENCY_MISMATCH",
    "DUPLICATE_IN_LEDGER",
    "MISSING_AT_PROCESSOR",
    "MISSING_IN_LEDGER",
    "STATUS_MISMATCH",
];

/// Plants of newer rules, which are planted only when named.
pub const NEWER_PLANTS: [&str; 1] = ["LEDGER_NOT_FITTING"];

/// The plant of a returned refund that is paid in the books.
pub const RETURNED_REFUND: &str = "STATUS_MISMATCH/refund";

const NEEDS: &str = "a configured merchant with a card item whose posting is due in the range";

/// Larger than any amount of a world, in minor units.
const FOREIGN_AMOUNT: i64 = 70_000_000;

/// The differences from clean books.
#[derive(Clone, Debug, Default)]
pub struct Spoiled {
    /// The entries that replace a clean entry, by its id.
    changed: BTreeMap<String, Vec<Entry>>,
    /// The additional entries, by position of a merchant.
    added: BTreeMap<usize, Vec<Entry>>,
}

impl Spoiled {
    /// Checks whether the clean entry with that id is replaced.
    pub fn is_changed(&self, id: &str) -> bool {
        self.changed.contains_key(id)
    }

    /// The entries of one merchant with the plants.
    pub fn apply(&self, entries: Vec<Entry>) -> Vec<Entry> {
        let merchant = entries.first().map(|entry| entry.merchant);
        let mut written: Vec<Entry> = entries
            .into_iter()
            .flat_map(|entry| match self.changed.get(&entry.id) {
                Some(instead) => instead.clone(),
                None => vec![entry],
            })
            .collect();
        written.extend(
            merchant.and_then(|merchant| self.added.get(&merchant)).into_iter().flatten().cloned(),
        );
        written
    }
}

/// Plants the codes of `options` that concern the books, and returns the expected findings.
///
/// # Errors
/// When there is no place for a plant.
pub fn plant(
    options: &WorldOptions,
    records: &Records,
) -> Result<(Spoiled, Vec<Expected>), WorldError> {
    let wanted = |code: &str| options.plants.iter().filter(|planted| *planted == code).count();
    let mut forger = Forger {
        records,
        from: options.from,
        to: options.to,
        random: Random::new(options.seed, &[7]),
        entries: Vec::new(),
        uses: BTreeMap::new(),
        used: BTreeSet::new(),
        spoiled: Spoiled::default(),
        expected: Vec::new(),
    };
    let codes = || [RETURNED_REFUND].into_iter().chain(NEWER_PLANTS).chain(PLANT_CODES);
    if codes().all(|code| wanted(code) == 0) {
        return Ok((forger.spoiled, forger.expected));
    }
    for (at, _) in records.merchants.iter().enumerate().filter(|(_, one)| one.is_configured) {
        forger.entries.extend(clean(options.seed, records, at));
        forger.uses.insert(at, Uses::of(records, at));
    }
    for code in codes() {
        for nth in 0..wanted(code) {
            forger.plant(code, nth).ok_or(WorldError::DoesNotFit {
                code,
                from: options.from,
                to: options.to,
                needs: NEEDS,
            })?;
        }
    }
    Ok((forger.spoiled, forger.expected))
}

struct Forger<'w> {
    records: &'w Records,
    from: NaiveDate,
    to: NaiveDate,
    random: Random,
    /// The clean entries of all configured merchants.
    entries: Vec<Entry>,
    /// By position of a merchant: how often an amount occurs among its items.
    uses: BTreeMap<usize, Uses>,
    used: BTreeSet<String>,
    spoiled: Spoiled,
    expected: Vec<Expected>,
}

impl Forger<'_> {
    fn plant(&mut self, code: &'static str, nth: usize) -> Option<()> {
        match code {
            RETURNED_REFUND => self.returned_refund(),
            "LEDGER_NOT_FITTING" => self.not_fitting(),
            "AMBIGUOUS_MATCH" => self.ambiguous(),
            "AMOUNT_MISMATCH" => self.amount(),
            "CURRENCY_MISMATCH" => self.currency(),
            "DUPLICATE_IN_LEDGER" => self.duplicate(),
            "MISSING_AT_PROCESSOR" => self.missing_at_processor(nth),
            "MISSING_IN_LEDGER" => self.missing_in_ledger(nth),
            _ => self.status(nth),
        }
    }

    /// Two entries fit one item equally well.
    fn ambiguous(&mut self) -> Option<()> {
        let entry = self.take(1, |_| true)?;
        let card = self.card(&entry)?;
        let last4 = format!("{:04}", card.card_last4);
        let twins: Vec<Entry> = ["A", "B"]
            .iter()
            .map(|letter| Entry {
                id: format!("{}{letter}", entry.id),
                date: card.date,
                order_id: Some(format!("SHOP-{}{letter}", card.id)),
                reference: None,
                last4: Some(last4.clone()),
                ..entry.clone()
            })
            .collect();
        let ids: Vec<&str> = twins.iter().map(|twin| twin.id.as_str()).collect();
        let first_seen = self.records.due(entry.merchant, card.date, 1);
        let booked = twins.iter().map(|twin| twin.amount).sum();
        let expected = Expected {
            ledger_id: ids.join(";"),
            ..self.about("AMBIGUOUS_MATCH", &entry, first_seen).with_figures(booked, card.amount)
        };
        self.expected.push(expected);
        self.spoiled.changed.insert(entry.id, twins);
        Some(())
    }

    /// A returned refund is paid in the books.
    fn returned_refund(&mut self) -> Option<()> {
        let is_fit = |entry: &&Entry| match entry.source {
            Source::Transfer(at) => {
                let transfer = &self.records.transfers[at];
                transfer.transfer_type.is_refund()
                    && transfer.status == TransferStatus::Returned
                    && entry.date <= self.to
                    && !self.used.contains(&entry.id)
            }
            Source::Card(_) | Source::Nothing => false,
        };
        let entry = self.entries.iter().find(is_fit)?.clone();
        self.used.insert(entry.id.clone());
        let expected = self.about("STATUS_MISMATCH", &entry, self.to);
        self.expected.push(Expected { ledger_id: entry.id.clone(), ..expected });
        let written = Entry { status: "paid", ..entry.clone() };
        self.spoiled.changed.insert(entry.id, vec![written]);
        Some(())
    }

    /// The books of a merchant are those of another shop: no entry belongs to this one.
    fn not_fitting(&mut self) -> Option<()> {
        let mut merchants: BTreeSet<usize> =
            self.entries.iter().map(|entry| entry.merchant).collect();
        for entry in self.entries.iter().filter(|entry| self.used.contains(&entry.id)) {
            merchants.remove(&entry.merchant);
        }
        let candidates: Vec<(usize, NaiveDate)> = merchants
            .into_iter()
            .filter_map(|merchant| Some((merchant, self.known_not_to_fit(merchant)?)))
            .collect();
        let (merchant, first_seen) = self.random.pick(&candidates)?;
        let entries: Vec<Entry> =
            self.entries.iter().filter(|entry| entry.merchant == merchant).cloned().collect();
        let mut amount = FOREIGN_AMOUNT;
        // The amounts due in the books and at the processor.
        let mut missed = (0, 0);
        for entry in &entries {
            amount += 1;
            let foreign = Entry {
                amount,
                order_id: Some(format!("SHOP2-{amount}")),
                reference: None,
                last4: None,
                status: "paid",
                ..entry.clone()
            };
            self.used.insert(entry.id.clone());
            self.spoiled.changed.insert(entry.id.clone(), vec![foreign]);
            if entry.date >= self.from && self.records.due(merchant, entry.date, 2) <= first_seen {
                missed.0 += amount;
            }
            // Until the books cover three dates, each item is missing on its own.
            let Some(day) = self.item_day(entry).filter(|day| *day >= self.from) else { continue };
            let due = self.records.due(merchant, day, 1);
            if due <= first_seen {
                missed.1 += entry.amount;
            }
            if due < first_seen {
                let missing = self.about("MISSING_IN_LEDGER", entry, due);
                let missing = missing.with_figures(0, entry.amount);
                self.expected.push(Expected { last_seen: Some(first_seen), ..missing });
            }
        }
        let about = self.about("LEDGER_NOT_FITTING", entries.first()?, first_seen);
        self.expected.push(Expected {
            code: about.code,
            merchant_id: about.merchant_id,
            first_seen: about.first_seen,
            currency: about.currency,
            ..Expected::default().with_figures(missed.0, missed.1)
        });
        Some(())
    }

    /// The first date by which items and entries of three dates exist, provided that no entry is
    /// missing at the processor before.
    fn known_not_to_fit(&self, merchant: usize) -> Option<NaiveDate> {
        let (mut items, mut posted) = (BTreeSet::new(), BTreeSet::new());
        for entry in self.entries.iter().filter(|entry| entry.merchant == merchant) {
            items.extend(self.item_day(entry).filter(|day| *day >= self.from));
            posted.extend(Some(entry.date).filter(|day| *day >= self.from));
        }
        let first_seen = *items.iter().nth(2)?.max(posted.iter().nth(2)?);
        let missed = self.records.due(merchant, *posted.first()?, 2);
        (first_seen <= missed && first_seen <= self.to).then_some(first_seen)
    }

    /// The batch date of an entry's item.
    fn item_day(&self, entry: &Entry) -> Option<NaiveDate> {
        match entry.source {
            Source::Card(at) => Some(self.records.authorizations[at].date),
            Source::Transfer(at) => {
                let transfer = &self.records.transfers[at];
                transfer.settled.filter(|_| transfer.is_item())
            }
            Source::Nothing => None,
        }
    }

    /// The books name the item with another amount.
    fn amount(&mut self) -> Option<()> {
        let entry = self.take(0, |_| true)?;
        let card = self.card(&entry)?;
        let (amount, day, reference) = (card.amount, card.date, card.transaction_id.to_string());
        let wrong = amount + self.random.amount(101, 9_900);
        let written =
            Entry { amount: wrong, date: day, reference: Some(reference), ..entry.clone() };
        let expected = self.about("AMOUNT_MISMATCH", &entry, day).with_figures(wrong, amount);
        self.expected.push(Expected { ledger_id: entry.id.clone(), ..expected });
        self.spoiled.changed.insert(entry.id, vec![written]);
        Some(())
    }

    /// The books name the item in another currency with as many decimals.
    fn currency(&mut self) -> Option<()> {
        let entry = self.take(0, |entry| matches!(entry.currency, "USD" | "CAD"))?;
        let card = self.card(&entry)?;
        let (amount, day, reference) = (card.amount, card.date, card.transaction_id.to_string());
        let currency = if entry.currency == "USD" { "CAD" } else { "USD" };
        let written = Entry { currency, date: day, reference: Some(reference), ..entry.clone() };
        let expected = self.about("CURRENCY_MISMATCH", &entry, day).with_figures(amount, amount);
        self.expected.push(Expected { ledger_id: entry.id.clone(), ..expected });
        self.spoiled.changed.insert(entry.id, vec![written]);
        Some(())
    }

    /// The same sale is posted twice.
    fn duplicate(&mut self) -> Option<()> {
        let entry = self.take(0, |_| true)?;
        let card = self.card(&entry)?;
        let (amount, day, reference) = (card.amount, card.date, card.transaction_id.to_string());
        let first = Entry { date: day, reference: Some(reference), ..entry.clone() };
        let second = Entry { id: format!("{}-2", entry.id), ..first.clone() };
        // The finding concerns only the books.
        let aside = Entry { source: Source::Nothing, ..entry.clone() };
        let expected = self.about("DUPLICATE_IN_LEDGER", &aside, day);
        self.expected.push(Expected {
            actual: Some(amount),
            ledger_id: second.id.clone(),
            ..expected
        });
        self.spoiled.changed.insert(entry.id, vec![first, second]);
        Some(())
    }

    /// A sale that the processor never received; every second one names an unknown item.
    fn missing_at_processor(&mut self, nth: usize) -> Option<()> {
        let beside = self.take(2, |_| true)?;
        let date = self.card(&beside)?.date;
        // Larger than any sale of a world.
        let amount = 7_000_000 + self.random.amount(1, 900_000);
        let extra = Entry {
            source: Source::Nothing,
            id: format!("{}-X", beside.id),
            date,
            amount,
            order_id: None,
            reference: (nth % 2 == 1).then(|| format!("99{:07}", self.random.between(1, 999_999))),
            last4: None,
            ..beside.clone()
        };
        let first_seen = self.records.due(beside.merchant, date, 2);
        let expected =
            self.about("MISSING_AT_PROCESSOR", &extra, first_seen).with_figures(amount, 0);
        self.expected.push(Expected { ledger_id: extra.id.clone(), ..expected });
        self.spoiled.added.entry(beside.merchant).or_default().push(extra);
        Some(())
    }

    /// An item is not posted; every second one is posted a day late.
    fn missing_in_ledger(&mut self, nth: usize) -> Option<()> {
        let is_late = nth % 2 == 1;
        let entry = self.take(if is_late { 2 } else { 1 }, |_| true)?;
        let card = self.card(&entry)?;
        let (amount, day, reference) = (card.amount, card.date, card.transaction_id.to_string());
        let first_seen = self.records.due(entry.merchant, day, 1);
        let late = self.records.due(entry.merchant, day, 2);
        let expected = self.about("MISSING_IN_LEDGER", &entry, first_seen).with_figures(0, amount);
        self.expected.push(Expected { last_seen: is_late.then_some(late), ..expected });
        let posted = Entry { date: late, reference: Some(reference), ..entry.clone() };
        self.spoiled.changed.insert(entry.id, if is_late { vec![posted] } else { Vec::new() });
        Some(())
    }

    /// A captured item is void in the books; every second plant is a refused bank transfer that is
    /// paid in the books.
    fn status(&mut self, nth: usize) -> Option<()> {
        if nth % 2 == 1 && self.paid_despite_refusal().is_some() {
            return Some(());
        }
        // A sale that was returned in full is void in correct books.
        let given_back: BTreeSet<i64> = self
            .records
            .authorizations
            .iter()
            .filter(|one| one.kind == CardKind::Return)
            .map(|one| one.part_of)
            .collect();
        let records = self.records;
        let entry = self.take(1, |entry| match entry.source {
            Source::Card(at) => {
                !given_back.contains(&records.authorizations[at].authorization_id())
            }
            Source::Transfer(_) | Source::Nothing => false,
        })?;
        let card = self.card(&entry)?;
        let (day, reference) = (card.date, card.transaction_id.to_string());
        let written =
            Entry { status: "void", date: day, reference: Some(reference), ..entry.clone() };
        let first_seen = self.records.due(entry.merchant, day, 1);
        let expected = self.about("STATUS_MISMATCH", &entry, first_seen);
        self.expected.push(Expected { ledger_id: entry.id.clone(), ..expected });
        self.spoiled.changed.insert(entry.id, vec![written]);
        Some(())
    }

    fn paid_despite_refusal(&mut self) -> Option<()> {
        let is_refused = |entry: &&Entry| match entry.source {
            Source::Transfer(at) => {
                let transfer = &self.records.transfers[at];
                let is_in_range = (self.from..=self.to).contains(&transfer.run_date);
                transfer.status == TransferStatus::Declined
                    && transfer.settled.is_none()
                    && transfer.shows_time
                    && is_in_range
                    && !self.used.contains(&entry.id)
            }
            Source::Card(_) | Source::Nothing => false,
        };
        let refused: Vec<Entry> = self.entries.iter().filter(is_refused).cloned().collect();
        let entry = self.random.pick(&refused)?;
        self.used.insert(entry.id.clone());
        let expected = self.about("STATUS_MISMATCH", &entry, entry.date);
        self.expected.push(Expected { ledger_id: entry.id.clone(), ..expected });
        let written = Entry { status: "paid", ..entry.clone() };
        self.spoiled.changed.insert(entry.id, vec![written]);
        Some(())
    }

    /// The entry of an ordinary card item that no plant has used, on a day of the range after which
    /// at least `days` banking days are left in it.
    fn take(&mut self, days: u32, is_fit: impl Fn(&Entry) -> bool) -> Option<Entry> {
        let fitting: Vec<Entry> = self
            .entries
            .iter()
            .filter(|entry| {
                self.card(entry).is_some_and(|card| {
                    card.role == Role::Ordinary
                        && card.date >= self.from
                        && self.records.due(entry.merchant, card.date, days) <= self.to
                }) && is_fit(entry)
                    && self.is_alone(entry)
                    && !self.used.contains(&entry.id)
            })
            .cloned()
            .collect();
        let entry = self.random.pick(&fitting)?;
        self.used.insert(entry.id.clone());
        Some(entry)
    }

    /// Checks that no other item of the merchant has the amount: an altered entry must not fit
    /// another one.
    fn is_alone(&self, entry: &Entry) -> bool {
        self.uses[&entry.merchant].is_amount_alone(entry.is_refund, entry.amount)
    }

    fn card(&self, entry: &Entry) -> Option<&crate::world::records::Authorization> {
        match entry.source {
            Source::Card(at) => Some(&self.records.authorizations[at]),
            Source::Transfer(_) | Source::Nothing => None,
        }
    }

    /// The key's entry about an entry's item, without figures.
    fn about(&self, code: &str, entry: &Entry, first_seen: NaiveDate) -> Expected {
        let merchant = &self.records.merchants[entry.merchant];
        let mut expected = Expected::about(code, merchant, first_seen);
        match entry.source {
            Source::Card(at) => {
                let card = &self.records.authorizations[at];
                expected.batch_id = card.batch_id.to_string();
                expected.authorization_id = card.authorization_id().to_string();
                expected.transaction_id = card.transaction_id.to_string();
            }
            Source::Transfer(at) => {
                let transfer = &self.records.transfers[at];
                let is_refund = transfer.transfer_type.is_refund();
                let id = if is_refund { &mut expected.refund_id } else { &mut expected.payment_id };
                id.clone_from(&transfer.id);
            }
            Source::Nothing => {}
        }
        expected
    }
}
