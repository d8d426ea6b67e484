//! Writes statements in the formats of banks, with their control totals and balances.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use chrono::{Datelike, NaiveDate, Weekday};

use super::format::Format;
use super::line::{Line, ORIGINATORS, period};
use crate::files::WorldFile;
use crate::money::major_units;
use crate::world::WorldOptions;

/// The number of every account; only its last four digits may be kept.
const ACCOUNT: &str = "900123454321";

/// The opening balance of every account, in minor units.
const OPENING_BALANCE: i64 = 5_000_000;

/// A day of an account with its balances.
struct Day<'a> {
    date: NaiveDate,
    opening: i64,
    closing: i64,
    lines: Vec<&'a Line>,
}

/// The statements of an account; `lines` are ordered oldest first.
pub fn files(format: Format, name: &str, options: &WorldOptions, lines: &[Line]) -> Vec<WorldFile> {
    let currency = lines.first().map_or("USD", |line| line.currency);
    let days = days(options, lines);
    let file = |stem: String, extension: &str, text: String| WorldFile {
        path: format!("bank/{name}/{stem}.{extension}"),
        content: text.into_bytes(),
    };
    match format {
        Format::Bai2 => {
            days.iter().map(|day| file(day.date.to_string(), "bai", bai2(day, currency))).collect()
        }
        Format::Camt => days
            .chunks(5)
            .map(|week| file(week[0].date.to_string(), "xml", camt(week, currency)))
            .collect(),
        Format::Mt940 => {
            days.iter().map(|day| file(day.date.to_string(), "sta", mt940(day, currency))).collect()
        }
        Format::Ofx => {
            let middle = days.len() / 2;
            let parts = [&days[..(middle + 2).min(days.len())], &days[middle.min(days.len())..]];
            let parts = parts.into_iter().enumerate().filter(|(_, part)| !part.is_empty());
            parts.map(|(at, part)| file(format!("part-{at}"), "ofx", ofx(part, currency))).collect()
        }
        Format::Csv => vec![file("statement".to_owned(), "csv", csv(&days, currency))],
    }
}

/// Every day on which the bank is open or a line is booked.
fn days<'a>(options: &WorldOptions, lines: &'a [Line]) -> Vec<Day<'a>> {
    let (first, last) = period(options);
    let booked: BTreeSet<NaiveDate> = lines.iter().map(|line| line.date).collect();
    let mut balance = OPENING_BALANCE;
    let mut days = Vec::new();
    for date in first.iter_days().take_while(|date| *date <= last) {
        let is_weekend = matches!(date.weekday(), Weekday::Sat | Weekday::Sun);
        if is_weekend && !booked.contains(&date) {
            continue;
        }
        let lines: Vec<&Line> = lines.iter().filter(|line| line.date == date).collect();
        let opening = balance;
        balance += lines.iter().map(|line| line.amount).sum::<i64>();
        days.push(Day { date, opening, closing: balance, lines });
    }
    days
}

fn bai2(day: &Day<'_>, currency: &str) -> String {
    let date = day.date.format("%y%m%d");
    let mut text = format!("01,021000021,MERCHANT,{date},0430,1,80,1,2/\n");
    let _ = writeln!(text, "02,MERCHANT,021000021,1,{date},2359,{currency},2/");
    // The summary continues in a second record, as banks often write it.
    let _ =
        writeln!(text, "03,{ACCOUNT},{currency},010,{},,/\n88,015,{},,/", day.opening, day.closing);
    let mut total = day.opening + day.closing;
    // The account's own record, its continuation and its trailer: every physical record counts.
    let mut records = 3;
    for line in &day.lines {
        let code = if line.amount < 0 { 455 } else { 165 };
        let amount = line.amount.abs();
        total += amount;
        let words: Vec<&str> = line.text.splitn(3, ' ').collect();
        records += words.len();
        let reference = reference(day, line);
        let _ = writeln!(text, "16,{code},{amount},V,{date},,BR{reference},,{}", words[0]);
        for rest in &words[1..] {
            let _ = writeln!(text, "88,{rest}");
        }
    }
    let _ = writeln!(text, "49,{total},{records}/");
    let _ = writeln!(text, "98,{total},1,{}/\n99,{total},1,{}/", records + 2, records + 4);
    text
}

fn camt(days: &[Day<'_>], currency: &str) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.08\">\n<BkToCstmrStmt>\n",
    );
    for day in days {
        let _ = writeln!(
            text,
            "<Stmt><Id>{date}</Id>\n<Acct><Id><Othr><Id>{ACCOUNT}</Id></Othr></Id></Acct>",
            date = day.date
        );
        for (code, amount) in [("OPBD", day.opening), ("CLBD", day.closing)] {
            let mark = if amount < 0 { "DBIT" } else { "CRDT" };
            let _ = writeln!(
                text,
                "<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp>\
                 <Amt Ccy=\"{currency}\">{}</Amt><CdtDbtInd>{mark}</CdtDbtInd>\
                 <Dt><Dt>{}</Dt></Dt></Bal>",
                major_units(amount.abs(), currency),
                day.date
            );
        }
        for line in &day.lines {
            let mark = if line.amount < 0 { "DBIT" } else { "CRDT" };
            let _ = writeln!(
                text,
                "<Ntry>\n<Amt Ccy=\"{currency}\">{}</Amt><CdtDbtInd>{mark}</CdtDbtInd>\
                 <Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>{}</Dt></BookgDt>\n\
                 <NtryDtls><TxDtls><RmtInf><Ustrd>{} &amp; more</Ustrd></RmtInf></TxDtls></NtryDtls>\
                 \n</Ntry>",
                major_units(line.amount.abs(), currency),
                day.date,
                line.text
            );
        }
        // A pending entry is not booked.
        let _ = writeln!(
            text,
            "<Ntry><Amt Ccy=\"{currency}\">1</Amt><CdtDbtInd>CRDT</CdtDbtInd>\
             <Sts><Cd>PDNG</Cd></Sts><AddtlNtryInf>{}</AddtlNtryInf></Ntry>\n</Stmt>",
            ORIGINATORS[0]
        );
    }
    text.push_str("</BkToCstmrStmt>\n</Document>\n");
    text
}

