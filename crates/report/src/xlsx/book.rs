//! The file of a workbook: its sheets one after the other, and the parts that list its contents.

use std::fmt::Write as _;
use std::io::{self, Write};

use chrono::NaiveDate;
use zip::result::ZipError;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::sheet::{Layout, Sheet, escaped};
use super::styles;

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
/// Names the parts other than sheets; the number of sheets is known only at the end.
const CONTENT_TYPES: &str = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>"#;
const RELATIONSHIPS: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>"#;

/// A workbook that grows sheet by sheet.
pub(super) struct Book<'out> {
    zip: ZipWriter<StreamWriter<&'out mut dyn Write>>,
    title: &'out str,
    sheets: Vec<Layout>,
}

impl<'out> Book<'out> {
    /// A workbook without sheets; `date` is its creation date.
    pub(super) fn begin(
        out: &'out mut dyn Write,
        title: &'out str,
        date: NaiveDate,
    ) -> io::Result<Self> {
        let mut book = Self { zip: ZipWriter::new_stream(out), title, sheets: Vec::new() };
        book.part("[Content_Types].xml", CONTENT_TYPES)?;
        book.part("_rels/.rels", RELATIONSHIPS)?;
        book.part("xl/styles.xml", &styles::xml())?;
        let title = escaped(title);
        book.part("docProps/core.xml", &format!(
            r#"<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>{title}</dc:title><dc:creator>tieout</dc:creator><cp:lastModifiedBy>tieout</cp:lastModifiedBy><dcterms:created xsi:type="dcterms:W3CDTF">{date}T00:00:00Z</dcterms:created><dcterms:modified xsi:type="dcterms:W3CDTF">{date}T00:00:00Z</dcterms:modified></cp:coreProperties>"#
        ))?;
        Ok(book)
    }

    /// Writes the next sheet.
    pub(super) fn add(&mut self, sheet: Sheet, layout: Layout) -> io::Result<()> {
        let number = self.sheets.len() + 1;
        self.begin_part(&format!("xl/worksheets/sheet{number}.xml"))?;
        sheet.write(&layout, number == 1, self.title, &mut self.zip)?;
        self.sheets.push(layout);
        Ok(())
    }

    /// Writes the parts that name the sheets.
    pub(super) fn finish(mut self) -> io::Result<()> {
        let (mut sheets, mut names, mut links) = (String::new(), String::new(), String::new());
        for (place, layout) in self.sheets.iter().enumerate() {
            let (number, name) = (place + 1, &layout.name);
            let _ =
                write!(sheets, r#"<sheet name="{name}" sheetId="{number}" r:id="rId{number}"/>"#);
            names += &layout.defined_names(place);
            let _ = write!(
                links,
                r#"<Relationship Id="rId{number}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet{number}.xml"/>"#
            );
        }
        self.part("xl/workbook.xml", &format!(
            r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><bookViews><workbookView xWindow="240" yWindow="15" windowWidth="16095" windowHeight="9660"/></bookViews><sheets>{sheets}</sheets><definedNames>{names}</definedNames></workbook>"#
        ))?;
        let styles = self.sheets.len() + 1;
        self.part("xl/_rels/workbook.xml.rels", &format!(
            r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{links}<Relationship Id="rId{styles}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>"#
        ))?;
        self.zip.finish().map_err(refused)?;
        Ok(())
    }

    fn part(&mut self, name: &str, content: &str) -> io::Result<()> {
        self.begin_part(name)?;
        self.zip.write_all(content.as_bytes())
    }

    fn begin_part(&mut self, name: &str) -> io::Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            // Rows of money compress well at any level; higher ones take several times as long.
            .compression_level(Some(1))
            // The same data gives the same bytes.
            .last_modified_time(DateTime::default())
            .unix_permissions(0o600);
        self.zip.start_file(name, options).map_err(refused)?;
        self.zip.write_all(DECLARATION.as_bytes())
    }
}

/// The original I/O error of the file, since the remedy depends on its kind.
fn refused(error: ZipError) -> io::Error {
    match error {
        ZipError::Io(error) => error,
        other => io::Error::other(other),
    }
}
