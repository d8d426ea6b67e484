//! A server between the job and a world that answers some requests itself, well or badly, and
//! forwards the others. It keeps a list of requests and answers.

use std::sync::{Arc, Mutex};

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// The answer of a rule in place of the world: status and body.
pub type Answer = (u16, String);

/// Decides by path and query; `None` passes the request on.
pub type Rule = Box<dyn Fn(&str) -> Option<Answer> + Send + Sync>;

/// Changes the answer of the world; path and query come first.
pub type Rewrite = Box<dyn Fn(&str, Answer) -> Answer + Send + Sync>;

/// Changes the path and query that are passed on.
pub type Redirect = Box<dyn Fn(&str) -> String + Send + Sync>;

/// One exchange: path with query, and the body that was answered.
#[derive(Clone, Debug)]
pub struct Exchange {
    pub path: String,
    pub body: String,
}

struct Gateway {
    upstream: Option<String>,
    rule: Rule,
    redirect: Redirect,
    rewrite: Rewrite,
    client: reqwest::Client,
    seen: Mutex<Vec<Exchange>>,
}

/// A gateway that is listening for as long as its runtime lives.
pub struct RunningGateway {
    pub base: String,
    gateway: Arc<Gateway>,
}

/// Starts a gateway on `runtime`. Without an upstream, requests that the rule does not answer give
/// 404.
pub fn start(runtime: &Runtime, upstream: Option<String>, rule: Rule) -> RunningGateway {
    start_rewriting(runtime, upstream, rule, Box::new(|_, answer| answer))
}

/// The same; forwarded answers pass through `rewrite`.
pub fn start_rewriting(
    runtime: &Runtime,
    upstream: Option<String>,
    rule: Rule,
    rewrite: Rewrite,
) -> RunningGateway {
    serve(runtime, upstream, rule, Box::new(str::to_owned), rewrite)
}

/// Forwards every request without the parameter `ignored`, as if the service did not know it.
pub fn start_ignoring(
    runtime: &Runtime,
    upstream: String,
    ignored: &'static str,
) -> RunningGateway {
    let redirect = Box::new(|path: &str| {
        let Some((path, query)) = path.split_once('?') else { return path.to_owned() };
        let is_kept = |pair: &&str| pair.split('=').next() != Some(ignored);
        let kept: Vec<&str> = query.split('&').filter(is_kept).collect();
        format!("{path}?{}", kept.join("&"))
    });
    let rewrite = Box::new(|_: &str, answer| answer);
    serve(runtime, Some(upstream), Box::new(|_| None), redirect, rewrite)
}

/// The prefix of the cursors of [`start_opaque`].
const OPAQUE: &str = "t_";

/// Forwards every request, with opaque cursors instead of ids: a made-up cursor is refused, and
/// with `is_bound` also one from a listing with other filters.
pub fn start_opaque(runtime: &Runtime, upstream: String, is_bound: bool) -> RunningGateway {
    let after = |text: &str| {
        let place = text.find("after=")? + "after=".len();
        let end = text[place..].find(['&', '"']).map_or(text.len(), |length| place + length);
        Some((place, end))
    };
    // The reversed text is not the id of any record.
    let turned = |text: &str| text.chars().rev().collect::<String>();
    let mark = move |path: &str| {
        let is_of_a_batch = is_bound && path.contains("batchId=");
        format!("{OPAQUE}{}", if is_of_a_batch { "b_" } else { "" })
    };
    let rule = Box::new(move |path: &str| {
        let (place, end) = after(path)?;
        let id = path[place..end].strip_prefix(&mark(path)).unwrap_or("made_up");
        let is_known = id.chars().all(|letter| letter.is_ascii_alphanumeric());
        (!is_known).then(|| (400, r#"{"title":"Bad request","status":400}"#.to_owned()))
    });
    let redirect = Box::new(move |path: &str| {
        let Some((place, end)) = after(path) else { return path.to_owned() };
        let id = path[place..end].trim_start_matches(&mark(path));
        format!("{}{}{}", &path[..place], turned(id), &path[end..])
    });
    let rewrite = Box::new(move |path: &str, (status, body): Answer| {
        let Some((place, end)) = after(&body) else { return (status, body) };
        let cursor = turned(&body[place..end]);
        (status, format!("{}{}{cursor}{}", &body[..place], mark(path), &body[end..]))
    });
    serve(runtime, Some(upstream), rule, redirect, rewrite)
}

fn serve(
    runtime: &Runtime,
    upstream: Option<String>,
    rule: Rule,
    redirect: Redirect,
    rewrite: Rewrite,
) -> RunningGateway {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let seen = Mutex::default();
    let gateway = Arc::new(Gateway { upstream, rule, redirect, rewrite, client, seen });
    let router = axum::Router::new().fallback(answer).with_state(Arc::clone(&gateway));
    let base = runtime.block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        base
    });
    RunningGateway { base, gateway }
}

impl RunningGateway {
    /// Every exchange so far.
    pub fn seen(&self) -> Vec<Exchange> {
        self.gateway.seen.lock().unwrap().clone()
    }
}

async fn answer(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    let path = request.uri().path_and_query().map(ToString::to_string).unwrap_or_default();
    let (status, body) = match (gateway.rule)(&path) {
        Some(answer) => answer,
        None => (gateway.rewrite)(&path, gateway.pass_on(&path, request).await),
    };
    gateway.seen.lock().unwrap().push(Exchange { path, body: body.clone() });
    Response::builder()
        .status(status)
        .header("content-type", "application/json")
        .body(Body::from(body))
        .unwrap()
}

impl Gateway {
    async fn pass_on(&self, path: &str, request: Request) -> Answer {
        let Some(upstream) = &self.upstream else {
            return (404, r#"{"type":"about:blank","title":"Not found","status":404}"#.to_owned());
        };
        let path = (self.redirect)(path);
        let (parts, body) = request.into_parts();
        let mut headers = parts.headers;
        headers.remove("host");
        headers.remove("accept-encoding");
        let body = to_bytes(body, 1_000_000).await.unwrap();
        let sent = self
            .client
            .request(parts.method, format!("{upstream}{path}"))
            .headers(headers)
            .body(body)
            .send()
            .await
            .unwrap();
        (sent.status().as_u16(), sent.text().await.unwrap())
    }
}
