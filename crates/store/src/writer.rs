//! The threads that write fetched pages. One compresses them, one writes them in the same order,
//! and one copies the write-ahead log into the store. The writer takes pages from a bounded queue
//! and commits all that have arrived together, so that the network never waits for the disk and the
//! disk does not have to commit a transaction per page.

use std::collections::HashMap;
use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::{mpsc, oneshot};

use super::ingest::{Evidence, Ingest, IngestError, Packer, PageContent, Written};
use super::reading::{self, Freshness, Reading};
use super::tally::{RecordSum, SessionRecord};
use super::{Store, StoreError, While};
use tieout_model::Listing;

/// Pages that wait for the disk; a hundred of 100 KB each stay well within memory.
const QUEUE_PAGES: usize = 64;

/// Those that wait to be compressed are ten times as large, and more when a service is hostile.
const QUEUE_UNPACKED: usize = 16;

/// The most commands in one transaction, and how long it stays open. A commit writes every page of
/// the store that was touched, and many listings touch the same pages. After a kill the records of
/// one transaction are read again; where the network is slow these are few, since a transaction
/// ends when nothing has arrived for [`PAUSE`]. A transaction that a caller waits for ends sooner.
const COMMANDS_PER_COMMIT: usize = 8192;
const LONGEST: Duration = Duration::from_millis(500);
const LONGEST_AWAITED: Duration = Duration::from_millis(100);
const PAUSE: Duration = Duration::from_millis(4);

/// Commands after which the log is copied into the store once the queue is idle; fewer suffice
/// where a stage has ended.
const COMMANDS_PER_COPY: usize = 512;
const COMMANDS_PER_LAST_COPY: usize = 64;
const A_WHILE: Duration = Duration::from_millis(5);

/// How long the compressing thread polls for a page before it blocks.
const SHORTLY: Duration = Duration::from_millis(2);

/// Pause between two polls of an empty queue.
const GLANCE: Duration = Duration::from_micros(300);

enum Command {
    Begin {
        listing: Listing,
        session: i64,
        freshness: Freshness,
        reply: oneshot::Sender<Result<Option<Reading>, StoreError>>,
    },
    /// Counts the records that an interrupted session had written.
    Resume { session: i64, records: Vec<SessionRecord> },
    /// Asks for the records written in a session, and for those that it received again.
    Stored { session: i64, reply: oneshot::Sender<(RecordSum, RecordSum)> },
    /// Drops the counts of a session.
    Forget { session: i64 },
    /// Asks that everything before it is committed.
    Settle { reply: oneshot::Sender<()> },
    /// Where the further stretches of a reading begin.
    Starts { reading_id: i64, starts: String },
    End {
        reading: Box<Reading>,
        /// Records received since the reading began or was resumed, repeats included.
        received: u64,
        error: Option<String>,
        reply: oneshot::Sender<Result<Option<String>, StoreError>>,
    },
}

/// An entry of a queue; the evidence of a page is JSON until it is packed.
enum Queued<E> {
    Page { reading: Box<Reading>, page: Box<PageContent>, evidence: E },
    Other(Command),
}

/// The sending side of the writer; cheap to clone.
#[derive(Clone)]
pub struct Writer {
    queue: mpsc::Sender<Queued<Vec<u8>>>,
}

/// The threads, in the order in which a page goes through them; joined when all pages of the night
/// are queued.
pub struct WriterThread {
    handles: Vec<JoinHandle<Result<(), StoreError>>>,
}

impl Drop for WriterThread {
    /// Waits for the threads, so that a run that ends early still stores its queued pages.
    fn drop(&mut self) {
        for handle in self.handles.drain(..) {
            // The thread has logged its error.
            let _ = handle.join();
        }
    }
}

