//! Files that are written differently, or are not tables.

use super::{LINEAR, mistake, try_all, usual, with};
use crate::harness::Folder;

#[test]
fn files_that_are_written_differently() {
    let semicolons = usual().replace(',', ";");
    let commas = semicolons.replace('.', ",");
    let utf16: Vec<u8> = usual().encode_utf16().flat_map(u16::to_le_bytes).collect();
    let latin1: Vec<u8> = with("sex", |row| if row == 4 { "fü".into() } else { "m".into() })
        .chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap())
        .collect();
    let headless = usual().split_once('\n').unwrap().1.to_owned();
    try_all(vec![
        mistake("semicolons", semicolons, LINEAR, true, &["cells are separated by semicolons"]),
        mistake("tabs", usual().replace(',', "\t"), LINEAR, true, &["separated by tabs"]),
        mistake(
            "decimal commas",
            commas,
            LINEAR,
            true,
            &["semicolons", "decimal comma", "mean 1142"],
        ),
        mistake(
            "xlsx",
            &b"PK\x03\x04\x14\0\x06\0"[..],
            LINEAR,
            false,
            &["spreadsheet", "CSV", "read_excel"],
        ),
        mistake("UTF-16", utf16, LINEAR, false, &["UTF-16", "iconv -f utf-16"]),
        mistake(
            "Latin-1",
            latin1,
            LINEAR,
            false,
            &["line 6, column `sex`", "`fü`", "iconv -f latin1"],
        ),
        mistake("BOM", format!("\u{feff}{}", usual()), LINEAR, true, &["stable"]),
        mistake(
            "no header",
            headless,
            LINEAR,
            false,
            &["no column `hospital`", "no header line", "add one"],
        ),
        mistake(
            "ragged",
            "a,b\n1,2\n3\n",
            LINEAR,
            false,
            &["line 3", "expected 2 cells but found 1"],
        ),
        mistake("header only", "hospital,cost\n", LINEAR, false, &["has a header but no rows"]),
        mistake("empty", "", LINEAR, false, &["is empty"]),
        mistake("duplicate names", "a,a\n1,2\n", LINEAR, false, &["names column `a` twice"]),
        mistake(
            "URL",
            "",
            "solve https://example.org/t.csv --agent a --target b --model linear",
            false,
            &["download it first"],
        ),
    ]);
}

#[test]
fn compressed_files_are_opened() {
    // `gzip` of the table below.
    const GZIP: &str = "1f8b08000000000002032dcb310e80201005d19eb34cc1022a1c67b7a2a3546fef37a19be465eeb978789393c929308abad0d4155337aafa903aa734b8a44e970643ead89efffb03b4a28b9652000000";
    let bytes: Vec<u8> = (0..GZIP.len())
        .step_by(2)
        .map(|k| u8::from_str_radix(&GZIP[k..k + 2], 16).unwrap())
        .collect();
    let folder = Folder::new(&[]);
    std::fs::write(folder.path("t.csv.gz"), bytes).unwrap();
    let said =
        folder.run("solve t.csv.gz --agent who --target y --model linear --certificate c.json");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("compressed with gzip"), "{}", said.out);
    let said = folder.run("verify c.json --data t.csv.gz");
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
}
