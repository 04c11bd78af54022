//! Tables as newcomers bring them: one command each, nothing prepared, and a model that is of use.

use crate::harness::Folder;

/// Numbers that look drawn, and are the same everywhere.
struct Drawn(u64);

impl Drawn {
    /// Between zero and one.
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// About normal, with mean zero and deviation one.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }
}

/// Hourly air quality: `NA` for holes in numbers, texts and the target, a text column, row numbers.
fn air() -> String {
    let mut drawn = Drawn(7);
    let mut text = "No,hour,PM2.5,PM10,TEMP,RAIN,wd,station\n".to_owned();
    for row in 0..3000 {
        let station = row / 250;
        let (pm10, temp) = (110.0 + 40.0 * drawn.normal(), 14.0 + 11.0 * drawn.normal());
        let pm = 80.0 + 0.7 * (pm10 - 110.0) - 0.8 * (temp - 14.0)
            + 15.0 * drawn.normal()
            + station as f64;
        let mut cell =
            |value: f64| if drawn.next() < 0.02 { "NA".to_owned() } else { format!("{value:.1}") };
        let cells = [cell(pm), cell(pm10), cell(temp)].join(",");
        let wind = ["N", "NE", "S", "NA"][row % 4];
        let line = format!("{},{},{cells},0,{wind},station {station}\n", row + 1, row % 24);
        text.push_str(&line);
    }
    text
}

/// A voice study: agents are numbers, and a patient's targets hardly vary.
fn voice() -> String {
    let mut drawn = Drawn(11);
    let mut text = "subject#,age,jitter,hnr,total_UPDRS\n".to_owned();
    for subject in 1..=42 {
        let (age, level) = (65.0 + 9.0 * drawn.normal(), 29.0 + 6.0 * drawn.normal());
        for _ in 0..20 {
            let (jitter, hnr) = (0.006 + 0.002 * drawn.normal(), 21.0 + 4.0 * drawn.normal());
            let score = level + 0.6 * (age - 65.0) + 900.0 * (jitter - 0.006) - 0.5 * (hnr - 21.0)
                + drawn.normal();
            let line = format!("{subject},{age:.0},{jitter:.5},{hnr:.2},{score:.2}\n");
            text.push_str(&line);
        }
    }
    text
}

/// The mean loss over agents, which is a share of the target's variance.
fn mean_loss(document: &serde_json::Value) -> f64 {
    let agents = document["agents"].as_array().expect("agents");
    agents.iter().map(|agent| agent["loss"].as_f64().expect("a loss")).sum::<f64>()
        / agents.len() as f64
}

#[test]
fn air_quality_with_holes_is_predicted_at_the_first_try() {
    let folder = Folder::new(&[("air.csv", &air())]);
    let said = folder.run(
        "solve air.csv --agent station --target PM2.5 --model linear --json --certificate c.json",
    );
    assert_eq!(said.code, 0, "{}", said.err);
    let found = said.json();
    assert_eq!(found["verdict"], "stable");
    // Noise of 15 among a deviation of about 33.
    assert!((0.1..0.4).contains(&mean_loss(&found)), "{}", mean_loss(&found));
    assert!((10.0..20.0).contains(&found["target"]["errors"][0].as_f64().unwrap()));
    let notes = found["notes"].to_string();
    for words in [
        "rows are left out",
        "in `PM2.5`",
        "replaced by the mean",
        "in `PM10`",
        "`RAIN`",
        "level of their own",
        "column `No` counts up",
        "--column No=ignore",
    ] {
        assert!(notes.contains(words), "{words}: {notes}");
    }
    // Nothing else counts, said once, and not of a column that is left out.
    assert_eq!(notes.matches("counts up").count(), 1, "{notes}");
    let solve = "solve air.csv --agent station --target PM2.5 --model linear";
    let said = folder.run(solve);
    assert!(said.out.contains("note: column `No` counts up from row to row"), "{}", said.out);
    assert!(!folder.run(&format!("{solve} --column No=ignore")).out.contains("counts up"));
    let said = folder.run("verify c.json --data air.csv");
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    let said = folder.run("data inspect air.csv --agent station --target PM2.5 --report air.html");
    assert_eq!(said.code, 0, "{}", said.err);
    for words in
        ["3000 rows", "`No` counts the rows", "`RAIN` has one value", "mean of PM2.5", "station 11"]
    {
        assert!(said.out.contains(words), "{words}: {}", said.out);
    }
    assert!(said.out.lines().all(|line| line.chars().count() <= 120), "{}", said.out);
    assert!(folder.read("air.html").contains("<svg"));
}

#[test]
fn a_spec_with_held_out_rows_reads_the_same_table() {
    let spec = "data = \"air.csv\"\nagent = \"station\"\ntarget = \"PM2.5\"\nmodel = \"linear\"\nheld_out = 0.2\n";
    let folder = Folder::new(&[("air.csv", &air()), ("air.toml", spec)]);
    let said = folder.run("run air.toml --out run");
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(said.out.contains("rows are left out"), "{}", said.out);
    let said = folder.run("verify run/core.certificate.json --data run/federation.csv");
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    for policy in ["drop", "auto"] {
        let said = folder
            .run(&format!("run air.toml --set missing={policy} --set na=[\"S\"] --out {policy}"));
        assert_eq!(said.code, 0, "{}{}", said.out, said.err);
        let said = folder
            .run(&format!("verify {policy}/core.certificate.json --data {policy}/federation.csv"));
        assert_eq!(said.code, 0, "{policy}: {}{}", said.out, said.err);
    }
}

#[test]
fn voices_of_patients_are_predicted_better_than_by_the_mean() {
    let folder = Folder::new(&[("voice.csv", &voice())]);
    let said =
        folder.run("solve voice.csv --agent subject# --target total_UPDRS --model linear --json");
    assert_eq!(said.code, 0, "{}", said.err);
    let found = said.json();
    assert_eq!(found["verdict"], "stable");
    assert!(mean_loss(&found) < 0.8, "{}", mean_loss(&found));
    let warnings = found["warnings"].to_string();
    assert!(
        warnings.contains("own mean would serve them better")
            && !warnings.contains("worse than the mean"),
        "{warnings}"
    );
}
