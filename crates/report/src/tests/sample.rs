//! Sample reports: one with an example of everything, and an empty one.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use chrono_tz::Tz;

use crate::{DateReport, PeriodReport};
use tieout_config::ComponentSigns;
use tieout_model::money::{Currency, Minor};
use tieout_model::{
    Acceptance, AcceptedRow, Assignment, BankMatchRow, BatchId, BatchRow, DayFigures, DayRow,
    DepositId, DepositRow, Discrepancy, DiscrepancyStatus, DisputeId, DisputeRow, Figure, MatchRow,
    NotEvaluated, RecordIds, ReportedCheck, ReportedChecks, Severity, SignOff, Signature,
    SummaryRow, TransactionId, TransitRow, Verdict,
};
use tieout_model::{
    ChecksRecord, Count, DiscrepancyTotals, ItemTotals, LedgerTotals, ListingRecord, RecordTotals,
    RunRecord, SCHEMA_VERSION, StageRecord, Total,
};

pub fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

pub fn currency(code: &str) -> Option<Currency> {
    Currency::from_code(code)
}

pub fn discrepancy(id: &str, code: &str, severity: Severity) -> Discrepancy {
    Discrepancy {
        discrepancy_id: id.to_owned(),
        code: code.to_owned(),
        severity,
        status: DiscrepancyStatus::New,
        business_date: date("2026-11-20"),
        first_seen: date("2026-11-19"),
        age_days: 1,
        merchant_id: "4525644354".into(),
        merchant_name: "=Pizza \"Doe\", Inc".to_owned(),
        currency: currency("USD"),
        figure: Figure::Amount,
        expected: Some(37_000),
        actual: Some(36_500),
        difference: Some(-500),
        batch_date: Some(date("2026-11-18")),
        ids: RecordIds {
            batch_id: "12;13".to_owned(),
            ach_deposit_id: "99".to_owned(),
            order_id: "-7".to_owned(),
            ledger_id: "@sum".to_owned(),
            ..RecordIds::default()
        },
        explanation: "Deposit 99 paid 365.00 USD net, but its components add up to 370.00 USD."
            .to_owned(),
        action: "Ask the processor.".to_owned(),
        subject: "99".to_owned(),
        is_carried: true,
        is_reopened: false,
        has_difference: true,
        expected_currency: None,
        also_near: String::new(),
        assigned: Assignment {
            owner: "=Anna".to_owned(),
            ticket: "F-12".to_owned(),
            due_date: Some(date("2026-11-30")),
            note: "The bank was asked.".to_owned(),
        },
    }
}

pub fn discrepancies() -> Vec<Discrepancy> {
    let counted = Discrepancy {
        figure: Figure::Count,
        expected: Some(12),
        actual: Some(13),
        difference: Some(1),
        status: DiscrepancyStatus::Open,
        ..discrepancy("b2", "BATCH_COUNT_MISMATCH", Severity::Warning)
    };
    let unknown = Discrepancy {
        currency: None,
        batch_date: None,
        status: DiscrepancyStatus::Cleared,
        ..discrepancy("a1", "STATUS_MISMATCH", Severity::Error)
    };
    vec![
        discrepancy("f1", "FUNDS_HELD", Severity::Info),
        counted,
        unknown,
        discrepancy("d2", "DEPOSIT_NET_MISMATCH", Severity::Error),
        discrepancy("d1", "DEPOSIT_NET_MISMATCH", Severity::Error),
    ]
}

/// An accepted finding with an end date.
pub fn accepted() -> AcceptedRow {
    let found = Discrepancy {
        status: DiscrepancyStatus::Open,
        ..discrepancy("acc1", "DEPOSIT_NET_MISMATCH", Severity::Error)
    };
    let by = Acceptance {
        discrepancy_id: found.discrepancy_id.clone(),
        who: "=Anna <Lee>".to_owned(),
        moment: "2026-11-20T08:15:00Z".parse().unwrap(),
        note: "Agreed with \"Doe\", to be paid in December.".to_owned(),
        since: date("2026-11-20"),
        until: Some(date("2026-12-31")),
        is_new: true,
    };
    AcceptedRow { found, by: Some(by) }
}

