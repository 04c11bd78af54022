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
    id: u64,
    peer: IpAddr,
    stream: TcpStream,
}

/// A place that is free again when it is dropped.
pub(super) struct Seat {
    conversations: Arc<Conversations>,
    id: u64,
}

impl Conversations {
    /// Opens a conversation. Beyond `most`, the oldest of the address with the most conversations is closed;
    /// among ten addresses, one that opens a hundred connections closes its own.
    pub(super) fn admit(
        self: &Arc<Self>,
        id: u64,
        stream: &TcpStream,
        most: usize,
    ) -> std::io::Result<Seat> {
        let peer = stream.peer_addr()?.ip();
        let mut open = self.lock();
        if open.len() >= most
            && let Some(at) = most_greedy(&open)
        {
            let closed = open.remove(at);
            // Anybody who went away already is closed as well.
            let _ = closed.stream.shutdown(Shutdown::Both);
        }
        open.push(Open { id, peer, stream: stream.try_clone()? });
        Ok(Seat { conversations: Arc::clone(self), id })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Open>> {
        // Nothing is left half done where a list is pushed to or removed from.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.conversations.lock().retain(|open| open.id != self.id);
    }
}

/// The oldest conversation of the address that has most of them.
fn most_greedy(open: &[Open]) -> Option<usize> {
    let count = |peer: IpAddr| open.iter().filter(|other| other.peer == peer).count();
    let most = open.iter().map(|one| count(one.peer)).max()?;
    open.iter().position(|one| count(one.peer) == most)
}
