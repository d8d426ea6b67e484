//! Processing terminals of a processing account.

use serde::Serialize;

use crate::world::records::Merchant;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProcessingTerminal<'w> {
    processing_terminal_id: &'w str,
    status: &'static str,
    timezone: &'static str,
    batch_closure: BatchClosure,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BatchClosure {
    batch_close_type: &'static str,
    batch_close_time: &'static str,
}

impl<'w> ProcessingTerminal<'w> {
    /// The merchant's terminal at that index.
    pub fn new(merchant: &'w Merchant, place: usize) -> Self {
        Self {
            processing_terminal_id: &merchant.terminals[place],
            status: "active",
            timezone: merchant.time_zone.name(),
            batch_closure: BatchClosure {
                batch_close_type: "automatic",
                batch_close_time: "23:40",
            },
        }
    }
}
