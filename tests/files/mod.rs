//! Foreign files, read as a person would read them: a corpus written from the published rules, the
//! sandbox's files, and files that are damaged at random.
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test fails loudly")]

mod across;
mod corpus;
mod damaged;
mod exports;
mod hostile;
mod ledgers;
mod special;
mod worlds;
