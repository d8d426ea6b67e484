//! Finds the row of `summary.csv` in which a discrepancy counts: that of its merchant and currency.
//! A discrepancy without a currency, such as a count, gets a row of its merchant and stays there.

use std::collections::BTreeMap;

use tieout_config::Merchant;
use tieout_model::money::Currency;
use tieout_model::{Discrepancy, MerchantId, SummaryRow};
use tieout_store::SummaryFigures;

/// Merchant and currency of a row.
pub(super) type Key = (MerchantId, Option<Currency>);

/// The opening of the roll-forward.
pub struct Opened<'run> {
    /// Discrepancies open when the latest earlier reconciled date closed.
    pub found: &'run [Discrepancy],
    /// The summary of that date; empty if it does not exist.
    pub summary: &'run [SummaryRow],
}

/// The row of each discrepancy.
pub(super) struct Places<'run> {
    /// The configured currency of each merchant.
    configured: BTreeMap<&'run MerchantId, Currency>,
    /// The currencies in which each merchant has figures.
    known: BTreeMap<MerchantId, Vec<Option<Currency>>>,
    /// The discrepancies that the date opens with, by id.
    opening: BTreeMap<&'run str, &'run Discrepancy>,
    /// The row in which the earlier date counted each.
    before: BTreeMap<&'run str, Key>,
}

impl<'run> Places<'run> {
    pub(super) fn of(
        merchants: &'run [Merchant],
        figures: &[SummaryFigures],
        opened: &Opened<'run>,
    ) -> Self {
        let mut known: BTreeMap<MerchantId, Vec<Option<Currency>>> = BTreeMap::new();
        for row in figures {
            known.entry(row.merchant_id.clone()).or_default().push(row.currency);
        }
        let currency = |one: &'run Merchant| Some((&one.id, one.currency?));
        let configured = merchants.iter().filter_map(currency).collect();
        let opening =
            opened.found.iter().map(|stored| (stored.discrepancy_id.as_str(), stored)).collect();
        Self { configured, known, opening, before: places_before(opened) }
    }

    /// The discrepancy with this id that the date opens with.
    pub(super) fn opening(&self, id: &str) -> Option<&'run Discrepancy> {
        self.opening.get(id).copied()
    }

    /// The row in which the earlier date counted `stored` at closing.
    pub(super) fn of_opening(&self, stored: &Discrepancy) -> Key {
        let before = self.before.get(stored.discrepancy_id.as_str());
        before.cloned().unwrap_or_else(|| self.of_now(stored))
    }

    /// The row in which `stored` counts on this date.
    pub(super) fn of_now(&self, stored: &Discrepancy) -> Key {
        let merchant = stored.merchant_id.clone();
        if stored.currency.is_some() {
            return (merchant, stored.currency);
        }
        if let Some(key) = self.before.get(stored.discrepancy_id.as_str()) {
            return key.clone();
        }
        let configured = self.configured.get(&merchant).copied();
        let only = self.known.get(&merchant).filter(|all| all.len() == 1).and_then(|all| all[0]);
        (merchant, configured.or(only))
    }
}

/// The row in which the earlier date counted each discrepancy that it closed with. A row with more
/// discrepancies than those of its own currency also counted others.
fn places_before<'run>(opened: &Opened<'run>) -> BTreeMap<&'run str, Key> {
    let mut before = BTreeMap::new();
    let mut own: BTreeMap<(&MerchantId, &str), i64> = BTreeMap::new();
    for stored in opened.found {
        if let Some(currency) = stored.currency {
            *own.entry((&stored.merchant_id, currency.code())).or_default() += 1;
            let key = (stored.merchant_id.clone(), Some(currency));
            before.insert(stored.discrepancy_id.as_str(), key);
        }
    }
    let mut others: BTreeMap<&MerchantId, Vec<(Option<Currency>, i64)>> = BTreeMap::new();
    for row in opened.summary {
        let code = row.currency.map(Currency::code).unwrap_or_default();
        let counted = own.get(&(&row.merchant_id, code)).copied().unwrap_or(0);
        others.entry(&row.merchant_id).or_default().push((row.currency, row.closing - counted));
    }
    for stored in opened.found.iter().filter(|stored| stored.currency.is_none()) {
        let mut rows = others.get_mut(&stored.merchant_id).into_iter().flatten();
        if let Some((currency, left)) = rows.find(|row| row.1 > 0) {
            *left -= 1;
            before.insert(&stored.discrepancy_id, (stored.merchant_id.clone(), *currency));
        }
    }
    before
}

