//! Amounts in major units, as people and banks write them, read into integers.

use super::cells::{CellKind, is_blank, trimmed};
use super::excerpt::excerpt;
use tieout_config::TableSettings;
use tieout_model::money::{Currency, MAX_AMOUNT_MINOR, Minor};

const MINUS: [char; 7] =
    ['-', '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2212}', '\u{ff0d}'];

/// Dashes that mean no amount, or no decimals.
const DASHES: [char; 8] =
    ['-', '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2212}', '\u{ff0d}'];

/// The dollars of ISO 4217, and the pesos that use their sign.
const DOLLARS: [&str; 34] = [
    "USD", "CAD", "AUD", "NZD", "SGD", "HKD", "TWD", "BSD", "BBD", "BZD", "BMD", "KYD", "FJD",
    "GYD", "JMD", "LRD", "NAD", "SBD", "SRD", "TTD", "TVD", "XCD", "BND", "ZWL", "MXN", "ARS",
    "CLP", "COP", "UYU", "DOP", "CUP", "NIO", "BRL", "CVE",
];

/// Currency signs, in lower case, with the currencies that use them.
const SIGNS: [(&str, &[&str]); 36] = [
    ("$", &DOLLARS),
    ("us$", &["USD"]),
    ("u$s", &["USD"]),
    ("$us", &["USD"]),
    ("c$", &["CAD"]),
    ("ca$", &["CAD"]),
    ("can$", &["CAD"]),
    ("cdn$", &["CAD"]),
    ("$ca", &["CAD"]),
    ("a$", &["AUD"]),
    ("au$", &["AUD"]),
    ("nz$", &["NZD"]),
    ("s$", &["SGD"]),
    ("hk$", &["HKD"]),
    ("nt$", &["TWD"]),
    ("mx$", &["MXN"]),
    ("r$", &["BRL"]),
    ("€", &["EUR"]),
    ("£", &["GBP", "GIP", "FKP", "SHP", "EGP", "LBP", "SYP"]),
    ("¥", &["JPY", "CNY"]),
    ("￥", &["JPY", "CNY"]),
    ("円", &["JPY"]),
    ("元", &["CNY", "TWD"]),
    ("₹", &["INR"]),
    ("₩", &["KRW"]),
    ("₪", &["ILS"]),
    ("₫", &["VND"]),
    ("₱", &["PHP"]),
    ("฿", &["THB"]),
    ("₺", &["TRY"]),
    ("₽", &["RUB"]),
    ("zł", &["PLN"]),
    ("kč", &["CZK"]),
    ("kr", &["SEK", "NOK", "DKK", "ISK"]),
    ("fr", &["CHF"]),
    ("ft", &["HUF"]),
];

/// Which of `CR` and `DR` means money received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MoneyIn {
    /// In a bank's file.
    Credit,
    /// In a merchant's ledger.
    Debit,
}

/// Reads the amounts of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AmountReader {
    decimal: char,
    thousands: char,
    money_in: MoneyIn,
}

/// The marks of an amount beside its digits.
#[derive(Default)]
struct Marks<'a> {
    is_negative: Option<bool>,
    /// `CR` (true) or `DR`.
    is_credit: Option<bool>,
    /// A sign and a code may occur together: `$12.34 USD`.
    currencies: [Option<&'a str>; 2],
}

impl AmountReader {
    /// A reader for the separators of `settings`.
    pub fn new(settings: &TableSettings, money_in: MoneyIn) -> Self {
        Self { decimal: settings.decimal, thousands: settings.thousands, money_in }
    }

    /// Checks whether `cell` is one of the ways to write no amount.
    pub fn is_none(cell: &str) -> bool {
        cell.chars().all(|one| DASHES.contains(&one) || is_blank(one))
    }

    /// Reads `cell`, such as `1,234.50`, `-12.34`, `$12.34 CR` or `(12.34)`; `None` when there is
    /// no amount.
    ///
    /// Thousands must be in groups of three: otherwise `12.34` in a file with decimal commas would
    /// silently become 1,234.
    pub fn read(
        &self,
        cell: &str,
        kind: CellKind,
        currency: Currency,
    ) -> Result<Option<Minor>, String> {
        let reader = match kind {
            CellKind::Number => Self { decimal: '.', thousands: '\0', ..*self },
            CellKind::Text => *self,
            CellKind::Date => return Err("expected an amount, found a date".to_owned()),
        };
        if let Some(amount) = reader.plain(cell, currency) {
            return Ok(Some(amount));
        }
        if Self::is_none(cell) {
            return Ok(None);
        }
        reader.written(cell, currency).map(Some)
    }

