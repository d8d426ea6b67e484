//! Checks the unpacked size of a workbook before it is read. A megabyte of zip can be a gigabyte of
//! text, and the reader keeps all shared texts of cells in memory.

use std::fs::File;
use std::io::{BufReader, Read};

use zip::ZipArchive;

/// Shared texts of cells, styles and the like are kept in memory.
const MAX_KEPT_BYTES: u64 = 256 * 1024 * 1024;

/// Sheets are read cell by cell: a million rows of thirty columns and more.
const MAX_SHEET_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// A cell of a workbook has at most 32,767 characters.
const MAX_PIECE_BYTES: usize = 1024 * 1024;

/// More parts than a workbook of a thousand sheets has.
const MAX_PARTS: usize = 10_000;

const CHUNK_BYTES: usize = 64 * 1024;

/// Unpacks every part of the workbook once, without keeping anything.
///
/// # Errors
/// The kind of the archive, when it is not a readable workbook.
pub(super) fn check(file: BufReader<File>) -> Result<(), String> {
    let of_another_kind =
        |error: zip::result::ZipError| format!("a zip archive of another kind ({error})");
    let mut archive = ZipArchive::new(file).map_err(of_another_kind)?;
    if archive.len() > MAX_PARTS {
        return Err(format!("an archive of more than {MAX_PARTS} parts"));
    }
    for at in 0..archive.len() {
        let part = archive.by_index(at).map_err(of_another_kind)?;
        let name = part.name().map_err(of_another_kind)?.into_owned();
        let is_sheet = name.starts_with("xl/worksheets/");
        let limit = if is_sheet { MAX_SHEET_BYTES } else { MAX_KEPT_BYTES };
        check_part(part, limit).map_err(|found| format!("{found} in its part {name}"))?;
    }
    Ok(())
}

fn check_part(mut part: impl Read, limit: u64) -> Result<(), String> {
    let (mut total, mut piece) = (0_u64, 0_usize);
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let count = part.read(&mut chunk).map_err(|error| format!("damage ({error})"))?;
        if count == 0 {
            return Ok(());
        }
        total += count as u64;
        if total > limit {
            return Err(format!("more than {limit} bytes"));
        }
        // The longest text without markup.
        let mut from = 0;
        for mark in memchr::memchr_iter(b'<', &chunk[..count]) {
            piece += mark - from;
            if piece > MAX_PIECE_BYTES {
                break;
            }
            (piece, from) = (0, mark + 1);
        }
        piece += if piece > MAX_PIECE_BYTES { 0 } else { count - from };
        if piece > MAX_PIECE_BYTES {
            return Err(format!("a text of more than {MAX_PIECE_BYTES} bytes"));
        }
    }
}
