//! A limit of file sizes holds for the whole process, so this test has one of its own.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a helper of a test fails the test"
)]

mod common;

use callgate_exec::{CaptureOptions, Exit, capture_bytes, run};
use common::{shell, store};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn p10_a_file_at_its_size_limit_is_a_loss_that_is_told_and_not_the_end() {
    let (_directory, store) = store();
    let hard = getrlimit(Resource::Fsize).maximum;
    setrlimit(Resource::Fsize, Rlimit { current: Some(100_000), maximum: hard }).unwrap();
    let options = CaptureOptions::default().spill(store);

    let captured = capture_bytes(&vec![b'x'; 250_000], &options);
    let spill = captured.spill.unwrap();
    assert_eq!((spill.bytes, spill.lost_bytes), (100_000, 150_000));
    assert!(captured.text.contains("150000 bytes were not kept"), "{}", captured.text);

    let spec = shell("yes | head -c 300000");
    let finished = run(spec, options, CancellationToken::new(), |_, _| {}).await.unwrap();
    assert_eq!(finished.exit, Exit::Code(0));
    assert_eq!(finished.output.spill.unwrap().lost_bytes, 200_000);

    // The command has the limit too, and the signal that goes with it.
    let directory = tempfile::tempdir().unwrap();
    let spec = shell("exec head -c 300000 /dev/zero > big").cwd(directory.path());
    let finished = run(spec, CaptureOptions::default(), CancellationToken::new(), |_, _| {});
    assert_eq!(finished.await.unwrap().exit, Exit::Signal(25));
}
