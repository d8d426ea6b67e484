//! One bank section as of a date: its statements and the days that they cover.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Days, NaiveDate};

use crate::{AsOf, JudgeError, Rules};
use tieout_config::{BankSettings, Merchant};
use tieout_model::calendar::Calendar;
use tieout_model::{DepositId, MerchantId, Span};
use tieout_store::{BankedLine, Store, banks};

/// Calendar days before the start date whose deposits and lines can explain each other. Unpaired
/// ones among them are not reported.
const DAYS_BEFORE_START: u64 = 10;

/// Banking days in which a deposit below zero may be carried into a later one.
pub(super) const CARRY_DAYS: u32 = 5;

/// Banking days after a payment date within which a line may pay it together with others, and after
/// a credit within which a debit takes it back. Over a longer time, some deposits add up to any
/// line by chance.
const SUM_DAYS: u32 = 5;

/// One bank section as of a date.
pub(super) struct Account<'a> {
    pub(super) asof: &'a AsOf,
    pub(super) bank: &'a BankSettings,
    pub(super) bank_days: u32,
    /// Banking days by which a statement may be late.
    statement_days: u32,
    pub(super) merchants: Vec<&'a Merchant>,
    pub(super) calendars: BTreeMap<&'a MerchantId, Calendar>,
    pub(super) lines: Vec<BankedLine>,
    pub(super) spans: Vec<Span>,
    /// The days that the statements of all accounts cover, from first to last, in order.
    covered: Vec<(NaiveDate, NaiveDate)>,
    pub(super) days_read: &'a BTreeSet<NaiveDate>,
    /// Deposits that awaited their statement on the previous date.
    pub(super) awaited: &'a BTreeSet<DepositId>,
}

impl<'a> Account<'a> {
    pub(super) fn new(
        rules: &'a Rules<'_>,
        store: &Store,
        asof: &'a AsOf,
        bank: &'a BankSettings,
        merchants: Vec<&'a Merchant>,
        (days_read, awaited): (&'a BTreeSet<NaiveDate>, &'a BTreeSet<DepositId>),
    ) -> Result<Self, JudgeError> {
        let calendar = |merchant: &Merchant| rules.settings.calendar(merchant.calendar);
        let calendars =
            merchants.iter().map(|merchant| (&merchant.id, calendar(merchant))).collect();
        let spans = banks::spans(store, &bank.name)?;
        Ok(Self {
            asof,
            bank,
            bank_days: rules.settings.settlement.bank_days,
            statement_days: rules.settings.settlement.statement_days,
            merchants,
            calendars,
            lines: banks::lines(store, &bank.name, first_day(asof))?,
            covered: covered(&spans),
            spans,
            days_read,
            awaited,
        })
    }

    pub(super) fn due(&self, merchant_id: &MerchantId, date: NaiveDate) -> NaiveDate {
        self.calendars[merchant_id].due(date, self.bank_days)
    }

    /// Whether a statement with an entry due on `due` may still come.
    pub(super) fn is_awaited(&self, merchant_id: &MerchantId, due: NaiveDate) -> bool {
        self.asof.business_date < self.calendars[merchant_id].due(due, self.statement_days)
    }

    /// The day from which an absent deposit is missing; a negative balance may be carried for some
    /// days.
    pub(super) fn missing_from(
        &self,
        merchant_id: &MerchantId,
        paid: NaiveDate,
        amount: i64,
    ) -> NaiveDate {
        let days = if amount < 0 { self.bank_days.max(CARRY_DAYS) } else { self.bank_days };
        self.calendars[merchant_id].due(paid, days)
    }

    /// The last day on which a line pays a deposit together with others.
    pub(super) fn sum_until(&self, merchant_id: &MerchantId, paid: NaiveDate) -> NaiveDate {
        self.calendars[merchant_id].due(paid, SUM_DAYS)
    }

    /// The first day on which a credit can be that a debit of `date` takes back.
    pub(super) fn back_from(&self, merchant: &MerchantId, date: NaiveDate) -> NaiveDate {
        self.first_within(merchant, date, SUM_DAYS)
    }

    /// The earliest payment date for which a line of `date` is on time.
    pub(super) fn first_on_time(&self, merchant: &MerchantId, date: NaiveDate) -> NaiveDate {
        self.first_within(merchant, date, self.bank_days)
    }

    /// The earliest day from which `date` is at most this many banking days away.
    fn first_within(&self, merchant: &MerchantId, date: NaiveDate, days: u32) -> NaiveDate {
        self.calendars[merchant].earliest(date, days)
    }

    /// The first banking day from `first` to `last` that the statements of an account do not cover.
    pub(super) fn uncovered(
        &self,
        merchant: &MerchantId,
        first: NaiveDate,
        last: NaiveDate,
    ) -> Option<NaiveDate> {
        let is_covered = |day: NaiveDate| {
            let after = self.covered.partition_point(|(first, _)| *first <= day);
            after > 0 && day <= self.covered[after - 1].1
        };
        let calendar = &self.calendars[merchant];
        first
            .iter_days()
            .take_while(|day| *day <= last)
            .find(|day| calendar.is_banking_day(*day) && !is_covered(*day))
    }
}

/// The days that the spans of every account cover.
fn covered(spans: &[Span]) -> Vec<(NaiveDate, NaiveDate)> {
    let mut accounts: BTreeMap<&str, Vec<(NaiveDate, NaiveDate)>> = BTreeMap::new();
    for span in spans {
        accounts.entry(&span.account_last4).or_default().push((span.first, span.last));
    }
    let joined = accounts.into_values().map(joined);
    joined.reduce(|one, other| common(&one, &other)).unwrap_or_default()
}

/// The same days in spans that neither overlap nor touch, in order.
fn joined(mut spans: Vec<(NaiveDate, NaiveDate)>) -> Vec<(NaiveDate, NaiveDate)> {
    spans.sort_unstable();
    let mut joined: Vec<(NaiveDate, NaiveDate)> = Vec::new();
    for (first, last) in spans.into_iter().filter(|(first, last)| first <= last) {
        match joined.last_mut() {
            Some(before) if before.1.succ_opt().is_none_or(|next| first <= next) => {
                before.1 = before.1.max(last);
            }
            _ => joined.push((first, last)),
        }
    }
    joined
}

/// The days that lie in both; each holds its spans in order, apart from each other.
fn common(
    one: &[(NaiveDate, NaiveDate)],
    other: &[(NaiveDate, NaiveDate)],
) -> Vec<(NaiveDate, NaiveDate)> {
    let (mut at, mut beside, mut common) = (0, 0, Vec::new());
    while let (Some(a), Some(b)) = (one.get(at), other.get(beside)) {
        let both = (a.0.max(b.0), a.1.min(b.1));
        common.extend(Some(both).filter(|(first, last)| first <= last));
        if a.1 <= b.1 { at += 1 } else { beside += 1 }
    }
    common
}

pub(super) fn first_day(asof: &AsOf) -> NaiveDate {
    asof.start_date.checked_sub_days(Days::new(DAYS_BEFORE_START)).unwrap_or(asof.start_date)
}
