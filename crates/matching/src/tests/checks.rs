//! The ledger checks: one that passes, one that fails and one on the boundary of each.

use super::cases::check_scene;
use super::*;

fn check(scene: &Scene, expected: &[&str]) {
    assert_eq!(scene.findings(), expected, "{:#?}\n{:#?}", scene.items, scene.records);
}

#[test]
fn misses_an_item_in_the_ledger_from_its_due_date() {
    let scene = Scene::new("capture 71 20 5", "");
    check(&scene.clone().from(2, 22), &[]);
    check(&scene.clone().from(2, 23), &["MISSING_IN_LEDGER 71 0/5"]);
    check(&scene.clone().from(21, 30), &[]);
    check(&Scene::new("payment P1 20 5 status=declined", ""), &["MISSING_IN_LEDGER P1 0/5"]);
}

#[test]
fn misses_a_record_at_the_processor_from_its_due_date() {
    let scene = Scene::new("", "payment A 20 5");
    check(&scene.clone().from(2, 23), &[]);
    check(&scene.clone().from(2, 24), &["MISSING_AT_PROCESSOR A 5/0"]);
    check(&scene.from(21, 30), &[]);
    check(&Scene::new("", "payment A 20 5 status=void"), &[]);
    check(&Scene::new("", "payment A 20 5 not_read"), &[]);
    let known = Scene::new("", "payment A 20 5 ref=P1").transfers("payment P1 20 5 status=ready");
    check(&known, &[]);
}

#[test]
fn compares_amounts_of_pairs_by_reference_and_order() {
    let mut scene = Scene::new("capture 71 20 1005", "payment A 20 1000 ref=71");
    check(&scene, &["AMOUNT_MISMATCH 71 1000/1005"]);
    scene.terms.tolerance_minor = 4;
    check(&scene, &["AMOUNT_MISMATCH 71 1000/1005"]);
    scene.terms.tolerance_minor = 5;
    check(&scene, &[]);
    check(
        &Scene::new(
            "capture 72 20 600 auth=5\ncapture 71 20 300 auth=5",
            "payment A 20 1000 ref=5",
        ),
        &["AMOUNT_MISMATCH 71 1000/900"],
    );
    check(
        &Scene::new(
            "payment P1 20 1000 order=O",
            "payment A 20 600 order=O\npayment B 20 300 order=O",
        ),
        &["AMOUNT_MISMATCH P1 900/1000"],
    );
    check(
        &Scene::new("payment P1 20 ?", "payment A 20 600 ref=P1"),
        &["AMOUNT_MISMATCH P1 600/- not told"],
    );
    let again = "payment P1 4 600 order=O status=returned back=6r\n\
                 payment P2 12 600 order=O again=P1";
    check(&Scene::new(again, "payment A 4 600 order=O"), &[]);
}

#[test]
fn compares_currencies_before_amounts() {
    let scene = Scene::new("capture 71 20 1000", "payment A 20 900 ref=71 cur=CAD");
    check(&scene, &["CURRENCY_MISMATCH 71 900/1000"]);
    let found = findings(&scene.input(), &scene.outcome());
    assert_eq!(found[0].difference, None);
    assert_eq!(
        found[0].explanation,
        "Capture 71 came to 10.00 USD, but the ledger has 9.00 CAD (A)."
    );
}

#[test]
fn a_refund_record_can_be_the_return_that_it_names() {
    let back = "payment P1 10 500 status=returned back=16";
    let books =
        |refunds: &str| Scene::new(back, &format!("payment A 10 500 ref=P1\n{refunds}")).story();
    let one = "P1 = A by reference";
    assert_eq!(books("refund B 16 500 ref=P1"), ["B counters P1", one]);
    // Up to the window before the return, or at any time after it.
    assert_eq!(books("refund B 12 500 ref=P1"), ["B counters P1", one]);
    assert_eq!(books("refund B 9 500 ref=P1"), ["B unmatched", one]);
    assert_eq!(books("refund B 27 500 ref=P1"), ["B counters P1", one]);
    assert_eq!(books("refund B 16 400 ref=P1"), ["B unmatched", one]);
    assert_eq!(books("refund B 16 500 ref=P1 status=void"), ["B excluded", one]);
    let two = "refund B 17 500 ref=P1\nrefund C 16 500 ref=P1";
    assert_eq!(books(two), ["B unmatched", "C counters P1", one]);
    let books = "payment A 10 500 ref=P1\nrefund B 16 500 ref=P1";
    check(&Scene::new(back, books), &[]);
    check(&Scene::new(back, books).from(2, 16), &[]);
    let mut scene = Scene::new("capture 71 10 500", &books.replace("P1", "71"));
    check(&scene, &["MISSING_AT_PROCESSOR B 500/0"]);
    for is_lost in [true, false] {
        let dispute = Dispute { date: day(16), amount: Some(Minor(500)), is_lost };
        scene.disputed = Some([("71".into(), vec![dispute])].into());
        check(&scene, &[]);
    }
    // An undecided dispute takes nothing from a return.
    let with_return = "capture 71 10 500 auth=9\nreturn 72 16 500 auth=9";
    let mut returned = Scene::new(with_return, &books.replace("P1", "71"));
    returned.disputed.clone_from(&scene.disputed);
    check(&returned, &[]);
    scene.disputed = Some([("71".into(), vec![])].into());
    check(&scene, &["MISSING_AT_PROCESSOR B 500/0"]);
}

