//! A thread that writes frames, so that a slow terminal never holds up a key.

use std::{
    io::{self, Write},
    sync::mpsc::{SyncSender, sync_channel},
    thread,
    time::Duration,
};

use tokio::{sync::mpsc, time::timeout};

/// How long a frame that is being written may still take when the terminal is given back.
const PATIENCE: Duration = Duration::from_millis(500);

/// Writes one frame at a time.
#[derive(Debug)]
pub(crate) struct Writer {
    frames: SyncSender<Vec<u8>>,
    written: mpsc::Receiver<io::Result<()>>,
    busy: bool,
}

impl Writer {
    pub(crate) fn start() -> io::Result<Self> {
        let (frames, queue) = sync_channel::<Vec<u8>>(1);
        let (done, written) = mpsc::channel(1);
        thread::Builder::new().name("screen-writer".into()).spawn(move || {
            for frame in queue {
                let mut stdout = io::stdout().lock();
                let result = stdout.write_all(&frame).and_then(|()| stdout.flush());
                drop(stdout);
                if done.blocking_send(result).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { frames, written, busy: false })
    }

    /// Whether a frame is being written; no other is made meanwhile.
    pub(crate) const fn is_busy(&self) -> bool {
        self.busy
    }

    /// Hands a frame over.
    pub(crate) fn write(&mut self, frame: Vec<u8>) {
        self.busy = !frame.is_empty() && self.frames.try_send(frame).is_ok();
    }

    /// Waits for the frame that is being written.
    pub(crate) async fn written(&mut self) -> io::Result<()> {
        let result = self.written.recv().await;
        self.busy = false;
        result.unwrap_or_else(|| Err(io::ErrorKind::BrokenPipe.into()))
    }

    /// Lets the last frame out, so that it does not follow the terminal's restoration.
    pub(crate) async fn settle(&mut self) {
        if self.busy {
            let _ = timeout(PATIENCE, self.written()).await;
        }
    }
}
