//! One walk over a page: what it says goes into the types of `wire`, what is kept of it into the
//! evidence, and every byte is looked at once. It knows the plain form that a service writes; at
//! anything else it gives up without a word, and the page is read by `serde_json` and scrubbed by
//! `evidence`, which know all forms and say what is wrong. Both ways come to the same.

use std::fmt;

use serde::Deserialize;
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::evidence::{Kept, last_four_of, nested_length};

/// What `text` says, and what is kept of it as `kept` allows; `None` when it is not plain.
pub(super) fn walk<'de, T: Deserialize<'de>>(
    text: &'de str,
    kept: &'static Kept,
) -> Option<(T, Vec<u8>)> {
    let mut walker =
        Walker { text, position: 0, output: Vec::with_capacity(text.len()), pending: (0, 0) };
    walker.skip_space();
    let value = T::deserialize(Value { walker: &mut walker, kept: Some(kept) }).ok()?;
    walker.skip_space();
    if walker.position != text.len() {
        return None;
    }
    walker.flush();
    Some((value, walker.output))
}

/// Something that only the long way understands.
#[derive(Debug)]
struct NotPlain;

impl fmt::Display for NotPlain {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("not in plain form")
    }
}

impl std::error::Error for NotPlain {}

impl serde::de::Error for NotPlain {
    fn custom<T: fmt::Display>(_message: T) -> Self {
        Self
    }
}

struct Walker<'de> {
    text: &'de str,
    position: usize,
    output: Vec<u8>,
    /// What is kept and not written yet: from one byte up to another. Most of a record is kept,
    /// and written in one piece.
    pending: (usize, usize),
}

impl<'de> Walker<'de> {
    #[inline]
    fn peek(&self) -> Result<u8, NotPlain> {
        self.text.as_bytes().get(self.position).copied().ok_or(NotPlain)
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Result<(), NotPlain> {
        if self.peek()? != byte {
            return Err(NotPlain);
        }
        self.position += 1;
        Ok(())
    }

    #[inline]
    fn skip_space(&mut self) {
        // Most often there is none.
        if self.text.as_bytes().get(self.position).is_some_and(|byte| *byte > b' ') {
            return;
        }
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.text.as_bytes().get(self.position) {
            self.position += 1;
        }
    }

    #[inline]
    fn since(&self, start: usize) -> Result<&'de str, NotPlain> {
        self.text.get(start..self.position).ok_or(NotPlain)
    }

    /// Keeps the bytes from `start` to here.
    #[inline]
    fn keep(&mut self, start: usize) {
        self.keep_span(start, self.position);
    }

    #[inline]
    fn keep_span(&mut self, start: usize, end: usize) {
        if self.pending.1 != start {
            self.flush();
            self.pending.0 = start;
        }
        self.pending.1 = end;
    }

    fn flush(&mut self) {
        let (start, end) = self.pending;
        self.output.extend_from_slice(self.text.as_bytes().get(start..end).unwrap_or_default());
        self.pending = (0, 0);
    }

    /// What stands between the quotes, and whether it holds escapes, which are still as written.
    fn string(&mut self) -> Result<(&'de str, bool), NotPlain> {
        self.expect(b'"')?;
        let start = self.position;
        let mut is_escaped = false;
        loop {
            let rest = self.text.as_bytes().get(self.position..).ok_or(NotPlain)?;
            self.position += plain_length(rest);
            match self.peek()? {
                b'"' => break,
                b'\\' => {
                    is_escaped = true;
                    self.position += 2;
                }
                // A control character.
                _ => return Err(NotPlain),
            }
        }
        let inner = self.since(start)?;
        self.position += 1;
        if is_escaped {
            // Whether its escapes are any.
            let quoted = self.since(start - 1)?;
            serde_json::from_str::<IgnoredAny>(quoted).map_err(|_| NotPlain)?;
        }
        Ok((inner, is_escaped))
    }

    fn word(&mut self, word: &str) -> Result<(), NotPlain> {
        let rest = self.text.as_bytes().get(self.position..).ok_or(NotPlain)?;
        if !rest.starts_with(word.as_bytes()) {
            return Err(NotPlain);
        }
        self.position += word.len();
        Ok(())
    }

    /// An integer of up to 18 digits, of which none overflows.
    fn integer(&mut self) -> Result<i64, NotPlain> {
        let is_negative = self.peek()? == b'-';
        self.position += usize::from(is_negative);
        let start = self.position;
        let mut number = 0_i64;
        while let Some(digit @ b'0'..=b'9') = self.text.as_bytes().get(self.position) {
            if self.position - start == 18 {
                return Err(NotPlain);
            }
            number = number * 10 + i64::from(digit - b'0');
            self.position += 1;
        }
        let digits = self.position - start;
        let is_plain = match self.text.as_bytes().get(start) {
            Some(b'0') => digits == 1 && !is_negative,
            _ => digits > 0,
        };
        let goes_on = matches!(self.text.as_bytes().get(self.position), Some(b'.' | b'e' | b'E'));
        if !is_plain || goes_on {
            return Err(NotPlain);
        }
        Ok(if is_negative { -number } else { number })
    }

