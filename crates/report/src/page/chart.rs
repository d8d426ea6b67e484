//! Bars as inline SVG, drawn with integers. A picture repeats the figures beside it and is
//! therefore hidden from screen readers.

use maud::{Markup, html};

/// Width of a bar's track, in units of the picture.
const WIDTH: i128 = 1_000;

/// The meaning of a bar; the style gives each a colour and a pattern of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Total,
    More,
    Less,
    Fault,
    Plain,
    Good,
}

impl Tone {
    fn class(self) -> &'static str {
        match self {
            Self::Total => "total",
            Self::More => "more",
            Self::Less => "less",
            Self::Fault => "fault",
            Self::Plain => "plain",
            Self::Good => "good",
        }
    }
}

/// The lowest and the highest value of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scale {
    lowest: i128,
    highest: i128,
}

impl Scale {
    /// A scale that holds zero and all `values`.
    pub fn of(values: impl IntoIterator<Item = i128>) -> Self {
        let start = Self { lowest: 0, highest: 0 };
        values.into_iter().fold(start, |scale, value| Self {
            lowest: scale.lowest.min(value),
            highest: scale.highest.max(value),
        })
    }

    /// The position of a value, from 0 to `length`.
    fn place(self, value: i128, length: i128) -> i128 {
        let range = (self.highest - self.lowest).max(1);
        (value - self.lowest) * length / range
    }
}

/// A bar from one value to another. A value other than zero is always visible.
pub(super) fn bar(scale: Scale, (from, to): (i128, i128), tone: Tone) -> Markup {
    const THINNEST: i128 = 4;
    let (left, right) = (scale.place(from.min(to), WIDTH), scale.place(from.max(to), WIDTH));
    let mut width = right - left;
    if from != to {
        width = width.max(THINNEST);
    }
    let left = left.min(WIDTH - width);
    let zero = scale.place(0, WIDTH);
    html! {
        svg.bar viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true"
            focusable="false" {
            line.zero x1=(zero) x2=(zero) y1="0" y2="20" {}
            rect class=(tone.class()) x=(left) y="3" width=(width) height="14" {}
        }
    }
}

/// Columns over days, one for each value; a day without a value has no column.
pub(super) fn columns(scale: Scale, values: &[Option<i128>], tone: Tone) -> Markup {
    const STEP: i128 = 20;
    const HEIGHT: i128 = 100;
    let width = STEP * values.len().max(1) as i128;
    let column = |(position, value): (usize, &Option<i128>)| {
        let value = (*value)?;
        let height = scale.place(value, HEIGHT);
        let height = if value == 0 { height } else { height.max(2) };
        Some((STEP * position as i128 + 2, height))
    };
    html! {
        svg.columns viewBox={ "0 0 " (width) " " (HEIGHT) } preserveAspectRatio="none"
            aria-hidden="true" focusable="false" {
            @for (left, height) in values.iter().enumerate().filter_map(column) {
                rect class=(tone.class()) x=(left) y=(HEIGHT - height) width=(STEP - 4)
                    height=(height) {}
            }
        }
    }
}
