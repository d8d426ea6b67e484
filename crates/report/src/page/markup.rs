//! The elements of every page: text from outside, figures, money. Pages are written with `maud`,
//! which escapes everything that is not markup; [`Text`] also replaces characters that no page may
//! contain.

use maud::{Markup, Render, html};

use crate::totals::{Sums, major};
use crate::visible::visible;
use tieout_model::money::{Currency, grouped};

/// Longer text from outside is cut.
const MAX_SHOWN: usize = 400;

/// Text that may come from outside: escaped, with control characters made visible.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'a>(pub &'a str);

impl Render for Text<'_> {
    fn render_to(&self, page: &mut String) {
        for character in visible(self.0).chars() {
            match character {
                '&' => page.push_str("&amp;"),
                '<' => page.push_str("&lt;"),
                '>' => page.push_str("&gt;"),
                '"' => page.push_str("&quot;"),
                '\'' => page.push_str("&#39;"),
                plain => page.push(plain),
            }
        }
    }
}

/// Text from outside in an element of its own, so that right-to-left text does not reorder the text
/// around it. Text longer than [`MAX_SHOWN`] is cut.
pub(super) fn foreign(text: &str) -> Markup {
    let cut = text.char_indices().nth(MAX_SHOWN).map(|(end, _)| end);
    let shown = cut.map_or(text, |end| &text[..end]);
    html! { bdi { (Text(shown)) @if cut.is_some() { "…" } } }
}

/// A number with thousands separators; the attribute holds the plain one.
pub(super) fn number(plain: &str) -> Markup {
    html! { data value=(plain) { (grouped(plain)) } }
}

/// A count.
pub(super) fn count(count: impl Into<i128>) -> Markup {
    number(&count.into().to_string())
}

/// An amount and its currency.
pub(super) fn money(amount: i128, currency: Currency) -> Markup {
    html! { span.money { (number(&major(amount, currency))) "\u{a0}" (currency.code()) } }
}

/// Amounts of several currencies, one on each line, and the number of unknown amounts.
pub(super) fn sums(sums: &Sums) -> Markup {
    html! {
        @for (position, (currency, sum)) in sums.iter().enumerate() {
            @if position > 0 { br; }
            (money(sum, currency))
        }
        @if sums.unknown > 0 {
            span.unknown { " and " (sums.unknown) " unknown" }
        }
    }
}

/// The text in place of an unknown figure.
pub(super) fn unknown() -> Markup {
    html! { span.unknown { "unknown" } }
}

/// A paragraph beside the data: of class `note` or `caution`.
pub(super) fn paragraph(class: &str, content: &impl Render) -> Markup {
    html! { p class=(class) { (content) } "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lets_nothing_from_outside_become_markup() {
        let (title, text) = ("\"><script>", "</td><b onclick='x'>&\u{1}\u{202e}");
        let cell = html! { td title=(Text(title)) { (Text(text)) } };
        assert_eq!(
            cell.into_string(),
            "<td title=\"&quot;&gt;&lt;script&gt;\">&lt;/td&gt;&lt;b onclick=&#39;x&#39;&gt;&amp;\
             \\u{1}\\u{202e}</td>"
        );
    }

    #[test]
    fn cuts_long_text_from_outside() {
        let shown = foreign(&"ä".repeat(10_000)).into_string();
        assert_eq!(shown, format!("<bdi>{}…</bdi>", "ä".repeat(400)));
    }
}
