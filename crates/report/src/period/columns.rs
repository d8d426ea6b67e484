//! The columns of the tables of a period, and the cells of a row.

use crate::cell::{rate_hundredths, rate_tenths};
use crate::column::{
    ColumnOf, Row, amount, code, count, date, fine_rate, headed, not_added, rate, text, written,
};
use tieout_model::clock::written as written_moment;
use tieout_model::money::{Currency, Minor};
use tieout_model::{
    AGES, BankBridgeRow, DayAmountsRow, DayFigures, DayRow, FeeRateRow, MerchantPeriodRow,
    ReturnCodeRow, ReturnRateRow, Signature,
};

impl Row for DayRow {
    const FILE: &'static str = "days.csv";

    fn currency(&self) -> Option<Currency> {
        None
    }

    fn columns() -> Vec<ColumnOf<Self>> {
        vec![
            date("business_date", |row| Some(row.business_date)),
            text("verdict", |row| row.verdict.as_str()),
            headed("Out of date", text("is_stale", is_stale)),
            headed(
                "Checks not evaluated",
                count("not_evaluated", |row| number(row, |figures| figures.not_evaluated)),
            ),
            count("errors", |row| number(row, |figures| figures.errors)),
            count("warnings", |row| number(row, |figures| figures.warnings)),
            count("notes", |row| number(row, |figures| figures.notes)),
            count("opening", |row| number(row, |figures| figures.opening)),
            count("new", |row| number(row, |figures| figures.new)),
            count("reopened", |row| number(row, |figures| figures.reopened)),
            count("cleared", |row| number(row, |figures| figures.cleared)),
            count("accepted", |row| number(row, |figures| figures.accepted)),
            count("closing", |row| number(row, |figures| figures.closing)),
            headed(AGES[0].1, count(AGES[0].0, |row| number(row, |figures| figures.ages[0]))),
            headed(AGES[1].1, count(AGES[1].0, |row| number(row, |figures| figures.ages[1]))),
            headed(AGES[2].1, count(AGES[2].0, |row| number(row, |figures| figures.ages[2]))),
            headed(AGES[3].1, count(AGES[3].0, |row| number(row, |figures| figures.ages[3]))),
            headed(AGES[4].1, count(AGES[4].0, |row| number(row, |figures| figures.ages[4]))),
            headed(AGES[5].1, count(AGES[5].0, |row| number(row, |figures| figures.ages[5]))),
            count("ledger_records", |row| row.figures.as_ref()?.ledger_records),
            count("matched", |row| row.figures.as_ref()?.matched),
            headed("Matched, %", rate("match_rate", match_rate)),
            date("final_since", |row| row.final_since),
            text("prepared_by", |row| who(row.sign_off.prepared.as_ref())),
            written("prepared_at", |row| moment(row.sign_off.prepared.as_ref())),
            text("prepared_note", |row| note(row.sign_off.prepared.as_ref())),
            text("closed_by", |row| who(row.sign_off.closed.as_ref())),
            written("closed_at", |row| moment(row.sign_off.closed.as_ref())),
            text("closed_note", |row| note(row.sign_off.closed.as_ref())),
            text("own_verdict", |row| row.own_verdict.as_str()),
        ]
    }
}

fn number(row: &DayRow, of: fn(&DayFigures) -> u64) -> Option<i64> {
    i64::try_from(of(row.figures.as_ref()?)).ok()
}

fn is_stale(row: &DayRow) -> &str {
    row.figures.as_ref().map_or("", |figures| if figures.is_stale { "yes" } else { "no" })
}

fn match_rate(row: &DayRow) -> Option<i64> {
    let figures = row.figures.as_ref()?;
    rate_tenths(figures.matched, figures.ledger_records)
}

fn who(by: Option<&Signature>) -> &str {
    by.map_or("", |by| by.who.as_str())
}

fn moment(by: Option<&Signature>) -> String {
    by.map_or_else(String::new, |by| written_moment(by.moment))
}

fn note(by: Option<&Signature>) -> &str {
    by.map_or("", |by| by.note.as_str())
}

fn minor(amount: Option<Minor>) -> Option<i64> {
    amount.map(|amount| amount.0)
}

impl Row for DayAmountsRow {
    const FILE: &'static str = "day_amounts.csv";

    fn currency(&self) -> Option<Currency> {
        self.currency
    }

    fn columns() -> Vec<ColumnOf<Self>> {
        vec![
            date("business_date", |row| Some(row.business_date)),
            text("currency", |row| code(row.currency)),
            count("deposits", |row| row.deposits),
            headed("Paid out (net)", amount("deposited_net", |row| row.deposited_net)),
            count("batches", |row| row.batches),
            count("items", |row| row.items),
            headed("Sold", amount("items_amount", |row| row.items_amount)),
            headed(
                "Not due yet",
                not_added(amount("in_transit_amount", |row| row.in_transit_amount)),
            ),
            count("closing", |row| Some(row.closing)),
            not_added(amount("closing_amount", |row| row.closing_amount)),
            not_added(amount("opening_amount", |row| row.roll.opening)),
            amount("new_amount", |row| row.roll.new),
            amount("cleared_amount", |row| row.roll.cleared),
            amount("accepted_amount", |row| row.roll.accepted),
            amount("changed_amount", |row| row.roll.changed),
            amount("due_amount", |row| row.share.due),
            amount("verified_amount", |row| row.share.verified),
            rate("verified_share", |row| {
                rate_tenths(minor(row.share.verified), minor(row.share.due))
            }),
            not_added(amount("items_due_amount", |row| row.share.items_due)),
            not_added(amount("items_matched_amount", |row| row.share.items_matched)),
            rate("items_matched_share", |row| {
                rate_tenths(minor(row.share.items_matched), minor(row.share.items_due))
            }),
        ]
    }
}

