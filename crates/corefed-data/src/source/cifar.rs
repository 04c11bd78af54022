//! CIFAR-10, binary version: six files of records.
//!
//! A record is a label byte and three planes of 32 x 32 bytes: red, green, blue. [`Images`]
//! keeps the three bytes of a pixel together, so the planes are interleaved while reading, a
//! block of records at a time that stays in the cache.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::SourceError;
use super::stored::MOST;
use crate::Split;
use crate::images::Images;

const SIDE: usize = 32;
const PLANE: usize = SIDE * SIDE;
const IMAGE: usize = 3 * PLANE;
/// A label byte, then the planes.
const RECORD: usize = 1 + IMAGE;
const CLASSES: u8 = 10;
/// Records read at once: 300 kB.
const BLOCK: usize = 100;

/// The training files, in the order of their images.
const TRAIN: [&str; 5] = [
    "data_batch_1.bin",
    "data_batch_2.bin",
    "data_batch_3.bin",
    "data_batch_4.bin",
    "data_batch_5.bin",
];
const TEST: [&str; 1] = ["test_batch.bin"];

/// Reads the six batches of a folder.
pub fn read(folder: &Path) -> Result<Split<Images>, SourceError> {
    let paths =
        |names: &[&str]| names.iter().map(|name| find(folder, name)).collect::<Result<Vec<_>, _>>();
    let (train, test) = (paths(&TRAIN)?, paths(&TEST)?);
    let (train, test) = rayon::join(|| read_batches(&train), || read_batches(&test));
    Ok(Split { train: train?, test: test? })
}

/// Reads batches into one set of images, in the order given.
pub fn read_batches(paths: &[PathBuf]) -> Result<Images, SourceError> {
    let mut batches = Vec::with_capacity(paths.len());
    for path in paths {
        batches.push(Batch::open(path)?);
    }
    let count = batches.iter().map(|batch| batch.count).sum();
    let (mut pixels, mut labels) = (vec![0; count * IMAGE], vec![0; count]);
    let mut jobs = Vec::with_capacity(batches.len());
    let (mut pixels_left, mut labels_left) = (&mut pixels[..], &mut labels[..]);
    for batch in batches {
        let (batch_pixels, rest) = pixels_left.split_at_mut(batch.count * IMAGE);
        pixels_left = rest;
        let (batch_labels, rest) = labels_left.split_at_mut(batch.count);
        labels_left = rest;
        jobs.push((batch, batch_pixels, batch_labels));
    }
    jobs.into_par_iter().try_for_each(|(batch, pixels, labels)| batch.read(pixels, labels))?;
    Ok(Images::new(SIDE, SIDE, 3, pixels, labels, CLASSES)?)
}

/// Parses the bytes of one batch; `file` names it in errors.
pub fn parse(file: &str, bytes: &[u8]) -> Result<Images, SourceError> {
    let count = records(file, bytes.len() as u64)?;
    let (mut pixels, mut labels) = (vec![0; count * IMAGE], vec![0; count]);
    unpack(file, 0, bytes, &mut pixels, &mut labels)?;
    Ok(Images::new(SIDE, SIDE, 3, pixels, labels, CLASSES)?)
}

/// An open file whose size is a whole number of records.
struct Batch<'a> {
    path: &'a Path,
    file: File,
    count: usize,
}

impl<'a> Batch<'a> {
    fn open(path: &'a Path) -> Result<Self, SourceError> {
        let failed = |source| SourceError::Read { path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            // A pipe or a device may never end.
            return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")));
        }
        if metadata.len() > MOST {
            return Err(SourceError::Swollen { file: path.display().to_string(), most: MOST });
        }
        let count = records(&path.display().to_string(), metadata.len())?;
        Ok(Self { path, file, count })
    }

    fn read(mut self, pixels: &mut [u8], labels: &mut [u8]) -> Result<(), SourceError> {
        let name = self.path.display().to_string();
        let failed = |source| SourceError::Read { path: self.path.to_owned(), source };
        let mut buffer = vec![0; BLOCK.min(self.count) * RECORD];
        let blocks = pixels.chunks_mut(BLOCK * IMAGE).zip(labels.chunks_mut(BLOCK));
        for (i, (pixels, labels)) in blocks.enumerate() {
            let block = &mut buffer[..labels.len() * RECORD];
            self.file.read_exact(block).map_err(failed)?;
            unpack(&name, i * BLOCK, block, pixels, labels)?;
        }
        Ok(())
    }
}

/// How many records a file of this size holds.
fn records(file: &str, size: u64) -> Result<usize, SourceError> {
    let wrong = || SourceError::Records { file: file.to_owned(), record: RECORD, found: size };
    let size = usize::try_from(size).map_err(|_| wrong())?;
    if size == 0 || size % RECORD != 0 {
        return Err(wrong());
    }
    Ok(size / RECORD)
}

/// Splits whole records into interleaved pixels and labels; `first` is the index in the file
/// of the first of them.
fn unpack(
    file: &str,
    first: usize,
    records: &[u8],
    pixels: &mut [u8],
    labels: &mut [u8],
) -> Result<(), SourceError> {
    let images = pixels.chunks_exact_mut(IMAGE).zip(labels);
    for (i, (record, (pixels, label))) in records.chunks_exact(RECORD).zip(images).enumerate() {
        let (&found, planes) = record.split_first().unwrap_or((&0, &[]));
        if found >= CLASSES {
            let file = file.to_owned();
            let index = first + i;
            return Err(SourceError::Label { file, index, label: found, classes: CLASSES });
        }
        *label = found;
        let (red, rest) = planes.split_at(PLANE);
        let (green, blue) = rest.split_at(PLANE);
        let colours = red.iter().zip(green).zip(blue);
        for (pixel, ((&r, &g), &b)) in pixels.as_chunks_mut::<3>().0.iter_mut().zip(colours) {
            *pixel = [r, g, b];
        }
    }
    Ok(())
}

fn find(folder: &Path, name: &str) -> Result<PathBuf, SourceError> {
    let path = folder.join(name);
    if path.exists() {
        return Ok(path);
    }
    let (folder, names) = (folder.to_owned(), vec![name.to_owned()]);
    Err(SourceError::Missing { folder, names, set: "cifar10" })
}

#[cfg(test)]
mod tests;