    /// Any number, which nobody asks for.
    fn number(&mut self) -> Result<(), NotPlain> {
        let start = self.position;
        if self.integer().is_ok() {
            return Ok(());
        }
        self.position = start;
        while let Some(b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E') =
            self.text.as_bytes().get(self.position)
        {
            self.position += 1;
        }
        serde_json::from_str::<IgnoredAny>(self.since(start)?).map(drop).map_err(|_| NotPlain)
    }

    /// Passes over an object or a list of which nothing is kept or asked for, and has it checked.
    fn skip_nested(&mut self) -> Result<(), NotPlain> {
        let start = self.position;
        let rest = self.text.as_bytes().get(start..).ok_or(NotPlain)?;
        self.position += nested_length(rest).ok_or(NotPlain)?;
        serde_json::from_str::<IgnoredAny>(self.since(start)?).map(drop).map_err(|_| NotPlain)
    }
}

/// How many bytes there are before a quote, a backslash or a control character.
fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    // The high bit of every byte that is zero, and maybe of some behind the first of them.
    let zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let found = zero(word ^ (ONES * u64::from(b'"')))
            | zero(word ^ (ONES * u64::from(b'\\')))
            | control;
        if found != 0 {
            return index * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    let ends = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    words.len() * 8 + rest.iter().position(ends).unwrap_or(rest.len())
}

/// The value that begins here; nothing of it is kept without `kept`.
struct Value<'walk, 'de> {
    walker: &'walk mut Walker<'de>,
    kept: Option<&'static Kept>,
}

impl<'de> Value<'_, 'de> {
    /// Keeps the scalar from `start` to here.
    fn keep_scalar(&mut self, start: usize) -> Result<(), NotPlain> {
        match self.kept {
            None => {}
            Some(Kept::Scalar) => self.walker.keep(start),
            Some(Kept::LastFour) => {
                let number = self.walker.since(start)?.as_bytes();
                self.walker.flush();
                if !last_four_of(number, &mut self.walker.output) {
                    return Err(NotPlain);
                }
            }
            // Kept without what it holds, which the long way knows.
            Some(Kept::Object(_) | Kept::List(_) | Kept::Unread(_)) => return Err(NotPlain),
        }
        Ok(())
    }

    fn object<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotPlain> {
        let properties = match self.kept {
            None => None,
            Some(Kept::Object(properties)) => Some(*properties),
            Some(_) => return Err(NotPlain),
        };
        let start = self.walker.position;
        self.walker.expect(b'{')?;
        if properties.is_some() {
            self.walker.keep(start);
        }
        let mut object = Object {
            walker: self.walker,
            properties,
            expected: 0,
            is_begun: false,
            has_kept: false,
            kept: None,
            is_over: false,
        };
        let value = visitor.visit_map(&mut object)?;
        if object.is_over { Ok(value) } else { Err(NotPlain) }
    }

    fn list<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotPlain> {
        let element = match self.kept {
            None => None,
            Some(Kept::List(element)) => Some(*element),
            Some(_) => return Err(NotPlain),
        };
        let start = self.walker.position;
        self.walker.expect(b'[')?;
        if element.is_some() {
            self.walker.keep(start);
        }
        let mut list = List { walker: self.walker, element, is_begun: false, is_over: false };
        let value = visitor.visit_seq(&mut list)?;
        if list.is_over { Ok(value) } else { Err(NotPlain) }
    }
}

impl<'de> Deserializer<'de> for Value<'_, 'de> {
    type Error = NotPlain;

    fn deserialize_any<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, NotPlain> {
        let start = self.walker.position;
        match self.walker.peek()? {
            b'"' => {
                let (inner, is_escaped) = self.walker.string()?;
                self.keep_scalar(start)?;
                if is_escaped {
                    let quoted = self.walker.since(start)?;
                    let text: String = serde_json::from_str(quoted).map_err(|_| NotPlain)?;
                    return visitor.visit_string(text);
                }
                visitor.visit_borrowed_str(inner)
            }
            b'{' => self.object(visitor),
            b'[' => self.list(visitor),
            b'n' => {
                self.walker.word("null")?;
                // Null is kept everywhere.
                if self.kept.is_some() {
                    self.walker.keep(start);
                }
                visitor.visit_unit()
            }
            b't' => {
                self.walker.word("true")?;
                self.keep_scalar(start)?;
                visitor.visit_bool(true)
            }
            b'f' => {
                self.walker.word("false")?;
                self.keep_scalar(start)?;
                visitor.visit_bool(false)
            }
            _ => {
                let number = self.walker.integer()?;
                self.keep_scalar(start)?;
                visitor.visit_i64(number)
            }
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(
        mut self,
        visitor: V,
    ) -> Result<V::Value, NotPlain> {
        let start = self.walker.position;
        match self.walker.peek()? {
            b'{' | b'[' if self.kept.is_none() => self.walker.skip_nested()?,
            // As deep as the table of what is kept, and no deeper.
            b'{' => return self.object(visitor),
            b'[' => return self.list(visitor),
            b'"' => {
                self.walker.string()?;
                self.keep_scalar(start)?;
            }
            b'-' | b'0'..=b'9' => {
                self.walker.number()?;
                self.keep_scalar(start)?;
            }
            _ => return self.deserialize_any(visitor),
        }
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier
    }
}

struct Object<'walk, 'de> {
    walker: &'walk mut Walker<'de>,
    /// What is kept of it; `None` for nothing at all.
    properties: Option<&'static [(&'static str, Kept)]>,
    /// The place in `properties` that most likely comes next: services write them in order.
    expected: usize,
    /// Whether a property came before.
    is_begun: bool,
    /// Whether one that is kept did.
    has_kept: bool,
    /// What is kept of the value that comes next.
    kept: Option<&'static Kept>,
    is_over: bool,
}

