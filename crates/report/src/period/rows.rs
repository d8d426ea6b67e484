//! The columns of the tables of a period, and the cells of a row.

use chrono::SecondsFormat;

use crate::cell::{Cell, Column, rate_hundredths, rate_tenths};
use crate::rows::{Row, amount, count, date, fine_rate, rate, text};
use tieout_model::money::Minor;
use tieout_model::{
    AGES, BankBridgeRow, DayAmountsRow, DayFigures, DayRow, FeeRateRow, MerchantPeriodRow,
    ReturnCodeRow, ReturnRateRow, Signature,
};

impl Row for DayRow {
    const FILE: &'static str = "days.csv";
    const COLUMNS: &'static [Column] = &[
        date("business_date"),
        text("verdict"),
        text("is_stale").headed("Out of date"),
        count("not_evaluated").headed("Checks not evaluated"),
        count("errors"),
        count("warnings"),
        count("notes"),
        count("opening"),
        count("new"),
        count("reopened"),
        count("cleared"),
        count("accepted"),
        count("closing"),
        count(AGES[0].0).headed(AGES[0].1),
        count(AGES[1].0).headed(AGES[1].1),
        count(AGES[2].0).headed(AGES[2].1),
        count(AGES[3].0).headed(AGES[3].1),
        count(AGES[4].0).headed(AGES[4].1),
        count(AGES[5].0).headed(AGES[5].1),
        count("ledger_records"),
        count("matched"),
        rate("match_rate").headed("Matched, %"),
        date("final_since"),
        text("prepared_by"),
        text("prepared_at"),
        text("prepared_note"),
        text("closed_by"),
        text("closed_at"),
        text("closed_note"),
        text("own_verdict"),
    ];

    fn cells(&self) -> Vec<Cell<'_>> {
        let figures = self.figures.as_ref();
        let number = |of: fn(&DayFigures) -> u64| {
            Cell::Count(figures.and_then(|figures| i64::try_from(of(figures)).ok()))
        };
        let mut cells = vec![
            Cell::Date(Some(self.business_date)),
            Cell::text(self.verdict.as_str()),
            Cell::text(figures.map_or("", |figures| if figures.is_stale { "yes" } else { "no" })),
            number(|figures| figures.not_evaluated),
            number(|figures| figures.errors),
            number(|figures| figures.warnings),
            number(|figures| figures.notes),
            number(|figures| figures.opening),
            number(|figures| figures.new),
            number(|figures| figures.reopened),
            number(|figures| figures.cleared),
            number(|figures| figures.accepted),
            number(|figures| figures.closing),
        ];
        cells.extend((0..AGES.len()).map(|age| {
            Cell::Count(figures.and_then(|figures| i64::try_from(figures.ages[age]).ok()))
        }));
        let records = figures.and_then(|figures| figures.ledger_records);
        let matched = figures.and_then(|figures| figures.matched);
        cells.extend([
            Cell::Count(records),
            Cell::Count(matched),
            Cell::Rate(rate_tenths(matched, records)),
            Cell::Date(self.final_since),
        ]);
        cells.extend(signed(self.sign_off.prepared.as_ref()));
        cells.extend(signed(self.sign_off.closed.as_ref()));
        cells.push(Cell::text(self.own_verdict.as_str()));
        cells
    }
}

/// Person, time and note; empty without a signature.
fn signed(by: Option<&Signature>) -> [Cell<'_>; 3] {
    let moment = by.map(|by| by.moment.to_rfc3339_opts(SecondsFormat::Secs, true));
    [
        Cell::text(by.map_or("", |by| by.who.as_str())),
        Cell::Text(moment.unwrap_or_default().into()),
        Cell::text(by.map_or("", |by| by.note.as_str())),
    ]
}