#[cfg(test)]
mod tests {
    use super::*;
    use tieout_model::{DiscrepancyStatus, Figure, RecordIds, Severity, Verdict};

    fn open(id: &str, currency: Option<&str>) -> Discrepancy {
        let date = chrono::NaiveDate::default();
        Discrepancy {
            discrepancy_id: id.to_owned(),
            code: String::new(),
            severity: Severity::Error,
            status: DiscrepancyStatus::Open,
            business_date: date,
            first_seen: date,
            age_days: 0,
            merchant_id: "1".into(),
            merchant_name: String::new(),
            subject: id.to_owned(),
            currency: currency.and_then(Currency::from_code),
            figure: Figure::Amount,
            expected: None,
            actual: None,
            difference: None,
            batch_date: None,
            ids: RecordIds::default(),
            explanation: String::new(),
            also_near: String::new(),
            action: String::new(),
            is_carried: true,
            is_reopened: false,
            has_difference: true,
            expected_currency: None,
            assigned: tieout_model::Assignment::default(),
        }
    }

    fn closed(currency: &str, closing: i64) -> SummaryRow {
        SummaryRow {
            merchant_id: "1".into(),
            merchant_name: String::new(),
            currency: Currency::from_code(currency),
            deposits: None,
            deposited_net: None,
            batches: None,
            items: None,
            items_amount: None,
            ledger_records: None,
            matched: None,
            in_transit_amount: None,
            opening: 0,
            new: 0,
            cleared: 0,
            closing,
            closing_amount: None,
            verdict: Verdict::Tied,
            opening_amount: None,
            new_amount: None,
            cleared_amount: None,
            accepted: None,
            accepted_amount: None,
            on_hold_amount: None,
            overdue_amount: None,
            final_date: None,
            changed_amount: None,
        }
    }

    #[test]
    fn opens_each_row_with_what_it_closed_with() {
        let found =
            [open("a", Some("USD")), open("b", None), open("c", Some("CAD")), open("d", None)];
        // The earlier date counted one of the two without a currency under USD, the other without
        // currency.
        for rows in [[("USD", 2), ("CAD", 1), ("", 1)], [("USD", 1), ("CAD", 3), ("", 0)]] {
            let summary = rows.map(|(currency, closing)| closed(currency, closing));
            let before = places_before(&Opened { found: &found, summary: &summary });
            for (code, closing) in rows {
                let is_there = |key: &&Key| key.1.map_or("", Currency::code) == code;
                let counted = before.values().filter(is_there).count();
                assert_eq!(i64::try_from(counted).unwrap(), closing, "{code} of {rows:?}");
            }
        }
    }

    #[test]
    fn what_has_no_currency_stays_where_it_was_counted() {
        let (found, summary) =
            ([open("a", Some("USD")), open("b", None)], [closed("CAD", 1), closed("USD", 1)]);
        let opened = Opened { found: &found, summary: &summary };
        let places = Places::of(&[], &[], &opened);
        let (usd, cad) = (Currency::from_code("USD"), Currency::from_code("CAD"));
        assert_eq!(places.of_opening(&found[1]), ("1".into(), cad));
        assert_eq!(places.of_now(&open("b", None)), ("1".into(), cad));
        // A discrepancy whose currency is now known moves; one whose currency is no longer known
        // stays.
        assert_eq!(places.of_now(&open("b", Some("USD"))), ("1".into(), usd));
        assert_eq!(places.of_now(&open("a", None)), ("1".into(), usd));
    }
}
