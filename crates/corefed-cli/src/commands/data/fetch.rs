//! `corefed data fetch`.

use std::io::{IsTerminal, Write, stderr};

use corefed_core::one_line;
use corefed_data::source::data_folder;
use corefed_fetch::{Options, Progress};
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::FetchArgs;
use crate::failure::Failure;

/// Downloads a set into the data folder.
pub(super) fn fetch(args: &FetchArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let folder = data_folder(args.data_dir.as_deref())?;
    let bar = bar();
    let mut progress = |event: Progress<'_>| show(&bar, &event);
    let options = Options { mirror: args.mirror.clone(), progress: &mut progress };
    let fetched = corefed_fetch::fetch(&args.name, &folder, options);
    bar.finish_and_clear();
    Ok(writeln!(out, "{}: {}", args.name, fetched?)?)
}

fn bar() -> ProgressBar {
    if !stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style =
        ProgressStyle::with_template("{msg} {bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// The bar follows the bytes; a log hears of files only.
fn show(bar: &ProgressBar, event: &Progress<'_>) {
    match event {
        Progress::Received { file, bytes, total } => {
            bar.set_length(*total);
            bar.set_message((*file).to_owned());
            bar.set_position(*bytes);
        }
        Progress::Kept { .. } | Progress::Verifying { .. } => {}
        // Talk that cannot be written is not worth failing for.
        _ if bar.is_hidden() => drop(writeln!(stderr(), "{}", one_line(&event.to_string()))),
        _ => bar.println(one_line(&event.to_string())),
    }
}