impl Row for DayAmountsRow {
    const FILE: &'static str = "day_amounts.csv";
    const COLUMNS: &'static [Column] = &[
        date("business_date"),
        text("currency"),
        count("deposits"),
        amount("deposited_net").headed("Paid out (net)"),
        count("batches"),
        count("items"),
        amount("items_amount").headed("Sold"),
        amount("in_transit_amount").headed("Not due yet").without_total(),
        count("closing"),
        amount("closing_amount").without_total(),
        amount("opening_amount").without_total(),
        amount("new_amount"),
        amount("cleared_amount"),
        amount("accepted_amount"),
        amount("changed_amount"),
        amount("due_amount"),
        amount("verified_amount"),
        rate("verified_share"),
        amount("items_due_amount").without_total(),
        amount("items_matched_amount").without_total(),
        rate("items_matched_share"),
    ];

    fn cells(&self) -> Vec<Cell<'_>> {
        let amount = |amount| Cell::Amount(amount, self.currency);
        let plain = |amount: Option<Minor>| amount.map(|amount| amount.0);
        let share = self.share;
        vec![
            Cell::Date(Some(self.business_date)),
            Cell::currency(self.currency),
            Cell::Count(self.deposits),
            amount(self.deposited_net),
            Cell::Count(self.batches),
            Cell::Count(self.items),
            amount(self.items_amount),
            amount(self.in_transit_amount),
            Cell::Count(Some(self.closing)),
            amount(self.closing_amount),
            amount(self.roll.opening),
            amount(self.roll.new),
            amount(self.roll.cleared),
            amount(self.roll.accepted),
            amount(self.roll.changed),
            amount(share.due),
            amount(share.verified),
            Cell::Rate(rate_tenths(plain(share.verified), plain(share.due))),
            amount(share.items_due),
            amount(share.items_matched),
            Cell::Rate(rate_tenths(plain(share.items_matched), plain(share.items_due))),
        ]
    }
}

impl Row for MerchantPeriodRow {
    const FILE: &'static str = "merchants.csv";
    const COLUMNS: &'static [Column] = &[
        text("merchant_id"),
        text("merchant_name"),
        text("currency"),
        count("days_tied"),
        count("days_in_transit"),
        count("days_discrepancy"),
        count("days_not_evaluated"),
        count("deposits"),
        amount("deposited_net").headed("Paid out (net)"),
        count("batches"),
        count("items"),
        amount("items_amount").headed("Sold"),
        count("ledger_records"),
        count("matched"),
        rate("match_rate").headed("Matched, %"),
        count("opening"),
        count("new"),
        count("cleared"),
        count("closing"),
        amount("closing_amount"),
        text("verdict"),
        count("accepted"),
        amount("opening_amount"),
        amount("new_amount"),
        amount("cleared_amount"),
        amount("accepted_amount"),
        amount("changed_amount"),
    ];

    fn cells(&self) -> Vec<Cell<'_>> {
        let amount = |amount| Cell::Amount(amount, self.currency);
        vec![
            Cell::text(&self.merchant_id),
            Cell::text(&self.merchant_name),
            Cell::currency(self.currency),
            Cell::Count(Some(self.days_tied)),
            Cell::Count(Some(self.days_in_transit)),
            Cell::Count(Some(self.days_discrepancy)),
            Cell::Count(Some(self.days_not_evaluated)),
            Cell::Count(self.deposits),
            amount(self.deposited_net),
            Cell::Count(self.batches),
            Cell::Count(self.items),
            amount(self.items_amount),
            Cell::Count(self.ledger_records),
            Cell::Count(self.matched),
            Cell::Rate(rate_tenths(self.matched, self.ledger_records)),
            Cell::Count(Some(self.opening)),
            Cell::Count(Some(self.new)),
            Cell::Count(Some(self.cleared)),
            Cell::Count(Some(self.closing)),
            amount(self.closing_amount),
            Cell::text(self.verdict.as_str()),
            Cell::Count(self.accepted),
            amount(self.roll.opening),
            amount(self.roll.new),
            amount(self.roll.cleared),
            amount(self.roll.accepted),
            amount(self.roll.changed),
        ]
    }
}

