//! One case for each rule of the passes by day and amount, and of the entries left.

use super::cases::{check, check_scene};
use super::*;

#[test]
fn pairs_the_same_day_amount_and_last_four() {
    let item = "capture 71 20 1000 last4=1111";
    check(item, "payment A 20 1000 last4=1111", &["71 = A by same_day"]);
    for other in [
        "payment A 20 1000 last4=2222",
        "payment A 20 1001 last4=1111",
        "payment A 20 1000 last4=1111 cur=CAD",
        "refund A 20 1000 last4=1111",
    ] {
        check(item, other, &["71 unmatched", "A unmatched"]);
    }
    check(item, "payment A 20 1000 last4=1111 status=declined", &["71 unmatched", "A excluded"]);
}

#[test]
fn pairs_interchangeable_records_in_order_of_id() {
    let three = "capture 9 20 5 last4=1111\ncapture 11 20 5 last4=1111\ncapture 10 20 5 last4=1111";
    check(
        three,
        "payment C 20 5 last4=1111\npayment A 20 5 last4=1111\npayment B 20 5 last4=1111",
        &["9 = A by same_day", "10 = B by same_day", "11 = C by same_day"],
    );
    check(
        three,
        "payment B 20 5 last4=1111\npayment A 20 5 last4=1111",
        &["9 = A by same_day", "10 = B by same_day", "11 unmatched"],
    );
}

#[test]
fn sets_unequal_numbers_with_different_orders_aside() {
    check(
        "payment P1 20 5 last4=1111 order=X\npayment P2 20 5 last4=1111 order=Y",
        "payment A 20 5 last4=1111",
        &["P1+P2 ? A in same_day"],
    );
    check(
        "payment P1 20 5 last4=1111 order=X\npayment P2 20 5 last4=1111 order=X",
        "payment A 20 5 last4=1111",
        &["P1 = A by same_day", "P2 unmatched"],
    );
    check(
        "payment P1 20 5 last4=1111 order=X\npayment P2 20 5 last4=1111 order=Y",
        "payment A 20 5 last4=1111\npayment B 20 5 last4=1111",
        &["P1 = A by same_day", "P2 = B by same_day"],
    );
    check(
        "capture 1 20 5 last4=1111",
        "payment A 20 5 last4=1111 order=X\npayment B 20 5 last4=1111",
        &["1 ? A+B in same_day"],
    );
}

#[test]
fn lets_no_pass_pair_two_different_orders() {
    let item = "payment P1 20 5 last4=1111 order=X";
    for (record, expected) in [
        ("payment A 20 5 last4=1111 order=Y", vec!["P1 unmatched", "A unmatched"]),
        ("payment A 23 5 last4=1111 order=Y", vec!["P1 unmatched", "A unmatched"]),
        ("payment A 20 5 order=Y", vec!["P1 unmatched", "A unmatched"]),
        ("payment A 20 5 last4=1111", vec!["P1 = A by same_day"]),
    ] {
        check(item, record, &expected);
    }
    check(
        "payment P1 20 5 last4=1111 order=X\ncapture 71 20 5 last4=1111",
        "payment A 20 5 last4=1111 order=Y\npayment B 20 5 last4=1111",
        &["P1 = B by same_day", "71 = A by same_day"],
    );
}

#[test]
fn measures_nearby_days_in_banking_days() {
    let cases = [
        (20, 21, true),  // Friday and Saturday: at least 1
        (21, 22, true),  // Saturday and Sunday: at least 1
        (20, 23, true),  // Friday and Monday: 1
        (20, 25, true),  // Friday and Wednesday: 3
        (20, 27, false), // Thanksgiving between: 4 (23, 24, 25, 27)
        (20, 26, true),  // a holiday adds nothing
        (25, 20, true),
        (9, 13, true), // over Veterans Day: 3 (10, 12, 13)
        (9, 16, false),
    ];
    for (item, record, is_near) in cases {
        let expected: &[&str] =
            if is_near { &["71 = A by nearby_day"] } else { &["71 unmatched", "A unmatched"] };
        check(
            &format!("capture 71 {item} 5 last4=1111"),
            &format!("payment A {record} 5 last4=1111"),
            expected,
        );
    }
}

