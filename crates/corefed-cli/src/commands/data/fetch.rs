//! `corefed data fetch`.

use std::io::{IsTerminal, Write, stderr};

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
    let fetched = fetched?;
    writeln!(
        out,
        "{}: {} files fetched, {} already there, all checksums right: {}",
        args.name,
        fetched.placed.len(),
        fetched.kept.len(),
        fetched.folder.display()
    )?;
    Ok(())
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
    let line = match event {
        Progress::Received { file, bytes, total } => {
            bar.set_length(*total);
            bar.set_message((*file).to_owned());
            bar.set_position(*bytes);
            return;
        }
        Progress::Asking { address } => format!("asking {address}"),
        Progress::Resuming { file, bytes, total } => {
            format!("{file}: the connection broke at {bytes} of {total} bytes; resuming")
        }
        Progress::Failed { address, error } => format!("{address}: {error}; trying the next"),
        Progress::Unpacking { file } => format!("unpacking {file}"),
        Progress::Placed { file } => format!("{file}: checksum right"),
        _ => return,
    };
    if bar.is_hidden() {
        // Talk that cannot be written is not worth failing for.
        let _ = writeln!(stderr(), "{line}");
    } else {
        bar.println(line);
    }
}
