//! Finds the records of a listing. Batches and authorizations need no index: they are kept in order
//! of date and id, so that a listing of them is a slice.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::records::Records;

/// Positions of records by the filters of the listings.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// Deposits by payment date.
    pub deposits: BTreeMap<NaiveDate, Vec<usize>>,
    /// Fees by the date on which they are listed.
    pub fees: BTreeMap<NaiveDate, Vec<usize>>,
    /// Fees by the deposit that they name.
    pub deposit_fees: BTreeMap<i64, Vec<usize>>,
    /// Merchant and terminal by the terminal's id.
    pub terminals: BTreeMap<String, (usize, usize)>,
    /// Listed payments of a terminal, in the order in which they ran.
    pub payments: BTreeMap<(usize, usize), Vec<usize>>,
    /// Listed refunds of a terminal, in the order in which they ran.
    pub refunds: BTreeMap<(usize, usize), Vec<usize>>,
    /// Transfers by id, listed or not.
    pub transfers: BTreeMap<String, usize>,
    /// Disputes by the date on which they are listed.
    pub disputes: BTreeMap<NaiveDate, Vec<usize>>,
}

impl Index {
    /// Indexes `records`, which must not change afterwards.
    pub fn new(records: &Records) -> Self {
        let mut index = Self::default();
        for (at, deposit) in records.deposits.iter().enumerate() {
            index.deposits.entry(deposit.payment_date).or_default().push(at);
        }
        for (at, fee) in records.fees.iter().enumerate() {
            index.fees.entry(fee.listed_date).or_default().push(at);
            if let Some(deposit) = fee.deposit_id {
                index.deposit_fees.entry(deposit).or_default().push(at);
            }
        }
        for (at, dispute) in records.disputes.iter().enumerate() {
            index.disputes.entry(dispute.created).or_default().push(at);
        }
        for (merchant, entry) in records.merchants.iter().enumerate() {
            for (terminal, id) in entry.terminals.iter().enumerate() {
                index.terminals.insert(id.clone(), (merchant, terminal));
            }
        }
        for (at, transfer) in records.transfers.iter().enumerate() {
            index.transfers.insert(transfer.id.clone(), at);
            let listing = if transfer.transfer_type.is_refund() {
                &mut index.refunds
            } else {
                &mut index.payments
            };
            if transfer.is_listed {
                listing.entry((transfer.merchant, transfer.terminal)).or_default().push(at);
            }
        }
        for listing in index.payments.values_mut().chain(index.refunds.values_mut()) {
            listing.sort_by_key(|at| (records.transfers[*at].run_at, *at));
        }
        index
    }
}
