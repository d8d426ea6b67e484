//! A type for every id, so that a batch id is never passed where a deposit id belongs.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An id, an order number or a reference. A night holds many of them, so up to 24 bytes are stored
/// in place, without an allocation.
pub type ShortText = compact_str::CompactString;

macro_rules! numeric_id {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }
    )+};
}

macro_rules! text_id {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(
            Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub ShortText);

        impl $name {
            /// The id as the API wrote it.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Whether it names nothing.
            pub fn is_empty(&self) -> bool {
                self.0.is_empty()
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }
    )+};
}

numeric_id! {
    /// `achDepositId`.
    DepositId,
    /// `batchId`.
    BatchId,
    /// `authorizationId`.
    AuthorizationId,
    /// `transactionId`.
    TransactionId,
    /// `disputeId`.
    DisputeId,
}

text_id! {
    /// `merchantId`, the MID: a string of digits whose leading zeros count.
    MerchantId,
    /// `processingTerminalId`.
    TerminalId,
    /// `paymentId` or `refundId` of a bank transfer.
    TransferId,
}

impl MerchantId {
    /// Names no merchant, or stands for all of them.
    pub const NONE: &'static Self = &Self(ShortText::const_new(""));
}
