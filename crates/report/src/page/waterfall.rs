//! The steps from the sales that deposits pay for to the net amount paid out, with the unexplained
//! rest.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::chart::{Scale, Tone, bar};
use super::markup::{money, paragraph};
use super::shell::section;
use super::table::{Cell, Head, Row, figure, table, text};
use super::words::counted;
use tieout_config::ComponentSigns;
use tieout_model::DepositRow;
use tieout_model::money::Currency;

/// The deposits of one currency whose every component is known, added up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sum {
    deposits: u64,
    /// In the order of [`LABELS`], with the sign of each in the net amount.
    components: [i128; 7],
    expected: i128,
    net: i128,
    /// The unexplained surplus, and the unexplained shortfall, of the deposits that state it. They
    /// are kept apart, because their sum would hide both.
    more: i128,
    less: i128,
    /// Deposits that do not state it.
    not_stated: u64,
}

const LABELS: [&str; 7] = [
    "Sales",
    "Returns",
    "Fees",
    "Held sales",
    "Returned bank transfers",
    "Holdback",
    "Reserve released",
];

/// The components with their signs in the net amount; `None` if one is unknown, or if they do not
/// add up to the expected net amount.
fn components(row: &DepositRow, signs: &ComponentSigns) -> Option<[i128; 7]> {
    let signed = |amount: Option<tieout_model::money::Minor>, sign: i64| {
        amount.map(|amount| i128::from(amount.0) * i128::from(sign))
    };
    let components = [
        signed(row.sales, signs.sales)?,
        signed(row.returns, signs.returns)?,
        signed(row.daily_fees, signs.daily_fees)?,
        signed(row.held_sales, signs.held_sales)?,
        signed(row.ach_adjustment, signs.ach_adjustment)?,
        signed(row.holdback, signs.holdback)?,
        signed(row.reserve_release, signs.reserve_release)?,
    ];
    (components.iter().sum::<i128>() == i128::from(row.net_expected?.0)).then_some(components)
}

fn add_up<'a>(
    rows: impl Iterator<Item = &'a DepositRow>,
    signs: &ComponentSigns,
) -> (BTreeMap<&'static str, (Currency, Sum)>, u64) {
    let mut sums: BTreeMap<&'static str, (Currency, Sum)> = BTreeMap::new();
    let mut left_out = 0;
    for row in rows {
        let Some(((currency, net), parts)) =
            row.currency.zip(row.net_amount).zip(components(row, signs))
        else {
            left_out += 1;
            continue;
        };
        let (_, sum) = sums.entry(currency.code()).or_insert((currency, Sum::default()));
        sum.deposits += 1;
        for (total, part) in sum.components.iter_mut().zip(parts) {
            *total += part;
            sum.expected += part;
        }
        sum.net += i128::from(net.0);
        match row.unexplained {
            Some(unexplained) => {
                sum.more += i128::from(unexplained.0.max(0));
                sum.less += i128::from(unexplained.0.min(0));
            }
            None => sum.not_stated += 1,
        }
    }
    (sums, left_out)
}

/// The section with a picture and figures for each currency.
pub(super) fn waterfall<'a>(
    deposits: impl Iterator<Item = &'a DepositRow>,
    signs: &ComponentSigns,
) -> Markup {
    let (sums, left_out) = add_up(deposits, signs);
    let content = html! {
        @if sums.is_empty() && left_out == 0 { p { "No deposit was paid." } "\n" }
        @for (currency, sum) in sums.into_values() { (one_currency(currency, &sum)) }
        @if left_out > 0 {
            (paragraph("note", &format!(
                "{} left out here, as a component or the currency is not known; deposits.csv \
                 has every figure that is.",
                counted(left_out, "deposit is", "deposits are")
            )))
        }
    };
    section("waterfall", "From sales to the payout", &content)
}

const HEADS: [Head; 3] = [text("Step"), figure("Amount"), text("Picture")];

fn one_currency(currency: Currency, sum: &Sum) -> Markup {
    let steps = steps(sum);
    let scale = Scale::of(steps.iter().flat_map(|step| [step.from, step.to]));
    let deposits = counted(sum.deposits, "deposit", "deposits");
    let caption = format!("{} from {deposits}, from sales to net", currency.code());
    let rows = steps.iter().map(|step| Row {
        class: Some(match step.tone {
            Tone::Fault => "fault",
            Tone::Total => "total",
            _ => "step",
        }),
        found: None,
        cells: [
            Cell::words(step.label),
            money(step.to - step.from, currency).into(),
            bar(scale, (step.from, step.to), step.tone).into(),
        ],
    });
    html! {
        (table("waterfall", &caption, &HEADS, rows))
        @if sum.not_stated > 0 {
            (paragraph("note", &format!(
                "{} no unexplained amount: it is not known, or the batch date is paid in parts \
                 and the last deposit states it for all.",
                counted(sum.not_stated, "deposit states", "deposits state")
            )))
        }
    }
}

/// A step from one height to another.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    label: &'static str,
    from: i128,
    to: i128,
    tone: Tone,
}

fn steps(sum: &Sum) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut reached = 0;
    for (label, amount) in LABELS.into_iter().zip(sum.components) {
        // Sales are always shown, the other components if they are not zero.
        if amount != 0 || steps.is_empty() {
            let tone = if amount < 0 { Tone::Less } else { Tone::More };
            steps.push(Step { label, from: reached, to: reached + amount, tone });
            reached += amount;
        }
    }
    let total = |label, to| Step { label, from: 0, to, tone: Tone::Total };
    if sum.expected != sum.net {
        steps.push(total("Adds up to", sum.expected));
        let label = "Does not add up";
        steps.push(Step { label, from: sum.expected, to: sum.net, tone: Tone::Fault });
    }
    steps.push(total("Paid out (net)", sum.net));
    let unexplained = [
        ("Of this, more than the sum of batches, fees and bank returns", sum.more),
        ("Of this, less than the sum of batches, fees and bank returns", sum.less),
    ];
    for (label, amount) in unexplained.into_iter().filter(|(_, amount)| *amount != 0) {
        steps.push(Step { label, from: sum.net - amount, to: sum.net, tone: Tone::Fault });
    }
    if sum.more == 0 && sum.less == 0 && sum.not_stated < sum.deposits {
        let label = "Not explained by batches, fees and bank returns";
        steps.push(Step { label, from: sum.net, to: sum.net, tone: Tone::Good });
    }
    steps
}
