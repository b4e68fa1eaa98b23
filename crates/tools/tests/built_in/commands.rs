//! `bash`.

use std::time::{Duration, Instant};

use callgate_registry::{OutputStream, ToolError};
use serde_json::json;

use crate::support::{Bench, Context, eventually, text};

#[tokio::test]
async fn a_command_answers_with_its_output_and_its_exit_code() {
    let bench = Bench::new();
    let output = bench.call("bash", json!({"command": "pwd; echo err >&2"})).await.unwrap();
    assert_eq!(text(&output), format!("{}\nerr\n", bench.root().display()));
    assert_eq!(output.exit_code, Some(0));
    assert_eq!(bench.text("bash", json!({"command": "true"})).await, "[no output]");
}

#[tokio::test]
async fn a_command_that_fails_is_a_failed_call_with_its_whole_output() {
    let bench = Bench::new();
    let failed = bench.call("bash", json!({"command": "echo before; exit 3"})).await.unwrap_err();
    let ToolError::Failed { message, output } = failed else { panic!("{failed}") };
    assert_eq!(message, "exit code 3");
    assert_eq!(text(&output), "before\nexit code 3");
    assert_eq!(output.exit_code, Some(3));
    assert_eq!(bench.refusal("bash", json!({"command": "false"})).await.1, "exit code 1");
    let killed = bench.refusal("bash", json!({"command": "kill -9 $$"})).await.1;
    assert_eq!(killed, "ended by signal 9; exit code 137");
}

#[tokio::test]
async fn output_is_shown_while_the_command_runs() {
    let bench = Bench::new();
    let context = Context::default();
    let chunks = std::sync::Arc::clone(&context.chunks);
    let go = bench.path("go");
    let command = "echo early; until [ -e go ]; do sleep 0.01; done; echo late";
    let call = bench.call_with("bash", json!({"command": command}), context);
    let watch = async {
        eventually("the first line is shown", || !chunks.lock().unwrap().is_empty()).await;
        std::fs::write(go, "").unwrap();
    };
    let (output, ()) = tokio::join!(call, watch);
    assert_eq!(text(&output.unwrap()), "early\nlate\n");
    let chunks = chunks.lock().unwrap();
    assert_eq!(chunks[0].stream, OutputStream::Stdout);
    let all: String = chunks.iter().map(|chunk| chunk.text.as_str()).collect();
    assert_eq!(all, "early\nlate\n");
}

#[tokio::test]
async fn a_command_that_is_stopped_returns_what_it_printed() {
    let bench = Bench::new();
    let context = Context::default();
    let (stop, chunks) = (context.stop.clone(), std::sync::Arc::clone(&context.chunks));
    let begun = Instant::now();
    let call = bench.call_with("bash", json!({"command": "echo early; sleep 600"}), context);
    let watch = async {
        eventually("the first line is shown", || !chunks.lock().unwrap().is_empty()).await;
        stop.cancel();
    };
    let (output, ()) = tokio::join!(call, watch);
    let output = output.unwrap();
    assert_eq!((text(&output).as_str(), output.exit_code), ("early\n", None));
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[tokio::test]
async fn a_process_left_behind_is_ended_and_named() {
    let bench = Bench::new();
    let told = bench.text("bash", json!({"command": "sleep 654 & echo ok"})).await;
    assert!(
        told.starts_with("ok\n[1 process still ran when the command ended, and was ended: "),
        "{told}"
    );
    assert!(told.contains("sleep 654"), "{told}");
}

#[tokio::test]
async fn x16_a_directory_that_is_gone_does_not_make_later_commands_fail() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("d")).unwrap();
    let inside = bench.text("bash", json!({"command": "pwd", "workdir": "d"})).await;
    assert_eq!(inside, format!("{}\n", bench.path("d").display()));
    bench.call("bash", json!({"command": "rmdir ../d", "workdir": "d"})).await.unwrap();
    let told = bench.text("bash", json!({"command": "pwd"})).await;
    assert_eq!(told, format!("{}\n", bench.root().display()));
}

