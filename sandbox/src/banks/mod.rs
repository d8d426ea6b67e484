//! The bank statements of a world: the lines that each merchant's bank shows for its deposits, in
//! the format of that bank. Clean statements show every deposit; plants alter them in known places.
//! Never reads a statement: it shares no code with the import, since a shared misreading would
//! cancel out.

mod format;
mod kinds;
mod line;
mod plants;
mod write;

use super::files::WorldFile;
use super::world::WorldOptions;
use super::world::records::Records;

pub use format::BankTable;
use kinds::Tally;
use line::Line;
pub use plants::{NEWER_PLANTS, PLANT_CODES, Spoiled, plant};

/// The bank accounts of a world: for each its configuration table, the merchants that name it (by
/// position), and its statements.
pub fn accounts(
    options: &WorldOptions,
    records: &Records,
    spoiled: &Spoiled,
) -> Vec<(BankTable, Vec<usize>, Vec<WorldFile>)> {
    format::share_out(options.seed, records)
        .into_iter()
        .map(|(format, merchants)| {
            let (lines, _) = lines(options, records, spoiled, &merchants);
            let name = match merchants.as_slice() {
                [only] => format!("bank-{}", records.merchants[*only].id),
                _ => "bank-shared".to_owned(),
            };
            let files = write::files(format, &name, options, &lines);
            (format.table(&name), merchants, files)
        })
        .collect()
}

/// The number of lines of each kind on the statements of a world.
pub fn tally(options: &WorldOptions, records: &Records, spoiled: &Spoiled) -> Tally {
    let mut tally = Tally::new();
    for (_, merchants) in format::share_out(options.seed, records) {
        for (kind, count) in lines(options, records, spoiled, &merchants).1 {
            *tally.entry(kind).or_default() += count;
        }
    }
    tally
}

/// The lines of an account, and the number of each kind among them. Statements with a plant get no
/// variations.
fn lines(
    options: &WorldOptions,
    records: &Records,
    spoiled: &Spoiled,
    merchants: &[usize],
) -> (Vec<Line>, Tally) {
    let lines = spoiled.lines(options, records, merchants);
    if spoiled.is_any() {
        (lines, Tally::new())
    } else {
        kinds::write(options, records, merchants, lines)
    }
}
