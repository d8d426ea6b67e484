//! The return rates that the rules of the ACH network limit: returned debits as a part of the
//! debits sent, over the sixty days that end with the period.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Days, NaiveDate};

use crate::night::NightError;
use tieout_config::Merchant;
use tieout_model::money::Currency;
use tieout_model::{MerchantId, ReturnCodeRow, ReturnMeasure, ReturnRateRow};
use tieout_store::{DebitDay, ReturnDay, Store, returns};

/// The window of the network's rules.
const WINDOW_DAYS: u64 = 60;

/// Rates and codes of every merchant with debits, over the window that ends on `last`. `names` are
/// the merchants' names in the reports.
pub(crate) fn rates(
    store: &Store,
    merchants: &[Merchant],
    last: NaiveDate,
    names: &BTreeMap<MerchantId, String>,
) -> Result<(Vec<ReturnRateRow>, Vec<ReturnCodeRow>), NightError> {
    let first = last.checked_sub_days(Days::new(WINDOW_DAYS - 1)).unwrap_or(last);
    let debits = returns::debits(store, first, last)?;
    let returns = returns::returned_debits(store, first, last)?;
    let mut rates = Vec::new();
    let mut codes = Vec::new();
    for merchant in merchants.iter().filter(|merchant| !merchant.terminals.is_empty()) {
        let window = Window::of(merchant, &debits, &returns);
        if window.is_silent() {
            continue;
        }
        let name = names.get(&merchant.id).map_or("", String::as_str);
        rates.extend(window.rates(merchant, name, (first, last)));
        codes.extend(window.codes(merchant, name)?);
    }
    Ok((rates, codes))
}

/// One merchant's part of the window: the days on which every terminal was read, with their debits
/// and returns. A return on a day that was not read is left out, like that day's debits.
struct Window<'a> {
    days_read: BTreeSet<NaiveDate>,
    debits: i64,
    returns: Vec<&'a ReturnDay>,
}

impl<'a> Window<'a> {
    fn of(merchant: &Merchant, debits: &[DebitDay], returns: &'a [ReturnDay]) -> Self {
        let is_own = |terminal: &str| merchant.terminals.iter().any(|own| own.as_str() == terminal);
        let mut terminals_read: BTreeMap<NaiveDate, usize> = BTreeMap::new();
        for day in debits.iter().filter(|day| is_own(&day.terminal_id)) {
            *terminals_read.entry(day.day).or_default() += 1;
        }
        let days_read: BTreeSet<NaiveDate> = terminals_read
            .into_iter()
            .filter(|(_, terminals)| *terminals == merchant.terminals.len())
            .map(|(day, _)| day)
            .collect();
        let is_counted =
            |terminal: &str, day: NaiveDate| is_own(terminal) && days_read.contains(&day);
        let sent = debits.iter().filter(|day| is_counted(&day.terminal_id, day.day));
        let debits = sent.map(|day| day.debits).sum();
        let returns = returns.iter().filter(|one| is_counted(&one.terminal_id, one.day)).collect();
        Self { days_read, debits, returns }
    }

    /// A merchant without debits has no rates: most merchants take only cards.
    fn is_silent(&self) -> bool {
        self.debits == 0 && self.returns.is_empty()
    }

    fn rates(
        &self,
        merchant: &Merchant,
        name: &str,
        (first, last): (NaiveDate, NaiveDate),
    ) -> Vec<ReturnRateRow> {
        let returned = |measure: ReturnMeasure| {
            self.returns
                .iter()
                .filter(|one| measure.counts(&one.code))
                .map(|one| one.returned)
                .sum()
        };
        ReturnMeasure::ALL
            .into_iter()
            .map(|measure| ReturnRateRow {
                merchant_id: merchant.id.clone(),
                merchant_name: name.to_owned(),
                measure,
                window_from: first,
                window_to: last,
                days_read: i64::try_from(self.days_read.len()).unwrap_or(i64::MAX),
                returned: returned(measure),
                debits: self.debits,
            })
            .collect()
    }

