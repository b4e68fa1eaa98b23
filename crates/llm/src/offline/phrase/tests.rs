use super::*;

fn plan(stages: Vec<Vec<Step>>) -> Wish {
    Wish::Plan { stages, puzzles: Vec::new() }
}

fn one(step: Step) -> Wish {
    plan(vec![vec![step]])
}

fn read(path: &str) -> Step {
    Step::Read { path: path.to_owned(), offset: None, limit: None }
}

fn lines(path: &str, offset: Option<u64>, limit: Option<u64>) -> Step {
    Step::Read { path: path.to_owned(), offset, limit }
}

fn list(path: Option<&str>) -> Step {
    Step::List { path: path.map(str::to_owned) }
}

fn find(pattern: &str, path: Option<&str>) -> Step {
    Step::Find { pattern: pattern.to_owned(), path: path.map(str::to_owned) }
}

fn search(pattern: &str, path: Option<&str>) -> Step {
    Step::Search { pattern: pattern.to_owned(), path: path.map(str::to_owned) }
}

fn run(command: &str) -> Step {
    Step::Run { command: command.to_owned() }
}

fn write(path: &str, content: &str) -> Step {
    Step::Write { path: path.to_owned(), content: content.to_owned() }
}

fn edit(path: &str, old: &str, new: &str) -> Step {
    let [path, old, new] = [path, old, new].map(str::to_owned);
    Step::Edit { path, old, new, all: false }
}

