//! A host that links and redirects name; no request may ever reach it.

use std::io::Read;
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The maximum number of bytes kept of a request.
const KEPT_BYTES: usize = 4_096;

/// Listens until the process ends.
pub struct Canary {
    pub base: String,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Canary {
    /// On any free port.
    pub fn new() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let notes = Arc::clone(&heard);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut said = vec![0; KEPT_BYTES];
                stream.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
                let length = stream.read(&mut said).unwrap_or(0);
                notes.lock().unwrap().push(String::from_utf8_lossy(&said[..length]).into_owned());
            }
        });
        Self { base, heard }
    }

    /// The requests that arrived; a connection without a request counts.
    pub fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}
