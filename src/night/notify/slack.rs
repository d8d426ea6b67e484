//! The notice as a message for Slack and compatible services.

use serde_json::{Value, json};

use super::message::{DateNotice, ErrorNotice, Notice};
use tieout_model::money::grouped;
use tieout_report::Owed;
use tieout_report::aligned::counted;
use tieout_report::terminal::DiscrepancyLine;

/// Dates that a message lists; further dates are counted. A block has at most 3000 characters.
const MAX_DATES: usize = 14;
/// New errors that a message lists for each date.
const MAX_ERRORS: usize = 5;
const MAX_HEADER_CHARACTERS: usize = 150;
const MAX_TEXT_CHARACTERS: usize = 2_900;

/// The body of an incoming webhook.
pub(super) fn payload(notice: &Notice) -> Value {
    let title = &notice.title;
    let mut lines: Vec<String> = notice.error.iter().map(|error| escaped(error)).collect();
    for date in notice.dates.iter().rev().take(MAX_DATES) {
        lines.push(line(date));
        lines.extend(
            date.new_errors
                .iter()
                .take(MAX_ERRORS)
                .map(|error| format!("• new: {}", error_line(error))),
        );
        let shown = date.new_errors.len().min(MAX_ERRORS) as u64;
        if let Some(more) = date.errors_new().checked_sub(shown).filter(|more| *more > 0) {
            lines.push(format!("• and {more} more"));
        }
        lines.extend(date.page.as_deref().map(link));
    }
    if notice.dates.len() > MAX_DATES {
        lines.push(format!("and {} dates before", notice.dates.len() - MAX_DATES));
    }
    let body: String = lines.join("\n").chars().take(MAX_TEXT_CHARACTERS).collect();
    message(title, &body)
}

/// The body for one new error.
pub(super) fn error_payload(notice: &ErrorNotice<'_>) -> Value {
    let error = notice.error;
    let title = format!("tieout: new on {}: {}", notice.business_date, error.code);
    let mut lines = vec![error_line(error), escaped(&error.action)];
    lines.extend(notice.page.map(link));
    message(&title, &lines.join("\n"))
}

fn message(title: &str, body: &str) -> Value {
    let mut blocks = vec![json!({
        "type": "header",
        "text": { "type": "plain_text", "text": shortened(title) },
    })];
    if !body.is_empty() {
        blocks.push(json!({
            "type": "section",
            "text": { "type": "mrkdwn", "text": body },
        }));
    }
    json!({ "text": title, "blocks": blocks })
}

/// Slack refuses a longer header; the text of the message contains the whole title.
fn shortened(title: &str) -> String {
    if title.chars().count() <= MAX_HEADER_CHARACTERS {
        return title.to_owned();
    }
    let kept: String = title.chars().take(MAX_HEADER_CHARACTERS - 1).collect();
    format!("{kept}…")
}

/// Code, money and explanation of an error.
fn error_line(error: &DiscrepancyLine) -> String {
    let money = error.money().map(|money| format!(" {money}")).unwrap_or_default();
    format!("{}{money}: {}", error.code, escaped(&error.explanation))
}

fn link(page: &str) -> String {
    // Slack reads the text between these characters as the address.
    format!("<{}|open the page>", page.replace(['<', '>', '|'], ""))
}

fn line(date: &DateNotice) -> String {
    if let Some(error) = &date.error {
        return format!("*{}* failed: {}", date.business_date, escaped(error));
    }
    let count = |count: u64| grouped(&count.to_string());
    let open = &date.open;
    let mut parts = Vec::new();
    if open.new + open.carried > 0 {
        parts.push(format!("{} new, {} carried", count(open.new), count(open.carried)));
    }
    parts.extend(date.owed.iter().map(Owed::in_words));
    parts.extend(
        date.discrepancies.iter().map(|one| {
            format!("{} {} ({} new)", count(one.new + one.open), one.code, count(one.new))
        }),
    );
    if date.incomplete_listings > 0 {
        parts.push(counted(date.incomplete_listings, "incomplete listing", "incomplete listings"));
    }
    if date.not_evaluated > 0 {
        let checks = counted(date.not_evaluated, "check", "checks");
        parts.push(format!("{checks} not evaluated"));
    }
    if date.quarantined > 0 {
        parts.push(format!("{} left out", counted(date.quarantined, "row", "rows")));
    }
    let what = if parts.is_empty() { "nothing to look at".to_owned() } else { parts.join("; ") };
    format!("*{}* {}: {what}", date.business_date, date.own_verdict.replace('_', " "))
}

/// Slack reads these three as markup.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
