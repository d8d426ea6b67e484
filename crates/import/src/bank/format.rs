//! Recognises the format of a statement by its content, and names other kinds of files.

use quick_xml::Reader as XmlReader;
use quick_xml::events::{BytesStart, Event};

use super::{mt940, ofx, records};
use crate::files::{Foreign, foreign_text};
use tieout_config::{BankFormat, BankSettings};

/// Elements of an XML document that are examined at most.
const MAX_ELEMENTS: usize = 200;

const STATEMENT: &str = "ask the bank for the statement of the whole day: camt.053";

/// Why a text is not a statement: its kind, and the remedy.
pub(super) struct NoStatement {
    pub found: String,
    pub remedy: String,
}

impl NoStatement {
    fn new(found: &str, remedy: &str) -> Self {
        Self { found: found.to_owned(), remedy: remedy.to_owned() }
    }
}

impl From<Foreign> for NoStatement {
    fn from(foreign: Foreign) -> Self {
        Self::new(foreign.name, foreign.remedy)
    }
}

/// The format of `text` by its content, else the configured one.
pub(super) fn format_of(text: &str, bank: &BankSettings) -> Result<BankFormat, NoStatement> {
    let start = text.trim_start_matches(|one: char| one.is_whitespace() || one == '\u{feff}');
    if start.starts_with('<')
        && let Some(by_root) = xml_format(start)
    {
        return by_root;
    }
    if let Some(foreign) = foreign_text(start) {
        return Err(foreign.into());
    }
    if let Some(format) = bank.format {
        return Ok(format);
    }
    if records::is_bai2(start) {
        Ok(BankFormat::Bai2)
    } else if ofx::is_ofx(start) {
        Ok(BankFormat::Ofx)
    } else if mt940::is_mt941(text) && mt940::is_mt940(text) {
        Err(NoStatement::new(
            "MT941, a balance report without the lines",
            "ask the bank for the statement of the whole day: MT940",
        ))
    } else if mt940::is_mt940(text) {
        Ok(BankFormat::Mt940)
    } else if mt940::is_mt942(text) {
        Err(NoStatement::new(
            "MT942, an intraday report without balances",
            "ask the bank for the statement of the whole day: MT940",
        ))
    } else if mt940::is_notice(text) {
        Err(NoStatement::new(
            "MT900 or MT910, the notice of one debit or credit",
            "ask the bank for the statement of the whole day: MT940",
        ))
    } else if bank.table.columns.is_empty() {
        Err(unknown(start))
    } else {
        Ok(BankFormat::Csv)
    }
}

fn unknown(text: &str) -> NoStatement {
    let header: String = text.lines().next().unwrap_or("").chars().take(200).collect();
    if [',', ';', '\t', '|'].iter().any(|delimiter| header.matches(*delimiter).count() > 1) {
        let remedy = "name its columns under columns of this bank: date, amount (or debit and \
                      credit), description";
        NoStatement::new("a file that may be a CSV, without configured columns", remedy)
    } else {
        let remedy = "expected BAI2, camt.053, MT940, OFX, CSV or XLSX; set format for this bank, \
                      and columns when it is a CSV";
        NoStatement::new("none of the formats that are known", remedy)
    }
}

/// The format of an XML document by its elements; `None` when the text is not XML.
fn xml_format(text: &str) -> Option<Result<BankFormat, NoStatement>> {
    let mut xml = XmlReader::from_str(text);
    xml.config_mut().check_end_names = false;
    let mut first: Option<(String, Option<String>)> = None;
    let mut elements = 0;
    while elements < MAX_ELEMENTS {
        let name = match xml.read_event() {
            Ok(Event::Start(start) | Event::Empty(start)) => {
                let name = start.local_name().as_ref().to_owned();
                first.get_or_insert_with(|| (name.clone(), message_of(&start)));
                name
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => continue,
        };
        elements += 1;
        if let Some(found) = by_element(&name) {
            return Some(found);
        }
    }
    first.map(|(root, message)| {
        let found = match message {
            Some(message) => format!("{message}, a message of ISO 20022 that is not a statement"),
            None => format!("an XML document of another kind (<{root}>)"),
        };
        Err(NoStatement::new(&found, STATEMENT))
    })
}

/// The message of ISO 20022 in an element's namespace, such as `camt.086`.
fn message_of(start: &BytesStart<'_>) -> Option<String> {
    let spaces: Vec<String> =
        start.attributes().flatten().map(|one| one.value.to_string()).collect();
    let names = spaces.iter().find_map(|one| one.split_once("tech:xsd:"))?.1;
    let mut parts = names.split('.');
    Some(format!("{}.{}", parts.next()?, parts.next()?))
}

fn by_element(name: &str) -> Option<Result<BankFormat, NoStatement>> {
    let none = |found, remedy| Some(Err(NoStatement::new(found, remedy)));
    // The first versions have their number in the element's name.
    let plain = name.rsplit_once('V').filter(|(_, number)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    match plain.map_or(name, |(plain, _)| plain) {
        "BkToCstmrStmt" => Some(Ok(BankFormat::Camt053)),
        "BkToCstmrAcctRpt" => none("camt.052, an intraday account report", STATEMENT),
        "BkToCstmrDbtCdtNtfctn" => {
            none("camt.054, a notification of single debits and credits", STATEMENT)
        }
        "CstmrCdtTrfInitn" => none("pain.001, an order of credit transfers", STATEMENT),
        "CstmrDrctDbtInitn" => none("pain.008, an order of direct debits", STATEMENT),
        "CstmrPmtStsRpt" => none("pain.002, a report on orders", STATEMENT),
        "Workbook" => none("an XML spreadsheet of 2003", "save it as XLSX or CSV UTF-8"),
        _ if name.eq_ignore_ascii_case("OFX") => Some(Ok(BankFormat::Ofx)),
        _ if name.eq_ignore_ascii_case("html") => {
            none("an HTML page", "the download may have ended at a log-in page")
        }
        _ => None,
    }
}
