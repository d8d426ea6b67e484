//! The structure that `src/lib.rs` describes, where the compiler cannot enforce it: no files use
//! each other in a circle, only the store uses `SQLite`, and files, functions and lines of SQL have
//! a maximum length.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The crates of `crates/`, a wing each: the compiler enforces their order.
const WINGS: [&str; 9] =
    ["config", "export", "import", "judge", "matching", "model", "read", "report", "store"];

const FILE_LIMIT_LINES: usize = 500;
const FILE_MEDIAN_LINES: usize = 170;
const FUNCTION_LIMIT_LINES: usize = 70;

const SQL_LINE_LIMIT: usize = 80;
const STATEMENT_LIMIT_LINES: usize = 70;

/// Values of more than one word, and the mark between a path and a line.
const PHRASES: [&str; 4] = ["3rd party", "reopen date", "returned transfer", ", line "];

/// Files that may hold an `impl` of one type.
const IMPL_LIMIT_FILES: usize = 3;

/// Names that are ids of the API everywhere, each with its own type.
const NUMERIC_IDS: [&str; 5] =
    ["ach_deposit_id", "batch_id", "authorization_id", "transaction_id", "dispute_id"];

/// Types that would hold a merchant's id as a bare text. A row that is read by the million borrows
/// it, as `&'row str`.
const BARE_TEXTS: [&str; 7] =
    ["String", "ShortText", "Option<String>", "&str", "&'a str", "&'r str", "Option<&str>"];

type Name = Vec<String>;

/// A file of `src`: its definitions, its re-exports, and the paths that it names.
struct Module {
    text: String,
    items: BTreeSet<String>,
    reexports: BTreeMap<String, Name>,
    uses: Vec<Name>,
}

impl Module {
    fn read(text: String) -> Self {
        // Tests may use all modules.
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let code: String =
            code.lines().map(|line| line.split("//").next().unwrap().to_owned() + "\n").collect();
        let mut module = Self {
            items: code.lines().filter_map(defined_in).collect(),
            reexports: BTreeMap::new(),
            uses: Vec::new(),
            text,
        };
        let mut rest = String::new();
        let mut statement: Option<String> = None;
        for line in code.lines() {
            let is_use = is_use(line);
            match &mut statement {
                Some(text) => text.push_str(line),
                None if is_use => statement = Some(line.to_owned()),
                None => rest.push_str(line),
            }
            rest.push('\n');
            if statement.as_ref().is_some_and(|text| text.ends_with(';')) {
                module.add_use(&statement.take().unwrap());
            }
        }
        // A path in a visibility is not a use.
        let rest = rest.replace("pub(in crate::", "pub(in ");
        for found in rest.split("crate::").skip(1) {
            let path = found.split(|c: char| !c.is_alphanumeric() && !"_:".contains(c));
            let path = path.into_iter().next().unwrap().trim_end_matches(':');
            let path = std::iter::once("crate").chain(path.split("::"));
            module.uses.push(path.map(str::to_owned).collect());
        }
        // A child that is called by its name alone.
        for child in code.lines().filter_map(child_of) {
            let is_name = |at: usize| {
                !rest[..at].ends_with(|c: char| c.is_alphanumeric() || "_:".contains(c))
            };
            if rest.match_indices(&format!("{child}::")).any(|(at, _)| is_name(at)) {
                module.uses.push(vec!["self".to_owned(), child]);
            }
        }
        module
    }

    fn add_use(&mut self, statement: &str) {
        let (visibility, tree) = statement.split_once("use ").unwrap();
        for mut path in expanded(tree.trim_end_matches(';')) {
            let last = path.pop().unwrap();
            let (last, name) = last.split_once(" as ").unwrap_or((&last, &last));
            path.push(last.to_owned());
            if visibility.is_empty() {
                self.uses.push(path);
            } else {
                self.reexports.insert(name.to_owned(), path);
            }
        }
    }
}

/// `files` of `mod files;`, with any visibility.
fn child_of(line: &str) -> Option<String> {
    let (visibility, name) = line.strip_suffix(';')?.split_once("mod ")?;
    (visibility.is_empty() || visibility.starts_with("pub")).then(|| name.to_owned())
}

