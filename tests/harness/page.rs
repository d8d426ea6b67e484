//! Reads a page back as a person would copy it: tables by caption, cells as text, figures as plain
//! numbers. Understands only the program's own HTML.

use std::collections::BTreeMap;

/// A table: the names of its columns, and the cells of each row.
#[derive(Clone, Debug, Default)]
pub struct PageTable {
    pub caption: String,
    pub heads: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// The id of each row; empty without one.
    pub ids: Vec<String>,
}

impl PageTable {
    /// The rows as columns by name.
    pub fn by_name(&self) -> Vec<BTreeMap<&str, &str>> {
        let named = |row: &'_ Vec<String>| {
            assert_eq!(row.len(), self.heads.len(), "{}", self.caption);
        };
        self.rows.iter().for_each(named);
        let heads = || self.heads.iter().map(String::as_str);
        self.rows.iter().map(|row| heads().zip(row.iter().map(String::as_str)).collect()).collect()
    }
}

/// Every table of a page.
pub fn tables(html: &str) -> Vec<PageTable> {
    html.split("<table ")
        .skip(1)
        .map(|rest| table(rest.split("</table>").next().unwrap()))
        .collect()
}

/// The only table with this caption.
#[track_caller]
pub fn table_called(html: &str, caption: &str) -> PageTable {
    let mut found: Vec<PageTable> =
        tables(html).into_iter().filter(|table| table.caption == caption).collect();
    assert_eq!(found.len(), 1, "tables called \"{caption}\"");
    found.remove(0)
}

/// Names and contents of the tiles at the top.
pub fn tiles(html: &str) -> BTreeMap<String, String> {
    let tiles = html.split("<dl ").nth(1).unwrap().split("</dl>").next().unwrap();
    let tile = |tile: &str| {
        let (name, content) = tile.split_once("</dt>").unwrap();
        (text(name.rsplit_once('>').unwrap().1), text(content.split("</dd>").next().unwrap()))
    };
    tiles.split("<dt").skip(1).map(tile).collect()
}

/// The words of a page, without its script.
pub fn words(html: &str) -> String {
    text(html.split("<script>").next().unwrap())
}

fn table(html: &str) -> PageTable {
    let (head, body) = html.split_once("<tbody>").unwrap();
    let caption = head.split("<caption>").nth(1).unwrap().split("</caption>").next().unwrap();
    let heads = head.split("<th ").skip(1).map(|cell| inner(cell, "</th>"));
    let mut read =
        PageTable { caption: text(caption), heads: heads.collect(), ..PageTable::default() };
    for row in body.split("<tr").skip(1) {
        let attributes = row.split('>').next().unwrap();
        let id = attributes.split("id=\"").nth(1).and_then(|rest| rest.split('"').next());
        read.ids.push(id.unwrap_or_default().to_owned());
        let mut rest = row;
        let mut cells = Vec::new();
        while let Some(start) = rest.find("<td ").into_iter().chain(rest.find("<th ")).min() {
            rest = &rest[start + 4..];
            let end = rest.find("</td>").into_iter().chain(rest.find("</th>")).min().unwrap();
            cells.push(inner(&rest[..end], ""));
            rest = &rest[end..];
        }
        read.rows.push(cells);
    }
    read
}

/// The text of an element whose start tag has begun.
fn inner(element: &str, end: &str) -> String {
    let content = element.split_once('>').unwrap().1;
    text(if end.is_empty() { content } else { content.split(end).next().unwrap() })
}

/// The text of some HTML: figures as plain numbers, a line for each `<br>`.
pub fn text(html: &str) -> String {
    let mut shown = String::new();
    let mut rest = html;
    while let Some((before, tag_and_rest)) = rest.split_once('<') {
        shown.push_str(before);
        let (tag, after) = tag_and_rest.split_once('>').unwrap();
        rest = after;
        if let Some(value) = tag.strip_prefix("data value=\"") {
            shown.push_str(value.trim_end_matches('"'));
            rest = after.split_once("</data>").unwrap().1;
        } else if tag == "br" {
            shown.push('\n');
        }
    }
    shown.push_str(rest);
    let plain = shown.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    plain.replace("&#39;", "'").replace("&amp;", "&").replace('\u{a0}', " ").trim().to_owned()
}
