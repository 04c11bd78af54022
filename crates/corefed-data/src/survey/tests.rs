use super::*;

fn table(cells: impl Iterator<Item = String>) -> Table {
    let lines = cells.map(|cell| format!("{cell},0\n")).collect::<Vec<_>>().concat();
    let text = format!("x,z\n{lines}");
    Table::parse("t.csv", text.as_bytes()).unwrap()
}

#[test]
fn numbers_have_a_range_a_spread_and_bars() {
    let found = survey_column(&table(["1", "NA", "3", "5"].into_iter().map(str::to_owned)), 0);
    let Holds::Numbers { least, most, mean, deviation, bars } = &found.holds else { panic!() };
    assert_eq!((*least, *most, *mean), (1.0, 5.0, 3.0));
    assert!((deviation - (8.0_f64 / 3.0).sqrt()).abs() < 1e-12);
    assert_eq!((bars[0], bars[10], bars[19], found.holes, found.distinct), (1, 1, 1, 1, 3));
}

#[test]
fn odd_columns_are_said_to_be() {
    let odd =
        |make: &dyn Fn(usize) -> String| survey_column(&table((0..60).map(make)), 0).odd.join("; ");
    assert!(
        odd(&|i| if i == 7 { "-9999".to_owned() } else { (i % 9).to_string() })
            .contains("--na -9999")
    );
    assert!(odd(&|i| format!("{i}")).contains("identifier"));
    assert!(odd(&|i| format!("p{i}")).contains("identifier"));
    assert!(odd(&|i| format!("2024-01-{:02}", 1 + i % 28)).contains("dates"));
    assert!(odd(&|i| format!("{i} kg")).contains("unit"));
    assert!(odd(&|_| "same".to_owned()).contains("one value"));
    assert!(odd(&|_| "NA".to_owned()).contains("no value"));
    assert_eq!(odd(&|i| format!("{}", i % 7)), "");
}

#[test]
fn an_agent_in_another_unit_is_found_and_different_patients_are_not() {
    let of = |mean: f64, deviation: f64| Spread { count: 9, mean, deviation };
    // Celsius, and one in Fahrenheit.
    let mut stations: Vec<Spread> = (0..8).map(|k| of(14.0 + f64::from(k) / 4.0, 11.0)).collect();
    stations.push(of(59.0, 20.0));
    assert_eq!(unlike(&stations), [8]);
    // Micrograms, and one in milligrams.
    let mut dust = vec![of(80.0, 70.0); 6];
    dust[2] = of(0.08, 0.07);
    assert_eq!(unlike(&dust), [2]);
    let patients: Vec<Spread> = (0..20).map(|k| of(f64::from(k) * 2.0, 1.5)).collect();
    assert!(unlike(&patients).is_empty());
}
