#![no_main]

#[allow(dead_code, reason = "each program drives one target")]
#[path = "../targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::manifest(bytes));
