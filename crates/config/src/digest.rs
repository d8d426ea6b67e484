//! The digest of all settings that can change a result: two runs of a date are comparable exactly
//! when their digests agree. Leaves out secrets, paths, how the API is reached, when the job runs
//! and the recipients of notifications.

use std::path::PathBuf;

use super::{
    BankSettings, LedgerSettings, Merchant, MerchantTerms, Settings, SettlementSettings,
    TransactionsMode,
};
use tieout_model::digest::sha256_hex;
use tieout_model::{Severity, TerminalId};

/// SHA-256, in hexadecimal, over the settings that influence results. The order of merchants and
/// ledgers in the file does not count.
pub fn digest_of(settings: &Settings) -> String {
    sha256_hex(canonical_text(settings).as_bytes())
}

/// One setting a line; texts are quoted, so that no value can pass for another line.
fn canonical_text(settings: &Settings) -> String {
    let mut lines = vec![
        // A change of this layout changes the digest of the same settings.
        "layout = 3".to_owned(),
        format!("time_zone = {}", settings.time_zone.name()),
        format!("transactions = {}", settings.api.transactions == TransactionsMode::Auto),
    ];
    // A limit of requests leaves results as they are, or marks them as incomplete.
    let settlement = SettlementSettings { restated_requests: 0, ..settings.settlement.clone() };
    lines.push(format!("{settlement:?}"));
    lines.push(format!("{:?}", settings.matching));
    lines.extend(
        settings.checks.iter().map(|(code, level)| {
            format!("check {code} = {}", level.map_or("off", Severity::as_str))
        }),
    );
    let mut merchants: Vec<String> = settings
        .all_merchants()
        .map(|merchant| merchant_line(merchant, &settings.usual_terms()))
        .collect();
    merchants.sort();
    lines.extend(merchants);
    let mut ledgers: Vec<String> = settings.ledgers.iter().map(ledger_line).collect();
    ledgers.sort();
    lines.extend(ledgers);
    let mut banks: Vec<String> = settings.banks.iter().map(bank_line).collect();
    banks.sort();
    lines.extend(banks);
    lines.join("\n")
}

fn merchant_line(merchant: &Merchant, usual: &MerchantTerms) -> String {
    let mut terminals: Vec<&str> = merchant.terminals.iter().map(TerminalId::as_str).collect();
    terminals.sort_unstable();
    // Nothing is added for a merchant without terms of its own, so that its digest stays the same.
    let own = Some(merchant.terms).filter(|terms| terms != usual);
    let terms = own.map(|terms| format!(" {terms:?}")).unwrap_or_default();
    let checks = Some(&merchant.checks).filter(|checks| !checks.is_empty());
    let checks = checks.map(|checks| format!(" {checks:?}")).unwrap_or_default();
    format!(
        "merchant {:?} = {:?} {:?} {} {terminals:?} {} {:?} {:?} {} {}{terms}{checks}",
        merchant.id.as_str(),
        merchant.name,
        merchant.currency,
        merchant.time_zone.name(),
        merchant.calendar,
        merchant.ledger,
        merchant.bank,
        merchant.names_terminals,
        merchant.capture_tolerance_percent
    )
}

fn bank_line(bank: &BankSettings) -> String {
    // The folder of its files does not change their content.
    let plain = BankSettings { path: PathBuf::new(), ..bank.clone() };
    format!("bank {plain:?}")
}

fn ledger_line(ledger: &LedgerSettings) -> String {
    format!("ledger {:?} = {:?}", ledger.name, ledger.table)
}