impl<'de> Object<'_, 'de> {
    /// The name that begins here; notes what is kept of its value.
    #[inline]
    fn name(&mut self) -> Result<&'de str, NotPlain> {
        let start = self.walker.position;
        // The one that is expected need not be searched for its end.
        let expected = self.properties.and_then(|properties| properties.get(self.expected));
        if let Some((name, kept)) = expected {
            let rest = self.walker.text.as_bytes().get(start + 1..).unwrap_or_default();
            let is_it = rest.starts_with(name.as_bytes()) && rest.get(name.len()) == Some(&b'"');
            if is_it && self.walker.peek()? == b'"' {
                self.walker.position += name.len() + 2;
                self.expected += 1;
                self.kept = Some(kept);
                return Ok(name);
            }
        }
        let (name, is_escaped) = self.walker.string()?;
        if is_escaped {
            return Err(NotPlain);
        }
        let properties = self.properties.unwrap_or_default();
        let place = properties.iter().position(|one| one.0 == name);
        self.expected = place.map_or(self.expected, |place| place + 1);
        self.kept = place.and_then(|place| properties.get(place)).map(|one| &one.1);
        Ok(name)
    }

    /// The next property's name, up to its value; `None` behind the last one.
    #[inline]
    fn next_name(&mut self) -> Result<Option<&'de str>, NotPlain> {
        self.walker.skip_space();
        let comma = self.walker.position;
        match self.walker.peek()? {
            b'}' => {
                self.walker.position += 1;
                if self.properties.is_some() {
                    self.walker.keep(comma);
                }
                self.is_over = true;
                return Ok(None);
            }
            b',' if self.is_begun => {
                self.walker.position += 1;
                self.walker.skip_space();
            }
            b'"' if !self.is_begun => {}
            _ => return Err(NotPlain),
        }
        self.is_begun = true;
        let start = self.walker.position;
        let name = self.name()?;
        let end = self.walker.position;
        self.walker.skip_space();
        let colon = self.walker.position;
        self.walker.expect(b':')?;
        if self.kept.is_some() {
            if self.has_kept {
                self.walker.keep_span(comma, comma + 1);
            }
            self.has_kept = true;
            self.walker.keep_span(start, end);
            self.walker.keep(colon);
        }
        self.walker.skip_space();
        Ok(Some(name))
    }
}

impl<'de> MapAccess<'de> for &mut Object<'_, 'de> {
    type Error = NotPlain;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, NotPlain> {
        while let Some(name) = self.next_name()? {
            let Some(Kept::Unread(kept)) = self.kept else {
                return seed.deserialize(StrDeserializer::new(name)).map(Some);
            };
            IgnoredAny::deserialize(Value { walker: self.walker, kept: Some(kept) })?;
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, NotPlain> {
        seed.deserialize(Value { walker: self.walker, kept: self.kept })
    }
}

struct List<'walk, 'de> {
    walker: &'walk mut Walker<'de>,
    /// What is kept of each element; `None` for nothing at all.
    element: Option<&'static Kept>,
    is_begun: bool,
    is_over: bool,
}

impl<'de> SeqAccess<'de> for &mut List<'_, 'de> {
    type Error = NotPlain;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, NotPlain> {
        self.walker.skip_space();
        let start = self.walker.position;
        let next = self.walker.peek()?;
        if matches!(next, b']') || (self.is_begun && next == b',') {
            self.walker.position += 1;
            if self.element.is_some() {
                self.walker.keep(start);
            }
            self.walker.skip_space();
        } else if self.is_begun {
            return Err(NotPlain);
        }
        if next == b']' {
            self.is_over = true;
            return Ok(None);
        }
        self.is_begun = true;
        seed.deserialize(Value { walker: self.walker, kept: self.element }).map(Some)
    }
}

#[cfg(test)]
mod tests;
