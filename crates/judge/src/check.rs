//! A check as its file describes it: a header of `-- key: value` lines, then, for a check found by
//! SQL, a query that selects the failing rows.

use std::collections::BTreeMap;
use std::time::Duration;

use super::JudgeError;
use tieout_config::Settings;
use tieout_model::{Claim, Figure, MerchantId, ReportedCheck, Resource, Severity};
use tieout_store::PartsOfGroup;

/// The part of the program that finds the failures of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finder {
    /// The query of the check's file.
    Sql,
    /// Matching the ledgers.
    Ledger,
    /// Pairing the bank statements.
    Bank,
    /// Comparing records with what they were when their date was reconciled.
    Restated,
}

/// Records that are re-read while a discrepancy of a check is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reread {
    /// The deposits that it names, each by its id.
    Deposits,
    /// The fees of the deposits that it names.
    Fees,
    /// The authorizations of the batches that it names.
    Items,
    /// The batches that it names, each by its id.
    Batches,
    /// The batches of its batch date.
    BatchDay,
    /// The same, when it names a batch.
    NamedBatchDay,
    /// The bank transfers that settled on its batch date.
    SettledDay,
    /// The same, when it names a bank transfer.
    NamedSettledDay,
    /// The fees of the day that its subject begins with.
    FeeDay,
}

/// The words of the header key `rereads`.
const REREADS: [(&str, Reread); 9] = [
    ("deposits", Reread::Deposits),
    ("fees", Reread::Fees),
    ("items", Reread::Items),
    ("batches", Reread::Batches),
    ("batch-day", Reread::BatchDay),
    ("named-batch-day", Reread::NamedBatchDay),
    ("settled-day", Reread::SettledDay),
    ("named-settled-day", Reread::NamedSettledDay),
    ("fee-day", Reread::FeeDay),
];

/// Money that waits in transit until the check is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    Batches,
    Payments,
    Refunds,
}

/// The words of the header key `transit`.
const WAITING: [(&str, Waiting); 3] =
    [("batches", Waiting::Batches), ("payments", Waiting::Payments), ("refunds", Waiting::Refunds)];

/// The part of an open discrepancy's difference that a merchant is owed and has not received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owed {
    /// The whole expected amount.
    All,
    /// The shortfall against the expected amount.
    Shortfall,
    /// The shortfall of returns, which reduces the amount owed.
    Returns,
}

/// The words of the header key `owed`.
const OWED: [(&str, Owed); 3] =
    [("all", Owed::All), ("shortfall", Owed::Shortfall), ("returns", Owed::Returns)];

/// The words of the header key `money`. Without it, less than expected is short and more is over.
const CLAIMS: [(&str, Claim); 3] = [
    ("more-is-short", Claim::MoreIsShort),
    ("overdue", Claim::Overdue),
    ("unclear", Claim::Unclear),
];

/// The words of the header key `made_of`.
const MADE_OF: [(&str, PartsOfGroup); 2] =
    [("batches", PartsOfGroup::Batches), ("items", PartsOfGroup::Items)];

/// The words of the header key `reopens`, as the SQL of `crates/store/sql/asof` uses them.
const REOPENS: [&str; 7] = ["group", "deposit", "batch", "cards", "record", "ledger", "terminal"];

/// A listing of the date itself that a check cannot do without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    pub resource: Resource,
    /// `date` for the listing of the whole date, else one listing for each terminal.
    pub selector: String,
}

