//! The first pass over a whole file: its digest, its encoding, and whether it is text at all.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use flate2::bufread::MultiGzDecoder;
use sha2::{Digest, Sha256};

use super::foreign::{Foreign, foreign_bytes};
use super::open::open_regular;
use super::{FileError, Fingerprint};
use tieout_model::digest::hex;

/// Large enough that system calls do not matter, small enough for a laptop's cache.
pub(super) const CHUNK_BYTES: usize = 64 * 1024;

pub(super) const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const ZIP_MAGIC: [u8; 4] = *b"PK\x03\x04";

/// The result of a first pass over a file.
#[derive(Debug)]
pub struct Probe {
    /// SHA-256 of the file's bytes on disk, in hexadecimal.
    pub sha256: String,
    /// `None` when the file is not text.
    pub encoding: Option<&'static Encoding>,
    /// Contains only a byte order mark and white space.
    pub is_blank: bool,
    /// A zip archive, as workbooks are.
    pub is_zip: bool,
    /// Another kind of file, recognised by its first bytes.
    pub foreign: Option<Foreign>,
}

/// Reads all of `path` once.
///
/// # Errors
/// When it cannot be read or is not a regular file.
pub fn probe(path: &Path) -> Result<Probe, FileError> {
    let failed = |source| FileError::Io { path: path.to_path_buf(), source };
    let hashing = Hashing { inner: open_regular(path)?, digest: Sha256::new() };
    let mut source = BufReader::with_capacity(CHUNK_BYTES, hashing);
    let head = source.fill_buf().map_err(failed)?;
    let (is_zip, foreign) = (head.starts_with(&ZIP_MAGIC), foreign_bytes(head));
    let mut survey = Survey::default();
    if head.starts_with(&GZIP_MAGIC) {
        let mut unpacked = MultiGzDecoder::new(&mut source);
        survey.read_all(&mut unpacked).map_err(failed)?;
    } else {
        survey.read_all(&mut source).map_err(failed)?;
    }
    // Bytes after the compressed stream belong to the digest too.
    io::copy(&mut source, &mut io::sink()).map_err(failed)?;
    let encoding = if is_zip || foreign.is_some() { None } else { survey.encoding() };
    let digest = source.into_inner().digest.finalize();
    Ok(Probe { sha256: hex(&digest), encoding, is_blank: survey.is_blank, is_zip, foreign })
}

/// The unpacked bytes of a whole file, at most `limit`.
///
/// # Errors
/// When the file cannot be read, is larger, or changes while it is read.
pub fn contents(path: &Path, limit: usize) -> Result<Vec<u8>, FileError> {
    let failed = |source| FileError::Io { path: path.to_path_buf(), source };
    let before = Fingerprint::of(path)?;
    let mut file = BufReader::with_capacity(CHUNK_BYTES, open_regular(path)?);
    let is_packed = file.fill_buf().map_err(failed)?.starts_with(&GZIP_MAGIC);
    let mut bytes = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    if is_packed {
        MultiGzDecoder::new(file).take(most).read_to_end(&mut bytes).map_err(failed)?;
    } else {
        file.take(most).read_to_end(&mut bytes).map_err(failed)?;
    }
    if bytes.len() > limit {
        return Err(FileError::TooLarge { path: path.to_path_buf(), limit });
    }
    if Fingerprint::of(path)? != before {
        return Err(FileError::Changed { path: path.to_path_buf() });
    }
    Ok(bytes)
}

struct Hashing {
    inner: File,
    digest: Sha256,
}

impl Read for Hashing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.digest.update(&buffer[..count]);
        Ok(count)
    }
}

/// Examines a stream of bytes piece by piece.
struct Survey {
    head: Vec<u8>,
    /// The bytes of an incomplete character at the end of the last piece.
    unfinished: Vec<u8>,
    is_utf8: bool,
    has_zero: bool,
    is_blank: bool,
}

impl Default for Survey {
    fn default() -> Self {
        let (head, unfinished) = (Vec::new(), Vec::new());
        Self { head, unfinished, is_utf8: true, has_zero: false, is_blank: true }
    }
}

impl Survey {
    fn read_all(&mut self, source: &mut dyn Read) -> io::Result<()> {
        let mut chunk = vec![0; CHUNK_BYTES];
        loop {
            let count = match source.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            self.look_at(&chunk[..count]);
        }
        self.is_utf8 &= self.unfinished.is_empty();
        Ok(())
    }

    fn look_at(&mut self, bytes: &[u8]) {
        let missing = 3_usize.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..missing]);
        self.has_zero |= bytes.contains(&0);
        // The bytes of every byte order mark count as blank, so that a file of one is.
        let is_blank = |byte: &u8| {
            byte.is_ascii_whitespace() || matches!(byte, 0 | 0xef | 0xbb | 0xbf | 0xfe | 0xff)
        };
        self.is_blank &= bytes.iter().all(is_blank);
        if self.is_utf8 {
            let mut joined = std::mem::take(&mut self.unfinished);
            joined.extend_from_slice(bytes);
            if let Err(error) = std::str::from_utf8(&joined) {
                match error.error_len() {
                    Some(_) => self.is_utf8 = false,
                    None => self.unfinished = joined[error.valid_up_to()..].to_vec(),
                }
            }
        }
    }

    /// `None` when there are zero bytes without a byte order mark to explain them.
    fn encoding(&self) -> Option<&'static Encoding> {
        match *self.head.as_slice() {
            [0xff, 0xfe, ..] => Some(UTF_16LE),
            [0xfe, 0xff, ..] => Some(UTF_16BE),
            // UTF-16 without its mark, for a text that begins with ASCII.
            [_, 0, _] if self.has_zero => Some(UTF_16LE),
            [0, _, 0] if self.has_zero => Some(UTF_16BE),
            _ if self.has_zero => None,
            _ if self.is_utf8 => Some(UTF_8),
            // The default encoding of spreadsheets in western countries.
            _ => Some(WINDOWS_1252),
        }
    }
}
