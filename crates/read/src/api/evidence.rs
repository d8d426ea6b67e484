//! Evidence: a page's own JSON without its private fields. Numbers stay as they were written, and
//! properties keep their order. Fields that the contract does not name are dropped, since they
//! could contain anything. This is a scanner over bytes: it builds no tree and does not recurse
//! into dropped values, so that no nesting can exhaust the stack.

mod kept;

use std::borrow::Cow;
use std::ops::Range;

use super::wire::{is_id, is_readable, last_four, masked};
use kept::{Kept, page_of, record_of};
use tieout_model::{Listing, mask_card_numbers};

/// `body`, which must be valid JSON, without its private fields and without white space.
///
/// A value whose shape differs from the contract is emptied: it becomes an empty object, an empty
/// list, or `false`. A record that the reader could not understand is therefore not readable from
/// its evidence either. Returns `None` when the scanner meets invalid JSON.
pub fn scrub(listing: &Listing, body: &[u8]) -> Option<Vec<u8>> {
    let kept = kept_of(listing);
    let mut scanner =
        Scanner { body, position: 0, run: 0..0, output: Vec::with_capacity(body.len()) };
    scanner.skip_space();
    scanner.value(kept)?;
    scanner.skip_space();
    scanner.copy();
    (scanner.position == body.len()).then_some(scanner.output)
}

/// The allowlist for a body of `listing`.
fn kept_of(listing: &Listing) -> &'static Kept {
    if listing.is_single() { record_of(listing.resource) } else { page_of(listing.resource) }
}

/// Replaces a key or a text that the scanner passes and no parser accepts: half of a surrogate
/// pair.
const NO_NAME: &[u8] = br#""\ud800":null"#;
const NO_TEXT: &[u8] = br#""\ud800""#;

struct Scanner<'a> {
    body: &'a [u8],
    position: usize,
    /// Bytes to keep that are not copied yet: most of a page is one run.
    run: Range<usize>,
    output: Vec<u8>,
}

impl<'a> Scanner<'a> {
    /// Copies the value at the current position as far as `kept` allows.
    fn value(&mut self, kept: &'static Kept) -> Option<()> {
        let start = self.position;
        match (self.peek()?, kept) {
            (b'{', Kept::Object(properties)) => return self.object(properties),
            (b'[', Kept::List(element)) => return self.list(element),
            (b'{' | b'[', _) => self.skip_nested()?,
            (b'n', _) | (_, Kept::Scalar) => {
                self.scalar()?;
                self.keep(start..self.position);
                return Some(());
            }
            (_, Kept::FreeText | Kept::FreeId) => {
                if self.free_text(kept)? {
                    return Some(());
                }
            }
            (_, Kept::LastFour) => {
                let number = self.scalar()?;
                self.copy();
                if last_four_of(number, &mut self.output) {
                    return Some(());
                }
            }
            (_, Kept::Object(_) | Kept::List(_)) => self.skip()?,
        }
        let misfit = self.body.get(start..self.position)?;
        self.write(match misfit {
            unreadable if !is_readable(unreadable) => NO_TEXT,
            [b'{', ..] => b"{}",
            [b'[', ..] => b"[]",
            _ => b"false",
        });
        Some(())
    }

    /// Appends `part` of the body to the bytes to keep.
    fn keep(&mut self, part: Range<usize>) {
        if self.run.end == part.start {
            self.run.end = part.end;
        } else {
            self.copy();
            self.run = part;
        }
    }

    /// Copies the pending run to the output.
    fn copy(&mut self) {
        let run = std::mem::take(&mut self.run);
        self.output.extend_from_slice(&self.body[run]);
    }

    /// Writes bytes that are not in the body.
    fn write(&mut self, bytes: &[u8]) {
        self.copy();
        self.output.extend_from_slice(bytes);
    }

    /// Keeps a scalar and masks card numbers in it. Returns false, keeping nothing, when the scalar
    /// is of another kind.
    fn free_text(&mut self, kept: &Kept) -> Option<bool> {
        let start = self.position;
        let scalar = self.scalar()?;
        let text = match (scalar, kept) {
            ([b'"', inner @ .., b'"'], _) => decoded(inner),
            (number, Kept::FreeId) if is_id(number) => {
                std::str::from_utf8(number).ok().map(Cow::Borrowed)
            }
            _ => return Some(false),
        };
        match text.as_deref().map(mask_card_numbers) {
            Some(Cow::Owned(masked)) => self.write(&serde_json::to_vec(&masked).ok()?),
            _ => self.keep(start..self.position),
        }
        Some(true)
    }