#[tokio::test]
async fn nothing_runs_where_the_named_directory_is_not() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("build")).unwrap();
    bench.write("built", "");
    let command = "rm -rf ./*";
    for (workdir, code, told) in [
        (
            "biuld",
            "execution_error",
            "workdir biuld does not exist; did you mean build? Nothing ran.",
        ),
        ("zzz", "execution_error", "workdir zzz does not exist. Nothing ran."),
        ("built", "execution_error", "workdir built is no directory. Nothing ran."),
        ("a\0b", "invalid_arguments", "/workdir: A path can't hold a NUL character."),
    ] {
        let call = json!({"command": command, "workdir": workdir});
        assert_eq!(bench.refusal("bash", call).await, (code, told.to_owned()));
    }
    let call = json!({"command": command, "workdir": ".."});
    let (code, told) = bench.refusal("bash", call).await;
    assert_eq!(code, "denied");
    assert!(told.contains("Nothing ran") && !told.contains("--allow"), "{told}");
    assert!(bench.path("build").exists() && bench.path("built").exists());
}

#[tokio::test]
async fn a_working_directory_that_is_gone_is_named() {
    let bench = Bench::new();
    std::fs::remove_dir(bench.root()).unwrap();
    let (code, told) = bench.refusal("bash", json!({"command": "pwd"})).await;
    assert_eq!(code, "execution_error");
    assert!(told.contains(&format!("{} is no longer there", bench.root().display())), "{told}");
}

#[tokio::test]
async fn a_command_that_names_what_lies_outside_is_not_taken_for_a_reader() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("sub")).unwrap();
    let bash = bench.tools.get("bash").unwrap();
    let reads = |arguments| bash.effects(&arguments).is_read_only();
    assert!(reads(json!({"command": "cat x", "workdir": "sub"})));
    assert!(reads(json!({"command": "cat ../x", "workdir": "sub"})));
    assert!(!reads(json!({"command": "cat ../x"})));
    assert!(!reads(json!({"command": "ls", "workdir": ".."})));
    assert!(!reads(json!({"command": "cat /proc/1/environ"})));
}

#[tokio::test]
async fn a_command_that_is_too_long_is_told_what_would_work() {
    let told = Bench::new().refusal("bash", json!({"command": "x".repeat(3_000_000)})).await;
    assert_eq!(told.0, "invalid_arguments");
    assert!(told.1.contains("write_file") && !told.1.contains("standard input"), "{}", told.1);
}

#[tokio::test]
async fn a_command_sees_the_environment_that_it_was_given_and_no_other() {
    let told = Bench::new().text("bash", json!({"command": "env | cut -d= -f1 | sort"})).await;
    // All but PATH is set by bash itself, and by the layer that finds lost processes again.
    assert_eq!(told, "PATH\nPWD\nSHLVL\n_\n");
}

#[tokio::test]
async fn a_long_output_is_kept_whole_and_found_by_its_id() {
    let bench = Bench::new();
    let output = bench.call("bash", json!({"command": "seq 80000; exit 1"})).await.unwrap_err();
    let ToolError::Failed { output, .. } = output else { panic!("{output}") };
    let told = text(&output);
    assert!(told.starts_with("1\n2\n") && told.ends_with("80000\nexit code 1"), "{}", told.len());
    let spill = output.spill.unwrap();
    let page = json!({"id": spill.id, "offset": 40_000, "limit": 2});
    assert_eq!(
        bench.text("read_output", page).await,
        "40000\n40001\n[lines 40000-40001 of 80,000; go on with offset 40002]"
    );
}

#[tokio::test]
async fn commands_that_cannot_be_run_are_refused_in_words() {
    let bench = Bench::new();
    let (code, told) = bench.refusal("bash", json!({"command": "echo a\0b"})).await;
    assert_eq!(code, "invalid_arguments");
    assert!(told.contains("NUL"), "{told}");
}
