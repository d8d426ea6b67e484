//! The resolved settings: defaults, then `tieout.toml`, then the environment, then flags. A section
//! with rules of its own has a file with its type and how it is read; the other types are here.

mod api;
mod banks;
#[cfg(test)]
pub mod book;
mod cron_expression;
mod defaults;
mod digest;
mod effective;
mod environment;
mod error;
mod fields;
mod groups;
mod keys;
mod load;
mod merchants;
mod nearest;
mod notify;
mod reference;
mod reports;
mod resolve;
mod schedule;
mod schema;
mod settlement;
mod shape;
mod sources;
mod table;
mod template;
mod tree;
mod web_address;

use std::collections::BTreeMap;
use std::path::PathBuf;

use chrono_tz::Tz;

use tieout_model::calendar::{Calendar, CalendarName};
use tieout_model::money::Currency;
use tieout_model::{Accounts, MerchantId, Severity, Shard, TerminalId};

pub use api::{ApiKeySource, ApiSettings, Secret, TransactionsMode};
pub use cron_expression::{CronSchedule, schedule_of};
pub use digest::digest_of;
pub use effective::EffectiveValue;
pub use error::{ConfigError, Place};
pub use load::without_file;
pub use nearest::edit_distance;
pub use notify::{NotifySettings, WebhookFormat};
pub use reference::markdown as reference_page;
pub use reports::{ReportFormat, ReportSettings};
pub use schedule::ScheduleSettings;
pub use settlement::{ComponentSigns, MatchingSettings, MerchantTerms, SettlementSettings};
pub use sources::{DEFAULT_FILE, Sources};
pub use table::TableSettings;
pub use template::{Filled, template};

/// All settings of a run, checked and resolved.
#[derive(Clone, Debug)]
pub struct Settings {
    pub time_zone: Tz,
    pub api: ApiSettings,
    pub store_path: PathBuf,
    pub reports: ReportSettings,
    pub schedule: ScheduleSettings,
    pub settlement: SettlementSettings,
    pub matching: MatchingSettings,
    /// The severity that the configuration gives to single checks, by code; `None` turns one off.
    pub checks: CheckLevels,
    pub custom_checks: CustomChecks,
    pub evidence: EvidenceSettings,
    /// The dataset that every run brings up to date.
    pub export_dir: Option<PathBuf>,
    /// 2 when one person prepares a date and another closes it.
    pub sign_off_people: u8,
    /// The accounts of the journal, when one is written.
    pub journal: Option<Accounts<String>>,
    pub notify: NotifySettings,
    /// The merchants of this run: all, or the share of a shard.
    pub merchants: Vec<Merchant>,
    /// The merchants of other shards.
    pub elsewhere: BTreeMap<MerchantId, Merchant>,
    pub shard: Option<Shard>,
    pub ledgers: Vec<LedgerSettings>,
    pub banks: Vec<BankSettings>,
}

/// The user's own checks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CustomChecks {
    /// The folder of their SQL files; `None` when there are none.
    pub dir: Option<PathBuf>,
    /// How long each may take for a date.
    pub timeout_seconds: u64,
}

/// The signatures and time stamps that prove the reports to others.
#[derive(Clone, Debug, Default)]
pub struct EvidenceSettings {
    /// Signs manifests.
    pub signing_key_file: Option<PathBuf>,
}

/// The severity that the configuration gives to single checks, by code; `None` turns one off.
pub type CheckLevels = BTreeMap<String, Option<Severity>>;

/// A merchant that the configuration names.
#[derive(Clone, Debug)]
pub struct Merchant {
    pub id: MerchantId,
    pub name: Option<String>,
    pub currency: Option<Currency>,
    /// Its own, else the configured one.
    pub time_zone: Tz,
    pub terminals: Vec<TerminalId>,
    /// Whether the key is present: `terminals = []` states that the merchant has none, a missing
    /// key states nothing.
    pub names_terminals: bool,
    /// Its own, else the configured one.
    pub capture_tolerance_percent: u32,
    pub terms: MerchantTerms,
    /// Its own, else Canada's for CAD, else the configured one.
    pub calendar: CalendarName,
    pub ledger: Option<String>,
    /// The bank section whose statements show the merchant's deposits.
    pub bank: Option<String>,
    /// The severity of single checks, where it is its own.
    pub checks: CheckLevels,
}

/// A ledger file pattern and its mapping.
#[derive(Clone, Debug)]
pub struct LedgerSettings {
    pub name: String,
    pub path: PathBuf,
    pub table: TableSettings,
}