#[test]
fn takes_the_nearest_day_first() {
    check(
        "capture 71 17 5 last4=1111",
        "payment A 19 5 last4=1111\npayment B 18 5 last4=1111",
        &["71 = B by nearby_day", "A unmatched"],
    );
    check(
        "capture 71 17 5 last4=1111\ncapture 72 16 5 last4=1111",
        "payment A 19 5 last4=1111\npayment B 18 5 last4=1111",
        &["71 = B by nearby_day", "72 = A by nearby_day"],
    );
}

#[test]
fn does_not_choose_between_before_and_after() {
    check(
        "capture 71 17 5 last4=1111",
        "payment A 16 5 last4=1111\npayment B 18 5 last4=1111",
        &["71 ? A+B in nearby_day"],
    );
    check(
        "capture 71 16 5 last4=1111\ncapture 72 18 5 last4=1111",
        "payment A 17 5 last4=1111",
        &["71+72 ? A in nearby_day"],
    );
    // Equal numbers leave no choice.
    check(
        "capture 71 17 5 last4=1111\ncapture 72 17 5 last4=1111",
        "payment A 16 5 last4=1111\npayment B 18 5 last4=1111",
        &["71 = A by nearby_day", "72 = B by nearby_day"],
    );
    // A chain: the choice of the middle entry decides for the others.
    check(
        "capture 71 16 5 last4=1111\ncapture 72 18 5 last4=1111",
        "payment A 17 5 last4=1111\npayment B 19 5 last4=1111",
        &["71+72 ? A+B in nearby_day"],
    );
}

#[test]
fn pairs_several_on_one_side_of_a_nearby_day() {
    check(
        "capture 71 20 5 last4=1111",
        "payment B 21 5 last4=1111\npayment A 22 5 last4=1111",
        &["71 = A by nearby_day", "B unmatched"],
    );
    check(
        "payment P1 17 5 last4=1111 order=X\npayment P2 17 5 last4=1111 order=Y",
        "payment A 18 5 last4=1111",
        &["P1+P2 ? A in nearby_day"],
    );
}

#[test]
fn pairs_as_many_items_as_records_of_one_day_and_amount() {
    let cases: [(&str, &str, &[&str]); 14] = [
        // An unknown second day is not compared.
        ("payment P1 20 5\npayment P2 20 5 ran=18", "payment A 20 5", &["P1+P2 ? A in unique"]),
        ("capture 71 20 5 last4=1111", "payment A 20 5", &["71 = A by unique"]),
        ("capture 71 20 5", "payment A 20 5 last4=1111", &["71 = A by unique"]),
        ("capture 71 20 5", "payment A 20 5 order=X", &["71 = A by unique"]),
        (
            "capture 72 20 5 last4=2222\ncapture 71 20 5 last4=1111",
            "payment B 20 5\npayment A 20 5",
            &["71 = A by unique", "72 = B by unique"],
        ),
        // Nothing says which of unequal numbers is missing.
        ("capture 71 20 5\ncapture 72 20 5", "payment A 20 5", &["71+72 ? A in unique"]),
        (
            "capture 71 20 5 last4=1111\ncapture 72 20 5 last4=2222",
            "payment A 20 5",
            &["71+72 ? A in unique"],
        ),
        ("capture 71 20 5", "payment A 20 5\npayment B 20 5", &["71 ? A+B in unique"]),
        ("payment P1 23 5 ran=20", "payment A 20 5\npayment B 20 5", &["P1 ? A+B in unique"]),
        (
            "capture 71 20 5 last4=1111\ncapture 72 20 5 last4=2222",
            "payment A 20 5 last4=3333",
            &["71 unmatched", "72 unmatched", "A unmatched"],
        ),
        (
            "capture 71 20 5 last4=1111\ncapture 72 20 5 last4=2222",
            "payment A 20 5\npayment B 20 5 last4=2222",
            &["71 = A by unique", "72 = B by same_day"],
        ),
        // No entry may contradict any other: the pairing would be a guess.
        (
            "capture 71 20 5 last4=1111\ncapture 72 20 5",
            "payment A 20 5\npayment B 20 5 last4=2222",
            &["71 unmatched", "72 unmatched", "A unmatched", "B unmatched"],
        ),
        (
            "capture 71 20 5 last4=1111",
            "payment A 20 5\npayment B 20 5 last4=2222",
            &["71 unmatched", "A unmatched", "B unmatched"],
        ),
        (
            "capture 71 20 5 last4=1111\npayment P1 20 5 order=X",
            "payment A 20 5 order=Y\npayment B 20 5 last4=2222",
            &["71 unmatched", "P1 unmatched", "A unmatched", "B unmatched"],
        ),
    ];
    for (items, records, expected) in cases {
        check(items, records, expected);
    }
}

