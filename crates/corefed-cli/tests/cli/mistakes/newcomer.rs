//! Sixty-four mistakes that a newcomer made, in one list, each with its score: 3 where the answer is clear and has
//! the way out, or the command works and says what it did; 2 where it is clear; 1 where it misleads; 0 where nothing
//! is said.

use std::fs;
use std::process::Command;

use super::{usual, with};
use crate::harness::{Folder, Said};

/// A line of the list.
struct Case {
    what: &'static str,
    command: String,
    works: bool,
    /// Words of the answer.
    answer: Vec<&'static str>,
    /// Words of its hint.
    hint: Vec<&'static str>,
}

impl Case {
    fn read(line: &'static str) -> Self {
        let mut parts = line.split(" | ");
        let mut next = || parts.next().unwrap_or_default();
        let (what, command, works) = (next(), next(), next() == "works");
        let words =
            |part: &'static str| part.split(" ; ").filter(|word| !word.is_empty()).collect();
        let command = command
            .replace("{cost}", "--agent hospital --target cost --model linear")
            .replace("{disease}", "--agent hospital --target disease --model logistic")
            .replace("{y}", "--agent agent --target y --model logistic");
        Self { what, command, works, answer: words(next()), hint: words(next()) }
    }
}

/// Everything that the commands are about.
fn folder() -> Folder {
    let folder = Folder::hospitals();
    let hole = |word: &'static str| {
        with("bp", move |row| if row % 10 == 3 { word.into() } else { (100 + row).to_string() })
    };
    let semicolons = usual().replace(',', ";");
    let dates = super::patients(|row, name| match name {
        "bp" => Some(format!("2024-{:02}-{:02}", 1 + row / 28, 1 + row % 28)),
        "sex" => Some(format!("p-{row}")),
        _ => None,
    });
    let one_row =
        |row: usize| if row == 5 { "Tiny".to_owned() } else { ["W", "E"][row % 2].to_owned() };
    let nobody = |row: usize| if row == 7 { "" } else { ["W", "E"][row % 2] }.to_owned();
    let exact = "data = \"hospitals\"\nmodel = \"logistic\"\n";
    for (name, text) in [
        ("t.csv", usual()),
        ("commas.csv", semicolons.replace('.', ",")),
        ("semicolons.csv", semicolons),
        ("tabs.tsv", usual().replace(',', "\t")),
        ("bom.csv", format!("\u{feff}{}", usual())),
        ("headless.csv", usual().split_once('\n').expect("lines").1.to_owned()),
        ("numbers.csv", with("hospital", |row| (row % 3).to_string())),
        ("three.csv", with("disease", |row| ["a", "b", "c"][row / 3 % 3].into())),
        ("dates.csv", dates),
        ("constant.csv", with("bp", |_| "7".into())),
        ("tiny.csv", with("hospital", one_row)),
        ("classes.csv", with("disease", |row| if row % 3 == 2 { "no" } else { "yes" }.into())),
        ("empty-cells.csv", hole("")),
        ("nan.csv", hole("NaN")),
        ("na.csv", hole("NA")),
        ("spaces.csv", with("hospital", |row| ["West ", " West", "East"][row % 3].into())),
        ("nobody.csv", with("hospital", nobody)),
        ("units.csv", with("bp", |row| format!("{} mmHg", 100 + row))),
        ("thousands.csv", with("cost", |row| format!("\"1,{row:03}.34\""))),
        ("ragged.csv", "a,b\n1,2\n3\n".into()),
        ("sentinel.csv", hole("-9999")),
        ("one.csv", with("hospital", |_| "West".into())),
        ("unquoted.toml", "name = hello\ndata = \"x.csv\"\nmodel = \"linear\"\n".into()),
        (
            "typos.toml",
            "data = \"hospitals\"\nmodl = \"logistic\"\nsed = 1\nradius = -1\nallw = []\ntolernce = 1\n"
                .into(),
        ),
        ("rule.toml", format!("{exact}[train]\nrounds = 2\nrule = \"FedAvg\"\n")),
        ("exact.toml", exact.into()),
        ("d.csv", "agent,x,z,y\nA,1,p,0\nA,2,q,1\nA,3,p,0\nB,4,q,1\nB,5,p,0\nB,6,q,1\n".into()),
        ("no-z.csv", "x\n1\n".into()),
        ("new.csv", "x,z\n1,other\n".into()),
        ("hole.csv", "x,z\n,p\n".into()),
        ("target.json", "old".into()),
    ] {
        folder.write(name, &text);
    }
    let utf16: Vec<u8> = usual().encode_utf16().flat_map(u16::to_le_bytes).collect();
    let umlaut = with("sex", |row| if row == 4 { "fü" } else { "m" }.into());
    let latin1 = umlaut.chars().map(|c| u8::try_from(u32::from(c)).expect("Latin-1")).collect();
    let spreadsheet = b"PK\x03\x04\x14\0\x06\0".to_vec();
    for (name, bytes) in [
        ("utf16.csv", utf16),
        ("latin1.csv", latin1),
        ("t.xlsx", spreadsheet),
        ("t.csv.gz", super::files::gzip()),
    ] {
        fs::write(folder.path(name), bytes).expect("written");
    }
    std::os::unix::fs::symlink("target.json", folder.path("link.json")).expect("a link");
    let said = folder.run(
        "solve d.csv --agent agent --target y --model logistic --ceiling 2 --json --certificate c.json",
    );
    folder.write("fit.json", &said.out);
    assert_ne!(folder.run("run hospitals-rounds --set train.rounds=2 --out rounds").code, 2);
    assert_eq!(folder.run("export rounds --out rounds.parquet").code, 0);
    folder
}

