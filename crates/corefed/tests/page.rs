//! The first page of the library keeps what `docs/rust.md` says about it.

const PAGE: &str = include_str!("../src/lib.rs");

#[test]
fn a_table_becomes_a_certificate_in_twenty_lines() {
    let lines = PAGE.lines().map(|line| line.trim_start_matches("//!").trim());
    let example = lines.skip_while(|line| *line != "```").skip(1).take_while(|line| *line != "```");
    // What the page hides begins with a sharp.
    let code = |line: &&str| {
        !(line.is_empty() || ["use ", "# ", "//"].iter().any(|skipped| line.starts_with(skipped)))
    };
    let count = example.filter(code).count();
    assert!((10..=20).contains(&count), "{count}");
}
