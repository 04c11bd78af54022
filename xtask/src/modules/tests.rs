use std::path::PathBuf;

use super::*;

fn modules(files: &[(&str, &str)]) -> Modules {
    let source = |(path, text): &(&str, &str)| Source {
        path: PathBuf::from("crates/x/src").join(path),
        text: (*text).to_owned(),
    };
    Modules::of(Path::new("crates/x/src"), &files.iter().map(source).collect::<Vec<_>>())
}

fn found(files: &[(&str, &str)]) -> Vec<(String, String)> {
    let cycles = modules(files).cycles();
    cycles.into_iter().map(|cycle| (cycle.inside, cycle.members.join(" "))).collect()
}

fn at_root(members: &str) -> Vec<(String, String)> {
    vec![(String::new(), members.to_owned())]
}

#[test]
fn modules_that_use_each_other_are_a_cycle() {
    let root = ("lib.rs", "mod a; mod b; mod c;");
    let a = ("a.rs", "use crate::b::B; pub struct A;");
    assert_eq!(found(&[root, a, ("b.rs", "pub struct B(crate::a::A);")]), at_root("a b"));
    assert_eq!(found(&[root, a, ("b.rs", "pub struct B;"), ("c.rs", "use crate::a::A;")]), []);
}

#[test]
fn longer_cycles_are_found_with_their_edges() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c; mod d;"),
        ("a.rs", "use crate::b;"),
        ("b.rs", "use super::c::C;"),
        ("c.rs", "fn f() { crate::a::g() }"),
        ("d.rs", "use crate::{a, b::B};"),
    ];
    let cycles = modules(&files).cycles();
    assert_eq!(cycles.len(), 1);
    assert_eq!(cycles[0].members, ["a", "b", "c"]);
    assert_eq!(cycles[0].edges, ["a -> b", "b -> c", "c -> a"]);
}

#[test]
fn names_are_followed_through_the_re_exports_of_the_root() {
    let files = [
        ("lib.rs", "mod a; mod b; pub use a::{A, inner::Deep}; pub use b::B as Renamed;"),
        ("a.rs", "use crate::Renamed; mod inner;"),
        ("a/inner.rs", "pub struct Deep;"),
        ("b.rs", "use crate::Deep;"),
    ];
    assert_eq!(found(&files), at_root("a b"));
}

#[test]
fn what_the_root_defines_itself_makes_no_cycle() {
    let files = [("lib.rs", "mod a; pub struct Here;"), ("a.rs", "use crate::Here;")];
    assert_eq!(found(&files), []);
}

#[test]
fn a_module_and_those_inside_it_are_one_to_the_outside() {
    let inside = [
        ("lib.rs", "mod a; mod b;"),
        ("a/mod.rs", "mod one; mod two; use self::one::One; pub struct A;"),
        ("a/one.rs", "use super::A;"),
        ("a/two.rs", "use crate::b::B; use super::one::One;"),
        ("b.rs", ""),
    ];
    assert_eq!(found(&inside), []);
    let mut outside = inside;
    outside[4].1 = "use crate::a::A;";
    assert_eq!(found(&outside), at_root("a b"));
    let mut beside = inside;
    beside[2].1 = "use super::two::Two;";
    assert_eq!(found(&beside), [("a".to_owned(), "one two".to_owned())]);
}

#[test]
fn tests_may_use_what_they_like() {
    let files = [
        (
            "lib.rs",
            "mod a; mod b; #[cfg(test)] mod testing; #[cfg(test)] pub(crate) use testing::T;",
        ),
        ("a.rs", "use crate::b::B; #[cfg(test)] mod tests { use crate::b::B; fn f() {} }"),
        (
            "b.rs",
            "#[cfg(test)] use crate::a::{A, C};\n#[cfg(test)]\n#[must_use]\nfn g(x: [u8; 2]) -> crate::a::A { x }\n\
             #[cfg(test)] mod tests { fn f() { if true { crate::a::g() } } }\n#[cfg(test)] mod more;",
        ),
        ("b/more.rs", "use crate::a::A;"),
        ("testing.rs", "use crate::{a::A, b::B};"),
    ];
    assert_eq!(found(&files), []);
    // What follows a test is code again.
    let mut files = files;
    files[2].1 = "#[cfg(test)] use crate::a::{A, C}; fn f() { crate::a::g() }";
    assert_eq!(found(&files), at_root("a b"));
}

#[test]
fn words_in_comments_and_strings_are_no_paths() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "use crate::b::B;"),
        ("b.rs", "//! [`crate::a::A`]\nfn f() { g(\"crate::a::A\") } /* crate::a */"),
    ];
    assert_eq!(found(&files), []);
}

#[test]
fn modules_inside_a_file_know_where_they_are() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "mod sealed { pub trait S { fn f() { super::super::b::g() } } } fn h() {}"),
        ("b.rs", "use crate::a::h;"),
    ];
    assert_eq!(found(&files), at_root("a b"));
}

#[test]
fn other_crates_are_not_followed() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "use serde::b::B; use other::{self, a}; fn f() { std::b::g() }"),
        ("b.rs", "use crate::a::f; use serde; fn g() { serde::a::h() }"),
    ];
    assert_eq!(found(&files), []);
}

#[test]
fn trees_of_imports_name_every_leaf() {
    let of = |text: &str| -> Vec<String> {
        let found = imports(&tokens(text));
        found.into_iter().map(|(path, name)| format!("{}={name}", path.join("."))).collect()
    };
    assert_eq!(of("crate::a::B"), ["crate.a.B=B"]);
    assert_eq!(
        of("crate::{a::{B, C as D}, e, f::{self, *}}"),
        ["crate.a.B=B", "crate.a.C=D", "crate.e=e", "crate.f=f", "crate.f=*",]
    );
    assert_eq!(of("super::{a}"), ["super.a=a"]);
    assert_eq!(of("self::a::b as c"), ["self.a.b=c"]);
}
