use proptest::prelude::*;
use proptest::strategy::ValueTree as _;

use super::*;

/// Cells that have broken parsers before, among plain ones.
fn cell() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        8 => "[ab01]".prop_map(String::into_bytes),
        6 => (-9_i32..9).prop_map(|n| n.to_string().into_bytes()),
        3 => "-?[0-9]{1,3}\\.[0-9]{1,3}".prop_map(String::into_bytes),
        1 => any::<f64>().prop_map(|x| x.to_string().into_bytes()),
        3 => prop::sample::select(vec![
            &b""[..], b"?", b" 1 ", b"\xc2\xa01", b"nan", b"-inf", b"1e308", b"1e-320", b"-0",
            b"+1", b"\"", b"\"\"", b"\"a\nb\"", b"\"a\r\nb\"", b"a\"b", b"\"a\"b", b"\"a\"\"b\"",
            b"\"1\"", b"\"1,2\"", b"\"\"\"\"", b"a,b", b"\r", b"\n\n", "é".as_bytes(),
            "\u{feff}".as_bytes(), b"\xff", b"\"\xc3\"\xa9", b"x=1", b"(intercept)",
        ]).prop_map(<[u8]>::to_vec),
    ]
}

/// A file under a header that has the columns looked for, or nearly.
fn file() -> impl Strategy<Value = Vec<u8>> {
    let header = prop::sample::select(vec![
        "who,x,y",
        "who,x,z,y",
        "y,x,who",
        "who,y",
        "who,x,x=1,y",
        "who,(intercept),y",
        "whom,y",
        "who,x,x",
        "who,,y",
        "\u{feff}who,x,y",
        "\u{feff}\u{feff}who,x,y",
        "\n\r\nwho,x,y",
        "\"who\",x,y",
    ]);
    let end = prop::sample::select(vec!["\n", "\r\n", "\r", "\n\r\n"]);
    let rows = prop::collection::vec(prop::collection::vec(cell(), 4), 0..9);
    (header, end, rows, prop::bool::weighted(0.05)).prop_map(|(header, end, rows, ragged)| {
        let width = header.split(',').count() + usize::from(ragged);
        let mut bytes = header.as_bytes().to_vec();
        for row in rows {
            bytes.extend_from_slice(end.as_bytes());
            bytes.extend(row[..width.min(4)].join(&b','));
        }
        bytes
    })
}

/// Files that mostly encode: few agents, few labels, columns of one kind with rare slips.
fn sane() -> impl Strategy<Value = Vec<u8>> {
    let number = prop_oneof![
        60 => (-99_i32..99, 0..100_u32).prop_map(|(a, b)| format!("{a}.{b}")),
        15 => (-9_i32..9).prop_map(|a| a.to_string()),
        1 => prop::sample::select(vec!["", "", "?", "?", "x", "inf", "1e49"]).prop_map(str::to_owned),
    ];
    let text = prop_oneof![
        20 => "[pqr]{1,2}",
        1 => prop::sample::select(vec!["", "?", "\"p, q\"", " p ", "7", "ü"])
            .prop_map(str::to_owned),
    ];
    let label = prop_oneof![200 => "[012]", 1 => Just("1.0".to_owned())];
    let row = ("[ab]", number, text, label);
    prop::collection::vec(row, 1..40).prop_map(|rows| {
        let lines = rows.iter().map(|(who, x, t, y)| format!("{y},{x},{who},{t}\n"));
        format!("y,x,who,t\n{}", lines.collect::<String>()).into_bytes()
    })
}

fn choices() -> impl Strategy<Value = EncodeOptions> {
    let family = prop::sample::select(vec![Family::Linear, Family::Logistic, Family::Softmax]);
    let missing = prop::sample::select(Missing::ALL.to_vec());
    let kind = prop::sample::select(ColumnType::ALL.to_vec());
    let name = prop::sample::select(vec!["x", "x", "x", "t", "z", "y", "X"]);
    let types = prop::collection::vec((name.prop_map(str::to_owned), kind), 0..2);
    (family, missing, types, any::<[bool; 3]>()).prop_map(|(family, missing, types, flags)| {
        let [raw, intercept, strict] = flags;
        let allow = if strict { Checks::default() } else { options(family).allow };
        EncodeOptions { intercept, raw, allow, missing, types, ..options(family) }
    })
}

/// Compares both paths on a file, fitted and applied.
fn agree(bytes: &[u8], options: &EncodeOptions) {
    let file = Fixture::new(bytes);
    let expected = fit_whole(&file.path, options);
    for settings in TINY {
        let found = fit_small(&file.path, settings, options);
        assert_eq!(found, expected, "{settings:?} of {:?}", String::from_utf8_lossy(bytes));
    }
}

/// Compares both paths on a file that was not there when the encoding was fitted.
fn agree_on_another(train: &[u8], bytes: &[u8], options: &EncodeOptions) {
    let Ok(encoded) = Table::parse("t.csv", train).and_then(|table| fit(&table, options)) else {
        return;
    };
    let file = Fixture::new(bytes);
    let mut doctored = encoded.encoding.clone();
    doctored.features.reverse();
    for encoding in [encoded.encoding, doctored] {
        let expected = apply_whole(&file.path, &encoding, options.family);
        for settings in TINY {
            let found = apply_small(&file.path, settings, &encoding, options.family);
            assert_eq!(found, expected, "{settings:?} of {:?}", String::from_utf8_lossy(bytes));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn hostile_files_give_what_the_table_gives(bytes in file(), options in choices()) {
        agree(&bytes, &options);
    }

    #[test]
    fn sane_files_give_what_the_table_gives(bytes in sane(), options in choices()) {
        agree(&bytes, &options);
    }

    #[test]
    fn arbitrary_bytes_give_what_the_table_gives(
        bytes in prop::collection::vec(any::<u8>(), 0..60),
        options in choices(),
    ) {
        agree(&bytes, &options);
        agree(&[b"who,y\n", &bytes[..]].concat(), &options);
    }

    #[test]
    fn other_rows_give_what_the_table_gives(
        train in sane(),
        new in prop_oneof![sane(), file()],
        options in choices(),
    ) {
        agree_on_another(&train, &train, &options);
        agree_on_another(&train, &new, &options);
    }
}

/// The comparison means something: a good share of sane files encode.
#[test]
fn sane_files_often_encode() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut encoded = 0;
    for _ in 0..200 {
        let bytes = sane().new_tree(&mut runner).unwrap().current();
        let mean = EncodeOptions { missing: Missing::Mean, ..options(Family::Softmax) };
        let table = Table::parse("t.csv", &bytes).unwrap();
        encoded += usize::from(fit(&table, &mean).is_ok());
    }
    assert!(encoded > 50, "{encoded} of 200");
}
