//! Attacks by a person who wants to change a figure or a decision and can write the store, the
//! reports or the folder around them. Quick and from fixed seeds; the long trials are
//! `long/altered.rs` and `long/killed.rs`.
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test fails loudly")]

mod anchors;
#[cfg(unix)]
mod copies;
mod limits;
mod mounts;
mod network;
mod parsers;
mod program;
mod register;
mod store;
