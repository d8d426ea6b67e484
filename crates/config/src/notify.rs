//! Who is notified when a run has ended.

use std::path::{Path, PathBuf};

use super::error::Faults;
use super::fields::path;
use super::tree::Table;
use super::web_address;

/// Who is notified when a run has ended.
#[derive(Clone, Debug, Default)]
pub struct NotifySettings {
    pub webhook_url: Option<String>,
    pub webhook_format: WebhookFormat,
    /// Holds the secret that signs the webhook's messages.
    pub webhook_secret_file: Option<PathBuf>,
    pub heartbeat_url: Option<String>,
    pub metrics_file: Option<PathBuf>,
    /// Where people open the folder of the reports.
    pub reports_url: Option<String>,
    /// Whether each new error is a notice of its own, besides that of the run.
    pub tells_each_error: bool,
}

/// The message format of a webhook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WebhookFormat {
    /// The whole notice.
    #[default]
    Json,
    /// A message for Slack and compatible services.
    Slack,
}

pub(super) fn notify(table: &Table, folder: &Path, faults: &mut Faults) -> NotifySettings {
    let mut address = |name| faults.note(web_address::of_notice(table, name)).flatten();
    NotifySettings {
        webhook_url: address("webhook_url"),
        webhook_format: match table.word("webhook_format") {
            Some("slack") => WebhookFormat::Slack,
            _ => WebhookFormat::Json,
        },
        webhook_secret_file: path(table, "webhook_secret_file", folder),
        heartbeat_url: address("heartbeat_url"),
        metrics_file: path(table, "metrics_file", folder),
        reports_url: address("reports_url"),
        tells_each_error: table.word("new_errors") == Some("each"),
    }
}
