//! A process on a machine of its own: its time passes when the test says so, its clock is set, and
//! its disk is full. The program is the real one and knows nothing of it (`machine.c`).

use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use chrono::{DateTime, TimeDelta, Utc};
use tieout_model::clock::machine_now;

/// The machine; its numbers stand in a file that its processes have mapped.
pub struct Machine {
    library: PathBuf,
    numbers: PathBuf,
    passed: i64,
    set: i64,
}

impl Machine {
    /// A machine whose clock shows `now`; its files lie in `folder`.
    pub fn new(folder: &Path, now: DateTime<Utc>) -> Self {
        let library = folder.join("machine.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/harness/machine.c");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(source);
        assert!(
            compiler.status().unwrap().success(),
            "the stand-in for a machine does not compile"
        );
        let set = (now - machine_now()).num_seconds();
        let machine = Self { library, numbers: folder.join("machine"), passed: 0, set };
        std::fs::write(&machine.numbers, [0; 24]).unwrap();
        machine.write(1, set);
        machine
    }

    fn write(&self, place: u64, number: i64) {
        let file = std::fs::OpenOptions::new().write(true).open(&self.numbers).unwrap();
        file.write_all_at(&number.to_ne_bytes(), place * 8).unwrap();
    }

    /// Has the program run on this machine.
    pub fn hold(&self, command: &mut Command) {
        command.env("LD_PRELOAD", &self.library).env("MACHINE", &self.numbers);
        command.env_remove("TIEOUT_NOW");
    }

    /// The time of its clock.
    pub fn now(&self) -> DateTime<Utc> {
        machine_now() + TimeDelta::seconds(self.passed + self.set)
    }

    /// Lets time pass.
    pub fn pass(&mut self, time: TimeDelta) {
        self.passed += time.num_seconds();
        self.write(0, self.passed);
    }

    /// Lets time pass until a moment of its clock.
    pub fn pass_to(&mut self, moment: DateTime<Utc>) {
        assert!(moment >= self.now(), "{moment} has passed: it is {}", self.now());
        self.pass(moment - self.now() + TimeDelta::seconds(1));
    }

    /// Sets its clock forward, or back.
    pub fn set_by(&mut self, time: TimeDelta) {
        self.set += time.num_seconds();
        self.write(1, self.set);
    }

    /// Fills its disk, or makes room.
    pub fn fill_disk(&self, is_full: bool) {
        self.write(2, i64::from(is_full));
    }
}
