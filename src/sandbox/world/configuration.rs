//! The `tieout.toml` that fits a world.

use serde::Serialize;

use super::World;

#[derive(Serialize)]
struct Configuration<'w> {
    time_zone: &'static str,
    api: Api,
    merchants: Vec<MerchantTable<'w>>,
}

#[derive(Serialize)]
struct Api {
    base_url: String,
    auth_url: String,
}

#[derive(Serialize)]
struct MerchantTable<'w> {
    id: &'w str,
    name: &'w str,
    currency: &'w str,
    time_zone: &'w str,
    terminals: &'w [String],
    calendar: &'w str,
}

impl World {
    /// A complete configuration for this world, served at `base` (`http://127.0.0.1:8080`).
    /// The API key is not in it. Planted unknown merchants are left out.
    pub fn configuration(&self, base: &str) -> String {
        let merchants = self.records.merchants.iter().filter(|merchant| merchant.is_configured);
        let configuration = Configuration {
            time_zone: "America/New_York",
            api: Api { base_url: format!("{base}/v1"), auth_url: base.to_owned() },
            merchants: merchants
                .map(|merchant| MerchantTable {
                    id: &merchant.id,
                    name: &merchant.name,
                    currency: merchant.currency,
                    time_zone: merchant.time_zone.name(),
                    terminals: &merchant.terminals,
                    calendar: merchant.calendar.name().as_str(),
                })
                .collect(),
        };
        // Texts and lists of texts alone: there is nothing that TOML could not write.
        toml::to_string(&configuration).unwrap_or_default()
    }
}