    /// The usual amount: digits and a decimal point, with or without a minus sign.
    fn plain(self, cell: &str, currency: Currency) -> Option<Minor> {
        let is_negative = cell.as_bytes().first() == Some(&b'-');
        let digits = &cell[usize::from(is_negative)..];
        let (whole, decimals) = digits.split_once(self.decimal)?;
        let exponent = currency.exponent() as usize;
        // Longer ones take the slow path, which checks the limit.
        if decimals.len() != exponent || whole.is_empty() || whole.len() > 12 {
            return None;
        }
        let magnitude = whole.bytes().chain(decimals.bytes()).try_fold(0_i64, |sum, byte| {
            byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0'))
        })?;
        Some(Minor(if is_negative { -magnitude } else { magnitude }))
    }

    fn written(self, cell: &str, currency: Currency) -> Result<Minor, String> {
        let mut marks = Marks::default();
        let digits = self.without_marks(cell, &mut marks).ok_or_else(|| self.unusable(cell))?;
        if !marks.currencies.into_iter().flatten().all(|sign| is_sign_of(sign, currency)) {
            return Err(format!("expected an amount in {currency}, found {}", excerpt(cell)));
        }
        let magnitude = self.magnitude(digits, cell, currency)?;
        let by_mark = marks.is_credit.map(|is_credit| match self.money_in {
            MoneyIn::Credit => !is_credit,
            MoneyIn::Debit => is_credit,
        });
        let is_negative = match (marks.is_negative, by_mark) {
            (Some(true), Some(false)) => {
                let found = excerpt(cell);
                return Err(format!(
                    "expected one sign, found a minus against CR or DR in {found}"
                ));
            }
            (Some(sign), None) => sign,
            (_, Some(mark)) => mark,
            (None, None) => false,
        };
        Ok(Minor(if is_negative { -magnitude } else { magnitude }))
    }

    /// Removes signs, brackets, currencies and `CR` or `DR`, each at most once.
    fn without_marks<'a>(self, cell: &'a str, marks: &mut Marks<'a>) -> Option<&'a str> {
        let mut rest = self.without_empty_decimals(trimmed(cell));
        loop {
            rest = trimmed(rest);
            let before = rest;
            if let Some(inner) = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
                once(&mut marks.is_negative, true)?;
                rest = inner;
            } else if let Some(inner) =
                rest.strip_prefix(MINUS).or_else(|| rest.strip_suffix(MINUS))
            {
                once(&mut marks.is_negative, true)?;
                rest = inner;
            } else if let Some(inner) = rest.strip_prefix('+').or_else(|| rest.strip_suffix('+')) {
                once(&mut marks.is_negative, false)?;
                rest = inner;
            } else {
                let is_word = |one: char| is_word_character(one);
                let start = rest.find(|one| !is_word(one)).unwrap_or(rest.len());
                let end = rest.rfind(|one| !is_word(one)).map_or(0, |at| at + width(rest, at));
                if start > 0 {
                    note(&rest[..start], marks)?;
                    rest = &rest[start..];
                    // `Fr. 12.50`: a full stop after letters belongs to them when no digit follows.
                    rest = rest.strip_prefix(". ").unwrap_or(rest);
                } else if end < rest.len() {
                    note(&rest[end..], marks)?;
                    rest = &rest[..end];
                } else if let Some(word) = rest.strip_suffix('.')
                    && word.ends_with(is_word)
                {
                    // `12.50 Dr.`
                    rest = word;
                }
            }
            if rest == before {
                return Some(rest);
            }
        }
    }

    /// `12,-` is 12.
    fn without_empty_decimals(self, text: &str) -> &str {
        let whole = text.trim_end_matches(DASHES);
        match whole.strip_suffix(self.decimal) {
            Some(digits) if whole.len() < text.len() => digits,
            _ => text,
        }
    }

    fn magnitude(self, digits: &str, cell: &str, currency: Currency) -> Result<i64, String> {
        let (whole, fraction) = match digits.split_once(self.decimal) {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (digits, None),
        };
        let whole = ungrouped(whole, self.thousands).ok_or_else(|| self.unusable(cell))?;
        let decimals = fraction.unwrap_or("");
        let is_plain = decimals.bytes().all(|byte| byte.is_ascii_digit());
        let is_empty = whole.is_empty() && decimals.is_empty();
        if !is_plain || is_empty || (fraction.is_some() && decimals.is_empty()) {
            return Err(self.unusable(cell));
        }
        let exponent = currency.exponent() as usize;
        // Zeros beyond the currency's decimals are ignored.
        let beyond = decimals.get(exponent..).unwrap_or("");
        if beyond.bytes().any(|digit| digit != b'0') {
            let found = excerpt(cell);
            return Err(format!(
                "expected at most {exponent} decimals in {currency}, found {found}"
            ));
        }
        let decimals = &decimals[..decimals.len().min(exponent)];
        whole
            .bytes()
            .chain(decimals.bytes())
            .chain(std::iter::repeat_n(b'0', exponent - decimals.len()))
            .try_fold(0_i64, |sum, digit| sum.checked_mul(10)?.checked_add(i64::from(digit - b'0')))
            .filter(|&minor| minor <= MAX_AMOUNT_MINOR)
            .ok_or_else(|| {
                let limit = currency.format(Minor(MAX_AMOUNT_MINOR));
                format!("expected at most {limit} {currency}, found {}", excerpt(cell))
            })
    }

    fn unusable(self, cell: &str) -> String {
        let Self { thousands, decimal, .. } = self;
        let thousands = if thousands == '\0' { String::new() } else { thousands.to_string() };
        format!("expected an amount such as 1{thousands}234{decimal}50, found {}", excerpt(cell))
    }
}

