//! The report of a period: the outcomes of consecutive business dates, as of the last of them.
//! Reads the outcomes from the store and aggregates them; re-evaluates nothing.

mod bank;
mod dates;
mod deposits;
mod fees;
mod returns;

use std::collections::BTreeMap;
use std::path::PathBuf;

use chrono::NaiveDate;

use super::reports::{merchant_zone, note_written, reported_checks, sign};
use super::shares::shares;
use super::{NightError, Run};
use bank::Span;
use dates::Dates;
use deposits::End;
use tieout_model::{BankStanding, DepositRow, Discrepancy, MerchantId};
use tieout_report::{self as report, PeriodReport};
use tieout_store::{DayState, Store, days, results, sign_off};

/// Writes the report of a period when `dates` are several days without a gap, of which at least one
/// was reconciled. Returns its folder.
///
/// # Errors
/// When the store cannot be read, or a file cannot be written.
pub(super) fn report_period(
    run: &Run<'_>,
    store: &Store,
    dates: &[NaiveDate],
) -> Result<Option<PathBuf>, NightError> {
    let (Some(&first), Some(&last)) = (dates.first(), dates.last()) else { return Ok(None) };
    let is_period = first < last
        && dates.windows(2).all(|pair| pair[0].succ_opt().is_some_and(|next| next == pair[1]));
    if !is_period {
        return Ok(None);
    }
    let Some(report) = period(run, store, dates)? else { return Ok(None) };
    let settings = &run.settings.reports;
    let name = format!("{first}..{last}");
    let note = |digest: &str| -> Result<(), NightError> {
        Ok(note_written(store, &name, last, digest, run.clock.now())?)
    };
    let written = report::write_noted_period(&settings.dir, &report, &settings.formats, note)?;
    let key = run.settings.evidence.signing_key_file.as_deref();
    let (dir, manifest) = (&settings.dir, report::PERIOD_MANIFEST_FILE);
    sign(key, dir, &written, manifest, run.clock.now())?;
    tracing::info!(stage = "report", "{first} to {last}: report of the period written");
    Ok(Some(written.folder))
}

/// The content of a period's report; `None` when no date was reconciled.
pub(super) fn period(
    run: &Run<'_>,
    store: &Store,
    dates: &[NaiveDate],
) -> Result<Option<PeriodReport>, NightError> {
    let checks = reported_checks(&run.registry);
    let mut gathered = Dates { checks, ..Dates::default() };
    let stale: Vec<NaiveDate> = days::all(store)?
        .into_iter()
        .filter(DayState::is_behind)
        .map(|day| day.business_date)
        .collect();
    let mut results = BTreeMap::new();
    for &date in dates {
        match results::held(store, date)? {
            Some(outcome) => {
                results.insert(date, outcome.results_digest.clone());
                let shares = shares(&run.registry, &outcome);
                gathered.add(date, outcome, shares, stale.contains(&date))?;
            }
            None => gathered.miss(date),
        }
        gathered.sign(sign_off::of(store, date)?);
    }
    let Some(last_reconciled) = gathered.last else { return Ok(None) };
    let names: BTreeMap<MerchantId, String> = gathered
        .merchants
        .values()
        .map(|row| (row.merchant_id.clone(), row.merchant_name.clone()))
        .collect();
    let at_banks = results::bank_standing(store, last_reconciled)?;
    let (deposits, discrepancies) = deposits_at_end(run, &mut gathered, last_reconciled, &at_banks);
    let span = Span { first: dates[0], last: last_reconciled };
    let bank_bridge = bank::bridges(&at_banks, span, &names)?;
    let fee_rates = fees::rates(&deposits)?;
    let (return_rates, return_codes) =
        returns::rates(store, &run.settings.merchants, last_reconciled, &names)?;
    Ok(Some(PeriodReport {
        first: dates[0],
        last: dates[dates.len() - 1],
        last_reconciled,
        days: gathered.days,
        results,
        amounts: gathered.amounts.into_values().collect(),
        merchants: gathered.merchants.into_values().collect(),
        discrepancies,
        accepted: gathered.accepted.into_values().collect(),
        deposits,
        bank_bridge,
        fee_rates,
        return_rates,
        return_codes,
        signs: run.settings.settlement.signs,
        time_zone: run.settings.time_zone,
        merchant_zone: merchant_zone(run.settings),
        not_evaluated: gathered.not_evaluated,
        checks: gathered.checks,
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        configuration_digest: run.configuration_digest.clone(),
    }))
}

/// The deposits as of the last reconciled date, and every discrepancy as it was last listed.
fn deposits_at_end(
    run: &Run<'_>,
    gathered: &mut Dates,
    date: NaiveDate,
    at_banks: &[BankStanding],
) -> (Vec<DepositRow>, Vec<Discrepancy>) {
    let listed: Vec<Discrepancy> =
        std::mem::take(&mut gathered.discrepancies).into_values().collect();
    let of_end: Vec<Discrepancy> =
        listed.iter().filter(|row| row.business_date == date).cloned().collect();
    let mut deposits = std::mem::take(&mut gathered.deposits);
    let end = End {
        registry: &run.registry,
        date,
        discrepancies: &of_end,
        accepted: &gathered.accepted_at_end,
        in_transit: &gathered.in_transit,
        at_banks,
        not_evaluated: &gathered.not_evaluated,
    };
    end.bring_up(&mut deposits);
    (deposits.into_iter().map(|(_, row)| row).collect(), listed)
}
