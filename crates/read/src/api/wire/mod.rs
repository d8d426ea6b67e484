//! Bodies of the API and their conversion into the job's own types. A record that cannot be
//! understood becomes a fault that names it; the other records of the page are kept.

mod bank_transfer;
mod dispute;
mod every_record;
mod field;
mod reporting;
mod scalar;
mod terminal;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::Deserialize;
use serde::de::{IgnoredAny, SeqAccess};
use serde_json::value::RawValue;

use super::cursor::Cursor;
use super::error::Failure;
use super::fault::RecordFault;
use bank_transfer::WireTransfer;
use dispute::{WireDispute, WireDisputeStatus};
use every_record::Wire;
use field::{Field, FieldFault, Shape, object_shapes};
use reporting::{WireAuthorization, WireBatch, WireDeposit, WireFee, WireSettledTransaction};
pub(super) use scalar::last_four;
use scalar::{Count, LastFour, TextId};
pub(super) use terminal::read_terminals;
use tieout_model::{Listing, Record, Resource, ShortText, TWO_CONTENTS};

/// A converted page.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) records: Vec<Record>,
    pub(super) faults: Vec<RecordFault>,
    pub(super) record_count: u64,
    pub(super) follow: Follow,
}

/// How the listing continues.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Follow {
    End,
    Next(Cursor),
    /// The page announces more but has no link to it.
    Missing,
}

/// Converts the body of page `number` of `listing`.
pub(super) fn read(listing: &Listing, number: u32, body: &[u8]) -> Result<Content, Failure> {
    let reader = Reader { listing, number, text: text(body)? };
    match listing.resource {
        Resource::Deposits => reader.read::<WireDeposit>(),
        Resource::Fees => reader.read::<WireFee>(),
        Resource::Batches => reader.read::<WireBatch>(),
        Resource::Authorizations => reader.read::<WireAuthorization>(),
        Resource::Transactions => reader.read::<WireSettledTransaction>(),
        Resource::Payments | Resource::Refunds => reader.read::<WireTransfer>(),
        Resource::Disputes => reader.read::<WireDispute>(),
        Resource::DisputeStatuses => reader.read_plain_list::<WireDisputeStatus>(),
    }
}

/// Checks that a value can be parsed where another kind is expected; otherwise no enclosing value
/// can be parsed either.
pub(super) fn is_readable(value: &[u8]) -> bool {
    serde_json::from_slice::<Field<bool>>(value).is_ok()
}

/// Whether `value` can be read as an id.
pub(super) fn is_id(value: &[u8]) -> bool {
    serde_json::from_slice::<Field<TextId>>(value).is_ok_and(|id| id.known().is_some())
}

/// The last four digits of a card or account number, or empty text when it does not end with four
/// digits. `None` when `value` is not such a number.
pub(super) fn masked(value: &[u8]) -> Option<ShortText> {
    let number: Field<LastFour> = serde_json::from_slice(value).ok()?;
    number.known().map(|number| number.0.clone().unwrap_or_default())
}

fn text(body: &[u8]) -> Result<&str, Failure> {
    std::str::from_utf8(body)
        .map_err(|_| Failure::NotJson { found: "bytes that are no text".to_owned() })
}

/// Describes a body that is not JSON by its size and the position of the error, without quoting it.
pub(super) fn not_json(body: &[u8], error: &serde_json::Error) -> Failure {
    let found = if body.is_empty() {
        "an empty body".to_owned()
    } else if error.is_eof() {
        format!("a body that ends in the middle, after {} bytes", body.len())
    } else {
        let (line, column) = (error.line(), error.column());
        format!("something else at line {line} column {column} of {} bytes", body.len())
    };
    Failure::NotJson { found }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", bound(deserialize = "D: Shape<'de>"))]
struct Envelope<D> {
    #[serde(default)]
    count: Field<Count>,
    #[serde(default)]
    has_more: Field<bool>,
    #[serde(default)]
    links: Field<Vec<Field<Link>>>,
    #[serde(default)]
    data: Field<D>,
}

impl<'de, D: Shape<'de>> Shape<'de> for Envelope<D> {
    const EXPECTED: &'static str = "an object";

    fn object<A: serde::de::MapAccess<'de>>(object: A) -> Result<Field<Self>, A::Error> {
        let object = serde::de::value::MapAccessDeserializer::new(object);
        Deserialize::deserialize(object).map(Field::Known)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Link {
    rel: Field<String>,
    href: Field<String>,
}

object_shapes!(Link);

/// Records that are not parsed yet.
#[derive(Debug)]
struct Raw<'a>(Vec<&'a RawValue>);

