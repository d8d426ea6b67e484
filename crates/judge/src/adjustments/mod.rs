//! Explains the rest of a group's `achAdjustment` after the returns of its own date: first by
//! returned bank transfers that a later deposit deducted; then by disputes, group by group in order
//! of their dates, each movement once; then by negative balances that were carried, alone or with
//! entries of the other kinds; and by deposits that did not arrive. Fills the tables of
//! `crates/store/sql/asof/21_adjustments.sql` and decides nothing else.

mod again;
mod carried;
mod choices;
mod disputes;
mod explained;
mod later;
mod nearest;
mod others;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

pub use self::again::NotCredited;
use self::again::{Given, paid_again};
use self::carried::{Beyond, Left, carried};
use self::choices::{Choices, Movement, Part, choices};
use self::disputes::{Disputes, Moved, is_in_reach, movements, name};
use self::explained::{Explained, still_open};
use self::later::Late;
use self::others::Others;
use self::words::{exceeds, money};
use crate::{AsOf, JudgeError, problem};
use tieout_model::{DepositId, DisputeId, MerchantId, Resource};
use tieout_store::judging::{self, AdjustedDeposit, BelowZero, Group};
use tieout_store::{StatementError, Store, key_operations};

/// Calendar days that cover the ten banking days in which a dispute moves money, whatever the
/// holidays.
const REACH_DAYS: i64 = 20;

/// Maximum number of choices that an explanation names.
const NAMED_CHOICES: usize = 4;

const CARRIED_COLUMNS: &str = "merchant_id, batch_date, currency, ach_deposit_id, batch_ids, \
                               balance_minor, owed_minor, into_deposit_id, into_day, rest_minor, \
                               until_date";
const EXCEEDED_COLUMNS: &str = "merchant_id, batch_date, currency, ach_deposit_id, said";

/// A merchant and a currency.
type Key = (MerchantId, String);

/// Inputs of the adjustment leg other than the store.
pub struct Terms<'a> {
    /// The deposits of which a statement holds a line.
    pub at_bank: &'a BTreeSet<DepositId>,
    pub not_credited: &'a [NotCredited],
    /// The last day on which a later deposit can take a balance of a merchant that was paid, or
    /// partly taken, on a day.
    pub carried_until: &'a dyn Fn(&MerchantId, NaiveDate) -> NaiveDate,
}

/// Fills the adjustment tables as of the prepared date.
pub fn fill(store: &Store, asof: &AsOf, terms: &Terms<'_>) -> Result<(), JudgeError> {
    let failed = |source| JudgeError::Prepare {
        step: "the explanations of adjustments".to_owned(),
        business_date: asof.business_date,
        source,
    };
    let empty = "delete from temp.group_adjustments; delete from temp.explaining_disputes; \
                 delete from temp.carried_balances; delete from temp.exceeded_balances;";
    judging::run(store, empty).map_err(failed)?;
    let mut by_key: BTreeMap<Key, Vec<Group>> = BTreeMap::new();
    for group in judging::groups(store).map_err(failed)? {
        let key = (group.merchant_id.clone(), group.currency.clone());
        by_key.entry(key).or_default().push(group);
    }
    let has_disputes = key_operations::has(store, Resource::Disputes.as_str())?;
    let unread = if by_key.is_empty() {
        BTreeSet::new()
    } else {
        unread_days(store, asof).map_err(failed)?
    };
    let reading = Reading { store, has_disputes, unread: &unread };
    for (key, mut groups) in by_key {
        let mut explained = || {
            let mut late = Late::read(store, (&key.0, &key.1), &groups)?;
            late.deduct(store, &mut groups)?;
            groups.retain(|group| group.left != 0);
            let (mut found, disputes) = reading.by_disputes(&key, &groups)?;
            let others = Others { late, disputes };
            carry(store, &key, &mut groups, &mut found, (others, terms))?;
            pay_again(store, &key, &groups, &mut found, terms)?;
            insert(store, &groups, &found)
        };
        explained().map_err(failed)?;
    }
    judging::wait_for_rests(store).map_err(failed)
}

struct Reading<'a> {
    store: &'a Store,
    /// `None` if it is not known whether the key has the operation.
    has_disputes: Option<bool>,
    unread: &'a BTreeSet<NaiveDate>,
}