/// One check.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a line of the header by itself")]
pub struct Check {
    /// Name of the file, the test case and the anchor in the documents.
    pub stem: String,
    /// The stem in upper case: the code in the reports.
    pub code: String,
    /// As the file states it; the configuration can change it.
    pub severity: Severity,
    /// `None` when expected and actual stay empty.
    pub figure: Option<Figure>,
    /// `false` when expected and actual cannot be compared, such as amounts of two currencies.
    pub has_difference: bool,
    /// Whether it applies only to merchants that name a ledger.
    pub is_for_ledger: bool,
    /// Whether it applies only to merchants that name a bank.
    pub is_for_bank: bool,
    pub subject: String,
    /// Whether a deposit row, or a batch row, takes its verdict from this check.
    pub names_deposit: bool,
    pub names_batch: bool,
    /// Whether it stays open on later dates and counts in the roll-forward.
    pub is_carried: bool,
    pub finder: Finder,
    /// The objects that a date judges again while a discrepancy of the check is open.
    pub reopens: Vec<String>,
    /// Whether the verdicts of its merchant and of the records that it names depend on it.
    pub decides_verdict: bool,
    /// The records that are re-read while a discrepancy of it is open.
    pub rereads: Vec<Reread>,
    /// Whether the records that it names are re-read before it is first reported.
    pub is_confirmed: bool,
    /// Whether its finding about a group can depend on the links from transactions to deposits.
    pub rests_on_links: bool,
    /// The money that waits in transit until the check is due.
    pub transit: Option<Waiting>,
    /// The part of its difference that counts as overdue.
    pub owed: Option<Owed>,
    /// How its difference counts in the money figures of the reports.
    pub claim: Claim,
    /// Whether it concerns the set-up: money cannot be judged while it fails.
    pub is_setup: bool,
    /// False if its date is not final while a discrepancy of it is open.
    pub is_final_without: bool,
    /// The kind of record that the check cannot evaluate when the record names no merchant.
    pub nameless: Option<String>,
    /// Whether it also judges merchants that the configuration does not name.
    pub judges_unnamed: bool,
    /// Whether its finding replaces the findings of missing records in the merchant's books, and
    /// carries their sum.
    pub stands_for_books: bool,
    /// The parts that its figures add up, for `tieout show`.
    pub made_of: Option<PartsOfGroup>,
    pub needs: Vec<Need>,
    pub means: String,
    /// A sentence with `{column}` in place of the figures.
    pub explanation: String,
    pub action: String,
    /// The sentences of a column: each for a word that the query can select there.
    pub words: BTreeMap<String, BTreeMap<String, String>>,
    pub sql: String,
    /// Set for a check of the user's own: the limits of its query.
    pub custom: Option<Bounds>,
}

impl Check {
    /// Its severity for a merchant under a configuration; `None` if the configuration turns it off.
    pub fn level(&self, settings: &Settings, merchant_id: &MerchantId) -> Option<Severity> {
        settings.check_level(&self.code, merchant_id).unwrap_or(Some(self.severity))
    }

    /// The columns that its sentences show.
    pub(crate) fn shown_columns(&self) -> impl Iterator<Item = &str> {
        let sentences = self.words.values().flat_map(BTreeMap::values).chain([&self.explanation]);
        let places = sentences.flat_map(|text| text.split('{').skip(1));
        let named = places.filter_map(|rest| rest.split_once('}')).map(|(name, _)| name);
        named.chain(self.words.keys().map(String::as_str))
    }

    /// The properties of the check that the reports use.
    pub fn reported(&self) -> ReportedCheck {
        ReportedCheck {
            means: self.means.clone(),
            claim: self.claim,
            is_setup: self.is_setup,
            is_aside: !self.decides_verdict,
            names_deposit: self.names_deposit,
            names_batch: self.names_batch,
            is_for_ledger: self.is_for_ledger,
        }
    }
}

/// Limits of a check of the user's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub timeout: Duration,
}