impl WriterThread {
    /// Waits until everything is committed; every [`Writer`] must be dropped before.
    ///
    /// # Errors
    /// The error that stopped one of the threads early.
    pub fn join(mut self) -> Result<(), StoreError> {
        let ended: Vec<_> = self
            .handles
            .drain(..)
            .map(|handle| handle.join().unwrap_or(Err(StoreError::WriterStopped)))
            .collect();
        ended.into_iter().collect()
    }
}

impl Writer {
    /// Opens the store at `path` for the writer's threads and starts them.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn start(path: &Path) -> Result<(Self, WriterThread), StoreError> {
        let (store, copied) = (Store::open(path)?, Store::open(path)?);
        let (queue, unpacked) = mpsc::channel(QUEUE_UNPACKED);
        let (packed, to_write) = mpsc::channel(QUEUE_PAGES);
        let (ask_for_copy, asked) = mpsc::channel(1);
        let handles = vec![
            std::thread::spawn(move || pack(unpacked, &packed).inspect_err(complain)),
            std::thread::spawn(move || run(store, to_write, &ask_for_copy).inspect_err(complain)),
            std::thread::spawn(move || copy_logs(&copied, asked).inspect_err(complain)),
        ];
        Ok((Self { queue }, WriterThread { handles }))
    }

    /// Begins or resumes the reading of `listing`; `None` when the stored reading is fresh enough.
    ///
    /// # Errors
    /// When the writer has stopped or refuses.
    pub async fn begin(
        &self,
        listing: &Listing,
        session: i64,
        freshness: Freshness,
    ) -> Result<Option<Reading>, StoreError> {
        let (reply, answer) = oneshot::channel();
        let listing = listing.clone();
        self.send(Command::Begin { listing, session, freshness, reply }).await?;
        answer.await.map_err(|_| StoreError::WriterStopped)?
    }

    /// Notes where further stretches of a reading begin, so that it goes on from the same places
    /// after a kill; to be called before its first page is queued.
    ///
    /// # Errors
    /// When the writer has stopped.
    pub async fn starts(&self, reading: &Reading, starts: &[String]) -> Result<(), StoreError> {
        let (reading_id, starts) = (reading.reading_id, starts.join(","));
        self.send(Command::Starts { reading_id, starts }).await
    }

    /// Queues a page with its JSON without private fields; waits only while the queue is full.
    ///
    /// # Errors
    /// When the writer has stopped.
    pub async fn page(
        &self,
        reading: &Reading,
        page: PageContent,
        evidence: Vec<u8>,
    ) -> Result<(), StoreError> {
        let (reading, page) = (Box::new(reading.clone()), Box::new(page));
        let page = Queued::Page { reading, page, evidence };
        self.queue.send(page).await.map_err(|_| StoreError::WriterStopped)
    }

    /// Ends a reading: complete without `error`, else incomplete. Returns the error that is noted
    /// for the listing. Call [`Self::settle`] before the listing is read from the store.
    ///
    /// # Errors
    /// When the writer has stopped or refuses.
    pub async fn end(
        &self,
        reading: &Reading,
        received: u64,
        error: Option<String>,
    ) -> Result<Option<String>, StoreError> {
        let (reply, answer) = oneshot::channel();
        let reading = Box::new(reading.clone());
        self.send(Command::End { reading, received, error, reply }).await?;
        answer.await.map_err(|_| StoreError::WriterStopped)?
    }

    /// Adds the records that an interrupted session had written to its counts.
    ///
    /// # Errors
    /// When the writer has stopped.
    pub async fn resume(
        &self,
        session: i64,
        records: Vec<SessionRecord>,
    ) -> Result<(), StoreError> {
        self.send(Command::Resume { session, records }).await
    }

    /// The records that this writer wrote in a session, committed after [`Self::settle`]; and the
    /// authorizations that the session received again, which a [`super::Tally`] of received records
    /// counts every time.
    ///
    /// # Errors
    /// When the writer has stopped.
    pub async fn stored(&self, session: i64) -> Result<(RecordSum, RecordSum), StoreError> {
        let (reply, answer) = oneshot::channel();
        self.send(Command::Stored { session, reply }).await?;
        answer.await.map_err(|_| StoreError::WriterStopped)
    }

    /// Drops the counts of a session that are no longer needed.
    ///
    /// # Errors
    /// When the writer has stopped.
    pub async fn forget(&self, session: i64) -> Result<(), StoreError> {
        self.send(Command::Forget { session }).await
    }

    /// Waits until everything that was queued before is committed.
    ///
    /// # Errors
    /// When the writer has stopped.
    pub async fn settle(&self) -> Result<(), StoreError> {
        let (reply, answer) = oneshot::channel();
        self.send(Command::Settle { reply }).await?;
        answer.await.map_err(|_| StoreError::WriterStopped)
    }

    async fn send(&self, command: Command) -> Result<(), StoreError> {
        self.queue.send(Queued::Other(command)).await.map_err(|_| StoreError::WriterStopped)
    }
}

