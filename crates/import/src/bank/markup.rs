//! The markup of OFX: SGML without end tags, or XML, in upper or lower case. Yields elements and
//! their texts, decoded.

use std::collections::VecDeque;

/// The next piece of the markup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// In capital letters, without attributes.
    Open(String),
    Close(String),
    /// A text that is not blank, with its entities decoded.
    Text(String),
}

/// A tag or a text with its line, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub line: u64,
    pub mark: Mark,
}

/// A longer name of an entity is plain text.
const MAX_ENTITY_BYTES: usize = 12;

/// The marks of `text` from its first tag on, one after the other: all at once would need many
/// times the memory of the text.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = Token> {
    let mut scanner = Scanner { rest: text, line: 1, found: VecDeque::new() };
    let start = text.find('<').unwrap_or(text.len());
    scanner.advance(start);
    std::iter::from_fn(move || {
        while scanner.found.is_empty() && !scanner.rest.is_empty() {
            scanner.step();
        }
        scanner.found.pop_front()
    })
}

struct Scanner<'a> {
    rest: &'a str,
    line: u64,
    /// Marks found by the last step: an empty element gives two.
    found: VecDeque<Token>,
}

impl Scanner<'_> {
    fn step(&mut self) {
        if let Some(after) = self.rest.strip_prefix("<![CDATA[") {
            let length = after.find("]]>").unwrap_or(after.len());
            self.push(self.line, Mark::Text(after[..length].trim().to_owned()));
            self.advance("<![CDATA[".len() + length + 3);
        } else if self.rest.starts_with("<!--") {
            self.skip_behind("-->");
        } else if self.rest.starts_with("<?") {
            self.skip_behind("?>");
        } else if self.rest.starts_with("<!") {
            self.skip_behind(">");
        } else if is_tag(self.rest) {
            self.tag();
        } else {
            self.text();
        }
    }

    fn tag(&mut self) {
        let length = self.rest.find('>').unwrap_or(self.rest.len());
        let inner = self.rest[1..length].trim();
        let line = self.line;
        let is_empty = inner.ends_with('/');
        let inner = inner.trim_end_matches('/');
        let (is_end, inner) = match inner.strip_prefix('/') {
            Some(inner) => (true, inner.trim_start()),
            None => (false, inner),
        };
        let name = inner.split(char::is_whitespace).next().unwrap_or("");
        // A prefix names the namespace of the element.
        let name = name.rsplit(':').next().unwrap_or(name).to_ascii_uppercase();
        self.advance(length + 1);
        if is_end {
            self.push(line, Mark::Close(name));
        } else {
            self.push(line, Mark::Open(name.clone()));
            if is_empty {
                self.push(line, Mark::Close(name));
            }
        }
    }

    fn text(&mut self) {
        // A `<` that begins no tag is part of the text.
        let starts = memchr::memchr_iter(b'<', self.rest.as_bytes());
        let end = starts.filter(|at| *at > 0).find(|at| is_markup(&self.rest[*at..]));
        let end = end.unwrap_or(self.rest.len());
        let text = decoded(self.rest[..end].trim());
        if !text.is_empty() {
            self.push(self.line, Mark::Text(text));
        }
        self.advance(end);
    }

    fn push(&mut self, line: u64, mark: Mark) {
        self.found.push_back(Token { line, mark });
    }

    fn skip_behind(&mut self, end: &str) {
        let length = self.rest.find(end).map_or(self.rest.len(), |at| at + end.len());
        self.advance(length);
    }

    fn advance(&mut self, length: usize) {
        let length = length.min(self.rest.len());
        self.line += memchr::memchr_iter(b'\n', &self.rest.as_bytes()[..length]).count() as u64;
        self.rest = &self.rest[length..];
    }
}

/// Checks whether a text that begins with `<` continues as a tag.
fn is_tag(text: &str) -> bool {
    let name = text.strip_prefix('<').map(|rest| rest.strip_prefix('/').unwrap_or(rest));
    name.is_some_and(|name| name.starts_with(|first: char| first.is_ascii_alphabetic()))
        && text.find('>').is_some_and(|end| text[1..end].find('<').is_none())
}

fn is_markup(text: &str) -> bool {
    text.starts_with("<!") || text.starts_with("<?") || is_tag(text)
}

/// `text` with its entities decoded, by name and by number; unknown ones are kept.
pub(super) fn decoded(text: &str) -> String {
    let (mut decoded, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('&') {
        decoded.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let length = rest.bytes().take(MAX_ENTITY_BYTES).position(|byte| byte == b';');
        match length.and_then(|length| Some((length, entity(&rest[..length])?))) {
            Some((length, character)) => {
                decoded.push(character);
                rest = &rest[length + 1..];
            }
            None => decoded.push('&'),
        }
    }
    decoded.push_str(rest);
    decoded
}

/// Entities by name.
const NAMED: [(&str, char); 30] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("auml", 'ä'),
    ("ouml", 'ö'),
    ("uuml", 'ü'),
    ("Auml", 'Ä'),
    ("Ouml", 'Ö'),
    ("Uuml", 'Ü'),
    ("szlig", 'ß'),
    ("eacute", 'é'),
    ("Eacute", 'É'),
    ("egrave", 'è'),
    ("Egrave", 'È'),
    ("ecirc", 'ê'),
    ("agrave", 'à'),
    ("acirc", 'â'),
    ("ccedil", 'ç'),
    ("Ccedil", 'Ç'),
    ("ntilde", 'ñ'),
    ("Ntilde", 'Ñ'),
    ("ocirc", 'ô'),
    ("oslash", 'ø'),
    ("aring", 'å'),
    ("aelig", 'æ'),
    ("euml", 'ë'),
    ("iuml", 'ï'),
];

/// The character of an entity.
pub(super) fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        return code.ok().and_then(char::from_u32);
    }
    NAMED.iter().find(|(known, _)| *known == name).map(|(_, character)| *character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        tokens(text)
            .map(|token| match token.mark {
                Mark::Open(name) => format!("{}<{name}", token.line),
                Mark::Close(name) => format!("{}/{name}", token.line),
                Mark::Text(text) => format!("{}={text}", token.line),
            })
            .collect()
    }

    #[test]
    fn reads_tags_and_texts_of_either_spelling() {
        let cases: [(&str, &[&str]); 6] = [
            ("head\n<ofx ><NAME>A &amp; B\n</OFX>", &["2<OFX", "2<NAME", "2=A & B", "3/OFX"]),
            ("<NAME><![CDATA[A < B]]></NAME>", &["1<NAME", "1=A < B", "1/NAME"]),
            ("<A><!-- <B>x --><C a=\"1\">y<BR/>z", &["1<A", "1<C", "1=y", "1<BR", "1/BR", "1=z"]),
            ("<MEMO>5 < 6 & so&#32;on", &["1<MEMO", "1=5 < 6 & so on"]),
            ("<?xml version=\"1.0\"?>\n<A>&#xFC;&apos;&x;</A>", &["2<A", "2=ü'&x;", "2/A"]),
            ("<A", &["1=<A"]),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
