//! The styles of a workbook; cells refer to them by position in the list.

use std::fmt::Write as _;

/// A style, by its position in [`STYLES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style(pub(super) usize);

pub(super) const PLAIN: Style = Style(0);
pub(super) const TITLE: Style = Style(1);
/// A note beside the value.
pub(super) const NOTE: Style = Style(2);
pub(super) const HEADING: Style = Style(3);
pub(super) const HEADING_OF_FIGURES: Style = Style(4);
pub(super) const TEXT: Style = Style(5);
/// Text of several lines.
pub(super) const WRAPPED: Style = Style(6);
pub(super) const DATE: Style = Style(7);
pub(super) const RATE: Style = Style(8);
pub(super) const FINE_RATE: Style = Style(9);
pub(super) const TOTAL: Style = Style(10);
/// The position of amounts without decimals; those with more decimals follow.
const AMOUNTS: usize = 11;
const TOTALS: usize = 16;
/// No currency has more.
const MAX_DECIMALS: usize = 4;

impl Style {
    /// The style of an amount with this many decimals.
    pub(super) fn amount(decimals: usize) -> Self {
        Self(AMOUNTS + decimals.min(MAX_DECIMALS))
    }

    /// The style of a total with this many decimals.
    pub(super) fn total(decimals: usize) -> Self {
        Self(TOTALS + decimals.min(MAX_DECIMALS))
    }
}

/// Number format, font, border and alignment.
type Parts = (u8, u8, u8, &'static str);

/// Built-in format numbers of every spreadsheet: text, whose digits stay unchanged when a cell is
/// edited, and numbers with thousands separators, without and with two decimals.
const GENERAL: u8 = 0;
const WHOLE: u8 = 3;
const CENTS: u8 = 4;
const AS_TEXT: u8 = 49;
/// Custom formats begin with this number.
const OWN: u8 = 164;
const OWN_FORMATS: [&str; 6] = ["yyyy-mm-dd", "0.0", "0.00", "#,##0.0", "#,##0.000", "#,##0.0000"];

const REGULAR: u8 = 0;
const BOLD: u8 = 1;
const LARGE: u8 = 2;
const FONTS: [&str; 3] = [r#"<sz val="11"/>"#, r#"<b/><sz val="11"/>"#, r#"<b/><sz val="14"/>"#];

const NO_BORDER: u8 = 0;
const BELOW: u8 = 1;
const ABOVE: u8 = 2;
const THIN: &str = r#" style="thin"><color auto="1"/>"#;

const TOP: &str = r#"<alignment vertical="top"/>"#;
/// An indent separates text from a figure before it.
const LEFT: &str = r#"<alignment horizontal="left" vertical="top" indent="1"/>"#;
const LEFT_WRAPPED: &str =
    r#"<alignment horizontal="left" vertical="top" indent="1" wrapText="1"/>"#;
const RIGHT_WRAPPED: &str = r#"<alignment horizontal="right" vertical="top" wrapText="1"/>"#;

/// In the order of the constants above.
const STYLES: [Parts; 21] = [
    (GENERAL, REGULAR, NO_BORDER, ""),
    (GENERAL, LARGE, NO_BORDER, ""),
    (GENERAL, REGULAR, NO_BORDER, LEFT),
    (GENERAL, BOLD, BELOW, LEFT_WRAPPED),
    (GENERAL, BOLD, BELOW, RIGHT_WRAPPED),
    (AS_TEXT, REGULAR, NO_BORDER, LEFT),
    (AS_TEXT, REGULAR, NO_BORDER, LEFT_WRAPPED),
    (OWN, REGULAR, NO_BORDER, LEFT),
    (OWN + 1, REGULAR, NO_BORDER, TOP),
    (OWN + 2, REGULAR, NO_BORDER, TOP),
    (GENERAL, BOLD, ABOVE, TOP),
    (WHOLE, REGULAR, NO_BORDER, TOP),
    (OWN + 3, REGULAR, NO_BORDER, TOP),
    (CENTS, REGULAR, NO_BORDER, TOP),
    (OWN + 4, REGULAR, NO_BORDER, TOP),
    (OWN + 5, REGULAR, NO_BORDER, TOP),
    (WHOLE, BOLD, ABOVE, TOP),
    (OWN + 3, BOLD, ABOVE, TOP),
    (CENTS, BOLD, ABOVE, TOP),
    (OWN + 4, BOLD, ABOVE, TOP),
    (OWN + 5, BOLD, ABOVE, TOP),
];

/// The part `xl/styles.xml`.
pub(super) fn xml() -> String {
    let mut formats = String::new();
    for (number, code) in (OWN..).zip(OWN_FORMATS) {
        let _ = write!(formats, r#"<numFmt numFmtId="{number}" formatCode="{code}"/>"#);
    }
    let mut fonts = String::new();
    for font in FONTS {
        let _ = write!(fonts, r#"<font>{font}<name val="Calibri"/><family val="2"/></font>"#);
    }
    let mut styles = String::new();
    for (format, font, border, alignment) in STYLES {
        let _ = write!(
            styles,
            r#"<xf numFmtId="{format}" fontId="{font}" fillId="0" borderId="{border}" xfId="0" applyNumberFormat="1" applyFont="1" applyBorder="1" applyAlignment="1">{alignment}</xf>"#
        );
    }
    format!(
        r#"<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts count="{}">{formats}</numFmts><fonts count="{}">{fonts}</fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="3"><border><left/><right/><top/><bottom/><diagonal/></border><border><left/><right/><top/><bottom{THIN}</bottom><diagonal/></border><border><left/><right/><top{THIN}</top><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="{}">{styles}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>"#,
        OWN_FORMATS.len(),
        FONTS.len(),
        STYLES.len(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_style_stands_where_its_name_says() {
        assert_eq!(STYLES[WRAPPED.0], (AS_TEXT, REGULAR, NO_BORDER, LEFT_WRAPPED));
        assert_eq!(STYLES[TOTAL.0], (GENERAL, BOLD, ABOVE, TOP));
        for (decimals, format) in [(0, WHOLE), (1, OWN + 3), (2, CENTS), (3, OWN + 4), (9, OWN + 5)]
        {
            assert_eq!(STYLES[Style::amount(decimals).0], (format, REGULAR, NO_BORDER, TOP));
            assert_eq!(STYLES[Style::total(decimals).0], (format, BOLD, ABOVE, TOP));
        }
        assert_eq!(OWN_FORMATS[usize::from(STYLES[DATE.0].0 - OWN)], "yyyy-mm-dd");
        assert_eq!(OWN_FORMATS[usize::from(STYLES[RATE.0].0 - OWN)], "0.0");
        assert_eq!(OWN_FORMATS[usize::from(STYLES[FINE_RATE.0].0 - OWN)], "0.00");
    }
}
