//! Throughput of CSV to federation, in bytes of the file, on rows like UCI Adult's.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use corefed_core::Family;
use corefed_core::Seed;
use corefed_data::{Check, EncodeOptions, Missing, Table, fit, fit_file};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand_chacha::rand_core::Rng as _;

const ROWS: usize = 300_000;

/// 15 columns: six numbers, eight texts, two classes; about 115 bytes a row.
fn adult_like() -> String {
    let texts: [&[&str]; 8] = [
        &["Private", "Self-emp-not-inc", "Local-gov", "?", "State-gov", "Federal-gov"],
        &["HS-grad", "Some-college", "Bachelors", "Masters", "Assoc-voc", "11th", "7th-8th"],
        &["Married-civ-spouse", "Never-married", "Divorced", "Separated", "Widowed"],
        &["Prof-specialty", "Craft-repair", "Exec-managerial", "Adm-clerical", "Sales", "?"],
        &["Husband", "Not-in-family", "Own-child", "Unmarried", "Wife", "Other-relative"],
        &["White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"],
        &["Male", "Female"],
        &["United-States", "United-States", "United-States", "Mexico", "Philippines", "?"],
    ];
    let mut rng = Seed(1).rng();
    let mut text = "age,a,b,fnlwgt,c,num,d,who,e,f,gain,loss,hours,g,income\n".to_owned();
    for _ in 0..ROWS {
        let mut draw = |n: u64| rng.next_u64() % n;
        let level: [&str; 8] = texts.map(|levels| {
            let index = usize::try_from(draw(levels.len() as u64)).unwrap_or_default();
            levels[index]
        });
        let gain = if draw(12) == 0 { draw(99_999) } else { 0 };
        let loss = if draw(20) == 0 { draw(4_356) } else { 0 };
        let numbers = [17 + draw(74), 12_285 + draw(1_472_420), 1 + draw(16), 1 + draw(99)];
        let income = if draw(4) == 0 { ">50K" } else { "<=50K" };
        let [a, b, c, d, who, e, f, g] = level;
        let [age, weight, num, hours] = numbers;
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{age},{a},{b},{weight},{c},{num},{d},{who},{e},{f},{gain},{loss},{hours},{g},{income}"
        );
    }
    text
}

fn encode(criterion: &mut Criterion) {
    let text = adult_like();
    let options = EncodeOptions {
        agent_column: "who".to_owned(),
        target_column: "income".to_owned(),
        exposure_column: None,
        family: Family::Logistic,
        intercept: true,
        raw: false,
        l2: 1.0,
        allow: Check::ALL.into_iter().collect(),
        missing: Missing::default(),
        written: corefed_core::Writing::default(),
        na: Vec::new(),
        types: Vec::new(),
    };
    let path = std::env::temp_dir().join(format!("corefed-bench-{}.csv", std::process::id()));
    let written = std::fs::write(&path, &text);
    assert!(written.is_ok(), "{written:?}");
    let mut group = criterion.benchmark_group("encode");
    group.throughput(Throughput::Bytes(text.len() as u64)).sample_size(10);
    group.warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(5));
    group.bench_function(format!("file/rows={ROWS}"), |bencher| {
        bencher.iter(|| black_box(fit_file(&path, &options)));
    });
    group.bench_function(format!("table/rows={ROWS}"), |bencher| {
        bencher.iter(|| black_box(Table::read(&path).and_then(|table| fit(&table, &options))));
    });
    group.finish();
    // Left behind, it would only take room.
    let _ = std::fs::remove_file(&path);
}

criterion_group!(benches, encode);
criterion_main!(benches);
