//! What is around the content of every page: the head with its rules for the browser, the
//! style, the script, the links to the other files. A page asks no network for anything, and
//! its content policy forbids that it ever does.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use super::markup::Markup;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A page: what stands in its title, what is in it, and which files lie beside it.
pub(super) struct Shell<'a> {
    pub title: &'a str,
    pub files: &'a [String],
    /// The version that wrote the figures.
    pub tool_version: &'a str,
}

impl Shell<'_> {
    /// The whole page around `content`.
    pub fn wrap(&self, content: impl FnOnce(&mut Markup)) -> String {
        let mut page = Markup::default();
        page.fixed("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        let policy = format!(
            "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; \
             form-action 'none'",
            fingerprint(STYLE),
            fingerprint(SCRIPT)
        );
        page.open("meta", &[("http-equiv", "Content-Security-Policy"), ("content", &policy)]);
        page.fixed(
            "\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <meta name=\"robots\" content=\"noindex\">\n",
        );
        page.element("title", &[], self.title);
        page.fixed("<style>");
        page.fixed(STYLE);
        page.fixed("</style>\n</head>\n<body>\n");
        content(&mut page);
        self.footer(&mut page);
        page.fixed("<script>");
        page.fixed(SCRIPT);
        page.fixed("</script>\n</body>\n</html>\n");
        page.into_html()
    }

    fn footer(&self, page: &mut Markup) {
        page.within("footer", &[], |page| {
            if !self.files.is_empty() {
                page.within("p", &[], |page| {
                    page.fixed("Every row behind this page: ");
                    for (position, file) in self.files.iter().enumerate() {
                        if position > 0 {
                            page.fixed(", ");
                        }
                        page.element("a", &[("href", file)], file);
                    }
                    page.fixed(".");
                });
            }
            page.within("p", &[], |page| {
                page.fixed(
                    "An empty or unknown figure is one that is not known: nothing on this page \
                     is zero because it is missing. Amounts of different currencies are never \
                     added together. Written by tieout ",
                );
                page.text(self.tool_version);
                page.fixed(".");
            });
        });
    }
}

/// How the content policy names an inline style or script.
fn fingerprint(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

/// A section of a page with its heading; `id` is what links name.
pub(super) fn section(
    page: &mut Markup,
    id: &'static str,
    title: &'static str,
    fill: impl FnOnce(&mut Markup),
) {
    let heading = format!("{id}-title");
    page.within("section", &[("id", id), ("aria-labelledby", &heading)], |page| {
        page.element("h2", &[("id", &heading)], title);
        fill(page);
    });
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
