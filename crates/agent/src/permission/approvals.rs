//! The gate: rules first, then the mode, then the person.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use callgate_dispatch::{Gate, PermitRequest, Verdict};
use callgate_registry::{BoxFuture, Effects, Mode, Resource};
use tokio::sync::{oneshot, watch};

use super::{PermissionMode, Rule, rule::Target};
use crate::command::Decision;

/// Decides for every call of a session, and keeps the questions that wait for the person.
#[derive(Debug)]
pub(crate) struct Approvals {
    cwd: PathBuf,
    mode: PermissionMode,
    allow: Vec<Rule>,
    deny: Vec<Rule>,
    interactive: bool,
    named_by_the_person: bool,
    pending: Mutex<HashMap<String, oneshot::Sender<Decision>>>,
    /// Rules that the person gave for this session. A watch, so that questions already put are
    /// answered by them too.
    session: watch::Sender<Vec<Rule>>,
}

/// What is known without asking anybody.
enum Standing {
    Decided(Verdict),
    Ask(String),
}

impl Approvals {
    pub(crate) fn new(
        cwd: PathBuf,
        mode: PermissionMode,
        allow: Vec<Rule>,
        deny: Vec<Rule>,
    ) -> Self {
        Self {
            cwd,
            mode,
            allow,
            deny,
            interactive: false,
            named_by_the_person: false,
            pending: Mutex::default(),
            session: watch::Sender::new(Vec::new()),
        }
    }

    /// Lets questions go to a person; without, what needs one is denied.
    pub(crate) const fn interactive(mut self, yes: bool) -> Self {
        self.interactive = yes;
        self
    }

    /// States that the person wrote the calls, which is why they may run.
    pub(crate) const fn named_by_the_person(mut self) -> Self {
        self.named_by_the_person = true;
        self
    }

    /// Hands the person's decision to the call that waits for it. A call that does not wait is left
    /// alone.
    pub(crate) fn answer(&self, call_id: &str, decision: Decision) {
        let waiting = self.pending.lock().unwrap_or_else(PoisonError::into_inner).remove(call_id);
        if let Some(waiting) = waiting {
            // The call may have been cancelled meanwhile.
            let _ = waiting.send(decision);
        }
    }

    fn standing(&self, request: &PermitRequest) -> Standing {
        let tool = request.tool.name();
        let subject = request.tool.subject(&request.arguments);
        let subject = subject.as_deref();
        let target = Target::new(tool, subject, &request.effects);
        if let Some(rule) = self.deny.iter().find(|rule| rule.denies(&target, &self.cwd)) {
            return denied(format!(
                "Denied by the rule `{rule}`. Nothing ran. A rule that denies is lifted only by \
                 the person who set it."
            ));
        }
        let session = self.session.borrow();
        let allowing = self.allow.iter().chain(session.iter());
        if let Some(rule) = allowing.into_iter().find(|rule| rule.allows(&target, &self.cwd)) {
            return allowed(format!("rule {rule}"));
        }
        let read_only = request.effects.is_read_only();
        match self.mode {
            PermissionMode::FullAuto if self.named_by_the_person => {
                allowed("the person named the call".to_owned())
            }
            PermissionMode::FullAuto => allowed("mode full-auto".to_owned()),
            _ if read_only => allowed("it only reads".to_owned()),
            PermissionMode::AutoEdit if writes_only_files_inside(&request.effects, &self.cwd) => {
                allowed("mode auto-edit: it edits files of the working directory".to_owned())
            }
            PermissionMode::ReadOnly => denied(format!(
                "Denied: the permission mode is read-only and this call may change something. \
                 Nothing ran. The person can allow it with {}.",
                flag(tool, subject)
            )),
            PermissionMode::Ask | PermissionMode::AutoEdit if self.interactive => {
                Standing::Ask(format!("mode {}: it may change something", self.mode))
            }
            PermissionMode::Ask | PermissionMode::AutoEdit => denied(format!(
                "Denied: this call needs approval, and a headless run has nobody to ask. Nothing \
                 ran. The person can allow it with {}, or everything with \
                 --permission-mode full-auto.",
                flag(tool, subject)
            )),
        }
    }

