//! Describes the nearest candidates for an unpaired line or deposit.

use super::statement::{Statement, money, place};
use tieout_matching::search::Near;
use tieout_model::money::Currency;

impl Statement<'_> {
    /// The nearest open deposits to an unexplained line.
    pub(super) fn nearest_deposits(&self, line: usize) -> String {
        let bound = if self.outcome.bounded.contains(&line) {
            " More deposits are in reach of it than the search for sums covers."
        } else {
            ""
        };
        let near = self.open.near_line(line, 1);
        let words = near.first().map(|near| self.said_of_deposits(near, line));
        format!("{bound}{}", words.unwrap_or_default())
    }

    /// The nearest open lines to an unpaid deposit; or the line that pays it together with others,
    /// if that one comes nearer.
    pub(super) fn nearest_lines(&self, deposit: usize) -> String {
        let known = &self.deposits[deposit];
        let amount = i128::from(known.amount.0);
        let near = self.open.near_deposit(deposit, 1).pop();
        if let Some((line, together)) = self.open.near_together(deposit) {
            let line_amount = i128::from(self.lines[line].amount.0);
            let away = (line_amount - together.sum).abs();
            if near.as_ref().is_none_or(|near| away < (amount - near.sum).abs()) {
                return format!(
                    " It may be in {} on {} ({}).{}",
                    money(self.lines[line].amount.0, known.currency),
                    self.lines[line].date,
                    place(self.lines[line]),
                    self.said_of_deposits(&together, line)
                );
            }
        }
        let words = near.map(|near| {
            let lines = near.set.iter().map(|part| {
                let line = self.lines[part.0];
                format!("the line of {} ({})", line.date, place(line))
            });
            said(&near, &lines.collect::<Vec<_>>(), amount, known.currency, "is missing")
        });
        words.unwrap_or_default()
    }

    fn said_of_deposits(&self, near: &Near, line: usize) -> String {
        let entries = near.set.iter().map(|part| {
            let deposit = self.deposits.get(part.0).map(|known| known.deposit.ach_deposit_id);
            deposit.map_or_else(|| self.fees.said(part.0), |id| format!("deposit {id}"))
        });
        let line = self.lines[line];
        said(
            near,
            &entries.collect::<Vec<_>>(),
            i128::from(line.amount.0),
            line.currency,
            "is unexplained",
        )
    }
}

/// *The nearest open entries, deposit 7 and deposit 8, come to 99.00 USD: 1.00 USD is missing.*
fn said(
    near: &Near,
    members: &[String],
    target: i128,
    currency: Currency,
    is_short: &str,
) -> String {
    let amounts = i64::try_from(near.sum).ok().zip(i64::try_from(target - near.sum).ok());
    let Some((sum, missing)) = amounts else { return String::new() };
    let missing = match missing.checked_abs() {
        Some(over) if missing.signum() != target.signum() as i64 => {
            format!("{} too much", money(over, currency))
        }
        Some(short) => format!("{} {is_short}", money(short, currency)),
        None => return String::new(),
    };
    let (noun, verb) = if members.len() == 1 { ("entry", "comes") } else { ("entries", "come") };
    format!(
        " The nearest open {noun}, {}, {verb} to {}: {missing}.",
        members.join(" and "),
        money(sum, currency)
    )
}
