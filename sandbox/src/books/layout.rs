//! The export formats of merchants' accounting programs: each has its own peculiarities, all of
//! them described by the configuration of its ledger.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::random::Random;
use crate::world::records::Records;

/// A format of a ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layout {
    /// The standard column names.
    Plain,
    /// Semicolons, decimal commas, 31.12.2026, Windows-1252, preamble and totals.
    German,
    /// 12/31/2026, quoted thousands, refunds in parentheses, byte order mark, CRLF.
    American,
    /// Debit and credit in separate columns, tabs, UTF-16.
    Split,
    /// One compressed file a day, pipes, trailing minus, its own words.
    Daily,
    /// Spaces between thousands, 20261231, UTF-16 with the high byte first.
    French,
    /// Apostrophes between thousands, 31-Dec-2026, quotes and line breaks in remarks.
    Swiss,
    /// One file for several merchants.
    Shared,
}

/// The layouts of merchants with a ledger of their own.
const OWN: [Layout; 7] = [
    Layout::Plain,
    Layout::German,
    Layout::American,
    Layout::Split,
    Layout::Daily,
    Layout::French,
    Layout::Swiss,
];

/// Percentage of merchants that share a ledger.
const SHARING_PERCENT: u32 = 25;

/// A `[[ledgers]]` table of the configuration.
#[derive(Clone, Debug, Serialize)]
pub struct LedgerTable {
    pub name: String,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    delimiter: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decimal: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thousands: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date_format: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skip_lines: Option<u64>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    columns: BTreeMap<&'static str, &'static str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    values: BTreeMap<&'static str, BTreeMap<&'static str, &'static str>>,
}

/// Assigns the configured merchants to layouts, each ledger once.
pub fn share_out(seed: u64, records: &Records) -> Vec<(Layout, Vec<usize>)> {
    let mut random = Random::new(seed, &[8]);
    let (mut ledgers, mut sharing) = (Vec::new(), Vec::new());
    let offset = random.index(OWN.len());
    for (at, merchant) in records.merchants.iter().enumerate() {
        let shares = random.chance(SHARING_PERCENT);
        if !merchant.is_configured || merchant.is_silent {
            continue;
        }
        if shares {
            sharing.push(at);
        } else {
            ledgers.push((OWN[(at + offset) % OWN.len()], vec![at]));
        }
    }
    if !sharing.is_empty() {
        ledgers.push((Layout::Shared, sharing));
    }
    ledgers
}

impl Layout {
    /// The name of the ledger of `merchants` in this layout.
    pub fn ledger_name(self, records: &Records, merchants: &[usize]) -> String {
        match (self, merchants) {
            (Self::Shared, _) | (_, []) => "shared".to_owned(),
            (_, [only, ..]) => format!("books-{}", records.merchants[*only].id),
        }
    }

    /// The headers of the file, in their order.
    pub fn headers(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &[
                "id",
                "kind",
                "date",
                "amount",
                "currency",
                "order_id",
                "reference",
                "last4",
                "status",
            ],
            Self::German => &[
                "Beleg", "Art", "Datum", "Betrag", "Währung", "Auftrag", "Referenz", "Karte",
                "Zustand",
            ],
            Self::American => &[
                "Invoice",
                "Customer",
                "Date",
                "Amount",
                "Currency",
                "Order",
                "Processor ref",
                "Card",
                "Status",
            ],
            Self::Split => {
                &["No", "Date", "Debit", "Credit", "Cur", "Order", "Ref", "Last4", "State"]
            }
            Self::Daily => &["ref", "last4", "day", "id", "type", "total", "order", "state", "cur"],
            Self::French => {
                &["Pièce", "Type", "Date", "Montant", "Devise", "Commande", "Réf", "Carte", "État"]
            }
            Self::Swiss => &[
                "Nr",
                "Art",
                "Tag",
                "Betrag",
                "Whg",
                "Auftrag",
                "Zahlungsnummer",
                "Karte",
                "Status",
                "Bemerkung",
            ],
            Self::Shared => &[
                "merchant",
                "id",
                "kind",
                "date",
                "amount",
                "currency",
                "order_id",
                "reference",
                "last4",
                "status",
            ],
        }
    }

    /// The configuration table that describes the files of ledger `name`; with overlaps it has two
    /// files.
    pub fn table(self, name: &str, overlaps: bool) -> LedgerTable {
        let plain = LedgerTable {
            name: name.to_owned(),
            path: if overlaps {
                format!("ledger/{name}-?.csv")
            } else {
                format!("ledger/{name}.csv")
            },
            delimiter: None,
            decimal: None,
            thousands: None,
            date_format: None,
            skip_lines: None,
            columns: BTreeMap::new(),
            values: BTreeMap::new(),
        };
        match self {
            Self::Plain | Self::Shared => plain,
            Self::German => german(plain),
            Self::American => LedgerTable {
                date_format: Some("%m/%d/%Y"),
                columns: BTreeMap::from([
                    ("id", "Invoice"),
                    ("order_id", "Order"),
                    ("reference", "Processor ref"),
                    ("last4", "Card"),
                ]),
                ..plain
            },
            Self::Split => LedgerTable {
                delimiter: Some("\t"),
                columns: BTreeMap::from([
                    ("id", "No"),
                    ("currency", "Cur"),
                    ("order_id", "Order"),
                    ("reference", "Ref"),
                    ("status", "State"),
                ]),
                ..plain
            },
            Self::Daily => daily(plain, name),
            Self::French => french(plain),
            Self::Swiss => swiss(plain),
        }
    }
}

