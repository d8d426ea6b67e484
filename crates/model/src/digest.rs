//! SHA-256 in hexadecimal, of a text at once or of a stream as it is written.

use std::io::{self, Write};

use sha2::{Digest as _, Sha256};

/// The digest of `bytes`, 64 lower-case hexadecimal digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// A digest over parts, each with its length before it: where one ends cannot be moved.
#[derive(Default)]
pub struct Digester {
    hasher: Sha256,
}

impl Digester {
    /// Adds a part.
    pub fn add(&mut self, part: &[u8]) {
        self.hasher.update((part.len() as u64).to_be_bytes());
        self.hasher.update(part);
    }

    /// The digest of everything that was added.
    pub fn finish(self) -> String {
        hex(&self.hasher.finalize())
    }
}

/// A writer that passes its bytes on and computes their digest.
pub struct DigestWriter<W> {
    inner: W,
    hasher: Sha256,
}

impl<W: Write> DigestWriter<W> {
    /// Wraps `inner`.
    pub fn new(inner: W) -> Self {
        Self { inner, hasher: Sha256::new() }
    }

    /// The wrapped writer, and the digest of everything that was written.
    pub fn finish(self) -> (W, String) {
        (self.inner, hex(&self.hasher.finalize()))
    }
}

impl<W: Write> Write for DigestWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// `bytes` in lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: [u8; 16] = *b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble & 0x0f)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_the_published_digest_of_abc() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256_hex(b"abc"), expected);
        let mut writer = DigestWriter::new(Vec::new());
        writer.write_all(b"a").unwrap();
        writer.write_all(b"bc").unwrap();
        assert_eq!(writer.finish(), (b"abc".to_vec(), expected.to_owned()));
    }
}
