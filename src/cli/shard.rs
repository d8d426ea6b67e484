//! `--shard I/N`: the share of the merchants that a command handles.

use clap::Args;

use super::{CliError, Context};
use tieout_config::Settings;
use tieout_model::{Shard, ShardError};

/// The variable in which Kubernetes gives a pod of an Indexed Job its number, counted from 0.
const INDEX_VARIABLE: &str = "JOB_COMPLETION_INDEX";

/// The share of the merchants that a command is for.
#[derive(Clone, Debug, Default, Args)]
pub struct ShardArguments {
    /// Take only this share of the merchants, with a store of its own: 1/4 to 4/4, or /4 with
    /// the number in the variable of an Indexed Job; tieout merge joins the shards
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
}

impl ShardArguments {
    /// The settings with the merchants of the shard alone.
    ///
    /// # Errors
    /// When the settings are wrong, the text names no shard, or there is nothing to share.
    pub(super) fn settings(&self, context: &Context) -> Result<Settings, CliError> {
        let mut settings = context.settings()?;
        let Some(text) = &self.shard else { return Ok(settings) };
        let shard = shard(text, context.environment.get(INDEX_VARIABLE).map(String::as_str))?;
        if !settings.names_merchants() {
            return Err(CliError::ShardOfNothing);
        }
        settings.take_share(shard);
        // The reports of a shard are not the whole, so they never lie in the folder of the whole.
        settings.reports.dir = settings.reports.dir.join(shard.folder());
        Ok(settings)
    }
}

/// The shard that a text names; if it leaves the number out, `index` provides it.
fn shard(text: &str, index: Option<&str>) -> Result<Shard, ShardError> {
    let count = match text.strip_prefix('/') {
        Some(count) => count,
        None if !text.contains('/') => text,
        None => return text.parse(),
    };
    format!("{}/{count}", index.unwrap_or_default()).parse()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_number_from_the_job_where_the_text_leaves_it_out() {
        let shown = |text: &str, index| shard(text, index).map(|shard| shard.to_string());
        assert_eq!(shown("2/4", None).unwrap(), "2/4");
        assert_eq!(shown("2/4", Some("0")).unwrap(), "2/4");
        assert_eq!(shown("/4", Some("3")).unwrap(), "3/4");
        assert_eq!(shown("4", Some("0")).unwrap(), "4/4");
        assert!(shown("/4", None).is_err());
        assert!(shown("/4", Some("x")).is_err());
    }
}
