//! Every POST of the contract: the Idempotency-Key, the body, the command, and the answer, which is
//! the same for a repeated request.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Value, json};

use super::base::Base;
use super::parameters::{path_id, wrong};
use super::refusals::problem_of;
use super::requests;
use crate::digest::sha256_hex;
use crate::journal::Answered;
use crate::live::{Book, Command, Effect, Refusal};
use crate::service::Service;
use crate::wire::{self, Problem};
use crate::world::details::{AccountKind, Fate};

/// Far more than any request of the contract needs.
const MAX_BODY_BYTES: usize = 1_000_000;

type Called = State<Arc<Service>>;
type Posted = Result<Response, Problem>;

/// A request after reading: its key, the digest that identifies it, and its body.
struct Post {
    base: Base,
    key: String,
    request: String,
    body: Option<Value>,
}

/// `POST /bank-transfer-payments`
pub async fn create_payment(State(service): Called, request: Request) -> Posted {
    let post = Post::read(&service, request).await?;
    let command = requests::payment(post.needed_body()?)?;
    post.run(&service, &command, Shown::CreatedPayment)
}

/// `POST /bank-transfer-payments/{paymentId}/reverse`
pub async fn reverse_payment(
    State(service): Called,
    Path(payment_id): Path<String>,
    request: Request,
) -> Posted {
    let post = Post::read(&service, request).await?.without_body()?;
    path_id("paymentId", &payment_id)?;
    post.run(&service, &Command::ReversePayment { payment_id }, Shown::Payment)
}

/// `POST /bank-transfer-payments/{paymentId}/refund`
pub async fn refund_payment(
    State(service): Called,
    Path(payment_id): Path<String>,
    request: Request,
) -> Posted {
    let post = Post::read(&service, request).await?;
    path_id("paymentId", &payment_id)?;
    let command = requests::refund(&payment_id, post.needed_body()?)?;
    post.run(&service, &command, Shown::Payment)
}

/// `POST /bank-transfer-payments/{paymentId}/represent`, with the id of the return.
pub async fn represent_payment(
    State(service): Called,
    Path(return_id): Path<String>,
    request: Request,
) -> Posted {
    let post = Post::read(&service, request).await?;
    path_id("paymentId", &return_id)?;
    let command = requests::represent(&return_id, post.body.as_ref())?;
    post.run(&service, &command, Shown::Payment)
}

/// `POST /bank-transfer-payments/{paymentId}/close`, with the id of the return.
pub async fn close_payment(
    State(service): Called,
    Path(return_id): Path<String>,
    request: Request,
) -> Posted {
    let post = Post::read(&service, request).await?.without_body()?;
    path_id("paymentId", &return_id)?;
    post.run(&service, &Command::Close { return_id }, Shown::Payment)
}

/// `POST /bank-transfer-refunds`
pub async fn create_refund(State(service): Called, request: Request) -> Posted {
    let post = Post::read(&service, request).await?;
    let command = requests::unreferenced_refund(post.needed_body()?)?;
    post.run(&service, &command, Shown::CreatedRefund)
}

/// `POST /bank-transfer-refunds/{refundId}/reverse`
pub async fn reverse_refund(
    State(service): Called,
    Path(refund_id): Path<String>,
    request: Request,
) -> Posted {
    let post = Post::read(&service, request).await?.without_body()?;
    path_id("refundId", &refund_id)?;
    post.run(&service, &Command::ReverseRefund { refund_id }, Shown::Refund)
}

/// `POST /bank-accounts/verify`: changes nothing except that its key is remembered.
pub async fn verify_account(State(service): Called, request: Request) -> Posted {
    let post = Post::read(&service, request).await?;
    let asked = requests::verification(post.needed_body()?)?;
    post.once(&service, None, |book, _| {
        let place = book.terminal(&asked.terminal).ok_or(Refusal::UnknownTerminal)?;
        let kind: Option<AccountKind> = book.account_kind(place.0);
        if kind != Some(asked.account.kind) {
            return Err(Refusal::NotCapable { parameter: "bankAccount.type" });
        }
        let verified = asked.is_bank_good && asked.account.fate() == Fate::Kept;
        let body = json!({"processingTerminalId": asked.terminal, "verified": verified});
        Ok((200, None, bytes(&body)))
    })
}

/// The content of an answer.
#[derive(Clone, Copy)]
enum Shown {
    CreatedPayment,
    CreatedRefund,
    Payment,
    Refund,
}

impl Post {
    /// Reads the key and the body, if there is one.
    async fn read(service: &Service, request: Request) -> Result<Self, Problem> {
        let base = Base::of(service, request.uri(), request.headers());
        let key = idempotency_key(request.headers())?;
        let target = format!("{} {}", request.method(), request.uri().path());
        let is_json = is_json(request.headers());
        let bytes = read_body(request.into_body()).await?;
        let body = match (bytes.is_empty(), is_json) {
            (true, _) => None,
            (false, false) => return Err(Problem::unsupported_media_type()),
            (false, true) => Some(serde_json::from_slice(&bytes).map_err(|error| {
                let message = format!("Line {}, column {}", error.line(), error.column());
                wrong("body", "not JSON", message)
            })?),
        };
        // Bodies with equal content are equal, however they are formatted.
        let said = body.as_ref().map(Value::to_string).unwrap_or_default();
        let request = sha256_hex(format!("{target}\n{said}").as_bytes());
        Ok(Self { base, key, request, body })
    }

