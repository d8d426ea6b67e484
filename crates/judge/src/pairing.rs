//! Pairs the items of every merchant that names a ledger with its records, as of a date. Gives the
//! findings of the ledger checks, the pairs for the reports, and the gaps with their reasons.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::book_terms;
use super::books_compared::compare;
use super::go_on::{MadeFor, MatchedMerchant};
use super::lateness::late_ledgers;
use super::merchant_books::{self, DayCount, MerchantBooks};
use super::run::{Found, Gap};
use super::{Afresh, AsOf, JudgeError, Rules};
use tieout_config::Merchant;
use tieout_matching::{LedgerCode, LedgerInput, Row, Tally, Totals, match_merchant};
use tieout_model::money::Minor;
use tieout_model::{HINT, ItemTotals, LedgerTotals, Total};
use tieout_model::{Listing, MatchRow, MerchantId};
use tieout_store::{
    KeptBooks, LedgerFileState, Store, Touched, book_inputs, kept_books, ledger_files, side_by_side,
};

/// The matched books of a date, in total.
#[derive(Clone, Debug, Default)]
pub struct Books {
    pub items: ItemTotals,
    pub ledger: LedgerTotals,
    pub matches: Vec<MatchRow>,
    /// For merchants whose records were matched: by currency, the paid records dated the day that
    /// are in scope, and how many of them are matched.
    pub days: BTreeMap<MerchantId, BTreeMap<&'static str, DayCount>>,
    pub named: NamedTransfers,
    pub warnings: Vec<String>,
    /// The books to keep, from which the next date resumes.
    pub kept: Arc<Vec<KeptBooks>>,
}

/// Bank transfers that ledger records name but that have no item and are in no listing, by merchant
/// and subject.
pub(crate) type NamedTransfers = BTreeMap<(MerchantId, String), Listing>;

/// The matched books, as of a date, of each merchant that names a ledger.
#[derive(Default)]
pub(crate) struct MatchedBooks {
    merchants: Vec<MerchantBooks>,
    pub found: Found,
    pub named: NamedTransfers,
    warnings: Vec<String>,
    quarantined: u64,
}