impl Row for MerchantPeriodRow {
    const FILE: &'static str = "merchants.csv";

    fn currency(&self) -> Option<Currency> {
        self.currency
    }

    fn columns() -> Vec<ColumnOf<Self>> {
        vec![
            text("merchant_id", |row| row.merchant_id.as_str()),
            text("merchant_name", |row| &row.merchant_name),
            text("currency", |row| code(row.currency)),
            count("days_tied", |row| Some(row.days_tied)),
            count("days_in_transit", |row| Some(row.days_in_transit)),
            count("days_discrepancy", |row| Some(row.days_discrepancy)),
            count("days_not_evaluated", |row| Some(row.days_not_evaluated)),
            count("deposits", |row| row.deposits),
            headed("Paid out (net)", amount("deposited_net", |row| row.deposited_net)),
            count("batches", |row| row.batches),
            count("items", |row| row.items),
            headed("Sold", amount("items_amount", |row| row.items_amount)),
            count("ledger_records", |row| row.ledger_records),
            count("matched", |row| row.matched),
            headed(
                "Matched, %",
                rate("match_rate", |row| rate_tenths(row.matched, row.ledger_records)),
            ),
            count("opening", |row| Some(row.opening)),
            count("new", |row| Some(row.new)),
            count("cleared", |row| Some(row.cleared)),
            count("closing", |row| Some(row.closing)),
            amount("closing_amount", |row| row.closing_amount),
            text("verdict", |row| row.verdict.as_str()),
            count("accepted", |row| row.accepted),
            amount("opening_amount", |row| row.roll.opening),
            amount("new_amount", |row| row.roll.new),
            amount("cleared_amount", |row| row.roll.cleared),
            amount("accepted_amount", |row| row.roll.accepted),
            amount("changed_amount", |row| row.roll.changed),
        ]
    }
}

impl Row for FeeRateRow {
    const FILE: &'static str = "fee_rates.csv";

    fn currency(&self) -> Option<Currency> {
        self.currency
    }

    fn columns() -> Vec<ColumnOf<Self>> {
        vec![
            text("merchant_id", |row| row.merchant_id.as_str()),
            text("merchant_name", |row| &row.merchant_name),
            text("currency", |row| code(row.currency)),
            text("month", |row| &row.month),
            count("deposits", |row| Some(row.deposits)),
            amount("sales", |row| row.sales),
            amount("fees", |row| row.fees),
            headed(
                "Fees, % of sales",
                fine_rate("rate", |row| rate_hundredths(minor(row.fees), minor(row.sales))),
            ),
        ]
    }
}

impl Row for ReturnRateRow {
    const FILE: &'static str = "return_rates.csv";

    fn currency(&self) -> Option<Currency> {
        None
    }

    fn columns() -> Vec<ColumnOf<Self>> {
        vec![
            text("merchant_id", |row| row.merchant_id.as_str()),
            text("merchant_name", |row| &row.merchant_name),
            text("measure", |row| row.measure.as_str()),
            written("codes", |row| {
                row.measure.codes().map_or("all".to_owned(), |codes| codes.join(";"))
            }),
            date("window_from", |row| Some(row.window_from)),
            date("window_to", |row| Some(row.window_to)),
            count("days_read", |row| Some(row.days_read)),
            count("returned", |row| Some(row.returned)),
            count("debits", |row| Some(row.debits)),
            headed(
                "Returned, %",
                fine_rate("rate", |row| rate_hundredths(Some(row.returned), Some(row.debits))),
            ),
            headed("Threshold, %", fine_rate("threshold", |row| Some(row.measure.threshold()))),
            text("standing", |row| row.standing().as_str()),
        ]
    }
}

impl Row for ReturnCodeRow {
    const FILE: &'static str = "return_codes.csv";

    fn currency(&self) -> Option<Currency> {
        Some(self.currency)
    }

    fn columns() -> Vec<ColumnOf<Self>> {
        vec![
            text("merchant_id", |row| row.merchant_id.as_str()),
            text("merchant_name", |row| &row.merchant_name),
            text("code", |row| &row.code),
            text("reason", |row| &row.reason),
            text("currency", |row| code(Some(row.currency))),
            count("returned", |row| Some(row.returned)),
            amount("amount", |row| row.amount),
        ]
    }
}

impl Row for BankBridgeRow {
    const FILE: &'static str = "bank_bridge.csv";

    fn currency(&self) -> Option<Currency> {
        self.currency
    }

    fn columns() -> Vec<ColumnOf<Self>> {
        vec![
            text("bank", |row| &row.bank),
            text("currency", |row| code(row.currency)),
            text("step", |row| row.step.as_str()),
            text("merchant_id", |row| row.merchant_id.as_str()),
            text("merchant_name", |row| &row.merchant_name),
            text("ach_deposit_id", |row| &row.ach_deposit_id),
            date("date", |row| row.date),
            date("due_date", |row| row.due_date),
            not_added(amount("amount", |row| row.amount)),
            text("bank_line", |row| &row.place),
            text("note", |row| &row.note),
        ]
    }
}
