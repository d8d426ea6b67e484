//! The merchants of a world: their names, places and currencies.

use chrono_tz::Tz;

use super::records::Merchant;
use crate::calendar::Calendar;
use crate::random::Random;

const NAMES: [&str; 12] = [
    "Harbor Lane Books",
    "Maple & Pine Outfitters",
    "Kissaten Aoi",
    "Pizza Doe",
    "Atelier Boréal",
    "Red Mesa Cycles",
    "Sakura Stationery",
    "Lakeshore Dental",
    "Granite Falls Coffee",
    "North Quay Music",
    "Tanaka Hardware",
    "Bluebird Garden Supply",
];

/// The first three merchants cover the three currencies.
const PLACES: [(&str, Tz); 7] = [
    ("USD", chrono_tz::America::New_York),
    ("CAD", chrono_tz::America::Toronto),
    ("JPY", chrono_tz::Asia::Tokyo),
    ("USD", chrono_tz::America::Chicago),
    ("CAD", chrono_tz::America::Vancouver),
    ("USD", chrono_tz::America::Denver),
    ("USD", chrono_tz::America::Los_Angeles),
];

/// `configured` merchants that the configuration names, `unknown` ones that it does not, and
/// `silent` ones that only the configuration names.
pub fn generate(seed: u64, configured: u32, unknown: u32, silent: u32) -> Vec<Merchant> {
    let mut random = Random::new(seed, &[1]);
    let mut merchants = Vec::new();
    let mut mid = 4_525_000_000_u64;
    for ordinal in 0..configured + unknown + silent {
        mid += u64::from(random.between(1_000, 90_000));
        let is_silent = ordinal >= configured + unknown;
        let is_configured = ordinal < configured || is_silent;
        let merchant = merchant(&mut random, ordinal, mid, is_configured);
        merchants.push(Merchant { is_silent, ..merchant });
    }
    merchants
}

fn merchant(random: &mut Random, ordinal: u32, mid: u64, is_configured: bool) -> Merchant {
    let index = ordinal as usize;
    let round = index / NAMES.len();
    let (currency, time_zone) = PLACES[index % PLACES.len()];
    let name = NAMES[index % NAMES.len()];
    let calendar = if currency == "CAD" { Calendar::Canada } else { Calendar::UsFederalReserve };
    let terminal = u64::from(ordinal) * 10 + 1_230_001;
    Merchant {
        id: mid.to_string(),
        name: if round == 0 { name.to_owned() } else { format!("{name} {}", round + 1) },
        account_id: 38_000 + i64::from(ordinal) * 17 + random.amount(0, 16),
        time_zone,
        currency,
        calendar,
        terminals: (0..u64::from(random.between(1, 2)))
            .map(|nth| (terminal + nth).to_string())
            .collect(),
        weight: u64::from(random.between(5, 20)),
        // Every third merchant is closed now and then. An unknown one never is, so that it shows
        // from the first business date on.
        skips_percent: if is_configured && ordinal % 3 == 1 { 15 } else { 0 },
        is_configured,
        is_silent: false,
        names_terminals: true,
        capture_tolerance_percent: 0,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn covers_three_currencies_with_three_merchants() {
        for seed in 0..20 {
            let merchants = generate(seed, 3, 0, 0);
            let currencies: Vec<&str> =
                merchants.iter().map(|merchant| merchant.currency).collect();
            assert_eq!(currencies, ["USD", "CAD", "JPY"]);
        }
    }

    #[test]
    fn gives_every_merchant_its_own_ids_and_terminals() {
        let merchants = generate(3, 40, 2, 0);
        let ids: BTreeSet<&str> = merchants.iter().map(|merchant| merchant.id.as_str()).collect();
        assert_eq!(ids.len(), 42);
        assert!(ids.iter().all(|id| id.len() == 10));
        let terminals: BTreeSet<&String> =
            merchants.iter().flat_map(|merchant| &merchant.terminals).collect();
        let listed: usize = merchants.iter().map(|merchant| merchant.terminals.len()).sum();
        assert_eq!(terminals.len(), listed);
        assert_eq!(merchants.iter().filter(|merchant| !merchant.is_configured).count(), 2);
    }
}