pub fn checks() -> ReportedChecks {
    let held = ReportedCheck { means: "Money is held back.".to_owned(), ..Default::default() };
    ReportedChecks([("FUNDS_HELD".to_owned(), held)].into())
}

pub fn deposit(id: i64, code: &str) -> DepositRow {
    DepositRow {
        ach_deposit_id: DepositId(id),
        merchant_id: "0525644354".into(),
        merchant_name: "Pizza Doe".to_owned(),
        currency: currency(code),
        association_date: Some(date("2026-11-18")),
        ach_date: Some(date("2026-11-19")),
        payment_date: Some(date("2026-11-20")),
        transactions: Some(20),
        sales: Some(Minor(50_000)),
        returns: Some(Minor(10_000)),
        daily_fees: Some(Minor(1_000)),
        held_sales: Some(Minor(1_000)),
        ach_adjustment: Some(Minor(1_000)),
        holdback: Some(Minor(1_000)),
        reserve_release: Some(Minor(500)),
        net_amount: Some(Minor(-36_500)),
        net_expected: Some(Minor(36_500)),
        batch_sales: Some(Minor(50_000)),
        batch_returns: Some(Minor(10_000)),
        batch_transactions: Some(20),
        fees_total: None,
        returned_amount: Some(Minor(1_000)),
        unexplained: Some(Minor(0)),
        verdict: Verdict::Tied,
        disputed_amount: Some(Minor(2_500)),
        bank_date: Some(date("2026-11-23")),
        bank_amount: Some(Minor(-36_500)),
        bank_verdict: "found".to_owned(),
        pays_for: "2026-11-18;2026-11-19".to_owned(),
    }
}

pub fn batch(id: i64) -> BatchRow {
    BatchRow {
        batch_id: BatchId(id),
        merchant_id: "0525644354".into(),
        merchant_name: String::new(),
        currency: currency("KWD"),
        batch_date: date("2026-11-20"),
        transaction_count: Some(2),
        sale_amount: Some(Minor(1_500)),
        return_amount: Some(Minor(0)),
        items_count: None,
        items_sales: None,
        items_returns: None,
        ach_deposit_id: "9;10".to_owned(),
        verdict: Verdict::NotEvaluated,
        on_hold: Some(Minor(500)),
        settled_elsewhere: Some(Minor(0)),
        withdrawn: None,
    }
}

pub fn matched(item_id: &str, ledger_id: &str) -> MatchRow {
    MatchRow {
        item_type: "capture".to_owned().into(),
        item_id: item_id.to_owned().into(),
        ledger_id: ledger_id.to_owned().into(),
        merchant_id: "0525644354".into(),
        currency: currency("JPY").unwrap(),
        item_date: date("2026-11-20"),
        ledger_date: date("2026-11-19"),
        item_amount: Some(Minor(1_200)),
        ledger_amount: Some(Minor(1_100)),
        difference: Some(Minor(100)),
        pass: "reference".to_owned().into(),
        order_id: String::new().into(),
        note: "the reference names nothing known".to_owned().into(),
    }
}

pub fn transit(kind: &str, id: &str, amount: i64) -> TransitRow {
    TransitRow {
        kind: kind.to_owned(),
        id: id.to_owned(),
        merchant_id: "0525644354".into(),
        merchant_name: "Pizza Doe".to_owned(),
        currency: currency("CAD"),
        date: Some(date("2026-11-20")),
        due_date: Some(date("2026-11-24")),
        amount: Some(Minor(amount)),
        status: String::new(),
    }
}

fn dispute() -> DisputeRow {
    DisputeRow {
        dispute_id: DisputeId(5_117),
        merchant_id: "0525644354".into(),
        merchant_name: "Pizza Doe".to_owned(),
        currency: currency("CAD"),
        dispute_type: "firstDispute".to_owned(),
        status: "new".to_owned(),
        status_date: Some(date("2026-11-18")),
        received_date: None,
        due_date: Some(date("2026-11-25")),
        amount: Some(Minor(4_499)),
        fee: Some(Minor(1_500)),
        transaction_id: Some(TransactionId(6_130_001)),
        authorization_id: None,
        ach_deposit_id: "99".to_owned(),
        verdict: "waits".to_owned(),
    }
}

