//! Notifies receivers of the end of a run: a webhook, a heartbeat, a metrics file. A failure here
//! is logged and does not change the run. Contains addresses and secrets that are never shown.

mod delivery;
mod message;
mod metrics;
mod slack;

use tieout_config::{NotifySettings, WebhookFormat};
use tieout_model::clock::machine_now;

pub use message::{
    CodeCount, DateNotice, ErrorNotice, MAX_NEW_ERRORS, Notice, SCHEMA_VERSION, has_finished,
};
pub use metrics::{recalled as recalled_metrics, text as metrics_text};

use delivery::Courier;
pub use delivery::SIGNATURE_HEADER;

/// Notifies every configured receiver. Never fails; a failed delivery is logged.
pub async fn tell(settings: &NotifySettings, notice: &Notice) {
    if let Some(path) = &settings.metrics_file
        && let Err(error) = metrics::write(path, notice)
    {
        tracing::warn!("the metrics file {} was not written: {error}", path.display());
    }
    if settings.webhook_url.is_none() && settings.heartbeat_url.is_none() {
        return;
    }
    let courier = match Courier::new() {
        Ok(courier) => courier,
        Err(error) => {
            tracing::warn!("no notice was sent: {error}");
            return;
        }
    };
    if let Some(url) = &settings.webhook_url {
        for body in bodies(settings, notice) {
            let delivered = match body {
                Ok(body) => courier.post(url, body, settings.webhook_secret_file.as_deref()).await,
                Err(error) => Err(delivery::DeliveryError::Body(error.to_string())),
            };
            if let Err(error) = delivered {
                tracing::warn!("the webhook was not delivered: {error}");
                // Further deliveries would wait as long, and the notice of the run already lists
                // everything.
                break;
            }
        }
    }
    if let Some(url) = &settings.heartbeat_url
        && has_finished(notice.exit)
        && let Err(error) = courier.get(url).await
    {
        tracing::warn!("the heartbeat was not delivered: {error}");
    }
}

/// Sends a test to the webhook and calls the heartbeat, where configured. Returns for each whether
/// the test arrived, or why not.
pub async fn test(settings: &NotifySettings) -> Vec<(&'static str, Result<(), String>)> {
    let mut sent = Vec::new();
    let courier = Courier::new().map_err(|error| error.to_string());
    if let Some(url) = &settings.webhook_url {
        let body = bodies(settings, &Notice::test(machine_now())).remove(0);
        let delivered = match (&courier, body) {
            (Ok(courier), Ok(body)) => {
                let secret = settings.webhook_secret_file.as_deref();
                courier.post(url, body, secret).await.map_err(|error| error.to_string())
            }
            (Err(error), _) => Err(error.clone()),
            (_, Err(error)) => Err(error.to_string()),
        };
        sent.push(("webhook", delivered));
    }
    if let Some(url) = &settings.heartbeat_url {
        let called = match &courier {
            Ok(courier) => courier.get(url).await.map_err(|error| error.to_string()),
            Err(error) => Err(error.clone()),
        };
        sent.push(("heartbeat", called));
    }
    sent
}

/// The bodies for the webhook: the notice of the run, then its new errors where configured.
fn bodies(settings: &NotifySettings, notice: &Notice) -> Vec<serde_json::Result<Vec<u8>>> {
    let mut bodies = vec![match settings.webhook_format {
        WebhookFormat::Json => serde_json::to_vec(notice),
        WebhookFormat::Slack => serde_json::to_vec(&slack::payload(notice)),
    }];
    if settings.tells_each_error {
        let errors = notice.dates.iter().flat_map(DateNotice::error_notices);
        bodies.extend(errors.take(MAX_NEW_ERRORS).map(|error| match settings.webhook_format {
            WebhookFormat::Json => serde_json::to_vec(&error),
            WebhookFormat::Slack => serde_json::to_vec(&slack::error_payload(&error)),
        }));
    }
    bodies
}

#[cfg(test)]
mod tests;
