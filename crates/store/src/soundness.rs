//! Whether a store is one at all: its schema, and the pages of its file. Everything else rests on them.

use super::error::{StoreError, While};
use super::{Store, migrate};

/// Sentences of damage to the pages of the file that are told.
const DAMAGES: u32 = 20;

impl Store {
    /// How the schema differs from what the program makes, a sentence each.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn strange_schema(&self) -> Result<Vec<String>, StoreError> {
        migrate::strange(self.connection()).during("proving the schema")
    }

    /// What is damaged in the pages of the file: also an index that lacks rows, through which a night
    /// would lose what it looks for.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn damage(&self) -> Result<Vec<String>, StoreError> {
        self.damage_by("integrity_check")
    }

    /// The same without holding every index against its table.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn obvious_damage(&self) -> Result<Vec<String>, StoreError> {
        self.damage_by("quick_check")
    }

    fn damage_by(&self, check: &str) -> Result<Vec<String>, StoreError> {
        const DURING: &str = "proving the pages of the file";
        let sql = format!("pragma main.{check}({DAMAGES})");
        let mut statement = self.connection().prepare(&sql).during(DURING)?;
        let found = statement.query_map([], |row| row.get::<_, String>(0)).during(DURING)?;
        let found = found.collect::<rusqlite::Result<Vec<String>>>().during(DURING)?;
        let damages = found.into_iter().filter(|found| found != "ok");
        Ok(damages.map(|found| format!("the file of the store is damaged: {found}")).collect())
    }
}
