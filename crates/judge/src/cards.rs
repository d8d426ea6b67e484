//! One pass over the authorizations of the days in question: adds them up batch by batch, and picks
//! the few that the checks examine one by one. Authorizations are most of a night's data, so no
//! check reads through all of them itself.

use std::collections::{BTreeSet, HashMap};
use tieout_model::{AuthorizationId, BatchId, MerchantId, TransactionId};

use tieout_store::judging::{self, Card};
use tieout_store::{StatementError, Store};

/// The file of `crates/store/sql/asof` that creates the tables filled here.
pub const TABLES: &str = "12_cards";

/// The key under which an amount is added up, without its kind and day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Place {
    batch_id: Option<BatchId>,
    merchant_id: Option<MerchantId>,
    currency: Option<String>,
}

/// An issuer's answers that approve, in full or in part, the most frequent first.
const APPROVALS: [&str; 8] = [
    "approved",
    "approveVip",
    "approveWithId",
    "honorWithId",
    "successful",
    "partialApproval",
    "partialAuthorization",
    "noReasonToDecline",
];

/// Published answers that decide nothing, or that an approval by voice or stand-in may follow.
const SILENT: [&str; 15] = [
    "unknown",
    "forceStip",
    "noFinancialImpact",
    "noActionTaken",
    "contactCardIssuer",
    "pleaseCallIssuer",
    "forwardToIssuer",
    "referToCardIssuer",
    "referToCardIssuerSpecialCondition",
    "issuerNotAvailable",
    "issuerTimeout",
    "issuerUnavailable",
    "destinationCannotBeFoundForRouting",
    "unableToGoOnline",
    "systemMalfunction",
];

/// All other published answers: each is a refusal.
const REFUSALS: [&str; 68] = [
    "activityCountLimitExceeded",
    "alreadyReversed",
    "cannotVerifyPin",
    "cardAuthenticationFailed",
    "cardTypeVerificationError",
    "cashRequestExceedsIssuerLimit",
    "cashServiceNotAvailable",
    "cidVerificationError",
    "cryptographicFailure",
    "dailyThresholdExceeded",
    "declineCvv2Failure",
    "deny",
    "denyAccountCanceled",
    "denyClosedMerchant",
    "denyNewCardIssued",
    "denyPickUpCard",
    "doNotHonor",
    "duplicateTransmissionDetected",
    "error",
    "exceedsWithdrawalAmountLimit",
    "expiredCard",
    "fileTemporarilyUnavailable",
    "formatError",
    "functionNotSupported",
    "incorrectCvv",
    "incorrectPin",
    "ineligibleForResubmission",
    "insufficientFunds",
    "invalidAccount",
    "invalidAccountNumber",
    "invalidAmount",
    "invalidAuthorizationLifeCycle",
    "invalidBillerInformation",
    "invalidCardSecurityCode",
    "invalidCurrencyCode",
    "invalidMerchant",
    "invalidResponse",
    "invalidTransaction",
    "noCardRecord",
    "noCheckingAccount",
    "noCreditAccount",
    "noSavingsAccount",
    "noSuchIssuer",
    "pickUpCard",
    "pickUpCardSpecialCondition",
    "pinChangeRequestDeclined",
    "pinCryptographicErrorFound",
    "pinEntryTriesExceeded",
    "pinNotChanged",
    "reenterTransaction",
    "restrictedCard",
    "reversal",
    "reversalDataInconsistent",
    "revokeAllAuthorizationsOrder",
    "scheduledTransactionstoppedByCardholder",
    "securityViolation",
    "surchargeAmountNotPermitted",
    "suspectFraud",
    "transactionAmountExceedsApprovalAmount",
    "transactionCannotBeCompleted",
    "transactionNotAllowedAtMerchant",
    "transactionNotAllowedAtTerminal",
    "transactionNotPermitted",
    "transactionNotPermittedToCardholder",
    "unableToLocateRecordInFile",
    "unableToVerifyPin",
    "unacceptablePin",
    "unsafePin",
];

/// The kind of item that an authorization counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Capture,
    Return,
    /// Its transaction has another type, or none.
    Unknown,
    /// It has no transaction.
    None,
}

/// The kinds as `temp.listed_cards` names them, in their order.
const KINDS: [&str; 4] = ["capture", "return", "unknown", "none"];

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    items: i64,
    known: i64,
    /// Wider than an amount, so that no sum of listed amounts can overflow on the way.
    amount: i128,
}

/// By kind.
type Sums = [Sum; KINDS.len()];

/// The sums and the doubtful authorizations of one day.
#[derive(Default)]
pub(crate) struct DayCards {
    totals: Totals,
    /// Authorization and transaction id, where another authorization has the same transaction id.
    repeated: Vec<(AuthorizationId, TransactionId)>,
    /// Captures that were refused, have an unpublished answer, exceed the authorized amount, or may
    /// do so together with others; and returns beside captures.
    doubtful: BTreeSet<AuthorizationId>,
}

