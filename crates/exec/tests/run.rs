//! One process, run to its end: exit, streams, input, directory, environment, errors.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a helper of a test fails the test"
)]

mod common;

use std::{
    io::Write,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use callgate_exec::{
    CaptureOptions, Environment, ExecError, Exit, ProcessSpec, Stdin, Stream, run,
};
use common::{sh, shell};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn exit_code_and_both_streams_come_back() {
    let finished = sh("echo out; echo err >&2; exit 7").await;
    assert_eq!(finished.exit, Exit::Code(7));
    assert!(!finished.stopped);
    let mut lines: Vec<_> = finished.output.text.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["err", "out"]);
    assert!(finished.ended.is_empty() && finished.survivors.is_empty());
}

#[tokio::test]
async fn a_signal_is_told_as_one() {
    let finished = sh("kill -SEGV $$").await;
    assert_eq!(finished.exit, Exit::Signal(11));
    assert_eq!(finished.exit.code(), Some(139));
}

#[tokio::test]
async fn f12_input_is_at_its_end() {
    let finished = sh("cat; echo done").await;
    assert_eq!(finished.output.text, "done\n");
}

#[tokio::test]
async fn input_bytes_arrive_whole() {
    let bytes: Vec<u8> = (0..3_000_000u32).map(|n| (n % 251) as u8).collect();
    let expected = format!("{}\n", bytes.len());
    let spec = shell("wc -c").stdin(Stdin::Bytes(bytes));
    let finished =
        run(spec, CaptureOptions::default(), CancellationToken::new(), |_, _| {}).await.unwrap();
    assert_eq!(finished.output.text.trim_start(), expected);
}

#[tokio::test]
async fn x45_ten_megabytes_to_a_process_that_never_reads_block_nobody() {
    let stop = CancellationToken::new();
    let spec = shell("echo up; exec sleep 600").stdin(Stdin::Bytes(vec![b'x'; 10_000_000]));
    let on_chunk = {
        let stop = stop.clone();
        move |_, _: &str| stop.cancel()
    };
    let finished = run(spec, CaptureOptions::default(), stop, on_chunk).await.unwrap();
    assert!(finished.stopped);
    assert_eq!(finished.output.text, "up\n");
}

#[tokio::test]
async fn input_that_is_not_read_to_the_end_is_no_failure() {
    let spec = shell("head -c 3; exit 0").stdin(Stdin::Bytes(vec![b'x'; 5_000_000]));
    let finished =
        run(spec, CaptureOptions::default(), CancellationToken::new(), |_, _| {}).await.unwrap();
    assert_eq!((finished.exit, finished.output.text.as_str()), (Exit::Code(0), "xxx"));
}

#[tokio::test]
async fn f11_the_order_of_the_streams_is_kept_and_each_piece_is_known() {
    let directory = tempfile::tempdir().unwrap();
    let fifo = directory.path().join("go");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &fifo,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    let go = std::fs::File::options().read(true).write(true).open(&fifo).unwrap();
    let seen = Arc::new(Mutex::new(String::new()));
    let log = Arc::clone(&seen);
    let on_chunk = move |stream, text: &str| {
        let mark = if stream == Stream::Stdout { 'o' } else { 'e' };
        log.lock().unwrap().extend(text.lines().map(|_| mark));
        (&go).write_all(b"\n").unwrap();
    };
    // Nothing is written before what was written last has been seen.
    let script = format!(
        "exec 3<'{}'; for i in 1 2 3; do echo out; read go <&3; echo err >&2; read go <&3; done",
        fifo.display()
    );
    let options = CaptureOptions::default();
    let finished = run(shell(&script), options, CancellationToken::new(), on_chunk).await.unwrap();
    assert_eq!(finished.output.text, "out\nerr\nout\nerr\nout\nerr\n");
    assert_eq!(*seen.lock().unwrap(), "oeoeoe");
}

#[tokio::test]
async fn the_environment_is_what_was_given_and_nothing_else() {
    let environment = Environment::from_vars([
        ("PATH", "/usr/bin:/bin"),
        ("HOME", "/home/somebody"),
        ("CANARY_API_KEY", "secret"),
        ("LD_PRELOAD", "evil.so"),
        ("BASH_ENV", "/tmp/evil"),
        ("GIT_DIR", "/tmp/evil"),
    ]);
    let spec = ProcessSpec::new("env").env(environment);
    let finished =
        run(spec, CaptureOptions::default(), CancellationToken::new(), |_, _| {}).await.unwrap();
    let names: Vec<_> = finished
        .output
        .text
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(n, _)| n)
        .collect();
    assert_eq!(names, ["HOME", "PATH"]);
}

#[tokio::test]
async fn the_process_leads_its_own_session_and_inherits_no_descriptor() {
    // A descriptor that a careless library left open.
    let careless = std::fs::File::open("/dev/null").unwrap();
    rustix::io::fcntl_setfd(&careless, rustix::io::FdFlags::empty()).unwrap();
    let finished = sh("ls /proc/self/fd | wc -l; ps -o pid=,sid=,pgid= -p $$").await;
    let mut lines = finished.output.text.lines();
    // 0, 1, 2, and the one by which `ls` reads the directory.
    assert_eq!(lines.next().map(str::trim), Some("4"));
    let ids: Vec<_> = lines.next().unwrap().split_whitespace().collect();
    assert_eq!((ids[0], ids[0]), (ids[1], ids[2]));
}

