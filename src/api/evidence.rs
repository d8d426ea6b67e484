//! Evidence: a page's own JSON without its private fields. Numbers stay as they were written,
//! properties keep their order, and what the contract does not name is dropped, since anything
//! could be in it. A scanner over bytes: it builds no tree and never calls itself for what it
//! drops, so that no nesting can exhaust the stack.

mod kept;

use std::borrow::Cow;

use crate::model::Listing;
pub(super) use kept::Kept;
use kept::{page_of, record_of};

/// `body`, which must be valid JSON, without its private fields and without white space.
///
/// What has another shape than the contract says is dropped as well: a property disappears, an
/// element of a list becomes null so that the others keep their places. `None` when the scanner
/// meets something that is no JSON.
pub fn scrub(listing: &Listing, body: &[u8]) -> Option<Vec<u8>> {
    let kept = kept_of(listing);
    let mut scanner = Scanner { body, position: 0, output: Vec::with_capacity(body.len()) };
    scanner.skip_space();
    if !scanner.value(kept)? {
        scanner.output.extend_from_slice(b"null");
    }
    scanner.skip_space();
    (scanner.position == body.len()).then_some(scanner.output)
}

/// What is kept of a body of `listing`.
pub(super) fn kept_of(listing: &Listing) -> &'static Kept {
    if listing.is_single() { record_of(listing.resource) } else { page_of(listing.resource) }
}

/// The length of the object or list that `body` begins with, by its brackets alone.
pub(super) fn nested_length(body: &[u8]) -> Option<usize> {
    let mut scanner = Scanner { body, position: 0, output: Vec::new() };
    scanner.skip_nested()?;
    Some(scanner.position)
}

struct Scanner<'a> {
    body: &'a [u8],
    position: usize,
    output: Vec<u8>,
}

impl<'a> Scanner<'a> {
    /// Copies the value here as far as `kept` allows; `false` when nothing of it was written.
    fn value(&mut self, kept: &'static Kept) -> Option<bool> {
        match (self.peek()?, kept) {
            (_, Kept::Unread(kept)) => self.value(kept),
            (b'{', Kept::Object(properties)) => self.object(properties),
            (b'[', Kept::List(element)) => self.list(element),
            (b'{' | b'[', _) => self.skip_nested().map(|()| false),
            (b'n', _) => self.scalar().map(|null| self.write(null)),
            (_, Kept::Scalar) => self.scalar().map(|scalar| self.write(scalar)),
            (_, Kept::LastFour) => {
                let number = self.scalar()?;
                last_four_of(number, &mut self.output).map(|()| true)
            }
            (_, Kept::Object(_) | Kept::List(_)) => self.scalar().map(|_| false),
        }
    }

