use std::convert::Infallible;
use std::thread;

use super::*;

fn key() -> Key {
    Key::new("void step() {}", &["--std=c++17"], (12, 4), (9, 0))
}

fn of(folder: &Path) -> Cache {
    Cache { folder: Some(folder.to_owned()) }
}

/// What comes out, and whether it had to be made.
fn get(cache: &Cache, key: &Key, code: &[u8]) -> (Vec<u8>, bool) {
    let mut made = false;
    let found = cache.get_or(key, || {
        made = true;
        Ok::<_, Infallible>(code.to_vec())
    });
    let Ok(found) = found;
    (found, made)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn keys_differ_in_everything_that_code_depends_on() {
    let others = [
        Key::new("void step() { }", &["--std=c++17"], (12, 4), (9, 0)),
        Key::new("void step() {}", &["--std=c++20"], (12, 4), (9, 0)),
        Key::new("void step() {}", &["--std=c++17", ""], (12, 4), (9, 0)),
        Key::new("void step() {}", &["--std=c++17"], (12, 5), (9, 0)),
        Key::new("void step() {}", &["--std=c++17"], (12, 4), (8, 0)),
        Key::new("b", &["a"], (12, 4), (9, 0)),
        Key::new("", &["a", "b"], (12, 4), (9, 0)),
    ];
    assert_eq!(key(), key());
    for (at, other) in others.iter().enumerate() {
        assert_ne!(*other, key());
        assert!(!others[..at].contains(other));
    }
}

#[test]
fn what_was_made_once_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let cache = of(&folder.path().join("not/yet"));
    assert_eq!(get(&cache, &key(), b"code"), (b"code".to_vec(), true));
    assert_eq!(get(&cache, &key(), b"other"), (b"code".to_vec(), false));
    // Nothing temporary is left.
    assert_eq!(files(&folder.path().join("not/yet")).len(), 1);
    assert_eq!(get(&Cache::none(), &key(), b"other"), (b"other".to_vec(), true));
}

#[test]
fn failures_are_passed_on_and_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(of(folder.path()).get_or(&key(), || Err("no")), Err("no"));
    assert!(files(folder.path()).is_empty());
}

#[test]
fn damage_means_that_it_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let cache = of(folder.path());
    get(&cache, &key(), b"code");
    let path = files(folder.path()).remove(0);
    let whole = fs::read(&path).unwrap();
    let mut damaged: Vec<Vec<u8>> = (0..whole.len()).map(|end| whole[..end].to_vec()).collect();
    damaged.extend((0..whole.len()).map(|at| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        bytes
    }));
    damaged.push([&whole[..], b"x"].concat());
    for bytes in damaged {
        fs::write(&path, &bytes).unwrap();
        assert_eq!(get(&cache, &key(), b"code"), (b"code".to_vec(), true), "{bytes:?}");
        // Mended.
        assert_eq!(fs::read(&path).unwrap(), whole);
    }
    // The file of another kernel is no better.
    let other = Key::new("another", &[], (12, 4), (9, 0));
    fs::copy(&path, folder.path().join(format!("{}.cubin", other.0))).unwrap();
    assert_eq!(get(&cache, &other, b"own"), (b"own".to_vec(), true));
}

#[test]
fn a_cache_that_cannot_be_written_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let cache = of(&file);
    for _ in 0..2 {
        assert_eq!(get(&cache, &key(), b"code"), (b"code".to_vec(), true));
    }
    // Neither is a folder where the file would be.
    let cache = of(folder.path());
    let path = folder.path().join(format!("{}.cubin", key().0));
    fs::create_dir_all(path.join("full")).unwrap();
    assert_eq!(get(&cache, &key(), b"code"), (b"code".to_vec(), true));
    assert_eq!(files(folder.path()).len(), 2);
}

#[test]
fn writers_at_the_same_time_leave_one_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let cache = of(folder.path());
    let code = vec![7_u8; 1 << 16];
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for turn in 0..20 {
                    assert_eq!(get(&cache, &key(), &code).0, code);
                    if turn % 5 == 0 {
                        // Somebody empties the cache meanwhile.
                        let _ = fs::remove_file(folder.path().join(format!("{}.cubin", key().0)));
                    }
                }
            });
        }
    });
    assert_eq!(get(&cache, &key(), &code).0, code);
    assert!(!get(&cache, &key(), b"other").1);
    assert_eq!(files(folder.path()).len(), 1);
}

#[test]
fn what_a_process_that_died_left_is_stepped_over() {
    let folder = tempfile::tempdir().unwrap();
    let (_, first) = create(folder.path(), &key()).unwrap();
    let (_, second) = create(folder.path(), &key()).unwrap();
    assert_ne!(first, second);
    let cache = of(folder.path());
    get(&cache, &key(), b"code");
    assert!(!get(&cache, &key(), b"code").1);
}