#[test]
fn accepts_either_day_of_an_item_the_first_before_the_second() {
    let sold_before = "capture 71 20 5 ran=19 last4=1111";
    check(sold_before, "payment A 19 5 last4=1111", &["71 = A by same_day"]);
    check(sold_before, "payment A 19 5", &["71 = A by unique"]);
    check(sold_before, "payment A 18 5 last4=1111", &["71 = A by nearby_day"]);
    check(
        sold_before,
        "payment A 19 5 last4=1111\npayment B 20 5 last4=1111",
        &["71 = B by same_day", "A unmatched"],
    );
    // Friday the 20th is three banking days before Wednesday, and the batch of Monday two.
    check(
        "capture 71 23 5 ran=20 last4=1111",
        "payment A 25 5 last4=1111",
        &["71 = A by nearby_day"],
    );
}

#[test]
fn pairs_a_nearby_day_and_amount_when_nothing_else_is_near() {
    let item = "capture 71 17 5 last4=1111";
    check(item, "payment A 18 5", &["71 = A by nearby_unique"]);
    check(item, "payment A 20 5", &["71 = A by nearby_unique"]);
    check(item, "payment A 23 5", &["71 unmatched", "A unmatched"]);
    check(item, "payment A 18 5 last4=2222", &["71 unmatched", "A unmatched"]);
    check(item, "payment A 18 5 order=X", &["71 = A by nearby_unique"]);
    // Another entry nearby, paired or not, leaves a choice; one beyond the window does not.
    check(item, "payment A 18 5\npayment B 19 5", &["71 unmatched", "A unmatched", "B unmatched"]);
    check(
        "capture 71 17 5\ncapture 72 19 5 last4=1111",
        "payment A 18 5\npayment B 19 5 last4=1111",
        &["72 = B by same_day", "71 unmatched", "A unmatched"],
    );
    check(
        "capture 71 17 5\ncapture 72 27 5 last4=1111",
        "payment A 18 5\npayment B 27 5 last4=1111",
        &["71 = A by nearby_unique", "72 = B by same_day"],
    );
    // A void record is not expected and leaves no choice.
    check(
        item,
        "payment A 18 5\npayment B 18 5 status=void",
        &["71 = A by nearby_unique", "B excluded"],
    );
}

#[test]
fn pairs_order_ids_in_another_spelling() {
    for (of_item, of_record) in [("PIZZA-1002", "pizza_1002"), ("0001004", "1004"), ("#A5", "a-05")]
    {
        check(
            &format!("payment P1 3 5 order={of_item}"),
            &format!("payment A 20 5 order={of_record}"),
            &["P1 = A by order_spelling"],
        );
    }
    let item = "payment P1 3 5 order=A-1";
    check(item, "payment A 20 6 order=a1", &["P1 unmatched", "A unmatched"]);
    check(
        "payment P1 3 5 order=A-1 last4=1111",
        "payment A 20 5 order=a1 last4=2222",
        &["P1 unmatched", "A unmatched"],
    );
    check(
        item,
        "payment A 20 5 order=a1\npayment B 20 5 order=A_1",
        &["P1 unmatched", "A unmatched", "B unmatched"],
    );
    check(
        item,
        "payment A 20 5 order=a1\npayment B 3 5 order=A-1",
        &["P1 = B by order", "A unmatched"],
    );
    check(item, "payment A 3 5 order=a1 status=void", &["P1 = A by order_spelling"]);
    // Two spellings of one order contradict nothing in later passes.
    check(
        "payment P1 20 5 order=A-1\npayment P2 20 5 order=a/1",
        "payment A 20 5 order=a1\npayment B 20 5 order=A_1",
        &["P1 = A by unique", "P2 = B by unique"],
    );
    let scene = Scene::new("", "payment A 20 7 order=a1")
        .transfers("payment P2 20 7 order=A-1 status=pending");
    check_scene(scene, &["A names P2"]);
}

