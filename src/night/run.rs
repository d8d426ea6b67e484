//! The data of a run that all its dates share.

use super::NightError;
use tieout_config::{Settings, digest_of};
use tieout_judge::{Afresh, Registry, Rules, registry_for};
use tieout_model::clock::Clock;
use tieout_read::stop::Stop;

/// One run of the program over business dates.
pub struct Run<'a> {
    pub settings: &'a Settings,
    pub clock: Clock,
    pub registry: Registry,
    pub configuration_digest: String,
    /// Checked between pages and between dates.
    pub stop: Stop,
}

impl<'a> Run<'a> {
    /// A run with these settings.
    ///
    /// # Errors
    /// When a check file is not understood.
    pub fn new(settings: &'a Settings, clock: Clock) -> Result<Self, NightError> {
        let registry = registry_for(settings)?;
        let configuration_digest = registry.digest_with(&digest_of(settings));
        Ok(Self { settings, clock, registry, configuration_digest, stop: Stop::default() })
    }

    /// The rules that every date is judged by.
    pub(super) fn rules(&self) -> Rules<'_> {
        Rules {
            settings: self.settings,
            registry: &self.registry,
            configuration_digest: &self.configuration_digest,
            today: self.clock.today(self.settings.time_zone),
            afresh: Afresh::AsNeeded,
            other_credits: tieout_import::statements::other_credits,
        }
    }
}
