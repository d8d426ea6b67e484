//! What every check means and what to do about it, in the order in which money moves:
//! deposits, batches, card items, bank transfers, ledger, the data itself.

use crate::config::CheckLevel;
use crate::config::CheckLevel::{Error, Info, Warning};

/// One check, for people.
#[derive(Clone, Copy, Debug)]
pub(super) struct CheckDescription {
    pub code: &'static str,
    /// Unless the configuration says otherwise.
    pub severity: CheckLevel,
    pub meaning: &'static str,
    pub action: &'static str,
}

/// The codes of all checks.
pub(super) fn codes() -> Vec<&'static str> {
    CATALOGUE.iter().map(|check| check.code).collect()
}

const fn check(
    code: &'static str,
    severity: CheckLevel,
    meaning: &'static str,
    action: &'static str,
) -> CheckDescription {
    CheckDescription { code, severity, meaning, action }
}

/// Every check. Codes are a public contract.
pub(super) const CATALOGUE: &[CheckDescription] = &[
    check(
        "DEPOSIT_NET_MISMATCH",
        Error,
        "The components of a deposit do not add up to its net amount.",
        "Ask the processor which component is wrong; if all deposits differ by the same \
         component, check [settlement.signs].",
    ),
    check(
        "DEPOSIT_SALES_MISMATCH",
        Error,
        "The sales that the deposits of a batch date pay for differ from the sales of its \
         batches.",
        "Compare the batches with the deposits of that day; ask the processor for the sales \
         that are missing or paid twice.",
    ),
    check(
        "DEPOSIT_RETURNS_MISMATCH",
        Error,
        "The returns that the deposits of a batch date deduct differ from the returns of its \
         batches.",
        "Compare the batches with the deposits of that day; ask the processor which returns \
         were deducted.",
    ),
    check(
        "DEPOSIT_COUNT_MISMATCH",
        Warning,
        "The deposits of a batch date pay for another number of transactions than its batches \
         hold.",
        "Look for a sales or returns mismatch of the same day first; a count alone is a \
         question for the processor.",
    ),
    check(
        "DEPOSIT_ADJUSTMENT_MISMATCH",
        Error,
        "The ACH adjustment of the deposits differs from the bank transfers that were \
         returned on that day.",
        "List the returns of that day with the processor; one is missing, or was deducted \
         twice.",
    ),
    check(
        "DEPOSIT_FEES_MISMATCH",
        Warning,
        "The fee lines of a deposit do not add up to the fees that it deducts.",
        "Ask the processor for the missing or the extra fee line.",
    ),
    check(
        "DEPOSIT_WITHOUT_BATCH",
        Error,
        "A deposit pays for a day on which the merchant has no batch.",
        "Ask the processor what the deposit pays for.",
    ),
    check(
        "FEE_WITHOUT_DEPOSIT",
        Warning,
        "A fee names no deposit, or one that the API does not know.",
        "Ask the processor which deposit the fee was taken from.",
    ),
    check(
        "FUNDS_HELD",
        Info,
        "The processor held back part of a deposit.",
        "Nothing, if it was agreed; else ask why, and when it will be released.",
    ),
    check(
        "BATCH_SALES_MISMATCH",
        Error,
        "The sales in a batch do not add up to the total in its header.",
        "Compare the items with the header; ask the processor for what is missing or counted \
         twice.",
    ),
    check(
        "BATCH_RETURNS_MISMATCH",
        Error,
        "The returns in a batch do not add up to the total in its header.",
        "Compare the items with the header; ask the processor for what is missing or counted \
         twice.",
    ),
    check(
        "BATCH_COUNT_MISMATCH",
        Warning,
        "A batch holds another number of items than its header says.",
        "Look for an amount mismatch of the same batch first; a count alone is a question for \
         the processor.",
    ),
    check(
        "BATCH_WITHOUT_DEPOSIT",
        Error,
        "A batch was due to be paid and no deposit has come.",
        "Ask the processor where the money is; check payout_days if the agreement gives it \
         longer.",
    ),
    check(
        "ITEM_WITHOUT_BATCH",
        Error,
        "A card item names a batch that is not listed, or bank transfers are settled on a day \
         without a batch.",
        "Ask the processor which batch the item was submitted in.",
    ),
    check(
        "CAPTURE_EXCEEDS_AUTHORIZATION",
        Warning,
        "More was captured than was authorized.",
        "Check the sale in the till: a tip or a later change explains it, else refund the \
         difference.",
    ),
    check(
        "DECLINED_BUT_CAPTURED",
        Error,
        "A transaction was captured although the issuer had declined it.",
        "Expect a chargeback; check how the till came to capture it.",
    ),
    check(
        "DUPLICATE_TRANSACTION",
        Error,
        "The same transaction stands under more than one authorization.",
        "Check whether the customer was charged twice, and refund the second charge.",
    ),
    check(
        "PAYMENT_NOT_SETTLED",
        Error,
        "A bank payment was due to settle and is in no settled listing.",
        "Ask the processor for its state; check settle_days if the agreement gives it longer.",
    ),
    check(
        "REFUND_NOT_SETTLED",
        Error,
        "A bank refund was due to settle and is in no settled listing.",
        "Ask the processor for its state: the customer is waiting for the money.",
    ),
    check(
        "SETTLED_DESPITE_STATUS",
        Error,
        "A bank transfer that was declined or voided is in a settled listing.",
        "Ask the processor whether the money moved; expect it to be taken back.",
    ),
    check(
        "REFUND_EXCEEDS_PAYMENT",
        Error,
        "The refunds of a payment add up to more than the payment.",
        "Check which refund was made twice, and ask the customer or the processor for it \
         back.",
    ),
    check(
        "REFUND_WITHOUT_PAYMENT",
        Warning,
        "A refund names a payment that the API does not know.",
        "Find the payment in your books; if there is none, ask who made the refund.",
    ),
    check(
        "RETURN_OUTSTANDING",
        Warning,
        "A returned payment has been neither presented again nor closed.",
        "Present it again or close it with the processor; then collect the money in another \
         way.",
    ),
    check(
        "MISSING_IN_LEDGER",
        Error,
        "The processor has an item that the books do not have.",
        "Post it, or find out under which reference it was posted.",
    ),
    check(
        "MISSING_AT_PROCESSOR",
        Error,
        "The books say paid, and the processor has no such item.",
        "Check whether the payment was ever submitted; if not, the goods left unpaid.",
    ),
    check(
        "AMOUNT_MISMATCH",
        Error,
        "An item and its ledger record differ in amount.",
        "Correct the posting, or the charge, whichever is wrong.",
    ),
    check(
        "CURRENCY_MISMATCH",
        Error,
        "An item and the ledger record that names it differ in currency.",
        "Correct the currency of the posting, or the reference that it names.",
    ),
    check(
        "STATUS_MISMATCH",
        Error,
        "The books and the processor disagree on whether a payment stands.",
        "Reverse or restore the posting to follow the processor.",
    ),
    check(
        "DUPLICATE_IN_LEDGER",
        Warning,
        "More than one ledger record names the same item at the processor.",
        "Remove the second posting, or correct its reference.",
    ),
    check(
        "AMBIGUOUS_MATCH",
        Warning,
        "Items and ledger records could be paired in several ways that are not the same.",
        "Add the processor's reference to the ledger records; nothing was guessed.",
    ),
    check(
        "RESTATED_AFTER_RECONCILED",
        Warning,
        "A record of a date that was reconciled before came back with other contents.",
        "Ask the processor why it changed; accept it when the change is right.",
    ),
    check(
        "VANISHED_AFTER_RECONCILED",
        Error,
        "A record of a date that was reconciled before is no longer listed.",
        "Ask the processor where it went.",
    ),
    check(
        "UNKNOWN_MERCHANT",
        Warning,
        "The API lists a merchant that the configuration does not name.",
        "Add it under [[merchants]], or have the key limited to the merchants that are yours.",
    ),
];