    async fn decide(&self, request: PermitRequest) -> Verdict {
        let mut rules = self.session.subscribe();
        let reason = match self.standing(&request) {
            Standing::Decided(verdict) => return verdict,
            Standing::Ask(reason) => reason,
        };
        let (sender, mut answer) = oneshot::channel();
        let _pending = Pending::new(self, &request.call_id, sender);
        (request.asking)(reason);
        loop {
            tokio::select! {
                decision = &mut answer => return self.settle(&request, decision.ok()),
                // Never closes: `self` holds the sender.
                _ = rules.changed() => {
                    if let Standing::Decided(verdict) = self.standing(&request) {
                        return verdict;
                    }
                }
            }
        }
    }

    fn settle(&self, request: &PermitRequest, decision: Option<Decision>) -> Verdict {
        match decision {
            Some(Decision::Once) => Verdict::Allow { reason: "the person, once".to_owned() },
            Some(Decision::Session) => {
                self.remember(request);
                Verdict::Allow { reason: "the person, for this session".to_owned() }
            }
            Some(Decision::Deny { note }) if !note.trim().is_empty() => Verdict::Deny {
                reason: format!("Denied by the person, who says: {}. Nothing ran.", note.trim()),
            },
            Some(Decision::Deny { .. }) | None => Verdict::Deny {
                reason: "Denied by the person. Nothing ran. Do not try the same again; ask what \
                         to do instead."
                    .to_owned(),
            },
        }
    }

    /// A command is allowed word for word, other tools for the whole working directory.
    fn remember(&self, request: &PermitRequest) {
        let tool = request.tool.name();
        let rule = match request.tool.subject(&request.arguments) {
            Some(command) if tool == "bash" => Rule::exact(tool, &command),
            Some(_) => format!("{tool}(**)").parse(),
            None => tool.parse(),
        };
        if let Ok(rule) = rule {
            self.session.send_modify(|rules| rules.push(rule));
        }
    }
}

impl Gate for Approvals {
    fn permit(&self, request: PermitRequest) -> BoxFuture<'_, Verdict> {
        Box::pin(self.decide(request))
    }
}

/// Takes the question back when the call that put it is gone.
struct Pending<'a> {
    approvals: &'a Approvals,
    call_id: String,
}

impl<'a> Pending<'a> {
    fn new(approvals: &'a Approvals, call_id: &str, sender: oneshot::Sender<Decision>) -> Self {
        let mut pending = approvals.pending.lock().unwrap_or_else(PoisonError::into_inner);
        pending.insert(call_id.to_owned(), sender);
        drop(pending);
        Self { approvals, call_id: call_id.to_owned() }
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        let mut pending = self.approvals.pending.lock().unwrap_or_else(PoisonError::into_inner);
        pending.remove(&self.call_id);
    }
}

const fn allowed(reason: String) -> Standing {
    Standing::Decided(Verdict::Allow { reason })
}

const fn denied(reason: String) -> Standing {
    Standing::Decided(Verdict::Deny { reason })
}

fn flag(tool: &str, subject: Option<&str>) -> String {
    match subject {
        Some(subject) if subject.chars().count() <= 80 && !subject.contains(['\'', '\n']) => {
            format!("--allow '{tool}({})'", globset::escape(subject))
        }
        _ => format!("--allow {tool}"),
    }
}

fn writes_only_files_inside(effects: &Effects, cwd: &Path) -> bool {
    match effects {
        Effects::Everything => false,
        Effects::Only(accesses) => accesses.iter().all(|access| {
            access.mode == Mode::Read
                || matches!(&access.resource, Resource::Path(path) if path.starts_with(cwd))
        }),
    }
}
