//! What explains the adjustment of a group.

use crate::nearest::Nearest;
use tieout_model::DisputeId;

/// The explanation of a group's adjustment.
#[derive(Default)]
pub(super) struct Explained {
    pub verdict: &'static str,
    pub said: String,
    pub problem: Option<String>,
    pub parts: Vec<(DisputeId, i64)>,
    pub carried: i64,
    /// A sentence for each balance below zero that it exceeds.
    pub exceeds: Vec<String>,
    pub near: Nearest,
}

/// The positions of the groups that nothing explains.
pub(super) fn still_open(found: &[Explained]) -> Vec<usize> {
    (0..found.len()).filter(|at| matches!(found[*at].verdict, "none" | "blind")).collect()
}
