//! What explains the adjustment of a group's deposits beside bank transfers that came back: first
//! disputes, group by group in order of their dates, each movement once; then balances below zero
//! that were carried. Fills the tables of `sql/asof/08_adjustments.sql` and decides nothing else.

mod carried;
mod choices;

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use rusqlite::{Connection, Row};

use self::carried::{Balance, Left, carried};
use self::choices::{Choices, Movement, Part, choices};
use crate::judge::{AsOf, JudgeError};
use crate::model::Resource;
use crate::money::{Currency, Minor};
use crate::store::Store;

/// Calendar days that hold the ten banking days in which a dispute moves money, whatever the
/// holidays.
const REACH_DAYS: i64 = 20;

/// The choices that an explanation names.
const NAMED_CHOICES: usize = 4;

type Key = (String, String);

/// A group with what returned bank transfers leave over of its adjustment.
struct Group {
    merchant_id: String,
    batch_date: String,
    currency: String,
    left: i64,
    deposits: Vec<Deposit>,
}

#[derive(Clone, Debug)]
struct Deposit {
    id: i64,
    sent: NaiveDate,
    paid: NaiveDate,
    adjustment: i64,
}

/// A movement with the dispute that it is of, and the days up to which it can have happened.
struct Moved {
    dispute_id: i64,
    side: String,
    movement: Movement,
    windows: Vec<(NaiveDate, NaiveDate)>,
    /// Whether its amount or its fee is not known.
    is_unclear: bool,
}

/// What was found of a group.
#[derive(Default)]
struct Explained {
    verdict: &'static str,
    said: String,
    problem: Option<String>,
    parts: Vec<(i64, i64)>,
    carried: i64,
}

/// Fills the tables. `is_at_bank` says whether a statement holds a line of a deposit.
pub(crate) fn fill(
    store: &Store,
    asof: &AsOf,
    is_at_bank: &dyn Fn(i64) -> bool,
) -> Result<(), JudgeError> {
    let failed = |source| JudgeError::Prepare {
        step: "what explains the adjustments".to_owned(),
        business_date: asof.business_date,
        source,
    };
    let connection = store.connection();
    for table in ["group_adjustments", "explaining_disputes", "carried_balances"] {
        connection.execute(&format!("delete from temp.{table}"), []).map_err(failed)?;
    }
    let mut by_key: BTreeMap<Key, Vec<Group>> = BTreeMap::new();
    for group in groups(connection).map_err(failed)? {
        let key = (group.merchant_id.clone(), group.currency.clone());
        by_key.entry(key).or_default().push(group);
    }
    let has_disputes = store.has_operation(Resource::Disputes.as_str())?;
    let unread = if by_key.is_empty() {
        BTreeSet::new()
    } else {
        unread_days(connection, asof).map_err(failed)?
    };
    for ((merchant_id, currency), groups) in by_key {
        let reading = Reading { connection, has_disputes, unread: &unread };
        let mut found = reading.by_disputes(&merchant_id, &currency, &groups).map_err(failed)?;
        carry(connection, (&merchant_id, &currency), &groups, &mut found, is_at_bank)
            .map_err(failed)?;
        write(connection, &groups, &found).map_err(failed)?;
    }
    Ok(())
}

struct Reading<'a> {
    connection: &'a Connection,
    /// `None` when the key never said whether it has them.
    has_disputes: Option<bool>,
    unread: &'a BTreeSet<NaiveDate>,
}

