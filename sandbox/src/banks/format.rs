//! The formats of bank statements, and the bank of each merchant.

use std::collections::BTreeMap;

use serde::Serialize;

use super::line::ORIGINATORS;
use crate::random::Random;
use crate::world::records::Records;

/// Percentage of merchants that share a bank account.
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
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    columns: BTreeMap<&'static str, &'static str>,
}

/// A format of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One file a day.
    Bai2,
    /// One file a week, with one statement a day.
    Camt,
    /// One file a day, with the additions of German banks.
    Mt940,
    /// Two overlapping files.
    Ofx,
    /// One file.
    Csv,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 5] = [Self::Bai2, Self::Camt, Self::Mt940, Self::Ofx, Self::Csv];

    /// The configuration table that describes the statements of account `name`.
    pub fn table(self, name: &str) -> BankTable {
        let extension = match self {
            Self::Bai2 => "bai",
            Self::Camt => "xml",
            Self::Mt940 => "sta",
            Self::Ofx => "ofx",
            Self::Csv => "csv",
        };
        let is_csv = self == Self::Csv;
        let columns = BTreeMap::from([
            ("date", "Booked"),
            ("debit", "Withdrawals"),
            ("credit", "Deposits"),
            ("description", "Details"),
        ]);
        BankTable {
            name: name.to_owned(),
            path: format!("bank/{name}/*.{extension}"),
            originators: ORIGINATORS.to_vec(),
            delimiter: is_csv.then_some(";"),
            decimal: is_csv.then_some(","),
            date_format: is_csv.then_some("%d/%m/%Y"),
            columns: if is_csv { columns } else { BTreeMap::new() },
        }
    }
}

/// Assigns the configured merchants to banks; the merchants of one account have one currency.
pub fn share_out(seed: u64, records: &Records) -> Vec<(Format, Vec<usize>)> {
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
