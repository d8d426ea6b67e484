//! The position of a page in its listing.

use std::fmt;

use rusqlite::Row;

/// A page of a listing. A long listing is read in stretches, that of a shard in merchants' parts;
/// each numbers its pages on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct PageNumber {
    /// The stretch or merchant's part, from 0.
    pub part: u32,
    /// 1 for the first page of a part; the first of a stretch that begins after a cursor is 2.
    #[serde(rename = "page")]
    pub number: u32,
}

impl PageNumber {
    /// A page of a listing that is read from its beginning alone.
    pub fn first_part(number: u32) -> Self {
        Self { part: 0, number }
    }

    /// The columns `part` and `page_number` of a row.
    pub(super) fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self { part: row.get("part")?, number: row.get("page_number")? })
    }
}

impl fmt::Display for PageNumber {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "page {}", self.number)?;
        match self.part {
            0 => Ok(()),
            part => write!(formatter, " of stretch {}", u64::from(part) + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_stretch_of_a_page_but_the_first() {
        assert_eq!(PageNumber::first_part(7).to_string(), "page 7");
        assert_eq!(PageNumber { part: 3, number: 34 }.to_string(), "page 34 of stretch 4");
    }
}
