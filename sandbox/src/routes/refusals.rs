//! The HTTP form of the state's refusals.

use crate::live::Refusal;
use crate::wire::{FieldError, Problem};

/// The problem that states the reason of a refusal.
pub fn problem_of(refusal: &Refusal) -> Problem {
    let message = refusal.to_string();
    let about = |parameter: &str, detail| FieldError::new(parameter, detail, message.clone());
    match refusal {
        Refusal::UnknownTerminal => Problem::forbidden("terminal"),
        Refusal::NotCapable { parameter } => {
            Problem::capabilities_missing(about(parameter, "not possible here"))
        }
        Refusal::Amount { parameter, .. } => Problem::bad_request(about(parameter, "out of range")),
        Refusal::WrongCurrency { .. } => {
            Problem::bad_request(about("order.currency", "not the terminal's currency"))
        }
        Refusal::UnknownToken { parameter } => {
            Problem::bad_request(about(parameter, "not a known token"))
        }
        Refusal::UsedToken { parameter } => Problem::bad_request(about(parameter, "used before")),
        Refusal::NotFound { what } => Problem::not_found(Some(what)),
        Refusal::State { .. } | Refusal::Full => Problem::cannot_be_modified(&message, Vec::new()),
        Refusal::TooMuch { .. } => {
            let errors = vec![about("amount", "more than is left")];
            Problem::cannot_be_modified("A refund cannot exceed its payment.", errors)
        }
        Refusal::Clock { .. } => Problem::bad_request(about("now", "out of range")),
    }
}
