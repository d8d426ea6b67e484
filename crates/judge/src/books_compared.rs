//! Compares books resumed from an earlier date with books matched afresh.

use chrono::NaiveDate;

use super::merchant_books::MerchantBooks;

/// A warning for each merchant whose resumed books differ from those matched afresh.
pub(super) fn compare(
    date: NaiveDate,
    afresh: &[MerchantBooks],
    gone_on: &[MerchantBooks],
) -> Vec<String> {
    let mut differing = Vec::new();
    for one in gone_on {
        let same = afresh.iter().find(|other| other.merchant_id == one.merchant_id);
        if !same.is_some_and(|other| one.comes_to(other)) {
            differing.push(format!(
                "the books of merchant {} have another result when they resume from an earlier \
                 date than when all of them are matched again; the report holds the second \
                 result: please report this fault",
                one.merchant_id
            ));
        }
    }
    tracing::info!(
        business_date = %date,
        stage = "reconcile",
        afresh = afresh.len(),
        compared = gone_on.len(),
        differing = differing.len(),
        "{date}: the books of {} merchants are matched again; those of {} could resume from an \
         earlier date, and {} of them have another result",
        afresh.len(),
        gone_on.len(),
        differing.len()
    );
    differing
}

impl MerchantBooks {
    /// Whether both have the same results.
    fn comes_to(&self, other: &Self) -> bool {
        let matches = |one: &Self| {
            let mut rows: Vec<String> = one.matches.iter().map(|row| format!("{row:?}")).collect();
            rows.sort_unstable();
            rows
        };
        let findings = |one: &Self| {
            let mut rows: Vec<String> = one
                .findings
                .iter()
                .map(|row| format!("{:?} {:?}", row.finding, row.named))
                .collect();
            rows.sort_unstable();
            rows
        };
        self.totals == other.totals
            && self.days == other.days
            && self.not_read == other.not_read
            && self.unposted == other.unposted
            && matches(self) == matches(other)
            && findings(self) == findings(other)
    }
}
