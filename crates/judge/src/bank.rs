//! The bank finder: pairs the deposits of every merchant that names a bank with the lines of its
//! statements. Days that no statement covers never give a discrepancy.

mod account;
mod astray;
mod bank_matches;
mod code;
mod deposits;
mod fees;
mod lateness;
mod nearest;
mod not_on_statement;
mod standing;
mod statement;

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use self::account::Account;
use self::code::BankCode;
use self::not_on_statement::Judged;
use crate::adjustments::NotCredited;
use crate::run::{Found, Gap};
use crate::{AsOf, JudgeError, Rules};
use tieout_config::{BankSettings, Merchant, Settings};
use tieout_model::money::Minor;
use tieout_model::{
    BankMatchRow, BankStanding, BankVerdict, CARRIED, DepositId, Finding, HINT, MerchantId,
    StandingKind,
};
use tieout_store::{Store, banks, book_inputs, judging};

/// The result of pairing the bank statements of a date.
#[derive(Clone, Default)]
pub(crate) struct Banked {
    pub found: Found,
    /// Warnings about the statement files.
    pub warnings: Vec<String>,
    /// Rows for `bank_matches.csv`.
    pub rows: Vec<BankMatchRow>,
    /// Deposits that awaited their statement on the previous date; this date reports their outcome.
    awaited: BTreeSet<DepositId>,
    /// Deposits that did not arrive and that the processor sent again, with whether the bank shows
    /// the later deposit.
    pub(crate) resent: BTreeMap<DepositId, bool>,
    /// Deposits that did not arrive and that no equal deposit of their group repeats.
    pub(crate) not_credited: Vec<NotCredited>,
    /// The months, by their last days, whose fees a line took.
    pub(crate) fees_taken: Vec<(MerchantId, NaiveDate)>,
    /// The state of every deposit and line, and of files that were not read.
    pub standing: Vec<BankStanding>,
}

impl Banked {
    /// The deposits of which a statement holds a line.
    pub fn shown(&self) -> BTreeSet<DepositId> {
        let deposits = self.standing.iter().filter(|one| one.kind == StandingKind::Deposit);
        let shown = deposits.filter(|one| {
            one.bank_date.is_some() || one.verdict == BankVerdict::Ambiguous.as_str()
        });
        shown.filter_map(|one| one.id.parse().ok().map(DepositId)).collect()
    }

    /// The deposits whose money later ones brought: balances that these took, and deposits that
    /// were sent again.
    fn carried(&self, store: &Store) -> Result<BTreeSet<DepositId>, JudgeError> {
        let carried = banks::carried_deposits(store)?.into_iter();
        Ok(carried.chain(self.paid_again()).collect())
    }

    /// The deposits that were sent again and that the bank shows since.
    pub(crate) fn paid_again(&self) -> impl Iterator<Item = DepositId> {
        self.resent.iter().filter(|one| *one.1).map(|one| *one.0)
    }
}

