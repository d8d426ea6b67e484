//! The `tieout.toml` for a world.

use serde::Serialize;

use super::records::Records;
use crate::banks::BankTable;
use crate::books::LedgerTable;
use crate::files::WorldFile;

#[derive(Serialize)]
struct Configuration<'w> {
    time_zone: &'static str,
    api: Api,
    #[serde(skip_serializing_if = "Option::is_none")]
    journal: Option<Journal>,
    merchants: Vec<MerchantTable<'w>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ledgers: Vec<&'w LedgerTable>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    banks: Vec<&'w BankTable>,
}

#[derive(Serialize)]
struct Api {
    base_url: String,
    auth_url: String,
}

#[derive(Serialize)]
struct Journal {
    accounts: Accounts,
}

/// The ledger accounts of the partner.
#[derive(Serialize)]
struct Accounts {
    cash: &'static str,
    clearing: &'static str,
    fees: &'static str,
    reserve: &'static str,
    chargebacks: &'static str,
    returns: &'static str,
}

const ACCOUNTS: Accounts = Accounts {
    cash: "1010 Bank",
    clearing: "1200 Card clearing",
    fees: "6100 Processing fees",
    reserve: "1210 Processor reserve",
    chargebacks: "6200 Chargebacks",
    returns: "1220 Returned payments",
};

#[derive(Serialize)]
struct MerchantTable<'w> {
    id: &'w str,
    name: &'w str,
    currency: &'w str,
    time_zone: &'w str,
    #[serde(skip_serializing_if = "Option::is_none")]
    terminals: Option<&'w [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    capture_tolerance_percent: Option<u32>,
    calendar: &'w str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ledger: Option<&'w str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bank: Option<&'w str>,
}

/// A ledger, the positions of the merchants that name it, and its files.
type Ledger = (LedgerTable, Vec<usize>, Vec<WorldFile>);

/// As `Ledger`, for a bank account.
type Bank = (BankTable, Vec<usize>, Vec<WorldFile>);

/// A configuration for the merchants of `records`, served at `base`, with their own books and
/// bank statements.
pub(super) fn of(records: &Records, base: &str, ledgers: &[Ledger], banks: &[Bank]) -> String {
    let ledger_of = |at: usize| {
        let found = ledgers.iter().find(|(_, merchants, _)| merchants.contains(&at));
        found.map(|(table, _, _)| table.name.as_str())
    };
    let bank_of = |at: usize| {
        let found = banks.iter().find(|(_, merchants, _)| merchants.contains(&at));
        found.map(|(table, _, _)| table.name.as_str())
    };
    let merchants = records.merchants.iter().enumerate();
    let configuration = Configuration {
        time_zone: "America/New_York",
        api: Api { base_url: format!("{base}/v1"), auth_url: base.to_owned() },
        journal: (!ledgers.is_empty()).then_some(Journal { accounts: ACCOUNTS }),
        merchants: merchants
            .filter(|(_, merchant)| merchant.is_configured)
            .map(|(at, merchant)| MerchantTable {
                id: &merchant.id,
                name: &merchant.name,
                currency: merchant.currency,
                time_zone: merchant.time_zone.name(),
                terminals: merchant.names_terminals.then_some(merchant.terminals.as_slice()),
                capture_tolerance_percent: Some(merchant.capture_tolerance_percent)
                    .filter(|percent| *percent > 0),
                calendar: merchant.calendar.name(),
                ledger: ledger_of(at),
                bank: bank_of(at),
            })
            .collect(),
        ledgers: ledgers.iter().map(|(table, _, _)| table).collect(),
        banks: banks.iter().map(|(table, _, _)| table).collect(),
    };
    // Contains only texts and lists of texts, which TOML can always represent.
    toml::to_string(&configuration).unwrap_or_default()
}
