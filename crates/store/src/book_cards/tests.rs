//! Written and removed pages are in the sums, and the cards at hand equal those of the store.

use proptest::prelude::*;

use super::*;
use crate::ingest::{Evidence, Ingest, PageContent};
use crate::named_books::NamedBooks;
use crate::page_number::PageNumber;
use crate::reading::{Freshness, begin_reading, end_reading};
use crate::{Store, sums};
use tieout_model::{
    Authorization, AuthorizationId, Batch, BatchId, CardTransaction, Listing, MerchantId,
    MerchantSummary, Record, Resource, Selector, TransactionId,
};

/// The settings that items depend on: of five days two lie before the start, one of them paid for,
/// and one was not read.
const SETTINGS: &str = "
    create temp table asof as
        select '2026-06-14' as start_date, '2026-06-17' as business_date;
    create temp table ledger_merchant (merchant_id text not null primary key) strict;
    insert into ledger_merchant values ('1'), ('2');
    create temp table book_merchant (merchant_id text, early_day text);
    insert into book_merchant values ('1', '2026-06-13'), ('2', '2026-06-14');
    create temp table paid_days_before_start (merchant_id text, day text);
    insert into paid_days_before_start values ('2', '2026-06-12');
    create temp table complete_listing (resource text, selector text, business_date text);
    insert into complete_listing values
        ('authorizations', 'date', '2026-06-12'), ('authorizations', 'date', '2026-06-13'),
        ('authorizations', 'date', '2026-06-14'), ('authorizations', 'date', '2026-06-16')";

/// The known items, selected by one statement on the store.
const KNOWN: &str = "
    select item.authorization_id, item.transaction_key, item.day
    from owned_authorization as item
    cross join temp.asof as asof
    where (item.merchant_id is null
          or item.merchant_id in (select merchant_id from temp.book_merchant))
      and item.gone_in is null
      and item.day <= asof.business_date
      and item.day > coalesce(?1, '')
      and (?1 is not null
          or item.day >= asof.start_date
          or (item.merchant_id, item.day)
              in (select merchant_id, day from temp.paid_days_before_start)
          or (item.day >= (select min(early_day) from temp.book_merchant as own
                  where own.merchant_id = item.merchant_id or item.merchant_id is null)
              and item.day in (select business_date from temp.complete_listing)))
    order by item.authorization_id, item.transaction_key";

/// A listing of a date, a batch or one authorization, and its records.
type Step = (u8, u8, Vec<(i64, u8, u8, u8, u8)>, bool);

fn any_step() -> impl Strategy<Value = Step> {
    let record = (1..5_i64, 0..6_u8, 0..4_u8, 0..3_u8, 0..4_u8);
    (0..4_u8, 0..5_u8, prop::collection::vec(record, 0..5), prop::bool::weighted(0.8))
}

fn day(number: u8) -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 6, 12 + u32::from(number)).unwrap()
}

fn merchant(number: u8) -> MerchantSummary {
    let merchant_id = (number > 0).then(|| MerchantId::from(number.to_string().as_str()));
    MerchantSummary { merchant_id, ..MerchantSummary::default() }
}

fn authorization(&(id, on, of, batch, part): &(i64, u8, u8, u8, u8)) -> Record {
    let transaction = (part > 0).then(|| CardTransaction {
        transaction_id: (part > 1).then(|| TransactionId(id * 10 + i64::from(part))),
        transaction_type: Some(if part == 3 { "return".into() } else { "capture".into() }),
        date: None,
        amount: Some(Minor(i64::from(on))),
    });
    Record::Authorization(Authorization {
        authorization_id: AuthorizationId(id),
        merchant: merchant(of),
        authorization_response: None,
        preauthorization_request_amount: None,
        currency: None,
        batch_id: (batch > 0).then(|| BatchId(batch.into())),
        batch_date: (on < 5).then(|| day(on)),
        card_last4: None,
        card_type: None,
        transaction,
    })
}

