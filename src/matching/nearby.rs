//! Passes 3 and 4: the same amount and last four digits on the same day, then on days at a
//! distance of 1, 2, … banking days, nearest first.
//!
//! Everything happens inside one group of kind, currency, amount and last four. A group of n
//! costs n log n for each distance of the window, whatever it holds.

use std::cmp::Ordering;

use chrono::NaiveDate;

use super::interchange::{Decision, decide};
use super::keys::{day_key, day_of_key, last4_key, money_key};
use super::outcome::Pass;
use super::progress::Progress;

const DAY_BITS: u32 = 32;

/// What a pass compares, whose it is, and whether it carries an order id.
type Ticket = (u128, u32, bool);

/// Runs both passes.
pub(super) fn run(progress: &mut Progress<'_>) {
    let items = progress.items_left().filter_map(|at| ticket_of_item(progress, at)).collect();
    run_over(progress, items);
}

/// Pass 4 once more, for what all the passes have left: a sale of the last days before the
/// start date may be posted on or after it. It is never missed, but its record is not missing
/// at the processor either. Items in scope come first, so that none loses its record to one.
pub(super) fn run_before_start(progress: &mut Progress<'_>) {
    let items: Vec<Ticket> =
        progress.earlier_items_left().filter_map(|at| ticket_of_item(progress, at)).collect();
    if !items.is_empty() {
        run_over(progress, items);
    }
}

fn run_over(progress: &mut Progress<'_>, mut items: Vec<Ticket>) {
    let mut records: Vec<Ticket> =
        progress.records_left().filter_map(|at| ticket_of_record(progress, at)).collect();
    items.sort_unstable();
    records.sort_unstable();
    let (mut items, mut records) = (items.as_slice(), records.as_slice());
    while let (Some(item), Some(record)) = (items.first(), records.first()) {
        let group = item.0 >> DAY_BITS;
        match group.cmp(&(record.0 >> DAY_BITS)) {
            Ordering::Less => items = &items[1..],
            Ordering::Greater => records = &records[1..],
            Ordering::Equal => {
                let same_items = take_group(&mut items, group);
                let same_records = take_group(&mut records, group);
                if let ([item], [record]) = (same_items, same_records) {
                    pair_two(progress, *item, *record);
                } else {
                    pair_same_day(progress, same_items, same_records);
                    pair_nearby(progress, same_items, same_records);
                }
            }
        }
    }
}

fn ticket_of_item(progress: &Progress<'_>, position: u32) -> Option<Ticket> {
    let item = progress.item(position);
    let key = money_key(item.kind.ledger_kind(), item.currency?, item.amount?);
    let key = key | last4_key(item.last4?) | day_key(item.day);
    Some((key, position, item.order_id.is_some()))
}

fn ticket_of_record(progress: &Progress<'_>, position: u32) -> Option<Ticket> {
    let record = progress.record(position);
    let key = money_key(record.kind, record.currency, record.amount);
    let key = key | last4_key(record.last4?) | day_key(record.date);
    Some((key, position, record.order_id.is_some()))
}

fn take_group<'a>(tickets: &mut &'a [Ticket], group: u128) -> &'a [Ticket] {
    let length = tickets.iter().take_while(|ticket| ticket.0 >> DAY_BITS == group).count();
    let (taken, rest) = tickets.split_at(length);
    *tickets = rest;
    taken
}

/// The common case, without any list: one item and one record.
fn pair_two(progress: &mut Progress<'_>, item: Ticket, record: Ticket) {
    if item.2 && record.2 {
        return;
    }
    let (item_at, record_at) = (&[item.1], &[record.1]);
    if item.0 == record.0 {
        progress.pair(Pass::SameDay, item_at, record_at);
        return;
    }
    let terms = progress.input.terms;
    // The days are read off the keys: a million visits to the records cost more than the sort.
    let is_near = matches!(
        (day_of_key(item.0), day_of_key(record.0)),
        (Some(day), Some(date)) if terms.banking_days.distance(day, date) <= terms.window_days
    );
    if is_near {
        progress.pair(Pass::NearbyDay, item_at, record_at);
    }
}

