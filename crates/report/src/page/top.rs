//! The top of a page: the verdict in words, then the figures that a person asks for first.

use maud::{Markup, html};

use super::markup::{count, foreign, sums};
use super::words::{Mark, counted, list, verdict};
use crate::headline::Headline;
use crate::totals::Sums;
use tieout_model::Verdict;

/// What the top of a page says.
pub(super) struct Top<'a> {
    /// Above the heading: what kind of report it is.
    pub kind: &'a str,
    pub heading: &'a str,
    pub verdict: Verdict,
    pub headline: &'a Headline,
    /// What to do first; nothing where nothing is open.
    pub first_step: &'a Markup,
    pub new: u64,
    pub cleared: u64,
    /// Checks that could not be evaluated.
    pub not_evaluated: u64,
    /// What the reader must know first, as sentences.
    pub cautions: &'a [String],
    pub deposited: &'a Sums,
    pub in_transit: Option<&'a Sums>,
    /// Deposits that are at the bank, and of how many; `None` where no merchant names a bank.
    pub at_bank: Option<(u64, u64)>,
    /// Who has signed it off.
    pub signed: &'a Markup,
    /// Anchors and names of the sections that the page has.
    pub sections: &'a [(&'static str, &'static str)],
}

impl Top<'_> {
    /// The heading.
    pub fn header(&self) -> Markup {
        html! {
            header.top { p.kind { (self.kind) } "\n" h1 { (self.heading) } "\n" }
            "\n"
        }
    }

    /// The verdict with its figures, and the links to the sections.
    pub fn verdict(&self) -> Markup {
        let mark = self.mark();
        html! {
            section class={ "verdict " (mark.class) } aria-labelledby="verdict" { "\n"
                (self.sentences(mark))
                (self.tiles())
                (self.signed)
            } "\n"
            nav aria-label="Sections of this page" {
                ul {
                    @for (anchor, name) in self.sections {
                        li { a href={ "#" (anchor) } { (name) } }
                    }
                }
            } "\n"
        }
    }

    fn sentences(&self, mark: Mark) -> Markup {
        html! {
            h2 #verdict { span.sign aria-hidden="true" { (mark.sign) } " " (self.sentence()) } "\n"
            p.lead { (self.lead()) } "\n"
            (self.first_step)
            @for caution in self.cautions {
                p.caution { b { "Note:" } " " (foreign(caution)) } "\n"
            }
        }
    }

    /// Nothing is open and everything was checked: what is merely not due yet spoils nothing.
    fn is_clean(&self) -> bool {
        self.headline.open() == 0 && self.not_evaluated == 0
    }

    fn mark(&self) -> Mark {
        match self.verdict {
            Verdict::InTransit if self.is_clean() => verdict(Verdict::Tied),
            other => verdict(other),
        }
    }

    fn sentence(&self) -> &'static str {
        match self.verdict {
            Verdict::Tied => "It ties out",
            Verdict::InTransit if self.is_clean() => "Everything that was due has arrived",
            Verdict::InTransit => "It ties out so far; some money is not due yet",
            Verdict::Discrepancy => "It does not tie out",
            Verdict::NotEvaluated if self.headline.open() > 0 => {
                "It does not tie out, and not everything could be checked"
            }
            Verdict::NotEvaluated => "Not everything could be checked",
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
                "{} not evaluated, because the data was not read in full: see Data.",
                counted(self.not_evaluated, "check was", "checks were")
            ));
        }
        if self.verdict == Verdict::Tied {
            sentences.push("Everything that was due has arrived, to the cent.".to_owned());
        }
        if self.verdict == Verdict::InTransit && self.is_clean() {
            sentences
                .push("It ties out to the cent; the rest is not due yet or on hold.".to_owned());
        }
        sentences.join(" ")
    }

    fn tiles(&self) -> Markup {
        let headline = self.headline;
        html! {
            dl.tiles {
                (tile("Money in question", &html! {
                    @if headline.in_question.iter().next().is_none() { "none" }
                    (sums(&headline.in_question))
                }))
                @for (name, part) in headline.parts() {
                    @if !part.is_empty() { (tile(name, &sums(part))) }
                }
                (tile("Errors open", &count(headline.errors.count)))
                (tile("Warnings open", &count(headline.warnings.count)))
                @if headline.notes.count > 0 { (tile("Notes", &count(headline.notes.count))) }
                (tile("New", &count(self.new)))
                (tile("Cleared", &count(self.cleared)))
                (tile("Paid out (net)", &sums(self.deposited)))
                @if let Some((found, of)) = self.at_bank {
                    (tile("Found at the bank", &html! { (count(found)) " of " (count(of)) }))
                }
                @if let Some(in_transit) = self.in_transit {
                    (tile("In transit, not due", &sums(in_transit)))
                }
            }
            "\n"
        }
    }
}

fn tile(name: &str, content: &Markup) -> Markup {
    html! { div { dt { (name) } dd { (content) } } "\n" }
}
