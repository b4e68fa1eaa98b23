use serde_json::json;

use super::*;
use crate::message::{Block, Message, ResultPart, Role};

/// A conversation in which tools answer as `answer` says, until the model asks for none. Gives the
/// turns of the model.
fn converse(task: &str, answer: impl Fn(&str, &Value) -> Result<String, String>) -> Vec<Turn> {
    let names = ["bash", "read_file", "write_file", "edit_file", "glob", "grep", "read_output"];
    let mut request = Request {
        messages: vec![Message::user(task)],
        tools: names.map(|name| json!({"name": name})).to_vec(),
        ..Request::default()
    };
    let mut turns = Vec::new();
    for _ in 0..20 {
        let turn = next_turn(&request);
        turns.push(turn.clone());
        if turn.calls.is_empty() {
            return turns;
        }
        let mut asked = Vec::new();
        let mut answered = Vec::new();
        for (at, (name, arguments)) in turn.calls.into_iter().enumerate() {
            let id = format!("{}_{at}", turns.len());
            let outcome = answer(&name, &serde_json::from_str(&arguments).unwrap());
            let is_error = outcome.is_err();
            let text = outcome.unwrap_or_else(|error| error);
            asked.push(Block::ToolUse { id: id.clone(), name, arguments });
            let content = vec![ResultPart::Text { text }];
            answered.push(Block::ToolResult { tool_use_id: id, content, is_error });
        }
        request.messages.push(Message { role: Role::Assistant, content: asked });
        request.messages.push(Message { role: Role::User, content: answered });
    }
    panic!("it never ends: {turns:#?}");
}

fn last(turns: &[Turn]) -> &str {
    &turns.last().unwrap().text
}

#[test]
fn calls_of_one_stage_go_out_together_and_stages_after_each_other() {
    let turns = converse("read a.txt and run ls, then read b.txt", |name, arguments| {
        let subject = arguments.get("path").or_else(|| arguments.get("command"));
        Ok(format!("{name} {}", subject.unwrap()))
    });
    let counts: Vec<usize> = turns.iter().map(|turn| turn.calls.len()).collect();
    assert_eq!(counts, [2, 1, 0]);
    assert_eq!(turns[0].text, "I'll read `a.txt` and run `ls`.");
    let wanted = "All 3 calls succeeded.\n\n\
        `read_file` of `a.txt`:\n```\nread_file \"a.txt\"\n```\n\n\
        `bash` of `ls`:\n```\nbash \"ls\"\n```\n\n\
        `read_file` of `b.txt`:\n```\nread_file \"b.txt\"\n```";
    assert_eq!(last(&turns), wanted);
}

#[test]
fn failures_are_told_honestly_and_do_not_stop_the_rest() {
    let turns = converse("run false and read a.txt and sing a song", |name, _| match name {
        "bash" => Err("exit code 1".to_owned()),
        _ => Ok("A".to_owned()),
    });
    let text = last(&turns);
    assert!(text.starts_with("1 of 2 calls failed."), "{text}");
    assert!(text.contains("`bash` of `false` failed:\n```\nexit code 1\n```"), "{text}");
}

#[test]
fn a_path_that_the_error_suggests_is_tried_once() {
    let answer = |_: &str, arguments: &Value| match arguments["path"].as_str() {
        Some("src/main.rs") => Ok("fn main() {}".to_owned()),
        other => Err(format!("{} does not exist; did you mean src/main.rs?", other.unwrap())),
    };
    let turns = converse("read src/mian.rs", answer);
    assert_eq!(turns.len(), 3);
    assert_eq!(turns[1].calls[0].1, "{\"path\":\"src/main.rs\"}");
    assert!(last(&turns).contains("fn main() {}"), "{}", last(&turns));
}

#[test]
fn a_tool_that_the_error_suggests_is_tried_once_and_never_again() {
    let wrong = |name: &str, _: &Value| {
        Err(format!("there is no tool {name}; did you mean read_file or grep?"))
    };
    let turns = converse("call reed_file {\"path\": \"a\"}", wrong);
    let names: Vec<&str> =
        turns.iter().flat_map(|turn| &turn.calls).map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["reed_file", "read_file"]);
    assert!(last(&turns).starts_with("2 of 2 calls failed."));
}

#[test]
fn a_suggestion_about_something_else_is_not_followed() {
    let turns = converse("read a.txt", |_, _| Err("did you mean well?".to_owned()));
    assert_eq!(turns.len(), 2);
}

#[test]
fn long_results_are_shown_in_part_and_can_not_break_out_of_their_block() {
    let long: Vec<String> =
        (1..=40).map(|line| format!("{line} ``` {}", "x".repeat(500))).collect();
    let turns = converse("read a.txt", |_, _| Ok(long.join("\n")));
    let text = last(&turns);
    assert!(text.contains("\n````\n1 ``` xxx"), "{text}");
    assert!(text.contains("\n… 28 lines …\n35 ``` xxx"), "{text}");
    assert!(text.ends_with("\n````") && text.len() < 3_000, "{text}");
}

