//! Probes of the API: a token, its clock, each listing that a night reads, and each terminal.

use chrono::{DateTime, NaiveDate, Utc};
use futures_util::StreamExt as _;
use futures_util::stream;

use super::probe::Probe;
use super::{merchants, tolerances};
use crate::exit::Exit;
use tieout_config::{ApiSettings, Settings, TransactionsMode};
use tieout_model::clock::{Clock, machine_now};
use tieout_model::{Listing, Resource, Selector};
use tieout_read::api::{Api, ApiError};
use tieout_read::stop::Stop;
use tieout_report::aligned::counted;

/// A larger difference of the clocks puts "yesterday" at risk around midnight, and tokens too.
const LARGE_SKEW_SECONDS: i64 = 60;
/// Failed terminals that are named one by one, at most.
const MAX_NAMED: usize = 10;
const AT_ONCE: usize = 16;
const ATTEMPTS: u32 = 2;

/// The probes of the service; none after the first host that cannot be reached.
pub(super) async fn probes(settings: &Settings, clock: Clock) -> Vec<Probe> {
    const NAME: &str = "token";
    // A person waits for the answer, so attempts are few; running the doctor again shows whether a
    // failure was transient.
    let hasty = ApiSettings {
        max_attempts: settings.api.max_attempts.min(ATTEMPTS),
        ..settings.api.clone()
    };
    let api = match Api::new(&hasty, Stop::default()) {
        Ok(api) => api,
        Err(error) => {
            let hint = error.hint().map(str::to_owned);
            return vec![Probe::failed(NAME, error.to_string(), hint).with_exit(Exit::Usage)];
        }
    };
    if let Err(error) = api.authorize().await {
        let exit = if error.is_refusal() { Exit::Refused } else { Exit::Failed };
        let hint = error.hint().map(str::to_owned);
        return vec![Probe::failed(NAME, error.to_string(), hint).with_exit(exit)];
    }
    let auth = settings.api.auth_url.as_deref().unwrap_or_default();
    let mut probes =
        vec![Probe::ok(NAME, format!("granted by {auth}")), skew(api.server_time(), machine_now())];
    let today = clock.today(settings.time_zone);
    let date = today.pred_opt().unwrap_or(today);
    let read = permissions(settings, &api, date).await;
    let answers = read.exit == Exit::Done || read.exit == Exit::Partial;
    probes.push(read);
    if answers {
        probes.extend(terminals(settings, &api, date).await);
        probes.extend(merchants::probes(settings, &api, today).await);
        probes.extend(tolerances::probes(settings, &api, date).await);
    }
    probes
}

/// Checks that the key may read the listings of a night: requests the first page of each listing of
/// `date`.
async fn permissions(settings: &Settings, api: &Api, date: NaiveDate) -> Probe {
    const NAME: &str = "permissions";
    const NEEDED: [Resource; 4] =
        [Resource::Deposits, Resource::Fees, Resource::Batches, Resource::Authorizations];
    let mut optional = vec![Resource::Disputes];
    if settings.api.transactions == TransactionsMode::Auto {
        optional.push(Resource::Transactions);
    }
    let (mut read, mut absent, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for resource in NEEDED.into_iter().chain(optional.iter().copied()) {
        let listing = Listing::new(resource, Selector::Date(date));
        match api.first_page(&listing, u32::MAX).await {
            Ok(page) => {
                let records = page.map_or(0, |page| page.record_count);
                read.push(format!("{} {records}", resource.as_str()));
            }
            Err(error) if optional.contains(&resource) && error.is_without_operation() => {
                absent.push(resource.as_str());
            }
            Err(error) => {
                let is_unreachable = error.is_unreachable();
                errors.push(error);
                if is_unreachable {
                    break;
                }
            }
        }
    }
    let absent = match absent.as_slice() {
        [] => String::new(),
        absent => format!("; this key has no {}", absent.join(" and no ")),
    };
    let Some(first) = errors.first() else {
        let found = format!("read the first page of {date}: {}{absent}", read.join(", "));
        return Probe::ok(NAME, found);
    };
    let others = match errors.len() - 1 {
        0 => String::new(),
        others => format!(" (and {others} more)"),
    };
    let exit = if !read.is_empty() {
        Exit::Partial
    } else if errors.iter().all(ApiError::is_refusal) {
        Exit::Refused
    } else {
        Exit::Failed
    };
    let hint = first.hint().map(str::to_owned);
    Probe::failed(NAME, format!("{first}{others}{absent}"), hint).with_exit(exit)
}

/// Checks that each configured terminal lists its payments and refunds.
async fn terminals(settings: &Settings, api: &Api, date: NaiveDate) -> Vec<Probe> {
    const NAME: &str = "terminals";
    let terminals: Vec<_> = settings
        .merchants
        .iter()
        .flat_map(|merchant| merchant.terminals.iter().map(move |id| (&merchant.id, id)))
        .collect();
    if terminals.is_empty() {
        return Vec::new();
    }
    let answers: Vec<Option<(String, ApiError)>> = stream::iter(&terminals)
        .map(|(merchant, terminal)| async move {
            for resource in [Resource::Payments, Resource::Refunds] {
                let selector = Selector::Settled { terminal: (*terminal).clone(), date };
                let answer = api.first_page(&Listing::new(resource, selector), 1).await;
                if let Err(error) = answer {
                    return Some((format!("merchant {merchant}: {error}"), error));
                }
            }
            None
        })
        .buffered(AT_ONCE)
        .collect()
        .await;
    let failed: Vec<(String, ApiError)> = answers.into_iter().flatten().collect();
    if failed.is_empty() {
        let count = counted(terminals.len(), "terminal", "terminals");
        return vec![Probe::ok(NAME, format!("{count} answered for {date}"))];
    }
    let more = failed.len().saturating_sub(MAX_NAMED);
    let hint = "check the id under terminals, or take one that has no bank transfers out";
    let mut probes: Vec<Probe> = failed
        .into_iter()
        .take(MAX_NAMED)
        .map(|(found, _)| {
            Probe::failed(NAME, found, Some(hint.to_owned())).with_exit(Exit::Partial)
        })
        .collect();
    if more > 0 {
        probes.push(Probe::failed(NAME, format!("and {more} more"), None).with_exit(Exit::Partial));
    }
    probes
}

fn skew(server: Option<DateTime<Utc>>, here: DateTime<Utc>) -> Probe {
    const NAME: &str = "clock";
    let Some(server) = server else {
        return Probe::ok(NAME, format!("{here}; the service does not send its own time"));
    };
    let seconds = (here - server).num_seconds();
    let found = format!("{seconds} s off the service's");
    if seconds.abs() <= LARGE_SKEW_SECONDS {
        return Probe::ok(NAME, found);
    }
    Probe::warning(NAME, found, "set the clock of this machine, by NTP for example")
}
