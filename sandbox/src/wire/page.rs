//! A page of a list.

use serde::Serialize;

use super::Link;
use crate::live::Book;

/// The answer of every list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    limit: usize,
    count: usize,
    has_more: bool,
    links: Vec<Link>,
    data: Vec<T>,
}

impl<T> Page<T> {
    /// The page of `data`; `next` and `previous` are paths with their query.
    pub fn new(
        book: Book<'_>,
        limit: usize,
        data: Vec<T>,
        (next, previous): (Option<&str>, Option<&str>),
    ) -> Self {
        let links = [("previous", previous), ("next", next)]
            .into_iter()
            .filter_map(|(rel, path)| path.map(|path| Link::new(book, rel, path)))
            .collect();
        Self { limit, count: data.len(), has_more: next.is_some(), links, data }
    }
}
