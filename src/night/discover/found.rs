//! The result of a discovery: merchants, and the API's data about each.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use chrono_tz::Tz;

use tieout_model::{MerchantId, ProcessingTerminal, TerminalId};

/// The merchants visible to a key.
#[derive(Clone, Debug)]
pub struct Discovery {
    /// The days whose listings were read.
    pub first: NaiveDate,
    pub last: NaiveDate,
    pub merchants: Vec<FoundMerchant>,
    /// Number of records that name no merchant.
    pub nameless: u64,
    /// Readings that failed, one line each.
    pub failures: Vec<String>,
}

/// A merchant found in the listings.
#[derive(Clone, Debug)]
pub struct FoundMerchant {
    pub id: MerchantId,
    /// Its newest trading name.
    pub name: Option<String>,
    /// The currency codes of its batches.
    pub currencies: BTreeSet<&'static str>,
    pub terminals: Terminals,
}

/// The API's data about a merchant's terminals.
#[derive(Clone, Debug)]
pub enum Terminals {
    Known {
        /// Ordered by id, each once.
        listed: Vec<ProcessingTerminal>,
        /// Terminals that take no bank transfers.
        left_out: BTreeSet<TerminalId>,
    },
    /// The key may not list terminals.
    NotForThisKey,
    /// Why the terminals are unknown.
    Unknown(String),
}

impl Terminals {
    /// From the listed terminals, in any order.
    pub fn known(mut listed: Vec<ProcessingTerminal>) -> Self {
        listed.sort_by(|one, other| one.id.cmp(&other.id));
        listed.dedup_by(|one, other| one.id == other.id);
        Self::Known { listed, left_out: BTreeSet::new() }
    }

    fn listed(&self) -> &[ProcessingTerminal] {
        match self {
            Self::Known { listed, .. } => listed,
            Self::NotForThisKey | Self::Unknown(_) => &[],
        }
    }

    /// The ids of the terminals that take bank transfers.
    pub fn ids(&self) -> impl Iterator<Item = &TerminalId> {
        let is_left_out = move |id: &TerminalId| match self {
            Self::Known { left_out, .. } => left_out.contains(id),
            Self::NotForThisKey | Self::Unknown(_) => false,
        };
        self.listed().iter().map(|one| &one.id).filter(move |id| !is_left_out(id))
    }

    /// The API's names of their time zones.
    pub fn zone_names(&self) -> BTreeSet<&str> {
        self.listed().iter().filter_map(|terminal| terminal.time_zone.as_deref()).collect()
    }

    /// The one time zone of all terminals, when each has the same known one.
    pub fn zone(&self) -> Option<Tz> {
        let mut zones = self.listed().iter().map(|terminal| terminal.time_zone.as_deref());
        let first = zones.next()??;
        zones.all(|zone| zone == Some(first)).then(|| first.parse().ok())?
    }

    /// Marks the terminals in `without` as taking no bank transfers.
    pub(super) fn leave_out(&mut self, without: &BTreeSet<TerminalId>) {
        if let Self::Known { listed, left_out } = self {
            let these = listed.iter().map(|one| &one.id).filter(|id| without.contains(*id));
            left_out.extend(these.cloned());
        }
    }
}
