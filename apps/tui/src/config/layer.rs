//! One layer: a piece of TOML with the name that a person knows it by.

use std::path::Path;

use figment::{
    Metadata, Profile, Provider,
    providers::{Format as _, Toml},
    value::{Dict, Map},
};

/// TOML text and where it is from.
pub(super) struct Layer {
    metadata: Metadata,
    text: String,
}

impl Layer {
    pub(super) fn named(name: impl Into<std::borrow::Cow<'static, str>>, text: String) -> Self {
        Self { metadata: Metadata::named(name), text }
    }

    pub(super) fn file(name: &'static str, path: &Path, text: String) -> Self {
        Self { metadata: Metadata::from(name, path), text }
    }
}

impl Provider for Layer {
    fn metadata(&self) -> Metadata {
        self.metadata.clone()
    }

    fn data(&self) -> Result<Map<Profile, Dict>, figment::Error> {
        Toml::string(&self.text).data()
    }
}
