//! Where requests go, and what goes along with them.

use std::{net::IpAddr, sync::OnceLock, time::Duration};

use reqwest::{
    Client, Url,
    header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
    redirect,
};
use secrecy::{ExposeSecret, SecretString};

use super::refusal;
use crate::{error::LlmError, options::HttpOptions};

/// The longest message of an error in characters.
const MESSAGE_CHARS: usize = 600;

/// How a provider is found on a base URL.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Location {
    /// Its public address.
    pub(crate) default_base: &'static str,
    /// The path below the version, such as `/messages`.
    pub(crate) path: &'static str,
    /// Whether a base URL that has a path already includes the version.
    pub(crate) path_has_version: bool,
}

impl Location {
    fn url(self, base: &str) -> Result<Url, LlmError> {
        let base = base.trim();
        let base = if base.is_empty() { self.default_base } else { base };
        let wrong = |why: String| LlmError::Configuration {
            message: format!("the base URL of the provider can't be used: {why}"),
        };
        let mut url = Url::parse(base).map_err(|error| wrong(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(wrong(format!(
                "it must begin with http:// or https://, not {}:",
                url.scheme()
            )));
        }
        let given = url.path().trim_end_matches('/').to_owned();
        let path = if given.ends_with(self.path) {
            given
        } else if given.ends_with("/v1") || (self.path_has_version && !given.is_empty()) {
            format!("{given}{}", self.path)
        } else {
            format!("{given}/v1{}", self.path)
        };
        url.set_path(&path);
        Ok(url)
    }
}

/// One address with its key, its bounds, and a client that is built when it is first needed.
#[derive(Debug)]
pub(crate) struct Endpoint {
    url: Url,
    headers: HeaderMap,
    options: HttpOptions,
    client: OnceLock<Client>,
}

impl Endpoint {
    /// An endpoint. `authorise` makes the header that carries the key. Cheap: nothing is opened,
    /// read or resolved.
    pub(crate) fn new(
        options: HttpOptions,
        location: Location,
        authorise: impl FnOnce(&str) -> (HeaderName, SecretString),
    ) -> Result<Self, LlmError> {
        let url = location.url(&options.base_url)?;
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
        let key = options.key.as_ref().map(|key| key.expose_secret().trim());
        if let Some(key) = key.filter(|key| !key.is_empty()) {
            let (name, value) = authorise(key);
            let mut value = HeaderValue::from_str(value.expose_secret()).map_err(|_invalid| {
                let source = source_of(&options);
                let message = format!("the key from {source} has characters that no key has");
                LlmError::Configuration { message }
            })?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(Self { url, headers, options, client: OnceLock::new() })
    }

    /// Adds a header that is no secret.
    pub(crate) fn with_header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        self
    }

    pub(crate) fn options(&self) -> &HttpOptions {
        &self.options
    }

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    pub(super) fn headers(&self) -> HeaderMap {
        self.headers.clone()
    }

    pub(super) fn idle(&self) -> Duration {
        self.options.idle_timeout
    }

    /// The address for messages: without user name, password and query.
    pub(super) fn shown_url(&self) -> String {
        let mut url = self.url.clone();
        // Both fail only for addresses without a host, which are refused above.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url.set_query(None);
        url.set_fragment(None);
        url.to_string()
    }

    /// The client, built at the first call.
    pub(super) fn client(&self) -> Result<&Client, LlmError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = self.build_client()?;
        Ok(self.client.get_or_init(|| client))
    }

    fn build_client(&self) -> Result<Client, LlmError> {
        // Without a provider the builder panics. Somebody else may have installed one before.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .user_agent(concat!("callgate/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(self.options.connect_timeout)
            .redirect(redirect::Policy::none())
            .referer(false);
        if self.is_loopback() {
            builder = builder.no_proxy();
        }
        if self.url.scheme() == "http" {
            // Redirects are not followed, so this client never speaks TLS: it needs no roots, and
            // works, and starts quickly, where there are none.
            let config = rustls::ClientConfig::builder()
                .with_root_certificates(rustls::RootCertStore::empty())
                .with_no_client_auth();
            builder = builder.tls_backend_preconfigured(config);
        }
        builder.build().map_err(|error| {
            let why = root_cause(&error);
            LlmError::Configuration {
                message: format!(
                    "no TLS connection is possible: {why}; are CA certificates installed (package \
                     ca-certificates), or is SSL_CERT_FILE wrong?"
                ),
            }
        })
    }

    fn is_loopback(&self) -> bool {
        let host = self.url.host_str().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
    }

    /// What a failure of the transport means.
    pub(super) fn transport_error(&self, error: reqwest::Error) -> LlmError {
        let error = error.without_url();
        let url = self.shown_url();
        if let Some(message) = certificate_fault(&error) {
            return LlmError::Certificate { url, message };
        }
        let mut message = root_cause(&error);
        if error.is_timeout() && error.is_connect() {
            let limit = crate::error::human(self.options.connect_timeout);
            message = format!("no connection within {limit}");
        }
        LlmError::Connection { url, message, source: Some(Box::new(error)) }
    }

    /// The failure as it may be shown: the key masked, its source named.
    pub(super) fn tidy(&self, mut failure: LlmError) -> LlmError {
        let key = self.options.key.as_ref().map_or("", |key| key.expose_secret().trim());
        if let LlmError::Unauthorized { key_source, .. } = &mut failure {
            *key_source = source_of(&self.options);
        }
        if let LlmError::Configuration { message }
        | LlmError::Connection { message, .. }
        | LlmError::Certificate { message, .. }
        | LlmError::Unauthorized { message, .. }
        | LlmError::ContextTooLong { message }
        | LlmError::Refused { message, .. }
        | LlmError::Unavailable { message, .. }
        | LlmError::Malformed { message } = &mut failure
        {
            *message = refusal::tidy(&refusal::mask(message, key), MESSAGE_CHARS);
        }
        failure
    }
}

fn source_of(options: &HttpOptions) -> String {
    match (&options.key, options.key_source.as_str()) {
        (None, _) => "nowhere (none is set)".to_owned(),
        (Some(_), "") => "the options".to_owned(),
        (Some(_), source) => source.to_owned(),
    }
}

/// The innermost error's words: the outer ones only say that a request failed.
fn root_cause(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// Why rustls does not trust the server, if that is what `error` is about.
fn certificate_fault(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let mut next = Some(error);
    while let Some(error) = next {
        let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        let tls = error
            .downcast_ref::<rustls::Error>()
            .or_else(|| inner.and_then(|inner| inner.downcast_ref::<rustls::Error>()));
        if let Some(rustls::Error::InvalidCertificate(fault)) = tls {
            return Some(fault.to_string());
        }
        next = match inner {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    None
}

#[cfg(test)]
mod tests;
