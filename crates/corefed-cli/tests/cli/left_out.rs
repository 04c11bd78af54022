//! What builds without some features answer; run by `cargo test -p corefed-cli`, which leaves all of them out.

#[cfg(not(feature = "portable"))]
use crate::harness::Folder;

/// Refused with the name of the feature and the command that builds it.
#[cfg(not(feature = "portable"))]
fn refused(folder: &Folder, arguments: &str, feature: &str) {
    let said = folder.run(arguments);
    assert_eq!(said.code, 2, "{}", said.out);
    let wanted = [format!("without the feature `{feature}`"), format!("--features {feature}")];
    assert!(wanted.iter().all(|part| said.err.contains(part)), "{}", said.err);
}

#[cfg(not(feature = "download"))]
#[test]
fn downloads_name_their_feature() {
    refused(&Folder::new(&[]), "data fetch adult --data-dir none", "download");
}

#[cfg(not(feature = "figures"))]
#[test]
fn figures_name_their_feature_and_the_page_is_there() {
    let folder = Folder::new(&[]);
    assert_eq!(folder.run("run --out run").code, 0);
    refused(&folder, "report run --figures figures", "figures");
    assert!(folder.path("run/report.html").exists());
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_names_its_feature_when_it_is_read_or_written() {
    let folder = Folder::new(&[("rows.parquet", "PAR1")]);
    refused(&folder, "solve rows.parquet --agent a --target y --model logistic", "parquet");
    // What zstd packed begins with these four bytes.
    std::fs::write(folder.path("rows.csv.zst"), [0x28, 0xb5, 0x2f, 0xfd, 0, 0]).expect("written");
    let said = folder.run("solve rows.csv.zst --agent a --target y --model logistic");
    let wanted = ["without the feature `parquet`, which brings zstd", "unzstd", "gzip"];
    assert!(said.code == 2 && wanted.iter().all(|part| said.err.contains(part)), "{}", said.err);
    folder.run("run hospitals-rounds --set train.rounds=2 --out run");
    refused(&folder, "export run --out rounds.parquet", "parquet");
    assert!(!folder.path("rounds.parquet").exists());
}

#[cfg(not(feature = "node"))]
#[test]
fn a_node_is_left_out_whatever_it_is_told() {
    refused(&Folder::new(&[]), "node --superlink here:1 --data rows.csv --key key", "node");
}
