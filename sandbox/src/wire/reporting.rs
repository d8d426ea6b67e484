//! Settlement reporting: deposits, fees, batches, authorizations and transactions.

use chrono::NaiveDate;
use serde::Serialize;

use super::{Link, MerchantSummary, Sent, earlier};
use crate::live::Book;
use crate::random::mix;
use crate::world::records::{self, CARDS, CardKind, RESPONSES, Role, Standing};

const ENTRY_METHODS: [&str; 6] = [
    "smartChipRead",
    "contactlessChip",
    "ecommerce",
    "swiped",
    "manuallyEntered",
    "credentialOnFile",
];

const AVS_RESPONSES: [&str; 4] = ["Y", "Z", "N", ""];

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AchDeposit<'w> {
    ach_deposit_id: i64,
    association_date: NaiveDate,
    ach_date: NaiveDate,
    payment_date: NaiveDate,
    transactions: i64,
    sales: i64,
    returns: i64,
    daily_fees: i64,
    held_sales: i64,
    ach_adjustment: i64,
    holdback: i64,
    reserve_release: i64,
    net_amount: i64,
    merchant: MerchantSummary<'w>,
    links: [Link; 1],
}

impl<'w> AchDeposit<'w> {
    pub fn new(book: Book<'w>, deposit: &records::Deposit) -> Self {
        let records = book.records();
        let merchant = &records.merchants[deposit.merchant];
        let fees =
            format!("/ach-deposit-fees?achDepositId={}&merchantId={}", deposit.id, merchant.id);
        Self {
            ach_deposit_id: deposit.id,
            association_date: deposit.association_date,
            ach_date: deposit.ach_date,
            payment_date: deposit.payment_date,
            transactions: deposit.transactions,
            sales: deposit.sales,
            returns: deposit.returns,
            daily_fees: deposit.daily_fees,
            held_sales: deposit.held_sales,
            ach_adjustment: deposit.ach_adjustment,
            holdback: deposit.holdback,
            reserve_release: deposit.reserve_release,
            net_amount: deposit.net_amount,
            merchant: MerchantSummary::new(book, merchant),
            links: [Link::new(book, "achDepositFees", &fees)],
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AchDepositFee<'w> {
    association_date: NaiveDate,
    adjustment_date: NaiveDate,
    description: &'w str,
    amount: i64,
    merchant: MerchantSummary<'w>,
    #[serde(skip_serializing_if = "Sent::is_absent")]
    ach_deposit: Sent<AchDepositSummary>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AchDepositSummary {
    ach_deposit_id: i64,
    link: Link,
}

impl<'w> AchDepositFee<'w> {
    pub fn new(book: Book<'w>, fee: &'w records::Fee) -> Self {
        let records = book.records();
        let deposit = fee.deposit_id.map(|id| AchDepositSummary {
            ach_deposit_id: id,
            link: Link::new(book, "achDeposit", &format!("/ach-deposits/{id}")),
        });
        Self {
            association_date: fee.association_date,
            adjustment_date: fee.adjustment_date,
            description: fee.description,
            amount: fee.amount,
            merchant: MerchantSummary::new(book, &records.merchants[fee.merchant]),
            ach_deposit: Sent::from_option(deposit, fee.amount.unsigned_abs()),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Batch<'w> {
    batch_id: i64,
    date: NaiveDate,
    created_date: NaiveDate,
    last_modified_date: NaiveDate,
    sale_amount: i64,
    held_amount: i64,
    return_amount: i64,
    transaction_count: i64,
    currency: &'w str,
    merchant: MerchantSummary<'w>,
    links: [Link; 2],
}

impl<'w> Batch<'w> {
    pub fn new(book: Book<'w>, batch: &records::Batch) -> Self {
        let records = book.records();
        let merchant = &records.merchants[batch.merchant];
        let list = |rel, path| Link::new(book, rel, &format!("/{path}?batchId={}", batch.id));
        Self {
            batch_id: batch.id,
            date: batch.date,
            created_date: batch.date,
            last_modified_date: batch.date.succ_opt().unwrap_or(batch.date),
            sale_amount: batch.sales,
            held_amount: 0,
            return_amount: batch.returns,
            transaction_count: batch.count,
            currency: merchant.currency,
            merchant: MerchantSummary::new(book, merchant),
            links: [list("transactions", "transactions"), list("authorizations", "authorizations")],
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BatchSummary {
    batch_id: i64,
    date: NaiveDate,
    cycle: &'static str,
    link: Link,
}

impl BatchSummary {
    fn new(book: Book<'_>, item: &records::Authorization) -> Option<Self> {
        let records = book.records();
        if item.role == Role::NoBatch {
            return None;
        }
        let found = records.batches.binary_search_by_key(&item.batch_id, |batch| batch.id);
        let is_evening = found.is_ok_and(|at| records.batches[at].is_evening);
        Some(Self {
            batch_id: item.batch_id,
            date: item.date,
            cycle: if is_evening { "pm" } else { "am" },
            link: Link::new(book, "batch", &format!("/batches/{}", item.batch_id)),
        })
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CardSummary {
    card_number: String,
    #[serde(rename = "type")]
    card_type: &'static str,
    cvv_presence_indicator: bool,
    avs_request: bool,
    avs_response: &'static str,
}

impl CardSummary {
    fn new(item: &records::Authorization, hash: u64) -> Self {
        let (first_six, card_type) = CARDS[usize::from(item.card)];
        let masked = if card_type == "amex" { "*****" } else { "******" };
        let avs_response = one_of(&AVS_RESPONSES, hash >> 8);
        Self {
            card_number: format!("{first_six}{masked}{:04}", item.card_last4),
            card_type,
            cvv_presence_indicator: hash & 1 == 0,
            avs_request: !avs_response.is_empty(),
            avs_response,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Authorization<'w> {
    authorization_id: i64,
    created_date: NaiveDate,
    last_modified_date: NaiveDate,
    #[serde(skip_serializing_if = "Sent::is_absent")]
    authorization_response: Sent<&'static str>,
    #[serde(skip_serializing_if = "Sent::is_absent")]
    preauthorization_request_amount: Sent<i64>,
    currency: &'w str,
    batch: Option<BatchSummary>,
    card: CardSummary,
    merchant: MerchantSummary<'w>,
    #[serde(skip_serializing_if = "Sent::is_absent")]
    transaction: Sent<TransactionSummary>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TransactionSummary {
    transaction_id: i64,
    #[serde(rename = "type")]
    transaction_type: &'static str,
    date: NaiveDate,
    entry_method: Option<&'static str>,
    amount: i64,
    link: Link,
}

impl<'w> Authorization<'w> {
    pub fn new(book: Book<'w>, item: &records::Authorization) -> Self {
        let records = book.records();
        let merchant = &records.merchants[item.merchant as usize];
        let hash = mix(item.id.unsigned_abs());
        let made = earlier(item.date, item.is_day_before);
        let response = item.response.map(|index| RESPONSES[usize::from(index)]);
        let transaction = transaction_type(item.kind).map(|transaction_type| TransactionSummary {
            transaction_id: item.transaction_id,
            transaction_type,
            date: made,
            entry_method: entry_method(hash),
            amount: item.amount,
            link: Link::new(book, "transaction", &format!("/transactions/{}", item.transaction_id)),
        });
        Self {
            authorization_id: item.authorization_id(),
            created_date: made,
            last_modified_date: item.date,
            authorization_response: Sent::from_option(response, hash >> 16),
            preauthorization_request_amount: Sent::from_option(item.preauthorization, hash >> 17),
            currency: merchant.currency,
            batch: BatchSummary::new(book, item),
            card: CardSummary::new(item, hash),
            merchant: MerchantSummary::new(book, merchant),
            transaction: Sent::from_option(transaction, hash >> 18),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Transaction<'w> {
    transaction_id: i64,
    #[serde(rename = "type")]
    transaction_type: Option<&'static str>,
    date: NaiveDate,
    amount: i64,
    entry_method: Option<&'static str>,
    created_date: NaiveDate,
    last_modified_date: NaiveDate,
    status: &'static str,
    cashback_amount: i64,
    interchange: Interchange,
    currency: &'w str,
    merchant: MerchantSummary<'w>,
    #[serde(skip_serializing_if = "Sent::is_absent")]
    settled: Sent<SettledSummary>,
    batch: Option<BatchSummary>,
    card: CardSummary,
    authorization: AuthorizationSummary,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Interchange {
    basis_point: u64,
    transaction_fee: i64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SettledSummary {
    settled_by: &'static str,
    ach_date: Option<NaiveDate>,
    ach_deposit_id: Option<i64>,
    link: Option<Link>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AuthorizationSummary {
    authorization_id: i64,
    code: Option<String>,
    amount: i64,
    avs_response_code: &'static str,
    link: Link,
}

impl<'w> Transaction<'w> {
    pub fn new(book: Book<'w>, item: &records::Authorization) -> Self {
        let records = book.records();
        let merchant = &records.merchants[item.merchant as usize];
        let hash = mix(item.id.unsigned_abs());
        let made = earlier(item.date, item.is_day_before);
        let settled = settled(book, item);
        Self {
            transaction_id: item.transaction_id,
            transaction_type: transaction_type(item.kind),
            date: made,
            amount: item.amount,
            entry_method: entry_method(hash),
            created_date: made,
            last_modified_date: item.date,
            status: status(item.standing, settled.is_some()),
            cashback_amount: 0,
            interchange: Interchange { basis_point: 90 + hash % 140, transaction_fee: 10 },
            currency: merchant.currency,
            merchant: MerchantSummary::new(book, merchant),
            settled: Sent::from_option(settled, hash >> 19),
            batch: BatchSummary::new(book, item),
            card: CardSummary::new(item, hash),
            authorization: AuthorizationSummary {
                authorization_id: item.authorization_id(),
                code: (item.kind == CardKind::Capture).then(|| format!("{:06X}", hash % 0xFF_FFFF)),
                amount: item.preauthorization.unwrap_or(item.amount),
                avs_response_code: one_of(&AVS_RESPONSES, hash >> 8),
                link: Link::new(
                    book,
                    "authorization",
                    &format!("/authorizations/{}", item.authorization_id()),
                ),
            },
        }
    }
}

/// `status` of a transaction, depending on whether a deposit contains it.
fn status(standing: Standing, is_settled: bool) -> &'static str {
    match standing {
        Standing::Ordinary if is_settled => "paid",
        Standing::Ordinary => "new",
        Standing::Held => "held",
        Standing::HeldFor30Days => "holdForSettlement30Days",
        Standing::HeldAsDuplicate => "holdForSettlementDuplicate",
        Standing::Released => "release",
        Standing::ReleasedAfterAudit => "heldReleasedAudited",
        Standing::PartlyReleased => "partialRelease",
        Standing::Withdrawn => "pull",
        Standing::PaidByThirdParty => "paidByThirdParty",
        Standing::SettledByThirdParty => "paid",
    }
}

fn settled(book: Book<'_>, item: &records::Authorization) -> Option<SettledSummary> {
    let records = book.records();
    if item.standing == Standing::SettledByThirdParty {
        return Some(SettledSummary {
            settled_by: "3rd party",
            ach_date: Some(item.date),
            ach_deposit_id: None,
            link: None,
        });
    }
    let at = records.deposits.binary_search_by_key(&item.deposit_id, |deposit| deposit.id).ok()?;
    let deposit = &records.deposits[at];
    let merchant = &records.merchants[deposit.merchant];
    let path = format!("/ach-deposits/{}?merchantId={}", deposit.id, merchant.id);
    Some(SettledSummary {
        settled_by: "3rd party",
        ach_date: Some(deposit.ach_date),
        ach_deposit_id: Some(deposit.id),
        link: Some(Link::new(book, "achDeposit", &path)),
    })
}

fn transaction_type(kind: CardKind) -> Option<&'static str> {
    match kind {
        CardKind::None => None,
        CardKind::Capture => Some("capture"),
        CardKind::Return => Some("return"),
    }
}

fn entry_method(hash: u64) -> Option<&'static str> {
    (!(hash >> 32).is_multiple_of(20)).then(|| one_of(&ENTRY_METHODS, hash >> 24))
}

fn one_of(choices: &[&'static str], hash: u64) -> &'static str {
    let count = choices.len() as u64;
    choices[usize::try_from(hash % count).unwrap_or(0)]
}