impl<'de: 'a, 'a> Shape<'de> for Raw<'a> {
    const EXPECTED: &'static str = "a list";

    fn list<A: SeqAccess<'de>>(mut list: A) -> Result<Field<Self>, A::Error> {
        let mut records = Vec::new();
        while let Some(record) = list.next_element()? {
            records.push(record);
        }
        Ok(Field::Known(Self(records)))
    }
}

struct Reader<'a> {
    listing: &'a Listing,
    number: u32,
    text: &'a str,
}

impl<'a> Reader<'a> {
    fn read<W: Wire>(&self) -> Result<Content, Failure> {
        if self.listing.is_single() {
            return self.read_single::<W>();
        }
        match serde_json::from_str::<Field<Envelope<Vec<Field<W>>>>>(self.text) {
            Ok(envelope) => {
                let (records, follow) = open(envelope, Vec::len)?;
                Ok(self.convert(records.into_iter().map(Ok), follow))
            }
            Err(error) => self.read_one_by_one::<W>(&error),
        }
    }

    /// The slow path: some record breaks a rule of JSON itself, for example with a repeated
    /// property. Each record is parsed alone, so that the others are kept.
    fn read_one_by_one<W: Wire>(&self, error: &serde_json::Error) -> Result<Content, Failure> {
        self.check_json()?;
        let envelope = serde_json::from_str::<Field<Envelope<Raw<'a>>>>(self.text);
        let envelope = envelope.map_err(|_| Failure::Envelope {
            field: "page",
            expected: "each property once",
            found: format!("something else at line {} column {}", error.line(), error.column()),
        })?;
        let (records, follow) = open(envelope, |raw| raw.0.len())?;
        let records = records.0.into_iter().map(|raw| read_record::<W>(raw.get()));
        Ok(self.convert(records, follow))
    }

    fn read_single<W: Wire>(&self) -> Result<Content, Failure> {
        let record = read_record::<W>(self.text);
        if record.is_err() {
            self.check_json()?;
        }
        Ok(self.convert(std::iter::once(record), Follow::End))
    }

    /// A list without an envelope: it has no pages, so the listing ends here.
    fn read_plain_list<W: Wire>(&self) -> Result<Content, Failure> {
        match serde_json::from_str::<Field<Vec<Field<W>>>>(self.text) {
            Ok(list) => {
                let list = part("list", list)?.ok_or_else(|| missing("list", "a list"))?;
                Ok(self.convert(list.into_iter().map(Ok), Follow::End))
            }
            Err(error) => {
                self.check_json()?;
                Err(Failure::Envelope {
                    field: "list",
                    expected: "each property once",
                    found: format!(
                        "something else at line {} column {}",
                        error.line(),
                        error.column()
                    ),
                })
            }
        }
    }

    fn check_json(&self) -> Result<(), Failure> {
        match serde_json::from_str::<IgnoredAny>(self.text) {
            Ok(_) => Ok(()),
            Err(error) => Err(not_json(self.text.as_bytes(), &error)),
        }
    }

    fn convert<W: Wire>(
        &self,
        elements: impl ExactSizeIterator<Item = Result<Field<W>, FieldFault>>,
        follow: Follow,
    ) -> Content {
        let record_count = elements.len() as u64;
        let mut records = Vec::with_capacity(elements.len());
        let mut faults = Vec::new();
        for (index, element) in elements.enumerate() {
            let mut id = None;
            let converted = element.and_then(|field| field.required("")).and_then(|wire: W| {
                id = wire.id();
                self.check_id(id.as_deref())?;
                wire.convert(self.listing.resource)
            });
            match converted {
                Ok(record) => records.push(record),
                Err(FieldFault { field, problem }) => {
                    let record = self.record_name(id, index);
                    faults.push(RecordFault { record, field, problem });
                }
            }
        }
        let contradicted = contradicted(&records);
        if !contradicted.is_empty() {
            let mut index = 0..;
            records.retain(|_| index.next().is_none_or(|index| !contradicted.contains_key(&index)));
        }
        let contradicted: BTreeSet<String> = contradicted.into_values().collect();
        faults.extend(contradicted.into_iter().map(|record| RecordFault {
            record,
            field: String::new(),
            problem: TWO_CONTENTS.to_owned(),
        }));
        Content { records, faults, record_count, follow }
    }

    /// A reading by id that returns another record is a fault. Bank transfers are not checked:
    /// whether the id of a return answers with the return or with its payment is not published.
    fn check_id(&self, id: Option<&str>) -> Result<(), FieldFault> {
        let is_checked = self.listing.is_single()
            && !matches!(self.listing.resource, Resource::Payments | Resource::Refunds);
        if !is_checked {
            return Ok(());
        }
        let (_, asked, _) = self.listing.key();
        match id {
            Some(id) if id != asked => Err(FieldFault {
                field: id_name(self.listing.resource).to_owned(),
                problem: format!("expected {asked}, found {id}"),
            }),
            _ => Ok(()),
        }
    }

