//! A pattern may match files that cannot be read: they are named, and never waited for.
#![cfg(unix)]

use std::process::Command;
use std::time::Duration;

use super::corpus::check;

const BANK: &str = "[[merchants]]\nid = \"1\"\ncurrency = \"USD\"\nbank = \"account\"\n[[banks]]\n\
                    name = \"account\"\npath = \"bank/*\"\noriginators = [\"Northwind\"]\n";

#[test]
fn refuses_a_pipe_a_device_and_a_link_to_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.bai");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let zeros = folder.path().join("zeros.bai");
    std::os::unix::fs::symlink("/dev/zero", &zeros).unwrap();
    let nowhere = folder.path().join("nowhere.bai");
    std::os::unix::fs::symlink("gone", &nowhere).unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let reasons = [pipe, zeros, nowhere].map(|path| check(&path, BANK));
        sender.send(reasons).unwrap();
        drop(folder);
    });
    let found = receiver.recv_timeout(Duration::from_secs(60)).unwrap();
    let expected = ["a pipe, a device", "a pipe, a device", "cannot be read"];
    for ((exit, object), expected) in found.into_iter().zip(expected) {
        assert_eq!(exit, 4);
        assert!(object["refused"].as_str().unwrap().contains(expected), "{object}");
    }
}
