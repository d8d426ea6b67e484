//! The batches of a world and the card authorizations in them, day by day.
//! Header totals come later, when the bank transfers are known (`totals.rs`).

use chrono::{Datelike, NaiveDate, Weekday};

use super::records::{
    APPROVED, Authorization, Batch, CARDS, CardKind, FIRST_REFUSAL, Merchant, PARTIAL_APPROVAL,
    RESPONSES, Role, Standing,
};
use crate::random::Random;

/// Ids begin in the range of real ones, and rise in steps of at least two, so that a plant finds a
/// free id right after any record without breaking the order.
const FIRST_BATCH_ID: i64 = 90_210;
const FIRST_AUTHORIZATION_ID: i64 = 4_402_914;
const FIRST_TRANSACTION_ID: i64 = 6_130_076;

/// Batches without totals, and authorizations without deposits, both in order of id.
pub struct Cards {
    pub batches: Vec<Batch>,
    pub authorizations: Vec<Authorization>,
}

/// The number of each kind that a merchant submits on a day.
struct Submission {
    merchant: usize,
    is_empty: bool,
    weight: u64,
}

/// Submits batches on every date from `start` to `end`, with `per_day` authorizations a day.
pub fn generate(
    seed: u64,
    merchants: &[Merchant],
    (start, end): (NaiveDate, NaiveDate),
    per_day: u32,
) -> Cards {
    let mut builder = Builder {
        random: Random::new(seed, &[2]),
        next_batch: FIRST_BATCH_ID,
        next_authorization: FIRST_AUTHORIZATION_ID,
        next_transaction: FIRST_TRANSACTION_ID,
        cards: Cards { batches: Vec::new(), authorizations: Vec::new() },
    };
    for date in start.iter_days().take_while(|date| *date <= end) {
        let submissions = builder.submissions(merchants, date);
        let total: u64 = submissions.iter().map(|submission| submission.weight).sum();
        let (mut weight, mut handed_out) = (0, 0);
        for submission in submissions {
            weight += submission.weight;
            // Shares of a running sum add up to `per_day` exactly.
            let due = (u64::from(per_day) * weight).checked_div(total).unwrap_or(0);
            let count = u32::try_from(due - handed_out).unwrap_or(u32::MAX);
            handed_out = due;
            builder.submit(&merchants[submission.merchant], &submission, date, count);
        }
    }
    builder.cards
}

struct Builder {
    random: Random,
    next_batch: i64,
    next_authorization: i64,
    next_transaction: i64,
    cards: Cards,
}

impl Builder {
    fn submissions(&mut self, merchants: &[Merchant], date: NaiveDate) -> Vec<Submission> {
        let is_weekend = matches!(date.weekday(), Weekday::Sat | Weekday::Sun);
        let mut submissions = Vec::new();
        for (index, merchant) in merchants.iter().enumerate() {
            let skips = self.random.chance(merchant.skips_percent);
            let is_empty = self.random.chance(2);
            let noise = u64::from(self.random.between(80, 120));
            if skips || merchant.is_silent {
                continue;
            }
            let weekend = if is_weekend { 60 } else { 100 };
            let weight = if is_empty { 0 } else { merchant.weight * noise * weekend };
            submissions.push(Submission { merchant: index, is_empty, weight });
        }
        submissions
    }

    fn submit(
        &mut self,
        merchant: &Merchant,
        submission: &Submission,
        date: NaiveDate,
        count: u32,
    ) {
        let is_split = !submission.is_empty && self.random.chance(12);
        let morning = if is_split { count * 2 / 3 } else { count };
        for (is_evening, count) in [(false, morning), (true, count - morning)] {
            if is_evening && !is_split {
                break;
            }
            self.next_batch += self.random.amount(2, 9);
            let batch = Batch {
                id: self.next_batch,
                merchant: submission.merchant,
                date,
                is_evening,
                sales: 0,
                returns: 0,
                count: 0,
            };
            for _ in 0..count {
                let authorization = self.authorization(merchant, &batch);
                self.cards.authorizations.push(authorization);
            }
            self.cards.batches.push(batch);
        }
    }

    fn authorization(&mut self, merchant: &Merchant, batch: &Batch) -> Authorization {
        let random = &mut self.random;
        self.next_authorization += random.amount(2, 5);
        let kind = match random.between(1, 100) {
            1..=4 => CardKind::None,
            5..=11 => CardKind::Return,
            _ => CardKind::Capture,
        };
        if kind != CardKind::None {
            self.next_transaction += random.amount(2, 5);
        }
        let amount = match merchant.currency {
            "JPY" => random.amount(120, 30_000),
            _ => random.amount(150, 28_000),
        };
        let (response, preauthorization) = decision(random, kind, amount);
        Authorization {
            id: self.next_authorization,
            part_of: 0,
            transaction_id: self.next_transaction,
            batch_id: batch.id,
            deposit_id: 0,
            amount,
            preauthorization,
            date: batch.date,
            merchant: u32::try_from(batch.merchant).unwrap_or(u32::MAX),
            kind,
            response,
            card: u8::try_from(random.index(CARDS.len())).unwrap_or(0),
            card_last4: u16::try_from(random.between(0, 9_999)).unwrap_or(0),
            is_day_before: random.chance(20),
            role: Role::Ordinary,
            standing: Standing::Ordinary,
        }
    }
}

/// The issuer's answer and the requested amount, which a capture never exceeds.
fn decision(random: &mut Random, kind: CardKind, amount: i64) -> (Option<u8>, Option<i64>) {
    match kind {
        CardKind::None => {
            let refusals = u8::try_from(RESPONSES.len()).unwrap_or(u8::MAX) - FIRST_REFUSAL;
            let nth = u8::try_from(random.index(usize::from(refusals))).unwrap_or(0);
            (Some(FIRST_REFUSAL + nth), Some(amount))
        }
        // A return often has no authorization, and a declined one proves nothing.
        CardKind::Return => match random.between(1, 10) {
            1..=6 => (None, None),
            7 => (Some(FIRST_REFUSAL), Some(0)),
            _ => (Some(APPROVED), None),
        },
        CardKind::Capture => match random.between(1, 100) {
            1..=3 => (None, Some(amount)),
            4..=6 => (Some(APPROVED), None),
            // Zero means that no authorization was requested.
            7..=8 => (Some(APPROVED), Some(0)),
            9..=11 => (Some(PARTIAL_APPROVAL), Some(amount + random.amount(100, 4_000))),
            12..=14 => (Some(PARTIAL_APPROVAL + 1), Some(amount + random.amount(100, 4_000))),
            15..=24 => (Some(APPROVED), Some(amount + random.amount(1, 2_500))),
            25..=34 => {
                let nth = u8::try_from(random.between(1, 5)).unwrap_or(APPROVED);
                (Some(nth), Some(amount))
            }
            _ => (Some(APPROVED), Some(amount)),
        },
    }
}
