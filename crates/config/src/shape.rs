//! The shapes of values, and a key with its shape, default and meaning.

/// The form of a value.
pub(super) enum Shape {
    Text,
    /// A calendar date, quoted or not.
    Date,
    Number {
        min: i64,
        max: i64,
    },
    /// True or false.
    Flag,
    /// The header of a column, or its number.
    Column,
    /// One of these words.
    Choice(&'static [&'static str]),
    List(&'static Shape),
    /// A table with these keys.
    Table(&'static [Key]),
    /// An array of such tables.
    Tables(&'static [Key]),
    /// A table with check codes as keys.
    Checks,
    /// A table with keys of the user's own.
    Free(&'static Shape),
}

/// A key of a table: its shape, its default as TOML (empty without one), and its meaning.
pub(super) struct Key {
    pub name: &'static str,
    pub shape: Shape,
    pub default: &'static str,
    pub means: &'static str,
}

pub(super) const fn key(
    name: &'static str,
    shape: Shape,
    default: &'static str,
    means: &'static str,
) -> Key {
    Key { name, shape, default, means }
}

/// A table of keys; `means` is a sentence about it.
pub(super) const fn section(name: &'static str, shape: Shape, means: &'static str) -> Key {
    key(name, shape, "", means)
}
