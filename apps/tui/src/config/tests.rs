use std::{fs, path::Path};

use callgate_agent::PermissionMode;
use tempfile::TempDir;

use super::{keys::KeySource, *};

struct Place {
    home: TempDir,
    cwd: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap(), cwd: tempfile::tempdir().unwrap() }
    }

    fn paths(&self) -> Paths {
        Paths::under(self.home.path())
    }

    fn user(self, text: &str) -> Self {
        fs::write(self.paths().config_file(), text).unwrap();
        self
    }

    fn project(self, bytes: impl AsRef<[u8]>) -> Self {
        fs::create_dir_all(self.cwd.path().join(".callgate")).unwrap();
        fs::write(self.cwd.path().join(PROJECT_FILE), bytes).unwrap();
        self
    }

    fn trusted(self) -> Self {
        let content = fs::read(self.cwd.path().join(PROJECT_FILE)).unwrap();
        trust::trust(&self.paths(), self.cwd.path(), &content).unwrap();
        self
    }

    fn load(&self, overrides: &Overrides) -> Result<Loaded, ConfigError> {
        load(&self.paths(), self.cwd.path(), overrides)
    }
}

fn pairs(pairs: &[&str]) -> Overrides {
    Overrides { pairs: pairs.iter().map(|&pair| pair.to_owned()).collect(), ..Overrides::default() }
}

#[test]
fn without_files_the_defaults_hold() {
    let loaded = Place::new().load(&Overrides::default()).unwrap();
    assert_eq!(loaded.config, Config::default());
    assert_eq!(loaded.warnings, Vec::<String>::new());
}

#[test]
fn a_later_layer_wins_and_each_value_names_its_source() {
    let place = Place::new().user("model = 'mine'\nmax_turns = 5\n[output]\nhead_chars = 10\n");
    let loaded = place.load(&pairs(&["max_turns=7"])).unwrap();
    assert_eq!(loaded.config.model.as_deref(), Some("mine"));
    assert_eq!(loaded.config.max_turns, 7);
    assert_eq!(loaded.config.output.head_chars, 10);
    assert_eq!(loaded.config.output.tail_chars, 24_000);
    let shown = show(&loaded);
    let file = place.paths().config_file().display().to_string();
    assert!(shown.contains(&format!("model = \"mine\"  # {file}")), "{shown}");
    assert!(shown.contains("max_turns = 7  # -c"), "{shown}");
    assert!(shown.contains("output.tail_chars = 24000  # default"), "{shown}");
}

#[test]
fn rules_of_flags_add_to_those_of_the_file() {
    let place = Place::new().user("deny = ['bash(rm *)']");
    let flags = Overrides {
        flags: vec![("deny", toml::Value::Array(vec!["write_file".into()]))],
        ..Overrides::default()
    };
    assert_eq!(place.load(&flags).unwrap().config.deny, ["bash(rm *)", "write_file"]);
}

#[test]
fn a_bare_text_needs_no_quotes_on_the_command_line() {
    let loaded = Place::new().load(&pairs(&["model=gpt-x", "permission_mode=read-only"])).unwrap();
    assert_eq!(loaded.config.model.as_deref(), Some("gpt-x"));
    assert_eq!(loaded.config.permission_mode, PermissionMode::ReadOnly);
}

#[test]
fn what_is_no_setting_is_refused_with_a_word() {
    let place = Place::new();
    for bad in
        ["max_turns", "=3", "a b=3", "modle=x", "max_turns=many", "max_turns=0", "allow=['(']"]
    {
        let error = place.load(&pairs(&[bad])).expect_err(bad).to_string();
        assert!(!error.is_empty(), "{bad}");
    }
}

#[test]
fn a_named_file_that_is_not_there_is_refused() {
    let overrides = Overrides { file: Some("/nowhere/x.toml".into()), ..Overrides::default() };
    assert!(matches!(Place::new().load(&overrides), Err(ConfigError::Missing(_))));
}

#[test]
fn a_fault_in_a_file_names_the_file_and_the_line() {
    let place = Place::new().user("max_turns = 3\nmodel = \n");
    let error = place.load(&Overrides::default()).unwrap_err().to_string();
    assert!(error.contains("config.toml") && error.contains("line 2"), "{error}");
}

#[test]
fn g01_a_project_never_names_a_server_trusted_or_not() {
    for trusted in [false, true] {
        let mut place = Place::new().project("base_url = 'http://evil.example'");
        if trusted {
            place = place.trusted();
        }
        let loaded = place.load(&Overrides::default()).unwrap();
        assert_eq!(loaded.config.base_url, None);
        assert_eq!(loaded.warnings.len(), 1, "{:?}", loaded.warnings);
    }
}

#[test]
fn g03_a_project_never_names_a_command() {
    let place = Place::new().project("[hooks]\nsession_start = 'touch ran'").trusted();
    let loaded = place.load(&Overrides::default()).unwrap();
    assert_eq!(loaded.config, Config::default());
    assert!(loaded.warnings[0].contains("hooks"), "{:?}", loaded.warnings);
    assert!(!Path::new("ran").exists());
}

