//! A node from its start to its end: it joins, answers, and joins again when the SuperLink was away.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use corefed_run::Stop;

use crate::desk::Desk;
use crate::error::NodeError;
use crate::event::Event;
use crate::fleet::{
    Fleet, INTERVAL, KEY_IN_USE, NOT_ACTIVATED, REGISTRATION_DISABLED, activate, register,
};
use crate::kept::{Asked, Fresh, Kept};
use crate::key::{NodeKey, is_open};
use crate::link::{Link, Now, Patience};
use crate::pace::{Pace, wait};
use crate::reply::reply;
use crate::settings::Settings;
use crate::status::Health;
use crate::timestamp::since_1970;

/// Hears what happens.
pub type Observer<'a> = &'a dyn Fn(&Event<'_>);

/// Serves until somebody asks to stop. `fresh` becomes the agent's key to sign with, should it have none.
pub fn serve(
    settings: &Settings,
    fresh: Fresh,
    now: Now<'_>,
    stop: &Stop,
    observer: Observer<'_>,
) -> Result<(), NodeError> {
    let key = NodeKey::read(&settings.key)?;
    let certificates = settings.root_certificates.as_deref();
    let patience = Patience::default();
    let link =
        Link::new(&settings.superlink, settings.insecure, certificates, key, (now, patience))?;
    if is_open(&settings.key) {
        observer(&Event::OpenKey { path: &settings.key });
    }
    let desk = Desk::open(settings, fresh)?;
    let mut health = Health::new(&desk.kept);
    observer(&Event::Ready { agent: desk.agent.name(), samples: desk.agent.samples() });
    let mut pace = Pace::retrying();
    while !stop.is_asked() {
        let ended = join(&link, &desk.kept).and_then(|node_id| {
            observer(&Event::Joined { superlink: &link.address, node_id });
            health.joined(&link.address, node_id, now());
            let fleet = Fleet { link: &link, node_id };
            stay(fleet, &desk, (&mut pace, &mut health), stop, observer)
        });
        match ended {
            Ok(()) => observer(&Event::Left),
            Err(reason) if reason.is_passing() => {
                let pause = pace.pause();
                observer(&Event::Away { reason: &reason, pause });
                wait(pause, stop);
            }
            Err(other) => return Err(other),
        }
    }
    Ok(())
}

/// Gets a number at the SuperLink: the one it had, that of its registered key, or one for a key that it registers
/// itself where the operator leaves that to nodes.
fn join(link: &Link<'_>, kept: &Kept) -> Result<u64, NodeError> {
    // A node that was killed a moment ago is online, and a SuperLink does not activate it again.
    if let Some(node_id) = kept.node_id(&link.address, &link.key.public) {
        match (Fleet { link, node_id }).heartbeat() {
            Ok(true) => return Ok(node_id),
            Ok(false) | Err(NodeError::Stranger | NodeError::Refused { .. }) => {}
            Err(other) => return Err(other),
        }
    }
    // Who is about to say who it is cannot be a stranger: the signature itself is refused.
    let disbelieved = |error| match error {
        NodeError::Stranger => NodeError::Disbelieved { address: link.address.clone() },
        other => other,
    };
    let node_id = match activate(link).map_err(disbelieved) {
        Err(NodeError::Refused { code: NOT_ACTIVATED, .. }) => match register(link) {
            Err(NodeError::Refused { code: REGISTRATION_DISABLED | KEY_IN_USE, .. }) => {
                return Err(NodeError::UnknownKey { address: link.address.clone() });
            }
            registered => registered.and_then(|_| activate(link)).map_err(disbelieved)?,
        },
        activated => activated?,
    };
    kept.join(&link.address, &link.key.public, node_id)?;
    Ok(node_id)
}

/// Answers while another thread gives signs of life. Ends well only when somebody asks to stop.
fn stay(
    fleet: Fleet<'_>,
    desk: &Desk,
    (retries, health): (&mut Pace, &mut Health<'_>),
    stop: &Stop,
    observer: Observer<'_>,
) -> Result<(), NodeError> {
    let (lost, over) = (AtomicBool::new(false), stop.inner());
    thread::scope(|scope| {
        scope.spawn(|| beat(fleet, &lost, &over));
        let ended = work(fleet, desk, (retries, health, &lost), stop, observer);
        over.ask();
        match ended {
            // What was not answered is, when the node is started again.
            Err(reason) if reason.is_passing() && stop.is_asked() => Ok(()),
            ended => ended,
        }
    })?;
    // A SuperLink that does not hear it notices by itself.
    let _ = fleet.deactivate();
    Ok(())
}

/// Gives a sign of life before the SuperLink misses one.
fn beat(fleet: Fleet<'_>, lost: &AtomicBool, over: &Stop) {
    loop {
        wait(Duration::from_secs_f64(0.8 * INTERVAL), over);
        if over.is_asked() {
            return;
        }
        if matches!(fleet.heartbeat(), Ok(false) | Err(NodeError::Stranger)) {
            lost.store(true, Ordering::Relaxed);
        }
    }
}

fn work(
    fleet: Fleet<'_>,
    desk: &Desk,
    (retries, health, lost): (&mut Pace, &mut Health<'_>, &AtomicBool),
    stop: &Stop,
    observer: Observer<'_>,
) -> Result<(), NodeError> {
    let mut pace = Pace::looking();
    let mut next = desk.kept.asked();
    while !stop.is_asked() {
        if lost.load(Ordering::Relaxed) {
            return Err(NodeError::Stranger);
        }
        let now = fleet.link.now;
        if let Some(asked) = next.take() {
            let run_id = asked.message.metadata.as_ref().map_or(0, |about| about.run_id);
            health.begun(run_id, now());
            let answered = attend(fleet, desk, (&asked, run_id), stop, observer)?;
            desk.kept.end()?;
            health.done(answered, now());
            pace.reset();
        }
        next = fleet.pull()?.map(|message| {
            let begun = since_1970(now()).as_secs_f64();
            Asked { message, begun }
        });
        health.heard(now());
        retries.reset();
        match &next {
            Some(asked) => desk.kept.begin(asked)?,
            None => wait(pace.pause(), stop),
        }
    }
    Ok(())
}

/// How often a SuperLink that fails at a message is tried again before the message is dropped.
const RETRIES: usize = 3;

/// Answers a message, or drops it; gives whether it was answered.
fn attend(
    fleet: Fleet<'_>,
    desk: &Desk,
    (asked, run_id): (&Asked, u64),
    stop: &Stop,
    observer: Observer<'_>,
) -> Result<bool, NodeError> {
    let mut pace = Pace::retrying();
    let mut replied = reply(fleet, desk, asked, stop);
    for _ in 0..RETRIES {
        if stop.is_asked() || !matches!(replied, Err(NodeError::Failed { .. })) {
            break;
        }
        wait(pace.pause(), stop);
        replied = reply(fleet, desk, asked, stop);
    }
    match replied {
        Ok(done) => {
            let seconds = since_1970((fleet.link.now)()).as_secs_f64() - asked.begun;
            match &done.declined {
                None => observer(&Event::Answered { run_id, asked: &done.asked, seconds }),
                Some(reason) => observer(&Event::Declined { run_id, reason }),
            }
            Ok(true)
        }
        // Asked to stop before it was tried often enough: it is tried again after the next start.
        Err(reason @ NodeError::Failed { .. }) if stop.is_asked() => Err(reason),
        // The run is over, or its server has gone: nobody waits for an answer, or it is not taken.
        Err(
            reason @ (NodeError::Refused { .. }
            | NodeError::Failed { .. }
            | NodeError::Expired
            | NodeError::Protocol { .. }
            | NodeError::Object(_)),
        ) => {
            observer(&Event::Dropped { run_id, reason: &reason });
            Ok(false)
        }
        Err(other) => Err(other),
    }
}