fn pair_same_day(progress: &mut Progress<'_>, mut items: &[Ticket], mut records: &[Ticket]) {
    while let (Some(item), Some(record)) = (items.first(), records.first()) {
        let day = item.0.min(record.0);
        let same = |tickets: &[Ticket]| tickets.iter().take_while(|one| one.0 == day).count();
        let (item_count, record_count) = (same(items), same(records));
        match (&items[..item_count], &records[..record_count]) {
            ([], _) | (_, []) => {}
            ([item], [record]) => pair_two(progress, *item, *record),
            (same_items, same_records) => {
                let positions = |tickets: &[Ticket]| tickets.iter().map(|one| one.1).collect();
                let decision =
                    decide(progress, positions(same_items), positions(same_records), false);
                carry_out(progress, Pass::SameDay, decision);
            }
        }
        items = &items[item_count..];
        records = &records[record_count..];
    }
}

fn carry_out(progress: &mut Progress<'_>, pass: Pass, decision: Decision) {
    match decision {
        Decision::Nothing => {}
        Decision::Pairs(pairs) => {
            for (item, record) in pairs {
                progress.pair(pass, &[item], &[record]);
            }
        }
        Decision::Ambiguous(items, records) => progress.mark_ambiguous(pass, items, records),
    }
}

/// Candidates of one side that stand at the same banking day and carry an order id or do not.
struct Node {
    position: u32,
    has_order: bool,
    first_day: NaiveDate,
    last_day: NaiveDate,
    members: Vec<u32>,
}

fn pair_nearby(progress: &mut Progress<'_>, items: &[Ticket], records: &[Ticket]) {
    let mut items_left = items.iter().filter(|one| progress.is_item_open(one.1));
    let mut records_left = records.iter().filter(|one| progress.is_record_open(one.1));
    let (Some(item), Some(record)) = (items_left.next(), records_left.next()) else { return };
    if items_left.next().is_none() && records_left.next().is_none() {
        pair_two(progress, *item, *record);
        return;
    }
    let days = &progress.input.terms.banking_days;
    let span = |tickets: &[Ticket], day: &dyn Fn(u32) -> NaiveDate| {
        let (first, last) = (tickets.first()?.1, tickets.last()?.1);
        Some((days.position(day(first)), days.position(day(last))))
    };
    let of_items = span(items, &|item| progress.item(item).day);
    let of_records = span(records, &|record| progress.record(record).date);
    let (Some(of_items), Some(of_records)) = (of_items, of_records) else { return };
    let farthest = of_items.1.max(of_records.1) - of_items.0.min(of_records.0);
    for distance in 1..=progress.input.terms.window_days.min(farthest.max(1)) {
        let item_nodes = item_nodes(progress, items);
        let record_nodes = record_nodes(progress, records);
        if item_nodes.is_empty() || record_nodes.is_empty() {
            return;
        }
        for component in components(&item_nodes, &record_nodes, distance) {
            settle_component(progress, &item_nodes, &record_nodes, &component, distance);
        }
    }
}

fn item_nodes(progress: &Progress<'_>, items: &[Ticket]) -> Vec<Node> {
    let days = &progress.input.terms.banking_days;
    let free = items.iter().map(|one| one.1).filter(|&item| progress.is_item_open(item));
    nodes(free.map(|position| {
        let item = progress.item(position);
        (days.position(item.day), item.order_id.is_some(), item.day, position)
    }))
}

fn record_nodes(progress: &Progress<'_>, records: &[Ticket]) -> Vec<Node> {
    let days = &progress.input.terms.banking_days;
    let free = records.iter().map(|one| one.1).filter(|&record| progress.is_record_open(record));
    nodes(free.map(|position| {
        let record = progress.record(position);
        (days.position(record.date), record.order_id.is_some(), record.date, position)
    }))
}

