//! The full-screen app in a real pseudo-terminal, seen through a terminal's eyes.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking"
)]

use std::time::Duration;

use callgate_tests::{
    ModelServer, Pty, Sandbox, Signal, Turn, Wire, alive, callgate, eventually, marker,
};
use serde_json::json;

const SIZES: [(u16, u16); 2] = [(80, 24), (120, 40)];
const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";
const F2: &str = "\u{1b}OQ";
const F4: &str = "\u{1b}OS";
/// What the empty composer says.
const READY: &str = "ask for something";

/// The app, ready for a prompt.
fn app(place: &Sandbox, args: &[&str], size: (u16, u16)) -> Pty {
    let mut app = Pty::start(place, args, size);
    app.wait_for_text(READY);
    app
}

/// Waits until no task runs.
fn idle(app: &mut Pty) {
    app.wait_for("the idle state", |screen| {
        screen.rows(0, screen.size().1.get()).next().is_some_and(|row| row.contains("idle"))
    });
}

fn quit(app: Pty) -> Vec<u8> {
    app.send(CTRL_D);
    let (status, log) = app.finish();
    assert_eq!(status.code(), Some(0));
    log
}

fn count(log: &[u8], bytes: &[u8]) -> usize {
    log.windows(bytes.len()).filter(|window| *window == bytes).count()
}

#[test]
fn the_first_frame_has_the_place_the_model_and_where_to_write() {
    for size in SIZES {
        let place = Sandbox::new();
        let mut app = app(&place, &[], size);
        idle(&mut app);
        let screen = app.screen();
        assert!(screen.alternate_screen(), "{size:?}");
        assert!(screen.bracketed_paste(), "{size:?}");
        let text = app.text();
        assert!(text.contains("callgate") && text.contains("offline"), "{size:?}:\n{text}");
        assert!(text.contains("ANTHROPIC_API_KEY"), "who answers is said:\n{text}");
        quit(app);
    }
}

#[test]
fn a_prompt_leads_to_a_call_and_an_answer_on_the_screen() {
    for size in SIZES {
        let place = Sandbox::new();
        place.file("notes.txt", "the needle is here\n");
        let mut app = app(&place, &[], size);
        app.submit("read notes.txt");
        app.wait_for("the row of the call", |screen| {
            let text = screen.contents();
            text.contains("read_file") && text.contains("ok")
        });
        app.wait_for_text("the needle is here");
        idle(&mut app);
        quit(app);
    }
}

#[test]
fn a_spilled_output_shows_its_two_ends_its_size_and_where_it_lies() {
    for size in SIZES {
        let place = Sandbox::new();
        let mut app = app(&place, &["--permission-mode", "full-auto"], size);
        app.submit("run `seq 1 80000`");
        app.wait_for_text("1 call");
        idle(&mut app);
        app.send(F4);
        app.wait_for_text("80000");
        app.send("s");
        app.wait_for_text("as the model received it");
        app.wait_for("the counts", |screen| {
            let text = screen.contents();
            text.contains("468") && text.contains("lines")
        });
        app.send("2");
        app.wait_for_text("omitted");
        app.send("3");
        app.wait_for_text("79999");
        app.send("1");
        app.wait_for_text("as the model received it");
        assert_eq!(
            place
                .state_files("outputs")
                .iter()
                .filter(|f| f.metadata().unwrap().len() == 468_894)
                .count(),
            1
        );
        app.signal(Signal::TERM);
        app.finish();
    }
}

#[test]
fn an_approval_is_shown_and_typed_text_never_answers_it() {
    for size in SIZES {
        let place = Sandbox::new();
        let made = place.work().join("made");
        let mut app = app(&place, &[], size);
        app.submit("run `touch made`");
        app.wait_for_text("waits for you");
        // What is typed goes where the person writes.
        app.send("yyyaaay");
        app.wait_for_text("yyyaaay");
        app.send(CTRL_C);
        app.wait_for_no_text("yyyaaay");
        assert!(!made.exists());
        // A key on the heels of the card is no answer either.
        app.send(&format!("{F2}y"));
        app.wait_for_text("May c1 run bash?");
        app.wait_for_text("touch made");
        app.wait_for_text("armed");
        assert!(!made.exists());
        app.send("y");
        eventually("the command runs", || made.exists());
        idle(&mut app);
        quit(app);
    }
}

#[test]
fn what_a_person_denies_never_runs() {
    let place = Sandbox::new();
    let mut app = app(&place, &[], (80, 24));
    app.submit("run `touch made`");
    app.wait_for_text("waits for you");
    app.send(F2);
    app.wait_for_text("armed");
    app.send("n");
    app.wait_for_text("deny");
    idle(&mut app);
    assert!(!place.work().join("made").exists());
    quit(app);
}

