//! The fields that evidence keeps, as an allowlist by path. Left out on purpose: names of account
//! holders and customers, contact details, custom fields, stored-account tokens, routing, transit
//! and institution numbers, and the free text of an order.

use tieout_model::Resource;

/// How much of a value is kept; null is always kept.
#[derive(Debug)]
pub(super) enum Kept {
    /// Text, number, true or false, as written.
    Scalar,
    /// Text that may contain a card number, which is masked.
    FreeText,
    /// As free text; an integer is masked by its digits.
    FreeId,
    /// Only the last four digits.
    LastFour,
    /// The named properties.
    Object(&'static [(&'static str, Kept)]),
    /// All elements, each kept as the inner value says.
    List(&'static Kept),
}

use Kept::{FreeId, FreeText, LastFour, List, Object, Scalar};

const LINK: Kept = Object(&[("rel", Scalar), ("method", Scalar), ("href", Scalar)]);

const MERCHANT: Kept = Object(&[
    ("merchantId", Scalar),
    ("doingBusinessAs", Scalar),
    ("processingAccountId", Scalar),
    ("link", LINK),
]);

const BATCH_SUMMARY: Kept =
    Object(&[("batchId", Scalar), ("date", Scalar), ("cycle", Scalar), ("link", LINK)]);

const DEPOSIT: Kept = Object(&[
    ("achDepositId", Scalar),
    ("associationDate", Scalar),
    ("achDate", Scalar),
    ("paymentDate", Scalar),
    ("transactions", Scalar),
    ("sales", Scalar),
    ("returns", Scalar),
    ("dailyFees", Scalar),
    ("heldSales", Scalar),
    ("achAdjustment", Scalar),
    ("holdback", Scalar),
    ("reserveRelease", Scalar),
    ("netAmount", Scalar),
    ("merchant", MERCHANT),
    ("links", List(&LINK)),
]);

const FEE: Kept = Object(&[
    ("associationDate", Scalar),
    ("adjustmentDate", Scalar),
    ("description", FreeText),
    ("amount", Scalar),
    ("merchant", MERCHANT),
    ("achDeposit", Object(&[("achDepositId", Scalar), ("link", LINK)])),
]);

const BATCH: Kept = Object(&[
    ("batchId", Scalar),
    ("date", Scalar),
    ("createdDate", Scalar),
    ("lastModifiedDate", Scalar),
    ("saleAmount", Scalar),
    ("heldAmount", Scalar),
    ("returnAmount", Scalar),
    ("transactionCount", Scalar),
    ("currency", Scalar),
    ("merchant", MERCHANT),
    ("links", List(&LINK)),
]);

const AUTHORIZATION: Kept = Object(&[
    ("authorizationId", Scalar),
    ("createdDate", Scalar),
    ("lastModifiedDate", Scalar),
    ("authorizationResponse", Scalar),
    ("preauthorizationRequestAmount", Scalar),
    ("currency", Scalar),
    ("batch", BATCH_SUMMARY),
    (
        "card",
        Object(&[
            ("cardNumber", LastFour),
            ("type", Scalar),
            ("cvvPresenceIndicator", Scalar),
            ("avsRequest", Scalar),
            ("avsResponse", Scalar),
        ]),
    ),
    ("merchant", MERCHANT),
    (
        "transaction",
        Object(&[
            ("transactionId", Scalar),
            ("type", Scalar),
            ("date", Scalar),
            ("entryMethod", Scalar),
            ("amount", Scalar),
            ("link", LINK),
        ]),
    ),
]);

const TRANSACTION: Kept = Object(&[
    ("transactionId", Scalar),
    ("type", Scalar),
    ("date", Scalar),
    ("amount", Scalar),
    ("entryMethod", Scalar),
    ("createdDate", Scalar),
    ("lastModifiedDate", Scalar),
    ("status", Scalar),
    ("cashbackAmount", Scalar),
    ("currency", Scalar),
    ("merchant", MERCHANT),
    (
        "settled",
        Object(&[
            ("settledBy", Scalar),
            ("achDate", Scalar),
            ("achDepositId", Scalar),
            ("link", LINK),
        ]),
    ),
    ("batch", BATCH_SUMMARY),
    ("card", Object(&[("cardNumber", LastFour), ("type", Scalar)])),
    ("authorization", Object(&[("authorizationId", Scalar), ("link", LINK)])),
]);

const DISPUTE_STATUS: Kept = Object(&[
    ("disputeStatusId", Scalar),
    ("status", Scalar),
    ("statusDate", Scalar),
    ("link", LINK),
]);

