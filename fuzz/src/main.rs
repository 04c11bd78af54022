//! One program for all targets: `COREFED_FUZZ=csv corefed-fuzzer FOLDER`. One binary is built much faster than
//! eighteen.

#![no_main]

use std::sync::LazyLock;

use corefed_fuzz::{TARGETS, Target, find};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    corefed_fuzz::pass_over_contained_panics();
    let name = std::env::var("COREFED_FUZZ").unwrap_or_default();
    find(&name).unwrap_or_else(|| {
        let known: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        panic!("COREFED_FUZZ is `{name}`; it must be one of {}", known.join(", "))
    })
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| (TARGET.run)(bytes));