fn is_use(line: &str) -> bool {
    let line = line.strip_prefix("pub").map_or(line, |rest| {
        rest.strip_prefix('(').and_then(|rest| rest.split_once(") ")).map_or(rest, |rest| rest.1)
    });
    line.trim_start().starts_with("use ") && !line.starts_with("    ")
}

fn defined_in(line: &str) -> Option<String> {
    if line.starts_with(' ') {
        return None;
    }
    let mut words = line.split([' ', '(', '<', ':', ';', '{']).filter(|word| !word.is_empty());
    let kinds = ["fn", "struct", "enum", "type", "trait", "const", "static", "macro_rules!"];
    let kind = words.find(|word| kinds.contains(word))?;
    let name = words.next()?;
    let name = if kind == "const" && name == "fn" { words.next()? } else { name };
    Some(name.to_owned())
}

/// The paths of `a::{b, c::{d, e}}`.
fn expanded(tree: &str) -> Vec<Name> {
    let tree = tree.trim();
    let Some((before, inner)) = tree.split_once('{') else {
        return vec![tree.split("::").map(|part| part.trim().to_owned()).collect()];
    };
    let inner = &inner[..inner.rfind('}').unwrap()];
    let before: Name =
        before.split("::").map(str::trim).filter(|part| !part.is_empty()).map(Into::into).collect();
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, letter) in inner.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    let parts = parts.into_iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(expanded).map(|rest| before.iter().cloned().chain(rest).collect()).collect()
}

struct House(BTreeMap<Name, Module>);

impl House {
    /// For each crate of the program and the sandbox: the compiler allows no circle between crates.
    fn all() -> Vec<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let wings = WINGS.iter().map(|wing| format!("crates/{wing}/src"));
        let folders = wings.chain(["src", "sandbox/src"].map(str::to_owned));
        folders.map(|folder| Self::read(&root.join(folder))).collect()
    }

    fn read(root: &Path) -> Self {
        let mut modules = BTreeMap::new();
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if let Some(name) = name_of(root, &path) {
                    let text = std::fs::read_to_string(&path).unwrap();
                    modules.insert(name, Module::read(text));
                }
            }
        }
        Self(modules)
    }

    /// The path from the root of the crate, of something that `from` names.
    fn absolute(&self, from: &Name, path: &[String]) -> Option<Name> {
        let supers = path.iter().take_while(|part| *part == "super").count();
        if supers > 0 {
            let base = from.len().checked_sub(supers)?;
            return Some(from[..base].iter().chain(&path[supers..]).cloned().collect());
        }
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "self" => Some(from.iter().chain(&path[1..]).cloned().collect()),
            first => {
                let here = &self.0[from];
                let child: Name = from.iter().cloned().chain([first.to_owned()]).collect();
                let is_here = self.0.contains_key(&child)
                    || here.items.contains(first)
                    || here.reexports.contains_key(first);
                is_here.then(|| from.iter().chain(path).cloned().collect())
            }
        }
    }

    /// The file that defines the item of an absolute path.
    fn defining(&self, path: &[String], depth: usize) -> Option<Name> {
        let (length, name, module) = (0..=path.len()).rev().find_map(|length| {
            let name = path[..length].to_vec();
            self.0.get(&name).map(|module| (length, name, module))
        })?;
        let rest = &path[length..];
        let Some(handed_on) = rest.first().and_then(|first| module.reexports.get(first)) else {
            return Some(name);
        };
        if module.items.contains(&rest[0]) || depth == 0 {
            return Some(name);
        }
        let target = self.absolute(&name, handed_on)?;
        let target: Name = target.iter().chain(&rest[1..]).cloned().collect();
        self.defining(&target, depth - 1)
    }

    /// The files that each file uses.
    fn edges(&self) -> BTreeMap<&Name, BTreeSet<Name>> {
        let used = |name: &Name, module: &Module| {
            let paths = module.uses.iter().filter_map(|path| self.absolute(name, path));
            paths
                .filter_map(|path| self.defining(&path, 8))
                .filter(|other| other != name)
                .collect::<BTreeSet<Name>>()
        };
        self.0.iter().map(|(name, module)| (name, used(name, module))).collect()
    }
}