    fn object(&mut self, properties: &'static [(&'static str, Kept)]) -> Option<bool> {
        self.expect(b'{')?;
        self.output.push(b'{');
        let start = self.output.len();
        self.skip_space();
        if self.peek()? == b'}' {
            self.position += 1;
            self.output.push(b'}');
            return Some(true);
        }
        loop {
            let key = self.string()?;
            self.skip_space();
            self.expect(b':')?;
            self.skip_space();
            match find(properties, key) {
                Some((name, kept)) => self.property(name, kept, start)?,
                None => self.skip()?,
            }
            self.skip_space();
            match self.next()? {
                b',' => self.skip_space(),
                b'}' => break,
                _ => return None,
            }
        }
        self.output.push(b'}');
        Some(true)
    }

    /// Writes the property that begins here, or takes back what was written of it.
    fn property(&mut self, name: &str, kept: &'static Kept, start: usize) -> Option<()> {
        let before = self.output.len();
        if before > start {
            self.output.push(b',');
        }
        self.output.push(b'"');
        self.output.extend_from_slice(name.as_bytes());
        self.output.extend_from_slice(b"\":");
        if !self.value(kept)? {
            self.output.truncate(before);
        }
        Some(())
    }

    fn list(&mut self, element: &'static Kept) -> Option<bool> {
        self.expect(b'[')?;
        self.output.push(b'[');
        self.skip_space();
        if self.peek()? == b']' {
            self.position += 1;
            self.output.push(b']');
            return Some(true);
        }
        loop {
            if !self.value(element)? {
                self.output.extend_from_slice(b"null");
            }
            self.skip_space();
            match self.next()? {
                b',' => self.output.push(b','),
                b']' => break,
                _ => return None,
            }
            self.skip_space();
        }
        self.output.push(b']');
        Some(true)
    }

    fn write(&mut self, bytes: &[u8]) -> bool {
        self.output.extend_from_slice(bytes);
        true
    }

    /// Passes over any value.
    fn skip(&mut self) -> Option<()> {
        match self.peek()? {
            b'{' | b'[' => self.skip_nested(),
            _ => self.scalar().map(|_| ()),
        }
    }

    /// Passes over an object or a list, counting brackets outside of strings.
    fn skip_nested(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.position += 1;
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// A string with its quotes, a number or a word, as it was written.
    fn scalar(&mut self) -> Option<&'a [u8]> {
        let start = self.position;
        if self.peek()? == b'"' {
            self.string()?;
        } else {
            let rest = self.body.get(start..)?;
            let length = rest
                .iter()
                .position(
                    |byte| !matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'+' | b'-' | b'.' | b'E'),
                )
                .unwrap_or(rest.len());
            if length == 0 {
                return None;
            }
            self.position += length;
        }
        self.body.get(start..self.position)
    }

    /// What stands between the quotes, still escaped.
    fn string(&mut self) -> Option<&'a [u8]> {
        self.expect(b'"')?;
        let start = self.position;
        loop {
            let rest = self.body.get(self.position..)?;
            let length = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
            self.position += length + 1;
            if rest[length] == b'"' {
                return self.body.get(start..self.position - 1);
            }
            // Whatever is escaped is no end, and the digits of a \u look like any text.
            self.position += 1;
        }
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.body.get(self.position) {
            self.position += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.body.get(self.position).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.position += 1;
        Some(byte)
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }
}

/// Writes `"*3307"` for a number that ends with these digits, else `"*"`.
pub(super) fn last_four_of(number: &[u8], output: &mut Vec<u8>) -> Option<()> {
    let text = match number {
        [b'"', inner @ .., b'"'] => decoded(inner)?,
        // Only an integer has last digits; those of 1e1000 or 0.1234 are not a number's own.
        bare if bare.iter().all(u8::is_ascii_digit) => {
            Cow::Borrowed(std::str::from_utf8(bare).ok()?)
        }
        _ => Cow::Borrowed(""),
    };
    output.extend_from_slice(b"\"*");
    output.extend_from_slice(super::wire::last_four(&text).unwrap_or_default().as_bytes());
    output.push(b'"');
    Some(())
}

/// The property of that name, which may be written with escapes.
fn find(
    properties: &'static [(&'static str, Kept)],
    key: &[u8],
) -> Option<(&'static str, &'static Kept)> {
    let key = if key.contains(&b'\\') {
        Cow::Owned(decoded(key)?.into_owned().into_bytes())
    } else {
        Cow::Borrowed(key)
    };
    let found = properties.iter().find(|(name, _)| name.as_bytes() == &*key)?;
    Some((found.0, &found.1))
}

/// The text of a string's inside. Escapes that stand for no character make it unknown: empty.
fn decoded(inner: &[u8]) -> Option<Cow<'_, str>> {
    let text = std::str::from_utf8(inner).ok()?;
    if !inner.contains(&b'\\') {
        return Some(Cow::Borrowed(text));
    }
    Some(Cow::Owned(serde_json::from_str(&format!("\"{text}\"")).unwrap_or_default()))
}

#[cfg(test)]
mod tests;
