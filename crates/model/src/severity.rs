//! How serious a discrepancy is.

/// The severity of a discrepancy, the least serious first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    Info,
    Warning,
    Error,
}

impl Severity {
    /// Every severity, the least serious first.
    pub const ALL: [Self; 3] = [Self::Info, Self::Warning, Self::Error];

    /// The word that the configuration, the checks and the reports use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// The severity of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|severity| severity.as_str() == name)
    }
}
