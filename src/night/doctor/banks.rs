//! Compares the amounts of the last deposits with the lines of each bank: a merchant whose deposits
//! are on the statements of another bank probably has the wrong one configured.

use std::collections::BTreeMap;

use chrono::{Days, NaiveDate};

use super::files::lines_of;
use super::probe::Probe;
use tieout_config::{BankSettings, Merchant, Settings};
use tieout_model::BankLine;
use tieout_model::MerchantId;
use tieout_model::money::Minor;

/// Calendar days within which a line can pay a deposit: a weekend and a holiday.
const DAYS: u64 = 5;
/// Fewer deposits on another bank's statements may be a coincidence.
const FEW: usize = 2;

type Deposit = (MerchantId, NaiveDate, Minor);

/// A probe for each merchant with no deposit of `deposits` on its own bank's statements and some on
/// those of another bank.
pub(super) fn probes(settings: &Settings, deposits: &[Deposit]) -> Vec<Probe> {
    const NAME: &str = "bank";
    let named = |bank: &&BankSettings| {
        settings.merchants.iter().any(|one| one.bank.as_ref() == Some(&bank.name))
    };
    let banks: Vec<&BankSettings> = settings.banks.iter().filter(named).collect();
    if banks.len() < 2 {
        return Vec::new();
    }
    let lines: BTreeMap<&str, Vec<BankLine>> =
        banks.iter().map(|bank| (bank.name.as_str(), lines_of(settings, bank))).collect();
    let wrong = |merchant: &Merchant| {
        let own = merchant.bank.as_deref()?;
        let is_own = |one: &&Deposit| one.0 == merchant.id && one.2 != Minor(0);
        let deposits: Vec<&Deposit> = deposits.iter().filter(is_own).collect();
        let count = |bank: &str| {
            deposits.iter().filter(|one| lines[bank].iter().any(|line| is_of(line, one))).count()
        };
        let others = lines.keys().copied().filter(|bank| *bank != own);
        let (found, other) = others.map(|bank| (count(bank), bank)).max()?;
        (found >= FEW && count(own) == 0).then(|| {
            let (id, all) = (&merchant.id, deposits.len());
            let found = format!(
                "of the last {all} deposits of merchant {id} {found} are on the statements of bank \
                 \"{other}\", none on those of its own, \"{own}\""
            );
            Probe::warning(NAME, found, &format!("set bank = \"{other}\" for merchant {id}"))
        })
    };
    settings.merchants.iter().filter_map(wrong).collect()
}

/// Checks that a line has a deposit's amount, on a day on which it may pay it.
fn is_of(line: &BankLine, (_, paid, amount): &Deposit) -> bool {
    let last = paid.checked_add_days(Days::new(DAYS)).unwrap_or(*paid);
    line.amount == *amount && (*paid..=last).contains(&line.date)
}
