//! The top of a page: the verdict in words, then the most important figures.

use maud::{Markup, html};

use super::markup::{count, foreign, money, sums};
use super::words::{Mark, counted, list, verdict};
use crate::chain::AtBank;
use crate::headline::{Headline, Part};
use crate::totals::Sums;
use tieout_model::Verdict;

/// The content of the top of a page.
pub(super) struct Top<'a> {
    /// The kind of report, above the heading.
    pub kind: &'a str,
    pub heading: &'a str,
    /// The own verdict of a date, or the state of a period at its end.
    pub verdict: Verdict,
    /// `on this date` or `in this period`.
    pub span: &'static str,
    pub headline: &'a Headline,
    /// The first action; empty if nothing is open.
    pub first_step: &'a Markup,
    pub cleared: u64,
    /// Number of checks that could not be evaluated.
    pub not_evaluated: u64,
    /// Number of their causes.
    pub causes: usize,
    /// Cautions for the reader, as sentences.
    pub cautions: &'a [String],
    pub deposited: &'a Sums,
    pub in_transit: Option<&'a Sums>,
    /// `None` if no merchant names a bank.
    pub at_bank: Option<AtBank>,
    /// The people who signed it off.
    pub signed: &'a Markup,
    /// Anchors and names of the sections of the page.
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
                (self.first_step)
                @for caution in self.cautions {
                    p.caution { b { "Note:" } " " (foreign(caution)) } "\n"
                }
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
        }
    }

    /// Whether nothing is open and everything was checked; money that is not due yet is clean.
    fn is_clean(&self) -> bool {
        self.headline.open() == 0 && self.not_evaluated == 0
    }

    fn mark(&self) -> Mark {
        match self.verdict {
            Verdict::InTransit if self.is_clean() => verdict(Verdict::Tied),
            other => verdict(other),
        }
    }

    fn sentence(&self) -> String {
        let carried = self.headline.carried();
        let findings = |count| counted(count, "finding", "findings");
        match self.verdict {
            Verdict::NotEvaluated if self.headline.are_new() > 0 => {
                "It does not tie out, and not everything could be checked".to_owned()
            }
            Verdict::NotEvaluated => "Not everything could be checked".to_owned(),
            Verdict::Discrepancy if self.headline.are_new() > 0 => {
                let (are, of) = (self.headline.are_new(), self.span);
                let verb = if are == 1 { "is" } else { "are" };
                format!("It does not tie out: {} {verb} new {of}", findings(are))
            }
            Verdict::Discrepancy => "It does not tie out".to_owned(),
            _ if self.headline.are_new() > 0 => {
                let are = self.headline.are_new();
                let verb = if are == 1 { "is" } else { "are" };
                format!("It ties out; {} {verb} new {}", findings(are), self.span)
            }
            _ if carried > 0 => {
                let verb = if carried == 1 { "is" } else { "are" };
                let of = findings(carried);
                format!("Nothing new {}: {of} {verb} carried from earlier dates", self.span)
            }
            Verdict::Tied => "It ties out".to_owned(),
            Verdict::InTransit if self.is_clean() => {
                "Everything that was due has arrived".to_owned()
            }
            Verdict::InTransit => "It ties out so far; some money is not due yet".to_owned(),
        }
    }

    /// `2 new on this date (1 error and 1 warning); 31 carried from earlier dates since 2026-11-02.`
    fn lead(&self) -> String {
        let headline = self.headline;
        let mut sentences = Vec::new();
        let levels = |errors: u64, warnings: u64| {
            let levels = [(errors, "error", "errors"), (warnings, "warning", "warnings")];
            let open = levels.into_iter().filter(|(count, _, _)| *count > 0);
            list(&open.map(|(count, one, many)| counted(count, one, many)).collect::<Vec<_>>())
        };
        let grouped = |count: u64| tieout_model::money::grouped(&count.to_string());
        let mut parts = Vec::new();
        if headline.are_new() > 0 {
            let levels = levels(headline.new_errors, headline.new_warnings);
            parts.push(format!("{} new {} ({levels})", grouped(headline.are_new()), self.span));
        }
        if let Some(since) = headline.carried_since {
            let errors = headline.errors.count - headline.new_errors;
            let levels = levels(errors, headline.warnings.count - headline.new_warnings);
            let number = grouped(headline.carried());
            parts.push(format!("{number} carried from earlier dates since {since} ({levels})"));
        }
        sentences.push(if parts.is_empty() {
            "No error and no warning is open.".to_owned()
        } else {
            format!("{}.", parts.join("; "))
        });
        if headline.accepted_count > 0 {
            let verb = counted(headline.accepted_count, "finding is", "findings are");
            sentences.push(format!("{verb} accepted: see Accepted."));
        }
        if self.not_evaluated > 0 {
            let checks = counted(self.not_evaluated, "check was", "checks were");
            let has_section = self.sections.iter().any(|(anchor, _)| *anchor == "untold");
            let where_why = if has_section {
                "see Not evaluated"
            } else {
                "the page of each date has the \
                                                               reasons"
            };
            let causes = counted(self.causes as u64, "cause", "causes");
            sentences.push(format!("{checks} not evaluated, for {causes}: {where_why}."));
        }
        if self.verdict == Verdict::Tied && self.is_clean() {
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
                @for (name, part) in headline.parts() { (tile(name, &owed(part))) }
                @if headline.parts().next().is_none() { (tile("Owed", &html! { "nothing" })) }
                (tile("New", &count(headline.are_new())))
                (tile("Carried", &count(headline.carried())))
                (tile("Errors open", &count(headline.errors.count)))
                (tile("Warnings open", &count(headline.warnings.count)))
                @if headline.notes.count > 0 { (tile("Notes", &count(headline.notes.count))) }
                (tile("Cleared", &count(self.cleared)))
                (tile("Paid out (net)", &sums(self.deposited)))
                @if let Some(at_bank) = self.at_bank {
                    (tile("Found at the bank", &html! {
                        (at_bank) br; span.means { "of the deposits paid " (self.span) }
                    }))
                }
                @if let Some(in_transit) = self.in_transit {
                    (tile("In transit, not due", &sums(in_transit)))
                }
            }
            "\n"
        }
    }
}

/// The amounts of a part, and its new amounts.
fn owed(part: &Part) -> Markup {
    html! {
        (sums(&part.all)) br;
        span.means {
            @if part.new.is_empty() { "none of it is new" }
            @else if part.new == part.all { "all of it is new" }
            @else {
                @for (position, (currency, sum)) in part.new.iter().enumerate() {
                    @if position > 0 { br; }
                    "new: " (money(sum, currency))
                }
            }
        }
    }
}

fn tile(name: &str, content: &Markup) -> Markup {
    html! { div { dt { (name) } dd { (content) } } "\n" }
}
