//! Groups of merchants that are judged together: a shard takes all of a group or none. Two
//! merchants belong to one group when they share a bank account, or a ledger whose rows name no
//! merchant, directly or through other merchants.

use std::collections::{BTreeMap, BTreeSet};

use super::{LedgerSettings, Merchant, Settings};
use tieout_model::{MerchantId, Shard};

/// The key of `columns` that names the merchant column of a ledger.
const MERCHANT_COLUMN: &str = "merchant";

/// The link that makes merchants a group.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Tie<'a> {
    Bank(&'a str),
    Ledger(&'a str),
}

impl Settings {
    /// Keeps the merchants of a shard; the others belong to other shards. Merchants of one group
    /// stay together; the id of the group's first merchant decides.
    pub fn take_share(&mut self, shard: Shard) {
        let own: BTreeSet<MerchantId> = groups(&self.merchants, &self.ledgers)
            .into_iter()
            .filter(|(_, first)| shard.holds(first))
            .map(|(id, _)| id.clone())
            .collect();
        let all = std::mem::take(&mut self.merchants);
        let (own, others): (Vec<Merchant>, Vec<Merchant>) =
            all.into_iter().partition(|merchant| own.contains(&merchant.id));
        self.merchants = own;
        self.elsewhere =
            others.into_iter().map(|merchant| (merchant.id.clone(), merchant)).collect();
        self.shard = Some(shard);
    }
}

/// For each merchant the first merchant, by id, of its group.
fn groups<'a>(
    merchants: &'a [Merchant],
    ledgers: &[LedgerSettings],
) -> BTreeMap<&'a MerchantId, MerchantId> {
    let mut sorted: Vec<&Merchant> = merchants.iter().collect();
    sorted.sort_by_key(|merchant| &merchant.id);
    // For each merchant an earlier one of its group, or itself when it is the first.
    let mut earlier: Vec<usize> = (0..sorted.len()).collect();
    let mut by_tie: BTreeMap<Tie<'_>, usize> = BTreeMap::new();
    for (index, merchant) in sorted.iter().enumerate() {
        for tie in ties(merchant, ledgers) {
            let other = *by_tie.entry(tie).or_insert(index);
            let (one, other) = (first(&mut earlier, index), first(&mut earlier, other));
            earlier[one.max(other)] = one.min(other);
        }
    }
    (0..sorted.len())
        .map(|index| (&sorted[index].id, sorted[first(&mut earlier, index)].id.clone()))
        .collect()
}

/// The first merchant of the group of `index`; shortens the path for the next call.
fn first(earlier: &mut [usize], index: usize) -> usize {
    let mut found = index;
    while earlier[found] != found {
        earlier[found] = earlier[earlier[found]];
        found = earlier[found];
    }
    found
}

fn ties<'a>(merchant: &'a Merchant, ledgers: &[LedgerSettings]) -> Vec<Tie<'a>> {
    let names_nobody = |name: &str| {
        let ledger = ledgers.iter().find(|ledger| ledger.name == name);
        ledger.is_some_and(|ledger| !ledger.table.columns.contains_key(MERCHANT_COLUMN))
    };
    let bank = merchant.bank.as_deref().map(Tie::Bank);
    let ledger = merchant.ledger.as_deref().filter(|name| names_nobody(name)).map(Tie::Ledger);
    bank.into_iter().chain(ledger).collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use chrono_tz::Tz;

    use super::*;
    use crate::{MerchantTerms, TableSettings};
    use tieout_model::calendar::CalendarName;

    fn merchant(id: &str, bank: Option<&str>, ledger: Option<&str>) -> Merchant {
        Merchant {
            id: MerchantId::from(id),
            name: None,
            currency: None,
            time_zone: Tz::UTC,
            terminals: Vec::new(),
            calendar: CalendarName::UsFederalReserve,
            ledger: ledger.map(str::to_owned),
            bank: bank.map(str::to_owned),
            terms: MerchantTerms::default(),
            capture_tolerance_percent: 0,
            names_terminals: true,
            checks: BTreeMap::new(),
        }
    }

    fn ledger(name: &str, columns: &[(&str, &str)]) -> LedgerSettings {
        let columns = columns.iter().map(|(key, header)| ((*key).into(), (*header).into()));
        LedgerSettings {
            name: name.to_owned(),
            path: PathBuf::new(),
            table: TableSettings { columns: columns.collect(), ..TableSettings::default() },
        }
    }

    #[test]
    fn merchants_that_share_a_bank_or_a_ledger_of_nobody_are_one_group() {
        let ledgers = [ledger("own", &[]), ledger("all", &[("merchant", "MID")])];
        let merchants = [
            merchant("7", Some("bank-1"), Some("all")),
            merchant("3", Some("bank-1"), Some("own")),
            merchant("5", Some("bank-2"), Some("own")),
            merchant("2", Some("bank-2"), None),
            merchant("1", Some("bank-3"), Some("all")),
            merchant("4", None, Some("all")),
        ];
        let found = groups(&merchants, &ledgers);
        let firsts: Vec<(&str, &str)> =
            found.iter().map(|(id, first)| (id.as_str(), first.as_str())).collect();
        // 7 and 3 share bank-1, 3 and 5 a ledger, 5 and 2 bank-2.
        let expected = [("1", "1"), ("2", "2"), ("3", "2"), ("4", "4"), ("5", "2"), ("7", "2")];
        assert_eq!(firsts, expected);
    }

    #[test]
    fn the_order_of_the_configuration_does_not_count() {
        let mut merchants: Vec<Merchant> = (0..200_u32)
            .map(|number| {
                let bank = format!("bank-{}", number * 7 % 13);
                merchant(&format!("{:03}", number * 37 % 200), Some(&bank), None)
            })
            .collect();
        let before: BTreeMap<MerchantId, MerchantId> =
            groups(&merchants, &[]).into_iter().map(|(id, first)| (id.clone(), first)).collect();
        merchants.reverse();
        let after: BTreeMap<MerchantId, MerchantId> =
            groups(&merchants, &[]).into_iter().map(|(id, first)| (id.clone(), first)).collect();
        assert_eq!(before, after);
        let firsts: std::collections::BTreeSet<&MerchantId> = after.values().collect();
        assert_eq!(firsts.len(), 13);
    }
}
