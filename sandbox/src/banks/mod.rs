//! The bank statements of a world: what each merchant's bank would show of its deposits, in the
//! format of that bank. Clean statements show every deposit; plants spoil them in known places.
//! Never reads a statement: it shares no code with the import, whose misreading would cancel out.

mod line;
mod plants;
mod write;

use serde::Serialize;

use super::books::WorldFile;
use super::plants::Expected;
use super::random::Random;
use super::world::records::Records;
use super::world::{WorldError, WorldOptions};

pub use plants::{NEWER_PLANTS, PLANT_CODES, Spoiled};

use write::Format;

/// Of a hundred merchants, those that share a bank account.
const SHARING_PERCENT: u32 = 25;

/// A `[[banks]]` table of the configuration.
#[derive(Clone, Debug, Serialize)]
pub struct BankTable {
    pub name: String,
    path: String,
    originators: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delimiter: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decimal: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date_format: Option<&'static str>,
    #[serde(skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    columns: std::collections::BTreeMap<&'static str, &'static str>,
}

/// Plants the codes of `options` that concern the banks, and says what must be found.
///
/// # Errors
/// When a plant finds no place.
pub fn plant(
    options: &WorldOptions,
    records: &Records,
) -> Result<(Spoiled, Vec<Expected>), WorldError> {
    plants::plant(options, records)
}

/// The bank accounts of a world: for each its table of the configuration, the merchants that
/// name it (by position), and its statements.
pub fn accounts(
    options: &WorldOptions,
    records: &Records,
    spoiled: &Spoiled,
) -> Vec<(BankTable, Vec<usize>, Vec<WorldFile>)> {
    share_out(options.seed, records)
        .into_iter()
        .map(|(format, merchants)| {
            let lines = spoiled.lines(options, records, &merchants);
            let name = match merchants.as_slice() {
                [only] => format!("bank-{}", records.merchants[*only].id),
                _ => "bank-shared".to_owned(),
            };
            let files = write::files(format, &name, options, &lines);
            (format.table(&name), merchants, files)
        })
        .collect()
}

/// Which configured merchants have an account with which bank; those of one account have one
/// currency.
fn share_out(seed: u64, records: &Records) -> Vec<(Format, Vec<usize>)> {
    let mut random = Random::new(seed, &[10]);
    let offset = random.index(Format::ALL.len());
    let (mut accounts, mut sharing) = (Vec::new(), Vec::new());
    for (at, merchant) in records.merchants.iter().enumerate() {
        if merchant.is_silent {
            continue;
        }
        let shares = random.chance(SHARING_PERCENT) && merchant.currency == "USD";
        if merchant.is_configured && shares {
            sharing.push(at);
        } else if merchant.is_configured {
            accounts.push((Format::ALL[(at + offset) % Format::ALL.len()], vec![at]));
        }
    }
    if !sharing.is_empty() {
        accounts.push((Format::Bai2, sharing));
    }
    accounts
}
