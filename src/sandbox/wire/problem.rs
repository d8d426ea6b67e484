//! Error bodies in the style of RFC 7807.

use serde::Serialize;

/// An error answer.
#[derive(Clone, Debug, Serialize)]
pub struct Problem {
    #[serde(rename = "type")]
    kind: String,
    title: &'static str,
    /// The HTTP status, also of the answer.
    pub status: u16,
    detail: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<FieldError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<&'static str>,
}

/// One thing that is wrong with a request.
#[derive(Clone, Debug, Serialize)]
pub struct FieldError {
    parameter: String,
    detail: &'static str,
    message: String,
}

impl FieldError {
    /// `parameter` is wrong in the way that `detail` says.
    pub fn new(parameter: &str, detail: &'static str, message: String) -> Self {
        Self { parameter: parameter.to_owned(), detail, message }
    }
}

impl Problem {
    fn new(fragment: &str, title: &'static str, status: u16, detail: &'static str) -> Self {
        let kind = format!("https://docs.payroc.com/api/errors#{fragment}");
        Self { kind, title, status, detail, errors: Vec::new(), resource: None }
    }

    /// 400, naming what is wrong.
    pub fn bad_request(error: FieldError) -> Self {
        let problem = Self::new("bad-request", "Bad request", 400, "The request has errors.");
        Self { errors: vec![error], ..problem }
    }

    /// 401: no token, a wrong one or one that is too old.
    pub fn not_authorized() -> Self {
        Self::new("not-authorized", "Not authorized", 401, "The caller is not known.")
    }

    /// 403: the token does not cover this.
    pub fn forbidden(resource: &'static str) -> Self {
        let problem = Self::new("forbidden", "Forbidden", 403, "The caller may not do this.");
        Self { resource: Some(resource), ..problem }
    }

    /// 404 for a kind of thing.
    pub fn not_found(resource: Option<&'static str>) -> Self {
        let problem = Self::new("not-found", "Not found", 404, "There is no such thing.");
        Self { resource, ..problem }
    }

    /// 406: something else than JSON was asked for.
    pub fn not_acceptable() -> Self {
        Self::new("not-acceptable", "Not acceptable", 406, "This form is not offered.")
    }

    /// 500: the sandbox itself failed.
    pub fn server_error() -> Self {
        Self::new("api-error", "Server error", 500, "The request could not be handled.")
    }
}