/// Without the description, which is free text, and the authorization code.
const DISPUTE: Kept = Object(&[
    ("disputeId", Scalar),
    ("disputeType", Scalar),
    ("currentStatus", DISPUTE_STATUS),
    ("createdDate", Scalar),
    ("lastModifiedDate", Scalar),
    ("receivedDate", Scalar),
    ("referenceNumber", Scalar),
    ("disputeAmount", Scalar),
    ("feeAmount", Scalar),
    ("firstDispute", Scalar),
    ("currency", Scalar),
    ("card", Object(&[("cardNumber", LastFour), ("type", Scalar)])),
    ("merchant", MERCHANT),
    (
        "transaction",
        Object(&[
            ("transactionId", Scalar),
            ("type", Scalar),
            ("date", Scalar),
            ("amount", Scalar),
        ]),
    ),
]);

const ORDER: Kept = Object(&[
    ("orderId", FreeId),
    ("dateTime", Scalar),
    ("amount", Scalar),
    ("currency", Scalar),
    (
        "breakdown",
        Object(&[
            ("subtotal", Scalar),
            (
                "tip",
                Object(&[
                    ("type", Scalar),
                    ("mode", Scalar),
                    ("amount", Scalar),
                    ("percentage", Scalar),
                ]),
            ),
            ("taxes", List(&Object(&[("name", Scalar), ("rate", Scalar), ("amount", Scalar)]))),
        ]),
    ),
]);

const ACCOUNT: Kept = Object(&[("type", Scalar), ("secCode", Scalar), ("accountNumber", LastFour)]);

const RESULT: Kept = Object(&[
    ("type", Scalar),
    ("status", Scalar),
    ("authorizedAmount", Scalar),
    ("currency", Scalar),
    ("responseCode", Scalar),
    ("responseMessage", Scalar),
    ("processorResponseCode", Scalar),
]);

const TRANSFER_SUMMARY: Kept = Object(&[
    ("paymentId", Scalar),
    ("refundId", Scalar),
    ("dateTime", Scalar),
    ("currency", Scalar),
    ("amount", Scalar),
    ("status", Scalar),
    ("responseCode", Scalar),
    ("responseMessage", Scalar),
    ("link", LINK),
]);

const RETURN: Kept = Object(&[
    ("paymentId", Scalar),
    ("date", Scalar),
    ("returnCode", Scalar),
    ("returnReason", Scalar),
    ("represented", Scalar),
    ("closed", Scalar),
    ("link", LINK),
]);

const BANK_TRANSFER: Kept = Object(&[
    ("paymentId", Scalar),
    ("refundId", Scalar),
    ("processingTerminalId", Scalar),
    ("order", ORDER),
    ("bankAccount", ACCOUNT),
    ("refunds", List(&TRANSFER_SUMMARY)),
    ("returns", List(&RETURN)),
    ("representment", TRANSFER_SUMMARY),
    ("payment", TRANSFER_SUMMARY),
    ("transactionResult", RESULT),
]);

/// A page whose records are kept according to `$record`.
macro_rules! page {
    ($record:expr) => {
        Object(&[
            ("limit", Scalar),
            ("count", Scalar),
            ("hasMore", Scalar),
            ("links", List(&LINK)),
            ("data", List(&$record)),
        ])
    };
}

/// The allowlist for a page of `resource`.
pub(super) fn page_of(resource: Resource) -> &'static Kept {
    const DEPOSITS: Kept = page!(DEPOSIT);
    const FEES: Kept = page!(FEE);
    const BATCHES: Kept = page!(BATCH);
    const AUTHORIZATIONS: Kept = page!(AUTHORIZATION);
    const TRANSACTIONS: Kept = page!(TRANSACTION);
    const BANK_TRANSFERS: Kept = page!(BANK_TRANSFER);
    const DISPUTES: Kept = page!(DISPUTE);
    const DISPUTE_STATUSES: Kept = List(&DISPUTE_STATUS);
    match resource {
        Resource::Deposits => &DEPOSITS,
        Resource::Fees => &FEES,
        Resource::Batches => &BATCHES,
        Resource::Authorizations => &AUTHORIZATIONS,
        Resource::Transactions => &TRANSACTIONS,
        Resource::Payments | Resource::Refunds => &BANK_TRANSFERS,
        Resource::Disputes => &DISPUTES,
        Resource::DisputeStatuses => &DISPUTE_STATUSES,
    }
}

/// The allowlist for one record of `resource`.
pub(super) fn record_of(resource: Resource) -> &'static Kept {
    match resource {
        Resource::Deposits => &DEPOSIT,
        Resource::Fees => &FEE,
        Resource::Batches => &BATCH,
        Resource::Authorizations => &AUTHORIZATION,
        Resource::Transactions => &TRANSACTION,
        Resource::Payments | Resource::Refunds => &BANK_TRANSFER,
        Resource::Disputes => &DISPUTE,
        Resource::DisputeStatuses => &DISPUTE_STATUS,
    }
}
