use super::*;

const VERSIONED: Location = Location {
    default_base: "https://api.example.com/v1",
    path: "/chat/completions",
    path_has_version: true,
};

const PLAIN: Location = Location {
    default_base: "https://api.example.com",
    path: "/messages",
    path_has_version: false,
};

fn options(base_url: &str, key: Option<&str>) -> HttpOptions {
    HttpOptions {
        base_url: base_url.to_owned(),
        key: key.map(SecretString::from),
        key_source: "TEST_KEY".to_owned(),
        ..HttpOptions::default()
    }
}

fn endpoint(base_url: &str, key: Option<&str>) -> Result<Endpoint, LlmError> {
    Endpoint::new(options(base_url, key), PLAIN, |key| {
        (HeaderName::from_static("x-api-key"), SecretString::from(key))
    })
}

#[test]
fn base_urls_are_understood_with_and_without_version() {
    let cases = [
        (VERSIONED, "", "https://api.example.com/v1/chat/completions"),
        (VERSIONED, "http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/chat/completions"),
        (VERSIONED, "http://h/v1/", "http://h/v1/chat/completions"),
        (VERSIONED, "http://h/api/v3", "http://h/api/v3/chat/completions"),
        (VERSIONED, "http://h/v1/chat/completions", "http://h/v1/chat/completions"),
        (PLAIN, "", "https://api.example.com/v1/messages"),
        (PLAIN, "http://h/v1", "http://h/v1/messages"),
        (PLAIN, "http://h/anthropic", "http://h/anthropic/v1/messages"),
        (PLAIN, "http://[::1]:80/v1/messages", "http://[::1]/v1/messages"),
    ];
    for (location, base, url) in cases {
        assert_eq!(location.url(base).unwrap().as_str(), url, "{base}");
    }
    for base in ["127.0.0.1:8080", "localhost:8080", "ftp://h", "not a url", "file:///etc"] {
        assert!(matches!(PLAIN.url(base), Err(LlmError::Configuration { .. })), "{base}");
    }
}

#[test]
fn a_key_shows_up_nowhere_and_its_header_is_sensitive() {
    let endpoint =
        endpoint("http://me:secretword@h/?q=secretword", Some("sk-secret-1234\n")).unwrap();
    let shown = format!("{endpoint:?}");
    assert!(!shown.contains("sk-secret"), "{shown}");
    let header = endpoint.headers().get("x-api-key").cloned().unwrap();
    assert!(header.is_sensitive());
    assert_eq!(header, "sk-secret-1234");
    assert!(!endpoint.shown_url().contains("secretword"));
}

#[test]
fn a_key_that_no_header_can_carry_is_refused_without_being_shown() {
    let error = endpoint("http://h", Some("sk-secret\u{1}1234")).unwrap_err();
    assert_eq!(error.to_string(), "the key from TEST_KEY has characters that no key has");
    assert!(!format!("{error:?}").contains("sk-secret"));
}

#[test]
fn an_empty_key_is_no_key() {
    assert!(endpoint("http://h", Some(" ")).unwrap().headers().get("x-api-key").is_none());
}

#[test]
fn l08_a_refused_key_is_named_by_its_source_and_never_shown() {
    let endpoint = endpoint("http://h", Some("sk-secret-12345678")).unwrap();
    let refused = LlmError::Unauthorized {
        status: 401,
        key_source: String::new(),
        message: "invalid x-api-key sk-secret-12345678".to_owned(),
    };
    let error = endpoint.tidy(refused);
    assert_eq!(
        error.to_string(),
        "the provider refused the key from TEST_KEY (HTTP 401): invalid x-api-key [key]"
    );
}

#[test]
fn building_a_client_never_panics_also_twice_and_for_both_schemes() {
    for base in ["http://127.0.0.1:1", "https://127.0.0.1:1", "http://127.0.0.1:1"] {
        let endpoint = endpoint(base, None).unwrap();
        let built = endpoint.client().map(|_| ());
        // Without CA certificates there is none for https, and that is told.
        assert!(matches!(built, Ok(()) | Err(LlmError::Configuration { .. })), "{base}: {built:?}");
    }
}
