//! A run that is asked to end does so soon, keeps every page, and the next one resumes.

use std::process::Command;

use crate::harness::daemon::{send, wait_until};
use crate::harness::{Ended, Served, Site, clean, reports};

fn run(site: &Site) -> Command {
    let mut command = site.command(&["run", "--date", "2026-11-03..2026-11-06"]);
    command.env("TIEOUT_API__MAX_IN_FLIGHT", "4").env("TIEOUT_API__PAGE_SIZE", "20");
    command
}

#[test]
fn ends_after_the_pages_in_flight_and_reads_none_of_them_twice() {
    let served = Served::slow(&clean(52, "2026-11-03", "2026-11-06", 4, 200), 5);
    let undisturbed = served.site();
    let before = served.sandbox.requests();
    Ended::from(run(&undisturbed).output().unwrap()).expect(0);
    let requests = served.sandbox.requests() - before;
    for signal in ["TERM", "INT"] {
        let site = served.site();
        let before = served.sandbox.requests();
        let child = run(&site).spawn().unwrap();
        wait_until("half of the night", || served.sandbox.requests() > before + requests / 2);
        send(&child, signal);
        let ended = Ended::from(child.wait_with_output().unwrap()).expect(1);
        assert!(ended.stderr.contains("error: stopped by a signal"), "{}", ended.stderr);
        assert!(ended.stderr.contains("hint: the next run resumes"), "{}", ended.stderr);
        Ended::from(run(&site).output().unwrap()).expect(0);
        let needed = served.sandbox.requests() - before;
        // One more token, and for each listing at work at most its page in flight.
        assert!(needed <= requests + 2, "{signal}: {needed} requests in place of {requests}");
        reports::assert_same(
            &reports::comparable_however_fetched(&undisturbed.reports()),
            &reports::comparable_however_fetched(&site.reports()),
            signal,
        );
    }
}

#[test]
fn says_who_holds_the_lock_and_lets_others_read() {
    let served = Served::slow(&clean(53, "2026-11-03", "2026-11-03", 2, 200), 20);
    let site = served.site();
    let before = served.sandbox.requests();
    let child = run(&site).spawn().unwrap();
    wait_until("the first pages", || served.sandbox.requests() > before + 20);
    let refused = Ended::from(run(&site).output().unwrap()).expect(6);
    let holder = format!("process {} (tieout ", child.id());
    assert!(refused.stderr.contains(&holder), "{}", refused.stderr);
    site.run(&["status"]).expect(0);
    send(&child, "KILL");
    child.wait_with_output().unwrap();
    // A killed process leaves no lock.
    Ended::from(run(&site).output().unwrap()).expect(0);
}