fn bank_match() -> BankMatchRow {
    BankMatchRow {
        ach_deposit_id: Some(DepositId(99)),
        merchant_id: "0525644354".into(),
        merchant_name: "Pizza Doe".to_owned(),
        currency: currency("CAD"),
        payment_date: Some(date("2026-11-20")),
        due_date: Some(date("2026-11-23")),
        net_amount: Some(Minor(36_500)),
        bank: "operating".to_owned(),
        bank_date: Some(date("2026-11-20")),
        bank_amount: Some(Minor(35_000)),
        bank_file: "november.csv".to_owned(),
        bank_line: "7".to_owned(),
        verdict: "amount_differs".to_owned(),
        deposit_verdict: Some(Verdict::Tied),
    }
}

pub fn summary(merchant: &str, code: &str, verdict: Verdict) -> SummaryRow {
    SummaryRow {
        merchant_id: merchant.into(),
        merchant_name: "Pizza\u{1b}[2J Doe".to_owned(),
        currency: currency(code),
        deposits: Some(1),
        deposited_net: Some(Minor(36_500)),
        batches: Some(2),
        items: None,
        items_amount: Some(Minor(40_000)),
        ledger_records: Some(3),
        matched: Some(2),
        in_transit_amount: Some(Minor(-1_200)),
        opening: 1,
        new: 3,
        cleared: 1,
        closing: 3,
        closing_amount: Some(Minor(1_000)),
        verdict,
        opening_amount: Some(Minor(700)),
        new_amount: Some(Minor(600)),
        cleared_amount: Some(Minor(200)),
        accepted: Some(1),
        accepted_amount: Some(Minor(100)),
        changed_amount: Some(Minor(0)),
        on_hold_amount: Some(Minor(0)),
        overdue_amount: None,
        final_date: Some(date("2026-11-17")),
    }
}

pub fn run_record() -> RunRecord {
    let usd = currency("USD").unwrap();
    let total = |count, minor| Total::of(count).with(usd, Minor(minor));
    RunRecord {
        schema_version: SCHEMA_VERSION,
        tool_version: "0.1.0".to_owned(),
        business_date: date("2026-11-20"),
        started: "2026-11-21T05:30:00Z".parse().unwrap(),
        ended: "2026-11-21T05:30:09Z".parse().unwrap(),
        clock_substitute: None,
        stages: [("fetch".to_owned(), StageRecord { duration_ms: 1_234 })].into(),
        configuration_digest: "c0ffee".to_owned(),
        shard: None,
        listings: vec![ListingRecord {
            resource: "batches".to_owned(),
            selector: "date".to_owned(),
            scope: String::new(),
            date: Some(date("2026-11-20")),
            verdict: "complete".to_owned(),
            pages: 2,
            records: 104,
            bytes: 54_321,
            digest: "abcd".to_owned(),
            error: None,
        }],
        records: RecordTotals { received: total(7, -1_200), stored: total(7, -1_200) },
        items: ItemTotals {
            total: total(3, 600),
            matched: total(2, 500),
            unmatched: total(1, 100),
            ambiguous: Total::default(),
            not_due: total(1, 100),
        },
        ledger: LedgerTotals { quarantined: Total::of(1), ..LedgerTotals::default() },
        discrepancies: DiscrepancyTotals {
            opening: Count { count: 1 },
            new: Count { count: 2 },
            reopened: Count { count: 1 },
            cleared: Count { count: 1 },
            accepted: Count { count: 0 },
            closing: Count { count: 3 },
        },
        checks: ChecksRecord {
            evaluated: vec!["BATCH_COUNT_MISMATCH".to_owned()],
            not_evaluated: vec![NotEvaluated {
                code: "DEPOSIT_FEES_MISMATCH".to_owned(),
                merchant_id: "4525644354".into(),
                scope: "deposit 99".to_owned(),
                reason: "the fees of the deposit were not read".to_owned(),
                remedy: "Set the key terminals of merchant 4525644354.".to_owned(),
            }],
        },
        warnings: vec!["today is not over".to_owned()],
        results_digest: "0".repeat(64),
        standing: None,
        sign_off: SignOff::default(),
        store: None,
        files: BTreeMap::new(),
    }
}

