//! The directory of the kept outputs.

use std::{
    collections::HashMap,
    fmt,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use super::{
    LinePage, LineReader, SpillEntry, SpillLimits, SpillState, SpillWriter, Swept, TextPage, id,
    meta::Meta,
    quota::SessionQuota,
    root::Root,
    session::{Session, is_locked},
    stamp::Stamp,
    sweep,
    writer::{create_locked, output_name},
};
use crate::{capture::shown, error::ExecError, process::ignore_file_size_signal};

/// How often a taken name is answered by a new one.
const NAME_ATTEMPTS: u32 = 16;

/// Bytes of one line that [`SpillStore::read_lines`] shows.
const PAGE_LINE_BYTES: usize = 16 * 1024;

/// The most bytes that [`SpillStore::read_text`] reads at once.
const MAX_TEXT_BYTES: usize = 1024 * 1024;

/// A private directory of outputs that were too long to be returned.
///
/// The directory is for its user alone (mode 0700, files 0600), and files are reached through its descriptor: no link is
/// ever followed. Names are random. What was kept survives the process, and goes by [`sweep`](Self::sweep).
///
/// ```
/// use callgate_exec::{SpillLimits, SpillState, SpillStore};
///
/// let directory = tempfile::tempdir().unwrap();
/// let store = SpillStore::open(directory.path().join("outputs"), SpillLimits::default())?;
/// let mut writer = store.create("an example")?;
/// writer.append(b"first\nsecond\n");
/// let (info, trouble) = writer.finish();
/// let info = info.unwrap();
/// assert_eq!(trouble, None);
///
/// let page = store.read_lines(&info.id, 2, 10)?;
/// assert_eq!(page.lines[0].text, "second");
/// assert_eq!(page.entry.state, SpillState::Complete);
/// # Ok::<(), callgate_exec::ExecError>(())
/// ```
#[derive(Debug)]
pub struct SpillStore {
    inner: Arc<Inner>,
}

/// What a store shares with its writers.
pub(super) struct Inner {
    pub(super) root: Root,
    pub(super) limits: SpillLimits,
    pub(super) quota: SessionQuota,
    session: Mutex<Session>,
    /// The files that this store has finished: their sidecars lie where a command could edit them, this does not.
    finished: Mutex<HashMap<String, Stamp>>,
    next_id: Box<dyn Fn() -> String + Send + Sync>,
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Store");
        text.field("root", &self.root.path()).field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Inner {
    pub(super) fn remember(&self, id: &str, stamp: Stamp) {
        self.finished.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned(), stamp);
    }

    fn remembered(&self, id: &str) -> Option<Stamp> {
        self.finished.lock().unwrap_or_else(PoisonError::into_inner).get(id).copied()
    }

    fn session_id(&self) -> String {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).id().to_owned()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.session.get_mut().unwrap_or_else(PoisonError::into_inner).end(&self.root);
    }
}

impl SpillStore {
    /// Opens the directory; makes it, for this user alone, if it is not there.
    ///
    /// # Errors
    ///
    /// [`ExecError::UntrustedRoot`] if it is a link, no directory, or another's; [`ExecError::File`] if it can't be
    /// made, opened or made private.
    pub fn open(root: impl Into<PathBuf>, limits: SpillLimits) -> Result<Self, ExecError> {
        Self::open_with_ids(root.into(), limits, Box::new(id::random))
    }

    pub(super) fn open_with_ids(
        root: PathBuf,
        limits: SpillLimits,
        next_id: Box<dyn Fn() -> String + Send + Sync>,
    ) -> Result<Self, ExecError> {
        // A file may have reached the limit of its size: that is a loss to be told, not an end.
        ignore_file_size_signal();
        let root = Root::open(root)?;
        let session = Mutex::new(Session::start(&root));
        let quota = SessionQuota::new(limits.per_session);
        let finished = Mutex::new(HashMap::new());
        Ok(Self { inner: Arc::new(Inner { root, limits, quota, session, finished, next_id }) })
    }

    /// The directory.
    pub fn root(&self) -> &Path {
        self.inner.root.path()
    }

    /// The limits.
    pub fn limits(&self) -> SpillLimits {
        self.inner.limits
    }

    /// Begins to keep an output; the label says what it is of (500 characters of it are kept).
    ///
    /// A directory that was removed is made again.
    ///
    /// # Errors
    ///
    /// [`ExecError::File`] or [`ExecError::UntrustedRoot`] if no file can be made.
    pub fn create(&self, label: &str) -> Result<SpillWriter, ExecError> {
        let (id, file) = new_file(&self.inner)?;
        let meta = Meta::new(label, &self.inner.session_id());
        let dir = self.inner.root.writable()?;
        // Bytes matter more than what is known of them: a full disk may have room for neither.
        let _ = meta.write(&dir, &id);
        Ok(SpillWriter::new(Arc::clone(&self.inner), id, meta, Box::new(file)))
    }

    /// The kept outputs, newest first.
    ///
    /// # Errors
    ///
    /// [`ExecError::File`] if the directory can't be read.
    pub fn list(&self) -> Result<Vec<SpillEntry>, ExecError> {
        let names = self.inner.root.names()?;
        let ids = names.iter().filter_map(|name| name.strip_suffix(".out"));
        let mut entries: Vec<_> = ids.filter_map(|id| self.find(id)).collect();
        entries.sort_by(|a, b| b.created.cmp(&a.created).then_with(|| a.id.cmp(&b.id)));
        Ok(entries)
    }

