//! Converts the bytes of a file to lines of UTF-8 text, in constant memory. Knows gzip, byte order
//! marks and encodings, but not columns.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use encoding_rs::{Decoder, Encoding};
use flate2::bufread::MultiGzDecoder;

use super::FileError;
use super::open::open_regular;
use super::probe;
use super::probe::{CHUNK_BYTES, GZIP_MAGIC};

/// A longer line is not text.
const MAX_LINE_BYTES: usize = 1024 * 1024;

/// The text of a file as UTF-8 lines with any line ends.
pub struct TextReader {
    source: Box<dyn Read>,
    decoder: Decoder,
    raw: Vec<u8>,
    decoded: Vec<u8>,
    text: Vec<u8>,
    position: usize,
    after_carriage_return: bool,
    is_at_end: bool,
}

impl TextReader {
    /// Opens `path`, whose text is in `encoding`.
    ///
    /// # Errors
    /// When it cannot be opened or is not a regular file.
    pub fn open(path: &Path, encoding: &'static Encoding) -> Result<Self, FileError> {
        let failed = |source| FileError::Io { path: path.to_path_buf(), source };
        let mut file = BufReader::with_capacity(CHUNK_BYTES, open_regular(path)?);
        let source: Box<dyn Read> = if file.fill_buf().map_err(failed)?.starts_with(&GZIP_MAGIC) {
            Box::new(MultiGzDecoder::new(file))
        } else {
            Box::new(file)
        };
        Ok(Self {
            source,
            decoder: encoding.new_decoder_with_bom_removal(),
            raw: vec![0; CHUNK_BYTES],
            // One byte of UTF-16 or of a one-byte code page becomes at most three bytes.
            decoded: vec![0; CHUNK_BYTES * 3 + 16],
            text: Vec::with_capacity(CHUNK_BYTES * 3),
            position: 0,
            after_carriage_return: false,
            is_at_end: false,
        })
    }

    /// Reads the next line into `line`, without its end; `false` after the last one.
    ///
    /// # Errors
    /// When the file cannot be read, is not in its encoding, or a line is longer than a mebibyte.
    pub fn read_line(&mut self, line: &mut String) -> io::Result<bool> {
        line.clear();
        let mut has_any = false;
        loop {
            if self.position == self.text.len() && !self.refill()? {
                return Ok(has_any);
            }
            has_any = true;
            let rest = &self.text[self.position..];
            let end = memchr::memchr(b'\n', rest);
            let piece = &rest[..end.unwrap_or(rest.len())];
            if line.len() + piece.len() > MAX_LINE_BYTES {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!("a line of more than {MAX_LINE_BYTES} bytes"),
                ));
            }
            // The decoder returns whole characters, and a line feed is a character of its own.
            line.push_str(std::str::from_utf8(piece).map_err(io::Error::other)?);
            self.position += piece.len() + usize::from(end.is_some());
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// Decodes another piece; `false` when there is none.
    fn refill(&mut self) -> io::Result<bool> {
        self.text.clear();
        self.position = 0;
        while self.text.is_empty() && !self.is_at_end {
            let count = match self.source.read(&mut self.raw) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read?,
            };
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
        }
        Ok(!self.text.is_empty())
    }

    /// Appends `written` decoded bytes, with line feeds for all kinds of line ends.
    fn take(&mut self, written: usize) {
        let decoded = &self.decoded[..written];
        if !self.after_carriage_return && memchr::memchr(b'\r', decoded).is_none() {
            self.text.extend_from_slice(decoded);
            return;
        }
        for &byte in decoded {
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

/// The first `count` lines of `path`, for a message about them; fewer when it ends or fails.
pub fn first_lines(path: &Path, count: usize) -> Vec<String> {
    let Ok(probe::Probe { encoding: Some(encoding), .. }) = probe::probe(path) else {
        return Vec::new();
    };
    let (mut lines, mut line) = (Vec::new(), String::new());
    if let Ok(mut reader) = TextReader::open(path, encoding) {
        while lines.len() < count && reader.read_line(&mut line).unwrap_or(false) {
            lines.push(line.clone());
        }
    }
    lines
}
