//! Pass 4 within one group of kind, currency, amount and last four. Decides at once over the
//! candidates of one place and of all places linked by the current distance.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::interchange::{Decision, carry_out, decide};
use super::progress::Progress;
use super::states::Pass;
use super::tickets::{ItemTicket, RecordTicket};

/// A component with more places than this on one side is treated as a chain.
const MAX_PLACES: usize = 64;

/// Items that share both days and the order id.
struct ItemNode {
    days: [NaiveDate; 2],
    order: u32,
    members: Vec<u32>,
}

/// Records that share the date and the order id, sorted by banking day, order id and date.
struct RecordNode {
    banking_day: u32,
    order: u32,
    date: NaiveDate,
    members: Vec<u32>,
}

/// Nodes that could be paired with each other, directly or through others.
type Component = (Vec<usize>, Vec<usize>);

/// Runs pass 4 over one group, nearest first.
pub(super) fn pair_nearby(
    progress: &mut Progress<'_>,
    items: &[ItemTicket],
    records: &[RecordTicket],
) {
    let terms = progress.input.terms;
    let Some(farthest) = farthest(progress, items, records) else { return };
    for distance in 1..=terms.window_days.min(farthest.max(1)) {
        let item_nodes = item_nodes(progress, items);
        let record_nodes = record_nodes(progress, records);
        if item_nodes.is_empty() || record_nodes.is_empty() {
            return;
        }
        for component in components(progress, &item_nodes, &record_nodes, distance) {
            settle(progress, &item_nodes, &record_nodes, &component, distance);
        }
    }
}

/// The largest distance within the group.
fn farthest(
    progress: &Progress<'_>,
    items: &[ItemTicket],
    records: &[RecordTicket],
) -> Option<u32> {
    let days = items.iter().flat_map(|one| one.1).chain(records.iter().map(|one| one.1));
    let positions = days.map(|day| progress.input.terms.banking_days.position(day));
    let (low, high) =
        positions.fold((u32::MAX, 0), |(low, high), one| (low.min(one), high.max(one)));
    high.checked_sub(low)
}

fn item_nodes(progress: &Progress<'_>, items: &[ItemTicket]) -> Vec<ItemNode> {
    let mut nodes: BTreeMap<([NaiveDate; 2], u32), Vec<u32>> = BTreeMap::new();
    for &(_, days, position, order) in items {
        if progress.is_item_open(position) {
            nodes.entry((days, order)).or_default().push(position);
        }
    }
    let node = |((days, order), members)| ItemNode { days, order, members };
    nodes.into_iter().map(node).collect()
}

fn record_nodes(progress: &Progress<'_>, records: &[RecordTicket]) -> Vec<RecordNode> {
    let days = &progress.input.terms.banking_days;
    let mut nodes: BTreeMap<(u32, u32, NaiveDate), Vec<u32>> = BTreeMap::new();
    for &(_, date, position, order) in records {
        if progress.is_record_open(position) {
            nodes.entry((days.position(date), order, date)).or_default().push(position);
        }
    }
    let node =
        |((banking_day, order, date), members)| RecordNode { banking_day, order, date, members };
    nodes.into_iter().map(node).collect()
}

fn components(
    progress: &Progress<'_>,
    items: &[ItemNode],
    records: &[RecordNode],
    distance: u32,
) -> Vec<Component> {
    // A union-find forest over the item nodes, followed by the record nodes.
    let mut parents: Vec<usize> = (0..items.len() + records.len()).collect();
    let mut has_edge = vec![false; parents.len()];
    for (at, item) in items.iter().enumerate() {
        for record in records_at(progress, item, records, distance) {
            let other = items.len() + record;
            (has_edge[at], has_edge[other]) = (true, true);
            let (one, two) = (root(&mut parents, at), root(&mut parents, other));
            parents[one.max(two)] = one.min(two);
        }
    }
    let mut by_root: BTreeMap<usize, Component> = BTreeMap::new();
    for node in (0..parents.len()).filter(|&node| has_edge[node]) {
        let of_root = by_root.entry(root(&mut parents, node)).or_default();
        if node < items.len() {
            of_root.0.push(node);
        } else {
            of_root.1.push(node - items.len());
        }
    }
    by_root.into_values().collect()
}

/// The record nodes at `distance` from the nearer day of an item node that do not contradict it.
fn records_at(
    progress: &Progress<'_>,
    item: &ItemNode,
    records: &[RecordNode],
    distance: u32,
) -> Vec<usize> {
    let days = &progress.input.terms.banking_days;
    let mut found = Vec::new();
    for day in item.days {
        let position = days.position(day);
        // Different days without a banking day between them have distance 1.
        let same = (distance == 1).then_some(position);
        let places = [position.checked_sub(distance), same, position.checked_add(distance)];
        for place in places.into_iter().flatten() {
            let from = |order: u32| {
                records.partition_point(|one| (one.banking_day, one.order) < (place, order))
            };
            let ranges = match item.order {
                0 => [from(0)..from(u32::MAX), 0..0],
                order => [from(0)..from(1), from(order)..from(order.saturating_add(1))],
            };
            let is_there = |&at: &usize| away(progress, item.days, records[at].date) == distance;
            found.extend(ranges.into_iter().flatten().filter(is_there));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn away(progress: &Progress<'_>, days: [NaiveDate; 2], date: NaiveDate) -> u32 {
    let banking_days = &progress.input.terms.banking_days;
    banking_days.distance(days[0], date).min(banking_days.distance(days[1], date))
}

fn root(parents: &mut [usize], mut node: usize) -> usize {
    while parents[node] != node {
        parents[node] = parents[parents[node]];
        node = parents[node];
    }
    node
}

fn settle(
    progress: &mut Progress<'_>,
    items: &[ItemNode],
    records: &[RecordNode],
    component: &Component,
    distance: u32,
) {
    let members = component.0.iter().flat_map(|&node| items[node].members.iter().copied());
    let all_items: Vec<u32> = members.collect();
    let members = component.1.iter().flat_map(|&node| records[node].members.iter().copied());
    let all_records: Vec<u32> = members.collect();
    let mut days: Vec<[NaiveDate; 2]> = component.0.iter().map(|&node| items[node].days).collect();
    let mut dates: Vec<NaiveDate> = component.1.iter().map(|&node| records[node].date).collect();
    days.sort_unstable();
    days.dedup();
    dates.sort_unstable();
    dates.dedup();
    let decision = match sides(progress, &days, &dates, distance) {
        Some((is_before, is_after)) => {
            decide(progress, all_items, all_records, is_before && is_after)
        }
        // A chain: one entry in it has candidates before and after, and its choice decides for all
        // others.
        None => Decision::Ambiguous(all_items, all_records),
    };
    carry_out(progress, Pass::NearbyDay, decision);
}

/// Whether items lie before records, and after them; `None` unless every item is at `distance` from
/// every record.
fn sides(
    progress: &Progress<'_>,
    days: &[[NaiveDate; 2]],
    dates: &[NaiveDate],
    distance: u32,
) -> Option<(bool, bool)> {
    if days.len() > MAX_PLACES || dates.len() > MAX_PLACES {
        return None;
    }
    let banking_days = &progress.input.terms.banking_days;
    let (mut is_before, mut is_after) = (false, false);
    for &both in days {
        for &date in dates {
            if away(progress, both, date) != distance {
                return None;
            }
            let near = both.into_iter().filter(|day| banking_days.distance(*day, date) == distance);
            for day in near {
                is_before |= day < date;
                is_after |= day > date;
            }
        }
    }
    Some((is_before, is_after))
}
