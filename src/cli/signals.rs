//! A person or an operator asks the program to end: SIGTERM, or SIGINT from a keyboard.

use std::time::Duration;

use crate::exit::Exit;
use tieout_read::stop::Stop;

/// The time that a job may take to end. Kubernetes grants thirty seconds by default.
const GRACE: Duration = Duration::from_secs(25);

/// Passes the first signal on; the job ends after the pages in flight. Waits on a thread of its
/// own, so that a signal is heard while the job is at work.
pub(super) fn watch(stop: Stop) {
    std::thread::spawn(move || {
        // Without a runtime or handlers the system ends the process, which loses no committed
        // page either.
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
            return;
        };
        runtime.block_on(signalled());
        tracing::info!("asked to stop; ending after the pages in flight");
        stop.request();
        // A read from a hung mount never returns; committed pages stay.
        std::thread::sleep(GRACE);
        tracing::error!("the job did not end within {} seconds; giving up", GRACE.as_secs());
        std::process::exit(Exit::Failed.code().into());
    });
}

/// Makes a write beyond the limit of a file's size (`ulimit -f`) fail with an error that names the
/// file, instead of ending the process.
#[cfg(unix)]
pub(super) fn outlive_the_limit_of_files() {
    use tokio::signal::unix::{SignalKind, signal};
    /// SIGXFSZ, the same number on every system that has it.
    const FILE_TOO_LARGE: std::ffi::c_int = 25;
    // Without a runtime the limit ends the process, and committed pages stay.
    if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() {
        let _inside = runtime.enter();
        // The handler stays installed after the stream and the runtime are dropped.
        drop(signal(SignalKind::from_raw(FILE_TOO_LARGE)));
    }
}

#[cfg(not(unix))]
pub(super) fn outlive_the_limit_of_files() {}

#[cfg(unix)]
async fn signalled() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut terminate), Ok(mut interrupt)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}

#[cfg(not(unix))]
async fn signalled() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
