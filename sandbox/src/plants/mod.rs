//! Planted discrepancies: one small function for each code alters a clean world in one place so
//! that only this code is found there, and adds the expected finding to the answer key.

mod balances;
mod banking;
mod batches;
mod cards;
mod deposits;
mod disputes;
mod key;
mod planter;
mod settlement;
mod transfers;

use super::banks;
use super::books;
use super::world::records::Records;
use super::world::{WorldError, WorldOptions, Woven};

pub use key::{AnswerKey, Expected};

use planter::{Nth, Planter};

/// A plant that is made with the merchants, before there are records to alter.
pub const UNKNOWN_MERCHANT: &str = "UNKNOWN_MERCHANT";

/// As `UNKNOWN_MERCHANT`: a configured merchant that the processor does not know.
pub const MERCHANT_NOT_LISTED: &str = "MERCHANT_NOT_LISTED";

/// Plants for which a busy week has no place.
const NOT_OF_A_WEEK: [&str; 12] = [
    "CAPTURE_EXCEEDS_AUTHORIZATION/tips",
    "DEPOSIT_ADJUSTMENT_MISMATCH/never-deducted",
    "DEPOSIT_CARRIED/parts",
    "DEPOSIT_CARRIED/together",
    "DEPOSIT_NOT_IN_BANK/paid-again",
    "DEPOSIT_SALES_MISMATCH/card-type",
    "DEPOSIT_SALES_MISMATCH/late-batch",
    "DUPLICATE_BATCH/next-day",
    "LEDGER_NOT_FITTING",
    "PAYMENT_NOT_SETTLED/accepted",
    "REFUND_EXCEEDS_PAYMENT/card",
    "TERMINALS_NOT_NAMED",
];