/// The records of a reading that this process has written.
#[derive(Default)]
struct Progress {
    added: u64,
    repeated: u64,
}

impl Progress {
    fn add(&mut self, written: &Written) {
        self.added += written.added;
        self.repeated += written.repeated;
    }
}

fn complain(error: &StoreError) {
    let cause = std::error::Error::source(error).map(ToString::to_string);
    tracing::error!("{error}: {}", cause.unwrap_or_default());
}

/// Compresses the evidence of each page, and hashes its records, on its way to the writer.
fn pack(
    mut pages: mpsc::Receiver<Queued<Vec<u8>>>,
    writer: &mpsc::Sender<Queued<Evidence>>,
) -> Result<(), StoreError> {
    let mut packer = Packer::new().map_err(StoreError::Compress)?;
    // Polls before it blocks: waking a blocked thread delays the thread that asks the API.
    while let Some(queued) = take(&mut pages, SHORTLY).or_else(|| pages.blocking_recv()) {
        let queued = match queued {
            Queued::Page { reading, page, evidence } => {
                let evidence =
                    packer.pack(&evidence, &page.records).map_err(StoreError::Compress)?;
                Queued::Page { reading, page, evidence }
            }
            Queued::Other(command) => Queued::Other(command),
        };
        if writer.blocking_send(queued).is_err() {
            // The writer has logged why it stopped.
            break;
        }
    }
    Ok(())
}

fn run(
    mut store: Store,
    mut queue: mpsc::Receiver<Queued<Evidence>>,
    ask_for_copy: &mpsc::Sender<()>,
) -> Result<(), StoreError> {
    let mut ingest = Ingest::gathering(store.gathered.clone());
    let mut progress: HashMap<i64, Progress> = HashMap::new();
    let (mut commands, mut commits, mut uncopied) = (0, 0, 0);
    let mut enough_to_copy = COMMANDS_PER_COPY;
    loop {
        let mut first = None;
        if uncopied >= enough_to_copy {
            first = take(&mut queue, A_WHILE);
            if first.is_none() && ask_for_copy.try_send(()).is_ok() {
                uncopied = 0;
            }
        }
        let first = first.or_else(|| queue.blocking_recv());
        let Some(first) = first else { break };
        let transaction = store.connection.transaction().during("beginning to write pages")?;
        store.gathered.begin();
        let begun = Instant::now();
        let mut settled: Vec<oneshot::Sender<()>> = Vec::new();
        let mut next = Some(first);
        let mut count = 0;
        while let Some(queued) = next {
            match queued {
                Queued::Page { reading, page, evidence } => {
                    let written = ingest
                        .page(&transaction, &reading, &page, &evidence)
                        .during("writing a page")?;
                    progress.entry(reading.reading_id).or_default().add(&written);
                }
                Queued::Other(command) => {
                    settled.extend(execute(&transaction, &mut ingest, &mut progress, command)?);
                }
            }
            count += 1;
            let (longest, pause) = if settled.is_empty() {
                (LONGEST, PAUSE)
            } else {
                (LONGEST_AWAITED, Duration::ZERO)
            };
            let is_full = count >= COMMANDS_PER_COMMIT || begun.elapsed() >= longest;
            next = if is_full { None } else { take(&mut queue, pause) };
        }
        ingest.finish(&transaction).during("writing pages")?;
        store.gathered.end(&transaction).during("committing pages")?;
        transaction.commit().during("committing pages")?;
        enough_to_copy =
            if settled.is_empty() { COMMANDS_PER_COPY } else { COMMANDS_PER_LAST_COPY };
        // The answer is a promise that everything before it is on disk.
        for reply in settled {
            let _ = reply.send(());
        }
        commands += count;
        uncopied += count;
        commits += 1;
    }
    tracing::debug!(commands, commits, "everything that was fetched is written");
    Ok(())
}

