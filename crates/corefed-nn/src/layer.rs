//! Layers, and how they are written in a spec.

use std::fmt;
use std::str::FromStr;

use crate::{Activation, LayerError, Shape, Size};

/// One layer of a network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Layer {
    /// Two-dimensional convolution with a bias: `conv 32 5 pad=2 stride=1`.
    Conv {
        /// Channels it makes.
        channels: usize,
        /// Where it looks.
        window: Window,
    },
    /// Largest number of each window: `max-pool 2`.
    MaxPool(Window),
    /// Mean of each window: `avg-pool 2`.
    AvgPool(Window),
    /// A function of every number: `relu`.
    Activation(Activation),
    /// Feature maps as one row of numbers.
    Flatten,
    /// Every output a weighted sum of all inputs plus a bias: `linear 512`.
    Linear {
        /// Outputs.
        features: usize,
    },
    /// Zeroes a share of numbers in training and scales the others up: `dropout 0.5`.
    Dropout {
        /// The share, in [0, 1).
        rate: f32,
    },
}

/// A square window that slides over pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Side.
    pub size: usize,
    /// Pixels between two places.
    pub stride: usize,
    /// Zeroes around the image; none for pools.
    pub padding: usize,
}

impl Window {
    /// Places along a side of this many pixels; `None` where it does not fit once.
    #[must_use]
    pub fn places(self, pixels: usize) -> Option<usize> {
        let room = (pixels + 2 * self.padding).checked_sub(self.size)?;
        Some(room / self.stride + 1)
    }

    fn over(self, shape: Shape, channels: usize) -> Option<Size> {
        let (height, width) = (self.places(shape.height)?, self.places(shape.width)?);
        Some(Size::Maps(Shape { height, width, channels }))
    }
}

impl Layer {
    /// What it makes of a sample of some size; `None` where it cannot take it.
    #[must_use]
    pub fn output(self, input: Size) -> Option<Size> {
        match (self, input) {
            (Self::Conv { channels, window }, Size::Maps(shape)) => window.over(shape, channels),
            (Self::MaxPool(window) | Self::AvgPool(window), Size::Maps(shape)) => {
                window.over(shape, shape.channels)
            }
            (Self::Activation(_) | Self::Dropout { .. }, any) => Some(any),
            (Self::Flatten, any) => Some(Size::Features(any.len())),
            (Self::Linear { features }, Size::Features(_)) => Some(Size::Features(features)),
            _ => None,
        }
    }

    /// Whether its own numbers are in range, whatever it is given.
    pub(crate) fn is_sane(self) -> bool {
        let slides = |window: Window| window.size > 0 && window.stride > 0;
        match self {
            Self::Conv { window, .. } => slides(window) && window.padding < window.size,
            Self::MaxPool(window) | Self::AvgPool(window) => slides(window) && window.padding == 0,
            Self::Dropout { rate } => (0.0..1.0).contains(&rate),
            _ => true,
        }
    }

    /// Whether second derivatives exist everywhere.
    #[must_use]
    pub fn is_smooth(self) -> bool {
        match self {
            Self::MaxPool(_) => false,
            Self::Activation(activation) => activation.is_smooth(),
            _ => true,
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conv { channels, window } => {
                write!(f, "conv {channels} {}", window.size)?;
                if window.padding > 0 {
                    write!(f, " pad={}", window.padding)?;
                }
                if window.stride > 1 {
                    write!(f, " stride={}", window.stride)?;
                }
                Ok(())
            }
            Self::MaxPool(window) => pool(f, "max-pool", *window),
            Self::AvgPool(window) => pool(f, "avg-pool", *window),
            Self::Activation(activation) => write!(f, "{activation}"),
            Self::Flatten => f.write_str("flatten"),
            Self::Linear { features } => write!(f, "linear {features}"),
            Self::Dropout { rate } => write!(f, "dropout {rate}"),
        }
    }
}

fn pool(f: &mut fmt::Formatter<'_>, name: &str, window: Window) -> fmt::Result {
    write!(f, "{name} {}", window.size)?;
    if window.stride != window.size {
        write!(f, " stride={}", window.stride)?;
    }
    Ok(())
}