#[test]
fn ctrl_c_clears_then_interrupts_then_asks_then_quits() {
    let place = Sandbox::new();
    let mark = marker();
    let mut app = app(&place, &["--permission-mode", "full-auto"], (80, 24));
    app.submit(&format!("run `sleep {mark}; true`"));
    eventually("it sleeps", || alive(&mark).len() >= 2);
    app.send("half a thought");
    app.wait_for_text("half a thought");
    app.send(CTRL_C);
    app.wait_for_no_text("half a thought");
    assert!(!alive(&mark).is_empty(), "the first one only cleared the text");
    app.send(CTRL_C);
    idle(&mut app);
    app.wait_for_text("cncl");
    assert_eq!(alive(&mark), Vec::<String>::new());
    // Three within two seconds would quit at once, so a key in between starts over.
    app.send("x");
    app.wait_for_text("> x");
    app.send("\u{7f}");
    app.wait_for_text(READY);
    app.settle(Duration::from_millis(2_100));
    app.send(CTRL_C);
    app.wait_for_text("Ctrl-C again to quit");
    app.send(CTRL_C);
    let (status, _) = app.finish();
    assert_eq!(status.code(), Some(0));
}

#[test]
fn quitting_in_mid_call_leaves_nothing_alive() {
    let place = Sandbox::new();
    let mark = marker();
    let mut app = app(&place, &["--permission-mode", "full-auto"], (80, 24));
    app.submit(&format!("run `sleep {mark}; true`"));
    eventually("it sleeps", || alive(&mark).len() >= 2);
    app.send(CTRL_D);
    app.finish();
    eventually("nothing is left", || alive(&mark).is_empty());
}

#[test]
fn a_storm_of_resizes_ends_in_a_sane_screen() {
    let place = Sandbox::new();
    place.file("notes.txt", "the needle is here\n");
    let mut app = app(&place, &[], (80, 24));
    app.submit("read notes.txt");
    app.wait_for_text("the needle is here");
    idle(&mut app);
    for step in 0..200_u16 {
        app.resize((1 + step * 7 % 160, 1 + step * 5 % 50));
        if step % 3 == 0 {
            app.send("x\u{7f}");
        }
    }
    app.resize((100, 30));
    app.wait_for("a whole screen", |screen| {
        let rows: Vec<String> = screen.rows(0, 100).collect();
        rows[0].contains("callgate")
            && rows[0].contains("idle")
            && rows[29].contains("Enter send")
            && screen.contents().contains(READY)
            && screen.contents().contains("the needle is here")
    });
    app.settle(Duration::from_millis(300));
    let text = app.text();
    assert_eq!(text.matches(READY).count(), 1, "nothing is left of other sizes:\n{text}");
    assert_eq!(text.matches("callgate ").count(), 1, "{text}");
    quit(app);
}

#[test]
fn pain_50_t24_quitting_and_signals_give_the_terminal_back() {
    let place = Sandbox::new();
    let log = quit(app(&place, &[], (80, 24)));
    for (set, reset) in [("\u{1b}[?1049h", "\u{1b}[?1049l"), ("\u{1b}[?2004h", "\u{1b}[?2004l")] {
        assert_eq!(count(&log, set.as_bytes()), 1, "{set:?}");
        assert!(count(&log, reset.as_bytes()) >= 1, "{reset:?}");
    }
    assert!(count(&log, b"\x1b[?25h") >= 1, "the cursor is shown in the end");
    for signal in [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT] {
        let app = app(&place, &[], (80, 24));
        app.signal(signal);
        let (status, log) = app.finish();
        assert!(!status.success(), "{signal:?}");
        assert!(count(&log, b"\x1b[?1049l") >= 1, "{signal:?}");
    }
}

#[test]
fn a_suspended_app_gives_the_terminal_to_the_shell_and_takes_it_again() {
    let place = Sandbox::new();
    // A shell with jobs: it goes on when the app stops.
    let script = "set -m; \"$0\"; echo stopped; read -r line; fg >/dev/null; echo \"ended $?\"";
    let callgate = callgate().display().to_string();
    let mut app = Pty::program(&place, "bash", &["-c", script, &callgate], (80, 24));
    app.wait_for_text(READY);
    app.send("\u{1a}");
    app.wait_for_text("stopped");
    let screen = app.screen();
    assert!(!screen.alternate_screen() && !screen.bracketed_paste() && !screen.hide_cursor());
    app.send("\r");
    app.wait_for("the app again", |screen| {
        screen.alternate_screen() && screen.contents().contains(READY)
    });
    app.settle(Duration::from_millis(300));
    app.send(CTRL_D);
    app.wait_for_text("ended 0");
    let (_, log) = app.finish();
    assert!(count(&log, b"\x1b[?1049h") >= 2, "taken at the start and after the pause");
}

