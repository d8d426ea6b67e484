//! The journal entry that a deposit posts to the merchant's books.

use crate::money::{Currency, Minor};
use crate::{DepositId, MerchantId};

/// The accounts that a deposit is posted to, each of type `T`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accounts<T> {
    /// Money that arrived at the bank.
    pub cash: T,
    /// The processor's fees.
    pub fees: T,
    /// Money that the processor keeps and releases later.
    pub reserve: T,
    /// Money that disputes took or gave back.
    pub chargebacks: T,
    /// Returned bank transfers.
    pub returns: T,
    /// Money that the processor owes the merchant for sales.
    pub clearing: T,
}

impl Accounts<&'static str> {
    /// The names of the accounts, as the configuration has them.
    pub const NAMES: Self = Self {
        cash: "cash",
        fees: "fees",
        reserve: "reserve",
        chargebacks: "chargebacks",
        returns: "returns",
        clearing: "clearing",
    };
}

impl<T> Accounts<T> {
    /// Applies `of` to each account.
    ///
    /// # Errors
    /// The first error of `of`.
    pub fn try_map<U, E>(self, of: impl Fn(T) -> Result<U, E>) -> Result<Accounts<U>, E> {
        Ok(Accounts {
            cash: of(self.cash)?,
            fees: of(self.fees)?,
            reserve: of(self.reserve)?,
            chargebacks: of(self.chargebacks)?,
            returns: of(self.returns)?,
            clearing: of(self.clearing)?,
        })
    }

    /// The same accounts by reference.
    pub fn as_ref(&self) -> Accounts<&T> {
        let Self { cash, fees, reserve, chargebacks, returns, clearing } = self;
        Accounts { cash, fees, reserve, chargebacks, returns, clearing }
    }

    /// Every account, in the order of an entry's lines.
    pub fn each(self) -> [T; 6] {
        [self.cash, self.fees, self.reserve, self.chargebacks, self.returns, self.clearing]
    }
}

/// The journal entry of one deposit on a date: debits are positive, and the amounts add up to zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalEntry {
    pub ach_deposit_id: DepositId,
    pub merchant_id: MerchantId,
    pub merchant_name: String,
    pub currency: Currency,
    pub amounts: Accounts<Minor>,
}