fn german(plain: LedgerTable) -> LedgerTable {
    let kind = BTreeMap::from([("Zahlung", "payment"), ("Gutschrift", "refund")]);
    let status = BTreeMap::from([
        ("bezahlt", "paid"),
        ("storniert", "void"),
        ("abgelehnt", "declined"),
        ("zurück", "returned"),
    ]);
    LedgerTable {
        delimiter: Some(";"),
        decimal: Some(","),
        date_format: Some("%d.%m.%Y"),
        skip_lines: Some(3),
        columns: BTreeMap::from([
            ("id", "Beleg"),
            ("kind", "Art"),
            ("date", "Datum"),
            ("amount", "Betrag"),
            ("currency", "Währung"),
            ("order_id", "Auftrag"),
            ("reference", "Referenz"),
            ("last4", "Karte"),
            ("status", "Zustand"),
        ]),
        values: BTreeMap::from([("kind", kind), ("status", status)]),
        ..plain
    }
}

fn daily(plain: LedgerTable, name: &str) -> LedgerTable {
    let kind = BTreeMap::from([("S", "payment"), ("R", "refund")]);
    let status =
        BTreeMap::from([("ok", "paid"), ("x", "void"), ("no", "declined"), ("back", "returned")]);
    LedgerTable {
        path: format!("ledger/{name}/????-??-??.csv.gz"),
        delimiter: Some("|"),
        columns: BTreeMap::from([
            ("kind", "type"),
            ("date", "day"),
            ("amount", "total"),
            ("currency", "cur"),
            ("order_id", "order"),
            ("reference", "ref"),
            ("status", "state"),
        ]),
        values: BTreeMap::from([("kind", kind), ("status", status)]),
        ..plain
    }
}

fn french(plain: LedgerTable) -> LedgerTable {
    LedgerTable {
        delimiter: Some(";"),
        decimal: Some(","),
        thousands: Some(" "),
        date_format: Some("%Y%m%d"),
        columns: BTreeMap::from([
            ("id", "Pièce"),
            ("kind", "Type"),
            ("amount", "Montant"),
            ("currency", "Devise"),
            ("order_id", "Commande"),
            ("reference", "Réf"),
            ("last4", "Carte"),
            ("status", "État"),
        ]),
        ..plain
    }
}

fn swiss(plain: LedgerTable) -> LedgerTable {
    LedgerTable {
        thousands: Some("'"),
        date_format: Some("%d-%b-%Y"),
        skip_lines: Some(1),
        columns: BTreeMap::from([
            ("id", "Nr"),
            ("kind", "Art"),
            ("date", "Tag"),
            ("amount", "Betrag"),
            ("currency", "Whg"),
            ("order_id", "Auftrag"),
            ("reference", "Zahlungsnummer"),
            ("last4", "Karte"),
        ]),
        ..plain
    }
}
