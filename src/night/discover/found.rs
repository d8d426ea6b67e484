//! What a discovery found: merchants, and of each what the API told.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use chrono_tz::Tz;

use tieout_model::{MerchantId, ProcessingTerminal, TerminalId};

/// The merchants that a key sees.
#[derive(Clone, Debug)]
pub struct Discovery {
    /// The days whose listings were read.
    pub first: NaiveDate,
    pub last: NaiveDate,
    pub merchants: Vec<FoundMerchant>,
    /// Records that name no merchant.
    pub nameless: u64,
    /// What could not be read, a line each.
    pub failures: Vec<String>,
}

/// A merchant of the listings.
#[derive(Clone, Debug)]
pub struct FoundMerchant {
    pub id: MerchantId,
    /// Its newest trading name.
    pub name: Option<String>,
    /// The codes of those of its batches.
    pub currencies: BTreeSet<&'static str>,
    pub terminals: Terminals,
}

/// What the API tells of a merchant's terminals.
#[derive(Clone, Debug)]
pub enum Terminals {
    Known {
        /// By id, each once.
        listed: Vec<ProcessingTerminal>,
        /// Those that take no bank transfers.
        left_out: BTreeSet<TerminalId>,
    },
    /// The key may not ask for them.
    NotForThisKey,
    /// Why they are not known.
    Unknown(String),
}

impl Terminals {
    /// The terminals that were listed, in any order.
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

    /// The ids of those that take bank transfers.
    pub fn ids(&self) -> impl Iterator<Item = &TerminalId> {
        let is_left_out = move |id: &TerminalId| match self {
            Self::Known { left_out, .. } => left_out.contains(id),
            Self::NotForThisKey | Self::Unknown(_) => false,
        };
        self.listed().iter().map(|one| &one.id).filter(move |id| !is_left_out(id))
    }

    /// The words of the API for their time zones.
    pub fn zone_names(&self) -> BTreeSet<&str> {
        self.listed().iter().filter_map(|terminal| terminal.time_zone.as_deref()).collect()
    }

    /// The one time zone that all of them are in, when each says so and it is known.
    pub fn zone(&self) -> Option<Tz> {
        let mut zones = self.listed().iter().map(|terminal| terminal.time_zone.as_deref());
        let first = zones.next()??;
        zones.all(|zone| zone == Some(first)).then(|| first.parse().ok())?
    }

    /// Leaves those out.
    pub(super) fn leave_out(&mut self, without: &BTreeSet<TerminalId>) {
        if let Self::Known { listed, left_out } = self {
            let these = listed.iter().map(|one| &one.id).filter(|id| without.contains(*id));
            left_out.extend(these.cloned());
        }
    }
}
