//! The top of a page: the verdict in words, then the figures that a person asks for first.

use super::markup::Markup;
use super::words::{Mark, counted, list, verdict};
use crate::model::Verdict;
use crate::report::totals::{Headline, Sums};

/// What the top of a page says.
pub(super) struct Top<'a> {
    /// Above the heading: what kind of report it is.
    pub kind: &'a str,
    pub heading: &'a str,
    pub verdict: Verdict,
    pub headline: &'a Headline,
    pub new: u64,
    pub cleared: u64,
    /// Checks that could not be made.
    pub not_evaluated: u64,
    /// What is to be known before anything else, as sentences.
    pub cautions: &'a [String],
    pub deposited: &'a Sums,
    pub in_transit: Option<&'a Sums>,
    /// Anchors and names of the sections that the page has.
    pub sections: &'a [(&'static str, &'static str)],
}

impl Top<'_> {
    pub fn write(&self, page: &mut Markup) {
        page.within("header", &[("class", "top")], |page| {
            page.element("p", &[("class", "kind")], self.kind);
            page.element("h1", &[], self.heading);
        });
        page.open("main", &[]);
        let mark = verdict(self.verdict);
        let class = format!("verdict {}", mark.class);
        page.within("section", &[("class", &class), ("aria-labelledby", "verdict")], |page| {
            self.sentences(page, mark);
            self.tiles(page);
        });
        page.within("nav", &[("aria-label", "Sections of this page")], |page| {
            page.within("ul", &[], |page| {
                for (anchor, name) in self.sections {
                    page.within("li", &[], |page| {
                        page.element("a", &[("href", &format!("#{anchor}"))], name);
                    });
                }
            });
        });
    }

    fn sentences(&self, page: &mut Markup, mark: Mark) {
        page.within("h2", &[("id", "verdict")], |page| {
            page.element("span", &[("class", "sign"), ("aria-hidden", "true")], mark.sign);
            page.fixed(" ");
            page.fixed(match self.verdict {
                Verdict::Tied => "It ties out",
                Verdict::InTransit => "It ties out so far; some money is not due yet",
                Verdict::Discrepancy => "It does not tie out",
                Verdict::NotEvaluated if self.headline.open() > 0 => {
                    "It does not tie out, and not everything could be checked"
                }
                Verdict::NotEvaluated => "Not everything could be checked",
            });
        });
        page.element("p", &[("class", "lead")], &self.lead());
        for caution in self.cautions {
            page.within("p", &[("class", "caution")], |page| {
                page.fixed("<b>Note:</b> ");
                page.foreign(caution);
            });
        }
    }

    fn lead(&self) -> String {
        let headline = self.headline;
        let mut sentences = Vec::new();
        let open =
            [(&headline.errors, "error", "errors"), (&headline.warnings, "warning", "warnings")];
        let open: Vec<String> = open
            .into_iter()
            .filter(|(tally, _, _)| tally.count > 0)
            .map(|(tally, one, many)| counted(tally.count, one, many))
            .collect();
        match headline.oldest {
            Some(date) => {
                let verb = if headline.open() == 1 { "is" } else { "are" };
                sentences.push(format!("{} {verb} open, the oldest since {date}.", list(&open)));
            }
            None => sentences.push("No error and no warning is open.".to_owned()),
        }
        if self.not_evaluated > 0 {
            sentences.push(format!(
                "{} could not be made, as what they need was not read: see what was not checked.",
                counted(self.not_evaluated, "check", "checks")
            ));
        }
        if self.verdict == Verdict::Tied {
            sentences.push("Everything that was due has arrived, to the cent.".to_owned());
        }
        sentences.join(" ")
    }

    fn tiles(&self, page: &mut Markup) {
        page.open("dl", &[("class", "tiles")]);
        tile(page, "Money in question", |page| {
            if self.headline.in_question.iter().next().is_none() {
                page.fixed("none");
            }
            page.sums(&self.headline.in_question);
        });
        tile(page, "Errors open", |page| page.count(self.headline.errors.count));
        tile(page, "Warnings open", |page| page.count(self.headline.warnings.count));
        if self.headline.notes.count > 0 {
            tile(page, "Notes", |page| page.count(self.headline.notes.count));
        }
        tile(page, "New", |page| page.count(self.new));
        tile(page, "Cleared", |page| page.count(self.cleared));
        tile(page, "Paid out (net)", |page| page.sums(self.deposited));
        if let Some(in_transit) = self.in_transit {
            tile(page, "In transit, not due", |page| page.sums(in_transit));
        }
        page.close("dl");
    }
}

fn tile(page: &mut Markup, name: &'static str, fill: impl FnOnce(&mut Markup)) {
    page.within("div", &[], |page| {
        page.element("dt", &[], name);
        page.within("dd", &[], fill);
    });
}