/// Pairs deposits and statement lines as of the prepared date.
pub fn find(rules: &Rules<'_>, store: &Store, asof: &AsOf) -> Result<Banked, JudgeError> {
    let mut gaps = BTreeSet::new();
    let mut banked = Banked::default();
    let mut read = Vec::new();
    let days_read = banks::deposit_days_read(store)?;
    let awaited = match asof.previous_date {
        Some(date) => banks::awaited_deposits(store, date)?,
        None => BTreeSet::new(),
    };
    for bank in &rules.settings.banks {
        let merchants = rules.settings.merchants_of_bank(bank);
        if merchants.is_empty() {
            continue;
        }
        let (is_readable, reasons) = note_gaps(store, bank, &merchants, &mut gaps)?;
        let account = Account::new(rules, store, asof, bank, merchants, (&days_read, &awaited))?;
        if is_readable {
            banked.warnings.extend(lateness::warning(&account, store)?);
            read.push((account, reasons.clone()));
        } else {
            let (rows, standing) = account.unread(store)?;
            banked.rows.extend(rows);
            banked.standing.extend(standing);
        }
        banked.warnings.extend(reasons);
    }
    let nameless = banks::nameless_deposits(store)?;
    let mut paired = Vec::new();
    for (account, _) in &read {
        paired.push(account.paired(store, &nameless)?);
    }
    astray::release(&mut paired);
    let unlisted = book_inputs::unlisted_merchants(store)?;
    // No finding about several missing deposits counts them.
    let mut gone: BTreeSet<String> =
        banks::carried_deposits(store)?.iter().map(ToString::to_string).collect();
    let mut judged = Vec::new();
    for (paired, (account, reasons)) in paired.into_iter().zip(&read) {
        let own = paired.banked(reasons.is_empty());
        let mut merchants = account.merchants.iter();
        if let Some(nobody) = merchants.find(|one| unlisted.contains(&one.id)) {
            gaps.extend(unknown_credits(&own.findings, nobody));
        }
        banked.rows.extend(own.rows);
        banked.standing.extend(own.standing);
        gone.extend(own.resent.iter().filter(|one| *one.1).map(|one| one.0.to_string()));
        banked.resent.extend(own.resent);
        banked.not_credited.extend(own.not_credited);
        banked.fees_taken.extend(own.fees_taken);
        let (mut findings, paid_on) = (own.findings, own.paid_on);
        findings.retain(|one| !is_missing(one) || !gone.contains(&one.subject));
        let gaps = reasons.iter().map(|reason| standing::gap(account, None, reason.clone()));
        banked.standing.extend(gaps);
        judged.push(Judged { account, findings, paid_on });
    }
    let mut found = not_on_statement::concluded(rules, &judged);
    astray::name(&judged, &mut found);
    banked.found.findings = found.into_iter().flatten().collect();
    // The merchants of other shards have their rows in those shards.
    let is_own = |id: &MerchantId| rules.settings.merchant(id).is_some();
    banked.rows.retain(|row| is_own(&row.merchant_id));
    banked.standing.retain(|one| one.kind == StandingKind::Gap || is_own(&one.merchant_id));
    banked.found.gaps = gaps.into_iter().collect();
    banked.awaited = awaited;
    Ok(banked)
}

/// Gaps for lines that no deposit explains, if a merchant of the account is in no listing: the
/// lines may be deposits that the API lists under another id.
fn unknown_credits<'f>(
    findings: &'f [Finding],
    nobody: &'f Merchant,
) -> impl Iterator<Item = Gap> + 'f {
    let unknown = findings.iter().filter(|one| one.code == BankCode::CreditUnknown.as_str());
    unknown.map(|one| Gap::of_unlisted(&one.code, &one.merchant_id, &nobody.id))
}

/// The findings without deposits missing at the bank whose negative balance later deposits took
/// completely. A balance taken in part is reported with the rest.
pub(crate) fn without_carried(
    rules: &Rules<'_>,
    store: &Store,
    asof: &AsOf,
    banked: &Banked,
) -> Result<Found, JudgeError> {
    let rests = banks::carried_rests(store)?.into_iter();
    let rests: BTreeMap<String, i64> = rests.map(|(id, rest)| (id.to_string(), rest)).collect();
    let exceeded = banks::exceeded_deposits(store)?;
    let is_sum = |one: &Finding| one.code == BankCode::ProcessorNotOnStatement.as_str();
    // A sum of missing deposits was made before it was known which balances were carried.
    let has_sum = !rests.is_empty() && banked.found.findings.iter().any(is_sum);
    let mut found = if has_sum { find(rules, store, asof)?.found } else { banked.found.clone() };
    found.findings.retain(|one| !is_missing(one) || rests.get(&one.subject) != Some(&0));
    for one in found.findings.iter_mut().filter(|one| is_missing(one)) {
        if let Some(rest) = rests.get(&one.subject) {
            one.expected = rest.checked_neg();
            let words = one.currency.map(|currency| currency.in_words(Minor(*rest)));
            let rest = words.unwrap_or_default();
            let left = format!(" Later deposits took the rest; {rest} is left.");
            one.explanation.push_str(&left);
        }
        if let Some(said) = exceeded.get(&one.subject) {
            one.explanation.push(' ');
            one.explanation.push_str(said);
        }
    }
    Ok(found)
}