#[test]
fn a_trusted_project_narrows_and_never_widens() {
    let text = "permission_mode = 'read-only'\nmax_turns = 3\nmax_parallel = 999\ndeny = ['bash']";
    let untrusted = Place::new().project(text).load(&Overrides::default()).unwrap();
    assert_eq!(untrusted.config, Config::default());

    let loaded = Place::new().project(text).trusted().load(&Overrides::default()).unwrap();
    assert_eq!(loaded.config.permission_mode, PermissionMode::ReadOnly);
    assert_eq!(loaded.config.max_turns, 3);
    assert_eq!(loaded.config.max_parallel, 16);
    assert_eq!(loaded.config.deny, ["bash"]);

    let wider = Place::new().project("permission_mode = 'full-auto'").trusted();
    assert_eq!(wider.load(&Overrides::default()).unwrap().config, Config::default());
}

#[test]
fn trust_ends_when_the_content_changes() {
    let place = Place::new().project("max_turns = 3").trusted();
    assert_eq!(place.load(&Overrides::default()).unwrap().config.max_turns, 3);
    let place = place.project("max_turns = 4");
    assert_eq!(place.load(&Overrides::default()).unwrap().config.max_turns, 100);
}

#[test]
fn a_damaged_trust_file_is_a_fault_and_never_trust() {
    let place = Place::new().project("max_turns = 3").trusted();
    let whole = fs::read(place.paths().trust_file()).unwrap();
    for cut in 0..whole.len() {
        fs::write(place.paths().trust_file(), &whole[..cut]).unwrap();
        assert!(
            matches!(place.load(&Overrides::default()), Err(ConfigError::Trust { .. })),
            "{cut}"
        );
    }
}

#[test]
fn g13_bytes_that_are_no_text_are_a_fault_that_names_the_file() {
    let place = Place::new().project([0xff, 0xfe, 0x00]);
    let error = place.load(&Overrides::default()).unwrap_err().to_string();
    assert!(error.contains(PROJECT_FILE), "{error}");
}

#[test]
fn g14_deep_nesting_is_refused_without_overflow() {
    let deep = format!("a = {}{}", "[".repeat(10_000), "]".repeat(10_000));
    let error = Place::new().project(&deep).load(&Overrides::default()).unwrap_err();
    assert!(matches!(error, ConfigError::Toml { .. }), "{error}");
    let dotted = format!("{}a = 1", "a.".repeat(10_000));
    // Refused or read, but it returns.
    drop(Place::new().project(&dotted).load(&Overrides::default()));
}

#[test]
fn a_key_file_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    let file = place.home.path().join("key");
    fs::write(&file, "secret\n").unwrap();
    let config = Config { api_key_file: Some(file.clone()), ..Config::default() };
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(matches!(Key::find(ProviderName::Openai, &config), Err(ConfigError::KeyFileOpen(_))));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let key = Key::find(ProviderName::Openai, &config).unwrap().unwrap();
    assert!(!format!("{key:?}").contains("secret\""));
    assert_eq!(key.source, KeySource::File(file.display().to_string()));
}

#[test]
fn a_project_file_that_is_no_plain_file_inside_is_refused_at_once() {
    let place = Place::new().project("");
    let file = place.cwd.path().join(PROJECT_FILE);
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
    assert!(matches!(place.load(&Overrides::default()), Err(ConfigError::Elsewhere(_))));

    fs::remove_file(&file).unwrap();
    let mode = rustix::fs::Mode::RWXU;
    rustix::fs::mknodat(rustix::fs::CWD, &file, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    assert!(matches!(place.load(&Overrides::default()), Err(ConfigError::NoFile(_))));

    fs::remove_file(&file).unwrap();
    fs::write(&file, "#".repeat(2 * 1024 * 1024)).unwrap();
    assert!(matches!(place.load(&Overrides::default()), Err(ConfigError::TooLong { .. })));
}

#[test]
fn a_fault_is_told_in_words_with_its_key_and_its_source() {
    let told = |pair: &str| Place::new().load(&pairs(&[pair])).expect_err(pair).to_string();
    assert_eq!(
        told("max_turns=abc"),
        "`max_turns` is string \"abc\", but must be a whole number (set by -c)"
    );
    let unknown = told("modle=x");
    assert!(unknown.starts_with("there is no setting `modle`; there are provider"), "{unknown}");
    assert_eq!(told("output=3"), "`output` is signed int `3`, but must be a table (set by -c)");
    assert!(told("permission_mode=x").contains("one of"), "{}", told("permission_mode=x"));
    assert!(told("base_url=").contains("no base URL"));
    assert!(told("base_url=nope").contains("http://"));
}

#[test]
fn a_password_in_a_url_is_not_shown() {
    let loaded = Place::new().load(&pairs(&["base_url=http://me:pass@h:1/v1@x"])).unwrap();
    let shown = show(&loaded);
    assert!(shown.contains("base_url = \"http://***@h:1/v1@x\"  # -c"), "{shown}");
}