#[test]
fn one_of_two_equal_items_in_the_books_is_one_error_of_the_amount_missing() {
    let items = "capture 71 20 25 last4=1111\ncapture 72 20 25 last4=2222";
    let mut scene = Scene::new(items, "payment A 20 25");
    check(&scene, &["AMBIGUOUS_MATCH 71;72;A 25/50"]);
    check(&scene.clone().from(2, 22), &[]);
    let row = LeftOutRow { amount: Some(Minor(25)), ..LeftOutRow::default() };
    scene.left_out = vec![row];
    check(&scene, &["AMBIGUOUS_MATCH 71;72;A 25/50 not told"]);
    scene.left_out[0].amount = Some(Minor(26));
    check(&scene, &["AMBIGUOUS_MATCH 71;72;A 25/50"]);
}

#[test]
fn a_refund_record_can_be_the_return_of_its_order() {
    let back = "payment P1 10 500 order=O-1 last4=1111 status=returned back=16";
    let receipt = "payment A 10 500 order=O-1";
    let one = "P1 = A by order";
    let refund = "refund R1 18 500 order=O-1 last4=1111";
    let cases: [(&str, &str, &[&str]); 17] = [
        ("", "refund B 16 500 order=O-1", &["B counters P1"]),
        ("", "refund B 16 500 order=O-1 last4=1111", &["B counters P1"]),
        ("", "refund B 16 500 order=O-1 last4=2222", &["B unmatched"]),
        ("", "refund B 16 500 order=O-2", &["B unmatched"]),
        ("", "refund B 16 500 order=o1", &["B counters P1"]),
        ("", "refund B 16 500 order=O-1 ref=POS", &["B counters P1"]),
        ("", "refund B 12 500 order=O-1", &["B counters P1"]),
        ("", "refund B 9 500 order=O-1", &["B unmatched"]),
        ("", "refund B 9 500 order=o1", &["B unmatched"]),
        ("", "refund B 27 500 order=O-1", &["B counters P1"]),
        ("", "refund B 16 400 order=O-1", &["B unmatched"]),
        ("", "refund B 16 500 order=O-1 status=void", &["B excluded"]),
        (
            "",
            "refund B 17 500 order=O-1\nrefund C 16 500 order=O-1",
            &["B unmatched", "C counters P1"],
        ),
        // A refund of the order takes part with its return: the nearest days first.
        (
            "refund R1 16 500 order=O-1 last4=1111",
            "refund B 16 500 order=O-1",
            &["R1 = B by order"],
        ),
        (
            refund,
            "refund B 18 500 order=O-1\nrefund C 16 500 order=O-1",
            &["C counters P1", "R1 = B by order"],
        ),
        (refund, "refund C 16 500 order=O-1", &["C counters P1", "R1 unmatched"]),
        // The reference says that it is the refund of another payment.
        (
            "payment P2 10 700 order=O-1",
            "refund B 16 500 order=O-1 ref=P2",
            &["B unmatched", "P2 unmatched"],
        ),
    ];
    for (items, refunds, expected) in cases {
        let scene = Scene::new(&format!("{back}\n{items}"), &format!("{receipt}\n{refunds}"));
        check_scene(scene, &[expected, &[one]].concat());
    }
    // Either record may name the payment by its id.
    for receipt in [receipt, "payment A 10 500 ref=P1"] {
        for refund in ["refund B 16 500 order=O-1", "refund B 16 500 ref=P1"] {
            check(&Scene::new(back, &format!("{receipt}\n{refund}")), &[]);
        }
    }
}

