//! Every key with its value and where it comes from, for `tieout config`. Secrets are hidden.

use serde::Serialize;

use super::environment::api_key;
use super::keys::ROOT;
use super::schema::join;
use super::shape::{Key, Shape};
use super::sources::Sources;
use super::tree::{Entry, Node, Table, quote};

/// Replaces a secret that is set.
const HIDDEN: &str = "(hidden)";
/// Keys whose value may hold a secret, such as the address of a webhook.
const SECRETS: [&str; 2] = ["notify.webhook_url", "notify.heartbeat_url"];

/// A key, its value as TOML writes it (empty when nothing sets it), and where that comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EffectiveValue {
    pub key: String,
    pub value: String,
    pub source: String,
}

/// Every key of `root`, in the order of the reference, after the values of the flags.
pub(super) fn values(root: &Table, sources: &Sources) -> Vec<EffectiveValue> {
    let mut values = Vec::new();
    for_table(ROOT, root, "", "", &mut values);
    for (key, flag, path) in
        [("store.path", "--db", &sources.db), ("reports.dir", "--out", &sources.out)]
    {
        let known = values.iter_mut().find(|value| value.key == key);
        if let (Some(known), Some(path)) = (known, path) {
            known.value = quote(&path.display().to_string());
            flag.clone_into(&mut known.source);
        }
    }
    if api_key(&sources.environment).is_some() {
        let position = values.iter().position(|value| value.key == "api.api_key_file");
        let (key, source) = ("api key".to_owned(), "TIEOUT_API_KEY".to_owned());
        let value = EffectiveValue { key, value: HIDDEN.to_owned(), source };
        values.insert(position.map_or(0, |position| position + 1), value);
    }
    values
}

/// Adds the keys of a table; `path` is its place, `known_as` the same without indices.
fn for_table(
    keys: &'static [Key],
    table: &Table,
    path: &str,
    known_as: &str,
    values: &mut Vec<EffectiveValue>,
) {
    for key in keys {
        let (path, known_as) = (join(path, key.name), join(known_as, key.name));
        match &key.shape {
            Shape::Table(keys) => {
                for_table(keys, table.table(key.name), &path, &known_as, values);
            }
            Shape::Tables(keys) => {
                for (index, entry) in table.list(key.name).iter().enumerate() {
                    let path = format!("{path}[{index}]");
                    for_table(keys, entry.table(), &path, &known_as, values);
                }
            }
            Shape::Checks | Shape::Free(_) => {
                let entries = table.table(key.name).0.iter();
                values
                    .extend(entries.map(|(name, entry)| set(join(&path, name), &known_as, entry)));
            }
            _ => values.push(match table.0.get(key.name) {
                Some(entry) => set(path, &known_as, entry),
                None => default(path, key),
            }),
        }
    }
}

fn set(key: String, known_as: &str, entry: &Entry) -> EffectiveValue {
    let value = if SECRETS.contains(&known_as) { HIDDEN.to_owned() } else { written(&entry.node) };
    EffectiveValue { key, value, source: entry.place.to_string() }
}

fn default(path: String, key: &Key) -> EffectiveValue {
    let source = if key.default.is_empty() { "not set" } else { "default" };
    EffectiveValue { key: path, value: key.default.to_owned(), source: source.to_owned() }
}

/// A value as TOML.
fn written(node: &Node) -> String {
    match node {
        Node::Text(text) => quote(text),
        Node::Number(number) => number.to_string(),
        Node::Flag(truth) => truth.to_string(),
        Node::List(list) => {
            let elements: Vec<String> = list.iter().map(|entry| written(&entry.node)).collect();
            format!("[{}]", elements.join(", "))
        }
        Node::Table(_) => "{ … }".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;

    #[test]
    fn names_the_source_of_every_value_and_hides_secrets() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tieout.toml");
        let text = "[api]\npage_size = 50\n\n[notify]\nwebhook_url = \"https://example.com/hush\"\n\
                    [[merchants]]\nid = \"1\"\nterminals = [\"7\", \"8\"]\n";
        std::io::Write::write_all(&mut std::fs::File::create(&file).unwrap(), text.as_bytes())
            .unwrap();
        let variables = [("TIEOUT_API_KEY", "hush"), ("TIEOUT_SETTLEMENT__PAYOUT_DAYS", "4")];
        let sources = Sources {
            config_file: Some(file),
            environment: variables.map(|(name, text)| (name.to_owned(), text.to_owned())).into(),
            db: Some("other.db".into()),
            out: None,
        };
        let values = Settings::effective(&sources, &[]).unwrap();
        let of = |key: &str| {
            let value = values.iter().find(|value| value.key == key).unwrap();
            let source = value.source.rsplit('/').next().unwrap().to_owned();
            (value.value.clone(), source)
        };
        for (key, value, source) in [
            ("api.page_size", "50", "tieout.toml:2"),
            ("api.max_in_flight", "16", "default"),
            ("api.base_url", "", "not set"),
            ("api key", HIDDEN, "TIEOUT_API_KEY"),
            ("settlement.payout_days", "4", "TIEOUT_SETTLEMENT__PAYOUT_DAYS"),
            ("notify.webhook_url", HIDDEN, "tieout.toml:5"),
            ("merchants[0].terminals", "[\"7\", \"8\"]", "tieout.toml:8"),
            ("store.path", "\"other.db\"", "--db"),
        ] {
            assert_eq!(of(key), (value.to_owned(), source.to_owned()), "{key}");
        }
        assert!(!format!("{values:?}").contains("hush"));
    }
}
