//! The content of a disk after calls with and without a sync: a file has what its last sync covers,
//! and of later writes any sectors; names are kept in the order in which they were made, up to some
//! point after the last sync that covers one. So do file systems with a journal.

use std::collections::BTreeMap;

use super::Dice;
use super::trace::Call;
use crate::harness::reports::Files;

/// Bytes that a disk writes whole or not at all.
const SECTOR: usize = 512;

/// A file under any name.
#[derive(Default)]
struct Content {
    synced: Vec<u8>,
    /// Changes without a sync, each with the number of its call.
    pending: Vec<(usize, Change)>,
}

enum Change {
    Write { at: usize, data: Vec<u8> },
    Truncate { len: usize },
}

enum Naming {
    Named { file: String, content: usize },
    Renamed { from: String, to: String },
    Removed { file: String },
}

type Names = BTreeMap<String, usize>;

#[derive(Default)]
pub struct Image {
    contents: Vec<Content>,
    names: Names,
    /// Every change of names so far, with the number of its call, and how many last.
    namings: Vec<(usize, Naming)>,
    lasting: usize,
    /// The names before the first of them.
    first: Names,
}

impl Image {
    /// The disk after `calls` on top of `before`. Without `dice` everything reached it.
    pub fn of(before: &Files, calls: &[Call], dice: Option<&mut Dice>) -> Self {
        let mut image = Self::default();
        for (name, content) in before {
            image.names.insert(name.clone(), image.contents.len());
            image.contents.push(Content { synced: content.clone(), pending: Vec::new() });
        }
        image.first.clone_from(&image.names);
        for (number, call) in calls.iter().enumerate() {
            image.play(number, call);
        }
        image.settle(dice);
        image
    }

    /// The bytes of the disk.
    pub fn files(self) -> Files {
        let Self { mut contents, names, .. } = self;
        names
            .into_iter()
            .map(|(name, at)| (name, std::mem::take(&mut contents[at].synced)))
            .collect()
    }

    fn play(&mut self, number: usize, call: &Call) {
        let naming = match call {
            Call::Write { file, at, data } => {
                return self.change(number, file, Change::Write { at: *at, data: data.clone() });
            }
            Call::Truncate { file, len } => {
                return self.change(number, file, Change::Truncate { len: *len });
            }
            Call::Sync { file, up_to } => return self.sync(file, *up_to),
            Call::Folder | Call::Said(_) => return,
            // Shared memory is no file that anybody reads after a power cut.
            Call::Create { file } if self.names.contains_key(file) || file.ends_with("-shm") => {
                return;
            }
            Call::Create { file } => {
                self.contents.push(Content::default());
                Naming::Named { file: file.clone(), content: self.contents.len() - 1 }
            }
            Call::Rename { from, to } => Naming::Renamed { from: from.clone(), to: to.clone() },
            Call::Remove { file } => Naming::Removed { file: file.clone() },
        };
        apply(&mut self.names, &naming);
        self.namings.push((number, naming));
    }

    fn change(&mut self, number: usize, file: &str, change: Change) {
        let Some(at) = self.names.get(file) else { return };
        self.contents[*at].pending.push((number, change));
    }

    fn sync(&mut self, file: &str, up_to: usize) {
        let content = self.names.get(file).copied();
        let covered = |(number, _): &&(usize, Naming)| *number < up_to;
        match content {
            Some(content) => {
                self.contents[content].settle(Some(up_to), &mut |_| true);
                let is_its = |(_, naming): &(usize, Naming)| matches!(naming, Naming::Named { content: named, .. } if *named == content);
                let made = self.namings.iter().take_while(covered).position(is_its);
                self.lasting = self.lasting.max(made.map_or(0, |made| made + 1));
            }
            None => {
                self.lasting = self.lasting.max(self.namings.iter().take_while(covered).count())
            }
        }
    }

    fn settle(&mut self, dice: Option<&mut Dice>) {
        let Some(dice) = dice else {
            self.contents.iter_mut().for_each(|content| content.settle(None, &mut |_| true));
            return;
        };
        let kept = self.lasting + dice.roll(self.namings.len() - self.lasting + 1);
        self.names.clone_from(&self.first);
        for (_, naming) in &self.namings[..kept] {
            apply(&mut self.names, naming);
        }
        // Most, some or none of the changes without a sync.
        let percent = [0, 50, 90, 100][dice.roll(4)];
        for content in &mut self.contents {
            content.settle(None, &mut |_| dice.roll(100) < percent);
        }
    }
}

fn apply(names: &mut Names, naming: &Naming) {
    match naming {
        Naming::Named { file, content } => drop(names.insert(file.clone(), *content)),
        Naming::Renamed { from, to } => {
            if let Some(content) = names.remove(from) {
                names.insert(to.clone(), content);
            }
        }
        Naming::Removed { file } => drop(names.remove(file)),
    }
}

impl Content {
    /// Takes the changes before `up_to` into the synced bytes, of each the sectors that are kept.
    fn settle(&mut self, up_to: Option<usize>, is_kept: &mut dyn FnMut(usize) -> bool) {
        let is_covered = |number: usize| up_to.is_none_or(|up_to| number < up_to);
        let pending = std::mem::take(&mut self.pending);
        let (covered, rest) = pending.into_iter().partition(|(number, _)| is_covered(*number));
        self.pending = rest;
        let covered: Vec<(usize, Change)> = covered;
        for (number, change) in covered {
            match change {
                Change::Truncate { len } => {
                    if is_kept(number) {
                        self.synced.resize(len, 0);
                    }
                }
                Change::Write { at, data } => self.write(at, &data, number, is_kept),
            }
        }
    }

    fn write(
        &mut self,
        at: usize,
        data: &[u8],
        number: usize,
        is_kept: &mut dyn FnMut(usize) -> bool,
    ) {
        let mut begin = 0;
        while begin < data.len() {
            // Up to where the next sector of the file begins.
            let end = data.len().min(begin + SECTOR - (at + begin) % SECTOR);
            if is_kept(number) {
                let place = at + begin..at + end;
                if self.synced.len() < place.end {
                    self.synced.resize(place.end, 0);
                }
                self.synced[place].copy_from_slice(&data[begin..end]);
            }
            begin = end;
        }
    }
}
