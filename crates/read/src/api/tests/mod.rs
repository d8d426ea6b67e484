//! The client against small servers on loopback: real HTTP, scripted answers, short waits.

mod paging;
mod retrying;
mod secrets;
mod server;
mod speed;
