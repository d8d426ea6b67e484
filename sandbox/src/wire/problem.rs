//! Error bodies in the style of RFC 7807.

use serde::Serialize;

/// An error answer.
#[derive(Clone, Debug, Serialize)]
pub struct Problem {
    #[serde(rename = "type")]
    kind: String,
    title: &'static str,
    /// The HTTP status in the body.
    pub status: u16,
    /// The HTTP status of the answer, where it differs.
    #[serde(skip)]
    answered_with: Option<u16>,
    detail: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<FieldError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<&'static str>,
}

/// One error of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldError {
    parameter: String,
    detail: &'static str,
    message: String,
}

impl FieldError {
    /// An error of `parameter`, which `detail` describes.
    pub fn new(parameter: &str, detail: &'static str, message: String) -> Self {
        Self { parameter: parameter.to_owned(), detail, message }
    }
}

impl Problem {
    fn new(fragment: &str, title: &'static str, status: u16, detail: &str) -> Self {
        let kind = format!("https://docs.payroc.com/api/errors#{fragment}");
        let detail = detail.to_owned();
        let answered_with = None;
        Self { kind, title, status, answered_with, detail, errors: Vec::new(), resource: None }
    }

    /// The HTTP status of the answer.
    pub fn http_status(&self) -> u16 {
        self.answered_with.unwrap_or(self.status)
    }

    /// 400 with one error.
    pub fn bad_request(error: FieldError) -> Self {
        Self::bad_requests(vec![error])
    }

    /// 400 with all errors.
    pub fn bad_requests(errors: Vec<FieldError>) -> Self {
        let problem = Self::new("bad-request", "Bad request", 400, "The request has errors.");
        Self { errors, ..problem }
    }

    /// 400: a POST without an Idempotency-Key.
    pub fn key_missing() -> Self {
        let detail = "Send an Idempotency-Key header.";
        Self::new("idempotency-key-missing", "Idempotency-Key missing", 400, detail)
    }

    /// The Idempotency-Key belongs to another request: 400, with 409 in the body, as in the
    /// published samples.
    pub fn key_in_use() -> Self {
        let detail = "Another request has this key already.";
        let problem = Self::new("idempotency-key-in-use", "Idempotency-Key in use", 409, detail);
        Self { answered_with: Some(400), ..problem }
    }

    /// 400: the terminal lacks the capability.
    pub fn capabilities_missing(error: FieldError) -> Self {
        let detail = "The terminal is not set up for this.";
        let problem = Self::new("capabilities-missing", "Capability missing", 400, detail);
        Self { errors: vec![error], ..problem }
    }

    /// 401: no token, a wrong one or an expired one.
    pub fn not_authorized() -> Self {
        Self::new("not-authorized", "Not authorized", 401, "The caller is not known.")
    }

    /// 403: the token does not permit this.
    pub fn forbidden(resource: &'static str) -> Self {
        let problem = Self::new("forbidden", "Forbidden", 403, "The caller may not do this.");
        Self { resource: Some(resource), ..problem }
    }

    /// 404 for a kind of resource.
    pub fn not_found(resource: Option<&'static str>) -> Self {
        let problem = Self::new("not-found", "Not found", 404, "There is no such thing.");
        Self { resource, ..problem }
    }

    /// 405: the path has no such operation.
    pub fn method_not_allowed() -> Self {
        let detail = "This path does not take this method.";
        Self::new("method-not-allowed", "Method not allowed", 405, detail)
    }

    /// 406: a form other than JSON was requested.
    pub fn not_acceptable() -> Self {
        Self::new("not-acceptable", "Not acceptable", 406, "This form is not offered.")
    }

    /// 409: the state does not allow this, because of `detail`.
    pub fn cannot_be_modified(detail: &str, errors: Vec<FieldError>) -> Self {
        let problem = Self::new("cannot-be-modified", "Cannot be modified", 409, detail);
        Self { errors, ..problem }
    }

    /// 413: the body is larger than any request of the contract.
    pub fn too_large() -> Self {
        Self::new("payload-too-large", "Payload too large", 413, "The body is too large.")
    }

    /// 415: the body is not declared as JSON.
    pub fn unsupported_media_type() -> Self {
        Self::new("unsupported-media-type", "Unsupported media type", 415, "Send JSON.")
    }

    /// 500: the sandbox itself failed.
    pub fn server_error() -> Self {
        Self::new("api-error", "Server error", 500, "The request could not be handled.")
    }

    /// The problem for a status with which the framework refused a request.
    pub fn of_status(status: u16) -> Self {
        match status {
            404 => Self::not_found(None),
            405 => Self::method_not_allowed(),
            406 => Self::not_acceptable(),
            413 => Self::too_large(),
            415 => Self::unsupported_media_type(),
            500..=599 => Self::server_error(),
            _ => Self::bad_requests(Vec::new()),
        }
    }
}
