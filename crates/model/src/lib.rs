//! The domain types that stages share: one noun a file, no wire shapes, no table shapes.
//! A field that the API left out or sent as null is `None`: unknown is not zero.

mod acceptance;
mod assignment;
mod authorization;
mod bank_bridge;
mod bank_file;
mod bank_line;
mod bank_match;
mod bank_standing;
mod bank_transfer;
mod batch;
pub mod calendar;
mod card_number;
pub mod clock;
pub mod dates;
mod deposit;
pub mod digest;
mod discrepancy;
mod dispute;
mod dispute_row;
mod fee_rate;
mod finding;
mod group_key;
mod ids;
mod journal;
mod ledger_file;
mod ledger_record;
mod listing;
mod merchant;
pub mod money;
mod not_evaluated;
mod period;
mod processing_terminal;
mod report_rows;
mod reported_check;
mod run_record;
mod severity;
mod shard;
mod share;
mod sign_off;
mod transaction;

pub use acceptance::{Acceptance, AcceptedRow};
pub use assignment::Assignment;
pub use authorization::{Authorization, CardTransaction};
pub use bank_bridge::{BankBridgeRow, BridgeStep};
pub use bank_file::{BankFile, LeftOut, Recall, Span};
pub use bank_line::{BankLine, OtherCredit, number_digest};
pub use bank_match::{BankMatchRow, BankVerdict, is_at_bank, is_on_the_way};
pub use bank_standing::{BankStanding, CARRIED, PAYS, PAYS_FEES, StandingKind, TAKEN_BACK};
pub use bank_transfer::{
    BankTransfer, PaymentSummary, RefundSummary, TransferKind, TransferReturn,
};
pub use batch::Batch;
pub use card_number::{is_masked, mask_card_numbers};
pub use deposit::{Deposit, Fee};
pub use discrepancy::{Discrepancy, DiscrepancyStatus, Figure};
pub use dispute::{Dispute, DisputeStatus, DisputedTransaction};
pub use dispute_row::DisputeRow;
pub use fee_rate::FeeRateRow;
pub use finding::{Finding, IdColumn, RecordIds};
pub use group_key::GroupKey;
pub use ids::{
    AuthorizationId, BatchId, DepositId, DisputeId, MerchantId, ShortText, TerminalId,
    TransactionId, TransferId,
};
pub use journal::{Accounts, JournalEntry};
pub use ledger_file::{LedgerFile, Quarantined, Skipped};
pub use ledger_record::{LedgerKind, LedgerRecord, LedgerStatus};
pub use listing::{Listing, Record, RecordKey, Resource, Selector, TWO_CONTENTS};
pub use merchant::MerchantSummary;
pub use not_evaluated::{HINT, NotEvaluated};
pub use period::{
    AGES, DayAmountsRow, DayFigures, DayRow, MerchantPeriodRow, ReturnCodeRow, ReturnMeasure,
    ReturnRateRow, Standing, age_class,
};
pub use processing_terminal::ProcessingTerminal;
pub use report_rows::{
    BatchRow, DepositRow, MatchRow, RollAmounts, SummaryRow, TransitRow, Verdict,
};
pub use reported_check::{Claim, MoneyPart, ReportedCheck, ReportedChecks};
pub use run_record::{
    Amount, ChecksRecord, Count, DateStanding, DiscrepancyTotals, ItemTotals, LedgerTotals,
    ListingRecord, RecordTotals, RunRecord, SCHEMA_VERSION, StageRecord, StoreStamp, Total,
};
pub use severity::Severity;
pub use shard::{MAX_SHARDS, Shard, ShardError};
pub use share::MoneyShare;
pub use sign_off::{SignOff, Signature};
pub use transaction::Transaction;