impl Row for FeeRateRow {
    const FILE: &'static str = "fee_rates.csv";
    const COLUMNS: &'static [Column] = &[
        text("merchant_id"),
        text("merchant_name"),
        text("currency"),
        text("month"),
        count("deposits"),
        amount("sales"),
        amount("fees"),
        fine_rate("rate").headed("Fees, % of sales"),
    ];

    fn cells(&self) -> Vec<Cell<'_>> {
        let plain = |amount: Option<Minor>| amount.map(|amount| amount.0);
        vec![
            Cell::text(&self.merchant_id),
            Cell::text(&self.merchant_name),
            Cell::currency(self.currency),
            Cell::text(&self.month),
            Cell::Count(Some(self.deposits)),
            Cell::Amount(self.sales, self.currency),
            Cell::Amount(self.fees, self.currency),
            Cell::FineRate(rate_hundredths(plain(self.fees), plain(self.sales))),
        ]
    }
}

impl Row for ReturnRateRow {
    const FILE: &'static str = "return_rates.csv";
    const COLUMNS: &'static [Column] = &[
        text("merchant_id"),
        text("merchant_name"),
        text("measure"),
        text("codes"),
        date("window_from"),
        date("window_to"),
        count("days_read"),
        count("returned"),
        count("debits"),
        fine_rate("rate").headed("Returned, %"),
        fine_rate("threshold").headed("Threshold, %"),
        text("standing"),
    ];

    fn cells(&self) -> Vec<Cell<'_>> {
        let codes = self.measure.codes();
        vec![
            Cell::text(&self.merchant_id),
            Cell::text(&self.merchant_name),
            Cell::text(self.measure.as_str()),
            Cell::Text(codes.map_or("all".to_owned(), |codes| codes.join(";")).into()),
            Cell::Date(Some(self.window_from)),
            Cell::Date(Some(self.window_to)),
            Cell::Count(Some(self.days_read)),
            Cell::Count(Some(self.returned)),
            Cell::Count(Some(self.debits)),
            Cell::FineRate(rate_hundredths(Some(self.returned), Some(self.debits))),
            Cell::FineRate(Some(self.measure.threshold())),
            Cell::text(self.standing().as_str()),
        ]
    }
}

impl Row for ReturnCodeRow {
    const FILE: &'static str = "return_codes.csv";
    const COLUMNS: &'static [Column] = &[
        text("merchant_id"),
        text("merchant_name"),
        text("code"),
        text("reason"),
        text("currency"),
        count("returned"),
        amount("amount"),
    ];

    fn cells(&self) -> Vec<Cell<'_>> {
        vec![
            Cell::text(&self.merchant_id),
            Cell::text(&self.merchant_name),
            Cell::text(&self.code),
            Cell::text(&self.reason),
            Cell::currency(Some(self.currency)),
            Cell::Count(Some(self.returned)),
            Cell::Amount(self.amount, Some(self.currency)),
        ]
    }
}

impl Row for BankBridgeRow {
    const FILE: &'static str = "bank_bridge.csv";
    const COLUMNS: &'static [Column] = &[
        text("bank"),
        text("currency"),
        text("step"),
        text("merchant_id"),
        text("merchant_name"),
        text("ach_deposit_id"),
        date("date"),
        date("due_date"),
        amount("amount").without_total(),
        text("bank_line"),
        text("note"),
    ];

    fn cells(&self) -> Vec<Cell<'_>> {
        vec![
            Cell::text(&self.bank),
            Cell::currency(self.currency),
            Cell::text(self.step.as_str()),
            Cell::text(&self.merchant_id),
            Cell::text(&self.merchant_name),
            Cell::text(&self.ach_deposit_id),
            Cell::Date(self.date),
            Cell::Date(self.due_date),
            Cell::Amount(self.amount, self.currency),
            Cell::text(&self.place),
            Cell::text(&self.note),
        ]
    }
}
