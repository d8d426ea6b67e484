//! Every command of the README, the book and the runbook, as a person would type it, in the state that
//! its page describes. A command that this suite does not know makes it fail.

mod away;
mod pages;
mod stage;
mod stories;

use std::collections::BTreeSet;
use std::process::Command;

use away::NOT_HERE;
use pages::{names_in_cluster, pages, root};
use stage::Stage;
use stories::{STORIES, Story};

#[test]
fn every_command_of_the_pages_is_known() {
    let of_pages: BTreeSet<(String, String)> = pages()
        .into_iter()
        .flat_map(|(page, commands)| commands.into_iter().map(move |one| (page.clone(), one)))
        .collect();
    let own = |page: &str, command: &str| (page.to_owned(), command.to_owned());
    let run = STORIES.iter().flat_map(|story| {
        story.steps.iter().map(|step| own(story.page, step.command)).collect::<Vec<_>>()
    });
    let away = NOT_HERE.iter().map(|(page, command, _)| own(page, command));
    let known: BTreeSet<(String, String)> = run.chain(away).collect();
    let unknown: Vec<_> = of_pages.difference(&known).collect();
    assert!(unknown.is_empty(), "no test runs these; add them to stories.rs: {unknown:#?}");
    let gone: Vec<_> = known.difference(&of_pages).collect();
    assert!(gone.is_empty(), "no page has these any more: {gone:#?}");
    assert!(of_pages.len() > 80, "{} commands", of_pages.len());
}

#[test]
fn what_cannot_be_run_here_is_a_command_that_a_shell_understands() {
    for (page, command, reason) in NOT_HERE {
        assert!(reason.len() > 10, "{page}: {command}");
        let parsed = Command::new("bash").args(["-n", "-c", command]).output().unwrap();
        assert!(parsed.status.success(), "{page}: {command}: {parsed:?}");
    }
}

#[test]
fn what_the_commands_name_in_a_cluster_is_in_the_manifests() {
    let mut manifests = String::new();
    for folder in ["base", "schedule", "published", "backfill"] {
        for entry in std::fs::read_dir(root().join("deploy/kubernetes").join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "yaml") {
                manifests += &std::fs::read_to_string(path).unwrap();
            }
        }
    }
    let mut count = 0;
    for (page, commands) in pages() {
        for command in commands {
            for (kind, name) in names_in_cluster(&command) {
                count += 1;
                let found = format!("kind: {kind}\nmetadata:\n  name: {name}\n");
                assert!(manifests.contains(&found), "{page}: {command}: no {kind} {name}");
            }
        }
    }
    assert!(count > 10, "{count} names");
}

/// Runs every story of a page.
fn tell(page: &str) {
    let stories: Vec<&Story> = STORIES.iter().filter(|story| story.page == page).collect();
    assert!(!stories.is_empty(), "{page}");
    for story in stories {
        let stage = Stage::set(story.state);
        for step in story.steps {
            stage.play(story.page, step);
        }
        stage.end();
    }
}

#[test]
fn the_readme() {
    tell("README.md");
}

#[test]
fn the_book() {
    let pages: BTreeSet<&str> = STORIES.iter().map(|story| story.page).collect();
    for page in pages.into_iter().filter(|page| page.starts_with("docs/")) {
        tell(page);
    }
}

#[test]
fn the_runbook() {
    tell("deploy/README.md");
}
