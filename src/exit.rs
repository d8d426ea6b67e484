//! Every exit code of the program, and the one that applies when there are several.

use std::process::ExitCode;

/// The result of a command. The numbers are a public contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exit {
    /// Done; discrepancies or not.
    Done,
    /// Failed: nothing was reconciled.
    Failed,
    /// The command line or the configuration is wrong; nothing was done.
    Usage,
    /// Done, and there are new or open discrepancies at or above `--fail-on`.
    Discrepancies,
    /// Done in part: a date or a check could not be evaluated, or ledger rows were quarantined.
    Partial,
    /// Refused by the API, and no date could be reconciled because of it.
    Refused,
    /// Another run holds the lock.
    Locked,
}

impl Exit {
    /// The order of precedence.
    const ORDER: [Self; 7] = [
        Self::Usage,
        Self::Locked,
        Self::Refused,
        Self::Failed,
        Self::Partial,
        Self::Discrepancies,
        Self::Done,
    ];

    /// The number that the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Discrepancies => 3,
            Self::Partial => 4,
            Self::Refused => 5,
            Self::Locked => 6,
        }
    }

    /// The first of `outcomes` in the order of precedence; `Done` when there are none.
    pub fn first_that_applies(outcomes: &[Self]) -> Self {
        Self::ORDER.into_iter().find(|exit| outcomes.contains(exit)).unwrap_or(Self::Done)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_first_that_applies() {
        assert_eq!(Exit::first_that_applies(&[]), Exit::Done);
        assert_eq!(Exit::first_that_applies(&[Exit::Discrepancies, Exit::Partial]), Exit::Partial);
        assert_eq!(Exit::first_that_applies(&[Exit::Failed, Exit::Refused]), Exit::Refused);
        assert_eq!(
            Exit::first_that_applies(&[Exit::Done, Exit::Discrepancies]),
            Exit::Discrepancies
        );
    }
}
