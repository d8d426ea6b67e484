//! A world whose past changes: records change from one night to the next, vanish, come back, and
//! listings fail for a night.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::harness::gateway::{self, Answer, RunningGateway};
use crate::harness::{Served, Site};

/// A record: the resource that lists it, and its id.
pub type Name = (String, String);

/// The differences from the world as it was generated.
#[derive(Clone, Debug, Default)]
pub struct Shift {
    /// Records whose amount is more by so much.
    pub more: BTreeMap<Name, i64>,
    pub gone: BTreeSet<Name>,
    /// Resources that answer every listing with an error.
    pub broken: BTreeSet<String>,
}

/// A world behind a gateway that shifts it.
pub struct Shifting {
    pub shift: Arc<Mutex<Shift>>,
    gateway: RunningGateway,
}

impl Shifting {
    pub fn new(served: &Served) -> Self {
        let shift = Arc::new(Mutex::new(Shift::default()));
        let (ruled, rewritten) = (Arc::clone(&shift), Arc::clone(&shift));
        let gateway = gateway::start_rewriting(
            &served.runtime,
            Some(served.sandbox.base_url()),
            Box::new(move |path| {
                let is_broken = ruled.lock().unwrap().broken.contains(&resource(path).0);
                is_broken.then(|| (400, r#"{"title":"broken for a night"}"#.to_owned()))
            }),
            Box::new(move |path, answer| rewritten.lock().unwrap().answer(path, answer)),
        );
        Self { shift, gateway }
    }

    pub fn site(&self, served: &Served) -> Site {
        served.site_behind(&self.gateway.base)
    }

    /// The same with the merchants' books and bank statements.
    pub fn site_with_books(&self, served: &Served) -> Site {
        served.site_with_books_behind(&self.gateway.base)
    }
}

/// The resource of a path, and the id when it asks for one record.
fn resource(path: &str) -> (String, Option<String>) {
    let path = path.split('?').next().unwrap_or_default();
    let mut parts = path.trim_start_matches("/v1/").split('/');
    (parts.next().unwrap_or_default().to_owned(), parts.next().map(str::to_owned))
}

fn id_of(resource: &str, record: &Value) -> String {
    let property = match resource {
        "ach-deposits" => "achDepositId",
        "batches" => "batchId",
        "authorizations" => "authorizationId",
        "bank-transfer-payments" => "paymentId",
        _ => "refundId",
    };
    let id = &record[property];
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

impl Shift {
    fn answer(&self, path: &str, (status, body): Answer) -> Answer {
        let (resource, id) = resource(path);
        if status != 200 || !(path.starts_with("/v1/")) || resource == "ach-deposit-fees" {
            return (status, body);
        }
        if id.is_some_and(|id| self.gone.contains(&(resource.clone(), id))) {
            return (404, r#"{"type":"about:blank","title":"Not found","status":404}"#.to_owned());
        }
        let mut page: Value = serde_json::from_str(&body).unwrap();
        // The statuses of a dispute are a plain list.
        if page.is_array() {
            return (status, body);
        }
        match page["data"].as_array_mut() {
            None => self.shift(&resource, &mut page),
            Some(data) => {
                data.retain(|record| {
                    !self.gone.contains(&(resource.clone(), id_of(&resource, record)))
                });
                for record in &mut *data {
                    self.shift(&resource, record);
                }
                page["count"] = json!(data.len());
            }
        }
        (status, page.to_string())
    }

    fn shift(&self, resource: &str, record: &mut Value) {
        let name = (resource.to_owned(), id_of(resource, record));
        let Some(more) = self.more.get(&name) else { return };
        let amount = match resource {
            "ach-deposits" => &mut record["netAmount"],
            "batches" => &mut record["saleAmount"],
            "authorizations" => &mut record["transaction"]["amount"],
            _ => &mut record["order"]["amount"],
        };
        if let Some(before) = amount.as_i64() {
            *amount = json!(before + more);
        }
    }
}
