//! The columns of a table by what stands in them, where no header tells. What the balances of the
//! table prove is taken; anything else is in doubt.

use std::collections::BTreeSet;

use super::head::{Head, is_date};
use crate::table::Book;

/// What the contents of a table tell.
#[derive(Default)]
pub(super) struct Told {
    pub columns: Vec<(&'static str, usize)>,
    pub doubts: Vec<String>,
}

/// The columns beside those that are `known`: dates, amounts, and texts or ids.
pub(super) fn by_content(head: &Head, book: Book, known: &[(&'static str, usize)]) -> Told {
    let is_free = |at: &usize| known.iter().all(|(_, taken)| taken != at);
    let is_open = |keys: &[&str]| known.iter().all(|(key, _)| !keys.contains(key));
    let all = |at: usize, is_one: &dyn Fn(&str) -> bool| {
        let cells = head.column(at);
        !cells.is_empty() && cells.iter().all(|cell| is_one(cell))
    };
    let free = || (0..head.headers.len()).filter(is_free);
    let mut told = Told::default();
    let date = free().find(|at| all(*at, &is_date));
    let amounts: Vec<usize> =
        free().filter(|at| all(*at, &|cell| hundredths(cell).is_some())).collect();
    if is_open(&["date"]) {
        told.columns.extend(date.map(|at| ("date", at)));
    }
    if is_open(&["amount", "debit", "credit"]) {
        told.take_money(head, &amounts);
    }
    let mut others = free().filter(|at| Some(*at) != date && !amounts.contains(at));
    let text = match book {
        Book::Bank => others.max_by_key(|at| letters(head, *at)),
        Book::Ledger => others.find(|at| {
            let cells = head.column(*at);
            cells.iter().collect::<BTreeSet<_>>().len() == head.rows.len()
        }),
    };
    let key = if book == Book::Bank { "description" } else { "id" };
    if is_open(&[key]) {
        told.columns.extend(text.map(|at| (key, at)));
    }
    told
}

impl Told {
    /// Takes the amount, or the debit and the credit, of the columns that hold amounts.
    fn take_money(&mut self, head: &Head, amounts: &[usize]) {
        // Of two columns, each row fills one.
        let fills_one = |pair: &&[usize]| {
            let is_filled =
                |row: &[String], at: usize| row.get(at).is_some_and(|cell| !cell.is_empty());
            let fills = |row: &Vec<String>| pair.iter().filter(|at| is_filled(row, **at)).count();
            head.rows
                .iter()
                .filter(|row| row.len() == head.headers.len())
                .all(|row| fills(row) == 1)
        };
        let balances = |changes: &[Option<i64>]| {
            amounts.iter().any(|at| is_balance_of(&column(head, *at), changes))
        };
        if let Some(pair) = amounts.windows(2).find(fills_one) {
            let (one, other) = (column(head, pair[0]), column(head, pair[1]));
            let net = |debits: &[Option<i64>], credits: &[Option<i64>]| -> Vec<Option<i64>> {
                let debits = debits.iter().map(|debit| debit.unwrap_or(0).abs());
                credits
                    .iter()
                    .zip(debits)
                    .map(|(credit, debit)| Some(credit.unwrap_or(0) - debit))
                    .collect()
            };
            let has_minus = |cells: &[Option<i64>]| cells.iter().flatten().any(|cell| *cell < 0);
            let is_first = balances(&net(&one, &other)) || (has_minus(&one) && !has_minus(&other));
            let is_second = balances(&net(&other, &one)) || (has_minus(&other) && !has_minus(&one));
            // Banks write debits first.
            let (debit, credit) = if is_second && !is_first { (1, 0) } else { (0, 1) };
            if is_first == is_second {
                self.doubts.push(format!(
                    "columns.debit, columns.credit: nothing in the file tells which of columns {} \
                     and {} is money out; the first is taken",
                    pair[0] + 1,
                    pair[1] + 1
                ));
            }
            self.columns.extend([("debit", pair[debit]), ("credit", pair[credit])]);
            return;
        }
        let proven = amounts.iter().find(|at| balances(&column(head, **at)));
        if proven.is_none() && amounts.len() > 1 {
            let numbers: Vec<String> = amounts.iter().map(|at| (at + 1).to_string()).collect();
            let numbers = numbers.join(", ");
            self.doubts.push(format!(
                "columns.amount: columns {numbers} hold amounts; the first is taken"
            ));
        }
        self.columns.extend(proven.or(amounts.first()).map(|at| ("amount", *at)));
    }
}

/// The amounts of a column, row by row.
fn column(head: &Head, at: usize) -> Vec<Option<i64>> {
    head.rows.iter().map(|row| hundredths(row.get(at)?)).collect()
}

/// Whether a column is the running balance of changes, from the top or from the bottom.
fn is_balance_of(balances: &[Option<i64>], changes: &[Option<i64>]) -> bool {
    let rows: Vec<(i64, i64)> = balances
        .iter()
        .zip(changes)
        .filter_map(|(balance, change)| Some(((*balance)?, (*change)?)))
        .collect();
    let is_change = |one: (i64, i64), next: (i64, i64), is_down: bool| {
        let change = if is_down { Some(next.1) } else { one.1.checked_neg() };
        change.is_some() && next.0.checked_sub(one.0) == change
    };
    let runs = |is_down| rows.windows(2).all(|pair| is_change(pair[0], pair[1], is_down));
    rows.len() > 1 && (runs(true) || runs(false))
}

/// An amount with two decimals, in hundredths, whatever its separators.
fn hundredths(cell: &str) -> Option<i64> {
    let is_figure = |one: char| one.is_ascii_digit() || "+-.,()$€£ \u{a0}\u{202f}'".contains(one);
    if !cell.chars().all(is_figure) || is_date(cell) {
        return None;
    }
    let kept: String =
        cell.chars().filter(|one| one.is_ascii_digit() || ".,".contains(*one)).collect();
    let (_, decimals) = kept.rsplit_once(['.', ','])?;
    let digits: String = kept.chars().filter(char::is_ascii_digit).collect();
    let number: i64 = digits.parse().ok()?;
    let number = match decimals.len() {
        0 | 1 => number.checked_mul(10_i64.pow(2 - u32::try_from(decimals.len()).ok()?))?,
        2 => number,
        _ => return None,
    };
    Some(if cell.contains(['-', '(']) { -number } else { number })
}

/// How many letters the different texts of a column have.
fn letters(head: &Head, at: usize) -> usize {
    let texts: BTreeSet<&str> = head.column(at).into_iter().collect();
    texts.iter().map(|text| text.chars().filter(|one| one.is_alphabetic()).count()).sum()
}