#[tokio::test]
async fn f13_x25_there_is_no_terminal_to_ask_on() {
    let finished = sh("echo x > /dev/tty").await;
    assert!(!finished.exit.success());
}

#[tokio::test]
async fn f38_x16_a_missing_directory_is_told_as_such() {
    let spec = shell("true").cwd("/no/such/directory");
    let error = run(spec, CaptureOptions::default(), CancellationToken::new(), |_, _| {})
        .await
        .unwrap_err();
    assert!(matches!(error, ExecError::WorkingDirectory { .. }), "{error:?}");
    let file = tempfile::NamedTempFile::new().unwrap();
    let spec = shell("true").cwd(file.path());
    let error = run(spec, CaptureOptions::default(), CancellationToken::new(), |_, _| {})
        .await
        .unwrap_err();
    assert!(matches!(error, ExecError::WorkingDirectory { .. }), "{error:?}");
}

#[tokio::test]
async fn a_missing_program_and_a_nul_byte_are_told_as_such() {
    let stop = CancellationToken::new;
    let missing = ProcessSpec::new("no-such-program");
    let error = run(missing, CaptureOptions::default(), stop(), |_, _| {}).await.unwrap_err();
    assert!(matches!(error, ExecError::ProgramNotFound { .. }), "{error:?}");
    let error =
        run(shell("echo a\0b"), CaptureOptions::default(), stop(), |_, _| {}).await.unwrap_err();
    assert!(matches!(error, ExecError::NulByte { .. }), "{error:?}");
}

#[tokio::test]
async fn x38_f37_a_command_over_the_argument_limit_runs() {
    let command = format!("true #{}\necho ran \"$0\" $# \"$(cat)\"", "é".repeat(150_000));
    let finished = sh(&command).await;
    assert_eq!(finished.output.text, "ran bash 0 \n");
    let command = format!("x='{}'; echo ${{#x}}; exit 5", "y".repeat(900_000));
    let finished = sh(&command).await;
    assert_eq!((finished.exit, finished.output.text.as_str()), (Exit::Code(5), "900000\n"));
}

#[tokio::test]
async fn x38_f37_a_command_beyond_all_limits_is_refused_in_words() {
    let command = format!("true #{}", "x".repeat(2_000_000));
    let error =
        run(shell(&command), CaptureOptions::default(), CancellationToken::new(), |_, _| {})
            .await
            .unwrap_err();
    assert!(matches!(error, ExecError::CommandTooLong { bytes: 2_000_006, .. }), "{error:?}");
    let spec = ProcessSpec::new("/bin/echo").args(vec!["x".repeat(100_000); 60]);
    let error = run(spec, CaptureOptions::default(), CancellationToken::new(), |_, _| {})
        .await
        .unwrap_err();
    assert!(matches!(error, ExecError::CommandTooLong { .. }), "{error:?}");
}

#[tokio::test]
async fn a_cancelled_token_starts_nothing() {
    let stop = CancellationToken::new();
    stop.cancel();
    let error = run(shell("true"), CaptureOptions::default(), stop, |_, _| {}).await.unwrap_err();
    assert!(matches!(error, ExecError::StoppedBeforeStart), "{error:?}");
}

#[tokio::test]
async fn a_panic_of_the_listener_ends_the_process_and_is_an_error() {
    let started = Instant::now();
    let error = run(
        shell("echo now; sleep 600"),
        CaptureOptions::default(),
        CancellationToken::new(),
        |_, _| panic!("the listener"),
    )
    .await
    .unwrap_err();
    assert!(matches!(error, ExecError::Supervisor), "{error:?}");
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn x37_many_small_writes_are_few_deliveries() {
    let count = Arc::new(Mutex::new(0u32));
    let counter = Arc::clone(&count);
    let on_chunk = move |_, _: &str| *counter.lock().unwrap() += 1;
    let finished = run(
        shell("for i in $(seq 200000); do printf x; done"),
        CaptureOptions::default(),
        CancellationToken::new(),
        on_chunk,
    )
    .await
    .unwrap();
    assert_eq!(finished.output.bytes, 200_000);
    let most = 2.0 + finished.duration.as_secs_f64() * 60.0;
    assert!(f64::from(*count.lock().unwrap()) <= most);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f22_two_hundred_calls_at_once_each_get_their_own_answer() {
    let calls: Vec<_> = (0..200)
        .map(|number| {
            tokio::spawn(async move {
                (number, sh(&format!("echo {number}; exit {}", number % 50)).await)
            })
        })
        .collect();
    for call in calls {
        let (number, finished) = call.await.unwrap();
        assert_eq!(finished.output.text, format!("{number}\n"));
        assert_eq!(finished.exit, Exit::Code(number % 50));
    }
}
