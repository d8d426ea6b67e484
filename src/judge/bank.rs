//! The bank finder: pairs the deposits of every merchant that names a bank with the lines of its
//! statements. What the statements do not cover is never held against anyone.

mod account;
mod code;
mod deposits;
mod statement;

use std::collections::BTreeSet;

use self::account::Account;
use self::code::BankCode;
use crate::config::{BankSettings, Merchant};
use crate::import::statements::merchants_of_bank;
use crate::judge::run::{Found, Gap};
use crate::judge::{AsOf, JudgeError, Rules};
use crate::store::Store;

/// Pairs as of the prepared date. Answers also with what a person should know about the files.
pub(crate) fn find(
    rules: &Rules<'_>,
    store: &Store,
    asof: &AsOf,
) -> Result<(Vec<String>, Found), JudgeError> {
    let (mut gaps, mut warnings) = (BTreeSet::new(), Vec::new());
    let mut findings = Vec::new();
    let days_read = store.deposit_days_read()?;
    let nameless = store.nameless_deposits()?;
    for bank in &rules.settings.banks {
        let merchants = merchants_of_bank(rules.settings, bank);
        if merchants.is_empty() {
            continue;
        }
        let (is_readable, reasons) = note_gaps(store, bank, &merchants, &mut gaps)?;
        warnings.extend(reasons);
        if is_readable {
            let account = Account::new(rules, store, asof, bank, merchants, &days_read)?;
            findings.extend(account.findings(store, &nameless)?);
        }
    }
    Ok((warnings, Found { findings, gaps: gaps.into_iter().collect() }))
}

/// Notes what of a bank's files could not be read; whether any could, and why the others could
/// not.
fn note_gaps(
    store: &Store,
    bank: &BankSettings,
    merchants: &[&Merchant],
    gaps: &mut BTreeSet<Gap>,
) -> Result<(bool, Vec<String>), JudgeError> {
    let mut files = store.bank_files()?;
    files.retain(|file| file.bank == bank.name);
    let name = &bank.name;
    let mut reasons = Vec::new();
    for file in &files {
        if let Some(error) = &file.error {
            reasons.push(format!("bank \"{name}\": {error}"));
        } else if file.quarantined > 0 {
            reasons.push(format!(
                "bank \"{name}\": {} lines of {} were left out; the first is {}",
                file.quarantined, file.path, file.first_fault
            ));
        }
    }
    let is_readable = files.iter().any(|file| file.error.is_none());
    if files.is_empty() {
        reasons.push(format!("bank \"{name}\": no file matches {}", bank.path.display()));
    }
    // What was not read may be what a check would find missing.
    let codes: &[BankCode] = if is_readable {
        &[BankCode::DepositNotInBank, BankCode::AmountMismatch, BankCode::ProcessorNotOnStatement]
    } else {
        &BankCode::ALL
    };
    if let Some(reason) = reasons.first() {
        for merchant in merchants {
            gaps.extend(codes.iter().map(|code| Gap {
                code: code.as_str().to_owned(),
                merchant_id: merchant.id.to_string(),
                reason: reason.clone(),
            }));
        }
    }
    Ok((is_readable, reasons))
}
