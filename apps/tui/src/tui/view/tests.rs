use serde_json::json;

use crate::tui::{
    msg::{Msg, Size},
    testing::{Stage, assert_harmless},
};

/// The scene at every size, each as a snapshot of its own.
fn at_sizes(name: &str, scene: impl Fn(&mut Stage)) {
    for (width, height) in [(80, 24), (120, 40), (200, 60), (40, 10), (30, 6), (1, 1), (0, 0)] {
        let mut stage = Stage::new(width, height);
        scene(&mut stage);
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), stage.picture());
    }
}

#[test]
fn idle() {
    at_sizes("idle", |stage| {
        stage.event(
            1,
            json!({"type": "notice", "message": "no key found: the offline model answers"}),
        );
    });
}

#[test]
fn streaming() {
    at_sizes("streaming", |stage| {
        stage.event(1, json!({"type": "prompt", "text": "Why does the retry test hang?"}));
        stage.event(2, json!({"type": "turn.started", "turn": 1}));
        stage.event(3, json!({"type": "thinking.delta", "text": "The token is never polled."}));
        stage.event(4, json!({"type": "text.delta", "text": "The retry loop **never** sees the token:\n\n1. `run` waits for the permit\n2. the permit is "}));
        stage.type_text("and add a test");
        stage.press("ctrl-j");
        stage.type_text("for 日本語");
        stage.at(2_500);
    });
}

#[test]
fn running() {
    at_sizes("running", Stage::running_batch);
}

#[test]
fn running_with_the_batch_focused() {
    at_sizes("running_focused", |stage| {
        stage.running_batch();
        stage.press("f4");
        stage.press("G");
    });
}

#[test]
fn finished() {
    at_sizes("finished", Stage::finished_batch);
}

#[test]
fn detail() {
    at_sizes("detail", |stage| {
        stage.finished_batch();
        stage.press("f4");
        stage.press("j");
        stage.press("j");
        stage.press("enter");
    });
}

#[test]
fn spill() {
    at_sizes("spill", |stage| {
        stage.finished_batch();
        stage.press("f4");
        stage.press("j");
        stage.press("j");
        stage.press("s");
        stage.picture();
        stage.press("2");
    });
}

#[test]
fn approval_pending() {
    at_sizes("approval_pending", |stage| {
        stage.running_batch();
        stage.ask(3_400, "toolu_5");
    });
}

#[test]
fn approval_focused() {
    at_sizes("approval_focused", |stage| {
        stage.running_batch();
        stage.ask(3_400, "toolu_5");
        stage.press("alt-a");
        stage.picture();
        stage.at(4_000);
    });
}

#[test]
fn approval_clipped() {
    at_sizes("approval_clipped", |stage| {
        let script: String =
            (0..60).fold(String::new(), |script, line| script + &format!("echo {line}\n"));
        stage.queue((1, 1), 0, (1, "a"), json!({"name": "bash", "arguments": {"command": format!("{script}\rrm -rf ~\u{202e}")}}));
        stage.ask(2, "a");
        stage.press("f2");
        stage.at(1_000);
    });
}

#[test]
fn help() {
    at_sizes("help", |stage| {
        stage.press("f1");
    });
}

#[test]
fn zoomed() {
    at_sizes("zoomed", |stage| {
        stage.running_batch();
        stage.press("f4");
        stage.press("z");
    });
}

#[test]
fn t02_t03_t06_t07_t08_t10_t11_t12_t13_t14_t18_t22_t23_hostile_output_reaches_no_cell() {
    let hostile = [
        "\u{1b}]52;c;ZXZpbA==\u{7}",
        "\u{1b}]0;title\u{7}",
        "\u{1b}[6n\u{1b}[c\u{1b}]11;?\u{7}",
        "\u{1b}P$q q\u{1b}\\",
        "x\u{1b}[201~\nrm -rf x\n",
        "echo safe\rrm -rf /",
        "rm x\u{8}\u{8}\u{8}\u{8}ls  ",
        "\u{202e}gpj.exe",
        "ok\u{e0069}\u{e0067}",
        "a\u{200b}b\u{2060}c\u{feff}d",
        "\u{1b}_Gf=100;AAAA\u{1b}\\\u{1b}Pq#0\u{1b}\\",
        "\u{7}\u{7}\u{7}",
        "\u{1b}[38;2;0;0;0m\u{1b}[8mhidden\u{1b}[0m",
        "\u{9b}2J\u{9d}0;t\u{9c}",
        "&#27;[2J&#x9b;m",
        "\0\u{7f}",
    ]
    .join("|");
    for (width, height) in [(200, 60), (80, 24), (30, 6)] {
        let mut stage = Stage::new(width, height);
        stage.event(1, json!({"type": "prompt", "text": hostile}));
        stage.event(2, json!({"type": "text.delta", "text": hostile}));
        stage.event(
            2,
            json!({"type": "text.delta", "text": format!("\n```{hostile}\n{hostile}\n```\n")}),
        );
        stage.queue(
            (3, 1),
            0,
            (1, &hostile),
            json!({"name": hostile, "subject": hostile,
            "arguments": {(hostile.clone()): hostile}}),
        );
        stage.event(
            4,
            json!({"type": "tool.awaiting_approval", "tool_use_id": hostile, "reason": hostile}),
        );
        for keys in [&["f2"][..], &["esc", "f4"], &["enter"], &["s"], &["esc"]] {
            for key in keys {
                stage.press(key);
            }
            assert_harmless(&stage.frame().0);
        }
        stage.event(5, json!({"type": "tool.started", "tool_use_id": hostile}));
        stage.event(5, json!({"type": "tool.output", "tool_use_id": hostile, "stream": "stdout", "text": hostile}));
        assert_harmless(&stage.frame().0);
        stage.finish(6, &hostile, &hostile, json!({"content": hostile}));
        for key in ["f5", "s", "end"] {
            stage.press(key);
            assert_harmless(&stage.frame().0);
        }
    }
}

#[test]
fn every_size_is_drawn() {
    let mut stage = Stage::new(80, 24);
    stage.finished_batch();
    stage.event(5_000, json!({"type": "prompt", "text": "again"}));
    for key in ["f3", "f4", "enter", "s", "z", "f1"] {
        stage.press(key);
        for width in (0..60).chain((60..210).step_by(29)) {
            for height in (0..20).chain((20..70).step_by(13)) {
                stage.send(Msg::Resize(Size { width, height }));
                stage.frame();
            }
        }
        stage.press("esc");
    }
}

#[test]
fn a_thousand_calls_cost_no_more_than_a_screen() {
    let mut stage = Stage::new(120, 40);
    for index in 0..1_000 {
        let id = format!("id-{index}");
        stage.queue(
            (1, 1),
            index,
            (1_000, &id),
            json!({"name": "bash", "arguments": {"command": "x"}}),
        );
        if index % 2 == 0 {
            stage.event(2, json!({"type": "tool.started", "tool_use_id": id}));
        }
    }
    stage.press("f4");
    stage.press("G");
    assert!(stage.picture().contains("c1000"));
}