/// What a shell says, in which files stay small if they are to.
fn typed(folder: &Folder, case: &Case) -> Said {
    let small = if case.what.starts_with("no space") { "trap '' XFSZ; ulimit -f 4;" } else { "" };
    let binary = env!("CARGO_BIN_EXE_corefed");
    let output = Command::new("sh")
        .args(["-c", &format!("{small} exec '{binary}' {}", case.command)])
        .current_dir(folder.path(""))
        .output()
        .expect("a shell");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().expect("an exit code");
    Said { code, out: text(&output.stdout), err: text(&output.stderr) }
}

/// From 0 to 3, as the head of this file says.
fn score(said: &Said, case: &Case) -> usize {
    let all = |text: &str, words: &[&str]| words.iter().all(|word| text.contains(word));
    if case.works {
        let answered = all(&format!("{}{}", said.out, said.err), &case.answer);
        return if said.code == 2 { 1 } else { 3 * usize::from(answered) };
    }
    if said.code != 2 || said.err.contains("internal error") {
        return 0;
    }
    let starts = ["hint: ", "tip: ", "did you mean"].iter().filter_map(|word| said.err.find(word));
    let helps = starts.min().is_some_and(|at| all(&said.err[at..], &case.hint));
    match (all(&said.err, &case.answer), helps) {
        (true, true) => 3,
        (true, false) => 2,
        (false, _) => 1,
    }
}

#[test]
fn sixty_four_mistakes_are_answered_with_the_way_out() {
    let folder = folder();
    let lines = include_str!("newcomer.txt").lines().filter(|line| !line.starts_with('#'));
    let cases: Vec<Case> = lines.map(Case::read).collect();
    assert_eq!(cases.len(), 64);
    let mut scores = [0; 4];
    let mut below = Vec::new();
    for case in &cases {
        let said = typed(&folder, case);
        let reached = score(&said, case);
        scores[reached] += 1;
        if reached < 3 {
            below.push(format!(
                "{}: {reached}, code {}\n{}{}",
                case.what, said.code, said.out, said.err
            ));
        }
    }
    assert_eq!(scores, [0, 0, 0, 64], "{}", below.join("\n"));
    let link = fs::symlink_metadata(folder.path("link.json")).expect("a link");
    assert!(link.is_symlink() && folder.read("target.json").contains("corefed-certificate"));
    assert!(!folder.path("n").exists(), "what cannot be trained makes no folder");
}
