//! A check that could not decide.

use serde::{Deserialize, Serialize};

use crate::MerchantId;

/// A check that could not be evaluated, for one subject, one merchant or altogether.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NotEvaluated {
    pub code: String,
    /// Empty when it holds for every merchant.
    pub merchant_id: MerchantId,
    /// The subject; empty when it holds for every one.
    pub scope: String,
    pub reason: String,
    /// The remedy: the key to set, the file to send; empty when another read is the only one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub remedy: String,
}

/// Separates the reason of a problem from its remedy.
pub const HINT: &str = "\nhint: ";

impl NotEvaluated {
    /// A check that could not decide because of a problem, which may end with a hint.
    pub fn because(code: &str, merchant_id: &MerchantId, scope: &str, problem: &str) -> Self {
        let (reason, remedy) = problem.split_once(HINT).unwrap_or((problem, ""));
        Self {
            code: code.to_owned(),
            merchant_id: merchant_id.clone(),
            scope: scope.to_owned(),
            reason: reason.to_owned(),
            remedy: remedy.to_owned(),
        }
    }
}