#[test]
fn lets_the_last_four_divide_an_order() {
    check(
        "payment P1 20 600 order=O last4=1111\npayment P2 20 400 order=O last4=2222",
        "payment A 20 500 order=O last4=1111\npayment B 20 300 order=O last4=2222",
        &["P1 = A by order", "P2 = B by order"],
    );
    check(
        "payment P1 20 600 order=O last4=1111\npayment P2 20 400 order=O last4=2222",
        "payment A 20 500 order=O last4=1111\npayment B 20 300 order=O",
        &["P1+P2 ? A+B in order"],
    );
}

#[test]
fn takes_statuses_that_are_not_paid_only_where_no_paid_record_names_the_same() {
    let item = "capture 71 20 1000";
    check(
        item,
        "payment A 20 1100 ref=71 status=void\npayment B 20 1000 ref=71",
        &["71 = B by reference", "A excluded"],
    );
    check(
        item,
        "payment A 20 1100 ref=71 status=void\npayment B 20 1000 ref=71 status=declined",
        &["71 = A by reference", "B excluded"],
    );
    let scene = Scene::new("", "payment A 20 7 ref=P2 status=void\npayment B 20 7 ref=P2")
        .transfers("payment P2 20 7 status=pending");
    check_scene(scene, &["B names P2", "A excluded"]);
}

#[test]
fn takes_as_many_records_of_an_authorization_as_it_has_captures() {
    let items = "capture 71 20 600 auth=5\ncapture 72 23 400 auth=5";
    check(
        items,
        "payment A 20 400 ref=5\npayment B 23 600 ref=5",
        &["71 = B by reference", "72 = A by reference"],
    );
    check(items, "payment A 20 700 ref=5\npayment B 23 300 ref=5", &["71+72 = A+B by reference"]);
    check(
        items,
        "payment A 20 600 ref=5\npayment B 23 300 ref=5",
        &["71 = A by reference", "72 = B by reference"],
    );
    check(
        items,
        "payment A 20 600 ref=5\npayment B 23 400 ref=5\npayment C 23 400 ref=5",
        &["71 = A by reference", "72 = B by reference", "C duplicate of A"],
    );
    // One that is a capture's own: the other capture is free for a record without the name.
    check(
        items,
        "payment A 20 600 ref=5\npayment B 23 400",
        &["71 = A by reference", "72 = B by unique"],
    );
    check(items, "payment A 20 600 ref=5", &["71 = A by reference", "72 unmatched"]);
    check(items, "payment A 20 601 ref=5", &["71+72 = A by reference"]);
}

#[test]
fn reads_a_reference_as_a_spreadsheet_writes_it() {
    check("capture 71 20 5", "payment A 3 9 ref='71", &["71 = A by reference"]);
    check("capture 71 20 5", "payment A 3 9 ref==\"71\"", &["71 = A by reference"]);
    check("capture 71 20 5", "payment A 3 9 ref=71.0", &["71 unmatched", "A unmatched"]);
}

#[test]
fn excludes_what_is_worth_nothing() {
    check(
        "payment P1 20 0 order=O\npayment P2 20 5 order=O",
        "payment A 20 0 order=O\npayment B 20 0\npayment C 20 5 order=O",
        &["P2 = C by order", "P1 excluded", "A excluded", "B excluded"],
    );
}

#[test]
fn pairs_across_the_start_what_fits_one_on_either_side() {
    let scene = |items: &str, records: &str| Scene::new(items, records).from(2, 30);
    // Sold on the Friday before the start, in the batch of the first day; and posted before it.
    check_scene(scene("capture 71 2 5 ran=-1", "payment A -1 5"), &["71 = A by across_start"]);
    check_scene(scene("capture 71 3 5", "payment A 1 5"), &["71 = A by across_start"]);
    check_scene(
        scene("capture 71 3 5", "payment A 1 5\npayment B -1 5"),
        &["71 unmatched", "A out of scope", "B out of scope"],
    );
    check_scene(
        scene("capture 71 3 5 last4=1111", "payment A 1 5 last4=2222"),
        &["71 unmatched", "A out of scope"],
    );
    // Entries from before the start are paired among themselves first.
    check_scene(
        scene("capture 71 -1 5\ncapture 72 2 5", "payment A -1 5"),
        &["71 out of scope", "72 unmatched", "A out of scope"],
    );
    check_scene(
        scene("capture 71 -1 5", "payment A -1 5 order=X\npayment B 2 5"),
        &["71 out of scope", "A out of scope", "B unmatched"],
    );
    // But first what agrees in the last four: the item of A may lie on a day that was not read.
    check_scene(
        scene("capture 71 1 5 last4=1111", "payment A -3 5\npayment B 2 5 last4=1111"),
        &["71 = B by across_start", "A out of scope"],
    );
    check_scene(
        scene("capture 71 1 5 last4=1111", "payment A -3 5 last4=1111\npayment B 2 5 last4=1111"),
        &["71 out of scope", "A out of scope", "B unmatched"],
    );
}