    /// One kept output; nothing if there is none of that id.
    pub fn find(&self, id: &str) -> Option<SpillEntry> {
        if !id::is_valid(id) {
            return None;
        }
        let root = &self.inner.root;
        let meta = Meta::read(root, id);
        let file = root.read(&output_name(id)).ok();
        let there = file.as_ref().and_then(|file| Stamp::of(file).ok());
        let end = meta.as_ref().and_then(|meta| meta.end.as_ref());
        let written = self.inner.remembered(id).or_else(|| end.map(|end| end.stamp));
        if meta.is_none() && written.is_none() && file.is_none() {
            return None;
        }
        let state = match (&file, there, written) {
            (Some(_), Some(there), Some(written)) if there == written => SpillState::Complete,
            (Some(_), _, Some(_)) => SpillState::Changed,
            (Some(file), _, None) if is_locked(file) => SpillState::Live,
            (Some(_), _, None) => SpillState::Interrupted,
            (None, ..) => SpillState::Missing,
        };
        Some(SpillEntry {
            id: id.to_owned(),
            path: root.join(&output_name(id)),
            label: meta.as_ref().map(|meta| meta.label.clone()).unwrap_or_default(),
            created: created(meta.as_ref(), file.as_ref()),
            bytes: there.map_or(0, |there| there.size),
            lines: end.map(|end| end.lines),
            lost_bytes: end.map_or(0, |end| end.lost_bytes),
            state,
        })
    }

    /// Up to `limit` lines from line `first` on, counted from 1; of each up to 16 KiB.
    ///
    /// # Errors
    ///
    /// [`ExecError::UnknownOutput`], or [`ExecError::File`] if the file can't be read.
    pub fn read_lines(&self, id: &str, first: u64, limit: usize) -> Result<LinePage, ExecError> {
        let (entry, file) = self.open_output(id)?;
        let failed = |error| ExecError::file("read the output", &entry.path, error);
        let mut reader = LineReader::new(file, PAGE_LINE_BYTES);
        reader.skip_to(first).map_err(failed)?;
        let lines: Vec<_> =
            reader.by_ref().take(limit).collect::<io::Result<_>>().map_err(failed)?;
        let next_line = reader.at_next_line().map_err(failed)?;
        Ok(LinePage { entry, lines, next_line })
    }

    /// Up to `limit` bytes (at most 1 MiB) from byte `first` on, counted from 0, to the end of a character.
    ///
    /// # Errors
    ///
    /// As [`read_lines`](Self::read_lines).
    pub fn read_text(&self, id: &str, first: u64, limit: usize) -> Result<TextPage, ExecError> {
        let (entry, mut file) = self.open_output(id)?;
        let failed = |error| ExecError::file("read the output", &entry.path, error);
        file.seek(SeekFrom::Start(first)).map_err(failed)?;
        let mut bytes = Vec::new();
        let limit = limit.clamp(4, MAX_TEXT_BYTES);
        // One more tells whether there is more.
        file.take(limit as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
        let more = bytes.len() > limit;
        bytes.truncate(limit);
        if more
            && let Err(error) = std::str::from_utf8(&bytes)
            && error.error_len().is_none()
        {
            bytes.truncate(error.valid_up_to());
        }
        let next_byte = more.then_some(first + bytes.len() as u64);
        Ok(TextPage { entry, text: shown(&bytes), next_byte })
    }

    /// All lines, one after the other; of each no more than `max_line_bytes`.
    ///
    /// # Errors
    ///
    /// As [`read_lines`](Self::read_lines).
    pub fn lines(&self, id: &str, max_line_bytes: usize) -> Result<LineReader, ExecError> {
        let (_, file) = self.open_output(id)?;
        Ok(LineReader::new(file, max_line_bytes))
    }

    /// Deletes outputs older than `max_age`, then the oldest until no more than `max_total` bytes are left.
    ///
    /// It never deletes an output that is being written, nor one of a store that is in use, here or in another
    /// process: somebody may still be told to read it.
    ///
    /// # Errors
    ///
    /// [`ExecError::File`] if the directory can't be read.
    pub fn sweep(&self, max_age: Duration, max_total: u64) -> Result<Swept, ExecError> {
        sweep::sweep(&self.inner.root, max_age, max_total)
    }

    fn open_output(&self, id: &str) -> Result<(SpillEntry, File), ExecError> {
        let unknown = || ExecError::UnknownOutput { id: id.to_owned() };
        let entry = self.find(id).ok_or_else(unknown)?;
        let file = self.inner.root.read(&output_name(id));
        let file = file.map_err(|error| ExecError::file("open the output", &entry.path, error))?;
        Ok((entry, file))
    }
}

/// Makes a file under a name that nobody had.
pub(super) fn new_file(store: &Inner) -> Result<(String, File), ExecError> {
    let dir = store.root.writable()?;
    let mut attempts = 0;
    loop {
        attempts += 1;
        let id = (store.next_id)();
        match create_locked(&dir, &id) {
            Ok(file) => return Ok((id, file)),
            Err(error)
                if error.kind() == io::ErrorKind::AlreadyExists && attempts < NAME_ATTEMPTS => {}
            Err(error) => {
                let path = store.root.join(&output_name(&id));
                return Err(ExecError::file("make a file for the output", path, error));
            }
        }
    }
}

fn created(meta: Option<&Meta>, file: Option<&File>) -> SystemTime {
    meta.and_then(Meta::created)
        .or_else(|| file?.metadata().ok()?.modified().ok())
        .unwrap_or(SystemTime::UNIX_EPOCH)
}

#[cfg(test)]
mod tests;
