//! Describes the nearest candidates for an unpaired line or deposit.

use super::statement::{Statement, money, place};
use crate::nearest::{NEAREST, Nearest};
use tieout_matching::search::{Near, Part};

impl Statement<'_> {
    /// The nearest open deposits to an unexplained line.
    pub(super) fn nearest_deposits(&self, line: usize) -> Nearest {
        let bound = if self.outcome.bounded.contains(&line) {
            " More deposits are in reach of it than the search for sums covers."
        } else {
            ""
        };
        let near = self.said_of_deposits(&self.open.near_line(line, NEAREST), line);
        Nearest { sentence: format!("{bound}{}", near.sentence), ..near }
    }

    /// The nearest open lines to an unpaid deposit; or the line that pays it together with others,
    /// if that one comes nearer.
    pub(super) fn nearest_lines(&self, deposit: usize) -> Nearest {
        let known = &self.deposits[deposit];
        let amount = i128::from(known.amount.0);
        let sets = self.open.near_deposit(deposit, NEAREST);
        if let Some((line, together)) = self.open.near_together(deposit) {
            let line_amount = i128::from(self.lines[line].amount.0);
            let away = (line_amount - together.sum).abs();
            if sets.first().is_none_or(|near| away < (amount - near.sum).abs()) {
                let near = self.said_of_deposits(&[together], line);
                let sentence = format!(
                    " It may be in {} on {} ({}).{}",
                    money(self.lines[line].amount.0, known.currency),
                    self.lines[line].date,
                    place(self.lines[line]),
                    near.sentence
                );
                return Nearest { sentence, ..near };
            }
        }
        let member = |part: &Part| {
            let line = self.lines[part.0];
            format!("the line of {} ({})", line.date, place(line))
        };
        Nearest::of(&sets, (known.amount.0, known.currency), "is missing", member)
    }

    fn said_of_deposits(&self, sets: &[Near], line: usize) -> Nearest {
        let member = |part: &Part| {
            let deposit = self.deposits.get(part.0).map(|known| known.deposit.ach_deposit_id);
            deposit.map_or_else(|| self.fees.said(part.0), |id| format!("deposit {id}"))
        };
        let line = self.lines[line];
        Nearest::of(sets, (line.amount.0, line.currency), "is unexplained", member)
    }
}