impl Reading<'_> {
    /// The part of each group's adjustment that disputes explain, the earliest group first.
    fn by_disputes(
        &self,
        (merchant_id, currency): &Key,
        groups: &[Group],
    ) -> Result<(Vec<Explained>, Disputes), StatementError> {
        let mut disputes = Disputes::default();
        if self.has_disputes == Some(false) {
            let blind = |_| Explained { verdict: "blind", ..Explained::default() };
            return Ok((groups.iter().map(blind).collect(), disputes));
        }
        disputes.moved = movements(self.store, merchant_id, currency)?;
        let unclear = judging::unclear_disputes(self.store, merchant_id)?;
        let mut found = Vec::new();
        for group in groups {
            let mut one = explain(group, &mut disputes);
            if one.verdict == "explained" && self.unread_day(group).is_none() {
                found.push(one);
                continue;
            }
            one.problem = self.problem(group, &disputes.moved, &unclear);
            if one.verdict == "explained" {
                (one.verdict, one.parts) = ("unread", Vec::new());
            }
            found.push(one);
        }
        Ok((found, disputes))
    }

    /// A day whose disputes were not read and can have moved the money.
    fn unread_day(&self, group: &Group) -> Option<NaiveDate> {
        let first = group.deposits.iter().map(|one| one.sent).min()?;
        let last = group.deposits.iter().map(|one| one.sent).max()?;
        let first = first.checked_sub_signed(chrono::Duration::days(REACH_DAYS))?;
        self.unread.range(first..=last).next().copied()
    }

    /// The reason why it is unknown whether disputes explain the group.
    fn problem(
        &self,
        group: &Group,
        moved: &[Moved],
        unclear: &[(DisputeId, NaiveDate)],
    ) -> Option<String> {
        let last = group.deposits.iter().map(|one| one.sent).max()?;
        if let Some(day) = self.unread_day(group) {
            return Some(problem::selected("disputes_unread", day));
        }
        let unknown = moved.iter().find(|one| one.is_unclear && is_in_reach(group, one));
        if let Some(one) = unknown {
            return Some(problem::selected("dispute_without_amount", one.dispute_id));
        }
        let (id, _) = unclear.iter().find(|(_, first)| *first <= last)?;
        Some(problem::selected("statuses_unread", id))
    }
}

/// Explains one group by movements that no earlier group has used.
fn explain(group: &Group, disputes: &mut Disputes) -> Explained {
    let free = disputes.free(group);
    let Disputes { moved, used } = disputes;
    let movements: Vec<Movement> = free.iter().map(|at| moved[*at].movement.clone()).collect();
    let of_dispute = |parts: &[Part]| -> Vec<(usize, i64)> {
        parts.iter().map(|(at, amount)| (free[*at], *amount)).collect()
    };
    match choices(group.left, &movements) {
        Choices::None => Explained { verdict: "none", ..Explained::default() },
        Choices::TooMany => Explained { verdict: "bounded", ..Explained::default() },
        Choices::Several(ways) => {
            let mut said: Vec<String> = ways
                .iter()
                .take(NAMED_CHOICES)
                .map(|way| name(moved, &of_dispute(way), &group.currency))
                .collect();
            if ways.len() > NAMED_CHOICES {
                said.push("others".to_owned());
            }
            Explained { verdict: "several", said: said.join(", or "), ..Explained::default() }
        }
        Choices::One(parts) => {
            let parts = of_dispute(&parts);
            used.extend(parts.iter().map(|(at, _)| *at));
            Explained {
                verdict: "explained",
                said: name(moved, &parts, &group.currency),
                parts: parts.iter().map(|(at, sum)| (moved[*at].dispute_id, *sum)).collect(),
                ..Explained::default()
            }
        }
    }
}