/// Copies the write-ahead log into the store on request, as far as no reader needs it. Copying
/// waits for the disk; on a thread of its own it delays neither the writer nor its callers.
fn copy_logs(store: &Store, mut asked: mpsc::Receiver<()>) -> Result<(), StoreError> {
    while asked.blocking_recv().is_some() {
        store
            .connection()
            .query_row("pragma wal_checkpoint(passive)", [], |_| Ok(()))
            .during("copying the write-ahead log")?;
    }
    Ok(())
}

/// The next entry of the queue, or `None` when none arrives within `wait`.
fn take<T>(queue: &mut mpsc::Receiver<T>, wait: Duration) -> Option<T> {
    let begun = Instant::now();
    loop {
        match queue.try_recv() {
            Ok(command) => return Some(command),
            Err(TryRecvError::Empty) if begun.elapsed() < wait => std::thread::sleep(GLANCE),
            Err(_) => return None,
        }
    }
}

/// Executes `command`; returns the sender that is answered once it is committed.
fn execute(
    connection: &rusqlite::Connection,
    ingest: &mut Ingest,
    progress: &mut HashMap<i64, Progress>,
    command: Command,
) -> Result<Option<oneshot::Sender<()>>, StoreError> {
    match command {
        Command::Begin { listing, session, freshness, reply } => {
            let reading = reading::begin_reading(connection, &listing, session, freshness)
                .during("beginning a listing")?;
            drop(reply.send(Ok(reading)));
            Ok(None)
        }
        Command::Settle { reply } => Ok(Some(reply)),
        Command::Resume { session, records } => {
            ingest.stored.resume(session, &records);
            ingest.cards.resume(session);
            Ok(None)
        }
        Command::Stored { session, reply } => {
            let stored = ingest.stored.sum(session);
            let stored = stored.without(&ingest.cards.replaced(session));
            let sums = (stored, ingest.cards.repeated(session));
            drop(reply.send(sums));
            Ok(None)
        }
        Command::Forget { session } => {
            ingest.stored.forget(session);
            Ok(None)
        }
        Command::Starts { reading_id, starts } => {
            connection
                .prepare_cached("update reading set starts = ?2 where reading_id = ?1")
                .and_then(|mut statement| statement.execute((reading_id, starts)))
                .during("noting where stretches begin")?;
            Ok(None)
        }
        Command::End { reading, received, error, reply } => {
            let state = progress.remove(&reading.reading_id).unwrap_or_default();
            let is_lost = state.added + state.repeated != received;
            let lost = (error.is_none() && is_lost).then(|| {
                IngestError::NotConserved {
                    listing: reading.listing.to_string(),
                    received: received - state.repeated.min(received),
                    stored: state.added,
                }
                .to_string()
            });
            // An error of an earlier page was noted with that page, maybe by a run that was killed.
            let noted = reading::noted_error(connection, &reading).during("ending a listing")?;
            let error = noted.or(error).or(lost);
            reading::end_reading(connection, &reading, error.as_deref())
                .during("ending a listing")?;
            drop(reply.send(Ok(error)));
            Ok(None)
        }
    }
}