    fn needed_body(&self) -> Result<&Value, Problem> {
        let missing = || wrong("body", "missing", "A body is needed".to_owned());
        self.body.as_ref().ok_or_else(missing)
    }

    /// Refuses a body with content: a client that sends an amount here does not mean the whole
    /// payment.
    fn without_body(self) -> Result<Self, Problem> {
        let says_nothing = match &self.body {
            None | Some(Value::Null) => true,
            Some(Value::Object(map)) => map.is_empty(),
            Some(_) => false,
        };
        if says_nothing {
            return Ok(self);
        }
        Err(wrong("body", "not expected", "This operation takes no body".to_owned()))
    }

    /// Executes the command, unless this key was answered before.
    fn run(&self, service: &Service, command: &Command, shown: Shown) -> Posted {
        self.once(service, Some(command), |book, effect| {
            let Some(Effect::Transfer(at)) = effect else {
                return Err(Refusal::NotFound { what: "transfer" });
            };
            let transfer = book.transfer(*at);
            let (status, path) = match shown {
                Shown::CreatedPayment => (201, Some("bank-transfer-payments")),
                Shown::CreatedRefund => (201, Some("bank-transfer-refunds")),
                Shown::Payment | Shown::Refund => (200, None),
            };
            let body = match shown {
                Shown::CreatedPayment | Shown::Payment => {
                    bytes(&wire::Payment::new(book, transfer))
                }
                Shown::CreatedRefund | Shown::Refund => bytes(&wire::Refund::new(book, transfer)),
            };
            // A relative path, so that a client that follows it does not send a token to another
            // host.
            Ok((status, path.map(|path| format!("/v1/{path}/{}", transfer.id)), body))
        })
    }

    /// The stored answer of this key if there is one, else the result of `show` for the command's
    /// effect.
    fn once(
        &self,
        service: &Service,
        command: Option<&Command>,
        show: impl FnOnce(Book<'_>, Option<&Effect>) -> Result<(u16, Option<String>, Vec<u8>), Refusal>,
    ) -> Posted {
        let mut state = service.state_to_change();
        if let Some(answered) = state.answered(&self.key) {
            if answered.request != self.request {
                return Err(Problem::key_in_use());
            }
            return Ok(answer(answered.clone()));
        }
        let done = command.map(|command| state.apply(&service.world, command)).transpose();
        let shown = done.and_then(|effect| show(service.book(&state, &self.base), effect.as_ref()));
        let (status, location, body, command) = match shown {
            Ok((status, location, body)) => (status, location, body, command),
            Err(refusal) => {
                let problem = problem_of(&refusal);
                (problem.status, None, bytes(&problem), None)
            }
        };
        let answered = Answered { request: self.request.clone(), status, location, body };
        state.keep(command, Some((&self.key, &answered))).map_err(|error| {
            tracing::error!(%error, "the sandbox's state is not kept");
            Problem::server_error()
        })?;
        Ok(answer(answered))
    }
}

fn answer(answered: Answered) -> Response {
    let status = StatusCode::from_u16(answered.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let media_type =
        if status.is_success() { "application/json" } else { "application/problem+json" };
    let mut response =
        (status, [(header::CONTENT_TYPE, media_type)], answered.body).into_response();
    let location = answered.location.and_then(|location| location.parse().ok());
    if let Some(location) = location {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

fn bytes(body: &impl Serialize) -> Vec<u8> {
    // Contains only texts and numbers, which JSON can always represent.
    serde_json::to_vec(body).unwrap_or_default()
}

/// The whole body, unless it is larger than any request needs.
pub(super) async fn read_body(body: Body) -> Result<Vec<u8>, Problem> {
    // A body that ends early ends the connection too, so no client gets the answer.
    let bytes = to_bytes(body, MAX_BODY_BYTES).await.map_err(|_| Problem::too_large())?;
    Ok(bytes.to_vec())
}

pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let said = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    said.and_then(|said| said.split(';').next())
        .is_some_and(|media_type| media_type.trim().eq_ignore_ascii_case("application/json"))
}

/// The key, in lower case: a UUID of version 4.
fn idempotency_key(headers: &HeaderMap) -> Result<String, Problem> {
    let name = "Idempotency-Key";
    let mut values = headers.get_all(name).iter();
    let value = values.next().ok_or_else(Problem::key_missing)?;
    let key = value.to_str().unwrap_or_default().trim().to_ascii_lowercase();
    if values.next().is_none() && is_uuid_4(&key) {
        return Ok(key);
    }
    Err(wrong(name, "not a UUID", "One UUID of version 4 is needed".to_owned()))
}

fn is_uuid_4(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(place, byte)| match place {
            8 | 13 | 18 | 23 => byte == b'-',
            14 => byte == b'4',
            19 => b"89ab".contains(&byte),
            _ => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_a_uuid_of_version_4() {
        assert!(is_uuid_4("5b0c1d7e-6a52-4f0e-9d3b-1f8e2a7c4410"));
        for text in [
            "",
            "5b0c1d7e-6a52-1f0e-9d3b-1f8e2a7c4410",
            "5b0c1d7e-6a52-4f0e-cd3b-1f8e2a7c4410",
            "5b0c1d7e6a524f0e9d3b1f8e2a7c4410",
            "5b0c1d7e-6a52-4f0e-9d3b-1f8e2a7c441g",
            "{5b0c1d7e-6a52-4f0e-9d3b-1f8e2a7c4410}",
        ] {
            assert!(!is_uuid_4(text), "{text}");
        }
    }
}
