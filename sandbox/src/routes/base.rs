//! The target of the links in an answer. It is the live service, as in the answers of its own test
//! service, or the address of the request, for clients that follow links unchanged and would send
//! the sandbox's token to another host.

use std::convert::Infallible;
use std::ops::Deref;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Uri, header};

use crate::service::{Links, Service};

/// The live service.
const LIVE: &str = "https://api.payroc.com/v1";

/// The part of a link before the path of the resource.
pub struct Base(String);

impl Base {
    /// By the options: the live service, or the host that the request names. Without a plain host
    /// name, the service's own address.
    pub fn of(service: &Service, uri: &Uri, headers: &HeaderMap) -> Self {
        if service.options.links == Links::Live {
            return Self(LIVE.to_owned());
        }
        let scheme = if service.options.tls { "https" } else { "http" };
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        // HTTP/2 has no such header; its requests carry the host in the address.
        let host = host.or_else(|| uri.authority().map(Authority::as_str));
        let host = host.filter(|host| is_plain(host));
        Self(match host {
            Some(host) => format!("{scheme}://{host}/v1"),
            None => format!("{scheme}://{}/v1", service.address),
        })
    }
}

impl Deref for Base {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl FromRequestParts<Arc<Service>> for Base {
    type Rejection = Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        service: &Arc<Service>,
    ) -> Result<Self, Infallible> {
        Ok(Self::of(service, &parts.uri, &parts.headers))
    }
}

/// Checks that the text is only a name or an address, with or without a port.
fn is_plain(host: &str) -> bool {
    !host.is_empty()
        && host.len() <= 255
        && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte))
}
