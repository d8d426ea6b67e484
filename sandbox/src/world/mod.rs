//! Generated worlds: merchants, batches, card items, bank transfers, deposits and fees that tie
//! out, made from a seed, with planted discrepancies and the answer key. Serialises nothing, which
//! is the task of `wire`.

mod cards;
mod configuration;
mod deposits;
pub(super) mod details;
pub(super) mod disputes;
mod edit;
mod file;
mod index;
mod kinds;
mod late;
mod life;
mod merchants;
mod options;
pub(super) mod records;
mod totals;
mod transfers;

pub use kinds::Kind;
pub use options::{WorldError, WorldOptions};

pub(super) use deposits::{adjusted_days, counts_to, returned_by_group};
pub(super) use index::Index;
pub(super) use life::Woven;
pub(super) use transfers::{add_return, moment, transfer_id};

use std::collections::{BTreeMap, BTreeSet};

use records::{Late, Records};

use super::banks;
use super::books;
use super::files::WorldFile;
use super::plants::{self, AnswerKey, Spoiled};

/// Days of history before the first date of the world, so that the deposits paid on that date, and
/// the returns before it, have their batches and payments. Ten days include two banking days with
/// the holidays and weekends around them.
const HISTORY_DAYS: u64 = 10;

/// A world, ready to be served.
#[derive(Clone, Debug)]
pub struct World {
    options: WorldOptions,
    records: Records,
    index: Index,
    key: AnswerKey,
    /// The differences of the books and bank statements from clean ones.
    spoiled: Spoiled,
    /// The occurrences of each kind worked into the records.
    counts: BTreeMap<Kind, usize>,
}

impl World {
    /// Generates the world of `options` and the key to its plants. The same options give the same
    /// world and the same key.
    ///
    /// # Errors
    /// When the options are not valid, or a plant does not fit into the world.
    pub fn generate(options: &WorldOptions) -> Result<(Self, AnswerKey), WorldError> {
        options.check()?;
        plants::check(options)?;
        let count = |name: &str| {
            let planted = options.plants.iter().filter(|code| *code == name);
            u32::try_from(planted.count()).unwrap_or(u32::MAX)
        };
        let (unknown, silent) =
            (count(plants::UNKNOWN_MERCHANT), count(plants::MERCHANT_NOT_LISTED));
        let start =
            options.from.checked_sub_days(chrono::Days::new(HISTORY_DAYS)).unwrap_or(options.from);
        let merchants = merchants::generate(options.seed, options.merchants, unknown, silent);
        let cards = cards::generate(
            options.seed,
            &merchants,
            (start, options.to),
            options.transactions_per_day,
        );
        let transfers = transfers::generate(
            options.seed,
            &merchants,
            &cards.batches,
            options.to,
            options.transactions_per_day,
        );
        let mut records = Records {
            merchants,
            batches: cards.batches,
            authorizations: cards.authorizations,
            deposits: Vec::new(),
            fees: Vec::new(),
            transfers,
            disputes: Vec::new(),
            late: Late::default(),
        };
        totals::set(&mut records);
        deposits::generate(options.seed, &mut records);
        let woven = life::weave(options, &mut records);
        let counts = woven.counts.clone();
        let (key, spoiled) = plants::plant(options, &mut records, woven)?;
        if let Some(seed) = options.lateness {
            late::scatter(seed, options.to, &mut records);
        }
        let index = Index::new(&records);
        let options = options.clone();
        let world = Self { options, records, index, key: key.clone(), spoiled, counts };
        Ok((world, key))
    }

    /// The options of the world.
    pub fn options(&self) -> &WorldOptions {
        &self.options
    }

    /// The answer key of its plants.
    pub fn answer_key(&self) -> &AnswerKey {
        &self.key
    }

    /// The occurrences of each kind in the world: in its records, its books or its statements.
    pub fn occurrences(&self) -> BTreeMap<Kind, usize> {
        let mut counts = books::tally(&self.options, &self.records, &self.spoiled.books);
        counts.extend(banks::tally(&self.options, &self.records, &self.spoiled.banks));
        counts.extend(self.counts.iter().map(|(kind, count)| (*kind, *count)));
        counts
    }

    /// A configuration for this world, served at `base` (`http://127.0.0.1:8080`), that compares
    /// the processor only with itself. It does not contain the API key. Planted unknown merchants
    /// are left out.
    pub fn configuration(&self, base: &str) -> String {
        configuration::of(&self.records, base, &[], &[])
    }

    /// The files of the world: the configuration, the merchants' books and their bank statements.
    pub fn files(&self, base: &str) -> Vec<WorldFile> {
        let ledgers = books::ledgers(&self.options, &self.records, &self.spoiled.books);
        let banks = banks::accounts(&self.options, &self.records, &self.spoiled.banks);
        let configuration = configuration::of(&self.records, base, &ledgers, &banks);
        let mut files =
            vec![WorldFile { path: "tieout.toml".to_owned(), content: configuration.into_bytes() }];
        files.extend(ledgers.into_iter().flat_map(|(_, _, files)| files));
        files.extend(banks.into_iter().flat_map(|(_, _, files)| files));
        files
    }

    /// The subjects of the books' entries: for each entry id, the ids of the processor's items that
    /// it may be paired with.
    pub fn items_behind_books(&self) -> BTreeMap<String, BTreeSet<String>> {
        books::items_behind(&self.options, &self.records, &self.spoiled.books)
    }

    pub(super) fn records(&self) -> &Records {
        &self.records
    }

    pub(super) fn index(&self) -> &Index {
        &self.index
    }
}