impl Rules<'_> {
    /// Matches as of the prepared date. The results in `before` are reused for merchants that are
    /// not `touched`.
    pub(crate) fn match_books(
        &self,
        store: &Store,
        asof: &AsOf,
        before: MatchedBooks,
        touched: &Touched,
    ) -> Result<MatchedBooks, JudgeError> {
        let named: Vec<&Merchant> =
            self.settings.merchants.iter().filter(|merchant| merchant.ledger.is_some()).collect();
        if named.is_empty() {
            return Ok(MatchedBooks::default());
        }
        let files = ledger_files::all(store)?;
        let unread = self.unread_ledgers(&named, &files);
        let readable: Vec<&Merchant> = named
            .into_iter()
            .filter(|merchant| {
                !unread.iter().any(|gap| gap.code.is_empty() && gap.merchant_id == merchant.id)
            })
            .collect();
        book_inputs::name_merchants(store, &readable.iter().map(|one| &one.id).collect())?;
        let standing = before.merchants.into_iter().filter(|one| !touched.holds(&one.merchant_id));
        let mut done: HashMap<MerchantId, MerchantBooks> =
            standing.map(|one| (one.merchant_id.clone(), one)).collect();
        let left: Vec<&Merchant> =
            readable.iter().filter(|one| !done.contains_key(&one.id)).copied().collect();
        let (matched, differing) = self.match_each(store, asof, &left)?;
        done.extend(matched.into_iter().map(|one| (one.merchant_id.clone(), one)));
        let merchants = readable.iter().filter_map(|one| done.remove(&one.id)).collect();
        let files = self.spoken_of(files);
        let mut books = MatchedBooks { merchants, ..MatchedBooks::default() };
        books.warnings = warnings(&files);
        books.warnings.extend(differing);
        books.quarantined = files.iter().map(|file| file.quarantined).sum();
        books.found.gaps = for_each_check(unread);
        let unposted =
            books.merchants.iter().filter_map(|one| Some((&one.merchant_id, one.unposted?)));
        books.warnings.extend(late_ledgers(self.settings, asof, &files, &unposted.collect()));
        let unlisted = book_inputs::unlisted_merchants(store)?;
        for merchant in &books.merchants {
            books.found.gaps.extend(self.unjudgeable(merchant, &unlisted));
            books.warnings.extend(merchant.out_of_scope());
            for Row { finding, named } in &merchant.findings {
                let subject = (finding.merchant_id.clone(), finding.subject.clone());
                books.named.extend(named.clone().map(|listing| (subject, listing)));
                books.found.findings.push(finding.clone());
            }
        }
        Ok(books)
    }

    /// Matches the books of `merchants`. Also returns a warning for each difference from resuming
    /// an earlier date, if `afresh` requests the comparison.
    fn match_each(
        &self,
        store: &Store,
        asof: &AsOf,
        merchants: &[&Merchant],
    ) -> Result<(Vec<MerchantBooks>, Vec<String>), JudgeError> {
        let seen = kept_books::seen(store)?;
        let open = book_inputs::open_findings(store)?;
        let made_for = self.made_for(store, asof, merchants)?;
        let judge = |one: MatchedMerchant<'_>| {
            let made_for = made_for.get(&one.merchant.id);
            merchant_books::judge(self, one, &open, made_for.map(|made_for| (seen, made_for)))
        };
        let matched = side_by_side(self.match_merchants(store, asof, merchants, &made_for)?, judge);
        let mut differing = Vec::new();
        if self.afresh == Afresh::Compared {
            let gone_on = side_by_side(self.go_on(store, asof, merchants, &made_for)?, judge);
            differing = compare(asof.business_date, &matched, &gone_on);
        }
        Ok((matched, differing))
    }

    /// Several shards may read one ledger; only one of them counts it and reports its warnings.
    fn spoken_of(&self, mut files: Vec<LedgerFileState>) -> Vec<LedgerFileState> {
        files.retain(|file| {
            self.settings.speaks_for(|one| one.ledger.as_ref() == Some(&file.ledger))
        });
        files
    }

    /// Gaps for findings in the books of a merchant that must not be reported: every finding if the
    /// merchant is in no listing; missing items at the processor if its terminals are not
    /// configured, since the record may name a bank transfer that was not read.
    fn unjudgeable(&self, books: &MerchantBooks, unlisted: &BTreeSet<MerchantId>) -> Vec<Gap> {
        let merchant_id = &books.merchant_id;
        let found = |code: &&str| books.findings.iter().any(|row| row.finding.code == *code);
        if unlisted.contains(merchant_id) {
            let codes = LedgerCode::ALL.into_iter().map(LedgerCode::as_str).filter(found);
            return codes.map(|code| Gap::of_unlisted(code, merchant_id, merchant_id)).collect();
        }
        let merchant = self.settings.merchant(merchant_id);
        if merchant.is_none_or(|merchant| merchant.names_terminals) {
            return Vec::new();
        }
        let codes = [LedgerCode::MissingAtProcessor, LedgerCode::LedgerNotFitting];
        let gap = |code: &str| Gap {
            code: code.to_owned(),
            merchant_id: merchant_id.clone(),
            reason: format!(
                "the terminals of merchant {merchant_id} are not configured, so that bank \
                 transfers which its ledger may be about were not read{HINT}Set the key terminals \
                 of merchant {merchant_id}, or terminals = [] when it takes no bank transfers."
            ),
        };
        codes.map(LedgerCode::as_str).into_iter().filter(found).map(gap).collect()
    }

    /// Gaps for ledgers that could not be read. An empty code stands for every ledger check.
    fn unread_ledgers(&self, merchants: &[&Merchant], files: &[LedgerFileState]) -> BTreeSet<Gap> {
        let mut gaps = BTreeSet::new();
        for ledger in &self.settings.ledgers {
            let own: Vec<&LedgerFileState> =
                files.iter().filter(|file| file.ledger == ledger.name).collect();
            let Some((code, reason)) = unread(&own) else { continue };
            let name = &ledger.name;
            let reason = match reason {
                Some(reason) => format!(
                    "ledger \"{name}\": {reason}{HINT}Correct the file and run the date again; \
                     tieout ledger check names its faults."
                ),
                None => format!(
                    "ledger \"{name}\": no file matches {path}{HINT}Put the ledger's file there and \
                     run the date again.",
                    path = ledger.path.display()
                ),
            };
            let named = merchants.iter().filter(|one| one.ledger.as_ref() == Some(&ledger.name));
            gaps.extend(named.map(|merchant| Gap {
                code: code.to_owned(),
                merchant_id: merchant.id.clone(),
                reason: reason.clone(),
            }));
        }
        gaps
    }

    /// Matches all merchants: resumes from kept books where they are enough, else afresh.
    fn match_merchants<'a>(
        &self,
        store: &Store,
        asof: &AsOf,
        merchants: &[&'a Merchant],
        made_for: &MadeFor<'_>,
    ) -> Result<Vec<MatchedMerchant<'a>>, JudgeError> {
        let mut done = Vec::new();
        if self.afresh == Afresh::AsNeeded {
            done = self.go_on(store, asof, merchants, made_for)?;
        }
        let mut done: HashMap<&MerchantId, MatchedMerchant<'a>> =
            done.into_iter().map(|one| (&one.merchant.id, one)).collect();
        let is_left = |one: &&&Merchant| !done.contains_key(&one.id);
        let rest: Vec<&'a Merchant> = merchants.iter().filter(is_left).copied().collect();
        let ledgers = book_terms::ledgers_of(self, asof, rest.iter().copied());
        let mut inputs = BTreeMap::new();
        if !rest.is_empty() {
            inputs = book_inputs::read(store, &ledgers)?;
        }
        let work: Vec<(&'a Merchant, LedgerInput)> = rest
            .into_iter()
            .filter_map(|merchant| Some((merchant, inputs.remove(&merchant.id)?)))
            .collect();
        let afresh = side_by_side(work, |(merchant, mut input)| {
            let terms = book_terms::terms(self, asof, merchant, asof.business_date);
            book_terms::mark_days(self, merchant, &terms, &mut input);
            let outcome = match_merchant(&input.merchant_input(&terms));
            MatchedMerchant { merchant, terms, input, outcome }
        });
        done.extend(afresh.into_iter().map(|one| (&one.merchant.id, one)));
        Ok(merchants.iter().filter_map(|one| done.remove(&one.id)).collect())
    }
}

