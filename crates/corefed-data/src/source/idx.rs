//! MNIST and Fashion-MNIST: pairs of idx files, `.gz` or not.
//!
//! An idx file is a magic number that encodes the element type and the number of dimensions,
//! the dimensions, then the elements, all big-endian. MNIST uses two kinds: `0x0803` for bytes
//! in three dimensions (images) and `0x0801` for bytes in one (labels).

use std::path::{Path, PathBuf};

use super::SourceError;
use super::stored::{self, Stored};
use crate::Split;
use crate::images::Images;

/// Bytes in three dimensions.
const IMAGES: u32 = 0x0803;
/// Bytes in one dimension.
const LABELS: u32 = 0x0801;
/// Both MNIST and Fashion-MNIST have ten classes.
const CLASSES: u8 = 10;

/// Reads the four files of a folder under their published names, with or without `.gz`; `set`
/// names the data set in hints.
pub fn read(folder: &Path, set: &'static str) -> Result<Split<Images>, SourceError> {
    let pair = |part| {
        let images = find(folder, set, &format!("{part}-images-idx3-ubyte"))?;
        let labels = find(folder, set, &format!("{part}-labels-idx1-ubyte"))?;
        read_pair(&images, &labels, CLASSES)
    };
    let (train, test) = rayon::join(|| pair("train"), || pair("t10k"));
    let (train, test) = (train?, test?);
    let shapes = [&train, &test].map(|images| (images.height(), images.width()));
    if shapes[0] != shapes[1] {
        let folder = folder.to_owned();
        return Err(SourceError::Shapes { folder, train: shapes[0], test: shapes[1] });
    }
    Ok(Split { train, test })
}

/// Reads a file of images and the file of their labels.
pub fn read_pair(images: &Path, labels: &Path, classes: u8) -> Result<Images, SourceError> {
    let name = |path: &Path| path.display().to_string();
    parse((&name(images), &stored::read(images)?), (&name(labels), &stored::read(labels)?), classes)
}

/// Parses the bytes of a file of images and of the file of their labels, each with the name
/// that errors give it.
pub fn parse(
    (images_file, images): (&str, &[u8]),
    (labels_file, labels): (&str, &[u8]),
    classes: u8,
) -> Result<Images, SourceError> {
    let labels = parse_labels(labels_file, labels, classes)?;
    let (count, height, width, pixels) = parse_images(images_file, images)?;
    if count != labels.len() {
        return Err(SourceError::Counts {
            images_file: images_file.to_owned(),
            images: count,
            labels_file: labels_file.to_owned(),
            labels: labels.len(),
        });
    }
    Ok(Images::new(height, width, 1, pixels, labels, classes)?)
}

/// Count, height, width and pixels.
fn parse_images(file: &str, bytes: &[u8]) -> Result<(usize, usize, usize, Vec<u8>), SourceError> {
    const HEADER: u64 = 16;
    let mut stored = Stored::new(file, bytes);
    magic(file, IMAGES, stored.number(HEADER)?)?;
    let [count, height, width] =
        [stored.number(HEADER)?, stored.number(HEADER)?, stored.number(HEADER)?];
    let impossible = || SourceError::Dimensions { file: file.to_owned(), count, height, width };
    // Two 32-bit sides fit 64 bits; the third may not.
    let size = (u64::from(height) * u64::from(width)).checked_mul(u64::from(count));
    let size = size.filter(|&size| size > 0).ok_or_else(impossible)?;
    let [n, h, w] = [count, height, width].map(usize::try_from);
    let (Ok(n), Ok(h), Ok(w)) = (n, h, w) else { return Err(impossible()) };
    Ok((n, h, w, stored.rest(size)?))
}

fn parse_labels(file: &str, bytes: &[u8], classes: u8) -> Result<Vec<u8>, SourceError> {
    const HEADER: u64 = 8;
    let mut stored = Stored::new(file, bytes);
    magic(file, LABELS, stored.number(HEADER)?)?;
    let count = stored.number(HEADER)?;
    let labels = stored.rest(u64::from(count))?;
    match labels.iter().position(|&label| label >= classes) {
        None => Ok(labels),
        Some(index) => {
            Err(SourceError::Label { file: file.to_owned(), index, label: labels[index], classes })
        }
    }
}

fn magic(file: &str, expected: u32, found: u32) -> Result<(), SourceError> {
    if expected == found {
        return Ok(());
    }
    Err(SourceError::Magic { file: file.to_owned(), expected, found })
}

/// The compressed file if it is there, as that is what the publishers' checksums are of.
fn find(folder: &Path, set: &'static str, name: &str) -> Result<PathBuf, SourceError> {
    let names = [format!("{name}.gz"), name.to_owned()];
    let found = names.iter().map(|name| folder.join(name)).find(|path| path.exists());
    found.ok_or_else(|| SourceError::Missing {
        folder: folder.to_owned(),
        names: names.to_vec(),
        set,
    })
}

#[cfg(test)]
mod tests;
