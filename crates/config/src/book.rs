//! Documentation pages with a generated part: a test compares it with the program, or rewrites it.

use std::path::Path;

/// Fails unless `page` holds `generated` below its mark, which names the tests that write it:
/// `UPDATE_DOCS=1 cargo test TESTS`.
///
/// # Panics
/// When the page has other text there.
pub fn assert_generated(page: &str, tests: &str, generated: &str) {
    let command = format!("UPDATE_DOCS=1 cargo test {tests}");
    let mark = format!("<!-- generated: {command} -->");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let text = std::fs::read_to_string(&page).unwrap();
    let (intro, _) = text.split_once(&mark).expect("the page has the mark");
    let expected = format!("{intro}{mark}\n\n{generated}");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        write(&page, &expected);
    } else {
        assert_eq!(text, expected, "{command}");
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a page of the sources; no reader can see half of it"
)]
fn write(page: &Path, text: &str) {
    std::fs::write(page, text).unwrap();
}