/// Sorted by banking day, then by whether they carry an order id.
fn nodes(candidates: impl Iterator<Item = (u32, bool, NaiveDate, u32)>) -> Vec<Node> {
    let mut sorted: Vec<_> = candidates.collect();
    sorted.sort_unstable();
    let mut nodes: Vec<Node> = Vec::new();
    for (position, has_order, day, member) in sorted {
        match nodes.last_mut() {
            Some(node) if (node.position, node.has_order) == (position, has_order) => {
                node.last_day = day;
                node.members.push(member);
            }
            _ => nodes.push(Node {
                position,
                has_order,
                first_day: day,
                last_day: day,
                members: vec![member],
            }),
        }
    }
    nodes
}

/// Nodes that hang together: positions in the lists of item nodes and of record nodes.
type Component = (Vec<usize>, Vec<usize>);

fn components(items: &[Node], records: &[Node], distance: u32) -> Vec<Component> {
    // A forest over the item nodes, then the record nodes.
    let mut parents: Vec<usize> = (0..items.len() + records.len()).collect();
    let mut has_edge = vec![false; parents.len()];
    for (at, item) in items.iter().enumerate() {
        for position in positions_at(item.position, distance).into_iter().flatten() {
            let first = records.partition_point(|record| record.position < position);
            let there = records[first..].iter().take_while(|record| record.position == position);
            for (offset, record) in there.enumerate() {
                if !(item.has_order && record.has_order) {
                    let other = items.len() + first + offset;
                    (has_edge[at], has_edge[other]) = (true, true);
                    let (one, two) = (root(&mut parents, at), root(&mut parents, other));
                    parents[one.max(two)] = one.min(two);
                }
            }
        }
    }
    let mut by_root: Vec<Option<Component>> = (0..items.len()).map(|_| None).collect();
    for node in (0..parents.len()).filter(|&node| has_edge[node]) {
        // The lowest node of a component is an item's.
        let of_root = by_root[root(&mut parents, node)].get_or_insert_default();
        if node < items.len() {
            of_root.0.push(node);
        } else {
            of_root.1.push(node - items.len());
        }
    }
    by_root.into_iter().flatten().collect()
}

/// Where the other side of a pair at `distance` stands. Different days without a banking day
/// between them have one position and are one day apart; equal days are left to pass 3.
fn positions_at(position: u32, distance: u32) -> [Option<u32>; 3] {
    let same = (distance == 1).then_some(position);
    [position.checked_sub(distance), same, position.checked_add(distance)]
}

fn root(parents: &mut [usize], mut node: usize) -> usize {
    while parents[node] != node {
        parents[node] = parents[parents[node]];
        node = parents[node];
    }
    node
}

fn settle_component(
    progress: &mut Progress<'_>,
    items: &[Node],
    records: &[Node],
    component: &Component,
    distance: u32,
) {
    let item_nodes: Vec<&Node> = component.0.iter().map(|&node| &items[node]).collect();
    let record_nodes: Vec<&Node> = component.1.iter().map(|&node| &records[node]).collect();
    let all = |nodes: &[&Node]| nodes.iter().flat_map(|node| node.members.clone()).collect();
    let (all_items, all_records): (Vec<u32>, Vec<u32>) = (all(&item_nodes), all(&record_nodes));
    let decision = if is_complete(&item_nodes, &record_nodes, distance) {
        let first = |nodes: &[&Node]| nodes.iter().map(|node| node.first_day).min();
        let last = |nodes: &[&Node]| nodes.iter().map(|node| node.last_day).max();
        let is_either_way =
            last(&item_nodes) > first(&record_nodes) && last(&record_nodes) > first(&item_nodes);
        decide(progress, all_items, all_records, is_either_way)
    } else {
        // A chain: someone in it has a candidate before and one after, and whom it takes
        // decides for all the others.
        Decision::Ambiguous(all_items, all_records)
    };
    carry_out(progress, Pass::NearbyDay, decision);
}

/// Whether every item is at `distance` from every record.
fn is_complete(items: &[&Node], records: &[&Node], distance: u32) -> bool {
    // More than three positions cannot all be at one distance from anything; each may stand
    // for two nodes.
    items.len() <= 6
        && records.len() <= 6
        && items.iter().all(|item| {
            records.iter().all(|record| {
                positions_at(item.position, distance).contains(&Some(record.position))
            })
        })
}
