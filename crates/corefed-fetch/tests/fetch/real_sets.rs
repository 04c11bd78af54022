//! The catalogue against the published files, served from the folder that `COREFED_DATA` names.

use std::path::PathBuf;

use corefed_data::source::catalogue::{ENTRIES, Origin};
use corefed_data::source::{Depth, State, locate};
use corefed_fetch::{Options, fetch};

use crate::server::{Reply, Server};

/// CIFAR-10 is left out: its archive cannot be rebuilt to the byte from the files in it.
#[test]
fn sets_of_single_files_are_fetched_from_a_mirror_that_has_them() {
    let Some(root) = std::env::var_os("COREFED_DATA").map(PathBuf::from) else {
        eprintln!("skipped: COREFED_DATA is not set");
        return;
    };
    for entry in ENTRIES {
        if !matches!(entry.origin, Origin::Published(published) if published.archive.is_none()) {
            continue;
        }
        let State::Present { .. } = locate(entry, &root, Depth::Sizes).unwrap() else {
            eprintln!("skipped: `{}` is not in `{}`", entry.name, root.display());
            continue;
        };
        let from = root.join(entry.name);
        let server = Server::start(move |_, request| {
            Reply::File(std::fs::read(from.join(&request.path[1..])).unwrap())
        });
        let folder = tempfile::tempdir().unwrap();
        let options = Options { mirror: Some(server.address.clone()), progress: &mut |_| () };
        let fetched = fetch(entry.name, folder.path(), options).unwrap();
        assert_eq!(fetched.placed.len(), entry.files().len());
        let state = locate(entry, folder.path(), Depth::Checksums).unwrap();
        assert_eq!(state, State::Present { verified: true }, "{}", entry.name);
    }
}