#[test]
fn a_sale_that_was_given_back_whole_can_be_void_in_the_books() {
    let sale = "capture 71 10 500 auth=9";
    let void = "payment A 10 500 ref=71 status=void";
    let scene = |more: &str| Scene::new(&format!("{sale}\n{more}"), void);
    check(&scene("return 72 12 500 auth=9"), &[]);
    check(&scene("return 72 12 200 auth=9\nreturn 73 13 300 auth=9"), &[]);
    check(&scene("return 72 12 400 auth=9"), &["MISSING_IN_LEDGER 72 0/400", "STATUS_MISMATCH 71"]);
    check(&scene(""), &["STATUS_MISMATCH 71"]);
    // It may still be returned.
    check(&scene("").from(2, 10), &[]);
    // The sale and its void record lie before the start.
    check(&scene("return 72 12 500 auth=9").from(11, 30), &[]);
    check(&scene("return 72 12 400 auth=9").from(11, 30), &["MISSING_IN_LEDGER 72 0/400"]);
    // What is not paid has no amount that must be anything.
    let of_another = Scene::new("capture 71 10 500 auth=9", &void.replace("500", "600"));
    check(&of_another.clone().from(2, 10), &[]);
    check(&of_another, &["STATUS_MISMATCH 71"]);
    let transfer = Scene::new("payment P1 10 500", "payment A 10 600 ref=P1 status=void");
    check(&transfer.clone().from(2, 10), &[]);
    check(&transfer, &["STATUS_MISMATCH P1"]);
}

#[test]
fn records_can_name_a_sale_and_its_authorization() {
    let scene = |items: &str, own: i64, other: i64| {
        let books = format!("payment A 10 {own} ref=71\npayment B 10 {other} ref=9");
        Scene::new(items, &books)
    };
    let one = "capture 71 10 500 auth=9";
    check(&scene(one, 400, 100), &[]);
    check(&scene(one, 500, 500), &["DUPLICATE_IN_LEDGER B -/500"]);
    // Of two captures the authorization names what the transaction does not.
    check(&scene("capture 71 10 500 auth=9\ncapture 72 10 300 auth=9", 500, 300), &[]);
}

#[test]
fn what_came_back_can_be_collected_by_hand() {
    let twice = "payment P1 10 500 order=O last4=1111 status=returned back=16c\n\
                 payment P2 18 500 order=O last4=1111";
    check(&Scene::new(twice, "payment A 10 500 order=O"), &[]);
    check(&Scene::new(twice, "payment A 10 500 ref=P1"), &[]);
    let both = "payment A 10 500 order=O\npayment B 18 500 order=O";
    check(&Scene::new(twice, both), &[]);
    let other = twice.replace("P2 18 500 order=O last4=1111", "P2 18 500 order=O last4=2222");
    check(&Scene::new(&other, "payment A 10 500 ref=P1"), &["MISSING_IN_LEDGER P2 0/500"]);
    let open = twice.replace("16c", "16r");
    check(&Scene::new(&open, "payment A 10 500 ref=P1"), &["MISSING_IN_LEDGER P2 0/500"]);
    // Books that post the return hold nothing of what was collected again.
    let reversed = "payment A 10 500 ref=P1\nrefund B 16 500 ref=P1";
    check(&Scene::new(twice, reversed), &["MISSING_IN_LEDGER P2 0/500"]);
    let back_again = format!("{twice} status=returned back=24");
    check(&Scene::new(&back_again, reversed), &[]);
    check(&Scene::new(&back_again, reversed).from(2, 23), &["MISSING_IN_LEDGER P2 0/500"]);
}

#[test]
fn compares_statuses() {
    let pair = |item: &str, record: &str| {
        Scene::new(&format!("payment P1 20 5 {item}"), &format!("payment A 20 5 ref=P1 {record}"))
    };
    check(&pair("", ""), &[]);
    check(&pair("status=declined", ""), &["STATUS_MISMATCH P1"]);
    check(&pair("status=returned back=24", ""), &["STATUS_MISMATCH P1"]);
    check(&pair("status=returned back=24c", ""), &[]);
    check(&pair("status=returned back=24", "").from(2, 23), &[]);
    check(&pair("", "status=void"), &["STATUS_MISMATCH P1"]);
    check(&pair("status=returned back=24", "status=returned"), &[]);
    check(
        &Scene::new("capture 71 20 5", "payment A 20 5 ref=71 status=void"),
        &["STATUS_MISMATCH 71"],
    );
    let known =
        Scene::new("", "payment A 20 5 ref=P1").transfers("payment P1 20 5 status=declined");
    check(&known, &["STATUS_MISMATCH P1"]);
}

#[test]
fn knows_what_was_looked_up_from_the_day_its_record_is_due() {
    let scene = |status: &str, business_date: i64| {
        let transfer = format!("payment P1 1 5 looked_up status={status}");
        Scene::new("", "payment A 20 5 ref=P1").transfers(&transfer).from(2, business_date)
    };
    check(&scene("complete", 24), &[]);
    check(&scene("declined", 23), &[]);
    check(&scene("declined", 24), &["STATUS_MISMATCH P1"]);
}

