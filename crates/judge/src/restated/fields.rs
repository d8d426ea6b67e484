//! The compared fields of each kind of record. A change of any other field is no restatement.

/// The kind of value in a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Amount,
    /// A count, a date, a currency or a word.
    Other,
}

pub(super) type Field = (&'static str, Kind);

const fn amount(name: &'static str) -> Field {
    (name, Kind::Amount)
}

const fn other(name: &'static str) -> Field {
    (name, Kind::Other)
}

/// The compared fields of a kind of record, amounts in the order of the reports. Other fields may
/// change without a restatement.
pub(super) fn fields_of(kind: &str) -> &'static [Field] {
    match kind {
        "deposit" => {
            const {
                &[
                    other("association_date"),
                    other("ach_date"),
                    other("payment_date"),
                    other("transactions"),
                    amount("sales"),
                    amount("returns"),
                    amount("daily_fees"),
                    amount("held_sales"),
                    amount("ach_adjustment"),
                    amount("holdback"),
                    amount("reserve_release"),
                    amount("net_amount"),
                ]
            }
        }
        "batch" => {
            const {
                &[
                    other("currency"),
                    other("batch_date"),
                    other("transaction_count"),
                    amount("sale_amount"),
                    amount("return_amount"),
                ]
            }
        }
        "authorization" => {
            const {
                &[
                    other("currency"),
                    other("batch_date"),
                    other("type"),
                    other("transaction_id"),
                    other("transaction_date"),
                    amount("amount"),
                    amount("preauthorization_amount"),
                ]
            }
        }
        _ => {
            const {
                &[
                    other("currency"),
                    other("run_date"),
                    other("settlement_date"),
                    other("type"),
                    other("status"),
                    amount("amount"),
                ]
            }
        }
    }
}