/// `["night", "merge"]` of `night/merge/mod.rs`; nothing for tests and `main.rs`.
fn name_of(root: &Path, path: &Path) -> Option<Name> {
    let inner: PathBuf = path.strip_prefix(root).unwrap().with_extension("");
    let mut name: Name =
        inner.iter().map(|part| part.to_str().unwrap().to_owned()).collect::<Vec<_>>();
    if path.extension()? != "rs" || name == ["main"] {
        return None;
    }
    name.pop_if(|last| last == "mod" || last == "lib");
    let is_test = name.iter().any(|part| part == "tests" || part == "properties");
    (!is_test).then_some(name)
}

/// By the manifests: no other crate of the program can name the library.
#[test]
fn only_the_store_uses_sqlite() {
    let uses_it = |manifest: &Path| {
        let text = std::fs::read_to_string(manifest).unwrap();
        let own = text.split("[dev-dependencies]").next().unwrap();
        own.split("[dependencies]").nth(1).is_some_and(|own| own.contains("rusqlite"))
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let wings = WINGS.iter().map(|wing| root.join("crates").join(wing).join("Cargo.toml"));
    let users: Vec<PathBuf> =
        wings.chain([root.join("Cargo.toml")]).filter(|manifest| uses_it(manifest)).collect();
    assert_eq!(users, [root.join("crates/store/Cargo.toml")]);
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    let circles: BTreeSet<Vec<String>> = House::all().iter().flat_map(circles).collect();
    assert_eq!(circles, BTreeSet::new());
}

fn circles(house: &House) -> BTreeSet<Vec<String>> {
    let edges = house.edges();
    let reachable = |from: &Name| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(name) = next.pop() {
            for other in edges.get(&name).into_iter().flatten() {
                if seen.insert(other.clone()) {
                    next.push(other.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&Name, BTreeSet<Name>> =
        edges.keys().map(|name| (*name, reachable(name))).collect();
    let mut circles = BTreeSet::new();
    for (name, seen) in &reached {
        let circle = seen.iter().filter(|other| reached[*other].contains(*name));
        let circle: Vec<String> = circle.map(|other| other.join("::")).collect();
        if circle.len() > 1 {
            circles.insert(circle);
        }
    }
    circles
}

#[test]
fn files_and_functions_are_short() {
    let houses = House::all();
    let modules = || houses.iter().flat_map(|house| &house.0);
    let mut lengths: Vec<usize> =
        modules().map(|(_, module)| module.text.lines().count()).collect();
    lengths.sort_unstable();
    let median = lengths[lengths.len() / 2];
    assert!(median < FILE_MEDIAN_LINES, "half of the files have more than {median} lines");
    let mut long = BTreeSet::new();
    for (name, module) in modules() {
        let name = name.join("::");
        let lines = module.text.lines().count();
        if lines > FILE_LIMIT_LINES {
            long.insert(format!("{name} has {lines} lines"));
        }
        for (function, lines) in functions(&module.text) {
            if lines > FUNCTION_LIMIT_LINES {
                long.insert(format!("{function} in {name} has {lines} lines"));
            }
        }
    }
    assert_eq!(long, BTreeSet::new());
}

/// The files of `crates/store/sql` with their texts.
fn sql_files() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/store/sql");
    let (mut files, mut folders) = (BTreeMap::new(), vec![root.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "sql") {
                let name = path.strip_prefix(&root).unwrap().display().to_string();
                files.insert(name, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    files
}

#[test]
fn lines_of_sql_are_short() {
    let is_long = |line: &str| line.chars().count() > SQL_LINE_LIMIT;
    let long = sql_files().into_iter().flat_map(|(name, text)| {
        let lines: Vec<(usize, String)> = (1..).zip(text.lines().map(str::to_owned)).collect();
        let long = lines.into_iter().filter(|(_, line)| is_long(line));
        long.map(move |(at, _)| format!("{name}:{at}")).collect::<Vec<_>>()
    });
    assert_eq!(long.collect::<Vec<_>>(), Vec::<String>::new());
}

/// From the first line of code on, whichever comments it holds.
#[test]
fn statements_are_short() {
    let (files, mut long) = (sql_files(), Vec::new());
    for (name, text) in files.iter().filter(|(name, _)| !name.starts_with("migrations/")) {
        let mut lines = 0;
        let ends = text.lines().count();
        for (at, line) in (1..).zip(text.lines()) {
            let is_code = !line.is_empty() && !line.starts_with("--");
            lines += usize::from(lines > 0 || is_code);
            let is_comment = line.trim_start().starts_with("--");
            if at == ends || (line.ends_with(';') && !is_comment) {
                if lines > STATEMENT_LIMIT_LINES {
                    long.push(format!("{name}:{at} ends a statement of {lines} lines"));
                }
                lines = 0;
            }
        }
    }
    assert_eq!(long, Vec::<String>::new());
}

/// Rust makes the sentences: a literal of several words is a span of days or months.
#[test]
fn statements_make_no_sentences() {
    let spans = [" day", " days", " month", " months", "start of month"];
    let is_span = |literal: &str| spans.iter().any(|span| literal.ends_with(span));
    let mut found = Vec::new();
    for (name, text) in sql_files().iter().filter(|(name, _)| !name.starts_with("migrations/")) {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("--"));
        for line in code {
            for literal in line.split('\'').skip(1).step_by(2) {
                let is_phrase = literal.contains(' ') && literal.contains(char::is_alphabetic);
                if is_phrase && !is_span(literal) && !PHRASES.contains(&literal) {
                    found.push(format!("{name}: {literal}"));
                }
            }
        }
    }
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn a_type_is_implemented_in_few_files() {
    let mut spread = BTreeMap::new();
    for house in House::all() {
        // A file that declares the type itself has one of its own.
        let mut others: BTreeMap<String, usize> = BTreeMap::new();
        for module in house.0.values() {
            let of = module.text.lines().filter_map(implemented).collect::<BTreeSet<_>>();
            for name in of.into_iter().filter(|name| !module.items.contains(*name)) {
                *others.entry(name.to_owned()).or_default() += 1;
            }
        }
        spread.extend(others.into_iter().filter(|(_, files)| files + 1 > IMPL_LIMIT_FILES));
    }
    assert_eq!(spread, BTreeMap::new());
}

/// `Rules` of `impl<'a> Rules<'a> {`; nothing of an `impl` of a trait.
fn implemented(line: &str) -> Option<&str> {
    let of = line.strip_prefix("impl")?.strip_suffix(" {")?;
    let of = if of.starts_with('<') { of.split_once("> ")?.1 } else { of.trim_start() };
    (!of.contains(" for ")).then(|| of.split('<').next())?
}

#[test]
fn ids_have_their_types() {
    let houses = House::all();
    let (_, own) = houses.split_last().unwrap();
    let mut bare = BTreeSet::new();
    for (name, module) in own.iter().flat_map(|house| &house.0) {
        for line in module.text.lines() {
            let is = |id: &str, of: &str| line.contains(&format!("{id}: {of}"));
            if NUMERIC_IDS.iter().any(|id| is(id, "i64") || is(id, "Option<i64>"))
                || BARE_TEXTS.iter().any(|of| is("merchant_id", of))
            {
                bare.insert(format!("{}: {}", name.join("::"), line.trim()));
            }
        }
    }
    assert_eq!(bare, BTreeSet::new());
}

/// Every function of a formatted file with its lines: it ends at a brace with the indentation of
/// its beginning.
fn functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let bare = line.trim_start();
        let starts = ["fn ", "pub fn ", "pub(", "async fn ", "pub async fn ", "const fn "];
        let Some((_, name)) = bare
            .split_once("fn ")
            .filter(|_| starts.iter().any(|start| bare.starts_with(start)) && !bare.ends_with(';'))
        else {
            continue;
        };
        let indent = line.len() - bare.len();
        let end = format!("{}}}", " ".repeat(indent));
        if let Some(length) = lines[at..].iter().position(|line| **line == end) {
            let name = name.split(['(', '<']).next().unwrap();
            found.push((name.to_owned(), length + 1));
        }
    }
    found
}

/// Cargo passes it on to the programs that it runs, where `TIEOUT_` is a key of the configuration.
#[test]
fn the_build_script_says_nothing_that_configures() {
    let script = std::fs::read_to_string("build.rs").unwrap();
    assert!(script.contains("cargo::rustc-env="), "another way to say the version");
    assert!(!script.contains("rustc-env=TIEOUT_"));
}
