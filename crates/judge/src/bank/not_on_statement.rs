//! Deposits that no line of the processor pays: one finding where the statements do not name it,
//! or name it in other words, and the lines that pay the deposits to the cent show these.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use chrono::NaiveDate;

use super::account::Account;
use super::code::BankCode;
use crate::Rules;
use tieout_config::Merchant;
use tieout_model::money::{Currency, Minor};
use tieout_model::{Finding, mask_card_numbers};

/// Missing deposits that lines of one text must pay: one amount alone can be equal by chance.
const MIN_PAID: usize = 2;

/// Originators and banks that are looked for: a merchant has few.
const MAX_SOURCES: usize = 8;

/// What pairing a bank found, before one finding stands for several.
pub(super) struct Judged<'a> {
    pub(super) account: &'a Account<'a>,
    pub(super) findings: Vec<Finding>,
    /// The payment date of each deposit, by its id.
    pub(super) paid_on: BTreeMap<String, NaiveDate>,
}

/// Where lines stand that may pay missing deposits.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Source {
    bank: String,
    /// The words of their text, without numbers; empty for lines that name the processor.
    words: String,
    /// The longest run of them that no number cuts, by which the originator can be configured.
    name: String,
}

/// A credit that nothing explains.
struct Credit {
    source: Source,
    date: NaiveDate,
    amount: Minor,
    currency: Currency,
    /// The subject of the finding about it.
    subject: Option<String>,
}

/// A missing deposit.
struct Missing<'f> {
    paid: NaiveDate,
    finding: &'f Finding,
}

/// The findings of each bank, where one stands for the deposits that a wrong name or bank hides.
pub(super) fn concluded(rules: &Rules<'_>, judged: &[Judged<'_>]) -> Vec<Vec<Finding>> {
    let credits = credits(rules, judged);
    let mut used = BTreeSet::new();
    let mut found = Vec::new();
    for one in judged {
        let missing = one.missing();
        let sources = sources(one.account, &missing, &credits, &mut used);
        found.push(one.concluded(&missing, &sources));
    }
    let explained = |finding: &Finding| {
        let mut subjects = used.iter().filter_map(|at: &usize| credits[*at].subject.as_ref());
        finding.code == BankCode::CreditUnknown.as_str()
            && subjects.any(|subject| *subject == finding.subject)
    };
    for findings in &mut found {
        findings.retain(|finding| !explained(finding));
    }
    found
}

pub(super) fn is_missing(one: &Finding) -> bool {
    one.code == BankCode::DepositNotInBank.as_str() && one.problem.is_none()
}

/// The credits of the amounts of missing deposits. The files are read for them, so not without
/// need.
fn credits(rules: &Rules<'_>, judged: &[Judged<'_>]) -> Vec<Credit> {
    let findings = || judged.iter().flat_map(|one| &one.findings);
    let amounts: Vec<_> = findings()
        .filter(|one| is_missing(one))
        .filter_map(|one| Some((one.expected.filter(|amount| *amount > 0)?, one.currency?)))
        .collect();
    if amounts.len() < MIN_PAID {
        return Vec::new();
    }
    let wanted: BTreeSet<_> = amounts.iter().map(|(amount, of)| (*amount, of.code())).collect();
    let mut credits = Vec::new();
    for one in judged {
        let (bank, last) = (one.account.bank, one.account.asof.business_date);
        for credit in (rules.other_credits)(rules.settings, bank) {
            let (words, name) = words(&credit.text);
            let is_wanted = wanted.contains(&(credit.amount.0, credit.currency.code()));
            if is_wanted && credit.date <= last && !words.is_empty() {
                credits.push(Credit {
                    source: Source { bank: bank.name.clone(), words, name },
                    date: credit.date,
                    amount: credit.amount,
                    currency: credit.currency,
                    subject: None,
                });
            }
        }
        let unknown = one
            .findings
            .iter()
            .filter(|one| one.code == BankCode::CreditUnknown.as_str() && one.problem.is_none());
        credits.extend(unknown.filter_map(|unknown| {
            Some(Credit {
                source: Source { bank: bank.name.clone(), ..Source::default() },
                date: unknown.batch_date?,
                amount: Minor(unknown.actual?),
                currency: unknown.currency?,
                subject: Some(unknown.subject.clone()),
            })
        }));
    }
    credits
}

