//! In which row of `summary.csv` a discrepancy counts: that of its merchant and currency. One
//! without a currency, as a count, counts where its merchant's others do, and stays there.

use std::collections::BTreeMap;

use tieout_config::Settings;
use tieout_model::money::Currency;
use tieout_model::{Discrepancy, MerchantId, SummaryRow};
use tieout_store::SummaryFigures;

/// What the roll-forward begins with.
pub struct Opened<'run> {
    /// What was open when the latest earlier reconciled date closed.
    pub found: &'run [Discrepancy],
    /// The summary of that date; empty where there is none.
    pub summary: &'run [SummaryRow],
}

/// Merchant and currency of a row.
pub(super) type Key = (String, Option<Currency>);

/// Where each discrepancy counts.
pub(super) struct Places<'run> {
    settings: &'run Settings,
    /// The currencies in which each merchant has figures.
    known: BTreeMap<String, Vec<Option<Currency>>>,
    /// What the date opens with, by id.
    opening: BTreeMap<&'run str, &'run Discrepancy>,
    /// Where the earlier date counted them.
    before: BTreeMap<&'run str, Key>,
}

impl<'run> Places<'run> {
    pub(super) fn of(
        settings: &'run Settings,
        figures: &[SummaryFigures],
        opened: &Opened<'run>,
    ) -> Self {
        let mut known: BTreeMap<String, Vec<Option<Currency>>> = BTreeMap::new();
        for row in figures {
            known.entry(row.merchant_id.clone()).or_default().push(row.currency);
        }
        let opening =
            opened.found.iter().map(|stored| (stored.discrepancy_id.as_str(), stored)).collect();
        Self { settings, known, opening, before: places_before(opened) }
    }

    /// What the date opens with under this id.
    pub(super) fn opening(&self, id: &str) -> Option<&'run Discrepancy> {
        self.opening.get(id).copied()
    }

    /// The row in which the earlier date closed with `stored`.
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
        let configured = self
            .settings
            .merchant(&MerchantId::from(merchant.as_str()))
            .and_then(|named| named.currency);
        let only = self.known.get(&merchant).filter(|all| all.len() == 1).and_then(|all| all[0]);
        (merchant, configured.or(only))
    }
}

/// Where the earlier date counted what it closed with. A row that closed with more than those of
/// its own currency counted others as well.
fn places_before<'run>(opened: &Opened<'run>) -> BTreeMap<&'run str, Key> {
    let mut before = BTreeMap::new();
    let mut own: BTreeMap<(&str, &str), i64> = BTreeMap::new();
    for stored in opened.found {
        if let Some(currency) = stored.currency {
            *own.entry((&stored.merchant_id, currency.code())).or_default() += 1;
            let key = (stored.merchant_id.clone(), Some(currency));
            before.insert(stored.discrepancy_id.as_str(), key);
        }
    }
    let mut others: BTreeMap<&str, Vec<(Option<Currency>, i64)>> = BTreeMap::new();
    for row in opened.summary {
        let code = row.currency.map(Currency::code).unwrap_or_default();
        let counted = own.get(&(row.merchant_id.as_str(), code)).copied().unwrap_or(0);
        others.entry(&row.merchant_id).or_default().push((row.currency, row.closing - counted));
    }
    for stored in opened.found.iter().filter(|stored| stored.currency.is_none()) {
        let mut rows = others.get_mut(stored.merchant_id.as_str()).into_iter().flatten();
        if let Some((currency, left)) = rows.find(|row| row.1 > 0) {
            *left -= 1;
            before.insert(&stored.discrepancy_id, (stored.merchant_id.clone(), *currency));
        }
    }
    before
}
