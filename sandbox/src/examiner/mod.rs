//! A slow, plain judge of worlds: applies the rules of reconciliation to every record as of
//! every date. It shares nothing with the plants, so that it can tell whether their key is right.

mod runs;

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use crate::plants::Expected;
use crate::world::World;
use crate::world::adjusted_days;
use crate::world::records::{
    Authorization, Batch, CardKind, Deposit, FIRST_REFUSAL, PaymentLink, Records, Role, Transfer,
    TransferStatus, TransferType,
};

/// What is wrong as of one date, by subject.
type Findings = BTreeMap<String, Expected>;

/// Every discrepancy of a run over all dates of the world, with first and last date.
pub fn judge(world: &World) -> Vec<Expected> {
    judge_records(world.records(), (world.options().from, world.options().to))
}

/// The same of these records over these dates.
pub fn judge_records(records: &Records, (from, to): (NaiveDate, NaiveDate)) -> Vec<Expected> {
    let mut seen: Findings = BTreeMap::new();
    for date in from.iter_days().take_while(|date| *date <= to) {
        let judge = Judge { records, from, date };
        let today = judge.all();
        for (subject, entry) in &mut seen {
            let is_open = today.contains_key(subject);
            assert!(entry.last_seen.is_none() || !is_open, "{subject} came back on {date}");
            if entry.last_seen.is_none() && !is_open {
                let once = entry.code == "FUNDS_HELD";
                entry.last_seen = Some(if once { entry.first_seen } else { date });
            }
        }
        for (subject, entry) in today {
            seen.entry(subject).or_insert(entry);
        }
    }
    for entry in seen.values_mut().filter(|entry| entry.code == "FUNDS_HELD") {
        entry.last_seen = Some(entry.first_seen);
    }
    let mut found: Vec<Expected> = seen.into_values().collect();
    sort(&mut found);
    found
}

/// One order for what the judge finds and what the key says.
pub fn sort(entries: &mut [Expected]) {
    entries.sort_by_key(|entry| serde_json::to_string(entry).unwrap());
}

struct Judge<'w> {
    records: &'w Records,
    from: NaiveDate,
    date: NaiveDate,
}

