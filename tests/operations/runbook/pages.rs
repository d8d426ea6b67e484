//! The commands of the pages: the lines between ```sh and ```, without comments.

use std::path::Path;

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The commands of every page, by its name.
pub fn pages() -> Vec<(String, Vec<String>)> {
    let mut names = vec!["README.md".to_owned(), "deploy/README.md".to_owned()];
    for entry in std::fs::read_dir(root().join("docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if Path::new(&name).extension().is_some_and(|extension| extension == "md") {
            names.push(format!("docs/{name}"));
        }
    }
    let read = |name: &String| std::fs::read_to_string(root().join(name)).unwrap();
    names.iter().map(|name| (name.clone(), commands(&read(name)))).collect()
}

fn commands(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_inside = false;
    let mut begun = String::new();
    for line in page.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            is_inside = !is_inside && matches!(language, "sh" | "bash" | "shell" | "console");
            continue;
        }
        let line = line.split("  #").next().unwrap().trim();
        if !is_inside || line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(first) = line.strip_suffix('\\') {
            begun += first.trim_end();
            begun.push(' ');
        } else {
            found.push(std::mem::take(&mut begun) + line);
        }
    }
    found
}

/// The objects that a command names in a cluster, by kind.
pub fn names_in_cluster(command: &str) -> Vec<(&'static str, String)> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let mut found = Vec::new();
    if words[0].ends_with("/by-hand") {
        let from = words.iter().position(|word| *word == "--from");
        let name = from.map_or("tieout-by-hand", |at| words[at + 1]);
        found.push(("CronJob", name.to_owned()));
    }
    if words[0] != "kubectl" {
        return found;
    }
    for word in &words {
        for (prefix, kind) in [
            ("service/", "Service"),
            ("job/", "Job"),
            ("deploy/tieout", "Deployment"),
            ("tieout-files-0", "StatefulSet"),
        ] {
            if let Some(rest) = word.strip_prefix(prefix) {
                let name = match kind {
                    "StatefulSet" => "tieout-files".to_owned(),
                    "Deployment" => format!("tieout{rest}"),
                    _ => rest.to_owned(),
                };
                found.push((kind, name));
            }
        }
    }
    if let Some(at) = words.windows(2).position(|pair| pair == ["patch", "job"]) {
        found.push(("Job", words[at + 2].to_owned()));
    }
    found
}

#[test]
fn takes_a_page_apart() {
    let page = "text\n```sh\nfirst --a \\\n    --b   # why\n# only a comment\n\nsecond '#1'\n```\n\
                ```toml\nkey = 1\n```\n```sh\nthird\n```\n";
    assert_eq!(commands(page), ["first --a --b", "second '#1'", "third"]);
    let named = names_in_cluster("kubectl -n tieout exec deploy/tieout-schedule -- /tieout status");
    assert_eq!(named, [("Deployment", "tieout-schedule".to_owned())]);
}
