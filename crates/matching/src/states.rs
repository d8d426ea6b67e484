//! The result of matching: a state for every item and every record, and the pairs behind them.
//! Items and records are identified by their position in the input.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use tieout_model::money::Currency;

/// The pass that made a pair, in the order in which passes run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Pass {
    Reference,
    Order,
    OrderSpelling,
    SameDay,
    NearbyDay,
    Unique,
    NearbyUnique,
    AcrossStart,
}

impl Pass {
    /// Every pass, in order.
    pub const ALL: [Self; 8] = [
        Self::Reference,
        Self::Order,
        Self::OrderSpelling,
        Self::SameDay,
        Self::NearbyDay,
        Self::Unique,
        Self::NearbyUnique,
        Self::AcrossStart,
    ];

    /// Whether an id made the pair, not day and amount.
    pub fn is_by_name(self) -> bool {
        self <= Self::OrderSpelling
    }

    /// The word that the store and the reports use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Order => "order",
            Self::OrderSpelling => "order_spelling",
            Self::SameDay => "same_day",
            Self::NearbyDay => "nearby_day",
            Self::Unique => "unique",
            Self::NearbyUnique => "nearby_unique",
            Self::AcrossStart => "across_start",
        }
    }
}

/// Why the best candidate was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Refusal {
    /// The record names another object at the processor.
    NamesAnother,
    /// The last four digits differ.
    LastFourDiffers,
    /// Both carry an order id, and these differ.
    OrderDiffers,
    /// The order ids agree, but the currencies differ.
    CurrencyDiffers,
    /// The amount agrees and the days are near, but other entries fit as well.
    NotUnique,
    /// The amounts are equal, but this many banking days apart.
    TooFar { distance_days: u32 },
    /// The last four digits are equal, but the amounts differ.
    AmountDiffers,
}

/// The nearest entry on the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Position in the input: of a record for an item, of an item for a record.
    pub position: u32,
    pub refusal: Refusal,
}

/// The state of an item after matching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemState {
    Matched {
        pair: u32,
        /// It re-presents another payment of the pair (or is re-presented by it), and is not part
        /// of the pair's sum.
        stands_in: bool,
    },
    Unmatched(Option<Candidate>),
    Ambiguous {
        set: u32,
    },
    /// Its amount is 0.00: the books need no record of it.
    Excluded,
    /// Dated before the start date, and in no pair.
    OutOfScope,
    /// Dated after the business date.
    Later,
}

impl ItemState {
    /// The pair that it is in.
    pub fn pair(&self) -> Option<u32> {
        match self {
            Self::Matched { pair, .. } => Some(*pair),
            _ => None,
        }
    }
}

/// The state of a ledger record after matching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordState {
    Matched {
        pair: u32,
    },
    Unmatched(Option<Candidate>),
    /// It names a bank transfer that the processor knows and that has not settled. Counts as
    /// unmatched (if it is paid) and is never missing at the processor.
    NamesUnsettled {
        transfer: u32,
    },
    /// Its nearest partner by day and amount is a bank transfer that has not settled. Counts as
    /// unmatched and is never missing at the processor.
    Waits {
        transfer: u32,
        pass: Pass,
    },
    /// Another record carries the same reference and kind. Counts as unmatched.
    Duplicate {
        of: u32,
    },
    Ambiguous {
        set: u32,
    },
    /// A refund that is the return or the dispute of `item` that began on `date`, or one of two
    /// opposite records that name `item`, since `date`. Counts as matched.
    Counter {
        item: u32,
        date: NaiveDate,
    },
    /// Not paid and without a named item at the processor; or of 0.00.
    Excluded,
    /// Dated before the start date or on a day that was not read, and in no pair.
    OutOfScope,
    /// Dated after the business date.
    Later,
}

impl RecordState {
    /// Whether it names something without being paired with it.
    pub(super) fn names_without_pair(&self) -> bool {
        matches!(self, Self::Duplicate { .. } | Self::NamesUnsettled { .. } | Self::Counter { .. })
    }