impl FromStr for Layer {
    type Err = LayerError;

    fn from_str(text: &str) -> Result<Self, LayerError> {
        let wrong = |reason: &'static str| LayerError { text: text.to_owned(), reason };
        let mut words = text.split_whitespace();
        let name = words.next().ok_or_else(|| wrong("is empty"))?;
        let (options, plain): (Vec<&str>, Vec<&str>) = words.partition(|word| word.contains('='));
        let count = |index: usize| -> Result<usize, LayerError> {
            let word = plain.get(index).ok_or_else(|| wrong("misses a number"))?;
            positive(word).ok_or_else(|| wrong("has something that is not a positive whole number"))
        };
        let taken = |numbers: usize, layer: Self| {
            if plain.len() > numbers { Err(wrong("has too many numbers")) } else { Ok(layer) }
        };
        let none = |layer: Self| {
            if options.is_empty() { taken(0, layer) } else { Err(wrong("takes no options")) }
        };
        if let Some(activation) = Activation::ALL.into_iter().find(|known| known.name() == name) {
            return none(Self::Activation(activation));
        }
        let window = |size: usize, stride: usize, pads: bool| -> Result<Window, LayerError> {
            let mut window = Window { size, stride, padding: 0 };
            for option in &options {
                match option.split_once('=') {
                    Some(("stride", number)) => {
                        window.stride = positive(number)
                            .ok_or_else(|| wrong("has a stride that is not a positive number"))?;
                    }
                    Some(("pad", number)) if pads => {
                        window.padding =
                            number.parse().ok().filter(|padding| *padding < size).ok_or_else(
                                || wrong("pads by no number below its window's side"),
                            )?;
                    }
                    _ => return Err(wrong("has an option it does not know")),
                }
            }
            Ok(window)
        };
        match name {
            "conv" => {
                let (channels, size) = (count(0)?, count(1)?);
                taken(2, Self::Conv { channels, window: window(size, 1, true)? })
            }
            "max-pool" => taken(1, Self::MaxPool(window(count(0)?, count(0)?, false)?)),
            "avg-pool" => taken(1, Self::AvgPool(window(count(0)?, count(0)?, false)?)),
            "flatten" => none(Self::Flatten),
            "linear" if options.is_empty() => taken(1, Self::Linear { features: count(0)? }),
            "linear" => Err(wrong("takes no options")),
            "dropout" => {
                let rate = plain.first().and_then(|word| word.parse().ok());
                let rate = rate.filter(|rate: &f32| (0.0..1.0).contains(rate));
                taken(
                    1,
                    Self::Dropout { rate: rate.ok_or_else(|| wrong("needs a share in [0, 1)"))? },
                )
            }
            _ => Err(wrong("is not a known layer")),
        }
    }
}

fn positive(word: &str) -> Option<usize> {
    word.parse().ok().filter(|count| *count > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_read_back_as_they_are_written() {
        for text in [
            "conv 32 5 pad=2",
            "conv 8 3 stride=2",
            "max-pool 2",
            "avg-pool 3 stride=1",
            "relu",
            "gelu",
            "softplus",
            "tanh",
            "flatten",
            "linear 512",
            "dropout 0.5",
        ] {
            assert_eq!(text.parse::<Layer>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (text, reason) in [
            ("", "is empty"),
            ("conv 32", "misses a number"),
            ("conv 0 5", "has something that is not a positive whole number"),
            ("conv 8 3 pad=3", "pads by no number below its window's side"),
            ("conv 8 3 step=3", "has an option it does not know"),
            ("max-pool 2 pad=1", "has an option it does not know"),
            ("relu 3", "has too many numbers"),
            ("flatten pad=1", "takes no options"),
            ("dropout 1", "needs a share in [0, 1)"),
            ("attention", "is not a known layer"),
        ] {
            let error = text.parse::<Layer>().unwrap_err();
            assert_eq!((error.text.as_str(), error.reason), (text, reason));
        }
    }
}
