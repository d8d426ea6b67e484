//! Processing terminals of a processing account. They are not kept as evidence: only `init` and
//! `doctor` read them.

use serde::Deserialize;

use super::field::{Field, object_shapes};
use super::scalar::TextId;
use super::{Envelope, Follow, not_json, open, text};
use crate::api::error::Failure;
use tieout_model::{ProcessingTerminal, ShortText, TerminalId};

object_shapes!(WireTerminal);

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct WireTerminal {
    processing_terminal_id: Field<TextId>,
    status: Field<ShortText>,
    timezone: Field<ShortText>,
}

/// The terminals of a page and where the next page begins.
///
/// A terminal without an id makes the page useless: a list without it would look complete.
pub(in crate::api) fn read_terminals(
    body: &[u8],
) -> Result<(Vec<ProcessingTerminal>, Follow), Failure> {
    let envelope: Field<Envelope<Vec<Field<WireTerminal>>>> =
        serde_json::from_str(text(body)?).map_err(|error| not_json(body, &error))?;
    let (records, follow) = open(envelope, Vec::len)?;
    let terminals: Option<Vec<_>> = records.into_iter().map(terminal).collect();
    let terminals = terminals.ok_or_else(|| Failure::Envelope {
        field: "processingTerminalId",
        expected: "an id in each record",
        found: "a record without one".to_owned(),
    })?;
    Ok((terminals, follow))
}

fn terminal(record: Field<WireTerminal>) -> Option<ProcessingTerminal> {
    let Field::Known(record) = record else { return None };
    let Field::Known(id) = record.processing_terminal_id else { return None };
    Some(ProcessingTerminal {
        id: TerminalId(id.filled()?),
        status: record.status.known().cloned(),
        time_zone: record.timezone.known().cloned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_is_there_and_refuses_a_terminal_without_an_id() {
        let page = br#"{"count":2,"hasMore":false,"links":[],"data":[
            {"processingTerminalId":"0012","status":"active","timezone":"America/Denver"},
            {"processingTerminalId":"0013","timezone":null,"batchClosure":{"more":1}}]}"#;
        let (terminals, follow) = read_terminals(page).unwrap();
        assert_eq!(follow, Follow::End);
        assert_eq!(terminals[0].id, TerminalId::from("0012"));
        assert_eq!(terminals[0].time_zone.as_deref(), Some("America/Denver"));
        assert_eq!((&terminals[1].status, &terminals[1].time_zone), (&None, &None));
        for bad in [r#"{"data":[{"status":"active"}]}"#, r#"{"data":[3]}"#, "{}", "no"] {
            assert!(read_terminals(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
