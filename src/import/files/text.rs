//! From the bytes of a file to UTF-8 text with plain line feeds, in constant memory.
//! Knows gzip, byte order marks, UTF-16 and Windows-1252; never knows about columns.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use encoding_rs::{Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use flate2::bufread::MultiGzDecoder;
use sha2::{Digest, Sha256};

use super::FileError;

/// Large enough that system calls do not count, small enough for a laptop's cache.
const CHUNK_BYTES: usize = 64 * 1024;

/// A row longer than this is a quote that was never closed, not a row.
const MAX_ROW_BYTES: usize = 1024 * 1024;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const ZIP_MAGIC: [u8; 4] = *b"PK\x03\x04";

/// What a first look at a whole file tells.
#[derive(Debug)]
pub struct Probe {
    /// SHA-256 of the file's bytes as they lie on disk, in hexadecimal.
    pub sha256: String,
    pub encoding: &'static Encoding,
    /// Nothing but a byte order mark and white space.
    pub is_blank: bool,
}

/// Reads all of `path` once: its digest, and whether its text is UTF-8.
pub fn probe(path: &Path) -> Result<Probe, FileError> {
    let failed = |source| FileError::Io { path: path.to_path_buf(), source };
    let not_text = |found, hint| FileError::NotText { path: path.to_path_buf(), found, hint };
    let hashing = Hashing { inner: File::open(path).map_err(failed)?, digest: Sha256::new() };
    let mut source = BufReader::with_capacity(CHUNK_BYTES, hashing);
    let head = source.fill_buf().map_err(failed)?;
    if head.starts_with(&ZIP_MAGIC) {
        return Err(not_text(
            "a spreadsheet or zip archive",
            "save the sheet as CSV UTF-8, or unpack the archive",
        ));
    }
    let mut survey = Survey::default();
    if head.starts_with(&GZIP_MAGIC) {
        let mut unpacked = MultiGzDecoder::new(&mut source);
        survey.read_all(&mut unpacked).map_err(failed)?;
    } else {
        survey.read_all(&mut source).map_err(failed)?;
    }
    // What may follow the compressed stream belongs to the digest too.
    io::copy(&mut source, &mut io::sink()).map_err(failed)?;
    let encoding = survey.encoding().ok_or_else(|| {
        not_text("zero bytes", "save the file as CSV UTF-8, or as UTF-16 with a byte order mark")
    })?;
    let digest = source.into_inner().digest.finalize();
    Ok(Probe { sha256: hexadecimal(&digest), encoding, is_blank: survey.is_blank })
}

fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
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

/// Looks at a stream of bytes piece by piece.
struct Survey {
    head: Vec<u8>,
    /// The bytes of a character that the last piece began and did not finish.
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

    /// `None` for zero bytes that no byte order mark explains.
    fn encoding(&self) -> Option<&'static Encoding> {
        match *self.head.as_slice() {
            [0xff, 0xfe, ..] => Some(UTF_16LE),
            [0xfe, 0xff, ..] => Some(UTF_16BE),
            _ if self.has_zero => None,
            _ if self.is_utf8 => Some(UTF_8),
            // What spreadsheets write in western countries when nobody asked for UTF-8.
            _ => Some(WINDOWS_1252),
        }
    }
}

/// The text of a file as UTF-8; every line ends with a line feed, also the last.
pub struct TextReader {
    source: Box<dyn Read>,
    decoder: Decoder,
    raw: Vec<u8>,
    decoded: Vec<u8>,
    text: Vec<u8>,
    position: usize,
    after_carriage_return: bool,
    is_at_end: bool,
    /// How many bytes may still be handed out for the row being read.
    allowance_bytes: usize,
}

impl TextReader {
    /// Opens `path`, whose text is in `encoding`.
    pub fn open(path: &Path, encoding: &'static Encoding) -> io::Result<Self> {
        let mut file = BufReader::with_capacity(CHUNK_BYTES, File::open(path)?);
        let source: Box<dyn Read> = if file.fill_buf()?.starts_with(&GZIP_MAGIC) {
            Box::new(MultiGzDecoder::new(file))
        } else {
            Box::new(file)
        };
        Ok(Self {
            source,
            decoder: encoding.new_decoder_with_bom_removal(),
            raw: vec![0; CHUNK_BYTES],
            // UTF-16 and Windows-1252 become at most three bytes for one.
            decoded: vec![0; CHUNK_BYTES * 3 + 16],
            text: Vec::with_capacity(CHUNK_BYTES * 3),
            position: 0,
            after_carriage_return: false,
            is_at_end: false,
            allowance_bytes: MAX_ROW_BYTES,
        })
    }

    /// Lets the next row be as long as a row may be.
    pub fn begin_row(&mut self) {
        self.allowance_bytes = MAX_ROW_BYTES;
    }

    /// Skips to the next line; `false` at the end of the text.
    pub fn skip_line(&mut self) -> io::Result<bool> {
        loop {
            if self.position == self.text.len() && !self.refill()? {
                return Ok(false);
            }
            let rest = &self.text[self.position..];
            if let Some(length) = rest.iter().position(|&byte| byte == b'\n') {
                self.position += length + 1;
                return Ok(true);
            }
            self.position = self.text.len();
        }
    }

    /// Decodes another piece; `false` when there is none.
    fn refill(&mut self) -> io::Result<bool> {
        let mut last_byte = self.text.last().copied();
        self.text.clear();
        self.position = 0;
        while self.text.is_empty() && !self.is_at_end {
            let count = self.source.read(&mut self.raw)?;
            self.is_at_end = count == 0;
            let (_, read, written, had_errors) =
                self.decoder.decode_to_utf8(&self.raw[..count], &mut self.decoded, self.is_at_end);
            assert!(read == count, "the decoder must take a whole piece: {read} of {count}");
            if had_errors {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!("not valid {}", self.decoder.encoding().name()),
                ));
            }
            self.take(written);
            last_byte = self.text.last().copied().or(last_byte);
            if self.is_at_end && last_byte.is_some_and(|byte| byte != b'\n') {
                self.text.push(b'\n');
            }
        }
        Ok(!self.text.is_empty())
    }

    /// Moves `written` decoded bytes over, with line feeds for all kinds of line ends.
    fn take(&mut self, written: usize) {
        for &byte in &self.decoded[..written] {
            let follows_carriage_return = std::mem::take(&mut self.after_carriage_return);
            match byte {
                b'\n' if follows_carriage_return => {}
                b'\r' => {
                    self.after_carriage_return = true;
                    self.text.push(b'\n');
                }
                other => self.text.push(other),
            }
        }
    }
}

impl Read for TextReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.position == self.text.len() && !self.refill()? {
            return Ok(0);
        }
        if self.allowance_bytes == 0 {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("a row of more than {MAX_ROW_BYTES} bytes"),
            ));
        }
        let available = self.text.len() - self.position;
        let count = available.min(buffer.len()).min(self.allowance_bytes);
        buffer[..count].copy_from_slice(&self.text[self.position..self.position + count]);
        self.position += count;
        self.allowance_bytes -= count;
        Ok(count)
    }
}