impl Reading<'_> {
    /// What disputes explain of each group, the earliest first.
    fn by_disputes(
        &self,
        merchant_id: &str,
        currency: &str,
        groups: &[Group],
    ) -> rusqlite::Result<Vec<Explained>> {
        if self.has_disputes == Some(false) {
            let blind = |_| Explained { verdict: "blind", ..Explained::default() };
            return Ok(groups.iter().map(blind).collect());
        }
        let moved = movements(self.connection, merchant_id, currency)?;
        let unclear = unclear(self.connection, merchant_id)?;
        let mut used: BTreeSet<usize> = BTreeSet::new();
        let mut found = Vec::new();
        for group in groups {
            let mut one = explain(group, &moved, &mut used);
            if one.verdict == "explained" && self.unread_day(group).is_none() {
                found.push(one);
                continue;
            }
            one.problem = self.problem(group, &moved, &unclear);
            if one.verdict == "explained" {
                (one.verdict, one.parts) = ("unread", Vec::new());
            }
            found.push(one);
        }
        Ok(found)
    }

    /// A day of which the disputes were not read, and whose disputes can have moved the money.
    fn unread_day(&self, group: &Group) -> Option<NaiveDate> {
        let first = group.deposits.iter().map(|one| one.sent).min()?;
        let last = group.deposits.iter().map(|one| one.sent).max()?;
        let first = first.checked_sub_signed(chrono::Duration::days(REACH_DAYS))?;
        self.unread.range(first..=last).next().copied()
    }

    /// Why it is not known whether disputes explain the group.
    fn problem(
        &self,
        group: &Group,
        moved: &[Moved],
        unclear: &[(i64, NaiveDate, String)],
    ) -> Option<String> {
        let last = group.deposits.iter().map(|one| one.sent).max()?;
        if let Some(day) = self.unread_day(group) {
            return Some(format!("the disputes of {day} were not read completely"));
        }
        let unknown = moved.iter().find(|one| one.is_unclear && is_in_reach(group, one));
        if let Some(one) = unknown {
            return Some(format!("dispute {} leaves its amount or fee out", one.dispute_id));
        }
        let open = unclear.iter().find(|(_, first, _)| *first <= last);
        open.map(|(_, _, problem)| problem.clone())
    }
}

fn is_in_reach(group: &Group, moved: &Moved) -> bool {
    group.deposits.iter().any(|deposit| {
        moved.windows.iter().any(|(from, until)| (*from..=*until).contains(&deposit.sent))
    })
}

/// Explains one group by what no earlier one has used.
fn explain(group: &Group, moved: &[Moved], used: &mut BTreeSet<usize>) -> Explained {
    let free: Vec<usize> = (0..moved.len())
        .filter(|at| !used.contains(at) && is_in_reach(group, &moved[*at]))
        .collect();
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

/// A choice in words: *5117 (-44.99 USD) and 5118 (15.00 USD)*.
fn name(moved: &[Moved], parts: &[(usize, i64)], currency: &str) -> String {
    let amount = |amount: i64| {
        Currency::from_code(currency)
            .map_or_else(|| format!("{amount} {currency}"), |known| known.in_words(Minor(amount)))
    };
    let each =
        parts.iter().map(|(at, sum)| format!("{} ({})", moved[*at].dispute_id, amount(*sum)));
    each.collect::<Vec<_>>().join(" and ")
}

/// Balances below zero that explain what nothing else does.
fn carry(
    connection: &Connection,
    (merchant_id, currency): (&str, &str),
    groups: &[Group],
    found: &mut [Explained],
    is_at_bank: &dyn Fn(i64) -> bool,
) -> rusqlite::Result<()> {
    let below = below_zero(connection, merchant_id, currency)?;
    let below: Vec<Below> =
        below.into_iter().filter(|one| one.deposit.is_none_or(|id| !is_at_bank(id))).collect();
    let position = |date: &str| groups.iter().position(|group| group.batch_date == date);
    let balances: Vec<Balance> = below
        .iter()
        .enumerate()
        .map(|(at, one)| Balance {
            // A group of its own is another than any with something left.
            group: position(&one.batch_date).unwrap_or(groups.len() + at),
            owed: one.owed,
            after: one.after,
            until: one.until,
        })
        .collect();
    let open: Vec<usize> =
        (0..groups.len()).filter(|at| matches!(found[*at].verdict, "none" | "blind")).collect();
    let adjusting = |at: usize| groups[at].deposits.iter().filter(|one| one.adjustment != 0);
    let left: Vec<Left> = open
        .iter()
        .map(|&at| Left {
            group: at,
            amount: groups[at].left,
            paid: adjusting(at).map(|one| one.paid).collect(),
        })
        .collect();
    let mut insert = connection.prepare_cached(
        "insert into temp.carried_balances (merchant_id, batch_date, currency, ach_deposit_id, \
         batch_ids, owed_minor, into_deposit_id, into_day) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    for (at, (place, deposit)) in carried(&balances, &left) {
        let (one, group) = (&below[at], open[place]);
        let Some(into) = adjusting(group).nth(deposit) else { continue };
        found[group].verdict = "explained";
        found[group].problem = None;
        found[group].carried += one.owed;
        insert.execute((
            merchant_id,
            &one.batch_date,
            currency,
            one.deposit,
            &one.batch_ids,
            one.owed,
            into.id,
            into.paid.to_string(),
        ))?;
    }
    Ok(())
}

fn write(connection: &Connection, groups: &[Group], found: &[Explained]) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(
        "insert or replace into temp.group_adjustments (merchant_id, batch_date, currency, \
         verdict, said, problem, disputed_minor, carried_minor) \
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    let mut dispute = connection.prepare_cached(
        "insert into temp.explaining_disputes (dispute_id, merchant_id, batch_date, amount_minor) \
         values (?1, ?2, ?3, ?4)",
    )?;
    for (group, one) in groups.iter().zip(found) {
        let disputed: i64 = one.parts.iter().map(|part| part.1).sum();
        insert.execute((
            &group.merchant_id,
            &group.batch_date,
            &group.currency,
            one.verdict,
            &one.said,
            &one.problem,
            disputed,
            one.carried,
        ))?;
        for (id, amount) in &one.parts {
            dispute.execute((id, &group.merchant_id, &group.batch_date, amount))?;
        }
    }
    Ok(())
}