/// The words of a text without digits, by which lines of one originator are alike, and the longest
/// run of them that no number cuts.
fn words(text: &str) -> (String, String) {
    let masked = mask_card_numbers(text);
    let words = masked.split(|character: char| !character.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let is_number = |word: &&str| word.contains(|character: char| character.is_numeric());
    let runs = words.split(is_number).map(|run| run.join(" "));
    let name = runs.clone().rev().max_by_key(String::len).unwrap_or_default();
    (runs.filter(|run| !run.is_empty()).collect::<Vec<_>>().join(" "), name)
}

impl Judged<'_> {
    fn missing(&self) -> Vec<Missing<'_>> {
        let missing = self.findings.iter().filter(|one| is_missing(one));
        let mut missing: Vec<Missing<'_>> = missing
            .map(|finding| Missing { paid: self.paid_on[&finding.subject], finding })
            .collect();
        missing.sort_by_key(|one| (one.paid, &one.finding.subject));
        missing
    }

    fn concluded(
        &self,
        missing: &[Missing<'_>],
        sources: &BTreeMap<&str, &Source>,
    ) -> Vec<Finding> {
        let others = self.findings.iter().filter(|one| !is_missing(one));
        let mut findings: Vec<Finding> = others.cloned().collect();
        for merchant in &self.account.merchants {
            let own = || missing.iter().filter(|one| one.finding.merchant_id == merchant.id);
            let is_whole = self.account.lines.is_empty()
                && own().next().map(|one| one.paid) != own().next_back().map(|one| one.paid);
            let is_hidden =
                |one: &&Missing<'_>| is_whole || sources.contains_key(&*one.finding.subject);
            let hidden: Vec<(NaiveDate, &Finding)> =
                own().filter(is_hidden).map(|one| (one.paid, one.finding)).collect();
            findings.extend(own().filter(|one| !is_hidden(one)).map(|one| one.finding.clone()));
            let of_own: BTreeSet<&Source> =
                hidden.iter().filter_map(|(_, one)| sources.get(&*one.subject).copied()).collect();
            for mut one in of_merchant(self.account, merchant, &hidden) {
                name_sources(self.account, &mut one, &of_own);
                findings.push(one);
            }
        }
        findings
    }
}

/// The sources whose lines pay at least two of the missing deposits to the cent, on their
/// payment date or the banking day after it, by the deposit; the most deposits first. Each line
/// pays one deposit.
fn sources<'m, 'c>(
    account: &Account<'_>,
    missing: &'m [Missing<'_>],
    credits: &'c [Credit],
    used: &mut BTreeSet<usize>,
) -> BTreeMap<&'m str, &'c Source> {
    let mut found = BTreeMap::new();
    for _ in 0..MAX_SOURCES {
        let mut pairs: BTreeMap<&Source, Vec<(&str, usize)>> = BTreeMap::new();
        let mut taken = BTreeSet::new();
        for one in missing.iter().filter(|one| !found.contains_key(&*one.finding.subject)) {
            let days = [one.paid, account.calendars[&one.finding.merchant_id].due(one.paid, 1)];
            for (at, credit) in credits.iter().enumerate() {
                // The lines that name the processor on this bank were paired before.
                let is_paired =
                    credit.source.words.is_empty() && credit.source.bank == account.bank.name;
                let fits = Some(credit.amount.0) == one.finding.expected
                    && Some(credit.currency) == one.finding.currency
                    && days.contains(&credit.date);
                if !fits || is_paired || used.contains(&at) || taken.contains(&at) {
                    continue;
                }
                let own = pairs.entry(&credit.source).or_default();
                if own.last().is_none_or(|(subject, _)| *subject != one.finding.subject) {
                    own.push((&one.finding.subject, at));
                    taken.insert(at);
                }
            }
        }
        // The first of the largest.
        let largest = pairs.into_iter().rev().max_by_key(|(_, own)| own.len());
        let Some((source, own)) = largest.filter(|(_, own)| own.len() >= MIN_PAID) else {
            break;
        };
        for (subject, at) in own {
            found.insert(subject, source);
            used.insert(at);
        }
    }
    found
}

