//! Where the next page begins. Of a link only the cursor is taken: published samples have
//! links to other hosts, misspelled paths, doubled slashes and doubled ampersands.

/// The place in a listing where a page begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    is_before: bool,
    value: String,
}

/// What a `before` cursor starts with as stored. A next link carries `after`, so that one is
/// stored bare; an `after` that would be mistaken is stored with its own prefix.
const BEFORE: &str = "before=";
const AFTER: &str = "after=";

impl Cursor {
    /// The cursor in the query of `href`; `after` is taken before `before`.
    ///
    /// A plus sign stays one: a cursor can be base64, and has no reason to hold a space.
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

    /// The cursor that `stored` stands for.
    pub(super) fn from_stored(stored: &str) -> Self {
        if let Some(value) = stored.strip_prefix(BEFORE) {
            return Self { is_before: true, value: value.to_owned() };
        }
        let value = stored.strip_prefix(AFTER).unwrap_or(stored);
        Self { is_before: false, value: value.to_owned() }
    }

    /// As text for the store and for a resumed reading.
    pub(super) fn to_stored(&self) -> String {
        if self.is_before {
            format!("{BEFORE}{}", self.value)
        } else if self.value.starts_with(BEFORE) || self.value.starts_with(AFTER) {
            format!("{AFTER}{}", self.value)
        } else {
            self.value.clone()
        }
    }

    /// The query parameter that it goes into.
    pub(super) fn parameter(&self) -> &'static str {
        if self.is_before { "before" } else { "after" }
    }

    /// Its value, decoded.
    pub(super) fn value(&self) -> &str {
        &self.value
    }
}

/// `None` when the bytes are not UTF-8; a percent sign without two digits stands for itself.
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
