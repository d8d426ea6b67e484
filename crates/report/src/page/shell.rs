//! The frame of every page: the head with its rules for the browser, the style, the script, and
//! the links to the other files. A page loads nothing, and its content policy forbids it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};

use super::markup::Text;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A page: its title, its content, and the files beside it.
pub(super) struct Shell<'a> {
    pub title: &'a str,
    pub files: &'a [String],
    /// The version that wrote the figures.
    pub tool_version: &'a str,
    /// The digest over the rows that the store keeps; empty for a page of several dates.
    pub results_digest: &'a str,
}

impl Shell<'_> {
    /// The whole page around `content`.
    pub fn wrap(&self, content: &Markup) -> String {
        let policy = format!(
            "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; \
             form-action 'none'",
            fingerprint(STYLE),
            fingerprint(SCRIPT)
        );
        let page = html! {
            (DOCTYPE) "\n"
            html lang="en" { "\n"
                head { "\n"
                    meta charset="utf-8"; "\n"
                    meta http-equiv="Content-Security-Policy" content=(policy); "\n"
                    meta name="viewport" content="width=device-width, initial-scale=1"; "\n"
                    meta name="color-scheme" content="light dark"; "\n"
                    meta name="referrer" content="no-referrer"; "\n"
                    meta name="robots" content="noindex"; "\n"
                    title { (Text(self.title)) } "\n"
                    style { (PreEscaped(STYLE)) } "\n"
                } "\n"
                body { "\n"
                    (content)
                    (self.footer())
                    script { (PreEscaped(SCRIPT)) } "\n"
                } "\n"
            } "\n"
        };
        page.into_string()
    }

    fn footer(&self) -> Markup {
        html! {
            footer {
                @if !self.files.is_empty() {
                    p {
                        "Every row behind this page: "
                        @for (position, file) in self.files.iter().enumerate() {
                            @if position > 0 { ", " }
                            a href=(file) { (file) }
                        }
                        "."
                    } "\n"
                }
                p {
                    "An empty or unknown figure is not known: no missing figure is shown as \
                     zero. Amounts of different currencies are never added together. Written by \
                     tieout " (self.tool_version) "."
                } "\n"
                @if !self.results_digest.is_empty() {
                    p { "Digest of the results: " (self.results_digest) } "\n"
                }
            }
            "\n"
        }
    }
}

/// The hash by which the content policy permits an inline style or script.
fn fingerprint(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

/// The sections of `sections` that `body` contains.
pub(super) fn present(
    sections: &[(&'static str, &'static str)],
    body: &Markup,
) -> Vec<(&'static str, &'static str)> {
    let is_there = |one: &&(&str, &str)| body.0.contains(&format!("<section id=\"{}\"", one.0));
    sections.iter().filter(is_there).copied().collect()
}

/// A section of a page with its heading; links refer to `id`.
pub(super) fn section(id: &str, title: &str, content: &Markup) -> Markup {
    let heading = format!("{id}-title");
    html! {
        section id=(id) aria-labelledby=(heading) { "\n"
            h2 id=(heading) { (title) } "\n"
            (content)
        }
        "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cannot_end_its_style_or_script_early() {
        assert!(!STYLE.contains("</") && !STYLE.contains("url(") && !STYLE.contains("@import"));
        assert!(!SCRIPT.contains("</") && !SCRIPT.contains("<!--"));
        for word in ["fetch", "XMLHttpRequest", "innerHTML", "eval", "http", "import", "WebSocket"]
        {
            assert!(!SCRIPT.contains(word), "{word}");
        }
    }
}