/// Prepared by one person, with a hostile name, and closed by another.
pub fn signed_off() -> SignOff {
    let by = |who: &str, moment: &str, note: &str| {
        let moment = moment.parse().unwrap();
        Some(Signature { who: who.to_owned(), moment, note: note.to_owned() })
    };
    SignOff {
        prepared: by("=Anna <b>", "2026-11-21T08:00:00Z", "+1 \u{202e}</p>"),
        closed: by("Ben Example", "2026-11-22T23:30:00Z", ""),
        taken_back: None,
    }
}

pub fn sample() -> DateReport<'static> {
    DateReport {
        business_date: date("2026-11-20"),
        discrepancies: discrepancies().into(),
        accepted: vec![accepted()],
        deposits: vec![deposit(100, "USD"), deposit(9, "USD"), deposit(20, "???")].into(),
        batches: vec![batch(13), batch(2)].into(),
        disputes: vec![dispute()].into(),
        bank_matches: vec![bank_match()].into(),
        journal: Vec::new().into(),
        accounts: None,
        expected: Some(vec![transit("batch", "11", 40_000), transit("batch", "12", 90_000)]),
        in_transit: vec![transit("payment", "p2", 500), transit("batch", "12", 100_000)].into(),
        shares: Vec::new(),
        summary: vec![
            summary("4525644354", "USD", Verdict::Discrepancy),
            summary("0525644354", "JPY", Verdict::Tied),
            summary("0525644354", "", Verdict::NotEvaluated),
        ]
        .into(),
        run: run_record(),
        signs: ComponentSigns::default(),
        time_zone: Tz::UTC,
        merchant_zone: Some(Tz::UTC),
        checks: checks(),
    }
}

/// In the order in which the store returns them.
pub fn matches() -> Vec<MatchRow> {
    let mut rows = vec![matched("10", "B"), matched("9", "B"), matched("9", "=A")];
    crate::sort_matches(&mut rows);
    rows
}

pub fn empty() -> DateReport<'static> {
    DateReport {
        business_date: date("2026-11-20"),
        discrepancies: Vec::new().into(),
        accepted: Vec::new(),
        deposits: Vec::new().into(),
        batches: Vec::new().into(),
        disputes: Vec::new().into(),
        bank_matches: Vec::new().into(),
        journal: Vec::new().into(),
        accounts: None,
        expected: None,
        in_transit: Vec::new().into(),
        shares: Vec::new(),
        summary: Vec::new().into(),
        run: run_record(),
        signs: ComponentSigns::default(),
        time_zone: Tz::UTC,
        merchant_zone: Some(Tz::UTC),
        checks: ReportedChecks::default(),
    }
}

pub fn day(business_date: &str, closing: u64) -> DayRow {
    let figures = DayFigures { closing, errors: closing, new: closing, ..DayFigures::default() };
    DayRow {
        business_date: date(business_date),
        verdict: Verdict::Discrepancy,
        own_verdict: Verdict::Discrepancy,
        figures: Some(figures),
        final_since: None,
        sign_off: SignOff::default(),
    }
}

pub fn period() -> PeriodReport {
    PeriodReport {
        first: date("2026-11-19"),
        last: date("2026-11-20"),
        last_reconciled: date("2026-11-20"),
        days: vec![day("2026-11-19", 0), day("2026-11-20", 4)],
        results: BTreeMap::from([(date("2026-11-20"), "5ea1".to_owned())]),
        amounts: Vec::new(),
        merchants: Vec::new(),
        discrepancies: discrepancies(),
        accepted: vec![accepted()],
        deposits: vec![deposit(100, "USD")],
        bank_bridge: Vec::new(),
        return_rates: Vec::new(),
        fee_rates: Vec::new(),
        return_codes: Vec::new(),
        signs: ComponentSigns::default(),
        time_zone: Tz::UTC,
        merchant_zone: Some(Tz::UTC),
        not_evaluated: BTreeMap::new(),
        checks: ReportedChecks::default(),
        tool_version: "0.1.0".to_owned(),
        configuration_digest: "c0ffee".to_owned(),
    }
}