    fn object(&mut self, properties: &'static [(&'static str, Kept)]) -> Option<()> {
        self.mark(b'{')?;
        self.skip_space();
        if self.peek()? == b'}' {
            return self.mark(b'}');
        }
        // The comma before a property, once there is a preceding one.
        let (mut comma, mut is_first, mut likely) = (None, true, 0);
        loop {
            let start = self.position;
            let found = self.property(properties, likely)?;
            let end = self.position;
            self.skip_space();
            let colon = self.position;
            self.expect(b':')?;
            self.skip_space();
            if !matches!(found, Found::None) {
                if let Some(comma) = comma.filter(|_| !is_first) {
                    self.keep(comma..comma + 1);
                }
                is_first = false;
            }
            match found {
                Found::Plain(place) => {
                    likely = place + 1;
                    self.keep(start..end);
                    self.keep(colon..colon + 1);
                    self.value(&properties[place].1)?;
                }
                Found::Escaped(place) => {
                    let (name, kept) = &properties[place];
                    self.write(format!("\"{name}\":").as_bytes());
                    self.value(kept)?;
                }
                Found::None => self.skip()?,
                Found::NoText => {
                    self.skip()?;
                    self.write(NO_NAME);
                }
            }
            self.skip_space();
            comma = Some(self.position);
            match self.next()? {
                b',' => self.skip_space(),
                b'}' => break,
                _ => return None,
            }
        }
        self.keep_last();
        Some(())
    }

    /// The property that the key at this position names. Records write their properties in one
    /// order, so the search begins with the property after the last one found.
    fn property(&mut self, properties: &[(&str, Kept)], likely: usize) -> Option<Found> {
        let rest = self.body.get(self.position..)?;
        if let Some((name, _)) = properties.get(likely)
            && rest.get(1..=name.len()) == Some(name.as_bytes())
            && (rest[0], rest.get(name.len() + 1)) == (b'"', Some(&b'"'))
        {
            self.position += name.len() + 2;
            return Some(Found::Plain(likely));
        }
        let key = self.string()?;
        if let Some(place) = properties.iter().position(|(name, _)| name.as_bytes() == key) {
            return Some(Found::Plain(place));
        }
        let Some(decoded) = decoded(key) else { return Some(Found::NoText) };
        let place = match decoded {
            Cow::Borrowed(_) => None,
            Cow::Owned(name) => properties.iter().position(|(known, _)| **known == name),
        };
        Some(place.map_or(Found::None, Found::Escaped))
    }

    /// Passes and keeps a bracket.
    fn mark(&mut self, bracket: u8) -> Option<()> {
        self.expect(bracket)?;
        self.keep_last();
        Some(())
    }

    /// Keeps the last byte passed.
    fn keep_last(&mut self) {
        self.keep(self.position - 1..self.position);
    }

    fn list(&mut self, element: &'static Kept) -> Option<()> {
        self.mark(b'[')?;
        self.skip_space();
        if self.peek()? == b']' {
            return self.mark(b']');
        }
        loop {
            self.value(element)?;
            self.skip_space();
            let mark = self.next()?;
            self.keep_last();
            match mark {
                b',' => self.skip_space(),
                b']' => return Some(()),
                _ => return None,
            }
        }
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

    /// A string with its quotes, a number or a word, as written.
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

    /// The text between the quotes, still escaped.
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
            // An escaped character does not end the string, and the digits of a \u escape read as
            // plain text.
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

/// Writes `"*3307"` for text or an integer that ends with these digits, else `"*"`. Returns
/// `false`, writing nothing, when the value is neither.
fn last_four_of(number: &[u8], output: &mut Vec<u8>) -> bool {
    let digits = match number {
        // The usual form, which needs no parser.
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

/// The property that a key names, by its index.
enum Found {
    /// The key is written without escapes.
    Plain(usize),
    Escaped(usize),
    None,
    /// The escapes of the key do not decode to text.
    NoText,
}

/// The text inside a string's quotes; `None` when its escapes do not decode to text.
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