fn day(row: &Row<'_>, column: &str) -> rusqlite::Result<NaiveDate> {
    parsed(&row.get::<_, String>(column)?)
}

fn parsed(text: &str) -> rusqlite::Result<NaiveDate> {
    text.parse().map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(
            0,
            rusqlite::types::Type::Text,
            Box::<dyn std::error::Error + Send + Sync>::from(format!("{text}: {error}")),
        )
    })
}

/// The groups with something left, in order of their first dates.
fn groups(connection: &Connection) -> rusqlite::Result<Vec<Group>> {
    let sql = "select merchant_id, batch_date, currency, left_minor, deposits \
               from temp.adjusted_groups order by merchant_id, batch_date, currency";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut groups = Vec::new();
    while let Some(row) = rows.next()? {
        let joined: Option<String> = row.get("deposits")?;
        let mut deposits = Vec::new();
        for one in joined.unwrap_or_default().split(';').filter(|one| !one.is_empty()) {
            let fields: Vec<&str> = one.split('/').collect();
            // One whose adjustment is unknown makes the sum unknown as well.
            let [id, sent, paid, adjustment] = fields[..] else { continue };
            deposits.push(Deposit {
                id: id.parse().unwrap_or_default(),
                sent: parsed(sent)?,
                paid: parsed(paid)?,
                adjustment: adjustment.parse().unwrap_or_default(),
            });
        }
        groups.push(Group {
            merchant_id: row.get("merchant_id")?,
            batch_date: row.get("batch_date")?,
            currency: row.get("currency")?,
            left: row.get("left_minor")?,
            deposits,
        });
    }
    Ok(groups)
}

