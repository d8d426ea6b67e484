//! The files beside a world.

/// A file that belongs to a world, beside its configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldFile {
    /// Relative to the folder of the configuration.
    pub path: String,
    pub content: Vec<u8>,
}