#[test]
fn what_it_can_not_do_it_says_with_what_it_can() {
    let turns = converse("Why is the sky blue?", |_, _| panic!("it called a tool"));
    let text = last(&turns);
    for word in ["offline model", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "--base-url", "tour"] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn what_is_not_understood_is_told_with_the_reason() {
    let cases = [
        ("run `touch x` if it rains", "I did not understand “run `touch x` if it rains”"),
        ("delete everything", "I don't know what “everything” stands for"),
        ("create notes.txt", "what shall be in it?"),
        ("never delete a.txt", "it says “never”"),
        ("delete notes", "`delete ./notes.txt`"),
        ("run `touch x` twice", "in backticks with nothing after it"),
    ];
    for (task, wanted) in cases {
        let turns = converse(task, |_, _| panic!("{task}: it called a tool"));
        assert!(last(&turns).contains(wanted), "{task}: {}", last(&turns));
    }
    let turns = converse("search for TODO in src and fix them", |_, _| Ok("src/a:1".to_owned()));
    assert_eq!(turns.len(), 2);
    assert!(last(&turns).contains("I did not understand “fix them”"), "{}", last(&turns));
    let turns = converse("read a.txt, hmm, delete b.txt", |name, _| Ok(name.to_owned()));
    assert!(last(&turns).contains("I left “delete b.txt” undone"), "{}", last(&turns));
}

#[test]
fn the_tour_shows_the_four_pits_and_cleans_up() {
    let turns = converse("show me the four pits", |name, arguments| match name {
        "reed_file" => Err("unknown_tool: did you mean read_file?".to_owned()),
        "glob" => Ok("Cargo.toml\nREADME.md\nsrc/".to_owned()),
        "read_file" if arguments["limit"] == "many" => Err("/limit: expected integer".to_owned()),
        "read_file" => Ok("1\tsecond".to_owned()),
        "bash" if arguments["command"] == "seq 1 80000" => {
            Ok("1\n2\n[…; read_output with id \"3f2a\" pages and searches it]\n80000".to_owned())
        }
        "read_output" => Ok("40000:40000".to_owned()),
        "bash" if arguments["command"] == "env | sort" => Ok("HOME=/h\nPATH=/bin".to_owned()),
        _ => Ok("done".to_owned()),
    });
    let calls: Vec<&(String, String)> = turns.iter().flat_map(|turn| &turn.calls).collect();
    let names: Vec<&str> = calls.iter().map(|(name, _)| name.as_str()).collect();
    let wanted = [
        "reed_file",
        "glob",
        "read_file",
        "read_file",
        "read_file",
        "write_file",
        "write_file",
        "read_file",
        "bash",
        "bash",
        "read_output",
        "bash",
    ];
    assert_eq!(names, wanted);
    assert_eq!(calls[2].1, "{\"path\":\"Cargo.toml\",\"limit\":5}");
    assert_eq!(calls[3].1, "{\"path\":\"README.md\",\"limit\":5}");
    assert!(
        calls
            .iter()
            .filter(|(name, _)| name == "write_file")
            .all(|(_, arguments)| { arguments.contains("\".callgate-tour/note.txt\"") })
    );
    assert_eq!(calls.last().unwrap().1, "{\"command\":\"rm -rf -- .callgate-tour\"}");
    assert_eq!(calls[10].1, "{\"id\":\"3f2a\",\"pattern\":\"^40000$\"}");
    assert!(last(&turns).contains("40000:40000"));
    assert!(turns[1].text.contains("did you mean read_file?"));
    assert!(turns[2].text.contains("/limit: expected integer"));
    assert!(turns[3].text.contains("The reader saw `second`"));
    assert!(turns[4].text.contains("2 variables"));
    assert!(last(&turns).contains("12 calls, 12 results, 2 of them failures"));
}

#[test]
fn a_tour_in_which_nothing_is_allowed_says_so_and_ends() {
    let turns = converse("tour", |_, _| Err("denied".to_owned()));
    assert_eq!(turns.len(), 6);
    assert!(turns[3].text.contains("not possible here"));
    assert!(last(&turns).contains("11 of them failures"));
}

#[test]
fn without_tools_it_asks_for_none() {
    let request = Request { messages: vec![Message::user("read a")], ..Request::default() };
    assert_eq!(next_turn(&request).calls, []);
}

#[test]
fn a_new_request_after_an_old_one_starts_afresh() {
    let call =
        Block::ToolUse { id: "1".to_owned(), name: "bash".to_owned(), arguments: "{}".to_owned() };
    let result = Block::ToolResult { tool_use_id: "1".to_owned(), content: vec![], is_error: true };
    let request = Request {
        messages: vec![
            Message::user("run x"),
            Message { role: Role::Assistant, content: vec![call] },
            Message {
                role: Role::User,
                content: vec![result, Block::Text { text: "read b".to_owned() }],
            },
        ],
        tools: vec![json!({"name": "read_file"})],
        ..Request::default()
    };
    assert_eq!(
        next_turn(&request).calls,
        [("read_file".to_owned(), "{\"path\":\"b\"}".to_owned())]
    );
}

#[test]
fn listing_shows_directories_too_and_quotes_what_a_shell_would_split() {
    let turns = converse("ls and list 'my docs'", |_, _| Ok("src/".to_owned()));
    let commands: Vec<&str> =
        turns[0].calls.iter().map(|(_, arguments)| arguments.as_str()).collect();
    assert_eq!(commands, [r#"{"command":"ls -Ap"}"#, r#"{"command":"ls -Ap -- 'my docs'"}"#]);
}
