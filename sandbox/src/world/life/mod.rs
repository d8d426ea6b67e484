//! Works the kinds of a world into plain records: events in settlement that are not discrepancies.
//! Each one ties out with all records that it touches, and reserves its merchant-days, so that
//! plants do not affect it.

mod cards;
mod deposits;
mod disputes;
mod orders;
mod returned;
mod shops;
mod transfers;
mod weaver;

use super::records::{Records, Standing};
use super::{Kind, WorldOptions};
use crate::random::Random;

pub use weaver::Woven;

use weaver::Weaver;

/// One in this many free merchant-days of the range gets an occurrence of a kind.
const DAYS_PER_KIND: usize = 30;

/// Works every kind named in `options` into `records`.
pub fn weave(options: &WorldOptions, records: &mut Records) -> Woven {
    let mut woven = Woven::default();
    for (place, kind) in Kind::every().enumerate() {
        if !options.kinds.contains(&kind) {
            continue;
        }
        let mut weaver = Weaver {
            records: &mut *records,
            from: options.from,
            to: options.to,
            random: Random::new(options.seed, &[30, place as u64]),
            woven: &mut woven,
        };
        weave_kind(&mut weaver, kind);
    }
    records.fees.sort_by_key(|fee| (fee.listed_date, fee.deposit_id));
    records.disputes.sort_by_key(|dispute| dispute.id);
    woven
}

fn weave_kind(weaver: &mut Weaver<'_>, kind: Kind) {
    let times = 1 + weaver.free_days().len() / DAYS_PER_KIND;
    for nth in 0..times {
        // A world without room for a further occurrence has fewer.
        if work_in(weaver, kind, nth).is_some() {
            *weaver.woven.counts.entry(kind).or_default() += 1;
        }
    }
}

/// Works one more occurrence of a kind in.
fn work_in(weaver: &mut Weaver<'_>, kind: Kind, nth: usize) -> Option<()> {
    match kind {
        Kind::WeekendDeposits => deposits::pay_together(weaver),
        Kind::DateBeside => deposits::move_association_date(weaver),
        Kind::SplitCaptures => cards::capture_in_parts(weaver, nth),
        Kind::Tips => cards::tip(weaver),
        Kind::Disputes => disputes::dispute(weaver, nth),
        Kind::ReturnsWithoutBatch => deposits::return_without_batch(weaver),
        Kind::UndatedReturns => transfers::return_undated(weaver),
        Kind::RareStatuses if nth == 0 => {
            transfers::change_statuses(weaver);
            Some(())
        }
        Kind::Holds => cards::hold(weaver, nth),
        Kind::ThirdParty => cards::pay_elsewhere(weaver, nth),
        Kind::Withdrawn => cards::set_aside(weaver, Standing::Withdrawn),
        Kind::LateRecords => transfers::list_late(weaver),
        Kind::OwnContracts if nth == 0 => shops::contract_of_its_own(weaver),
        Kind::ClosedFirst if nth == 0 => shops::close_first(weaver),
        Kind::DailyRepeats => shops::repeat_next_day(weaver),
        Kind::MonthlyFees if nth == 0 => deposits::bill_by_month(weaver),
        Kind::LateDeductions => returned::deduct_late(weaver),
        Kind::NeverSettledReturns => returned::return_unsettled(weaver),
        Kind::CorrectionNotices => returned::notify(weaver),
        Kind::DishonoredReturns => returned::dishonor(weaver),
        Kind::CollectedByHand => returned::collect_by_hand(weaver),
        Kind::TimelessTransfers if nth == 0 => returned::hide_times(weaver),
        Kind::DisputesToAndFro => disputes::lost_after_winning(weaver),
        Kind::OldDisputes => disputes::won_of_before(weaver),
        Kind::LateVoids => orders::give_back(weaver),
        Kind::Subscriptions => orders::subscribe(weaver),
        Kind::OrdersInParts => orders::order_in_parts(weaver),
        // These occur once in a world, or are written with the books and statements.
        _ => None,
    }
}
