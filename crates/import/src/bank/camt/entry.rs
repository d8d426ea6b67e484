//! One entry of camt.053 and its payments.

use chrono::NaiveDate;
use chrono_tz::Tz;

use super::book::Page;
use super::summary::Code;
use crate::bank::moment;
use crate::bank::statement::{Broken, Entry, Part, Statement};
use crate::table::excerpt;
use tieout_model::money::{Currency, Minor};

/// An entry that is being read.
#[derive(Default)]
pub(super) struct Raw {
    pub line: u64,
    pub payments: Vec<Payment>,
    /// Whether the current element belongs to a payment of the entry.
    pub is_in_payment: bool,
    amount: Option<Minor>,
    currency: Option<Currency>,
    is_credit: Option<bool>,
    /// Whether it reverses another entry.
    is_reversal: bool,
    /// The bank's own id.
    id: Option<String>,
    batch: Batch,
    code: Code,
    /// A statement of the batch that its payments contradict.
    fault: Option<(u64, String)>,
    /// As written, for a message.
    written: (String, String),
    status: String,
    booked: Option<NaiveDate>,
    valued: Option<NaiveDate>,
    text: String,
}

/// A payment of an entry.
#[derive(Default)]
pub(super) struct Payment {
    pub line: u64,
    amount: Option<(Option<Minor>, Option<Currency>)>,
    /// The instructed amount, which is the payment's amount where no other is stated.
    instructed: Option<(Option<Minor>, Option<Currency>)>,
    is_credit: Option<bool>,
    text: String,
}

/// The figures that an entry states for a batch of its payments.
#[derive(Default)]
struct Batch {
    line: u64,
    /// The index of its first payment.
    first: usize,
    count: Option<usize>,
    total: (Option<Minor>, Option<Currency>),
}

impl Payment {
    /// A payment whose element begins on `line`.
    pub(super) fn at(line: u64) -> Self {
        Self { line, ..Self::default() }
    }
}

impl Raw {
    /// An entry whose element begins on `line`.
    pub(super) fn at(line: u64) -> Self {
        Self { line, ..Self::default() }
    }

    /// Notes the value of an element below the entry.
    pub(super) fn note(
        &mut self,
        rest: &[&str],
        value: &str,
        amount: (Option<Minor>, Option<Currency>),
        zone: Option<Tz>,
    ) {
        match rest {
            ["Amt"] => {
                (self.amount, self.currency) = amount;
                value.clone_into(&mut self.written.0);
            }
            ["CdtDbtInd"] => self.is_credit = direction(value),
            ["RvslInd"] => self.is_reversal = matches!(value, "true" | "1"),
            ["AcctSvcrRef"] => {
                self.id = Some(value.to_owned()).filter(|id| !id.is_empty());
                add(&mut self.text, value);
            }
            ["Sts"] | ["Sts", "Cd" | "Prtry"] if !value.is_empty() => {
                value.clone_into(&mut self.status);
            }
            ["BookgDt", "Dt" | "DtTm"] => {
                self.booked = day(value, zone);
                value.clone_into(&mut self.written.1);
            }
            ["ValDt", "Dt" | "DtTm"] => self.valued = day(value, zone),
            ["BkTxCd", of_code @ ..] => self.code.note(of_code, value),
            ["NtryDtls"] => self.end_batch(),
            ["NtryDtls", "Btch", "NbOfTxs"] => self.batch.count = value.parse().ok(),
            ["NtryDtls", "Btch", "TtlAmt"] => self.batch.total = amount,
            ["NtryDtls", "TxDtls"] => self.is_in_payment = false,
            ["NtryDtls", "TxDtls", of_payment @ ..] => self.note_payment(of_payment, value, amount),
            [.., name] if is_text(name) => add(&mut self.text, value),
            _ => {}
        }
    }

    /// Begins a batch of payments with its own figures.
    pub(super) fn begin_batch(&mut self, line: u64) {
        self.batch = Batch { line, first: self.payments.len(), ..Batch::default() };
    }

    /// Compares the figures of a batch with its payments; many banks list no payments.
    fn end_batch(&mut self) {
        let Batch { line, first, count, total } = std::mem::take(&mut self.batch);
        let payments = self.payments.get(first..).unwrap_or_default();
        // A single payment may describe the whole batch.
        let is_whole =
            |one: &Payment| one.amount.is_none_or(|amount| amount == (self.amount, self.currency));
        let is_about_batch = payments.len() == 1 && payments.iter().all(is_whole);
        if payments.is_empty() || is_about_batch || self.fault.is_some() {
            return;
        }
        if let Some(count) = count.filter(|count| *count != payments.len()) {
            let found = payments.len();
            let reason = format!("the entry states {count} payments, found {found}");
            self.fault = Some((line, reason));
            return;
        }
        // Payments of both directions have a smaller sum.
        let is_credit = payments[0].is_credit;
        let amount = |payment: &Payment| {
            let (amount, currency) = payment.amount.filter(|_| payment.is_credit == is_credit)?;
            amount.filter(|_| currency == total.1)
        };
        let sum =
            payments.iter().try_fold(Minor(0), |sum, payment| sum.checked_add(amount(payment)?));
        if let (Some(sum), (Some(stated), Some(currency))) = (sum, total)
            && sum != stated
        {
            let (stated, sum) = (currency.format(stated), currency.format(sum));
            let reason = format!("the entry states payments of {stated} {currency}, found {sum}");
            self.fault = Some((line, reason));
        }
    }

