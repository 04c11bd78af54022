//! Files with nothing in them, and files that are compressed.

use super::{LINEAR, mistake, try_all};
use crate::harness::Folder;

#[test]
fn files_with_nothing_in_them() {
    try_all(vec![
        mistake("header only", "hospital,cost\n", LINEAR, false, &["has a header but no rows"]),
        mistake("empty", "", LINEAR, false, &["is empty"]),
        mistake("duplicate names", "a,a\n1,2\n", LINEAR, false, &["names column `a` twice"]),
    ]);
}

/// A small table with the columns `who` and `y`, compressed.
pub(super) fn gzip() -> Vec<u8> {
    const GZIP: &str = "1f8b08000000000002032dcb310e80201005d19eb34cc1022a1c67b7a2a3546fef37a19be465eeb978789393c929308abad0d4155337aafa903aa734b8a44e970643ead89efffb03b4a28b9652000000";
    let byte = |k| u8::from_str_radix(&GZIP[k..k + 2], 16).expect("hexadecimal");
    (0..GZIP.len()).step_by(2).map(byte).collect()
}

#[test]
fn compressed_files_are_opened() {
    let folder = Folder::new(&[]);
    std::fs::write(folder.path("t.csv.gz"), gzip()).unwrap();
    let said =
        folder.run("solve t.csv.gz --agent who --target y --model linear --certificate c.json");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("compressed with gzip"), "{}", said.out);
    let said = folder.run("verify c.json --data t.csv.gz");
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
}
