//! The notice as a message that Slack and the services compatible with it show.

use serde_json::{Value, json};

use super::message::{DateNotice, ErrorNotice, Notice};
use tieout_report::terminal::DiscrepancyLine;

/// Dates that a message lists; the rest is counted. A block holds 3000 characters at the most.
const MAX_DATES: usize = 14;
/// New errors that a message lists of a date.
const MAX_ERRORS: usize = 5;
const MAX_TEXT_CHARACTERS: usize = 2_900;

/// The body of an incoming webhook.
pub(super) fn payload(notice: &Notice) -> Value {
    let title = title(notice);
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
    message(&title, &body)
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
        "text": { "type": "plain_text", "text": title },
    })];
    if !body.is_empty() {
        blocks.push(json!({
            "type": "section",
            "text": { "type": "mrkdwn", "text": body },
        }));
    }
    json!({ "text": title, "blocks": blocks })
}

/// Code, money and explanation of an error.
fn error_line(error: &DiscrepancyLine) -> String {
    let money = error.money().map(|money| format!(" {money}")).unwrap_or_default();
    format!("{}{money}: {}", error.code, escaped(&error.explanation))
}

fn link(page: &str) -> String {
    // Slack takes what stands between these for the address.
    format!("<{}|open the page>", page.replace(['<', '>', '|'], ""))
}

fn title(notice: &Notice) -> String {
    let said = match notice.outcome {
        "done" => "settlement run done",
        "discrepancies" => "settlement run done, with discrepancies",
        "partial" => "settlement run done in part",
        "refused" => "settlement run refused by the API",
        "locked" => "settlement run not started, another one is going on",
        _ => "settlement run failed",
    };
    format!("tieout: {said}")
}

fn line(date: &DateNotice) -> String {
    if let Some(error) = &date.error {
        return format!("*{}* failed: {}", date.business_date, escaped(error));
    }
    let mut parts: Vec<String> = date
        .discrepancies
        .iter()
        .map(|count| format!("{} {} ({} new)", count.new + count.open, count.code, count.new))
        .collect();
    if date.incomplete_listings > 0 {
        parts.push(format!("{} incomplete listings", date.incomplete_listings));
    }
    if date.not_evaluated > 0 {
        parts.push(format!("{} checks not evaluated", date.not_evaluated));
    }
    if date.quarantined > 0 {
        parts.push(format!("{} rows left out", date.quarantined));
    }
    for (words, money) in [
        ("in question", &date.money_at_risk),
        ("new", &date.new_money),
        ("overdue", &date.overdue),
        ("short", &date.short),
        ("over or unidentified", &date.over),
        ("to be clarified", &date.unclear),
        ("accepted", &date.accepted),
    ] {
        for (currency, amount) in money {
            if amount.chars().any(|c| ('1'..='9').contains(&c)) {
                parts.push(format!("{amount} {currency} {words}"));
            }
        }
    }
    let what = if parts.is_empty() { "nothing to look at".to_owned() } else { parts.join(", ") };
    format!("*{}* {}: {what}", date.business_date, date.verdict.replace('_', " "))
}

/// Slack reads these three as markup.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
