//! The XML of one sheet. Its rows are buffered, on disk once they are many, because the column
//! widths come before them and depend on them.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;

use tempfile::SpooledTempFile;

use super::styles::Style;

/// Bytes of rows that stay in memory.
const MAX_IN_MEMORY: usize = 1 << 20;
/// In inches: sheets are wide, and printers can print up to here.
const MARGIN: &str = "0.4";
/// Room for the page number.
const BOTTOM: &str = "0.7";
const FOOTER: &str = "0.3";
/// A column of n characters of the default font is wider by this fraction, for its padding.
const PADDING: &str = "7109375";

/// The view and print settings of a sheet. Rows count from zero.
pub(super) struct Layout {
    pub(super) name: String,
    /// The width in characters of each column, and the style of its empty cells.
    pub(super) columns: Vec<(u16, Option<Style>)>,
    /// The row of the headings, which stay in view and on each page, and the last filtered row;
    /// `None` for the overview.
    pub(super) headings: Option<(u32, u32)>,
    pub(super) last_row: u32,
    /// Number of paper pages side by side; from the second on the first column is repeated.
    pub(super) pages_wide: u16,
}

/// A sheet to which rows are added.
pub(super) struct Sheet {
    rows: BufWriter<SpooledTempFile>,
    /// The cells of the current row.
    cells: String,
    /// Its row number from one, as in cell references.
    number: String,
    letters: Vec<String>,
}

impl Sheet {
    /// An empty sheet whose rows are kept in `folder` while it grows.
    pub(super) fn begin(folder: &Path) -> Self {
        let rows = BufWriter::new(tempfile::spooled_tempfile_in(MAX_IN_MEMORY, folder));
        Self { rows, cells: String::new(), number: String::new(), letters: Vec::new() }
    }

    /// Begins a row below the earlier ones. It ends with [`Self::end_row`].
    pub(super) fn begin_row(&mut self, row: u32) {
        self.cells.clear();
        self.number.clear();
        push_number(&mut self.number, row as usize + 1);
    }

    /// A cell with a number, given by its decimals.
    pub(super) fn number(&mut self, column: usize, decimals: &str, style: Style) {
        self.begin_cell(column, style);
        self.cells.push_str("><v>");
        let shortest = if decimals.contains('.') {
            decimals.trim_end_matches('0').trim_end_matches('.')
        } else {
            decimals
        };
        self.cells.push_str(shortest);
        self.cells.push_str("</v></c>");
    }