impl Judge<'_> {
    fn all(&self) -> Findings {
        let mut findings = Findings::new();
        self.merchants(&mut findings);
        self.deposits(&mut findings);
        self.fees(&mut findings);
        self.groups(&mut findings);
        self.batches(&mut findings);
        self.cards(&mut findings);
        self.transfers(&mut findings);
        findings
    }

    fn is_scoped(&self, date: NaiveDate) -> bool {
        (self.from..=self.date).contains(&date)
    }

    fn is_known(&self, merchant: usize) -> bool {
        self.records.merchants[merchant].is_configured
    }

    fn due(&self, merchant: usize, date: NaiveDate, days: u32) -> NaiveDate {
        self.records.merchants[merchant].calendar.due(date, days)
    }

    fn report(
        &self,
        findings: &mut Findings,
        (code, merchant, subject): (&str, usize, &str),
        figures: Option<(i64, i64)>,
        fill: impl FnOnce(&mut Expected),
    ) {
        let merchant = &self.records.merchants[merchant];
        let is_amount = figures.is_some() && !code.contains("COUNT");
        let mut entry = Expected {
            code: code.to_owned(),
            merchant_id: merchant.id.clone(),
            currency: is_amount.then(|| merchant.currency.to_owned()),
            first_seen: self.date,
            expected: figures.map(|figures| figures.0),
            actual: figures.map(|figures| figures.1),
            ..Expected::default()
        };
        fill(&mut entry);
        let previous = findings.insert(format!("{code} {} {subject}", merchant.id), entry);
        assert!(previous.is_none(), "{code} {subject} twice on {}", self.date);
    }

    fn merchants(&self, findings: &mut Findings) {
        for (index, merchant) in self.records.merchants.iter().enumerate() {
            let is_seen = self
                .records
                .batches
                .iter()
                .any(|batch| batch.merchant == index && self.is_scoped(batch.date));
            if !merchant.is_configured && is_seen {
                self.report(findings, ("UNKNOWN_MERCHANT", index, ""), None, |_| {});
            }
        }
    }

    fn deposits(&self, findings: &mut Findings) {
        for deposit in &self.records.deposits {
            if !self.is_known(deposit.merchant) || !self.is_scoped(deposit.payment_date) {
                continue;
            }
            let id = deposit.id.to_string();
            let subject = |code| (code, deposit.merchant, id.as_str());
            let name = |entry: &mut Expected| entry.ach_deposit_id.clone_from(&id);
            if deposit.components() != deposit.net_amount {
                let figures = (deposit.components(), deposit.net_amount);
                self.report(findings, subject("DEPOSIT_NET_MISMATCH"), Some(figures), name);
            }
            let named = self.records.fees.iter().filter(|fee| fee.deposit_id == Some(deposit.id));
            let fees: i64 = named.map(|fee| fee.amount).sum();
            if fees != deposit.daily_fees {
                let figures = (fees, deposit.daily_fees);
                self.report(findings, subject("DEPOSIT_FEES_MISMATCH"), Some(figures), name);
            }
            let held = deposit.held_sales + deposit.holdback;
            if held != 0 && deposit.payment_date == self.date {
                self.report(findings, subject("FUNDS_HELD"), Some((0, held)), name);
            }
            let pays = deposit.sales != 0 || deposit.returns != 0 || deposit.transactions != 0;
            let runs = runs::runs(self.records, deposit.merchant, self.date);
            let is_in_run = runs.iter().any(|run| run.deposits.contains(&deposit.id));
            if pays
                && !is_in_run
                && self.group_batches(deposit.merchant, deposit.association_date).is_empty()
            {
                let figures = (0, deposit.sales - deposit.returns);
                self.report(findings, subject("DEPOSIT_WITHOUT_BATCH"), Some(figures), name);
            }
        }
    }

    fn fees(&self, findings: &mut Findings) {
        for (ordinal, fee) in self.records.fees.iter().enumerate() {
            let exists = |id| self.records.deposits.iter().any(|deposit| deposit.id == id);
            let is_fine = fee.deposit_id.is_some_and(exists)
                || !self.is_known(fee.merchant)
                || !self.is_scoped(fee.listed_date);
            if !is_fine {
                let subject = ("FEE_WITHOUT_DEPOSIT", fee.merchant, &*ordinal.to_string());
                self.report(findings, subject, Some((0, fee.amount)), |entry| {
                    entry.ach_deposit_id =
                        fee.deposit_id.map(|id| id.to_string()).unwrap_or_default();
                });
            }
        }
    }

    fn group_batches(&self, merchant: usize, date: NaiveDate) -> Vec<&Batch> {
        let batches = self.records.batches.iter();
        batches.filter(|batch| batch.merchant == merchant && batch.date == date).collect()
    }

    fn groups(&self, findings: &mut Findings) {
        let mut keys: BTreeSet<(usize, NaiveDate)> = BTreeSet::new();
        keys.extend(self.records.batches.iter().map(|batch| (batch.merchant, batch.date)));
        let runs: BTreeMap<usize, Vec<runs::Run>> = (0..self.records.merchants.len())
            .map(|merchant| (merchant, runs::runs(self.records, merchant, self.date)))
            .collect();
        for (merchant, date) in keys {
            if !self.is_known(merchant) || date > self.date {
                continue;
            }
            match runs[&merchant].iter().find(|run| run.dates.contains(&date)) {
                // What a run pays for agrees; its adjustment is judged once.
                Some(run) if run.dates[0] == date => self.run(findings, merchant, run),
                Some(_) => {}
                None => self.group(findings, merchant, date, &runs[&merchant]),
            }
        }
    }

    fn run(&self, findings: &mut Findings, merchant: usize, run: &runs::Run) {
        let deposits: Vec<&Deposit> =
            self.records.deposits.iter().filter(|one| run.deposits.contains(&one.id)).collect();
        let known = run.dates.iter().map(|date| self.returned(merchant, *date)).sum();
        let stated: i64 = deposits.iter().map(|one| one.ach_adjustment).sum();
        let sent: Vec<NaiveDate> = deposits.iter().map(|one| one.ach_date).collect();
        if !runs::explains(self.records, merchant, &sent, stated - known) {
            let name = run.dates[0].to_string();
            let subject = ("DEPOSIT_ADJUSTMENT_MISMATCH", merchant, name.as_str());
            self.report(findings, subject, Some((known, stated)), |_| {});
        }
    }

    fn group(&self, findings: &mut Findings, merchant: usize, date: NaiveDate, runs: &[runs::Run]) {
        let batches = self.group_batches(merchant, date);
        let deposits: Vec<&Deposit> = self
            .records
            .deposits
            .iter()
            .filter(|deposit| {
                deposit.merchant == merchant
                    && deposit.association_date == date
                    && deposit.payment_date <= self.date
                    && !runs.iter().any(|run| run.deposits.contains(&deposit.id))
            })
            .collect();
        let is_due = self.date >= self.due(merchant, date, 2);
        if deposits.is_empty() {
            for batch in batches {
                let is_empty = batch.count == 0 && batch.sales == 0 && batch.returns == 0;
                if is_due && !is_empty && date >= self.from {
                    let id = batch.id.to_string();
                    let figures = (batch.sales - batch.returns, 0);
                    let subject = ("BATCH_WITHOUT_DEPOSIT", merchant, id.as_str());
                    self.report(findings, subject, Some(figures), |entry| {
                        entry.batch_id.clone_from(&id);
                    });
                }
            }
            return;
        }
        let judged = date >= self.from || deposits.iter().any(|d| d.payment_date >= self.from);
        if !judged {
            return;
        }
        let batch_sum = |figure: fn(&Batch) -> i64| batches.iter().map(|b| figure(b)).sum();
        let paid_sum = |figure: fn(&Deposit) -> i64| deposits.iter().map(|d| figure(d)).sum();
        let figures: [(&str, i64, i64); 4] = [
            ("DEPOSIT_SALES_MISMATCH", batch_sum(|b| b.sales), paid_sum(|d| d.sales)),
            ("DEPOSIT_RETURNS_MISMATCH", batch_sum(|b| b.returns), paid_sum(|d| d.returns)),
            ("DEPOSIT_COUNT_MISMATCH", batch_sum(|b| b.count), paid_sum(|d| d.transactions)),
            (
                "DEPOSIT_ADJUSTMENT_MISMATCH",
                self.returned(merchant, date),
                paid_sum(|d| d.ach_adjustment),
            ),
        ];
        for (code, below, above) in figures {
            let sent: Vec<NaiveDate> = deposits.iter().map(|one| one.ach_date).collect();
            let is_explained = code == "DEPOSIT_ADJUSTMENT_MISMATCH"
                && runs::explains(self.records, merchant, &sent, above - below);
            if !is_explained && (above > below || (above < below && is_due)) {
                let subject = (code, merchant, &*date.to_string());
                self.report(findings, subject, Some((below, above)), |entry| {
                    entry.batch_id = join(batches.iter().map(|batch| batch.id.to_string()));
                    entry.ach_deposit_id = join(deposits.iter().map(|d| d.id.to_string()));
                });
            }
        }
    }

    fn returned(&self, merchant: usize, batch_date: NaiveDate) -> i64 {
        let previous = self
            .records
            .batches
            .iter()
            .filter(|batch| batch.merchant == merchant && batch.date < batch_date)
            .map(|batch| batch.date)
            .max();
        let adjusted = adjusted_days(self.records);
        let transfers = self.records.transfers.iter().filter(|t| t.merchant == merchant);
        transfers
            .flat_map(|transfer| transfer.returns.iter().map(|entry| (entry, transfer.amount)))
            .filter(|(entry, _)| {
                let is_taken_alone =
                    entry.date != batch_date && adjusted.contains(&(merchant, entry.date));
                entry.date <= batch_date
                    && previous.is_none_or(|previous| entry.date > previous)
                    && !is_taken_alone
            })
            .map(|(_, amount)| amount)
            .sum()
    }

    fn batches(&self, findings: &mut Findings) {
        let mut groups: BTreeMap<(usize, NaiveDate), Vec<&Batch>> = BTreeMap::new();
        for batch in &self.records.batches {
            if self.is_known(batch.merchant) && self.is_scoped(batch.date) {
                groups.entry((batch.merchant, batch.date)).or_default().push(batch);
            }
        }
        for ((merchant, date), batches) in groups {
            let transfers: Vec<&Transfer> = self.settled_items(merchant, date).collect();
            if transfers.is_empty() || batches.len() == 1 {
                for batch in batches {
                    self.batch_totals(findings, &[batch], &transfers);
                }
            } else {
                self.batch_totals(findings, &batches, &transfers);
            }
        }
    }

    fn settled_items(&self, merchant: usize, date: NaiveDate) -> impl Iterator<Item = &Transfer> {
        self.records.transfers.iter().filter(move |transfer| {
            transfer.merchant == merchant
                && transfer.settled == Some(date)
                && transfer.is_listed
                && transfer.return_of.is_none()
                && transfer.transfer_type != TransferType::AccountVerification
        })
    }

    fn batch_totals(&self, findings: &mut Findings, batches: &[&Batch], transfers: &[&Transfer]) {
        let ids: BTreeSet<i64> = batches.iter().map(|batch| batch.id).collect();
        let mut distinct: BTreeMap<i64, &Authorization> = BTreeMap::new();
        for item in &self.records.authorizations {
            if ids.contains(&item.batch_id) && item.kind != CardKind::None {
                distinct.entry(item.transaction_id).or_insert(item);
            }
        }
        let (mut sales, mut returns) = (0, 0);
        for item in distinct.values() {
            match item.kind {
                CardKind::Return => returns += item.amount,
                _ => sales += item.amount,
            }
        }
        for transfer in transfers {
            let is_refund = transfer.transfer_type.is_refund();
            *(if is_refund { &mut returns } else { &mut sales }) += transfer.amount;
        }
        let count = i64::try_from(distinct.len() + transfers.len()).unwrap();
        let sum = |figure: fn(&Batch) -> i64| batches.iter().map(|batch| figure(batch)).sum();
        let figures: [(&str, i64, i64); 3] = [
            ("BATCH_SALES_MISMATCH", sales, sum(|batch| batch.sales)),
            ("BATCH_RETURNS_MISMATCH", returns, sum(|batch| batch.returns)),
            ("BATCH_COUNT_MISMATCH", count, sum(|batch| batch.count)),
        ];
        let id = join(ids.iter().map(i64::to_string));
        for (code, items, header) in figures {
            if items != header {
                let subject = (code, batches[0].merchant, id.as_str());
                self.report(findings, subject, Some((items, header)), |entry| {
                    entry.batch_id.clone_from(&id);
                });
            }
        }
    }

    fn cards(&self, findings: &mut Findings) {
        let listed: BTreeSet<i64> = self.records.batches.iter().map(|batch| batch.id).collect();
        let mut lowest: BTreeMap<(u32, i64), i64> = BTreeMap::new();
        for item in &self.records.authorizations {
            if item.kind != CardKind::None {
                let first = lowest.entry((item.merchant, item.transaction_id)).or_insert(item.id);
                *first = item.id.min(*first);
            }
        }
        for item in &self.records.authorizations {
            let merchant = item.merchant as usize;
            if !self.is_known(merchant) || !self.is_scoped(item.date) || item.kind == CardKind::None
            {
                continue;
            }
            let is_capture = item.kind == CardKind::Capture;
            let tolerance = self.records.merchants[merchant].capture_tolerance_percent;
            let most = |asked: i64| asked * i64::from(100 + tolerance) / 100;
            let asked = item.preauthorization.filter(|asked| *asked > 0);
            let asked = asked.filter(|asked| most(*asked) < item.amount);
            let refused = item.response.is_some_and(|response| response >= FIRST_REFUSAL);
            let names_batch = item.role != Role::NoBatch;
            let has_batch = names_batch && listed.contains(&item.batch_id);
            let is_extra = lowest[&(item.merchant, item.transaction_id)] != item.id;
            let verdicts = [
                ("CAPTURE_EXCEEDS_AUTHORIZATION", is_capture && asked.is_some(), asked),
                ("DECLINED_BUT_CAPTURED", is_capture && refused, None),
                ("DUPLICATE_TRANSACTION", is_extra, None),
                ("ITEM_WITHOUT_BATCH", !has_batch, None),
            ];
            for (code, _, expected) in verdicts.into_iter().filter(|verdict| verdict.1) {
                let subject = (code, merchant, &*item.id.to_string());
                let figures = (expected.unwrap_or(0), item.amount);
                self.report(findings, subject, Some(figures), |entry| {
                    if names_batch {
                        entry.batch_id = item.batch_id.to_string();
                    }
                    entry.authorization_id = item.id.to_string();
                    entry.transaction_id = item.transaction_id.to_string();
                });
            }
        }
    }

    fn transfers(&self, findings: &mut Findings) {
        for (at, transfer) in self.records.transfers.iter().enumerate() {
            if !self.is_known(transfer.merchant) || transfer.return_of.is_some() {
                continue;
            }
            self.settlement(findings, transfer);
            self.refunds(findings, at);
            for entry in &transfer.returns {
                let due = self.due(transfer.merchant, entry.date, 5);
                if due <= self.date && !entry.represented && !entry.closed {
                    let subject = ("RETURN_OUTSTANDING", transfer.merchant, &*transfer.id);
                    self.report(findings, subject, Some((0, transfer.amount)), |entry| {
                        entry.payment_id.clone_from(&transfer.id);
                    });
                }
            }
        }
    }

    fn settlement(&self, findings: &mut Findings, transfer: &Transfer) {
        use TransferStatus::{Complete, Declined, Pending, Ready, Returned, Reversal};
        if transfer.transfer_type == TransferType::AccountVerification {
            return;
        }
        let is_refund = transfer.transfer_type.is_refund();
        let name = |entry: &mut Expected| {
            let id = if is_refund { &mut entry.refund_id } else { &mut entry.payment_id };
            id.clone_from(&transfer.id);
        };
        let came_back = transfer.returns.iter().any(|entry| entry.date <= self.date);
        let is_expected = matches!(transfer.status, Ready | Pending | Complete)
            || (transfer.status == Returned && !came_back);
        let is_settled = transfer.settled.is_some_and(|settled| settled <= self.date);
        let is_due = self.due(transfer.merchant, transfer.run_date, 1) <= self.date;
        let is_judged =
            transfer.shows_time && (transfer.run_date >= self.from || transfer.settled.is_none());
        if is_expected && !is_settled && is_due && is_judged {
            let code = if is_refund { "REFUND_NOT_SETTLED" } else { "PAYMENT_NOT_SETTLED" };
            let subject = (code, transfer.merchant, &*transfer.id);
            self.report(findings, subject, Some((transfer.amount, 0)), name);
        }
        let Some(settled) = transfer.settled.filter(|settled| self.is_scoped(*settled)) else {
            return;
        };
        assert!(
            !self.group_batches(transfer.merchant, settled).is_empty(),
            "{} settled without a batch",
            transfer.id
        );
        if matches!(transfer.status, Declined | Reversal) {
            let subject = ("SETTLED_DESPITE_STATUS", transfer.merchant, &*transfer.id);
            self.report(findings, subject, Some((0, transfer.amount)), name);
        }
    }

    fn refunds(&self, findings: &mut Findings, at: usize) {
        let transfer = &self.records.transfers[at];
        if let PaymentLink::Unknown(payment) = &transfer.payment
            && self.is_scoped(transfer.run_date)
        {
            let subject = ("REFUND_WITHOUT_PAYMENT", transfer.merchant, &*transfer.id);
            self.report(findings, subject, Some((0, transfer.amount)), |entry| {
                entry.refund_id.clone_from(&transfer.id);
                entry.payment_id.clone_from(payment);
            });
        }
        let transfers = self.records.transfers.iter().enumerate();
        let refunds: Vec<&Transfer> = transfers
            .filter(|(index, refund)| {
                let names_it = refund.payment == PaymentLink::Known(at);
                assert_eq!(names_it, transfer.refunds.contains(index), "{}", refund.id);
                names_it
                    && refund.run_date <= self.date
                    && !matches!(refund.status, TransferStatus::Declined | TransferStatus::Reversal)
            })
            .map(|(_, refund)| refund)
            .collect();
        let total: i64 = refunds.iter().map(|refund| refund.amount).sum();
        if total > transfer.amount {
            let subject = ("REFUND_EXCEEDS_PAYMENT", transfer.merchant, &*transfer.id);
            self.report(findings, subject, Some((transfer.amount, total)), |entry| {
                entry.payment_id.clone_from(&transfer.id);
                entry.refund_id = join(refunds.iter().map(|refund| refund.id.clone()));
            });
        }
    }
}

fn join(ids: impl Iterator<Item = String>) -> String {
    let mut ids: Vec<String> = ids.collect();
    ids.sort();
    ids.join(";")
}
