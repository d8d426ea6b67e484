//! HTTPS with a self-signed certificate, which clients must be configured to trust. It is made at
//! every start, for the names of this machine, and kept in memory.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::serve::Listener;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::server::TlsStream;

/// The names for which the certificate is valid.
const NAMES: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Time for a client's handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// Connections after their handshake that wait to be served.
const WAITING: usize = 64;

/// Why the certificate could not be made.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("a certificate cannot be made")]
    Certificate(#[from] rcgen::Error),
    #[error("the certificate cannot be used")]
    Configuration(#[from] tokio_rustls::rustls::Error),
}

/// A certificate with its key.
pub struct Secured {
    /// For clients to trust, as PEM.
    pub certificate: String,
    acceptor: TlsAcceptor,
}

impl Secured {
    /// Makes a certificate.
    pub fn new() -> Result<Self, TlsError> {
        let made = rcgen::generate_simple_self_signed(NAMES.map(str::to_owned).to_vec())?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
        let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
        let mut configuration = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)?;
        configuration.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let acceptor = TlsAcceptor::from(Arc::new(configuration));
        Ok(Self { certificate: made.cert.pem(), acceptor })
    }

    /// Accepts connections of `listener` and makes their handshakes concurrently, so that a slow
    /// client delays no other.
    pub fn listen(self, listener: TcpListener) -> SecuredListener {
        let (ready, connections) = mpsc::channel(WAITING);
        let address = listener.local_addr();
        let accepting = tokio::spawn(accept(listener, self.acceptor, ready));
        SecuredListener { connections, address, accepting }
    }
}

type Connection = (TlsStream<TcpStream>, SocketAddr);

async fn accept(mut listener: TcpListener, acceptor: TlsAcceptor, ready: mpsc::Sender<Connection>) {
    while !ready.is_closed() {
        let (stream, address) = Listener::accept(&mut listener).await;
        let (acceptor, ready) = (acceptor.clone(), ready.clone());
        tokio::spawn(async move {
            let shaken = tokio::time::timeout(HANDSHAKE_TIMEOUT, acceptor.accept(stream)).await;
            // A failed handshake is not served and not reported.
            if let Ok(Ok(stream)) = shaken {
                let _ = ready.send((stream, address)).await;
            }
        });
    }
}

/// A listener for connections after their handshake.
pub struct SecuredListener {
    connections: mpsc::Receiver<Connection>,
    address: io::Result<SocketAddr>,
    accepting: tokio::task::JoinHandle<()>,
}

impl Listener for SecuredListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> Connection {
        match self.connections.recv().await {
            Some(connection) => connection,
            // The accepting task has ended, so no further connection comes.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        match &self.address {
            Ok(address) => Ok(*address),
            Err(error) => Err(error.kind().into()),
        }
    }
}

impl Drop for SecuredListener {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}
