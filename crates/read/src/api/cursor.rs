//! Where the next page begins. Only the cursor is taken from a link: links in published samples
//! have other hosts, misspelled paths, doubled slashes and doubled ampersands.

/// The position in a listing at which a page begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    is_before: bool,
    value: String,
}

/// Prefix of a stored `before` cursor. A next link carries `after`, so an `after` cursor is stored
/// bare; one that could be mistaken for a `before` cursor is stored with the prefix `after=`.
const BEFORE: &str = "before=";
const AFTER: &str = "after=";

impl Cursor {
    /// The cursor in the query of `href`; `after` takes precedence over `before`.
    ///
    /// A plus sign is kept: a cursor can be base64 and has no reason to contain a space.
    pub(super) fn from_href(href: &str) -> Option<Self> {
        let (_, query) = href.split_once('?')?;
        let query = query.split('#').next().unwrap_or(query);
        let value = |wanted: &str| {
            query
                .split(['&', '?'])
                .filter_map(|pair| pair.split_once('='))
                .filter(|(name, _)| name.eq_ignore_ascii_case(wanted))
                .find_map(|(_, value)| percent_decode(value).filter(|value| !value.is_empty()))
        };
        value("after")
            .map(|value| Self { is_before: false, value })
            .or_else(|| value("before").map(|value| Self { is_before: true, value }))
    }

    /// The cursor from its stored text.
    pub(super) fn from_stored(stored: &str) -> Self {
        if let Some(value) = stored.strip_prefix(BEFORE) {
            return Self { is_before: true, value: value.to_owned() };
        }
        let value = stored.strip_prefix(AFTER).unwrap_or(stored);
        Self { is_before: false, value: value.to_owned() }
    }

    /// The cursor as text for the store and for a resumed reading.
    pub(super) fn to_stored(&self) -> String {
        if self.is_before {
            format!("{BEFORE}{}", self.value)
        } else if self.value.starts_with(BEFORE) || self.value.starts_with(AFTER) {
            format!("{AFTER}{}", self.value)
        } else {
            self.value.clone()
        }
    }

    /// The query parameter that carries the cursor.
    pub(super) fn parameter(&self) -> &'static str {
        if self.is_before { "before" } else { "after" }
    }

    /// The decoded value.
    pub(super) fn value(&self) -> &str {
        &self.value
    }
}

/// Returns `None` when the bytes are not UTF-8; keeps a percent sign that is not followed by two
/// hex digits.
fn percent_decode(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut position = 0;
    while let Some(&byte) = bytes.get(position) {
        let digit = |at: usize| bytes.get(at).copied().and_then(hex);
        let pair = (digit(position + 1), digit(position + 2));
        if let (b'%', (Some(high), Some(low))) = (byte, pair) {
            decoded.push(high << 4 | low);
            position += 3;
        } else {
            decoded.push(byte);
            position += 1;
        }
    }
    String::from_utf8(decoded).ok()
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_only_the_cursor_out_of_a_link() {
        let cases = [
            ("https://api.example.com/v1/batches?after=90211&limit=1", Some("90211")),
            ("https://evil.example//v1//batchs?limit=1&&after=7", Some("7")),
            ("http://internal/x?limit=1&after=a%2Fb%3D%3d", Some("a/b==")),
            ("/v1/batches?AFTER=9", Some("9")),
            ("?after=a+b", Some("a+b")),
            ("?after=50%&x", Some("50%")),
            ("?after=9#after=8", Some("9")),
            ("?after=&after=4", Some("4")),
            ("?before=3", Some("before=3")),
            ("?before=3&after=4", Some("4")),
            ("?after=before%3D3", Some("after=before=3")),
            ("?after=", None),
            ("?after=%ff", None),
            ("https://api.example.com/v1/after=4", None),
            ("", None),
        ];
        for (href, expected) in cases {
            let found = Cursor::from_href(href);
            let stored = found.as_ref().map(Cursor::to_stored);
            assert_eq!(stored.as_deref(), expected, "{href}");
            if let Some(cursor) = found {
                assert_eq!(Cursor::from_stored(&cursor.to_stored()), cursor, "{href}");
            }
        }
    }
}
