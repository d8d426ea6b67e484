//! Tables of a page: headers with a scope, a caption for who listens, and cells that carry
//! their header's name, so that a row can be read as a card on a narrow screen.

use chrono::NaiveDate;

use super::markup::Markup;
use super::words::Mark;

/// A column: its header, and whether it holds figures.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub name: &'static str,
    pub is_figure: bool,
}

/// A column of text.
pub(super) const fn text(name: &'static str) -> Head {
    Head { name, is_figure: false }
}

/// A column of figures.
pub(super) const fn figure(name: &'static str) -> Head {
    Head { name, is_figure: true }
}

/// A table that is being filled.
pub(super) struct Grid<'page> {
    page: &'page mut Markup,
    heads: &'static [Head],
    next: usize,
}

/// A table with its caption; `class` names its style.
pub(super) fn table(
    page: &mut Markup,
    class: &str,
    caption: &str,
    heads: &'static [Head],
    fill: impl FnOnce(&mut Grid<'_>),
) {
    // A wide table scrolls in a region of its own, which the keyboard reaches.
    let region =
        [("class", "scroll"), ("tabindex", "0"), ("role", "region"), ("aria-label", caption)];
    page.open("div", &region);
    page.open("table", &[("class", class)]);
    page.element("caption", &[], caption);
    page.within("thead", &[], |page| {
        page.within("tr", &[], |page| {
            for head in heads {
                let class = if head.is_figure { "figure" } else { "words" };
                page.element("th", &[("scope", "col"), ("class", class)], head.name);
            }
        });
    });
    page.open("tbody", &[]);
    fill(&mut Grid { page, heads, next: 0 });
    page.close("tbody");
    page.close("table");
    page.close("div");
}

impl Grid<'_> {
    /// A row; `attributes` are what the script filters by.
    pub fn row(&mut self, attributes: super::markup::Attributes<'_>, fill: impl FnOnce(&mut Self)) {
        self.page.open("tr", attributes);
        self.next = 0;
        fill(self);
        assert_eq!(self.next, self.heads.len(), "a row has a cell per column");
        self.page.close("tr");
    }

    /// The next cell of the row. `key` is what it is sorted by, when that is not its text.
    pub fn keyed(&mut self, key: Option<&str>, fill: impl FnOnce(&mut Markup)) {
        let head = self.heads[self.next];
        self.next += 1;
        let class = if head.is_figure { "figure" } else { "words" };
        // The first column names the row.
        let tag = if self.next == 1 { "th" } else { "td" };
        let mut attributes = vec![("class", class), ("data-head", head.name)];
        if self.next == 1 {
            attributes.push(("scope", "row"));
        }
        attributes.extend(key.map(|key| ("data-key", key)));
        // The block keeps what is in the cell together beside its header's name.
        self.page.within(tag, &attributes, |page| page.within("div", &[], fill));
    }

    /// The next cell of the row.
    pub fn cell(&mut self, fill: impl FnOnce(&mut Markup)) {
        self.keyed(None, fill);
    }

    /// The next cell, of the program's own words.
    pub fn words(&mut self, words: &str) {
        self.cell(|page| page.text(words));
    }

    /// The next cell, of a date, which never breaks; empty without one.
    pub fn date(&mut self, date: Option<NaiveDate>) {
        self.cell(|page| {
            if let Some(date) = date {
                page.element("time", &[], &date.to_string());
            }
        });
    }

    /// The next cell, of text from outside.
    pub fn foreign(&mut self, text: &str) {
        self.cell(|page| page.foreign(text));
    }

    /// The next cell, of a number; unknown says so.
    pub fn count(&mut self, count: Option<i64>) {
        let key = count.map(|count| count.to_string());
        self.keyed(key.as_deref(), |page| match count {
            Some(count) => page.count(count),
            None => page.unknown(),
        });
    }

    /// The next cell, of a mark.
    pub fn mark(&mut self, mark: Mark) {
        self.cell(|page| badge(page, mark));
    }
}

/// A sign, a colour and a word that say the same.
pub(super) fn badge(page: &mut Markup, mark: Mark) {
    page.within("span", &[("class", &format!("badge {}", mark.class))], |page| {
        page.element("span", &[("aria-hidden", "true")], mark.sign);
        page.fixed(" ");
        page.text(mark.word);
    });
}

/// A merchant: name and id, or the id alone.
pub(super) fn merchant(page: &mut Markup, id: &str, name: &str) {
    if !name.is_empty() {
        page.foreign(name);
        page.fixed(" ");
    }
    page.within("span", &[("class", "id")], |page| page.foreign(id));
}
