//! Checks and measures the GPU engine.
//!
//! ```text
//! gpu check [NAME ...]                  against the CPU engine, in every precision
//! gpu kinks NAME                       image by image against the definitions, and how near kinks are
//! gpu bench [NAME | NAME:AGENTS ...]    milliseconds per training step, as Markdown
//! gpu profile NAME [AGENTS] [BATCH]     microseconds of each kernel alone
//! gpu rivals NAME [AGENTS] [BATCH]      and of other ways to cut its products
//! gpu pfl FOLDER [ROUNDS]               pfl-research's CIFAR-10 benchmark
//! ```
//!
//! A NAME is a preset, such as `cnn`, or `cnn@28x28x1` for other images than 32x32x3. `--precision fp32`, `tf32`,
//! `tf32x3` or `bf16`, once or more often, says how to compute.

#![expect(clippy::print_stdout, reason = "a program that people and scripts read")]

mod bench;
mod check;
mod kinks;
mod pfl;
mod profile;
mod rivals;
mod work;

use std::error::Error;

use corefed_cuda::{Device, Precision};

type Outcome = Result<(), Box<dyn Error>>;

const USAGE: &str = "usage: gpu check [NAME ...] | kinks NAME | bench [NAME | NAME:AGENTS ...] | profile NAME [AGENTS] [BATCH] \
                     | rivals NAME [AGENTS] [BATCH] | pfl FOLDER [ROUNDS]; --precision fp32 | tf32 | tf32x3 | bf16";

const ALL: [Precision; 4] = [Precision::Fp32, Precision::Tf32x3, Precision::Tf32, Precision::Bf16];

fn main() -> Outcome {
    let (mut words, mut precisions) = (Vec::new(), Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--precision" {
            precisions.push(precision(&arguments.next().unwrap_or_default())?);
        } else {
            words.push(argument);
        }
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let [what, rest @ ..] = &words[..] else { return Err(USAGE.into()) };
    let chosen = |usual: &[Precision]| {
        if precisions.is_empty() { usual.to_vec() } else { precisions.clone() }
    };
    let run: Box<dyn Fn(&Device) -> Outcome> = match (*what, rest) {
        ("check", names) => Box::new(|device| check::check(device, names, &chosen(&ALL))),
        ("kinks", [name]) => {
            Box::new(|device| kinks::kinks(device, name, &chosen(&[Precision::Fp32])))
        }
        ("bench", names) => Box::new(|device| {
            bench::bench(device, names, &chosen(&[Precision::Tf32, Precision::Fp32]))
        }),
        ("profile", [_, ..]) => {
            Box::new(|device| profile::profile(device, rest, &chosen(&[Precision::Tf32])))
        }
        ("rivals", [_, ..]) => {
            Box::new(|device| rivals::rivals(device, rest, &chosen(&[Precision::Tf32])))
        }
        ("pfl", [folder]) => {
            Box::new(|device| pfl::pfl(device, folder, 1500, &chosen(&[Precision::Tf32])))
        }
        ("pfl", [folder, rounds]) => {
            let rounds = rounds.parse()?;
            Box::new(move |device| pfl::pfl(device, folder, rounds, &chosen(&[Precision::Tf32])))
        }
        _ => return Err(USAGE.into()),
    };
    run(&open()?)
}

/// The first GPU, with a line about it.
fn open() -> Result<Device, Box<dyn Error>> {
    let device = Device::open(0).map_err(|error| format!("{error}; {}", error.hint()))?;
    let info = device.info();
    println!(
        "GPU {}: {}, {} GiB, compute capability {}.{}, {} multiprocessors, driver for CUDA {}",
        info.ordinal,
        info.name,
        info.memory >> 30,
        info.capability.0,
        info.capability.1,
        info.processors,
        info.driver
    );
    Ok(device)
}

fn precision(name: &str) -> Result<Precision, String> {
    let known = ALL.into_iter().find(|known| format!("{known:?}").eq_ignore_ascii_case(name));
    known.ok_or_else(|| {
        format!("`{name}` is not a known precision; there are fp32, tf32, tf32x3 and bf16")
    })
}