pub fn parse(finder: Finder, stem: &str, sql: &str) -> Result<Check, JudgeError> {
    let wrong = |problem: String| JudgeError::File { stem: stem.to_owned(), problem };
    let header = header(sql);
    let value = |key: &str| {
        header
            .get(key)
            .cloned()
            .ok_or_else(|| wrong(format!("the header has no line \"-- {key}: …\"")))
    };
    let code = value("code")?;
    if !is_code(&code) {
        return Err(wrong(format!(
            "code is {code:?}, expected upper-case letters, digits and underscores"
        )));
    }
    let severity = value("severity")?;
    let figure = match value("figure")?.as_str() {
        "amount" => Some(Figure::Amount),
        "count" => Some(Figure::Count),
        "none" => None,
        other => return Err(wrong(format!("figure is {other}, expected amount, count or none"))),
    };
    let names = value("names")?;
    let is = |key: &str, word: &str| header.get(key).is_some_and(|value| value == word);
    let reopens = header.get("reopens").map(String::as_str).unwrap_or_default();
    if let Some(other) = reopens.split_whitespace().find(|word| !REOPENS.contains(word)) {
        return Err(wrong(format!("reopens names {other}, expected {}", REOPENS.join(", "))));
    }
    Ok(Check {
        stem: stem.to_owned(),
        code,
        severity: Severity::from_name(&severity).ok_or_else(|| {
            wrong(format!("severity is {severity}, expected info, warning or error"))
        })?,
        figure,
        has_difference: !is("difference", "none"),
        is_for_ledger: is("for", "ledger"),
        is_for_bank: is("for", "bank"),
        subject: value("subject")?,
        names_deposit: names.split(' ').any(|name| name == "deposit"),
        names_batch: names.split(' ').any(|name| name == "batch"),
        is_carried: !is("carried", "no"),
        finder,
        reopens: reopens.split_whitespace().map(str::to_owned).collect(),
        rereads: words(&header, "rereads", &REREADS).map_err(&wrong)?,
        decides_verdict: !is("verdict", "none"),
        is_confirmed: is("confirmed", "yes"),
        rests_on_links: is("links", "yes"),
        transit: words(&header, "transit", &WAITING).map_err(&wrong)?.pop(),
        owed: words(&header, "owed", &OWED).map_err(&wrong)?.pop(),
        claim: words(&header, "money", &CLAIMS).map_err(&wrong)?.pop().unwrap_or_default(),
        is_setup: is("about", "setup"),
        is_final_without: !is("final", "waits"),
        nameless: header.get("nameless").cloned(),
        judges_unnamed: is("unchecked", "judged"),
        stands_for_books: is("stands_for", "books"),
        made_of: words(&header, "made_of", &MADE_OF).map_err(&wrong)?.pop(),
        needs: value("needs")?
            .split(' ')
            .filter(|need| *need != "nothing")
            .map(|need| parse_need(need).ok_or_else(|| wrong(format!("needs names {need}"))))
            .collect::<Result<_, _>>()?,
        means: value("means")?,
        explanation: value("explanation")?,
        action: value("action")?,
        words: sentences(&header),
        sql: sql.to_owned(),
        custom: None,
    })
}

/// The lines `-- key: value` at the beginning of a file. Indented lines below continue a value.
fn header(sql: &str) -> BTreeMap<&str, String> {
    let mut header: BTreeMap<&str, String> = BTreeMap::new();
    let mut latest = None;
    for line in sql.lines().map_while(|line| line.strip_prefix("-- ")) {
        if line.starts_with("  ") {
            if let Some(value) = latest.and_then(|key| header.get_mut(key)) {
                value.push(' ');
                value.push_str(line.trim());
            }
            continue;
        }
        let entry = line.split_once(": ");
        latest = entry.map(|(key, _)| key);
        header.extend(entry.map(|(key, value)| (key, value.to_owned())));
    }
    header
}

/// The lines `-- column word: sentence`.
fn sentences(header: &BTreeMap<&str, String>) -> BTreeMap<String, BTreeMap<String, String>> {
    let is_name = |text: &str| text.bytes().all(|c| c.is_ascii_lowercase() || c == b'_');
    let mut words: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for (key, sentence) in header {
        if let Some((column, word)) = key.split_once(' ').filter(|(a, b)| is_name(a) && is_name(b))
        {
            words.entry(column.to_owned()).or_default().insert(word.to_owned(), sentence.clone());
        }
    }
    words
}

fn is_code(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    text.starts_with(|c: char| c.is_ascii_uppercase()) && text.chars().all(is_part)
}

fn parse_need(text: &str) -> Option<Need> {
    let (resource, selector) = text.split_once('/').unwrap_or((text, "date"));
    let resource = Resource::ALL.into_iter().find(|known| known.as_str() == resource)?;
    Some(Need { resource, selector: selector.to_owned() })
}

/// The words of one header line. An unknown word is an error.
fn words<T: Copy>(
    header: &BTreeMap<&str, String>,
    key: &str,
    known: &[(&str, T)],
) -> Result<Vec<T>, String> {
    let meaning = |word: &str| known.iter().find(|(name, _)| *name == word).map(|known| known.1);
    let line = header.get(key).map(String::as_str).unwrap_or_default();
    line.split_whitespace()
        .map(|word| meaning(word).ok_or_else(|| format!("{key} names {word}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_a_header_without_an_action() {
        let text = "-- code: A_CHECK\n-- severity: error\nselect 1";
        let error = parse(Finder::Sql, "a_check", text).unwrap_err();
        assert!(error.to_string().contains("a_check"), "{error}");
    }

    #[test]
    fn refuses_a_word_that_no_key_knows() {
        let header =
            header("-- rereads: deposits\n--   everything\n-- Not a key\n--   nor its value");
        assert_eq!(header.len(), 1);
        let error = words(&header, "rereads", &REREADS).unwrap_err();
        assert_eq!(error, "rereads names everything");
    }
}