    fn note_payment(
        &mut self,
        rest: &[&str],
        value: &str,
        amount: (Option<Minor>, Option<Currency>),
    ) {
        let Some(payment) = self.payments.last_mut() else { return };
        match rest {
            // Newer versions have the amount beside the details, older ones inside.
            ["Amt"] => payment.amount = Some(amount),
            ["AmtDtls", "TxAmt", "Amt"] => payment.amount = payment.amount.or(Some(amount)),
            ["AmtDtls", "InstdAmt", "Amt"] => payment.instructed = Some(amount),
            ["CdtDbtInd"] => payment.is_credit = direction(value),
            [.., name] if is_text(name) => add(&mut payment.text, value),
            _ => {}
        }
    }

    /// Adds the entry to the statement, or notes why it is left out.
    pub(super) fn finish(self, statement: &mut Statement, page: &mut Page) -> Result<(), Broken> {
        let line = self.line;
        // A pending, future or informational entry has not moved money.
        match self.status.as_str() {
            "" | "BOOK" => {}
            status => {
                page.of_codes.iter_mut().for_each(|total| total.count(&self.code, None));
                let status: String = status.chars().take(10).collect();
                statement.skip(line, format!("its status is {status}, not BOOK"));
                return Ok(());
            }
        }
        let (Some(amount), Some(currency)) = (self.amount, self.currency) else {
            let found = excerpt(&self.written.0);
            let reason = format!("expected an amount with its currency in Amt, found {found}");
            statement.fault(line, reason);
            return Ok(());
        };
        let Some(is_credit) = self.is_credit else {
            statement.fault(line, "expected CRDT or DBIT in CdtDbtInd");
            return Ok(());
        };
        let Some(date) = self.booked.or(self.valued) else {
            let found = excerpt(&self.written.1);
            statement.fault(line, format!("expected a date in BookgDt or ValDt, found {found}"));
            return Ok(());
        };
        if let Some((line, reason)) = self.fault {
            statement.fault(line, reason);
            return Ok(());
        }
        let amount = if is_credit { amount } else { Minor(-amount.0) };
        page.add(line, amount, currency)?;
        let booked = Some((amount, currency));
        page.of_codes.iter_mut().for_each(|total| total.count(&self.code, booked));
        if self.is_reversal {
            page.reversals.push(statement.entries.len());
        }
        let parts = self.parts(amount, currency, is_credit);
        let mut text = self.text;
        for payment in &self.payments {
            if parts.is_empty() {
                add(&mut text, &payment.text);
            }
        }
        let id = self.id;
        let entry = Entry { text, parts, id, ..Entry::new(line, date, amount, currency) };
        statement.entries.push(entry);
        Ok(())
    }

    /// The payments as parts: with amounts where every payment has one and they add up to the
    /// entry.
    fn parts(&self, amount: Minor, currency: Currency, is_credit: bool) -> Vec<Part> {
        if self.payments.len() < 2 {
            return Vec::new();
        }
        let signed = |payment: &Payment| {
            let (value, of) = payment.amount.or(payment.instructed)?;
            let value = value.filter(|_| of == Some(currency))?;
            let is_credit = payment.is_credit.unwrap_or(is_credit);
            Some(Minor(if is_credit { value.0 } else { -value.0 }))
        };
        let amounts: Vec<Option<Minor>> = self.payments.iter().map(signed).collect();
        let sum = amounts.iter().try_fold(Minor(0), |sum, part| sum.checked_add((*part)?));
        let adds_up = sum == Some(amount);
        let parts = self.payments.iter().zip(amounts);
        parts
            .map(|(payment, part)| Part {
                line: payment.line,
                amount: part.filter(|_| adds_up),
                text: payment.text.clone(),
            })
            .collect()
    }
}

fn direction(value: &str) -> Option<bool> {
    match value {
        "CRDT" => Some(true),
        "DBIT" => Some(false),
        _ => None,
    }
}

/// The day of a date, or of a timestamp in `zone`.
fn day(value: &str, zone: Option<Tz>) -> Option<NaiveDate> {
    moment::iso(value, zone).map(moment::Moment::date)
}

fn add(text: &mut String, value: &str) {
    if !value.is_empty() {
        text.push(' ');
        text.push_str(value);
    }
}

/// Elements with names, references and remarks in any version of the format.
fn is_text(name: &str) -> bool {
    matches!(
        name,
        "Nm" | "Ustrd"
            | "AddtlNtryInf"
            | "AddtlTxInf"
            | "AddtlRmtInf"
            | "AcctSvcrRef"
            | "NtryRef"
            | "EndToEndId"
            | "TxId"
            | "InstrId"
            | "PmtInfId"
            | "MsgId"
            | "MndtId"
            | "ClrSysRef"
            | "Ref"
            | "Nb"
            | "Prtry"
    )
}