/// A plant: its name, its change of the world, and the place that it needs.
struct Plant {
    /// The code to be found, or `CODE/variant` where a code has several plants.
    name: &'static str,
    /// Alters the world once; `None` when there is no place.
    apply: fn(&mut Planter<'_>, Nth) -> Option<()>,
    needs: &'static str,
}

const PAID_GROUP: &str = "a merchant and batch date that is paid and due in the range";
const BATCH: &str = "a batch in the range that is paid and due after it";
const ITEM: &str = "a captured card item in the range";
const NO_BATCH: &str = "a day without a batch of a merchant in the United States or Canada";
const TRANSFER: &str = "a merchant in the United States or Canada with a fitting bank transfer";

/// Every plant in the processor's records except `UNKNOWN_MERCHANT`, the most demanding first, so
/// that the others leave it room.
const PLANTS: [Plant; 23] = [
    entry("DEPOSIT_WITHOUT_BATCH", deposits::deposit_without_batch, PAID_GROUP),
    entry("RETURN_OUTSTANDING", banking::return_outstanding, TRANSFER),
    entry("PAYMENT_NOT_SETTLED", banking::payment_not_settled, TRANSFER),
    entry("REFUND_NOT_SETTLED", banking::refund_not_settled, TRANSFER),
    entry("REFUND_EXCEEDS_PAYMENT", banking::refund_exceeds_payment, TRANSFER),
    entry("REFUND_WITHOUT_PAYMENT", banking::refund_without_payment, TRANSFER),
    entry("SETTLED_DESPITE_STATUS", banking::settled_despite_status, TRANSFER),
    entry("BATCH_WITHOUT_DEPOSIT", batches::batch_without_deposit, PAID_GROUP),
    entry("DEPOSIT_SALES_MISMATCH", deposits::sales_mismatch, PAID_GROUP),
    entry("DEPOSIT_RETURNS_MISMATCH", deposits::returns_mismatch, PAID_GROUP),
    entry("DEPOSIT_COUNT_MISMATCH", deposits::count_mismatch, PAID_GROUP),
    entry("DEPOSIT_ADJUSTMENT_MISMATCH", deposits::adjustment_mismatch, PAID_GROUP),
    entry("DEPOSIT_NET_MISMATCH", deposits::net_mismatch, PAID_GROUP),
    entry("DEPOSIT_FEES_MISMATCH", deposits::fees_mismatch, PAID_GROUP),
    entry("FUNDS_HELD", deposits::funds_held, PAID_GROUP),
    entry("BATCH_SALES_MISMATCH", batches::sales_mismatch, BATCH),
    entry("BATCH_RETURNS_MISMATCH", batches::returns_mismatch, BATCH),
    entry("BATCH_COUNT_MISMATCH", batches::count_mismatch, BATCH),
    entry("DUPLICATE_TRANSACTION", cards::duplicate_transaction, ITEM),
    entry("DECLINED_BUT_CAPTURED", cards::declined_but_captured, ITEM),
    entry("CAPTURE_EXCEEDS_AUTHORIZATION", cards::capture_exceeds_authorization, ITEM),
    entry("ITEM_WITHOUT_BATCH", cards::item_without_batch, ITEM),
    entry("FEE_WITHOUT_DEPOSIT", deposits::fee_without_deposit, "a merchant"),
];

/// Plants of newer rules, which are planted only when named; the most demanding first.
const NEWER: [Plant; 25] = [
    entry("DEPOSIT_CARRIED/parts", balances::carried_in_parts, PAID_GROUP),
    entry("DEPOSIT_CARRIED/together", balances::carried_together, PAID_GROUP),
    entry("DEPOSIT_NOT_IN_BANK/paid-again", balances::paid_again, PAID_GROUP),
    entry("DUPLICATE_BATCH/next-day", settlement::duplicate_next_day, PAID_GROUP),
    entry("DEPOSIT_ADJUSTMENT_MISMATCH/never-deducted", balances::never_deducted, TRANSFER),
    entry("CAPTURE_EXCEEDS_AUTHORIZATION/tips", cards::tips, PAID_GROUP),
    entry("REFUND_EXCEEDS_PAYMENT/card", cards::card_refunded_too_much, PAID_GROUP),
    entry("DUPLICATE_BATCH", settlement::duplicate_batch, PAID_GROUP),
    entry("DEPOSIT_CARRIED", balances::deposit_carried, PAID_GROUP),
    entry("DEPOSIT_CARRIED/group", balances::group_carried, PAID_GROUP),
    entry("DEPOSIT_SALES_MISMATCH/late-batch", settlement::late_batch, PAID_GROUP),
    entry("DEPOSIT_SALES_MISMATCH/card-type", cards::unpaid_card_type, PAID_GROUP),
    entry("DEPOSIT_SALES_MISMATCH/unpaid-sale", cards::unpaid_sale, PAID_GROUP),
    entry("DEPOSIT_NOT_IN_BANK/resent", balances::deposit_resent, PAID_GROUP),
    entry("TERMINALS_NOT_NAMED", settlement::terminals_not_named, "a merchant in Japan"),
    entry("TIME_ZONE_DOUBTFUL", transfers::ran_after_settlement, TRANSFER),
    entry("REFUND_EXCEEDS_PAYMENT/returned", transfers::refund_after_return, TRANSFER),
    entry("REFUND_RETURNED", transfers::refund_returned, TRANSFER),
    // In the books the same refund is paid.
    entry(books::RETURNED_REFUND, transfers::refund_returned, TRANSFER),
    entry("DUPLICATE_TRANSACTION/transfer", transfers::settled_twice, TRANSFER),
    entry("ITEM_WITHOUT_BATCH/transfers", transfers::settled_without_batch, NO_BATCH),
    entry("PAYMENT_NOT_SETTLED/accepted", transfers::accepted_not_settled, TRANSFER),
    entry("DISPUTED_AND_REFUNDED", disputes::disputed_and_refunded, ITEM),
    entry("DISPUTE_OPEN", disputes::dispute_open, ITEM),
    entry("CAPTURE_EXCEEDS_AUTHORIZATION/parts", disputes::parts_exceed_authorization, ITEM),
];

const fn entry(
    name: &'static str,
    apply: fn(&mut Planter<'_>, Nth) -> Option<()>,
    needs: &'static str,
) -> Plant {
    Plant { name, apply, needs }
}

/// Every code that can be planted, sorted.
pub fn plant_codes() -> Vec<&'static str> {
    let mut codes: Vec<&str> = PLANTS.iter().map(|plant| plant.name).collect();
    codes.push(UNKNOWN_MERCHANT);
    codes.extend(books::PLANT_CODES);
    codes.extend(banks::PLANT_CODES);
    codes.sort_unstable();
    codes
}

/// The plants of newer rules, sorted: each a code, or `CODE/variant`.
pub fn newer_plants() -> Vec<&'static str> {
    let mut names: Vec<&str> = NEWER.iter().map(|plant| plant.name).collect();
    names.push(MERCHANT_NOT_LISTED);
    names.extend(books::NEWER_PLANTS);
    names.extend(banks::NEWER_PLANTS);
    names.sort_unstable();
    names
}