fn mt940(day: &Day<'_>, currency: &str) -> String {
    let date = day.date.format("%y%m%d");
    let balance = |amount: i64| {
        let mark = if amount < 0 { "D" } else { "C" };
        format!("{mark}{date}{currency}{}", comma(amount.abs(), currency))
    };
    let mut text = format!(
        "{{1:F01BANKUS33AXXX0000000000}}{{2:I940BANKUS33XXXXN}}{{4:\r\n:20:STMT{date}\r\n\
         :25:021000021/{ACCOUNT}\r\n:28C:1/1\r\n:60F:{}\r\n",
        balance(day.opening)
    );
    for line in &day.lines {
        let mark = if line.amount < 0 { "D" } else { "C" };
        let _ = write!(
            text,
            ":61:{date}{}{mark}{}NTRFNONREF//B{}\r\n",
            day.date.format("%m%d"),
            comma(line.amount.abs(), currency),
            reference(day, line)
        );
        // Split into pieces of 27 characters, each after its sub-field mark.
        let characters: Vec<char> = line.text.chars().collect();
        let pieces: Vec<String> = characters
            .chunks(27)
            .zip(20..)
            .map(|(piece, field)| format!("?{field}{}", piece.iter().collect::<String>()))
            .collect();
        let _ = write!(text, ":86:166{}\r\n", pieces.join("\r\n"));
    }
    let _ = write!(text, ":62F:{}\r\n-}}\r\n", balance(day.closing));
    text
}

fn comma(amount: i64, currency: &str) -> String {
    let plain = major_units(amount, currency);
    if plain.contains('.') { plain.replace('.', ",") } else { format!("{plain},") }
}

fn ofx(days: &[Day<'_>], currency: &str) -> String {
    let plain = |date: NaiveDate| date.format("%Y%m%d").to_string();
    let (first, last) = (days[0].date, days[days.len() - 1].date);
    let mut text = format!(
        "OFXHEADER:100\r\nDATA:OFXSGML\r\nVERSION:102\r\n\r\n<OFX>\r\n<BANKMSGSRSV1><STMTTRNRS>\
         <STMTRS><CURDEF>{currency}\r\n<BANKACCTFROM><BANKID>021000021<ACCTID>{ACCOUNT}\
         <ACCTTYPE>CHECKING</BANKACCTFROM>\r\n<BANKTRANLIST><DTSTART>{}<DTEND>{}120000[-5:EST]\r\n",
        plain(first),
        plain(last)
    );
    for (day, line) in days.iter().flat_map(|day| day.lines.iter().map(move |line| (day, line))) {
        let name: String = line.text.chars().take(32).collect();
        let memo: String = line.text.chars().skip(32).collect();
        let _ = write!(
            text,
            "<STMTTRN><TRNTYPE>{}<DTPOSTED>{}120000[-5:EST]<TRNAMT>{}<FITID>{}-{}\r\n\
             <NAME>{name}\r\n<MEMO>{memo}\r\n</STMTTRN>\r\n",
            if line.amount < 0 { "DEBIT" } else { "CREDIT" },
            plain(day.date),
            major_units(line.amount, currency),
            plain(day.date),
            // The bank numbers the lines of a day, the same in every file.
            ordinal_of_day(day, line),
        );
    }
    text.push_str("</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\r\n");
    text
}

/// The bank's own number of a line, longer than any id of a deposit.
fn reference(day: &Day<'_>, line: &Line) -> String {
    format!("{}{:03}", day.date.format("%Y%m%d"), ordinal_of_day(day, line))
}

fn ordinal_of_day(day: &Day<'_>, line: &Line) -> usize {
    day.lines.iter().position(|other| std::ptr::eq(*other, line)).unwrap_or(0)
}

fn csv(days: &[Day<'_>], currency: &str) -> String {
    let mut text = String::from("Booked;Details;Withdrawals;Deposits;Balance\n");
    // A statement for people begins and ends with its balances.
    let mut row = |date: NaiveDate, details: &str, debit: String, credit: String, balance: i64| {
        let date = date.format("%d/%m/%Y");
        let balance = major_units(balance, currency).replace('.', ",");
        let _ = writeln!(text, "{date};\"{details}\";{debit};{credit};{balance}");
    };
    let zero = || major_units(0, currency).replace('.', ",");
    for day in days {
        row(day.date, "Brought forward", String::new(), zero(), day.opening);
        for line in &day.lines {
            let amount = major_units(line.amount.abs(), currency).replace('.', ",");
            let (debit, credit) =
                if line.amount < 0 { (amount, String::new()) } else { (String::new(), amount) };
            row(day.date, &line.text, debit, credit, day.closing);
        }
    }
    text.push_str(";End of statement;;;\n");
    text
}