fn once<T>(mark: &mut Option<T>, value: T) -> Option<()> {
    if mark.is_some() {
        return None;
    }
    *mark = Some(value);
    Some(())
}

fn width(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(0, char::len_utf8)
}

/// Letters and currency signs.
fn is_word_character(character: char) -> bool {
    character.is_alphabetic()
        || matches!(character, '$' | '£' | '¥' | '￥' | '€' | '\u{20a0}'..='\u{20cf}' | '฿')
}

fn note<'a>(word: &'a str, marks: &mut Marks<'a>) -> Option<()> {
    match word.to_lowercase().as_str() {
        // In German, Haben and Soll.
        "cr" | "c" | "h" => once(&mut marks.is_credit, true),
        "dr" | "d" | "db" | "s" => once(&mut marks.is_credit, false),
        // `123.45USDCR`
        both if both.len() == 5 && both.ends_with("cr") => {
            once(&mut marks.is_credit, true).and_then(|()| name(marks, &word[..3]))
        }
        both if both.len() == 5 && both.ends_with("dr") => {
            once(&mut marks.is_credit, false).and_then(|()| name(marks, &word[..3]))
        }
        _ => name(marks, word),
    }
}

/// Notes a sign or a code; a third one is refused.
fn name<'a>(marks: &mut Marks<'a>, word: &'a str) -> Option<()> {
    let free = marks.currencies.iter_mut().find(|one| one.is_none())?;
    *free = Some(word);
    Some(())
}

fn is_sign_of(sign: &str, currency: Currency) -> bool {
    if sign.eq_ignore_ascii_case(currency.code()) {
        return true;
    }
    let sign = sign.to_lowercase();
    // `$` and `USD` together.
    let halves = [sign.strip_prefix('$'), sign.strip_suffix('$')];
    SIGNS.iter().any(|(known, codes)| *known == sign && codes.contains(&currency.code()))
        || halves.iter().flatten().any(|code| code.eq_ignore_ascii_case(currency.code()))
}