    /// The pair that it is in.
    pub fn pair(&self) -> Option<u32> {
        match self {
            Self::Matched { pair } => Some(*pair),
            _ => None,
        }
    }
}

/// Items and records that are paired with each other: at least one of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    pub pass: Pass,
    items: (u32, u32),
    records: (u32, u32),
}

/// Candidates that were not paired, each side in order of id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ambiguity {
    pub pass: Pass,
    pub items: Vec<u32>,
    pub records: Vec<u32>,
}

/// A count, and amounts by currency in minor units. An entry without an amount only counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub count: u64,
    pub amounts: BTreeMap<Currency, i128>,
}

/// The conservation totals. Amounts carry no sign: sales and returns are added up alike.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    pub items: Tally,
    pub items_matched: Tally,
    pub items_unmatched: Tally,
    pub items_ambiguous: Tally,
    /// Items of 0.00, which are in no other tally.
    pub items_excluded: Tally,
    pub records: Tally,
    pub records_matched: Tally,
    pub records_unmatched: Tally,
    pub records_ambiguous: Tally,
    pub records_excluded: Tally,
    pub records_out_of_scope: Tally,
}

/// The complete result of matching one merchant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// One for each item of the input, in its order.
    pub items: Vec<ItemState>,
    /// One for each record of the input, in its order.
    pub records: Vec<RecordState>,
    pub pairs: Vec<Pair>,
    pub ambiguities: Vec<Ambiguity>,
    pub totals: Totals,
    /// Items from before the start that a void record from before the start named.
    pub(super) voided_before: Vec<u32>,
    pub(super) pair_items: Vec<u32>,
    pub(super) pair_records: Vec<u32>,
}

impl Outcome {
    /// The items of `pair`, those that stand in for another included, in order of input.
    pub fn items_of(&self, pair: &Pair) -> &[u32] {
        &self.pair_items[pair.items.0 as usize..pair.items.1 as usize]
    }

    /// The items of `pair` whose amounts make its sum.
    pub fn summed_items_of<'a>(&'a self, pair: &Pair) -> impl Iterator<Item = u32> + use<'a> {
        self.items_of(pair).iter().copied().filter(|&item| !self.is_stand_in(item))
    }

    /// The items of `pair` that stand in for another one.
    pub fn stand_ins_of<'a>(&'a self, pair: &Pair) -> impl Iterator<Item = u32> + use<'a> {
        self.items_of(pair).iter().copied().filter(|&item| self.is_stand_in(item))
    }

    fn is_stand_in(&self, item: u32) -> bool {
        matches!(self.items[item as usize], ItemState::Matched { stands_in: true, .. })
    }

    /// The records of `pair`, in order of input.
    pub fn records_of(&self, pair: &Pair) -> &[u32] {
        &self.pair_records[pair.records.0 as usize..pair.records.1 as usize]
    }
}

/// The pair behind each of `passes`, with the positions that `items` and `records` assign to it.
pub(super) fn spread(
    passes: &[Pass],
    items: &[Option<u32>],
    records: &[Option<u32>],
) -> (Vec<Pair>, Vec<u32>, Vec<u32>) {
    let (item_ends, pair_items) = bucket(items, passes.len());
    let (record_ends, pair_records) = bucket(records, passes.len());
    let pairs = passes
        .iter()
        .enumerate()
        .map(|(pair, &pass)| Pair {
            pass,
            items: (item_ends[pair], item_ends[pair + 1]),
            records: (record_ends[pair], record_ends[pair + 1]),
        })
        .collect();
    (pairs, pair_items, pair_records)
}

/// A counting sort: members of each bucket lie side by side, in order of position.
fn bucket(places: &[Option<u32>], buckets: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; buckets + 1];
    for place in places.iter().flatten() {
        starts[*place as usize + 1] += 1;
    }
    for at in 0..buckets {
        starts[at + 1] += starts[at];
    }
    let mut next = starts.clone();
    let mut members = vec![0; starts[buckets] as usize];
    for (position, place) in (0_u32..).zip(places) {
        if let Some(place) = place {
            members[next[*place as usize] as usize] = position;
            next[*place as usize] += 1;
        }
    }
    (starts, members)
}
