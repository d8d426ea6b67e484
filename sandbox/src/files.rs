//! The files of a world.

/// A file of a world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldFile {
    /// Relative to the folder of the configuration.
    pub path: String,
    pub content: Vec<u8>,
}
