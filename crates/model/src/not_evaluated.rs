//! A check that could not decide.

use serde::{Deserialize, Serialize};

/// A check that could not be evaluated, for one subject, one merchant or altogether.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NotEvaluated {
    pub code: String,
    /// Empty when it holds for every merchant.
    pub merchant_id: String,
    /// The subject; empty when it holds for every one.
    pub scope: String,
    pub reason: String,
}