/// The statements of a bank account and how the processor is known on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankSettings {
    pub name: String,
    pub path: PathBuf,
    /// `None`: detected from the file.
    pub format: Option<BankFormat>,
    /// The processor's names on statements; at least one.
    pub originators: Vec<String>,
    /// The last four characters of the account, if files hold several.
    pub account: Option<String>,
    /// For CSV and XLSX only, except the time zone.
    pub table: TableSettings,
}

/// A format of bank statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BankFormat {
    Bai2,
    Camt053,
    Mt940,
    Ofx,
    Csv,
    Xlsx,
}

impl BankFormat {
    /// The name that `tieout bank check` prints.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bai2 => "bai2",
            Self::Camt053 => "camt.053",
            Self::Mt940 => "mt940",
            Self::Ofx => "ofx",
            Self::Csv => "csv",
            Self::Xlsx => "xlsx",
        }
    }

    /// The format that the configuration calls `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "bai2" => Self::Bai2,
            "camt053" => Self::Camt053,
            "mt940" => Self::Mt940,
            "ofx" => Self::Ofx,
            "csv" => Self::Csv,
            "xlsx" => Self::Xlsx,
            _ => return None,
        })
    }
}

impl Settings {
    /// The calendar of that name with the configured extra holidays.
    pub fn calendar(&self, name: CalendarName) -> Calendar {
        Calendar::new(name, self.settlement.extra_holidays.clone())
    }

    /// Whether the configuration names any merchants, in this shard or in another.
    pub fn names_merchants(&self) -> bool {
        !(self.merchants.is_empty() && self.elsewhere.is_empty())
    }

    /// Every merchant that the configuration names.
    pub fn all_merchants(&self) -> impl Iterator<Item = &Merchant> {
        self.merchants.iter().chain(self.elsewhere.values())
    }

    /// The merchants that name this bank section, in all shards; empty when no merchant of this run
    /// names it.
    pub fn merchants_of_bank<'a>(&'a self, bank: &BankSettings) -> Vec<&'a Merchant> {
        let names = |merchant: &&Merchant| merchant.bank.as_ref() == Some(&bank.name);
        if !self.merchants.iter().any(|merchant| names(&merchant)) {
            return Vec::new();
        }
        self.all_merchants().filter(names).collect()
    }

    /// The terms of a merchant without terms of its own.
    pub fn usual_terms(&self) -> MerchantTerms {
        MerchantTerms::usual(&self.settlement, &self.matching)
    }

    /// The longest of a term among the merchants; the usual term when none is configured.
    pub fn longest(&self, term: impl Fn(&MerchantTerms) -> u32) -> u32 {
        let own = self.all_merchants().map(|merchant| term(&merchant.terms)).max();
        own.unwrap_or_else(|| term(&self.usual_terms()))
    }

    /// Whether any merchant has that terminal.
    pub fn names_terminal(&self, terminal: &TerminalId) -> bool {
        self.all_merchants().any(|merchant| merchant.terminals.contains(terminal))
    }

    /// Whether this run reports for a ledger that several merchants share: it does when the first
    /// of them, by id, is in its share. All runs of a night agree on the first.
    pub fn speaks_for(&self, is_named: impl Fn(&Merchant) -> bool) -> bool {
        let first = self.all_merchants().filter(|merchant| is_named(merchant));
        let first = first.map(|merchant| &merchant.id).min();
        first.is_some_and(|first| !self.elsewhere.contains_key(first))
    }

    /// The configured level of a check for a merchant: the merchant's own, else the general one.
    pub fn check_level(&self, code: &str, merchant_id: &MerchantId) -> Option<Option<Severity>> {
        let own = self.merchant(merchant_id).and_then(|merchant| merchant.checks.get(code));
        own.or_else(|| self.checks.get(code)).copied()
    }

    /// Whether the configuration turns a check off for all merchants.
    pub fn is_off_for_all(&self, code: &str) -> bool {
        let is_on = |checks: &CheckLevels| checks.get(code).is_some_and(Option::is_some);
        self.checks.get(code) == Some(&None)
            && !self.all_merchants().any(|merchant| is_on(&merchant.checks))
    }

    /// The merchant of that id, when the configuration names it.
    pub fn merchant(&self, id: &MerchantId) -> Option<&Merchant> {
        self.merchants.iter().find(|merchant| merchant.id == *id)
    }
}

#[cfg(test)]
mod tests;
