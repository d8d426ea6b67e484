//! Unreadable ledger rows may be the missing records of items. While they are at least as many as
//! the items that they could be, these items, and the ambiguities with some of them, are not
//! evaluated.

use std::collections::HashMap;

use super::super::input::{Item, LeftOutRow, MerchantInput};
use super::super::odd_reference::KnownIds;
use super::super::states::{ItemState, Outcome};

/// Maximum number of comparisons. Above it, every row counts as possible for every item.
const MAX_COMPARISONS: usize = 2_000_000;

/// The unreadable rows that could be the record of each unmatched item.
#[derive(Default)]
pub(super) struct Hidden {
    /// By item: the numbers of rows and items linked to it, and the first of these rows.
    of_item: HashMap<u32, Share>,
}

#[derive(Clone)]
struct Share {
    rows: usize,
    items: usize,
    first: String,
}

impl Hidden {
    pub(super) fn of(input: &MerchantInput<'_>, outcome: &Outcome) -> Self {
        if input.left_out.is_empty() {
            return Self::default();
        }
        let unmatched = (0..)
            .zip(&outcome.items)
            .filter(|(_, state)| matches!(state, ItemState::Unmatched(_)))
            .map(|one| one.0);
        // Of an ambiguity, as many items are missing as there are more items than records.
        let surplus = outcome.ambiguities.iter().flat_map(|set| {
            let more = set.items.len().saturating_sub(set.records.len());
            set.items.iter().copied().take(more)
        });
        let missing: Vec<u32> = unmatched.chain(surplus).collect();
        let is_any = missing.len().saturating_mul(input.left_out.len()) > MAX_COMPARISONS;
        let ids = KnownIds::of(input);
        // A union-find forest over the rows, followed by the items.
        let rows = input.left_out.len();
        let mut parents: Vec<usize> = (0..rows + missing.len()).collect();
        for (at, row) in input.left_out.iter().enumerate() {
            for (number, &item) in missing.iter().enumerate() {
                if is_any || could_be(row, &input.items[item as usize], input, &ids) {
                    let (one, two) = (root(&mut parents, at), root(&mut parents, rows + number));
                    parents[one.max(two)] = one.min(two);
                }
            }
        }
        let mut shares: HashMap<usize, Share> = HashMap::new();
        for (at, row) in input.left_out.iter().enumerate() {
            let root = root(&mut parents, at);
            let share = Share { rows: 0, items: 0, first: row.place.clone() };
            shares.entry(root).or_insert(share).rows += 1;
        }
        let mut of_item = HashMap::new();
        for (number, &item) in missing.iter().enumerate() {
            let root = root(&mut parents, rows + number);
            if let Some(share) = shares.get_mut(&root) {
                share.items += 1;
                of_item.insert(item, root);
            }
        }
        Self {
            of_item: of_item
                .into_iter()
                .map(|(item, root)| (item, shares[&root].clone()))
                .collect(),
        }
    }

    /// Why the item cannot be called missing in the ledger.
    pub(super) fn problem(&self, item: u32) -> Option<String> {
        let share = self.of_item.get(&item).filter(|share| share.rows >= share.items)?;
        let first = &share.first;
        Some(match share.rows {
            1 => format!("a ledger row that was left out could be its record: {first}"),
            rows => format!(
                "{rows} ledger rows that were left out could be its record; the first is {first}"
            ),
        })
    }

    /// A sentence with the number of rows that could be the item's, if they are too few for all
    /// items.
    pub(super) fn remark(&self, item: u32) -> Option<String> {
        let share = self.of_item.get(&item).filter(|share| share.rows < share.items)?;
        let rows =
            if share.rows == 1 { "1 ledger row" } else { &format!("{} ledger rows", share.rows) };
        Some(format!(
            "Of {} items like it, {rows} that could not be read can be the record.",
            share.items
        ))
    }
}

fn could_be(row: &LeftOutRow, item: &Item, input: &MerchantInput<'_>, ids: &KnownIds<'_>) -> bool {
    if let Some(reference) = row.reference.as_deref()
        && ids.holds(super::super::input::unwrapped(reference))
    {
        return item.is_named(Some(reference));
    }
    let terms = input.terms;
    row.kind.is_none_or(|kind| kind == item.kind.ledger_kind())
        && row.currency.is_none_or(|own| item.currency.is_none_or(|currency| own == currency))
        && row.amount.is_none_or(|own| item.amount.is_none_or(|amount| own == amount))
        && row.date.is_none_or(|date| terms.away(item, date) <= terms.window_days)
}

fn root(parents: &mut [usize], mut node: usize) -> usize {
    while parents[node] != node {
        parents[node] = parents[parents[node]];
        node = parents[node];
    }
    node
}
