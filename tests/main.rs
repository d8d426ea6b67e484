//! Every suite except those that take minutes (`long/`, `faults/`), in one program, so that shared
//! code is compiled and linked once. `cargo test --test it nights::pages` runs a part.
//! tests/README.md describes each suite.

#[allow(dead_code, reason = "what the long suites use alone")]
mod harness;

mod attacks;
mod bad_input;
mod books;
mod cases;
mod command_line;
mod errors;
mod export;
mod files;
mod house;
mod nights;
mod operations;
mod privacy;
mod prose;
