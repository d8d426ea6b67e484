//! The two addresses of the API, and the request for each listing. Host, path and filters are built
//! here and nowhere else; a link contributes only its cursor.

use std::net::{Ipv4Addr, Ipv6Addr};

use chrono::{Days, NaiveDate};
use reqwest::Url;

use super::cursor::Cursor;
use super::error::ApiError;
use tieout_model::{Listing, Selector};

/// A checked address without a trailing slash.
#[derive(Clone, Debug)]
pub(super) struct Endpoint {
    url: Url,
    is_loopback: bool,
}

impl Endpoint {
    /// Accepts https, and plain http on this machine only.
    pub(super) fn parse(setting: &'static str, text: Option<&str>) -> Result<Self, ApiError> {
        let text = text.filter(|text| !text.trim().is_empty());
        let text = text.ok_or(ApiError::NotConfigured { setting })?;
        // The error omits the text: it may contain a password.
        let bad = |found: &str| ApiError::BadUrl { setting, found: found.to_owned() };
        let url = Url::parse(text.trim()).map_err(|cause| bad(&cause.to_string()))?;
        let host = url.host_str().ok_or_else(|| bad("no host"))?.to_owned();
        let is_loopback = is_loopback(&host);
        match url.scheme() {
            "https" => {}
            "http" if is_loopback => {}
            "http" => return Err(ApiError::PlainHttp { setting, host }),
            scheme => return Err(bad(&format!("the scheme {scheme}"))),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(bad("a user name or password in the address"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(bad("a query or fragment in the address"));
        }
        Ok(Self { url, is_loopback })
    }

    /// Checks that the address is this machine, for which no proxy is used.
    pub(super) fn is_loopback(&self) -> bool {
        self.is_loopback
    }

    /// Checks that the connection uses TLS.
    pub(super) fn is_secured(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// The address with `segments` appended to its path, each percent-encoded.
    pub(super) fn join<'a>(&self, segments: impl IntoIterator<Item = &'a str>) -> Url {
        let mut url = self.url.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }

    /// The request for one page of `listing`.
    pub(super) fn page(&self, listing: &Listing, page_size: u32, cursor: Option<&Cursor>) -> Url {
        let resource = listing.resource.as_str();
        if listing.is_single() {
            let (_, id, _) = listing.key();
            return self.join([resource, id.as_str()]);
        }
        if let Selector::Dispute(id) = &listing.selector {
            return self.join(["disputes", &id.to_string(), "statuses"]);
        }
        let url = self.join([resource]);
        paged(url, &filters(&listing.selector), page_size, cursor)
    }

    /// The request for one page of the terminals of a processing account.
    pub(super) fn terminals(&self, account: i64, page_size: u32, cursor: Option<&Cursor>) -> Url {
        let account = account.to_string();
        let url = self.join(["processing-accounts", &account, "processing-terminals"]);
        paged(url, &[], page_size, cursor)
    }
}

fn paged(
    mut url: Url,
    filters: &[(&'static str, String)],
    page_size: u32,
    cursor: Option<&Cursor>,
) -> Url {
    let mut query = url.query_pairs_mut();
    for (name, value) in filters {
        query.append_pair(name, value);
    }
    query.append_pair("limit", &page_size.to_string());
    if let Some(cursor) = cursor {
        query.append_pair(cursor.parameter(), cursor.value());
    }
    drop(query);
    url
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || bare.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
        || bare.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback())
}

fn filters(selector: &Selector) -> Vec<(&'static str, String)> {
    match selector {
        Selector::Date(date) => vec![("date", date.to_string())],
        Selector::Deposit(id) => vec![("achDepositId", id.to_string())],
        Selector::Batch(id) => vec![("batchId", id.to_string())],
        Selector::Settled { terminal, date } => vec![
            ("processingTerminalId", terminal.to_string()),
            ("settlementState", "settled".to_owned()),
            ("settlementDate", date.to_string()),
        ],
        Selector::Run { terminal, date } => {
            let mut filters = vec![("processingTerminalId", terminal.to_string())];
            filters.extend(moments(*date, *date));
            filters
        }
        Selector::Unsettled { terminal, date, from } => {
            let mut filters = vec![
                ("processingTerminalId", terminal.to_string()),
                ("settlementState", "unsettled".to_owned()),
            ];
            filters.extend(moments(*from, *date));
            filters
        }
        Selector::Returned { terminal, date, from } => {
            let mut filters = vec![
                ("processingTerminalId", terminal.to_string()),
                ("status", "returned".to_owned()),
            ];
            filters.extend(moments(*from, *date));
            filters
        }
        Selector::Dispute(_)
        | Selector::DepositById(_)
        | Selector::BatchById(_)
        | Selector::AuthorizationById(_)
        | Selector::TransferById(_) => Vec::new(),
    }
}

/// The local dates `first` to `last` as UTC timestamps, one day wider on both sides: local midnight
/// is at most 14 hours from midnight UTC, and whether the range includes its ends is not published.
fn moments(first: NaiveDate, last: NaiveDate) -> [(&'static str, String); 2] {
    let from = first.checked_sub_days(Days::new(1)).unwrap_or(first);
    let to = last.checked_add_days(Days::new(2)).unwrap_or(last);
    [("dateFrom", format!("{from}T00:00:00Z")), ("dateTo", format!("{to}T00:00:00Z"))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use tieout_model::{BatchId, DepositId, Resource, TerminalId, TransferId};

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn accepts_https_and_plain_http_to_this_machine_only() {
        for good in [
            "https://api.example.com/v1",
            "http://127.0.0.1:8080/v1/",
            "http://127.9.9.9",
            "http://[::1]:80/v1",
            "http://localhost:9/v1",
        ] {
            assert!(Endpoint::parse("api.base_url", Some(good)).is_ok(), "{good}");
        }
        for bad in [
            "http://api.example.com/v1",
            "http://127.0.0.1.example.com",
            "http://localhost.example.com",
            "http://10.0.0.1",
            "http://[::2]",
            "ftp://127.0.0.1",
            "https://user:pass@example.com",
            "https://example.com/v1?key=1",
            "example.com",
            "",
        ] {
            let error = Endpoint::parse("api.base_url", Some(bad)).unwrap_err();
            assert!(error.is_configuration(), "{bad}");
            assert!(error.to_string().contains("api.base_url"), "{error}");
            assert!(!error.to_string().contains("pass@"), "{error}");
        }
    }

    #[test]
    fn asks_for_each_listing_in_the_words_of_the_api() {
        let endpoint = Endpoint::parse("api.base_url", Some("https://h/v1/")).unwrap();
        let terminal = TerminalId::from("55 20&1");
        let date = day("2026-11-20");
        let from = day("2026-09-21");
        let cases = [
            (Resource::Deposits, Selector::Date(date), "ach-deposits?date=2026-11-20&limit=100"),
            (
                Resource::Fees,
                Selector::Deposit(DepositId(7)),
                "ach-deposit-fees?achDepositId=7&limit=100",
            ),
            (
                Resource::Authorizations,
                Selector::Batch(BatchId(9)),
                "authorizations?batchId=9&limit=100",
            ),
            (
                Resource::Payments,
                Selector::Settled { terminal: terminal.clone(), date },
                "bank-transfer-payments?processingTerminalId=55+20%261&settlementState=settled\
                 &settlementDate=2026-11-20&limit=100",
            ),
            (
                Resource::Refunds,
                Selector::Run { terminal: terminal.clone(), date },
                "bank-transfer-refunds?processingTerminalId=55+20%261\
                 &dateFrom=2026-11-19T00%3A00%3A00Z&dateTo=2026-11-22T00%3A00%3A00Z&limit=100",
            ),
            (
                Resource::Payments,
                Selector::Unsettled { terminal: terminal.clone(), date, from },
                "bank-transfer-payments?processingTerminalId=55+20%261&settlementState=unsettled\
                 &dateFrom=2026-09-20T00%3A00%3A00Z&dateTo=2026-11-22T00%3A00%3A00Z&limit=100",
            ),
            (
                Resource::Payments,
                Selector::Returned { terminal, date, from },
                "bank-transfer-payments?processingTerminalId=55+20%261&status=returned\
                 &dateFrom=2026-09-20T00%3A00%3A00Z&dateTo=2026-11-22T00%3A00%3A00Z&limit=100",
            ),
            (Resource::Batches, Selector::BatchById(BatchId(5)), "batches/5"),
            (
                Resource::Payments,
                Selector::TransferById(TransferId::from("A/B?C")),
                "bank-transfer-payments/A%2FB%3FC",
            ),
        ];
        for (resource, selector, expected) in cases {
            let url = endpoint.page(&Listing::new(resource, selector), 100, None);
            assert_eq!(url.as_str(), format!("https://h/v1/{expected}"));
        }
        let listing = Listing::new(Resource::Batches, Selector::Date(date));
        let cursor = Cursor::from_stored("a+b c");
        let url = endpoint.page(&listing, 10, Some(&cursor));
        assert!(url.as_str().ends_with("&limit=10&after=a%2Bb+c"), "{url}");
    }
}