/// The plants of a week that contains every kind as well, sorted. Left out are those that need more
/// days or more merchants, the merchant for whom something is not evaluated, and those whose key is
/// not exact beside the others.
pub fn plants_of_a_week() -> Vec<&'static str> {
    let mut names = plant_codes();
    names.extend(newer_plants());
    names.retain(|name| !NOT_OF_A_WEEK.contains(name));
    names.sort_unstable();
    names
}

/// Refuses names in `options` that no plant has.
///
/// # Errors
/// For the first unknown name.
pub fn check(options: &WorldOptions) -> Result<(), WorldError> {
    let (known, newer) = (plant_codes(), newer_plants());
    let is_known = |name: &&String| known.iter().chain(&newer).any(|one| one == name);
    match options.plants.iter().find(|name| !is_known(name)) {
        Some(code) => Err(WorldError::UnknownPlant { code: code.clone(), known }),
        None => Ok(()),
    }
}

/// The differences in the files beside the world.
#[derive(Clone, Debug, Default)]
pub struct Spoiled {
    pub books: books::Spoiled,
    pub banks: banks::Spoiled,
}

/// Makes the plants of `options`; returns the key, and the differences in books and statements.
///
/// # Errors
/// When there is no place for a plant.
pub fn plant(
    options: &WorldOptions,
    records: &mut Records,
    woven: Woven,
) -> Result<(AnswerKey, Spoiled), WorldError> {
    let mut planter = Planter::new(options, records, woven);
    for plant in NEWER.iter().chain(&PLANTS) {
        let wanted = options.plants.iter().filter(|name| *name == plant.name).count();
        for nth in 0..wanted {
            (plant.apply)(&mut planter, Nth(nth)).ok_or(WorldError::DoesNotFit {
                code: plant.name,
                from: options.from,
                to: options.to,
                needs: plant.needs,
            })?;
        }
    }
    expect_strange_merchants(&mut planter);
    let mut expected = planter.expected;
    let (books, of_books) = books::plant(options, records)?;
    expected.extend(of_books);
    let (banks, of_banks) = banks::plant(options, records)?;
    expected.extend(of_banks);
    Ok((AnswerKey::new(expected), Spoiled { books, banks }))
}

/// Expects merchants that only one side knows. An unknown one submits a batch every day, so both
/// show on the first date already.
fn expect_strange_merchants(planter: &mut Planter<'_>) {
    for (index, merchant) in planter.records.merchants.iter().enumerate() {
        let code = match (merchant.is_configured, merchant.is_silent) {
            (false, _) => UNKNOWN_MERCHANT,
            (true, true) => MERCHANT_NOT_LISTED,
            (true, false) => continue,
        };
        let entry = planter.entry(code, index, planter.from);
        planter.expected.push(Expected { currency: None, ..entry });
    }
}
