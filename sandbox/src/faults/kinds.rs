//! Every fault by name: its effect, and the result for a correct client.

/// A fault of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    ServerError,
    TooManyRequests,
    Reset,
    SlowBody,
    CutBody,
    MalformedJson,
    RevokedToken,
    ShortToken,
    ForeignLinks,
    MisspeltLinks,
    OddMethods,
    OddContentType,
    DuplicateRecords,
    RepeatedCursor,
    MissingNext,
    WrongCount,
    TwoContents,
    WrongTypes,
    OversizedBody,
    ForeignRedirect,
    Outage,
    Forbidden,
    ChangedRecord,
    LateRecord,
    VanishingRecord,
}

/// The result of a fault for a correct client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// Goes away when the request is sent again; no data is lost.
    Passes,
    /// Does not affect the data.
    Harmless,
    /// The listing cannot be read completely; the client must report it.
    Spoils,
    /// The first reading is wrong and every later one is right.
    Corrects,
}

/// The faults, their frequency, and the target of foreign links.
#[derive(Clone, Debug)]
pub struct FaultOptions {
    pub faults: Vec<Fault>,
    /// The same number hits the same requests.
    pub seed: u64,
    /// Percentage of requests that each fault hits.
    pub percent: u32,
    /// Scheme and host, such as `http://127.0.0.1:9000`.
    pub canary: String,
    /// The wait that a 429 asks for.
    pub wait_seconds: u32,
}

use Outcome::{Corrects, Harmless, Passes, Spoils};

impl Fault {
    /// Every fault, in the order of the help page.
    pub const ALL: [Self; 25] = [
        Self::ServerError,
        Self::TooManyRequests,
        Self::Reset,
        Self::SlowBody,
        Self::CutBody,
        Self::MalformedJson,
        Self::RevokedToken,
        Self::ShortToken,
        Self::ForeignLinks,
        Self::MisspeltLinks,
        Self::OddMethods,
        Self::OddContentType,
        Self::DuplicateRecords,
        Self::RepeatedCursor,
        Self::MissingNext,
        Self::WrongCount,
        Self::TwoContents,
        Self::WrongTypes,
        Self::OversizedBody,
        Self::ForeignRedirect,
        Self::Outage,
        Self::Forbidden,
        Self::ChangedRecord,
        Self::LateRecord,
        Self::VanishingRecord,
    ];

    /// The fault of that name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fault| fault.name() == name)
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        self.facts().0
    }

    /// The effect, in a sentence without its full stop.
    pub fn description(self) -> &'static str {
        self.facts().2
    }

    /// The result for a correct client.
    pub fn outcome(self) -> Outcome {
        self.facts().1
    }

    fn facts(self) -> (&'static str, Outcome, &'static str) {
        match self {
            Self::ServerError => ("server-error", Passes, "Answers 408, 500, 502, 503 or 504"),
            Self::TooManyRequests => (
                "too-many-requests",
                Passes,
                "Answers 429 with Retry-After in seconds or as a date, with X-RateLimit-Reset, \
                 or with neither",
            ),
            Self::Reset => ("reset", Passes, "Closes the connection in place of an answer"),
            Self::SlowBody => ("slow-body", Passes, "Sends the body in pieces, with pauses"),
            Self::CutBody => ("cut-body", Passes, "Closes the connection within the body"),
            Self::MalformedJson => {
                ("malformed-json", Passes, "Answers 200 with half a page, a web page or nothing")
            }
            Self::RevokedToken => {
                ("revoked-token", Passes, "Takes a token back that has just been good")
            }
            Self::ShortToken => ("short-token", Passes, "Tokens are good for a few requests"),
            Self::ForeignLinks => {
                ("foreign-links", Harmless, "Links lead to the host of --fault-canary")
            }
            Self::MisspeltLinks => {
                ("misspelt-links", Harmless, "Links have misspelt paths and doubled signs")
            }
            Self::OddMethods => ("odd-methods", Harmless, "Links name methods that do not exist"),
            Self::OddContentType => {
                ("odd-content-type", Harmless, "Pages claim to be HTML, or nothing at all")
            }
            Self::DuplicateRecords => {
                ("duplicate-records", Harmless, "Lists a record again, on its page or the next")
            }
            Self::RepeatedCursor => {
                ("repeated-cursor", Spoils, "The next link leads to its own page")
            }
            Self::MissingNext => ("missing-next", Spoils, "hasMore is true without a next link"),
            Self::WrongCount => ("wrong-count", Spoils, "count disagrees with the records"),
            Self::TwoContents => {
                ("two-contents", Spoils, "Lists a record again with another amount")
            }
            Self::WrongTypes => {
                ("wrong-types", Spoils, "A field of a record, or the record, has a wrong type")
            }
            Self::OversizedBody => ("oversized-body", Spoils, "A page of 20 MiB, mostly blanks"),
            Self::ForeignRedirect => {
                ("foreign-redirect", Spoils, "Redirects to the host of --fault-canary")
            }
            Self::Outage => ("outage", Spoils, "Answers 503 however often it is asked"),
            Self::Forbidden => ("forbidden", Spoils, "Answers 400, 403 or 404 to a good request"),
            Self::ChangedRecord => {
                ("changed-record", Corrects, "A listed amount is another when it is read again")
            }
            Self::LateRecord => {
                ("late-record", Corrects, "An authorization is listed from the second reading on")
            }
            Self::VanishingRecord => (
                "vanishing-record",
                Corrects,
                "An authorization is listed in the first reading only",
            ),
        }
    }
}

impl Outcome {
    /// Checks whether a fault of this outcome is requested.
    pub(super) fn is_among(self, options: &FaultOptions) -> bool {
        options.faults.iter().any(|fault| fault.outcome() == self)
    }
}