/// What a merchant's disputes can move in a currency; one without a currency in any.
fn movements(
    connection: &Connection,
    merchant_id: &str,
    currency: &str,
) -> rusqlite::Result<Vec<Moved>> {
    let sql = "select dispute_id, side, status_date, until_date, amount_minor, fee_minor \
               from temp.dispute_movements \
               where merchant_id = ?1 and coalesce(currency, ?2) = ?2 \
               order by dispute_id, side, status_date";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query((merchant_id, currency))?;
    let mut found: Vec<Moved> = Vec::new();
    while let Some(row) = rows.next()? {
        let (dispute_id, side): (i64, String) = (row.get("dispute_id")?, row.get("side")?);
        let window = (day(row, "status_date")?, day(row, "until_date")?);
        if let Some(known) =
            found.last_mut().filter(|one| (one.dispute_id, &one.side) == (dispute_id, &side))
        {
            known.movement.dates.push(window.0);
            known.windows.push(window);
            continue;
        }
        let amount: Option<i64> = row.get("amount_minor")?;
        let fee: Option<i64> = row.get("fee_minor")?;
        let both = amount.zip(fee).and_then(|(amount, fee)| amount.checked_add(fee));
        let amounts = match side.as_str() {
            "debit" => [amount, fee, both].into_iter().flatten().collect(),
            "credit" => amount.and_then(i64::checked_neg).into_iter().collect(),
            _ => Vec::new(),
        };
        let at_most = amount.filter(|_| side == "part");
        let amounts: Vec<i64> = amounts.into_iter().filter(|one| *one != 0).collect();
        found.push(Moved {
            dispute_id,
            side,
            movement: Movement { dates: vec![window.0], amounts, at_most },
            windows: vec![window],
            is_unclear: amount.is_none() || fee.is_none(),
        });
    }
    Ok(found)
}

/// Disputes of which it is not known what they have come to, or whose they are: the id, the first
/// date and why.
fn unclear(
    connection: &Connection,
    merchant_id: &str,
) -> rusqlite::Result<Vec<(i64, NaiveDate, String)>> {
    let sql = "select dispute_id, first_date from temp.disputes \
               where merchant_id = ?1 and not is_read and verdict in ('waits', 'undecided') \
               order by dispute_id";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([merchant_id], |row| {
        let id: i64 = row.get("dispute_id")?;
        let problem = format!("the statuses of dispute {id} were not read completely");
        Ok((id, day(row, "first_date")?, problem))
    })?;
    rows.collect()
}

/// The days up to the date, as far back as an adjustment can look, whose disputes were not read.
fn unread_days(connection: &Connection, asof: &AsOf) -> rusqlite::Result<BTreeSet<NaiveDate>> {
    let sql = "select min(deposits) from (select min(substr(batch_date, 1, 10)) as deposits \
               from temp.adjusted_groups)";
    let first: String = connection.query_row(sql, [], |row| row.get(0))?;
    let first = parsed(&first)? - chrono::Duration::days(REACH_DAYS);
    let mut statement = connection.prepare(
        "select business_date from temp.complete_listing where resource = 'disputes' \
         and selector = 'date' and business_date between ?1 and ?2",
    )?;
    let dates = (first.to_string(), asof.business_date.to_string());
    let read: BTreeSet<NaiveDate> =
        statement.query_map(dates, |row| day(row, "business_date"))?.collect::<Result<_, _>>()?;
    let days = first.iter_days().take_while(|day| *day <= asof.business_date);
    Ok(days.filter(|day| !read.contains(day)).collect())
}

/// A balance below zero of a merchant.
struct Below {
    batch_date: String,
    deposit: Option<i64>,
    batch_ids: String,
    owed: i64,
    after: NaiveDate,
    until: NaiveDate,
}

fn below_zero(
    connection: &Connection,
    merchant_id: &str,
    currency: &str,
) -> rusqlite::Result<Vec<Below>> {
    let sql = "select batch_date, ach_deposit_id, batch_ids, owed_minor, after_date, until_date \
               from temp.below_zero where merchant_id = ?1 and currency = ?2 \
               order by after_date, batch_date, ach_deposit_id";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map((merchant_id, currency), |row| {
        Ok(Below {
            batch_date: row.get("batch_date")?,
            deposit: row.get("ach_deposit_id")?,
            batch_ids: row.get("batch_ids")?,
            owed: row.get("owed_minor")?,
            after: day(row, "after_date")?,
            until: day(row, "until_date")?,
        })
    })?;
    rows.collect()
}
