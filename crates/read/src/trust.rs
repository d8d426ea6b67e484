//! The authorities that a connection trusts in addition to the public ones. A company that inspects
//! its own traffic has its own authority, and so has a sandbox. `SSL_CERT_FILE` names it, as for
//! other programs.

use std::path::PathBuf;

use reqwest::{Certificate, Client, ClientBuilder};

/// The environment variable that names a file of certificates (PEM).
const VARIABLE: &str = "SSL_CERT_FILE";

/// Why the file that the environment names cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{VARIABLE} {}: expected certificates in PEM, {problem}", path.display())]
pub struct TrustError {
    path: PathBuf,
    problem: String,
}

/// Adds the certificates that the environment names to those that `builder` trusts.
///
/// # Errors
/// When the environment names a file that cannot be read or contains no certificate.
pub fn extend(builder: ClientBuilder) -> Result<ClientBuilder, TrustError> {
    match std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        Some(path) => {
            Ok(read(path.into())?.into_iter().fold(builder, ClientBuilder::add_root_certificate))
        }
        None => Ok(builder),
    }
}

fn read(path: PathBuf) -> Result<Vec<Certificate>, TrustError> {
    let found = std::fs::read(&path).map_err(|error| format!("cannot read it: {error}"));
    let found = found.and_then(|pem| {
        let found = Certificate::from_pem_bundle(&pem).and_then(|found| {
            // The content of a certificate is parsed only when a client is built.
            let trial = found.iter().cloned();
            trial.fold(Client::builder(), ClientBuilder::add_root_certificate).build()?;
            Ok(found)
        });
        match found.map_err(|error| format!("found something else: {error}")) {
            Ok(none) if none.is_empty() => Err("found none".to_owned()),
            other => other,
        }
    });
    found.map_err(|problem| TrustError { path, problem })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test plays the person who writes the file")]
    fn names_the_file_that_holds_no_certificate() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("authority.pem");
        let problem = || read(file.clone()).unwrap_err().to_string();
        assert!(problem().contains("authority.pem: expected certificates in PEM, cannot read it"));
        for nothing in
            ["", "a text", "-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----\n"]
        {
            std::fs::write(&file, nothing).unwrap();
            assert!(problem().contains("found"), "{nothing}: {}", problem());
        }
        let pem = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap().cert.pem();
        std::fs::write(&file, pem.repeat(2)).unwrap();
        assert_eq!(read(file).unwrap().len(), 2);
    }
}
