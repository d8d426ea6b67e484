//! Sums of the rows so far: a row that repeats one is a total.

use tieout_model::money::Minor;

/// Sums of the amounts of a table, for comparison with its totals.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums {
    has_rows: bool,
    /// With signs, since the top and since the last total.
    signed: (i128, i128),
    /// Without signs.
    magnitude: (i128, i128),
}

impl Sums {
    /// Counts a row; `None` for a row whose amount is unknown.
    pub fn add(&mut self, amount: Option<Minor>) {
        self.has_rows = true;
        let amount = i128::from(amount.map_or(0, |amount| amount.0));
        self.signed = (self.signed.0 + amount, self.signed.1 + amount);
        self.magnitude = (self.magnitude.0 + amount.abs(), self.magnitude.1 + amount.abs());
    }

    /// Checks whether `amount` is the sum of the rows above.
    pub fn is_sum(&self, amount: Minor) -> bool {
        let amount = i128::from(amount.0);
        let sums = [self.signed.0, self.signed.1, self.magnitude.0, self.magnitude.1];
        self.has_rows && sums.iter().any(|sum| *sum == amount || -*sum == amount)
    }

    /// Notes a total here.
    pub(crate) fn begin_again(&mut self) {
        (self.signed.1, self.magnitude.1) = (0, 0);
    }
}