fn name_sources(account: &Account<'_>, finding: &mut Finding, sources: &BTreeSet<&Source>) {
    let mut actions = Vec::new();
    for source in sources {
        let Source { bank, words, name } = source;
        let is_own = *bank == account.bank.name;
        let lines = if words.is_empty() {
            format!("Lines of the processor on bank \"{bank}\"")
        } else {
            format!("Lines \"{name}\" on bank \"{bank}\"")
        };
        let _ = write!(
            finding.explanation,
            " {lines} have the amounts of such deposits, to the cent and on their days."
        );
        actions.push(match (is_own, words.is_empty()) {
            (true, _) => format!("Add \"{name}\" to originators of bank \"{bank}\"."),
            (false, true) => format!("Check whether bank \"{bank}\" is the merchant's."),
            (false, false) => format!(
                "Check whether bank \"{bank}\" is the merchant's, and add \"{name}\" to its \
                 originators."
            ),
        });
    }
    if !actions.is_empty() {
        finding.action = Some(actions.join(" "));
    }
}

/// One finding for each currency of the missing deposits, which are in order of payment date.
/// The first currency's subject is the merchant alone, so that it stays the same when others
/// follow.
fn of_merchant(
    account: &Account<'_>,
    merchant: &Merchant,
    missing: &[(NaiveDate, &Finding)],
) -> Vec<Finding> {
    let mut currencies: Vec<Option<Currency>> = Vec::new();
    for (_, one) in missing {
        if !currencies.contains(&one.currency) {
            currencies.push(one.currency);
        }
    }
    let in_one = |(at, &currency): (usize, &Option<Currency>)| {
        let own = || missing.iter().filter(|(_, one)| one.currency == currency);
        let (first, last) = (own().next()?.0, own().next_back()?.0);
        let sum = own().try_fold(0_i64, |sum, (_, one)| sum.checked_add(one.expected?));
        let id = merchant.id.clone();
        Some(Finding {
            code: BankCode::ProcessorNotOnStatement.as_str().to_owned(),
            subject: match currency.filter(|_| at > 0) {
                Some(further) => format!("{id};{}", further.code()),
                None => id.to_string(),
            },
            merchant_id: id,
            currency,
            expected: sum,
            actual: Some(0),
            batch_date: Some(first),
            explanation: explanation(account, own().count(), sum, currency, first, last),
            ..Finding::default()
        })
    };
    currencies.iter().enumerate().filter_map(in_one).collect()
}

fn explanation(
    account: &Account<'_>,
    count: usize,
    sum: Option<i64>,
    currency: Option<Currency>,
    first: NaiveDate,
    last: NaiveDate,
) -> String {
    let deposits = if count == 1 { "deposit".to_owned() } else { format!("{count} deposits") };
    let money = sum.zip(currency).map(|(sum, currency)| currency.in_words(Minor(sum)));
    let lack = if account.lines.is_empty() {
        "names the processor"
    } else {
        "that names the processor pays"
    };
    format!(
        "{}{} of {} in all, paid {}, {} due, and no line on the statements of bank \"{}\" \
         {lack}{}.",
        if count == 1 { "A " } else { "" },
        deposits,
        money.unwrap_or_else(|| "an unknown amount".to_owned()),
        if first == last { format!("on {first}") } else { format!("from {first} to {last}") },
        if count == 1 { "was" } else { "were" },
        account.bank.name,
        match (account.lines.is_empty(), count) {
            (true, _) => "",
            (false, 1) => " it",
            (false, _) => " them",
        }
    )
}