#[test]
fn pairs_what_is_dated_before_the_start_only_by_name() {
    let scene =
        |records: &str| Scene::new("payment P1 3 5 last4=1111 order=O", records).from(2, 30);
    check_scene(scene("payment A -1 5 ref=P1"), &["P1 = A by reference"]);
    check_scene(scene("payment A 1 5 order=O"), &["P1 = A by order"]);
    check_scene(scene("payment A 1 5 last4=2222"), &["P1 unmatched", "A out of scope"]);
    // Friday the 23rd of October is six banking days before Monday the 2nd of November.
    check_scene(scene("payment A -8 5 ref=P1"), &["P1 unmatched", "A out of scope"]);
    check_scene(scene("payment A 4 5 ref=P1 not_read"), &["P1 = A by reference"]);
    check_scene(scene("payment A 3 5 last4=1111 not_read"), &["P1 unmatched", "A out of scope"]);
}

#[test]
fn judges_no_item_from_before_the_start() {
    let scene = |records: &str| Scene::new("payment P1 1 5 last4=1111", records).from(2, 30);
    check_scene(scene(""), &["P1 out of scope"]);
    check_scene(scene("payment A 2 5 ref=P1"), &["P1 = A by reference"]);
    // A sale from before the start may be posted after it, within the window.
    check_scene(scene("payment A 2 5 last4=1111"), &["P1 = A by across_start"]);
    check_scene(scene("payment A 2 5 last4=2222"), &["P1 out of scope", "A unmatched"]);
    check_scene(scene("payment A 8 5 last4=1111"), &["P1 out of scope", "A unmatched"]);
    // An item in scope never loses its record to an earlier one, however near that is.
    let scene = Scene::new(
        "payment P1 1 5 last4=1111\npayment P2 4 5 last4=1111",
        "payment A 2 5 last4=1111",
    );
    check_scene(scene.from(2, 30), &["P2 = A by nearby_day", "P1 out of scope"]);
    let scene = |records: &str| Scene::new("payment P1 1 5 last4=1111", records).from(2, 30);
    check_scene(scene("payment A 1 5 ref=P1"), &["P1 out of scope", "A out of scope"]);
}

#[test]
fn knows_nothing_of_later_days() {
    let scene = Scene::new(
        "payment P1 20 5\npayment P2 24 5",
        "payment A 24 5 ref=P1\npayment B 20 5 ref=P2",
    );
    check_scene(scene.from(2, 23), &["P1 = B by unique", "P2 later", "A later"]);
}

#[test]
fn remembers_transfers_that_are_not_settled() {
    let scene = |records: &str| {
        Scene::new("payment P1 20 5 order=O", records).transfers(
            "payment P2 20 7 order=O status=pending\npayment P3 20 7 order=O status=declined",
        )
    };
    check_scene(scene("payment A 20 7 ref=P2"), &["P1 unmatched", "A names P2"]);
    check_scene(
        scene("payment A 20 5 order=O\npayment B 20 7 order=O"),
        &["P1 = A by order", "B names P2"],
    );
    check_scene(
        scene("payment A 20 5 order=O\npayment B 20 8 order=O"),
        &["P1 = A by order", "B names P2"],
    );
    check_scene(scene("refund A 20 7 ref=P2"), &["P1 unmatched", "A unmatched"]);
    check_scene(
        scene(
            "payment A 20 5 order=O\npayment B 20 8 order=O\npayment C 20 8 order=O\npayment D 20 9 order=O",
        ),
        &["P1 = A by order", "B names P2", "C names P3", "D names P3"],
    );
}