/// Fills the tables of [`TABLES`]; `ahead` holds the days that were read in advance.
///
/// # Errors
/// When the store refuses, or a sum does not fit into 64 bits.
pub fn fill(store: &Store, mut ahead: HashMap<String, DayCards>) -> Result<(), StatementError> {
    let meanings =
        [("approval", &APPROVALS[..]), ("nothing", &SILENT[..]), ("refusal", &REFUSALS[..])];
    let responses = meanings
        .iter()
        .flat_map(|(meaning, responses)| responses.iter().map(move |one| [*one, *meaning]));
    judging::insert(store, "card_responses", "response, meaning", responses)?;
    // An authorization listed on several days is inserted once.
    let mut doubtful = BTreeSet::new();
    for (day, is_judged) in judging::card_days(store)? {
        let cards = match ahead.remove(&day) {
            Some(cards) => cards,
            None => read(store, &day)?,
        };
        let columns = "authorization_id, transaction_id";
        let repeated = cards.repeated.iter().map(|(item, part)| (item.0, part.0));
        judging::insert(store, "repeated_cards", columns, repeated)?;
        cards.totals.insert(store, &day)?;
        doubtful.extend(cards.doubtful.into_iter().filter(|_| is_judged));
    }
    judging::insert(store, "doubtful_cards", "authorization_id", doubtful.iter().map(|id| [id.0]))
}

/// Reads the authorizations of a day.
///
/// # Errors
/// When the store refuses.
pub fn read(store: &Store, day: &str) -> Result<DayCards, StatementError> {
    let mut cards = DayCards::default();
    let mut standing = Vec::new();
    judging::each_card(store, day, |card| {
        let kind = kind(&card);
        cards.totals.add(&card, kind);
        standing.extend(card.transaction_id.map(|id| (id, card.authorization_id)));
        // A return beside other records of its authorization may exceed the captures.
        let is_split_return = kind == Kind::Return && card.is_split;
        if is_split_return || (kind == Kind::Capture && is_doubtful(&card)) {
            cards.doubtful.insert(card.authorization_id);
        }
    })?;
    cards.repeated = judging::repeated(store, standing)?;
    Ok(cards)
}

fn kind(card: &Card<'_>) -> Kind {
    match card.transaction_type {
        _ if !card.has_transaction => Kind::None,
        Some("capture") => Kind::Capture,
        Some("return") => Kind::Return,
        _ => Kind::Unknown,
    }
}

/// Whether a capture was refused, has an unpublished answer, or exceeds the authorized amount, by
/// itself or perhaps together with others.
fn is_doubtful(card: &Card<'_>) -> bool {
    let is_known = |response: &str| APPROVALS.contains(&response) || SILENT.contains(&response);
    let approved = card.preauthorization.filter(|approved| *approved > 0);
    let is_beyond = |approved| card.is_split || card.amount.is_none_or(|amount| amount > approved);
    !card.response.is_none_or(is_known) || approved.is_some_and(is_beyond)
}

/// The sums of a day so far.
#[derive(Default)]
struct Totals {
    places: Vec<(Place, Sums)>,
    by_place: HashMap<Place, usize>,
    /// The place of the previous row. Rows come batch by batch, so it usually fits the next one.
    latest: usize,
}

impl Totals {
    fn add(&mut self, card: &Card<'_>, kind: Kind) {
        let is_same = self.places.get(self.latest).is_some_and(|(place, _)| {
            place.batch_id == card.batch_id
                && place.merchant_id.as_ref().map(MerchantId::as_str) == card.merchant_id
                && place.currency.as_deref() == card.currency
        });
        if !is_same {
            let place = Place {
                batch_id: card.batch_id,
                merchant_id: card.merchant_id.map(MerchantId::from),
                currency: card.currency.map(str::to_owned),
            };
            let next = self.places.len();
            self.latest = *self.by_place.entry(place.clone()).or_insert(next);
            if self.latest == next {
                self.places.push((place, Sums::default()));
            }
        }
        if let Some((_, sums)) = self.places.get_mut(self.latest) {
            let sum = &mut sums[kind as usize];
            let amount_minor = i128::from(card.amount.unwrap_or_default());
            sum.items += 1;
            sum.known += i64::from(card.amount.is_some());
            // The sign of a return's amount is not published; its size is.
            sum.amount += if kind == Kind::Return { amount_minor.abs() } else { amount_minor };
        }
    }

    fn insert(&self, store: &Store, day: &str) -> Result<(), StatementError> {
        let columns = "day, batch_id, merchant_id, currency, kind, items, known, amount_minor";
        let mut rows = Vec::new();
        for (place, sums) in &self.places {
            let Place { batch_id, merchant_id, currency } = place;
            for (kind, sum) in KINDS.iter().zip(sums).filter(|(_, sum)| sum.items > 0) {
                let amount_minor = i64::try_from(sum.amount)?;
                let (items, known) = (sum.items, sum.known);
                let batch_id = batch_id.map(|id| id.0);
                let merchant_id = merchant_id.as_ref().map(MerchantId::as_str);
                rows.push((day, batch_id, merchant_id, currency, kind, items, known, amount_minor));
            }
        }
        judging::insert(store, "listed_cards", columns, rows)
    }
}