#[test]
fn reports_each_extra_record_of_a_duplicate_and_no_missing_one() {
    check(
        &Scene::new(
            "capture 71 20 5",
            "payment B 20 5 ref=71\npayment A 20 5 ref=71\npayment C 20 5 ref=71",
        ),
        &["DUPLICATE_IN_LEDGER B -/5", "DUPLICATE_IN_LEDGER C -/5"],
    );
}

#[test]
fn reports_an_ambiguity_from_the_day_one_of_it_would_be_missing() {
    let scene = Scene::new(
        "payment P2 20 5 last4=1111 order=X\npayment P1 20 5 last4=1111 order=Y",
        "payment A 20 5 last4=1111",
    );
    check(&scene.clone().from(2, 22), &[]);
    check(&scene.from(2, 23), &["AMBIGUOUS_MATCH P1;P2;A 5/10"]);
}

/// `count` captures on four dates, with a record for each; `record` gives its amount.
fn books(count: i64, record: impl Fn(i64) -> String) -> Scene {
    let day = |at: i64| 16 + at % 4;
    let items: Vec<String> = (0..count)
        .map(|at| format!("capture {} {} {}", 100 + at, day(at), 1000 + 7 * at))
        .collect();
    let records: Vec<String> =
        (0..count).map(|at| format!("payment R{at} {} {}", day(at), record(at))).collect();
    Scene::new(&items.join("\n"), &records.join("\n"))
}

#[test]
fn books_of_which_one_in_twenty_fits_by_luck_do_not_fit() {
    let lucky = |count: i64, pairs: i64| {
        let amount = |at: i64| if at < pairs { 1000 + 7 * at } else { 90_000 + 11 * at };
        books(count, |at| amount(at).to_string()).findings()
    };
    for (count, pairs) in [(20, 1), (40, 2), (9, 0), (60, 3)] {
        let found = lucky(count, pairs);
        assert!(matches!(&found[..], [one] if one.starts_with("LEDGER_NOT_FITTING ")), "{found:?}");
    }
    for (count, pairs) in [(19, 1), (39, 2), (9, 1), (59, 3)] {
        let found = lucky(count, pairs);
        let single = usize::try_from(2 * (count - pairs)).unwrap();
        assert_eq!(found.len(), single, "{count} and {pairs}: {found:?}");
    }
}

#[test]
fn books_of_which_nine_in_ten_references_differ_one_way_hold_net_amounts() {
    let net = |count: i64, above: i64, below: i64| {
        let amount = |at: i64| match at {
            at if at < above => 990 + 7 * at,
            at if at < above + below => 1010 + 7 * at,
            at => 1000 + 7 * at,
        };
        books(count, |at| format!("{} ref={}", amount(at), 100 + at)).findings()
    };
    assert_eq!(net(10, 9, 0), ["LEDGER_NOT_FITTING  9162/9252"]);
    assert_eq!(net(10, 0, 10), ["LEDGER_NOT_FITTING  10415/10315"]);
    assert_eq!(net(20, 18, 1).len(), 1);
    for (count, above, below) in [(9, 9, 0), (10, 8, 0), (10, 8, 2), (19, 17, 2)] {
        let found = net(count, above, below);
        assert_eq!(found.len(), usize::try_from(above + below).unwrap(), "{found:?}");
        assert!(found.iter().all(|one| one.starts_with("AMOUNT_MISMATCH ")), "{found:?}");
    }
}

#[test]
fn expects_no_record_for_what_stands_for_an_original_from_before_the_start() {
    check(&Scene::new("payment P2 12 600 again=P1", ""), &[]);
    check(&Scene::new("payment P1 1 600\npayment P2 12 600 again=P1", ""), &[]);
    check(
        &Scene::new("payment P1 3 600\npayment P2 12 600 again=P1", ""),
        &["MISSING_IN_LEDGER P1 0/600", "MISSING_IN_LEDGER P2 0/600"],
    );
}

#[test]
fn explains_what_it_found() {
    let scene = Scene::new("capture 71 20 500 last4=1111", "payment A 20 500 last4=2222");
    let explanations: Vec<String> = findings(&scene.input(), &scene.outcome())
        .into_iter()
        .map(|found| found.explanation)
        .collect();
    assert_eq!(
        explanations,
        [
            "Capture 71 of 5.00 USD dated 2026-11-20 has no ledger record, which was due on \
             2026-11-23. Nearest is ledger payment A of 5.00 USD dated 2026-11-20: the last four \
             digits differ.",
            "Ledger payment A of 5.00 USD dated 2026-11-20 has no item at the processor, which \
             was due on 2026-11-24. Nearest is capture 71 of 5.00 USD dated 2026-11-20: the last \
             four digits differ.",
        ]
    );
}
