//! The merchants' own books of a world: what each of them would have posted, in the format of
//! its accounting program. Clean books agree with every item; plants spoil them in known places.
//! Never reads a ledger: it shares no code with the import, whose misreading would cancel out.

mod entry;
mod layout;
mod plants;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use super::plants::Expected;
use super::world::records::Records;
use super::world::{WorldError, WorldOptions};

pub use layout::LedgerTable;
pub use plants::{PLANT_CODES, Spoiled};

use entry::Entry;

/// A file that belongs to a world, beside its configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldFile {
    /// Relative to the folder of the configuration.
    pub path: String,
    pub content: Vec<u8>,
}

/// Plants the codes of `options` that concern the books, and says what must be found.
///
/// # Errors
/// When a plant finds no place.
pub fn plant(
    options: &WorldOptions,
    records: &Records,
) -> Result<(Spoiled, Vec<Expected>), WorldError> {
    plants::plant(options, records)
}

/// What each entry of the books is about: by its id, the ids of the items at the processor.
pub fn items_behind(
    seed: u64,
    records: &Records,
    spoiled: &Spoiled,
) -> BTreeMap<String, BTreeSet<String>> {
    let configured = (0..records.merchants.len()).filter(|at| records.merchants[*at].is_configured);
    configured
        .flat_map(|merchant| spoiled.apply(entry::clean(seed, records, merchant)))
        .map(|entry| (entry.id.clone(), entry.item_ids(records)))
        .collect()
}

/// The ledgers of a world: for each its table of the configuration, the merchants that name it
/// (by position), and its files.
pub fn ledgers(
    seed: u64,
    records: &Records,
    spoiled: &Spoiled,
) -> Vec<(LedgerTable, Vec<usize>, Vec<WorldFile>)> {
    layout::share_out(seed, records)
        .into_iter()
        .map(|(layout, merchants)| {
            let mut entries: Vec<Entry> = merchants
                .iter()
                .flat_map(|merchant| spoiled.apply(entry::clean(seed, records, *merchant)))
                .collect();
            entries.sort_by(|one, other| (one.date, &one.id).cmp(&(other.date, &other.id)));
            let name = layout.ledger_name(records, &merchants);
            let files = write::files(layout, &name, records, &entries);
            (layout.table(&name), merchants, files)
        })
        .collect()
}