fn check(cases: impl IntoIterator<Item = (&'static str, Wish)>) {
    let wrong: Vec<_> = cases
        .into_iter()
        .map(|(text, wish)| (text, understand(text), wish))
        .filter(|(_, understood, wish)| understood != wish)
        .collect();
    assert!(wrong.is_empty(), "request, understood, wanted: {wrong:#?}");
}

#[test]
fn files_are_read() {
    check([
        ("read a.txt", one(read("a.txt"))),
        ("Please read the file a.txt.", one(read("a.txt"))),
        ("show me src/main.rs", one(read("src/main.rs"))),
        ("cat 'my notes.txt'", one(read("my notes.txt"))),
        ("Could you open README?", one(read("README"))),
        ("what's in Cargo.toml?", one(read("Cargo.toml"))),
        ("What is in the file notes.md", one(read("notes.md"))),
        ("show the contents of `a.txt`", one(read("a.txt"))),
        ("look at lib.rs", one(read("lib.rs"))),
        ("I'd like to read a.txt", one(read("a.txt"))),
        (
            "read a.txt, b.txt and c.txt",
            plan(vec![vec![read("a.txt"), read("b.txt"), read("c.txt")]]),
        ),
        ("read lines 10-20 of a.txt", one(lines("a.txt", Some(10), Some(11)))),
        ("show a.txt lines 3 to 5", one(lines("a.txt", Some(3), Some(3)))),
        ("show line 7 of a.txt", one(lines("a.txt", Some(7), Some(1)))),
        ("print the first 20 lines of a.txt", one(lines("a.txt", None, Some(20)))),
        ("show output 3f2a", one(Step::Output { id: "3f2a".to_owned() })),
    ]);
}

#[test]
fn directories_are_listed_and_files_found() {
    check([
        ("ls", one(list(None))),
        ("ls src", one(list(Some("src")))),
        ("list the files", one(list(None))),
        ("list files in src", one(list(Some("src")))),
        ("list the current directory", one(list(None))),
        ("show the files in crates/llm", one(list(Some("crates/llm")))),
        ("what files are here?", Wish::Unknown),
        ("show me all files here", one(list(None))),
        ("read src/", one(list(Some("src/")))),
        ("find *.rs", one(find("**/*.rs", None))),
        ("find *.rs in src", one(find("**/*.rs", Some("src")))),
        ("find files named config", one(find("**/*config*", None))),
        ("find all rust files in src", one(find("**/*.rs", Some("src")))),
        ("find Cargo.toml", one(find("**/Cargo.toml", None))),
        ("list *.md files", one(find("**/*.md", None))),
        ("find src/**/*.rs", one(find("src/**/*.rs", None))),
    ]);
}

#[test]
fn text_is_searched() {
    check([
        ("search for TODO", one(search("TODO", None))),
        ("search TODO in src", one(search("TODO", Some("src")))),
        ("grep fn main src/", one(search("fn main src/", None))),
        ("grep main src/", one(search("main", Some("src/")))),
        (
            "search for \"hello world\" in the src directory",
            one(search("hello world", Some("src"))),
        ),
        ("find main in src", one(search("main", Some("src")))),
        ("search for a.b(c) in here", one(search("a\\.b\\(c\\)", None))),
        ("search for /fn \\w+/ in src", one(search("fn \\w+", Some("src")))),
        ("where is Parser used?", one(search("Parser", None))),
        ("look for needles in hay.txt", one(search("needles", Some("hay.txt")))),
    ]);
}

#[test]
fn commands_are_run_as_they_were_typed() {
    check([
        ("run cargo test", one(run("cargo test"))),
        ("run: ls -la | wc -l; pwd", one(run("ls -la | wc -l; pwd"))),
        ("execute the command `echo \"a  b\"`", one(run("echo \"a  b\""))),
        ("$ echo one, two; echo and three", one(run("echo one, two; echo and three"))),
        ("`seq 1 80000`", one(run("seq 1 80000"))),
        ("git status", one(run("git status"))),
        ("ls -la src", one(run("ls -la src"))),
        ("cat a.txt | wc -l", one(run("cat a.txt | wc -l"))),
        ("grep -rn foo .", one(run("grep -rn foo ."))),
        ("delete old.txt", one(run("rm -- old.txt"))),
        ("run echo it's fine", one(run("echo it's fine"))),
        ("run printf '%s\\n' \"a b\"", one(run("printf '%s\\n' \"a b\""))),
    ]);
}

#[test]
fn files_are_written() {
    check([
        ("write a.txt with hello world", one(write("a.txt", "hello world"))),
        ("create a.txt with \"hello\\nworld\\n\"", one(write("a.txt", "hello\nworld\n"))),
        ("create a file called a.txt containing 'x and y'", one(write("a.txt", "x and y"))),
        ("create a new file a.txt with the content \"hi\"", one(write("a.txt", "hi"))),
        ("write \"hi there\" to b.txt", one(write("b.txt", "hi there"))),
        ("save hello to b.txt", one(write("b.txt", "hello"))),
        ("create an empty file a.txt", one(run("touch -- a.txt"))),
        ("touch a.txt", one(run("touch -- a.txt"))),
        (
            "write a.json with {\"a\": \"x and read b\"}",
            one(write("a.json", "{\"a\": \"x and read b\"}")),
        ),
        ("write a.txt: hello", one(write("a.txt", "hello"))),
        ("write a.py with\n```python\nprint(1)\n```", one(write("a.py", "print(1)\n"))),
        ("make a file x.txt with y", one(write("x.txt", "y"))),
    ]);
}

#[test]
fn text_is_replaced() {
    let all = Step::Edit {
        path: "a.txt".to_owned(),
        old: "x".to_owned(),
        new: "y".to_owned(),
        all: true,
    };
    check([
        ("replace foo with bar in a.txt", one(edit("a.txt", "foo", "bar"))),
        ("replace \"foo in\" with \"bar and\" in a.txt", one(edit("a.txt", "foo in", "bar and"))),
        ("change 1 to 2 in a.txt", one(edit("a.txt", "1", "2"))),
        ("in a.txt, replace foo with bar", one(edit("a.txt", "foo", "bar"))),
        ("edit a.txt: replace foo with bar", one(edit("a.txt", "foo", "bar"))),
        ("edit a.txt and change foo to bar", one(edit("a.txt", "foo", "bar"))),
        ("replace all x with y in a.txt", one(all.clone())),
        ("replace x by y everywhere in a.txt", one(all)),
        ("replace foo with \"\" in a.txt", one(edit("a.txt", "foo", ""))),
        ("in src search main", one(search("main", Some("src")))),
    ]);
}

#[test]
fn several_requests_make_stages() {
    check([
        ("read a.txt and run ls", plan(vec![vec![read("a.txt"), run("ls")]])),
        ("read a.txt; read b.txt", plan(vec![vec![read("a.txt"), read("b.txt")]])),
        ("read a.txt\nread b.txt", plan(vec![vec![read("a.txt"), read("b.txt")]])),
        ("read a.txt, then read b.txt", plan(vec![vec![read("a.txt")], vec![read("b.txt")]])),
        (
            "Create a.txt with \"x\". Then read a.txt and after that delete a.txt.",
            plan(vec![vec![write("a.txt", "x")], vec![read("a.txt")], vec![run("rm -- a.txt")]]),
        ),
        ("run echo a and b and read c.txt", plan(vec![vec![run("echo a and b"), read("c.txt")]])),
        (
            "read a.txt and b.txt and search for x in c.txt",
            plan(vec![vec![read("a.txt"), read("b.txt"), search("x", Some("c.txt"))]]),
        ),
        (
            "write \"read me and run\" to a.txt then `cat a.txt`",
            plan(vec![vec![write("a.txt", "read me and run")], vec![run("cat a.txt")]]),
        ),
    ]);
}

#[test]
fn any_tool_is_called_as_said() {
    let call = |name: &str, arguments: &str| {
        one(Step::Call { name: name.to_owned(), arguments: arguments.to_owned() })
    };
    check([
        (
            "call reed_file {\"path\": \"a, then b\"}",
            call("reed_file", "{\"path\": \"a, then b\"}"),
        ),
        ("use the tool mcp__x__y with {\"a\": [1, 2]}", call("mcp__x__y", "{\"a\": [1, 2]}")),
        ("call ping", call("ping", "{}")),
    ]);
}

#[test]
fn chinese_requests_say_the_same() {
    check([
        ("读取 a.txt", one(read("a.txt"))),
        ("请读取a.txt和b.txt", plan(vec![vec![read("a.txt"), read("b.txt")]])),
        ("列出 src 目录", one(list(Some("src")))),
        ("在 src 中搜索 TODO", one(search("TODO", Some("src")))),
        ("运行 `ls -la`", one(run("ls -la"))),
        ("创建 a.txt，内容为“你好，和世界”", one(write("a.txt", "你好，和世界"))),
        ("把 a.txt 中的 foo 替换为 bar", one(edit("a.txt", "foo", "bar"))),
        ("读取 a.txt，然后运行 ls", plan(vec![vec![read("a.txt")], vec![run("ls")]])),
        ("帮助", Wish::Help),
        ("演示四个坑", Wish::Tour),
    ]);
}

#[test]
fn help_tour_and_what_is_not_understood() {
    check([
        ("help", Wish::Help),
        ("Hello!", Wish::Help),
        ("What can you do?", Wish::Help),
        ("tour", Wish::Tour),
        ("show me the four pits", Wish::Tour),
        ("give me a guided tour", Wish::Tour),
        ("read tour.md", one(read("tour.md"))),
        ("Why is the sky blue?", Wish::Unknown),
        ("", Wish::Unknown),
        ("read", Wish::Unknown),
        ("write a poem about the sea", Wish::Unknown),
    ]);
    let puzzled = Wish::Plan {
        stages: vec![vec![read("a.txt")]],
        puzzles: vec!["The weather is fine".to_owned()],
    };
    assert_eq!(understand("The weather is fine, read a.txt"), puzzled);
}

#[test]
fn what_is_not_fully_understood_is_not_done() {
    let unknown = [
        "run `rm -rf nothing` if notes.txt exists",
        "run `touch bad` only if I say so",
        "`touch bad`, but only if I say so",
        "if notes.txt exists, delete notes.txt",
        "delete nothing",
        "delete everything",
        "delete the file notes.txt if it is empty",
        "create notes.txt",
        "write notes.txt",
        "create empty.txt",
        "write a haiku",
        "write a haiku with feeling",
        "create out.txt with its content",
        "create out.txt with the content of a.txt",
        "create out.txt with \"a\" unless there is one",
        "read notes.txt but do not run `touch bad`",
        "show lines 2-1",
        "show lines 2-1 of a.txt",
        "show a.txt lines 5 to 3",
        "don't run `touch bad`",
        "Don’t delete a.txt",
        "never delete a.txt",
        "do not do this: run `touch bad`",
        "run `make`, then delete a.txt without asking",
        "run `touch bad` and be careful",
        "run `touch bad` twice",
        "run the tests with `touch bad`",
        "run the tests",
        "run it",
        "make sure `touch bad` works",
        "$ ls\nbut only if I say so",
        "rm it",
        "rm notes",
        "rm -rf the old stuff",
        "rm -rf build and dist",
        "delete notes",
        "delete line 3 of a.txt",
        "delete foo from a.txt",
        "delete all files in src/",
        "delete a.txt but keep a copy",
        "delete a.txt, after asking me",
        "can I delete a.txt?",
        "I will delete a.txt",
        "make a backup and delete a.txt",
        "write documentation to README.md",
        "write tests in src/lib.rs",
        "update README.md with news",
        "read a.txt > b.txt",
        "replace foo with nothing in a.txt",
        "replace foo with in a.txt",
        "call bash {\"command\": \"touch bad\"} twice",
        "不要删除 a.txt",
        "如果有 a.txt 就删除 a.txt",
        "删除它",
        "run cargo test (not yet)",
        "run sudo rm stuff",
        "make clean; rm stuff",
        "rm ./a carefully",
        "assuming the tests pass, run `touch bad`",
        "hmm\ndelete b.txt",
    ];
    check(unknown.map(|text| (text, Wish::Unknown)));
}

#[test]
fn what_only_looks_is_done_as_far_as_it_is_understood() {
    let part = |step: Step, puzzle: &str| Wish::Plan {
        stages: vec![vec![step]],
        puzzles: vec![puzzle.to_owned()],
    };
    check([
        ("search for TODO in src and fix them", part(search("TODO", Some("src")), "fix them")),
        ("search for TODO and fix them", part(search("TODO", None), "fix them")),
        ("read notes.txt and delete it", part(read("notes.txt"), "delete it")),
        ("read a.txt and sing a song", part(read("a.txt"), "sing a song")),
        ("read a.txt, and make a summary", part(read("a.txt"), "make a summary")),
        ("delete a.txt and sing a song", Wish::Unknown),
        (
            "read a.txt\nhmm, delete b.txt",
            Wish::Plan {
                stages: vec![vec![read("a.txt")]],
                puzzles: vec!["hmm".to_owned(), "delete b.txt".to_owned()],
            },
        ),
        ("ls | xargs rm", one(run("ls | xargs rm"))),
        ("rm -rf ./build dist/ && ls", one(run("rm -rf ./build dist/ && ls"))),
        ("Hello, run cargo test", one(run("cargo test"))),
        ("run `ls` please", one(run("ls"))),
        ("delete './my notes'", one(run("rm -- './my notes'"))),
        ("delete the files a.txt and b.txt", one(run("rm -- a.txt b.txt"))),
        ("$ test -f x || echo not here", one(run("test -f x || echo not here"))),
        ("search for \"if it\" in src", one(search("if it", Some("src")))),
        ("run `test ! -f x && echo only if`", one(run("test ! -f x && echo only if"))),
        ("create a.txt with \"only if it is\"", one(write("a.txt", "only if it is"))),
    ]);
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "(?s).{0,80}") {
        understand(&text);
    }

    #[test]
    fn no_mixture_of_its_own_words_makes_it_panic(
        words in proptest::collection::vec(
            "(read|write|in|with|lines|first|to|replace|and|then|find|search|a\\.txt|\"|'|`|```|,|;|\n|\\$|call|\\{|3|把|中的|edit|:)",
            0..14,
        ),
    ) {
        understand(&words.join(" "));
        understand(&words.concat());
    }
}

#[test]
fn a_newline_at_the_end_of_a_prompt_is_no_word() {
    assert_eq!(understand("run `seq 1 3`\n"), one(run("seq 1 3")));
    let both = plan(vec![vec![read("a.txt"), run("seq 1 3")]]);
    assert_eq!(understand("read a.txt and run `seq 1 3`\r\n"), both);
}