/// The digits without separators; `None` when the groups are not of three.
fn ungrouped(whole: &str, thousands: char) -> Option<String> {
    let is_separator = |character: char| {
        character == thousands
            || is_blank(character)
            || (thousands == '\'' && matches!(character, '\u{2019}' | '`' | '\u{b4}'))
    };
    let mut groups = whole.split(is_separator);
    let first = groups.next().unwrap_or("");
    let mut digits = first.to_owned();
    for group in groups {
        if group.len() != 3 || first.is_empty() || first.len() > 3 {
            return None;
        }
        digits.push_str(group);
    }
    digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(decimal: char, thousands: char, money_in: MoneyIn) -> AmountReader {
        AmountReader { decimal, thousands, money_in }
    }

    fn read(cell: &str, separators: (char, char), code: &str) -> Result<Option<i64>, String> {
        let currency = Currency::from_code(code).unwrap();
        let reader = reader(separators.0, separators.1, MoneyIn::Credit);
        reader.read(cell, CellKind::Text, currency).map(|amount| amount.map(|minor| minor.0))
    }

    const POINT: (char, char) = ('.', ',');
    const COMMA: (char, char) = (',', '.');
    const SPACE: (char, char) = (',', ' ');
    const SWISS: (char, char) = ('.', '\'');

    #[test]
    fn reads_every_way_to_write_an_amount() {
        let cases = [
            ("12.34", POINT, "USD", 1234),
            ("12.3", POINT, "USD", 1230),
            ("12", POINT, "USD", 1200),
            (".50", POINT, "USD", 50),
            ("1,234.50", POINT, "USD", 123_450),
            ("1234.50", POINT, "USD", 123_450),
            ("1.234,50", COMMA, "USD", 123_450),
            ("1\u{a0}234,50", SPACE, "USD", 123_450),
            ("1\u{202f}234,50", COMMA, "EUR", 123_450),
            ("1’234.50", SWISS, "CHF", 123_450),
            ("-12.34", POINT, "USD", -1234),
            ("\u{2212}12.34", POINT, "USD", -1234),
            ("12.34-", POINT, "USD", -1234),
            ("(12.34)", POINT, "USD", -1234),
            ("($12.34)", POINT, "USD", -1234),
            ("$(12.34)", POINT, "USD", -1234),
            ("-$1,234.50", POINT, "USD", -123_450),
            ("$-1,234.50", POINT, "USD", -123_450),
            ("US$ 12.34", POINT, "USD", 1234),
            ("12.34 usd", POINT, "USD", 1234),
            ("$12.34 USD", POINT, "USD", 1234),
            ("EUR 12,34", COMMA, "EUR", 1234),
            ("12,34 S", COMMA, "EUR", -1234),
            ("12,34 H", COMMA, "EUR", 1234),
            ("12.34 Dr.", POINT, "USD", -1234),
            ("12,34 €-", COMMA, "EUR", -1234),
            ("Fr. 12.50", POINT, "CHF", 1250),
            ("12,-", COMMA, "EUR", 1200),
            ("123.45 CR", POINT, "USD", 12_345),
            ("1.00DR", POINT, "USD", -100),
            ("DR 1.00", POINT, "USD", -100),
            ("-1.00 DR", POINT, "USD", -100),
            ("+12.34", POINT, "USD", 1234),
            ("1,200", POINT, "JPY", 1200),
            ("1.0", POINT, "JPY", 1),
            ("12.340", POINT, "USD", 1234),
            ("1.500", POINT, "KWD", 1500),
            ("0", POINT, "USD", 0),
        ];
        for (cell, separators, code, expected) in cases {
            assert_eq!(read(cell, separators, code), Ok(Some(expected)), "{cell} {code}");
        }
        for cell in ["", " ", "-", "\u{2013}", " - ", "--"] {
            assert_eq!(read(cell, POINT, "USD"), Ok(None), "{cell}");
        }
    }

    #[test]
    fn takes_a_debit_for_money_in_where_the_books_say_so() {
        let usd = Currency::from_code("USD").unwrap();
        let books = reader('.', ',', MoneyIn::Debit);
        let read = |cell: &str| books.read(cell, CellKind::Text, usd).unwrap().unwrap().0;
        assert_eq!((read("5.00 DR"), read("5.00 CR")), (500, -500));
    }

    #[test]
    fn reads_numbers_of_a_workbook_whatever_the_separators() {
        let usd = Currency::from_code("USD").unwrap();
        let german = reader(',', '.', MoneyIn::Credit);
        assert_eq!(german.read("1234.5", CellKind::Number, usd), Ok(Some(Minor(123_450))));
        assert!(german.read("0.125", CellKind::Number, usd).is_err());
    }

    #[test]
    fn refuses_what_could_be_read_in_two_ways() {
        let cases = [
            ("12.34", COMMA, "USD"), // decimal point in a file with decimal commas
            ("12,34", POINT, "USD"),
            ("1,23,456.00", POINT, "USD"),
            ("1234,567.00", POINT, "USD"),
            ("12.345", POINT, "USD"),
            ("12.", POINT, "USD"),
            ("€12.34", POINT, "USD"),
            ("12.34 CAD", POINT, "USD"),
            ("$12.34", POINT, "EUR"),
            ("-(12.34)", POINT, "USD"),
            ("--12.34", POINT, "USD"),
            ("-1.00 CR", POINT, "USD"),
            ("1.00 CR DR", POINT, "USD"),
            ("1e3", POINT, "USD"),
            ("=1+2", POINT, "USD"),
            (".", POINT, "USD"),
            ("12 34", POINT, "USD"),
            ("99999999999999999999", POINT, "USD"),
            ("10000000000000.01", POINT, "USD"),
        ];
        for (cell, separators, code) in cases {
            assert!(read(cell, separators, code).is_err(), "{cell} {code}");
        }
    }

    #[test]
    fn says_what_was_expected() {
        assert_eq!(
            read("12.345", POINT, "USD").unwrap_err(),
            "expected at most 2 decimals in USD, found \"12.345\""
        );
        assert_eq!(
            read("5;00", COMMA, "USD").unwrap_err(),
            "expected an amount such as 1.234,50, found \"5;00\""
        );
        assert_eq!(
            read("€5", POINT, "USD").unwrap_err(),
            "expected an amount in USD, found \"€5\""
        );
    }
}
