//! Makes the disk of a test's thread fail after this many changes. A byte is a change, and so is
//! every creation, renaming, removal and truncation.

use std::cell::{Cell, RefCell};
use std::io;

#[derive(Clone, Copy)]
enum Fuse {
    Off,
    /// Changes left, and whether anything works afterwards.
    Lit {
        left: usize,
        mends: bool,
    },
}

thread_local! {
    static FUSE: Cell<Fuse> = const { Cell::new(Fuse::Off) };
    static CHANGES: Cell<usize> = const { Cell::new(0) };
    static STARTS: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Nothing is written after this many changes, not even by cleaning up: a process that was killed.
pub(crate) fn kill_after(changes: usize) {
    FUSE.set(Fuse::Lit { left: changes, mends: false });
}

/// One change fails after this many: a full disk that somebody then makes room on.
pub(crate) fn fail_once_after(changes: usize) {
    FUSE.set(Fuse::Lit { left: changes, mends: true });
}

/// The disk works, and its changes are counted from zero.
pub(crate) fn reset() {
    FUSE.set(Fuse::Off);
    CHANGES.set(0);
    STARTS.take();
}

/// Changes made since [`reset`].
pub(crate) fn changes() -> usize {
    CHANGES.get()
}

/// After how many changes each write, creation, renaming, removal and truncation began.
pub(crate) fn starts() -> Vec<usize> {
    STARTS.with_borrow(Clone::clone)
}

pub(super) fn passing(count: usize) -> io::Result<usize> {
    STARTS.with_borrow_mut(|starts| starts.push(CHANGES.get()));
    let passing = match FUSE.get() {
        Fuse::Off => count,
        Fuse::Lit { left: 0, mends } => {
            if mends && count > 0 {
                FUSE.set(Fuse::Off);
            }
            return Err(io::ErrorKind::StorageFull.into());
        }
        Fuse::Lit { left, mends } => {
            let passing = count.min(left);
            FUSE.set(Fuse::Lit { left: left - passing, mends });
            passing
        }
    };
    CHANGES.set(CHANGES.get() + passing);
    Ok(passing)
}
