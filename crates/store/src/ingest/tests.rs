//! Each record counts once, even when another reading lists it in between.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::super::Store;
use super::super::reading::{Freshness, begin_reading, end_reading};
use chrono::NaiveDate;

use super::*;
use crate::page_number::PageNumber;
use tieout_model::Selector;
use tieout_model::money::Minor;
use tieout_model::{
    Authorization, AuthorizationId, BankTransfer, Batch, BatchId, Deposit, DepositId, Listing,
    Transaction, TransactionId, TransferKind,
};

const KINDS: [Resource; 5] = [
    Resource::Deposits,
    Resource::Batches,
    Resource::Authorizations,
    Resource::Transactions,
    Resource::Payments,
];

fn record(kind: Resource, id: i64, says: i64) -> Record {
    let merchant = MerchantSummary::default();
    match kind {
        Resource::Deposits => Record::Deposit(Deposit {
            ach_deposit_id: DepositId(id),
            merchant,
            association_date: None,
            ach_date: None,
            payment_date: None,
            transactions: Some(says),
            sales: None,
            returns: None,
            daily_fees: None,
            held_sales: None,
            ach_adjustment: None,
            holdback: None,
            reserve_release: None,
            net_amount: None,
        }),
        Resource::Batches => Record::Batch(Batch {
            batch_id: BatchId(id),
            merchant,
            date: None,
            sale_amount: None,
            return_amount: None,
            transaction_count: Some(says),
            currency: None,
        }),
        Resource::Transactions => Record::Transaction(Transaction {
            transaction_id: TransactionId(id),
            merchant,
            transaction_type: None,
            currency: None,
            amount: Some(Minor(says)),
            batch_id: None,
            batch_date: None,
            ach_deposit_id: None,
            status: None,
            settled_by: None,
        }),
        Resource::Payments => Record::BankTransfer(Box::new(BankTransfer {
            kind: TransferKind::Payment,
            transfer_id: id.to_string().into(),
            terminal_id: "1".into(),
            order_id: None,
            run_at: None,
            amount: Some(Minor(says)),
            currency: None,
            transfer_type: String::new(),
            status: String::new(),
            account_last4: None,
            refunds: Vec::new(),
            returns: Vec::new(),
            representment: None,
            payment: None,
        })),
        _ => Record::Authorization(Authorization {
            authorization_id: AuthorizationId(id),
            merchant,
            authorization_response: None,
            preauthorization_request_amount: Some(Minor(says)),
            currency: None,
            batch_id: None,
            batch_date: None,
            card_last4: None,
            card_type: None,
            transaction: None,
        }),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Readings of several sessions are under way at once and list the same records, some of them
    /// twice: each counts its own records once, and notices when one has two contents.
    #[test]
    fn counts_each_record_once_whoever_reads_it_in_between(
        kind in prop::sample::select(&KINDS[..]),
        pages in prop::collection::vec(
            (0..3_usize, prop::collection::vec((1..5_i64, 0..9_i64), 1..4)), 0..12
        ),
    ) {
        let store = Store::in_memory().unwrap();
        let connection = store.connection();
        let day = NaiveDate::from_ymd_opt(2026, 6, 20).unwrap();
        let readings: Vec<Reading> = (0..3)
            .map(|session| {
                let date = day + chrono::Days::new(session);
                let listing = Listing::new(kind, Selector::Date(date));
                let session = i64::try_from(session).unwrap() + 1;
                begin_reading(connection, &listing, session, Freshness::ThisSession)
                    .unwrap()
                    .unwrap()
            })
            .collect();
        let mut ingest = Ingest::default();
        let mut received = Tally::default();
        let mut listed = vec![BTreeMap::new(); 3];
        let mut contradicts = [false; 3];
        for (number, (place, records)) in (1_u32..).zip(&pages) {
            let number = PageNumber::first_part(number);
            let mut expected = Written::default();
            let mut page = Vec::new();
            for (id, says) in records {
                // In one of nine cases the content differs.
                let says = says / 8;
                let first = *listed[*place].entry(*id).or_insert_with(|| {
                    expected.added += 1;
                    says
                });
                contradicts[*place] |= first != says;
                page.push(record(kind, *id, says));
            }
            let reading = &readings[*place];
            received.page(reading, number, &page);
            let content = PageContent {
                number,
                after: None,
                next: None,
                records: page,
                fault: None,
                received_bytes: 0,
            };
            let evidence = Evidence::of("0".repeat(64), Vec::new(), &content.records);
            let written = ingest.page(connection, reading, &content, &evidence).unwrap();
            prop_assert_eq!(written.added, expected.added);
        }
        for ((reading, listed), contradicts) in readings.iter().zip(&listed).zip(contradicts) {
            let (records, error): (i64, Option<String>) = connection
                .query_row(
                    "select records, error from reading where reading_id = ?1",
                    [reading.reading_id],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .unwrap();
            prop_assert_eq!(usize::try_from(records).unwrap(), listed.len());
            prop_assert_eq!(error.is_some_and(|e| names_two_contents(&e)), contradicts);
            let session = reading.session;
            let repeated = ingest.cards.repeated(session);
            let stored = ingest.stored.sum(session).without(&ingest.cards.replaced(session));
            prop_assert_eq!(received.sum(session).without(&repeated), stored.clone());
            prop_assert_eq!(stored.count, listed.len() as u64);
            end_reading(connection, reading, None).unwrap();
        }
        let left: i64 = connection
            .query_row("select count(*) from overtaken", [], |row| row.get(0))
            .unwrap();
        prop_assert_eq!(left, 0);
    }
}

/// A card item that names no batch, in a listing of a batch.
#[test]
fn a_card_item_read_by_a_batch_keeps_the_day_it_was_listed_under() {
    let store = Store::in_memory().unwrap();
    let connection = store.connection();
    let day = NaiveDate::from_ymd_opt(2026, 6, 20).unwrap();
    for kind in [Resource::Authorizations, Resource::Transactions] {
        let mut ingest = Ingest::default();
        for (session, selector) in [(1, Selector::Date(day)), (2, Selector::Batch(BatchId(3)))] {
            let listing = Listing::new(kind, selector);
            let reading =
                begin_reading(connection, &listing, session, Freshness::ThisSession).unwrap();
            let content = PageContent {
                number: PageNumber::first_part(1),
                after: None,
                next: None,
                records: vec![record(kind, 7, session)],
                fault: None,
                received_bytes: 0,
            };
            let evidence = Evidence::of("0".repeat(64), Vec::new(), &content.records);
            ingest.page(connection, &reading.unwrap(), &content, &evidence).unwrap();
        }
        let (table, amount) = match kind {
            Resource::Transactions => ("card_transaction", "amount_minor"),
            _ => ("authorization", "preauthorization_minor"),
        };
        let kept: (String, i64) = connection
            .query_row(&format!("select day, {amount} from {table}"), [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .unwrap();
        assert_eq!(kept, (day.to_string(), 2), "{table}");
    }
}

#[test]
fn knows_what_it_says_of_two_contents() {
    let (listing, record) = ("batches".to_owned(), "batch 7".to_owned());
    let torn = IngestError::TwoContents {
        listing: listing.clone(),
        page: PageNumber::first_part(2),
        record,
    };
    assert!(names_two_contents(&torn.to_string()));
    let lost = IngestError::NotConserved { listing, received: 3, stored: 2 };
    assert!(!names_two_contents(&lost.to_string()));
}
