//! The sign-off of a business date, from the audit trail.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// The sign-off of a date; the default is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignOff {
    /// The first signature, if two people sign a date off; none once it was reconciled again.
    pub prepared: Option<Signature>,
    /// Who closed it.
    pub closed: Option<Signature>,
    /// The signature of a withdrawn sign-off, until the date is prepared or closed again.
    pub taken_back: Option<Signature>,
}

/// One act of a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    pub who: String,
    pub moment: DateTime<Utc>,
    /// Empty without one.
    pub note: String,
}

impl SignOff {
    /// Whether the date has no signature.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// The sign-off of a date made of several shards: an act counts when every shard has it.
    pub fn of_all(shares: &[Self]) -> Self {
        let of = |act: fn(&Self) -> Option<&Signature>| {
            let acts: Option<Vec<&Signature>> = shares.iter().map(act).collect();
            acts.and_then(|acts| joined(&acts))
        };
        Self {
            prepared: of(|share| share.prepared.as_ref()),
            closed: of(|share| share.closed.as_ref()),
            taken_back: of(|share| share.taken_back.as_ref()),
        }
    }
}

/// Each name and each note once, with the latest moment.
fn joined(acts: &[&Signature]) -> Option<Signature> {
    let each_once = |of: fn(&Signature) -> &str, between: &str| {
        let mut texts: Vec<&str> = Vec::new();
        for text in acts.iter().map(|act| of(act)).filter(|text| !text.is_empty()) {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts.join(between)
    };
    Some(Signature {
        who: each_once(|act| &act.who, ", "),
        moment: acts.iter().map(|act| act.moment).max()?,
        note: each_once(|act| &act.note, "; "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(who: &str, moment: &str, note: &str) -> Signature {
        let moment = moment.parse().unwrap();
        Signature { who: who.to_owned(), moment, note: note.to_owned() }
    }

    #[test]
    fn shares_are_signed_off_together_or_not_at_all() {
        let one = SignOff {
            closed: Some(by("Anna", "2026-11-21T08:00:00Z", "seen")),
            prepared: Some(by("Ben", "2026-11-21T07:00:00Z", "")),
            ..SignOff::default()
        };
        let other = SignOff {
            closed: Some(by("Kim", "2026-11-21T09:00:00Z", "seen")),
            ..SignOff::default()
        };
        let both = SignOff::of_all(&[one.clone(), other]);
        assert_eq!(both.closed, Some(by("Anna, Kim", "2026-11-21T09:00:00Z", "seen")));
        assert_eq!(both.prepared, None);
        assert!(SignOff::of_all(&[one.clone(), SignOff::default()]).is_none());
        assert_eq!(SignOff::of_all(std::slice::from_ref(&one)), one);
        assert!(SignOff::of_all(&[]).is_none());
    }
}