    /// A cell of text.
    pub(super) fn text(&mut self, column: usize, text: &str, style: Style) {
        self.begin_cell(column, style);
        let is_blank = |end: Option<char>| matches!(end, Some(' ' | '\n' | '\t'));
        let is_kept = is_blank(text.chars().next()) || is_blank(text.chars().last());
        self.cells.push_str(r#" t="inlineStr"><is><t"#);
        self.cells.push_str(if is_kept { r#" xml:space="preserve">"# } else { ">" });
        self.cells.push_str(&escaped(text));
        self.cells.push_str("</t></is></c>");
    }

    fn begin_cell(&mut self, column: usize, style: Style) {
        while self.letters.len() <= column {
            self.letters.push(letters(self.letters.len()));
        }
        self.cells.push_str("<c r=\"");
        self.cells.push_str(&self.letters[column]);
        self.cells.push_str(&self.number);
        self.cells.push_str("\" s=\"");
        push_number(&mut self.cells, style.0);
        self.cells.push('"');
    }

    /// Writes the row, with its height in points unless it has the default one.
    pub(super) fn end_row(&mut self, height: Option<u32>, is_hidden: bool) -> io::Result<()> {
        let rows = &mut self.rows;
        write!(rows, "<row r=\"{}\"", self.number)?;
        if let Some(height) = height {
            write!(rows, r#" ht="{height}" customHeight="1""#)?;
        }
        rows.write_all(if is_hidden { br#" hidden="1">"# } else { b">" })?;
        rows.write_all(self.cells.as_bytes())?;
        rows.write_all(b"</row>")
    }

    /// Writes the whole sheet.
    pub(super) fn write(
        self,
        layout: &Layout,
        is_first: bool,
        title: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        out.write_all(head(layout, is_first).as_bytes())?;
        let mut rows = self.rows.into_inner().map_err(io::IntoInnerError::into_error)?;
        rows.rewind()?;
        io::copy(&mut rows, out)?;
        out.write_all(tail(layout, title).as_bytes())
    }
}

fn head(layout: &Layout, is_first: bool) -> String {
    let last = letters(layout.columns.len().saturating_sub(1));
    let selected = if is_first { r#" tabSelected="1""# } else { "" };
    let frozen = match layout.headings {
        Some((row, _)) => {
            let (rows, below) = (row + 1, row + 2);
            format!(
                r#"><pane xSplit="1" ySplit="{rows}" topLeftCell="B{below}" activePane="bottomRight" state="frozen"/><selection pane="topRight" activeCell="B1" sqref="B1"/><selection pane="bottomLeft" activeCell="A{below}" sqref="A{below}"/><selection pane="bottomRight"/></sheetView>"#
            )
        }
        None => "/>".to_owned(),
    };
    let mut columns = String::new();
    for (number, (width, style)) in (1..).zip(&layout.columns) {
        let style = style.map(|style| format!(r#" style="{}""#, style.0)).unwrap_or_default();
        let _ = write!(
            columns,
            r#"<col min="{number}" max="{number}" width="{width}.{PADDING}"{style} customWidth="1"/>"#
        );
    }
    format!(
        r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><dimension ref="A1:{last}{}"/><sheetViews><sheetView{selected} workbookViewId="0"{frozen}</sheetViews><sheetFormatPr defaultRowHeight="15"/><cols>{columns}</cols><sheetData>"#,
        layout.last_row + 1
    )
}

/// Fits the sheet to the width of the paper, with the page number in the footer.
fn tail(layout: &Layout, title: &str) -> String {
    let filter = match layout.headings {
        Some((row, last)) => format!(r#"<autoFilter ref="{}"/>"#, layout.area(row, last, "")),
        None => String::new(),
    };
    let wide = match layout.pages_wide {
        1 => String::new(),
        pages => format!(r#" fitToWidth="{pages}""#),
    };
    let orientation = if layout.headings.is_some() { "landscape" } else { "portrait" };
    // An ampersand begins a command of the footer.
    let title = title.replace('&', "&&");
    let footer = format!("&L{title}&C&A&RPage &P of &N");
    format!(
        r#"</sheetData>{filter}<pageMargins left="{MARGIN}" right="{MARGIN}" top="{MARGIN}" bottom="{BOTTOM}" header="{FOOTER}" footer="{FOOTER}"/><pageSetup{wide} fitToHeight="0" orientation="{orientation}"/><headerFooter><oddFooter>{}</oddFooter></headerFooter></worksheet>"#,
        escaped(&footer)
    )
}

impl Layout {
    /// The area of all columns of these rows, with `mark` before each letter and number.
    fn area(&self, first: u32, last: u32, mark: &str) -> String {
        let column = letters(self.columns.len().saturating_sub(1));
        format!("{mark}A{mark}{}:{mark}{column}{mark}{}", first + 1, last + 1)
    }

    /// The filtered, printed and repeated areas, for the workbook.
    pub(super) fn defined_names(&self, place: usize) -> String {
        let name = &self.name;
        let mut names = String::new();
        let first = self.headings.map_or(0, |(row, _)| row);
        if let Some((row, last)) = self.headings {
            let _ = write!(
                names,
                r#"<definedName name="_xlnm._FilterDatabase" localSheetId="{place}" hidden="1">'{name}'!{}</definedName>"#,
                self.area(row, last, "$")
            );
        }
        let _ = write!(
            names,
            r#"<definedName name="_xlnm.Print_Area" localSheetId="{place}">'{name}'!{}</definedName>"#,
            self.area(first, self.last_row, "$")
        );
        if self.headings.is_some() {
            let column =
                if self.pages_wide > 1 { format!("'{name}'!$A:$A,") } else { String::new() };
            let row = first + 1;
            let _ = write!(
                names,
                r#"<definedName name="_xlnm.Print_Titles" localSheetId="{place}">{column}'{name}'!${row}:${row}</definedName>"#
            );
        }
        names
    }
}

/// `A` for the first column, `AA` for the twenty-seventh.
fn letters(column: usize) -> String {
    const ALPHABET: &[u8; 26] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let own = char::from(ALPHABET[column % 26]);
    match column / 26 {
        0 => own.to_string(),
        before => format!("{}{own}", letters(before - 1)),
    }
}

/// Appends a number without the formatting of `fmt`, which would take most of the time.
fn push_number(to: &mut String, number: usize) {
    const DIGITS: [char; 10] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'];
    if number > 9 {
        push_number(to, number / 10);
    }
    to.push(DIGITS[number % 10]);
}

/// Escaped text between tags. A spreadsheet reads `_x0041_` as one letter, unless its first
/// underscore is escaped that way itself.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| matches!(byte, b'&' | b'<' | b'>')) && !text.contains("_x") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for (at, character) in text.char_indices() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '_' if is_code(&text.as_bytes()[at..]) => out.push_str("_x005F_"),
            other => out.push(other),
        }
    }
    Cow::Owned(out)
}

fn is_code(text: &[u8]) -> bool {
    matches!(text, [b'_', b'x', code @ ..] if code.len() > 4
        && code[..4].iter().all(u8::is_ascii_hexdigit)
        && code[4] == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_columns_as_spreadsheets_do() {
        let expected = [(0, "A"), (25, "Z"), (26, "AA"), (51, "AZ"), (52, "BA"), (702, "AAA")];
        for (column, name) in expected {
            assert_eq!(letters(column), name);
        }
    }

    #[test]
    fn escapes_what_a_spreadsheet_would_read_otherwise() {
        for (text, written) in [
            ("a < b & c > d", "a &lt; b &amp; c &gt; d"),
            ("_x0041_", "_x005F_x0041_"),
            ("_x0041_x0042_", "_x005F_x0041_x005F_x0042_"),
            ("nearby_day _x41_ _x004_", "nearby_day _x41_ _x004_"),
            ("Zoë_x00e9_", "Zoë_x005F_x00e9_"),
        ] {
            assert_eq!(escaped(text), written);
        }
    }
}