#[test]
fn lets_a_record_wait_for_a_transfer_that_is_nearer_than_any_item() {
    let scene = |records: &str, status: &str| {
        let known = format!("payment P2 20 7 last4=1111 status={status}");
        Scene::new("payment P1 19 7 last4=1111", records).transfers(&known)
    };
    let near = "payment A 20 7 last4=1111";
    check_scene(scene(near, "pending"), &["P1 unmatched", "A waits for P2"]);
    check_scene(scene(near, "admin"), &["P1 unmatched", "A waits for P2"]);
    check_scene(scene(near, "declined"), &["P1 = A by nearby_day"]);
    check_scene(
        scene("payment A 20 7 last4=1111\npayment B 19 7 last4=1111", "pending"),
        &["P1 = B by same_day", "A waits for P2"],
    );
    check_scene(scene("payment A 20 7", "pending"), &["P1 unmatched", "A waits for P2"]);
    check_scene(scene("payment A 20 7 ref=P2", "pending"), &["P1 unmatched", "A names P2"]);
    // The same under one order id.
    let known = "payment P2 20 7 order=O status=pending";
    let two = |records: &str| Scene::new("payment P1 17 7 order=O", records).transfers(known);
    check_scene(two("payment A 20 7 order=O"), &["P1 unmatched", "A names P2"]);
    check_scene(two("payment A 17 7 order=O"), &["P1 = A by order"]);
    check_scene(two("payment A 18 8 order=O"), &["P1 = A by order"]);
    // A first day goes before a second one.
    let known = "payment P2 20 7 order=X status=pending";
    let two = Scene::new("payment P1 20 7 order=Y", "payment A 20 7").transfers(known);
    check_scene(two, &["P1 = A by unique"]);
}

#[test]
fn lets_a_different_last_four_contradict_the_order_id_of_what_is_not_settled() {
    let scene = |records: &str| {
        Scene::new("", records).transfers(
            "payment P1 20 7 order=O status=declined last4=1111\n\
             payment P2 20 7 order=O status=declined last4=2222",
        )
    };
    check_scene(scene("payment A 20 7 order=O last4=2222"), &["A names P2"]);
    check_scene(scene("payment A 20 8 order=O last4=2222"), &["A names P2"]);
    check_scene(scene("payment A 20 7 order=O last4=3333"), &["A unmatched"]);
    check_scene(scene("payment A 20 8 order=O last4=3333"), &["A unmatched"]);
    check_scene(
        scene("payment A 20 7 order=O\npayment B 20 7 order=O last4=1111"),
        &["A names P2", "B names P1"],
    );
    check_scene(
        scene(
            "payment A 20 8 order=O\npayment B 20 8 order=O\npayment C 20 8 order=O last4=3333\n\
             payment D 20 8 order=O last4=1111",
        ),
        &["A names P1", "B names P2", "C unmatched", "D names P1"],
    );
}

#[test]
fn excludes_records_that_are_not_paid() {
    check(
        "",
        "payment A 20 5 status=void\npayment B 20 5 status=declined ref=x",
        &["A excluded", "B excluded"],
    );
}

#[test]
fn names_the_best_candidate_and_why_it_was_refused() {
    use Refusal as R;
    let cases = [
        ("capture 71 20 5 last4=1111", "payment A 20 5 last4=2222", Some(R::LastFourDiffers)),
        ("payment P1 20 5 order=X", "payment A 20 5 order=Y", Some(R::OrderDiffers)),
        ("capture 71 20 5", "payment A 24 5\npayment B 24 5", Some(R::NotUnique)),
        ("capture 71 3 5", "payment A 24 5", Some(R::TooFar { distance_days: 14 })),
        ("capture 71 20 5 last4=1111", "payment A 20 6 last4=1111", Some(R::AmountDiffers)),
        ("capture 71 20 5", "payment A 20 6", None),
        ("payment P1 20 5 order=X", "payment A 20 5 order=X cur=CAD", Some(R::CurrencyDiffers)),
        ("payment P1 20 5 order=A-1", "payment A 20 6 order=a1", Some(R::AmountDiffers)),
    ];
    for (items, records, expected) in cases {
        let outcome = Scene::new(items, records).outcome();
        let ItemState::Unmatched(of_item) = outcome.items[0] else { panic!("{items}") };
        let RecordState::Unmatched(of_record) = outcome.records[0] else { panic!("{records}") };
        assert_eq!(of_item.map(|one| one.refusal), expected, "{items}");
        assert_eq!(of_record.map(|one| one.refusal), expected, "{records}");
    }
}