    fn codes(&self, merchant: &Merchant, name: &str) -> Result<Vec<ReturnCodeRow>, NightError> {
        let Some(currency) = Currency::from_code("USD") else { return Ok(Vec::new()) };
        let mut rows: BTreeMap<&str, ReturnCodeRow> = BTreeMap::new();
        for one in &self.returns {
            let row = rows.entry(&one.code).or_insert_with(|| ReturnCodeRow {
                merchant_id: merchant.id.clone(),
                merchant_name: name.to_owned(),
                code: one.code.clone(),
                reason: String::new(),
                currency,
                returned: 0,
                amount: Some(tieout_model::money::Minor::default()),
            });
            row.returned += one.returned;
            row.amount = match row.amount.zip(one.amount) {
                Some((sum, more)) => Some(sum.checked_add(more).ok_or_else(|| {
                    NightError::NotConserved("the sum of returned debits overflows".to_owned())
                })?),
                None => None,
            };
            // The longest text, so that the order of the days does not matter.
            if (one.reason.len(), &one.reason) > (row.reason.len(), &row.reason) {
                row.reason.clone_from(&one.reason);
            }
        }
        Ok(rows.into_values().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tieout_config::{Settings, Sources};
    use tieout_model::Standing;

    /// Two merchants, the first with two terminals.
    fn merchants() -> Vec<Merchant> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tieout.toml");
        let text = "[[merchants]]\nid = \"1\"\ncurrency = \"USD\"\nterminals = [\"11\", \"12\"]\n\
                    [[merchants]]\nid = \"2\"\ncurrency = \"USD\"\nterminals = [\"21\"]\n\
                    [[merchants]]\nid = \"3\"\ncurrency = \"USD\"\nterminals = [\"31\"]\n";
        tieout_report::atomic::write_file(&file, text.as_bytes()).unwrap();
        let sources = Sources { config_file: Some(file), ..Sources::default() };
        Settings::load(&sources, &[]).unwrap().merchants
    }

    fn date(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    /// A store filled by hand with the records of a night.
    struct Books {
        _folder: tempfile::TempDir,
        store: Store,
        listings: i64,
    }

    impl Books {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let store = Store::open(&folder.path().join("tieout.db")).unwrap();
            Self { _folder: folder, store, listings: 0 }
        }

        fn run(&self, sql: &str) {
            self.store.connection().execute_batch(sql).unwrap();
        }

        /// The settled payments of a terminal and day: ids with type and currency.
        fn settled(&mut self, terminal: &str, day: &str, payments: &[(&str, &str, &str)]) {
            self.listing(terminal, day, "complete");
            let listing = self.listings;
            for (id, kind, currency) in payments {
                self.run(&format!(
                    "insert or ignore into bank_transfer (kind, transfer_id, terminal_id, \
                     amount_minor, currency, transfer_type, status, reading, first_reading, \
                     content) values ('payment', '{id}', '{terminal}', 1000, '{currency}', \
                     '{kind}', 'complete', {listing}, {listing}, 0); \
                     insert into transfer_listed \
                     (listing_id, transfer_number, is_settled, reading, first_reading, content) \
                     select {listing}, transfer_number, 1, {listing}, {listing}, 0 \
                     from bank_transfer where transfer_id = '{id}';"
                ));
            }
        }

        fn listing(&mut self, terminal: &str, day: &str, verdict: &str) {
            self.listings += 1;
            let listing = self.listings;
            self.run(&format!(
                "insert into listing values ({listing}, 'bank-transfer-payments', 'settled', \
                 '{terminal}', '{day}', {listing}); \
                 insert into reading (reading_id, listing_id, session, verdict) values \
                 ({listing}, {listing}, 1, '{verdict}'); \
                 insert or ignore into business_day (business_date, reconciled) values ('{day}', 1);"
            ));
        }

        fn returned(&self, payment: &str, day: &str, code: &str) {
            self.run(&format!(
                "insert into transfer_return values ('{payment}', 'back-{payment}-{day}', '{day}', \
                 '{code}', 'why', 0, 0, 1, null, 'back-{payment}-{day}');"
            ));
        }

        fn rates(&self, last: &str) -> Vec<(MerchantId, &'static str, i64, i64, i64, Standing)> {
            let (rates, _) =
                rates(&self.store, &merchants(), date(last), &BTreeMap::new()).unwrap();
            rates
                .into_iter()
                .map(|row| {
                    let standing = row.standing();
                    let measure = row.measure.as_str();
                    (row.merchant_id, measure, row.returned, row.debits, row.days_read, standing)
                })
                .collect()
        }
    }

    #[test]
    fn counts_debits_and_returns_of_days_that_were_read() {
        let mut books = Books::new();
        let ach = |id| (id, "payment", "USD");
        let verified = ("V", "accountVerification", "USD");
        let pad = ("C", "payment", "CAD");
        books.settled("11", "2026-11-02", &[ach("A"), ach("B"), verified, pad]);
        books.settled("12", "2026-11-02", &[ach("D")]);
        // Listed again on another day: still one debit.
        books.settled("11", "2026-11-03", &[ach("A"), ach("E")]);
        books.settled("12", "2026-11-03", &[]);
        // One of two terminals was not read: the day does not count.
        books.settled("11", "2026-11-04", &[ach("F")]);
        books.listing("12", "2026-11-04", "incomplete");
        books.returned("A", "2026-11-03", "R10");
        books.returned("B", "2026-11-03", "R03");
        books.returned("D", "2026-11-03", "R01");
        books.returned("E", "2026-11-04", "R10");
        books.returned("C", "2026-11-03", "901");
        assert_eq!(
            books.rates("2026-11-04"),
            [
                ("1".into(), "unauthorized", 1, 4, 2, Standing::NotEvaluated),
                ("1".into(), "administrative", 1, 4, 2, Standing::NotEvaluated),
                ("1".into(), "overall", 3, 4, 2, Standing::NotEvaluated),
            ]
        );
    }

    #[test]
    fn judges_a_rate_when_all_sixty_days_were_read() {
        let mut books = Books::new();
        let first = date("2026-09-06");
        // A day before the window: neither its debits nor its returns count.
        for day in first.iter_days().take(61) {
            let id = format!("P{day}");
            books.settled("21", &day.to_string(), &[(&id, "payment", "USD")]);
        }
        books.returned("P2026-09-06", "2026-09-06", "R10");
        books.returned("P2026-09-06", "2026-11-05", "R10");
        assert_eq!(
            books.rates("2026-11-05"),
            [
                ("2".into(), "unauthorized", 1, 60, 60, Standing::Over),
                ("2".into(), "administrative", 0, 60, 60, Standing::Within),
                ("2".into(), "overall", 1, 60, 60, Standing::Within),
            ]
        );
    }
}
