use serde_json::{Value, json};

use super::*;
use crate::partition::{PartitionError, label_dirichlet};

fn drawn() -> PartitionFile {
    let labels: Vec<u32> = (0..60).map(|row| row % 3).collect();
    let partition = label_dirichlet(&labels, 3, 4, 0.7, 5, Seed(u64::MAX)).unwrap();
    let method = Method::LabelDirichlet { agents: 4, alpha: 0.7, min_samples: 5 };
    PartitionFile::new(method, Seed(u64::MAX), corefed_core::digest_bytes(b"data"), partition)
        .unwrap()
}

#[test]
fn a_written_file_reads_back_equal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("split.json");
    let file = drawn();
    std::fs::write(&path, file.to_json()).unwrap();
    assert_eq!(PartitionFile::read(&path).unwrap(), file);
    file.check_against(60, &corefed_core::digest_bytes(b"data")).unwrap();
}

#[test]
fn every_method_has_a_written_form() {
    for (method, text) in [
        (Method::Iid { agents: 2 }, r#"{"kind":"iid","agents":2}"#),
        (
            Method::Shards { agents: 2, shards_per_agent: 3 },
            r#"{"kind":"shards","agents":2,"shards_per_agent":3}"#,
        ),
        (
            Method::QuantitySkew { agents: 2, alpha: 0.1, min_samples: 1 },
            r#"{"kind":"quantity-skew","agents":2,"alpha":0.1,"min_samples":1}"#,
        ),
        (Method::Column { column: "site".to_owned() }, r#"{"kind":"column","column":"site"}"#),
        (Method::Given, r#"{"kind":"given"}"#),
    ] {
        assert_eq!(json_text(&method), text);
        assert_eq!(serde_json::from_str::<Method>(text).unwrap(), method);
    }
}

#[test]
fn other_data_are_refused() {
    let file = drawn();
    let error = file.check_against(61, file.data()).unwrap_err();
    assert_eq!(error.to_string(), "the partition divides `60` rows but the data have `61`");
    let error = file.check_against(60, "0f").unwrap_err();
    assert!(matches!(error, PartitionFileError::Data { .. }), "{error}");
    assert!(error.hint().unwrap().contains("draw the partition again"));
}

/// The message about a file in which one thing is changed.
fn refused(change: impl FnOnce(&mut Value)) -> PartitionFileError {
    let mut document: Value = serde_json::from_str(&drawn().to_json()).unwrap();
    change(&mut document);
    PartitionFile::parse("p.json", document.to_string().as_bytes()).unwrap_err()
}

#[test]
fn documents_of_another_kind_or_version_are_named() {
    assert_eq!(
        refused(|d| d["format"] = json!("corefed-run")).to_string(),
        "`p.json` has format `corefed-run`, not `corefed-partition`"
    );
    // Whatever else a later version brings, its number is what the reader must hear about.
    let later = refused(|d| {
        d["version"] = json!(2);
        d["agents"] = json!("elsewhere");
    });
    assert_eq!(later.to_string(), "`p.json` has version `2` but only version `1` can be read");
}

#[test]
fn assignments_that_divide_nothing_are_refused() {
    let why = |change: fn(&mut Value)| match refused(change) {
        PartitionFileError::Partition { source, .. } => source,
        other => panic!("{other}"),
    };
    assert_eq!(why(|d| d["agents"] = json!([])), PartitionError::NoAgents);
    let twice = why(|d| {
        let row = d["agents"][1]["rows"][0].clone();
        d["agents"][0]["rows"].as_array_mut().unwrap().push(row);
    });
    assert!(matches!(twice, PartitionError::TwoOwners { .. }), "{twice}");
    let beyond = why(|d| d["agents"][0]["rows"][0] = json!(60));
    let agent = "agent-0".to_owned();
    assert_eq!(beyond, PartitionError::OutOfRange { agent, row: 60, rows: 60 });
    let twins = why(|d| d["agents"][1]["name"] = json!("agent-0"));
    assert_eq!(twins, PartitionError::TwinAgents { agent: "agent-0".to_owned() });
    let empty = why(|d| d["agents"][2]["rows"] = json!([]));
    assert_eq!(empty, PartitionError::NoRowsOf { agent: "agent-2".to_owned() });
    let nameless = why(|d| d["agents"][2]["name"] = json!(""));
    assert_eq!(nameless, PartitionError::Unnamed { agent: 2 });
}

#[test]
fn any_edit_that_stays_valid_breaks_the_digest() {
    let edits: [fn(&mut Value); 7] = [
        |d| d["seed"] = json!(1),
        |d| d["method"]["alpha"] = json!(0.8),
        |d| d["method"] = json!({"kind": "given"}),
        |d| d["data"] = json!("0".repeat(64)),
        |d| d["rows"] = json!(61),
        |d| d["agents"][0]["name"] = json!("somebody"),
        |d| drop(d["agents"].as_array_mut().unwrap().pop()),
    ];
    for (i, edit) in edits.into_iter().enumerate() {
        let error = refused(edit);
        assert!(matches!(error, PartitionFileError::Digest { .. }), "edit {i}: {error}");
    }
}

#[test]
fn fields_of_the_wrong_kind_are_placed() {
    let edits: [fn(&mut Value); 7] = [
        |d| d["seed"] = json!(-1),
        |d| d["rows"] = json!(1.5),
        |d| d["agents"][0]["rows"][0] = json!(4_294_967_296_u64),
        |d| d["method"]["kind"] = json!("by-magic"),
        |d| d["extra"] = json!(1),
        |d| d["agents"][0]["extra"] = json!(1),
        |d| drop(d.as_object_mut().unwrap().remove("agents")),
    ];
    for (i, edit) in edits.into_iter().enumerate() {
        let error = refused(edit);
        assert!(matches!(error, PartitionFileError::Json { .. }), "edit {i}: {error}");
        assert!(error.hint().is_some());
    }
    let cut = &drawn().to_json().into_bytes()[..100];
    let error = PartitionFile::parse("p.json", cut).unwrap_err();
    assert_eq!(error.to_string(), "`p.json`, line 1, column 100: not a partition file");
    let error = refused(|d| d["data"] = json!("ABC"));
    assert!(matches!(error, PartitionFileError::DataDigest { .. }), "{error}");
}

#[test]
fn missing_files_are_named() {
    let error = PartitionFile::read(Path::new("/nowhere/p.json")).unwrap_err();
    assert_eq!(error.to_string(), "cannot read `/nowhere/p.json`");
}
