//! HTML that is being written. Whatever is not part of the program goes through [`Markup::text`]
//! or an attribute's value, which escape it: there is no other way in.

use crate::money::Currency;
use crate::report::totals::{Sums, major};

/// Names and values of attributes.
pub(super) type Attributes<'a> = &'a [(&'static str, &'a str)];

/// A page that grows.
#[derive(Clone, Debug, Default)]
pub(super) struct Markup {
    html: String,
}

impl Markup {
    /// The page as text.
    pub fn into_html(self) -> String {
        self.html
    }

    /// Markup or text of the program itself.
    pub fn fixed(&mut self, html: &'static str) {
        self.html.push_str(html);
    }

    /// A start tag.
    pub fn open(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.html.push('<');
        self.html.push_str(tag);
        for (name, value) in attributes {
            self.html.push(' ');
            self.html.push_str(name);
            self.html.push_str("=\"");
            self.text(value);
            self.html.push('"');
        }
        self.html.push('>');
    }

    /// An end tag.
    pub fn close(&mut self, tag: &'static str) {
        self.html.push_str("</");
        self.html.push_str(tag);
        // The tags alone would make one line of a page that people may look into.
        self.html.push_str(if is_block(tag) { ">\n" } else { ">" });
    }

    /// Text, escaped. Control characters, which no page may hold, become visible.
    pub fn text(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '&' => self.html.push_str("&amp;"),
                '<' => self.html.push_str("&lt;"),
                '>' => self.html.push_str("&gt;"),
                '"' => self.html.push_str("&quot;"),
                '\'' => self.html.push_str("&#39;"),
                '\n' | '\t' => self.html.push(' '),
                '\u{fffe}' | '\u{ffff}' => self.html.push('\u{fffd}'),
                control if control.is_control() => self.html.push('\u{fffd}'),
                plain => self.html.push(plain),
            }
        }
    }

    /// An element that holds text alone.
    pub fn element(&mut self, tag: &'static str, attributes: Attributes<'_>, text: &str) {
        self.open(tag, attributes);
        self.text(text);
        self.close(tag);
    }

    /// An element with whatever `fill` puts into it.
    pub fn within(
        &mut self,
        tag: &'static str,
        attributes: Attributes<'_>,
        fill: impl FnOnce(&mut Self),
    ) {
        self.open(tag, attributes);
        fill(self);
        self.close(tag);
    }

    /// Text from outside: set apart, so that one that runs from right to left, or pretends to,
    /// moves nothing around it. What is longer than `MAX_SHOWN` is cut.
    pub fn foreign(&mut self, text: &str) {
        const MAX_SHOWN: usize = 400;
        self.open("bdi", &[]);
        match text.char_indices().nth(MAX_SHOWN) {
            Some((end, _)) => {
                self.text(&text[..end]);
                self.fixed("…");
            }
            None => self.text(text),
        }
        self.close("bdi");
    }

    /// A number with its thousands set apart; the plain one stands in the attribute.
    pub fn number(&mut self, plain: &str) {
        self.element("data", &[("value", plain)], &grouped(plain));
    }

    /// A sum in major units, without its currency.
    pub fn sum(&mut self, sum: i128, currency: Currency) {
        self.number(&major(sum, currency));
    }

    /// A sum and its currency.
    pub fn money(&mut self, sum: i128, currency: Currency) {
        self.open("span", &[("class", "money")]);
        self.sum(sum, currency);
        self.fixed("\u{a0}");
        self.text(currency.code());
        self.close("span");
    }

    /// Sums of several currencies, one a line, and how many amounts are unknown.
    pub fn sums(&mut self, sums: &Sums) {
        for (position, (currency, sum)) in sums.iter().enumerate() {
            if position > 0 {
                self.fixed("<br>");
            }
            self.money(sum, currency);
        }
        if sums.unknown > 0 {
            let unknown = format!(" and {} unknown", sums.unknown);
            self.element("span", &[("class", "unknown")], &unknown);
        }
    }

    /// A count.
    pub fn count(&mut self, count: impl Into<i128>) {
        self.number(&count.into().to_string());
    }

    /// What stands where a figure is not known.
    pub fn unknown(&mut self) {
        self.fixed("<span class=\"unknown\">unknown</span>");
    }
}

fn is_block(tag: &str) -> bool {
    !matches!(tag, "a" | "b" | "bdi" | "code" | "data" | "div" | "li" | "span" | "strong" | "time")
}

/// `1234567.00` as `1,234,567.00`.
pub(super) fn grouped(plain: &str) -> String {
    let (sign, magnitude) = match plain.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", plain),
    };
    let (whole, decimals) = magnitude.split_at(magnitude.find('.').unwrap_or(magnitude.len()));
    let mut shown = sign.to_owned();
    for (position, digit) in whole.chars().enumerate() {
        if position > 0 && (whole.len() - position).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown + decimals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_thousands() {
        let cases = [
            ("0", "0"),
            ("-12.00", "-12.00"),
            ("999", "999"),
            ("1000", "1,000"),
            ("-1234567.891", "-1,234,567.891"),
        ];
        for (plain, shown) in cases {
            assert_eq!(grouped(plain), shown);
        }
    }

    #[test]
    fn lets_nothing_from_outside_become_markup() {
        let mut page = Markup::default();
        page.element("td", &[("title", "\"><script>")], "</td><b onclick='x'>&\u{1}\u{202e}");
        assert_eq!(
            page.into_html(),
            "<td title=\"&quot;&gt;&lt;script&gt;\">&lt;/td&gt;&lt;b onclick=&#39;x&#39;&gt;&amp;\
             \u{fffd}\u{202e}</td>\n"
        );
    }

    #[test]
    fn cuts_what_nobody_reads_to_the_end() {
        let mut page = Markup::default();
        page.foreign(&"ä".repeat(10_000));
        assert_eq!(page.into_html(), format!("<bdi>{}…</bdi>", "ä".repeat(400)));
    }
}
