//! Who is being talked to. When all places are taken, somebody who dawdles makes room: a newcomer is never
//! turned away because others are slow.

use std::net::{IpAddr, Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The conversations that are open, oldest first.
#[derive(Default)]
pub(super) struct Conversations {
    open: Mutex<Vec<Open>>,
}

struct Open {
    /// Newer conversations have larger ones.
    id: u64,
    peer: IpAddr,
    stream: TcpStream,
    /// Whether its request is complete: it waits for us, and not we for it.
    asked: bool,
}

/// A place that is free again when it is dropped.
pub(super) struct Seat {
    conversations: Arc<Conversations>,
    id: u64,
}

impl Conversations {
    /// Opens a conversation. Beyond `most`, one of the address with the most conversations is closed: among ten
    /// addresses, one that opens a hundred connections closes its own. It is the oldest that dawdles over its
    /// request, or else the oldest.
    pub(super) fn admit(
        self: &Arc<Self>,
        id: u64,
        stream: &TcpStream,
        most: usize,
    ) -> std::io::Result<Seat> {
        let peer = stream.peer_addr()?.ip();
        let mut open = self.lock();
        if open.len() >= most
            && let Some(at) = leaves(&open, id, most)
        {
            let closed = open.remove(at);
            // Anybody who went away already is closed as well.
            let _ = closed.stream.shutdown(Shutdown::Both);
        }
        open.push(Open { id, peer, stream: stream.try_clone()?, asked: false });
        Ok(Seat { conversations: Arc::clone(self), id })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Open>> {
        // Nothing is left half done where a list is pushed to or removed from.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// The request is complete.
    pub(super) fn asked(&self) {
        for open in self.conversations.lock().iter_mut().filter(|open| open.id == self.id) {
            open.asked = true;
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.conversations.lock().retain(|open| open.id != self.id);
    }
}

/// Whose place a newcomer gets. A request takes a moment on its way: one dawdles over it while an eighth as many others
/// come as have places.
fn leaves(open: &[Open], newcomer: u64, most: usize) -> Option<usize> {
    let count = |peer: IpAddr| open.iter().filter(|other| other.peer == peer).count();
    let largest = open.iter().map(|one| count(one.peer)).max()?;
    let greedy = |one: &Open| count(one.peer) == largest;
    let dawdles = |one: &Open| !one.asked && newcomer - one.id > most as u64 / 8;
    let slow = open.iter().position(|one| greedy(one) && dawdles(one));
    slow.or_else(|| open.iter().position(greedy))
}
