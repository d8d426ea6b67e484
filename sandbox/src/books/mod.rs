//! The merchants' own books of a world: the entries that each would have posted, in the format of
//! its accounting program. Clean books agree with every item; plants alter them in known places.
//! Never reads a ledger: it shares no code with the import, since a shared misreading would cancel
//! out.

mod entry;
mod kinds;
mod layout;
mod parts;
mod plants;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use super::files::WorldFile;
use super::world::records::Records;
use super::world::{Kind, WorldOptions};

pub use kinds::Tally;
pub use layout::LedgerTable;
pub use plants::{NEWER_PLANTS, PLANT_CODES, RETURNED_REFUND, Spoiled, plant};

use entry::Entry;

/// The subjects of the books' entries: for each entry id, the ids of its items at the processor.
pub fn items_behind(
    options: &WorldOptions,
    records: &Records,
    spoiled: &Spoiled,
) -> BTreeMap<String, BTreeSet<String>> {
    let configured = (0..records.merchants.len()).filter(|at| records.merchants[*at].is_configured);
    configured
        .flat_map(|merchant| entries(options, records, spoiled, merchant).0)
        .map(|entry| (entry.id.clone(), entry.item_ids(records)))
        .collect()
}

/// The ledgers of a world: for each its configuration table, the merchants that name it (by
/// position), and its files.
pub fn ledgers(
    options: &WorldOptions,
    records: &Records,
    spoiled: &Spoiled,
) -> Vec<(LedgerTable, Vec<usize>, Vec<WorldFile>)> {
    let overlaps = options.kinds.contains(&Kind::OverlappingExports);
    layout::share_out(options.seed, records)
        .into_iter()
        .map(|(layout, merchants)| {
            let mut entries: Vec<Entry> = merchants
                .iter()
                .flat_map(|merchant| self::entries(options, records, spoiled, *merchant).0)
                .collect();
            entries.sort_by(|one, other| (one.date, &one.id).cmp(&(other.date, &other.id)));
            let name = layout.ledger_name(records, &merchants);
            let files = write::files(layout, &name, records, &entries, overlaps);
            (layout.table(&name, overlaps), merchants, files)
        })
        .collect()
}

/// The number of entries of each kind in the books of a world.
pub fn tally(options: &WorldOptions, records: &Records, spoiled: &Spoiled) -> Tally {
    let mut tally = Tally::new();
    for merchant in 0..records.merchants.len() {
        for (kind, count) in entries(options, records, spoiled, merchant).1 {
            *tally.entry(kind).or_default() += count;
        }
    }
    tally
}

/// The entries of a merchant's books, with the variations of people and with the plants.
fn entries(
    options: &WorldOptions,
    records: &Records,
    spoiled: &Spoiled,
    merchant: usize,
) -> (Vec<Entry>, Tally) {
    let clean = entry::clean(options.seed, records, merchant);
    let (written, tally) = kinds::write(options, records, spoiled, clean);
    (spoiled.apply(written), tally)
}
