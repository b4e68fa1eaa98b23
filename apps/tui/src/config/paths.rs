//! Where configuration and state lie.

use std::path::{Path, PathBuf};

use etcetera::{BaseStrategy as _, base_strategy::Xdg};

use super::ConfigError;

/// The directories of one person.
#[derive(Debug, Clone)]
pub(crate) struct Paths {
    config: PathBuf,
    state: PathBuf,
}

impl Paths {
    /// `CALLGATE_HOME` holds both if it is set; else the XDG directories do.
    pub(crate) fn find() -> Result<Self, ConfigError> {
        match std::env::var_os("CALLGATE_HOME") {
            Some(home) if !home.is_empty() => Ok(Self::under(Path::new(&home))),
            _ => {
                let xdg = Xdg::new().map_err(ConfigError::NoHome)?;
                let state = xdg.state_dir().unwrap_or_else(|| xdg.data_dir()).join("callgate");
                Ok(Self { config: xdg.config_dir().join("callgate"), state })
            }
        }
    }

    /// Everything in one directory.
    pub(crate) fn under(home: &Path) -> Self {
        let home = std::path::absolute(home).unwrap_or_else(|_| home.to_owned());
        Self { config: home.clone(), state: home }
    }

    pub(crate) fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    pub(crate) fn state(&self) -> &Path {
        &self.state
    }

    pub(crate) fn sessions(&self) -> PathBuf {
        self.state.join("sessions")
    }

    pub(crate) fn outputs(&self) -> PathBuf {
        self.state.join("outputs")
    }

    pub(crate) fn trust_file(&self) -> PathBuf {
        self.state.join("trust.json")
    }
}