    fn record_name(&self, id: Option<ShortText>, index: usize) -> String {
        match id {
            Some(id) => format!("{} {}", noun(self.listing.resource), short(&id)),
            None => format!("record {} of page {}", index + 1, self.number),
        }
    }
}

/// The records that a page lists with two different contents, by index, with their names. Which
/// content is right is unknown, so neither is used. Two equal fee lines are two fees.
fn contradicted(records: &[Record]) -> BTreeMap<usize, String> {
    let mut said = HashMap::with_capacity(records.len());
    let mut twice = HashSet::new();
    for record in records {
        let Some(key) = record.key() else { continue };
        if *said.entry(key).or_insert(record) != record {
            twice.insert(key);
        }
    }
    let keys = records.iter().map(Record::key).enumerate();
    keys.filter_map(|(index, key)| {
        Some((index, key.filter(|key| twice.contains(key))?.to_string()))
    })
    .collect()
}

fn read_record<W: Wire>(text: &str) -> Result<Field<W>, FieldFault> {
    serde_json::from_str(text).map_err(|error| FieldFault {
        field: String::new(),
        problem: format!(
            "expected each property once and readable text and numbers, found something else at \
             column {}",
            error.column()
        ),
    })
}

/// Checks the envelope of a page; returns the records and how the listing continues.
fn open<'de, D: Shape<'de>>(
    envelope: Field<Envelope<D>>,
    length: impl Fn(&D) -> usize,
) -> Result<(D, Follow), Failure> {
    let envelope = part("page", envelope)?.ok_or_else(|| missing("page", "an object"))?;
    let data = part("data", envelope.data)?.ok_or_else(|| missing("data", D::EXPECTED))?;
    let found = length(&data);
    if let Some(Count(count)) = part("count", envelope.count)?
        && usize::try_from(count) != Ok(found)
    {
        return Err(Failure::CountDiffers { count, found });
    }
    let links = envelope.links.known().map(Vec::as_slice).unwrap_or_default();
    let follow = match part("hasMore", envelope.has_more)? {
        Some(false) => Follow::End,
        Some(true) => next(links).unwrap_or(Follow::Missing),
        None => next(links).unwrap_or(Follow::End),
    };
    Ok((data, follow))
}

fn part<'de, T: Shape<'de>>(field: &'static str, part: Field<T>) -> Result<Option<T>, Failure> {
    match part {
        Field::Absent => Ok(None),
        Field::Known(value) => Ok(Some(value)),
        Field::Wrong(found) => {
            Err(Failure::Envelope { field, expected: T::EXPECTED, found: found.into_owned() })
        }
    }
}

fn missing(field: &'static str, expected: &'static str) -> Failure {
    Failure::Envelope { field, expected, found: "nothing".to_owned() }
}

/// The target of the next link, when there is one. Of several links, the first with a cursor
/// counts.
fn next(links: &[Field<Link>]) -> Option<Follow> {
    let is_next = |rel: &String| rel.trim().eq_ignore_ascii_case("next");
    let mut links = links
        .iter()
        .filter_map(Field::known)
        .filter(|link| link.rel.known().is_some_and(is_next))
        .map(|link| link.href.known().and_then(|href| Cursor::from_href(href)))
        .peekable();
    links.peek()?;
    Some(links.flatten().next().map_or(Follow::Missing, Follow::Next))
}

/// An id as a message shows it, at most 40 characters: an id of the contract has at most 20.
fn short(id: &str) -> String {
    id.chars().filter(|letter| !letter.is_control()).take(40).collect()
}

fn noun(resource: Resource) -> &'static str {
    match resource {
        Resource::Deposits => "deposit",
        Resource::Fees => "fee",
        Resource::Batches => "batch",
        Resource::Authorizations => "authorization",
        Resource::Transactions => "transaction",
        Resource::Payments => "payment",
        Resource::Refunds => "refund",
        Resource::Disputes => "dispute",
        Resource::DisputeStatuses => "dispute status",
    }
}

fn id_name(resource: Resource) -> &'static str {
    match resource {
        Resource::Deposits | Resource::Fees => "achDepositId",
        Resource::Batches => "batchId",
        Resource::Authorizations => "authorizationId",
        Resource::Transactions => "transactionId",
        Resource::Payments => "paymentId",
        Resource::Refunds => "refundId",
        Resource::Disputes => "disputeId",
        Resource::DisputeStatuses => "disputeStatusId",
    }
}
