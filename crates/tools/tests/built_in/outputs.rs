//! `read_output` and the bound for outputs of other tools.

use callgate_exec::capture_bytes;
use callgate_registry::{Content, ToolOutput};
use callgate_tools::bound;
use serde_json::json;

use crate::support::{Bench, text};

/// Keeps an output and returns its id and its file.
fn keep(bench: &Bench, content: &str) -> (String, std::path::PathBuf) {
    let spills = bench.toolbox.spills();
    let output = bound(spills, "test", ToolOutput::text(content), 1_000);
    let spill = output.spill.unwrap();
    (spill.id, spill.path)
}

fn lines(count: u32) -> String {
    (1..=count).map(|n| format!("line {n}\n")).collect()
}

#[tokio::test]
async fn lines_are_paged_and_searched() {
    let bench = Bench::new();
    let (id, _) = keep(&bench, &lines(20_000));
    assert_eq!(
        bench.text("read_output", json!({"id": id, "offset": 19_999})).await,
        "line 19999\nline 20000\n[lines 19999-20000 of 20,000]"
    );
    assert_eq!(
        bench.text("read_output", json!({"id": id, "pattern": "e 1999[89]$"})).await,
        "19998:line 19998\n19999:line 19999\n[2 matches]"
    );
    assert_eq!(
        bench
            .text("read_output", json!({"id": id, "pattern": "0$", "limit": 1, "offset": 15}))
            .await,
        "20:line 20\n[1,999 matches, of which 1 are shown; go on with offset 30]"
    );
    assert_eq!(
        bench.text("read_output", json!({"id": id, "pattern": "zzz"})).await,
        "[no match for zzz]"
    );
    let (code, told) = bench.refusal("read_output", json!({"id": id, "offset": 20_001})).await;
    assert_eq!(code, "execution_error");
    assert!(told.ends_with("has no line 20001: it has 20,000 lines."), "{told}");
}

#[tokio::test]
async fn paging_by_the_given_offsets_brings_every_line_once() {
    let bench = Bench::new();
    let content = lines(20_000);
    let (id, _) = keep(&bench, &content);
    let (mut seen, mut offset) = (String::new(), 1);
    loop {
        let told = bench.text("read_output", json!({"id": id, "offset": offset})).await;
        assert!(told.len() <= 51 * 1024, "{}", told.len());
        let (page, remark) = told.rsplit_once("\n[").unwrap();
        seen.push_str(page);
        seen.push('\n');
        match remark.split_once("go on with offset ") {
            Some((_, next)) => offset = next.trim_end_matches(']').parse::<u64>().unwrap(),
            None => break,
        }
    }
    assert_eq!(seen, content);
}

#[tokio::test]
async fn p06_an_output_that_was_changed_says_so_and_a_deleted_one_too() {
    let bench = Bench::new();
    let (id, path) = keep(&bench, &lines(20_000));
    std::fs::write(&path, "planted\n").unwrap();
    let told = bench.text("read_output", json!({"id": id})).await;
    assert!(
        told.starts_with("planted\n") && told.contains("WARNING: somebody changed this file"),
        "{told}"
    );
    std::fs::remove_file(&path).unwrap();
    let (code, told) = bench.refusal("read_output", json!({"id": id})).await;
    assert_eq!(code, "execution_error");
    assert!(told.contains("was deleted") || told.contains("There is no output"), "{told}");
}

#[tokio::test]
async fn an_unknown_id_is_answered_with_those_there_are() {
    let bench = Bench::new();
    let (_, told) = bench.refusal("read_output", json!({"id": "../x"})).await;
    assert_eq!(told, "There is no output ../x; none is kept at all.");
    let (id, _) = keep(&bench, &lines(20_000));
    let (code, told) = bench.refusal("read_output", json!({"id": "x"})).await;
    assert_eq!(
        (code, told),
        ("execution_error", format!("There is no output x. There are: {id} (test)."))
    );
}

#[test]
fn an_output_within_the_bound_stays_as_it_is() {
    let bench = Bench::new();
    let output = ToolOutput {
        content: vec![Content::text("a"), Content::text("b")],
        ..ToolOutput::default()
    };
    assert_eq!(bound(bench.toolbox.spills(), "test", output.clone(), 10), output);
}

#[test]
fn a_longer_output_is_kept_and_its_start_and_end_are_returned() {
    let bench = Bench::new();
    let image = Content::Image { media_type: "image/png".to_owned(), data: "AAAA".to_owned() };
    let content = vec![Content::text(lines(10_000)), image.clone(), Content::text("end")];
    let output = ToolOutput { content, ..ToolOutput::default() }.with_exit_code(Some(0));
    let bounded = bound(bench.toolbox.spills(), "test", output, 50 * 1024);
    assert_eq!(bounded.exit_code, Some(0));
    assert_eq!(bounded.content[1..], [image]);
    let shown =
        text(&ToolOutput { content: bounded.content[..1].to_vec(), ..ToolOutput::default() });
    assert!(shown.starts_with("line 1\n") && shown.ends_with("line 10000\n\nend"));
    assert!(shown.len() < 31_000, "{}", shown.len());
    let spill = bounded.spill.unwrap();
    let whole = format!("{}\nend", lines(10_000));
    assert_eq!(std::fs::read(spill.path).unwrap(), whole.as_bytes());
    // The same bound as that of commands.
    let options = callgate_exec::CaptureOptions::default();
    assert!(!capture_bytes(whole.as_bytes(), &options).is_whole());
}
