//! Bars as inline SVG, drawn with integers. A picture says nothing that the figures beside it
//! do not: it is hidden from readers that cannot see it.

use super::markup::Markup;

/// Width of a bar's track, in units of the picture.
const WIDTH: i128 = 1_000;

/// What a bar stands for; the style gives each a colour and a pattern of its own.
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

/// From the lowest to the highest value that a picture shows.
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

    /// Where a value stands, from 0 to `length`.
    fn place(self, value: i128, length: i128) -> i128 {
        let range = (self.highest - self.lowest).max(1);
        (value - self.lowest) * length / range
    }
}

/// A bar from one value to another. One of a value that is not zero is always to be seen.
pub(super) fn bar(page: &mut Markup, scale: Scale, (from, to): (i128, i128), tone: Tone) {
    const THINNEST: i128 = 4;
    let (left, right) = (scale.place(from.min(to), WIDTH), scale.place(from.max(to), WIDTH));
    let mut width = right - left;
    if from != to {
        width = width.max(THINNEST);
    }
    let left = left.min(WIDTH - width);
    let zero = scale.place(0, WIDTH).to_string();
    page.within(
        "svg",
        &[
            ("class", "bar"),
            ("viewBox", "0 0 1000 20"),
            ("preserveAspectRatio", "none"),
            ("aria-hidden", "true"),
            ("focusable", "false"),
        ],
        |page| {
            page.element(
                "line",
                &[("class", "zero"), ("x1", &zero), ("x2", &zero), ("y1", "0"), ("y2", "20")],
                "",
            );
            let (left, width) = (left.to_string(), width.to_string());
            page.element(
                "rect",
                &[
                    ("class", tone.class()),
                    ("x", &left),
                    ("y", "3"),
                    ("width", &width),
                    ("height", "14"),
                ],
                "",
            );
        },
    );
}

/// Columns over days, one a value; a day without one has none.
pub(super) fn columns(page: &mut Markup, scale: Scale, values: &[Option<i128>], tone: Tone) {
    const STEP: i128 = 20;
    const HEIGHT: i128 = 100;
    let width = STEP * values.len().max(1) as i128;
    let view = format!("0 0 {width} {HEIGHT}");
    page.within(
        "svg",
        &[
            ("class", "columns"),
            ("viewBox", &view),
            ("preserveAspectRatio", "none"),
            ("aria-hidden", "true"),
            ("focusable", "false"),
        ],
        |page| {
            let mut left = 0;
            for value in values {
                if let Some(value) = value {
                    let mut height = scale.place(*value, HEIGHT);
                    if *value != 0 {
                        height = height.max(2);
                    }
                    let (x, y) = ((left + 2).to_string(), (HEIGHT - height).to_string());
                    let (w, h) = ((STEP - 4).to_string(), height.to_string());
                    let place = [("x", &*x), ("y", &*y), ("width", &*w), ("height", &*h)];
                    let attributes =
                        [("class", tone.class()), place[0], place[1], place[2], place[3]];
                    page.element("rect", &attributes, "");
                }
                left += STEP;
            }
        },
    );
}
