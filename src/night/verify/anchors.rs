//! The heads of the audit trail that are kept outside of the store: in a person's notes, and in the
//! manifests. A trail that was rewritten hash by hash cannot contain them.

use std::collections::BTreeSet;
use std::path::Path;

use chrono::NaiveDate;

use super::verified::Verified;
use crate::night::{Lock, NightError};
use tieout_model::StoreStamp;
use tieout_store::{Act, AuditRow, Store, seal, stamp, trail};

/// The audit trail in the store.
pub(super) struct Trail {
    rows: Vec<AuditRow>,
    pub(super) stamp: StoreStamp,
    /// A digest over the sums of all tables, as they are now.
    sums: String,
    /// The dates of runs that have begun and not ended.
    pub(super) unfinished: BTreeSet<NaiveDate>,
    /// The process that holds the lock of the store.
    pub(super) holder: Option<String>,
}

impl Trail {
    pub(super) fn of(store: &Store) -> Result<Self, NightError> {
        Ok(Self {
            rows: trail::all(store)?,
            stamp: stamp::of(store)?,
            sums: seal::of_sums(store)?,
            unfinished: trail::unfinished_runs(store)?,
            holder: Lock::holder(store.path()),
        })
    }

    /// Whether a run that was to report the date was killed, and none has ended since.
    pub(super) fn was_interrupted(&self, date: NaiveDate) -> bool {
        self.holder.is_none() && self.unfinished.contains(&date)
    }

    /// Where the sums of tables changed while no run was going on, a sentence each: somebody has
    /// written the tables and computed their sums anew.
    pub(super) fn changed_outside_of_runs(&self) -> Vec<String> {
        let mut changed = Vec::new();
        let (mut is_run, mut before) = (false, None::<&AuditRow>);
        for row in &self.rows {
            if let Some(before) = before.filter(|before| !is_run && before.sums != row.sums) {
                let (first, last) = (before.sequence, row.sequence);
                changed.push(format!(
                    "tables were written between rows {first} and {last} of the audit trail, while \
                     no run was going on"
                ));
            }
            is_run = row.act == Act::Begin.as_str() || (is_run && row.act != Act::End.as_str());
            before = Some(row);
        }
        if let Some(last) = before.filter(|last| !is_run && last.sums != self.sums) {
            let row = last.sequence;
            changed.push(format!(
                "tables were written since row {row} of the audit trail, while no run was going on: \
                 their sums are not those that it states"
            ));
        }
        changed
    }

    /// A problem when the trail does not contain the head that a person has noted.
    pub(super) fn misses(&self, head: &str) -> Option<String> {
        let head = head.trim().to_ascii_lowercase();
        let is_held = self.rows.iter().any(|row| row.hash == head);
        (!is_held).then(|| {
            format!(
                "the audit trail does not hold the head {head}: it was rewritten, or belongs to \
                 another store"
            )
        })
    }

    /// A problem of the store's stamp in a manifest.
    pub(super) fn problem_of(&self, stamp: &StoreStamp) -> Option<String> {
        if stamp.id != self.stamp.id {
            let (stated, ours) = (&stamp.id, &self.stamp.id);
            return Some(format!("its manifest is of store {stated}, and this is store {ours}"));
        }
        let row = self.rows.iter().find(|row| row.sequence == stamp.audit_rows);
        let found = row.map_or("", |row| &row.hash);
        (found != stamp.audit_head && stamp.audit_rows > 0).then(|| {
            let (rows, head) = (stamp.audit_rows, &stamp.audit_head);
            format!(
                "the audit trail was rewritten since: its row {rows} had the hash {head} when the \
                 manifest was written"
            )
        })
    }

    /// A problem for each reported date that is missing in `dir`. In a folder other than the `home`
    /// of the reports, only dates between the first and the last present one count.
    pub(super) fn gone(&self, dir: &Path, is_home: bool) -> Vec<Verified> {
        let mut dates: Vec<&str> = self
            .rows
            .iter()
            .filter(|row| {
                row.act == Act::Report.as_str() && row.subject.len() == "2026-11-20".len()
            })
            .map(|row| row.subject.as_str())
            .collect();
        dates.sort_unstable();
        dates.dedup();
        if !is_home {
            let is_there = |date: &&str| dir.join(date).exists();
            let first = dates.iter().position(&is_there).unwrap_or(dates.len());
            let end = dates.iter().rposition(is_there).map_or(0, |last| last + 1);
            dates = dates.get(first..end).unwrap_or_default().to_vec();
        }
        let folders = dates.into_iter().map(|date| dir.join(date));
        let gone = folders.filter(|folder| !folder.exists()).map(|folder| {
            let mut verified = Verified::of(&folder);
            let problem = "the audit trail reports the date, but its folder is missing";
            verified.problems.push(problem.to_owned());
            verified
        });
        gone.collect()
    }
}