/// The check that cannot be evaluated because of unread files of a ledger (empty for every check),
/// and the reason. `None` if all files were read.
fn unread(files: &[&LedgerFileState]) -> Option<(&'static str, Option<String>)> {
    let absent = files.iter().find(|file| !file.absent_columns.is_empty());
    if let Some(file) = absent {
        let (path, absent) = (&file.path, &file.absent_columns);
        return Some(("", Some(format!("{path} has no column for {absent}"))));
    }
    let why = |file: &&LedgerFileState| {
        let no_row = || format!("no row of {} could be read", file.path);
        file.error.clone().or_else(|| (file.rows == 0 && file.quarantined > 0).then(no_row))
    };
    let reason = files.iter().find_map(why);
    if files.iter().all(|file| why(file).is_some()) {
        return Some(("", reason));
    }
    // A record in the unreadable file may be the one that the check would find missing.
    reason.map(|reason| (LedgerCode::MissingInLedger.as_str(), Some(reason)))
}

/// The same gaps, with an empty code expanded to every ledger check.
fn for_each_check(gaps: BTreeSet<Gap>) -> Vec<Gap> {
    let every = |gap: Gap| -> Vec<Gap> {
        if !gap.code.is_empty() {
            return vec![gap];
        }
        let codes = LedgerCode::ALL.iter();
        codes.map(|code| Gap { code: code.as_str().to_owned(), ..gap.clone() }).collect()
    };
    gaps.into_iter().flat_map(every).collect()
}

/// Warnings about the files that were read.
fn warnings(files: &[LedgerFileState]) -> Vec<String> {
    let mut warnings = Vec::new();
    for file in files {
        if let (true, Some(first)) = (file.quarantined > 0, &file.first_fault) {
            let path = &file.path;
            let rows = match file.quarantined {
                1 => "1 ledger row was".to_owned(),
                number => format!("{number} ledger rows were"),
            };
            warnings.push(format!("{rows} left out of {path}; the first is {first}"));
        }
        if let Some(error) = &file.error {
            warnings.push(format!("ledger \"{}\": {error}", file.ledger));
        }
        if !file.absent_columns.is_empty() {
            let absent = &file.absent_columns;
            warnings.push(format!("{} has no column for {absent}", file.path));
        }
    }
    warnings
}

impl MatchedBooks {
    /// Number of merchants whose matched books are touched and can change.
    pub fn count(&self, touched: &Touched) -> usize {
        self.merchants.iter().filter(|one| touched.holds(&one.merchant_id)).count()
    }

    /// A textual form of the findings and of each merchant's pairs, for comparison.
    pub fn told(&self) -> Vec<String> {
        let pairs = |one: &MerchantBooks| format!("{:?} {:?}", one.totals, one.matches);
        let mut told: Vec<String> = self.merchants.iter().map(pairs).collect();
        told.push(format!("{:?} {:?} {:?}", self.found, self.named, self.warnings));
        told
    }

    /// Adds up the totals of all merchants.
    pub(crate) fn into_books(self) -> Result<Books, JudgeError> {
        let mut books = Books { warnings: self.warnings, named: self.named, ..Books::default() };
        let (mut totals, mut not_due) = (Totals::default(), Tally::default());
        let mut kept = Vec::new();
        for merchant in self.merchants {
            totals.add(&merchant.totals);
            not_due = not_due.plus(&merchant.not_due);
            books.matches.extend(merchant.matches);
            kept.extend(merchant.kept);
            books.days.extend(merchant.days.map(|days| (merchant.merchant_id, days)));
        }
        books.kept = Arc::new(kept);
        books.items = ItemTotals {
            total: total(&totals.items)?,
            matched: total(&totals.items_matched)?,
            unmatched: total(&totals.items_unmatched)?,
            ambiguous: total(&totals.items_ambiguous)?,
            not_due: total(&not_due)?,
        };
        books.ledger = LedgerTotals {
            total: total(&totals.records)?,
            matched: total(&totals.records_matched)?,
            unmatched: total(&totals.records_unmatched)?,
            ambiguous: total(&totals.records_ambiguous)?,
            excluded: total(&totals.records_excluded)?,
            out_of_scope: total(&totals.records_out_of_scope)?,
            quarantined: Total::of(self.quarantined),
        };
        Ok(books)
    }
}

fn total(tally: &Tally) -> Result<Total, JudgeError> {
    let mut total = Total::of(tally.count);
    for (&currency, sum) in &tally.amounts {
        let amount = i64::try_from(*sum).map_err(|_| {
            JudgeError::NotConserved(format!(
                "the sum of items or ledger records in {currency} overflows"
            ))
        })?;
        total = total.with(currency, Minor(amount));
    }
    Ok(total)
}
