//! Parses, runs, prints the error chain once, exits.

use std::process::ExitCode;

fn main() -> ExitCode {
    let environment = std::env::vars_os()
        .map(|(name, value)| {
            (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned())
        })
        .collect();
    tieout::cli::main(std::env::args_os(), environment).into()
}