fn batch(number: u8, of: u8) -> Record {
    Record::Batch(Batch {
        batch_id: BatchId(number.into()),
        merchant: merchant(of),
        date: None,
        sale_amount: None,
        return_amount: None,
        transaction_count: None,
        currency: None,
    })
}

/// Reads a listing as the writer does.
fn read(store: &mut Store, session: i64, (what, place, records, is_complete): &Step) {
    let selector = match what {
        0 | 1 => Selector::Date(day(*place)),
        2 => Selector::Batch(BatchId((place % 2 + 1).into())),
        _ => Selector::AuthorizationById(AuthorizationId((place % 4 + 1).into())),
    };
    let is_of_batches = (*what, *is_complete) == (1, false);
    let (resource, records) = if is_of_batches {
        let of = u8::try_from(records.len()).unwrap() % 3;
        (Resource::Batches, vec![batch(place % 2 + 1, of)])
    } else {
        (Resource::Authorizations, records.iter().map(authorization).collect())
    };
    let listing = Listing::new(resource, selector);
    let mut ingest = Ingest::gathering(store.gathered.clone());
    let transaction = store.connection.transaction().unwrap();
    store.gathered.begin();
    let reading =
        begin_reading(&transaction, &listing, session, Freshness::ThisSession).unwrap().unwrap();
    let page = PageContent {
        number: PageNumber::first_part(1),
        after: None,
        next: None,
        records,
        fault: None,
        received_bytes: 0,
    };
    let evidence = Evidence::of("0".repeat(64), Vec::new(), &page.records);
    ingest.page(&transaction, &reading, &page, &evidence).unwrap();
    if *is_complete || is_of_batches {
        end_reading(&transaction, &reading, None).unwrap();
    }
    ingest.finish(&transaction).unwrap();
    store.gathered.end(&transaction).unwrap();
    transaction.commit().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pages_are_in_the_sums_and_what_is_at_hand_is_what_the_store_says(
        steps in prop::collection::vec(any_step(), 1..14)
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("tieout.db")).unwrap();
        store.connection().execute_batch(SETTINGS).unwrap();
        let books = |early: u8| NamedBooks { name: "books".to_owned(), early_day: day(early) };
        let ledgers = Ledgers::from([("1".into(), books(1)), ("2".into(), books(2))]);
        let mut at_hand = CardsAtHand::default();
        for (session, step) in (1..).zip(&steps) {
            read(&mut store, session, step);
            let connection = store.connection();
            prop_assert_eq!(sums::altered(connection).unwrap(), Vec::<String>::new());
            let split = "select count(*) from (select authorization_id from authorization \
                         group by authorization_id having count(*) > 1)";
            let noted = "select count(*) from split_authorization";
            let count = |sql| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
            prop_assert_eq!(count(split), count(noted));
            for since in [None, Some(day(2)), Some(day(0))] {
                let sight = Sight::of(connection, &ledgers, since).unwrap();
                at_hand.read(connection, || store.beside().ok(), &sight).unwrap();
                let (own, of_any) = at_hand.known(&sight);
                let known = own.into_iter().flatten().chain(of_any);
                let mut known: Vec<(i64, i64, NaiveDate)> =
                    known.map(|(day, card)| (card.place().0, card.place().1, day)).collect();
                known.sort_unstable();
                let said: Vec<(i64, i64, NaiveDate)> =
                    rows(connection, KNOWN, [since.map(|day| day.to_string())], |row| {
                        Ok((row.get(0)?, row.get(1)?, required_date(row, "day")?))
                    })
                    .unwrap();
                prop_assert_eq!(known, said, "since {:?}", since);
                let mut inputs = [BTreeMap::new(), BTreeMap::new()];
                for (input, of) in
                    inputs.iter_mut().zip([&mut at_hand, &mut CardsAtHand::default()])
                {
                    let empty = || LedgerInput::default();
                    input.extend(ledgers.keys().map(|id| (id.clone(), empty())));
                    let connections = (connection, || store.beside().ok());
                    of.add_items(connections, &ledgers, since, input).unwrap();
                }
                prop_assert_eq!(format!("{:?}", inputs[0]), format!("{:?}", inputs[1]));
            }
        }
    }
}
