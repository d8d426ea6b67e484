//! Signatures of manifests (Ed25519): the public key alone is enough to check that a manifest is
//! the original one. A signature is a file beside the manifest, such as `run.json.sig`.

use std::io;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};

use super::atomic;
use super::error::ReportError;
use tieout_model::digest::hex;

/// The ending after the manifest's name.
pub const SIGNATURE_ENDING: &str = ".sig";

/// Maximum size of a key file; a key in PEM has about a tenth of it.
const MAX_KEY_BYTES: u64 = 4_096;

/// The DER header before the 32 bytes of a public key.
const PUBLIC_KEY_HEADER: [u8; 12] =
    [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// Why a key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("key file {}: cannot be read", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("key file {}: expected {expected}, found {found}", path.display())]
    Unusable { path: PathBuf, expected: &'static str, found: &'static str },
}

/// Signs manifests.
pub struct Signer(Ed25519KeyPair);

/// Verifies signatures.
#[derive(Clone, Debug)]
pub struct PublicKey(Vec<u8>);

impl Signer {
    /// Reads a private key in PEM, as `openssl genpkey -algorithm ed25519` writes it.
    ///
    /// # Errors
    /// When the file cannot be read or holds no such key.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        let expected = "an Ed25519 key in PEM (openssl genpkey -algorithm ed25519)";
        let der = pem(path, "PRIVATE KEY", expected)?;
        let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(&der);
        let found = "a key of another kind";
        let wrong = |_| KeyError::Unusable { path: path.to_owned(), expected, found };
        Ok(Self(pair.map_err(wrong)?))
    }

    /// The public key that verifies signatures made with this key.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.public_key().as_ref().to_vec())
    }

    /// Signs the manifest of that name in `folder`.
    ///
    /// # Errors
    /// When the manifest cannot be read or the signature cannot be written.
    pub fn sign(&self, folder: &Path, manifest: &str) -> Result<(), ReportError> {
        let path = folder.join(manifest);
        let content = std::fs::read(&path).map_err(|source| ReportError::File { path, source })?;
        let text = format!("{}\n", self.signature(&content));
        atomic::write_file(&signature_of(folder, manifest), text.as_bytes())
    }
}

impl Signer {
    pub(super) fn signature(&self, content: &[u8]) -> String {
        hex(self.0.sign(content).as_ref())
    }
}

impl PublicKey {
    /// Reads a public key in PEM, as `openssl pkey -pubout` writes it.
    ///
    /// # Errors
    /// When the file cannot be read or holds no such key.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        let expected = "an Ed25519 public key in PEM (openssl pkey -pubout)";
        let der = pem(path, "PUBLIC KEY", expected)?;
        match der.strip_prefix(&PUBLIC_KEY_HEADER) {
            Some(key) if key.len() == 32 => Ok(Self(key.to_vec())),
            _ => {
                let found = "a key of another kind";
                Err(KeyError::Unusable { path: path.to_owned(), expected, found })
            }
        }
    }

    /// Why `content` is not the signed manifest of that name in `folder`; `None` if it is.
    pub fn problem(&self, folder: &Path, manifest: &str, content: &[u8]) -> Option<String> {
        let path = signature_of(folder, manifest);
        let text = match atomic::read(&path) {
            Ok(text) => String::from_utf8_lossy(&text).into_owned(),
            Err(error) => return Some(format!("{manifest} has no signature: {error}")),
        };
        let is_proved = self.has_signed(content, &text);
        (!is_proved).then(|| format!("{manifest} does not match its signature with this key"))
    }

    /// Whether a signature, in hexadecimal, is that of `content`.
    pub(super) fn has_signed(&self, content: &[u8], signature: &str) -> bool {
        let signature = bytes_of(signature.trim()).unwrap_or_default();
        UnparsedPublicKey::new(&ED25519, &self.0).verify(content, &signature).is_ok()
    }
}

/// The path of the signature of a manifest.
pub fn signature_of(folder: &Path, manifest: &str) -> PathBuf {
    folder.join(format!("{manifest}{SIGNATURE_ENDING}"))
}

fn bytes_of(hexadecimal: &str) -> Option<Vec<u8>> {
    let digits = hexadecimal.as_bytes().chunks(2);
    digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// The content between the begin and end lines of a PEM file.
fn pem(path: &Path, label: &str, expected: &'static str) -> Result<Vec<u8>, KeyError> {
    let unreadable = |source| KeyError::Unreadable { path: path.to_owned(), source };
    let unusable = |found| KeyError::Unusable { path: path.to_owned(), expected, found };
    // Opening a pipe would wait for a writer.
    let facts = std::fs::metadata(path).map_err(unreadable)?;
    if !facts.is_file() {
        return Err(unusable("something other than a regular file"));
    }
    if facts.len() > MAX_KEY_BYTES {
        return Err(unusable("a file that is too large for one"));
    }
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    let (begin, end) = (format!("-----BEGIN {label}-----"), format!("-----END {label}-----"));
    let body = text.split_once(&begin).and_then(|(_, rest)| rest.split_once(&end));
    let (body, _) = body.ok_or_else(|| unusable("another text"))?;
    let body: String = body.split_whitespace().collect();
    STANDARD.decode(body).map_err(|_| unusable("another text"))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test's scratch files need no atomic write")]
mod tests {
    use super::*;

    /// Made for this test alone.
    const PRIVATE: &str = "-----BEGIN PRIVATE KEY-----\n\
        MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n\
        -----END PRIVATE KEY-----\n";
    /// The first test vector of RFC 8032, section 7.1.
    const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----\n\
        MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n\
        -----END PUBLIC KEY-----\n";

    #[test]
    fn proves_what_was_signed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let (private, public) = (folder.path().join("private"), folder.path().join("public"));
        std::fs::write(&private, PRIVATE).unwrap();
        std::fs::write(&public, PUBLIC).unwrap();
        std::fs::write(folder.path().join("run.json"), b"{}").unwrap();
        Signer::read(&private).unwrap().sign(folder.path(), "run.json").unwrap();
        let key = PublicKey::read(&public).unwrap();
        assert_eq!(key.problem(folder.path(), "run.json", b"{}"), None);
        assert!(key.problem(folder.path(), "run.json", b"{ }").is_some());
        assert!(key.problem(folder.path(), "period.json", b"{}").is_some());
        assert!(PublicKey::read(&private).is_err());
        assert!(Signer::read(&public).is_err());
        assert!(Signer::read(folder.path()).is_err());
    }
}