/// Explains by carried negative balances the adjustments that are still unexplained, alone or with
/// entries of the other kinds.
fn carry(
    store: &Store,
    (merchant_id, currency): &Key,
    groups: &mut [Group],
    found: &mut [Explained],
    (mut others, terms): (Others, &Terms<'_>),
) -> Result<(), StatementError> {
    let mut below = judging::below_zero(store, merchant_id, currency)?;
    below.retain(|one: &BelowZero| one.deposit.is_none_or(|id| !terms.at_bank.contains(&id)));
    let balances = carried::balances_of(&below, groups);
    let open = still_open(found);
    let left: Vec<Left> = open
        .iter()
        .map(|&at| Left {
            group: at,
            amount: groups[at].left,
            paid: adjusting(&groups[at]).map(|one| one.paid).collect(),
            others: others.of(groups, at, found[at].problem.is_none()),
        })
        .collect();
    let until = |day: NaiveDate| (terms.carried_until)(merchant_id, day);
    let mut rows = Vec::new();
    let steps = carried(&balances, &left, &until);
    for step in &steps.steps {
        let (one, group) = (&below[step.balance], open[step.left]);
        let Some(into) = adjusting(&groups[group]).nth(step.deposit) else { continue };
        found[group].verdict = "explained";
        found[group].problem = None;
        found[group].carried += step.amount;
        rows.push((
            merchant_id.as_str(),
            &one.batch_date,
            currency,
            one.deposit.map(|id| id.0),
            &one.batch_ids,
            one.owed,
            step.amount,
            into.id.0,
            into.paid.to_string(),
            step.rest,
            step.until.to_string(),
        ));
    }
    judging::insert(store, "carried_balances", CARRIED_COLUMNS, rows)?;
    for (at, set) in &steps.others {
        others.take(store, groups, found, (open[*at], set))?;
    }
    for over in &steps.exceeded {
        let one = &below[over.balance];
        let into = |by: &Beyond| Some((adjusting(&groups[open[by.0]]).nth(by.1)?.id, by.2));
        let by: Vec<(DepositId, i64)> = over.by.iter().filter_map(into).collect();
        let said = exceeds(one, &by, currency);
        for by in &over.by {
            found[open[by.0]].exceeds.push(said.clone());
        }
        let row =
            (merchant_id.as_str(), &one.batch_date, currency, one.deposit.map(|id| id.0), said);
        judging::insert(store, "exceeded_balances", EXCEEDED_COLUMNS, [row])?;
    }
    let is_taken = |at: &usize| steps.steps.iter().any(|step| step.balance == *at);
    let open = (0..below.len()).filter(|at| !is_taken(at)).map(|at| (&below[at], &balances[at]));
    nearest::name(groups, found, &left, &others, &open.collect::<Vec<_>>());
    Ok(())
}

fn adjusting(group: &Group) -> impl Iterator<Item = &AdjustedDeposit> {
    group.deposits.iter().filter(|one| one.adjustment != 0)
}

/// Explains by deposits that did not arrive the negative adjustments that are still unexplained.
/// Once the bank shows the later deposit, the first is settled; until then it names the later one.
fn pay_again(
    store: &Store,
    key: &Key,
    groups: &[Group],
    found: &mut [Explained],
    terms: &Terms<'_>,
) -> Result<(), StatementError> {
    let is_own = |one: &&NotCredited| &one.of == key;
    let missing: Vec<&NotCredited> = terms.not_credited.iter().filter(is_own).collect();
    let (merchant_id, currency) = key;
    let open = still_open(found);
    let given = open.iter().map(|&at| Given {
        amount: groups[at].left,
        paid: adjusting(&groups[at]).map(|one| one.paid).collect(),
    });
    let until = |day: NaiveDate| (terms.carried_until)(merchant_id, day);
    let (mut settled, mut named) = (Vec::new(), Vec::new());
    for again in paid_again(&missing, &given.collect::<Vec<_>>(), &until) {
        let (one, group) = (missing[again.missing], open[again.given]);
        let Some(into) = adjusting(&groups[group]).nth(again.deposit) else { continue };
        let (day, amount, by) = (into.paid.to_string(), groups[group].left, into.id);
        found[group].verdict = "explained";
        found[group].problem = None;
        found[group].carried += amount;
        let id = one.deposit.0;
        if terms.at_bank.contains(&by) {
            let until = day.clone();
            settled.push((
                merchant_id.as_str(),
                "",
                currency,
                id,
                "",
                amount,
                amount,
                by.0,
                day,
                0,
                until,
            ));
        } else {
            let said = format!(
                "Deposit {by}, paid on {day}, adjusts by {} and seems to pay it again.",
                money(amount, currency)
            );
            named.push((merchant_id.as_str(), "", currency, id, said));
        }
    }
    judging::insert(store, "carried_balances", CARRIED_COLUMNS, settled)?;
    judging::insert(store, "exceeded_balances", EXCEEDED_COLUMNS, named)
}

fn insert(store: &Store, groups: &[Group], found: &[Explained]) -> Result<(), StatementError> {
    let all = || groups.iter().zip(found);
    let adjustments = all().map(|(group, one)| {
        (
            group.merchant_id.as_str(),
            &group.batch_date,
            &group.currency,
            one.verdict,
            &one.said,
            &one.problem,
            one.parts.iter().map(|part| part.1).sum::<i64>(),
            one.carried,
            one.exceeds.join(" "),
            one.near.sentence.trim_start(),
            &one.near.others,
        )
    });
    let columns = "merchant_id, batch_date, currency, verdict, said, problem, disputed_minor, \
                   carried_minor, exceeds, nearest, also_near";
    judging::insert(store, "group_adjustments", columns, adjustments)?;
    let disputes = all().flat_map(|(group, one)| {
        let of_group = (group.merchant_id.as_str(), &group.batch_date);
        one.parts.iter().map(move |(id, amount)| (id.0, of_group.0, of_group.1, amount))
    });
    let columns = "dispute_id, merchant_id, batch_date, amount_minor";
    judging::insert(store, "explaining_disputes", columns, disputes)
}

/// The days whose disputes were not read, from the earliest adjustment in reach up to the date.
fn unread_days(store: &Store, asof: &AsOf) -> Result<BTreeSet<NaiveDate>, StatementError> {
    let first = judging::first_adjusted(store)? - chrono::Duration::days(REACH_DAYS);
    let read = judging::days_with_disputes(store, first, asof.business_date)?;
    let days = first.iter_days().take_while(|day| *day <= asof.business_date);
    Ok(days.filter(|day| !read.contains(day)).collect())
}
