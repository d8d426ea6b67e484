//! The records of BAI2: lines with a code, each with its continuations (88).

use super::statement::Broken;
use crate::table::excerpt;

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    FileHeader,
    GroupHeader,
    Account,
    Detail,
    AccountTrailer,
    GroupTrailer,
    FileTrailer,
}

impl Kind {
    fn of(code: &str) -> Option<Self> {
        Some(match code {
            "01" => Self::FileHeader,
            "02" => Self::GroupHeader,
            "03" => Self::Account,
            "16" => Self::Detail,
            "49" => Self::AccountTrailer,
            "98" => Self::GroupTrailer,
            "99" => Self::FileTrailer,
            _ => return None,
        })
    }
}

/// A record with its continuations.
#[derive(Debug)]
pub(super) struct Record {
    pub line: u64,
    pub kind: Kind,
    /// The number of physical records: the record and its continuations.
    pub count: u64,
    /// Whether no slash has ended it.
    is_open: bool,
    /// The text after the code of each physical record, without the final slash.
    pieces: Vec<String>,
}

/// A file with more records does not cover a day or a month, and is not read into memory.
const MAX_RECORDS: usize = 2_000_000;

/// Commas before the text of a detail without funds: type, amount, funds, two references.
const COMMAS_BEFORE_TEXT: usize = 5;

impl Record {
    /// The fields of a record that has no text.
    pub(super) fn fields(&self) -> Vec<String> {
        self.pieces.join(",").split(',').map(|field| field.trim().to_owned()).collect()
    }

    /// The content by which the same record is recognised elsewhere.
    pub(super) fn content(&self) -> (Kind, &[String]) {
        (self.kind, &self.pieces)
    }

    /// The fields with the continuations inserted: a continuation begins a new field until the text
    /// has begun, and then continues the text.
    pub(super) fn joined(&self) -> String {
        let mut joined = String::new();
        for (at, piece) in self.pieces.iter().enumerate() {
            if at > 0 {
                joined.push(if has_text(&joined) { ' ' } else { ',' });
            }
            joined.push_str(piece);
        }
        joined
    }
}

/// Checks whether the fields of a detail have reached the text.
fn has_text(fields: &str) -> bool {
    let funds = fields.split(',').nth(2).map_or("", str::trim);
    let count = fields.split(',').nth(3).and_then(|count| count.trim().parse::<usize>().ok());
    let more = match funds.to_ascii_uppercase().as_str() {
        "V" => 2,
        "S" => 3,
        "D" => 1 + 2 * count.unwrap_or(0),
        _ => 0,
    };
    fields.matches(',').count() >= COMMAS_BEFORE_TEXT + more
}

/// Checks whether `text` begins as BAI2, after lines for the transmission.
pub(super) fn is_bai2(text: &str) -> bool {
    let lines = text.lines().map(str::trim);
    let mut rest = lines.skip_while(|line| line.is_empty() || is_of_transmission(line));
    rest.next().is_some_and(|line| line.starts_with("01,"))
}

/// `$$ADD ID=…`, `//…`: instructions for the computer that forwards the file.
fn is_of_transmission(line: &str) -> bool {
    line.starts_with("$$") || line.starts_with("//")
}

/// Splits a line into its records: files of fixed-length records have no line ends. The header
/// states the length; a line without a record at each multiple of it is one record.
fn physical((number, line): (u64, &str)) -> Vec<(u64, &str)> {
    let whole = || vec![(number, line)];
    let length = line.split(['/', '\n']).next().and_then(|header| header.split(',').nth(6));
    let length = length.and_then(|length| length.trim().parse::<usize>().ok());
    let Some(length) = length.filter(|length| *length > 2 && line.starts_with("01,")) else {
        return whole();
    };
    if line.len() <= length {
        return whole();
    }
    let pieces: Option<Vec<&str>> = (0..line.len())
        .step_by(length)
        .map(|at| line.get(at..(at + length).min(line.len())))
        .collect();
    let is_record = |piece: &&str| {
        let code = piece.get(..2).unwrap_or("");
        piece.trim().is_empty()
            || ((code == "88" || Kind::of(code).is_some()) && piece.get(2..3) == Some(","))
    };
    match pieces {
        Some(pieces) if pieces.iter().all(is_record) => {
            pieces.into_iter().map(|piece| (number, piece)).collect()
        }
        _ => whole(),
    }
}

/// The records of a text.
pub(super) fn records(text: &str) -> Result<Vec<Record>, Broken> {
    let mut records: Vec<Record> = Vec::new();
    for (number, line) in (1..).zip(text.lines()).flat_map(physical) {
        // Files from older systems end with a Ctrl-Z or are padded with zero bytes.
        let line = line.trim_matches(|one: char| one.is_whitespace() || one.is_control());
        let line = line.trim_start_matches('\u{feff}');
        // Some banks put a line for the transmission above the first file.
        if line.is_empty() || (records.is_empty() && is_of_transmission(line)) {
            continue;
        }
        let is_comma = |at: &usize| matches!(line.as_bytes()[*at], b',' | b':');
        let cut = Some(2).filter(|at| line.len() > *at && is_comma(at));
        let (code, rest) = match cut {
            Some(cut) if line.is_char_boundary(cut) => (&line[..cut], &line[cut + 1..]),
            _ => line.split_once(',').unwrap_or((line, "")),
        };
        let is_open = !rest.ends_with('/');
        // A text may end in a slash of its own; the last slash ends the record.
        let rest = rest.strip_suffix('/').unwrap_or(rest).trim_end().to_owned();
        let code = code.trim_end_matches('/');
        if records.len() == MAX_RECORDS {
            return Err(Broken::at(number, format!("expected at most {MAX_RECORDS} records")));
        }
        match (Kind::of(code), records.last_mut()) {
            (None, Some(last)) if code == "88" => {
                (last.count, last.is_open) = (last.count + 1, is_open);
                last.pieces.push(rest);
            }
            (Some(kind), _) => {
                let pieces = vec![rest];
                records.push(Record { line: number, kind, count: 1, pieces, is_open });
            }
            // A text that continues without a code is not a record of its own.
            (None, Some(last)) if last.is_open && last.kind == Kind::Detail => {
                last.pieces.push(line.strip_suffix('/').unwrap_or(line).trim_end().to_owned());
            }
            (None, _) => {
                let found = excerpt(line);
                return Err(Broken::at(number, format!("expected a BAI2 record, found {found}")));
            }
        }
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(text: &str) -> String {
        records(text).unwrap()[0].joined()
    }

    #[test]
    fn goes_on_with_fields_until_the_text_has_begun() {
        let cases = [
            ("16,142,500,Z/\n88,REF,,EXAMPLE/\n88,PAYMENTS/", "142,500,Z,REF,,EXAMPLE PAYMENTS"),
            ("16,142,500,S,1,2,3,,,TEXT\n88,MORE, AND", "142,500,S,1,2,3,,,TEXT MORE, AND"),
            ("16,142,500,D,1,0,500,,,TEXT\n88,MORE/", "142,500,D,1,0,500,,,TEXT MORE"),
        ];
        for (text, expected) in cases {
            assert_eq!(joined(text), expected, "{text}");
        }
        assert!(records("20,x").is_err());
        assert_eq!(records("01,a/\n\u{1a}").unwrap().len(), 1);
    }
}