#[test]
fn pain_44_an_idle_app_writes_nothing() {
    for size in SIZES {
        let place = Sandbox::new();
        place.file("notes.txt", "the needle is here\n");
        let mut app = app(&place, &[], size);
        app.submit("read notes.txt");
        app.wait_for_text("the needle is here");
        idle(&mut app);
        app.settle(Duration::from_millis(500));
        assert_eq!(app.writes_within(Duration::from_secs(2)), 0, "{size:?}");
        quit(app);
    }
}

#[test]
fn pain_29_t02_t03_t06_t07_t18_t22_output_of_a_tool_never_drives_the_terminal() {
    let place = Sandbox::new();
    let hostile = "before\\033]52;c;ZXZpbA==\\007\\033]0;title\\007\\033[?1049h\\033[2J\\033[6n\\033[c\
                   \\033]11;?\\007\\033P$q q\\033\\\\\\033_Gf=100;AAAA\\033\\\\\\033[?1000h\\033[201~\
                   \\302\\233?1049l\\007\\007\\033]8;;http://evil\\033\\\\after\\n";
    place.file("hostile.sh", format!("printf '{hostile}'\n"));
    place.call("bash", &json!({"command": "sh hostile.sh | sed s/after/later/ > hostile.txt"}));
    let mut app = app(&place, &["--permission-mode", "full-auto"], (120, 40));
    for (prompt, end) in [("run `sh hostile.sh`", "after"), ("read hostile.txt", "later")] {
        app.submit(prompt);
        app.wait_for_text(end);
        idle(&mut app);
    }
    app.send(F4);
    app.send("s");
    app.wait_for_text("as the model received it");
    app.settle(Duration::from_millis(300));
    assert!(app.screen().alternate_screen());
    app.signal(Signal::TERM);
    let (_, log) = app.finish();
    for bytes in [
        &b"\x1b]52"[..],
        b"\x1b]0;",
        b"\x1b]8;",
        b"\x1b]11",
        b"\x1b[6n",
        b"\x1b[c",
        b"\x1bP",
        b"\x1b_G",
        b"\x1b[?1000h",
        b"\x1b[201~",
        b"\xc2\x9b",
        b"\x07",
    ] {
        assert_eq!(count(&log, bytes), 0, "{}", String::from_utf8_lossy(bytes).escape_debug());
    }
    assert_eq!(count(&log, b"\x1b[?1049h"), 1, "only our own");
    assert_eq!(count(&log, b"\x1b[?1049l"), 1, "only our own");
}

#[test]
fn x25_a_command_has_no_way_to_the_terminal_by_name() {
    let place = Sandbox::new();
    let mut app = app(&place, &["--permission-mode", "full-auto"], (80, 24));
    place.file("tty.sh", "printf '\\033]0;pwn\\007' >/dev/tty; echo finished\n");
    app.submit("run `sh tty.sh`");
    app.wait_for_text("finished");
    idle(&mut app);
    assert_eq!(count(&quit(app), b"pwn"), 0);
}

#[test]
fn a_pasted_text_with_newlines_is_one_prompt_that_waits_for_enter() {
    let place = Sandbox::new();
    let mut app = app(&place, &[], (80, 24));
    app.send("\u{1b}[200~first line\nsecond line\n\u{1b}[201~");
    app.wait_for_text("second line");
    app.settle(Duration::from_millis(300));
    assert!(app.text().contains("idle"), "nothing was sent:\n{}", app.text());
    app.send(CTRL_C);
    app.wait_for_text(READY);
    quit(app);
}

#[test]
fn a_whole_loop_with_a_model_server_is_on_the_screen() {
    for (wire, size) in Wire::ALL.into_iter().zip(SIZES) {
        let turns = [
            Turn::says("Reading both.").and("x", "read_file", &json!({"path": "a.txt"})).and(
                "y",
                "read_file",
                &json!({"path": "b.txt"}),
            ),
            Turn::says("They say apple and banana."),
            Turn::says("Good bye."),
        ];
        let server = ModelServer::start(wire, turns);
        let place = Sandbox::new().with_model(&server, "sk-canary");
        place.file("a.txt", "apple");
        place.file("b.txt", "banana");
        let mut app = app(&place, &[], size);
        app.submit("what do they say?");
        app.wait_for_text("They say apple and banana.");
        idle(&mut app);
        let text = app.text();
        assert!(text.contains("a.txt") && text.contains("b.txt"), "{text}");
        app.submit("thanks");
        app.wait_for_text("Good bye.");
        idle(&mut app);
        let log = quit(app);
        assert_eq!(count(&log, b"sk-canary"), 0);
        let requests = server.finish();
        assert_eq!(requests.len(), 3);
        let said = requests[2].body["messages"].to_string();
        assert!(said.contains("apple and banana") && said.contains("thanks"), "{said}");
    }
}

#[test]
fn without_a_terminal_the_app_says_how_to_use_run() {
    let ran = Sandbox::new().run(&[]).exits(2);
    assert!(ran.stderr.contains("callgate run"), "{}", ran.stderr);
}