fn is_missing(one: &Finding) -> bool {
    one.code == BankCode::DepositNotInBank.as_str()
}

/// The last day on which a later deposit can take a negative balance of a merchant that was paid,
/// or partly taken, on `day`.
pub(crate) fn carried_until(
    settings: &Settings,
    merchant: &MerchantId,
    day: NaiveDate,
) -> NaiveDate {
    let name = settings.merchant(merchant).map_or(settings.settlement.calendar, |own| own.calendar);
    settings.calendar(name).due(day, account::CARRY_DAYS)
}

/// The rows of `bank_matches.csv`: without carried balances; a deposit is listed if it is paid or
/// due on the date, or was awaited before it.
pub fn match_rows(
    store: &Store,
    asof: &AsOf,
    banked: &Banked,
) -> Result<Vec<BankMatchRow>, JudgeError> {
    let carried = banked.carried(store)?;
    let names = judging::merchant_rules(store)?;
    let date = Some(asof.business_date);
    let is_of_date = |row: &&BankMatchRow| {
        let is_line = row.ach_deposit_id.is_none();
        let was_awaited = row.ach_deposit_id.is_some_and(|id| banked.awaited.contains(&id));
        (is_line || was_awaited || row.payment_date == date || row.due_date == date)
            && row.ach_deposit_id.is_none_or(|id| !carried.contains(&id))
    };
    let with_name = |row: &BankMatchRow| BankMatchRow {
        merchant_name: names.get(&row.merchant_id).map(|rule| rule.0.clone()).unwrap_or_default(),
        ..row.clone()
    };
    Ok(banked.rows.iter().filter(is_of_date).map(with_name).collect())
}

/// The state of every deposit and line. Carried balances and deposits that were paid again have a
/// verdict of their own, since no statement line moves them.
pub fn standing(store: &Store, banked: &Banked) -> Result<Vec<BankStanding>, JudgeError> {
    let carried: BTreeSet<String> =
        banked.carried(store)?.iter().map(ToString::to_string).collect();
    let mut standing = banked.standing.clone();
    let is_carried =
        |one: &&mut BankStanding| one.kind == StandingKind::Deposit && carried.contains(&one.id);
    for one in standing.iter_mut().filter(is_carried) {
        CARRIED.clone_into(&mut one.verdict);
    }
    Ok(standing)
}

/// Adds gaps for files of a bank that could not be read. Returns whether any file could be read,
/// and the reasons for the others.
fn note_gaps(
    store: &Store,
    bank: &BankSettings,
    merchants: &[&Merchant],
    gaps: &mut BTreeSet<Gap>,
) -> Result<(bool, Vec<String>), JudgeError> {
    let mut files = banks::files(store)?;
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
    // A bank without any file yet is readable: its deposits await a statement.
    let is_readable = files.is_empty() || files.iter().any(|file| file.error.is_none());
    // An unread line may be the one that a check would find missing.
    let codes: &[BankCode] = if is_readable {
        &[BankCode::DepositNotInBank, BankCode::AmountMismatch, BankCode::ProcessorNotOnStatement]
    } else {
        &BankCode::ALL
    };
    let remedy = "Correct the file and run the date again; tieout bank check names its faults.";
    if let Some(reason) = reasons.first() {
        for merchant in merchants {
            gaps.extend(codes.iter().map(|code| Gap {
                code: code.as_str().to_owned(),
                merchant_id: merchant.id.clone(),
                reason: format!("{reason}{HINT}{remedy}"),
            }));
        }
    }
    Ok((is_readable, reasons))
}
