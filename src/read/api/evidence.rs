//! Evidence: a page's own JSON without its private fields. Numbers stay as they were written,
//! properties keep their order, and what the contract does not name is dropped, since anything
//! could be in it. A scanner over bytes: it builds no tree and never calls itself for what it
//! drops, so that no nesting can exhaust the stack.

mod kept;

use std::borrow::Cow;

use super::wire::{is_id, is_readable, last_four, masked};
use crate::model::{Listing, mask_card_numbers};
use kept::{Kept, page_of, record_of};

/// `body`, which must be valid JSON, without its private fields and without white space.
///
/// What has another shape than the contract says is kept without what it holds, as an empty object,
/// an empty list, or `false`: a record that could not be understood cannot be by its evidence
/// either. `None` when the scanner meets something that is no JSON.
pub fn scrub(listing: &Listing, body: &[u8]) -> Option<Vec<u8>> {
    let kept = kept_of(listing);
    let mut scanner = Scanner { body, position: 0, output: Vec::with_capacity(body.len()) };
    scanner.skip_space();
    scanner.value(kept)?;
    scanner.skip_space();
    (scanner.position == body.len()).then_some(scanner.output)
}

/// What is kept of a body of `listing`.
fn kept_of(listing: &Listing) -> &'static Kept {
    if listing.is_single() { record_of(listing.resource) } else { page_of(listing.resource) }
}

/// Stands for what the scanner passes and no parser can: half a character, which is no text.
const NO_NAME: &[u8] = br"\ud800";
const NO_TEXT: &[u8] = br#""\ud800""#;

struct Scanner<'a> {
    body: &'a [u8],
    position: usize,
    output: Vec<u8>,
}

impl<'a> Scanner<'a> {
    /// Copies the value here as far as `kept` allows.
    fn value(&mut self, kept: &'static Kept) -> Option<()> {
        let start = self.position;
        match (self.peek()?, kept) {
            (b'{', Kept::Object(properties)) => return self.object(properties),
            (b'[', Kept::List(element)) => return self.list(element),
            (b'{' | b'[', _) => self.skip_nested()?,
            (b'n', _) | (_, Kept::Scalar) => {
                let scalar = self.scalar()?;
                self.output.extend_from_slice(scalar);
                return Some(());
            }
            (_, Kept::FreeText | Kept::FreeId) => {
                let scalar = self.scalar()?;
                if self.free_text(scalar, kept)? {
                    return Some(());
                }
            }
            (_, Kept::LastFour) => {
                let number = self.scalar()?;
                if last_four_of(number, &mut self.output) {
                    return Some(());
                }
            }
            (_, Kept::Object(_) | Kept::List(_)) => self.skip()?,
        }
        let misfit = self.body.get(start..self.position)?;
        self.output.extend_from_slice(match misfit {
            unreadable if !is_readable(unreadable) => NO_TEXT,
            [b'{', ..] => b"{}",
            [b'[', ..] => b"[]",
            _ => b"false",
        });
        Some(())
    }

    /// Writes a scalar without the numbers of cards that stand in it; false when it is none of
    /// that kind, and nothing was written.
    fn free_text(&mut self, scalar: &'a [u8], kept: &Kept) -> Option<bool> {
        let text = match (scalar, kept) {
            ([b'"', inner @ .., b'"'], _) => decoded(inner),
            (number, Kept::FreeId) if is_id(number) => {
                std::str::from_utf8(number).ok().map(Cow::Borrowed)
            }
            _ => return Some(false),
        };
        match text.as_deref().map(mask_card_numbers) {
            Some(Cow::Owned(masked)) => {
                self.output.extend_from_slice(&serde_json::to_vec(&masked).ok()?);
            }
            _ => self.output.extend_from_slice(scalar),
        }
        Some(true)
    }

    fn object(&mut self, properties: &'static [(&'static str, Kept)]) -> Option<()> {
        self.expect(b'{')?;
        self.output.push(b'{');
        let start = self.output.len();
        self.skip_space();
        if self.peek()? == b'}' {
            self.position += 1;
            self.output.push(b'}');
            return Some(());
        }
        loop {
            let key = self.string()?;
            self.skip_space();
            self.expect(b':')?;
            self.skip_space();
            match decoded(key).map(|name| find(properties, &name)) {
                Some(Some((name, kept))) => {
                    self.name(name.as_bytes(), start);
                    self.value(kept)?;
                }
                Some(None) => self.skip()?,
                None => {
                    self.skip()?;
                    self.name(NO_NAME, start);
                    self.output.extend_from_slice(b"null");
                }
            }
            self.skip_space();
            match self.next()? {
                b',' => self.skip_space(),
                b'}' => break,
                _ => return None,
            }
        }
        self.output.push(b'}');
        Some(())
    }

    /// Writes the name of a property of an object whose properties begin at `start`.
    fn name(&mut self, name: &[u8], start: usize) {
        if self.output.len() > start {
            self.output.push(b',');
        }
        self.output.push(b'"');
        self.output.extend_from_slice(name);
        self.output.extend_from_slice(b"\":");
    }

    fn list(&mut self, element: &'static Kept) -> Option<()> {
        self.expect(b'[')?;
        self.output.push(b'[');
        self.skip_space();
        if self.peek()? == b']' {
            self.position += 1;
            self.output.push(b']');
            return Some(());
        }
        loop {
            self.value(element)?;
            self.skip_space();
            match self.next()? {
                b',' => self.output.push(b','),
                b']' => break,
                _ => return None,
            }
            self.skip_space();
        }
        self.output.push(b']');
        Some(())
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
            let length = memchr::memchr2(b'"', b'\\', rest)?;
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

/// Writes `"*3307"` for text or an integer that ends with these digits, else `"*"`; `false` when
/// it is neither, and nothing was written.
fn last_four_of(number: &[u8], output: &mut Vec<u8>) -> bool {
    let digits = match number {
        // As nearly all are written, so that no parser is needed.
        [b'"', plain @ .., b'"'] if !plain.contains(&b'\\') => {
            std::str::from_utf8(plain).ok().map(|text| last_four(text).unwrap_or_default().into())
        }
        other => masked(other),
    };
    let Some(digits) = digits else { return false };
    output.extend_from_slice(b"\"*");
    output.extend_from_slice(digits.as_bytes());
    output.push(b'"');
    true
}

/// The property of that name.
fn find(
    properties: &'static [(&'static str, Kept)],
    key: &str,
) -> Option<(&'static str, &'static Kept)> {
    let found = properties.iter().find(|(name, _)| *name == key)?;
    Some((found.0, &found.1))
}

/// The text of a string's inside; `None` where its escapes stand for no character.
fn decoded(inner: &[u8]) -> Option<Cow<'_, str>> {
    let text = std::str::from_utf8(inner).ok()?;
    if !inner.contains(&b'\\') {
        return Some(Cow::Borrowed(text));
    }
    serde_json::from_str(&format!("\"{text}\"")).ok().map(Cow::Owned)
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
