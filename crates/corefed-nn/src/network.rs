//! A network whose shapes fit, and where its parameters are.

use std::ops::Range;

use crate::{Architecture, Layer, Loss, NetworkError, Shape, Size};

/// As many parameters as a network may have.
const MOST: usize = 1 << 30;

/// Checked layers with their sizes and parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    architecture: Architecture,
    stages: Vec<Stage>,
    slots: Vec<Slot>,
    dim: usize,
}

/// A layer in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// What is done.
    pub layer: Layer,
    /// What it takes.
    pub input: Size,
    /// What it makes.
    pub output: Size,
    /// Where its parameters are, if it has any.
    pub params: Option<Params>,
}

impl Stage {
    /// Its weights and biases in a vector of all parameters; both empty where it has none.
    pub(crate) fn split<'a, T>(&self, all: &'a [T]) -> (&'a [T], &'a [T]) {
        match &self.params {
            Some(Params { weights, biases }) => (&all[weights.clone()], &all[biases.clone()]),
            None => (&[], &[]),
        }
    }

    /// The same, to be changed.
    pub(crate) fn split_mut<'a, T>(&self, all: &'a mut [T]) -> (&'a mut [T], &'a mut [T]) {
        match &self.params {
            // Biases follow their weights.
            Some(Params { weights, biases }) => {
                all[weights.start..biases.end].split_at_mut(weights.len())
            }
            None => (&mut [], &mut []),
        }
    }
}

/// Where the parameters of a layer are in the flat vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// Weights, as [`SlotKind`] says.
    pub weights: Range<usize>,
    /// Biases.
    pub biases: Range<usize>,
}

/// One tensor of the flat parameter vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// As a sequential network of PyTorch with the same layers calls it: `0.weight`, `0.bias`, ...
    pub name: String,
    /// What the numbers are.
    pub kind: SlotKind,
    /// Where they are.
    pub range: Range<usize>,
}

/// How the numbers of a tensor lie in the flat vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// `[row][column][input channel][output channel]`; PyTorch has `[output][input][row][column]`.
    Conv {
        /// Side of the window.
        size: usize,
        /// Channels taken.
        input: usize,
        /// Channels made.
        output: usize,
    },
    /// `[input][output]`; PyTorch has `[output][input]`.
    Linear {
        /// What comes in: feature maps, when flattened, lie pixel by pixel here and channel by channel
        /// in PyTorch.
        input: Size,
        /// Features made.
        output: usize,
    },
    /// One number per output channel or feature.
    Bias(usize),
}

impl Network {
    /// Checks that every layer can take what the one before makes.
    pub fn new(architecture: Architecture) -> Result<Self, NetworkError> {
        let (input, classes) = (architecture.input, architecture.classes);
        if input.is_empty() {
            return Err(NetworkError::NoPixels { input });
        }
        if let Loss::Bounded { smoothing } = architecture.loss
            && !(smoothing > 0.0 && smoothing < 1.0)
        {
            return Err(NetworkError::Smoothing { smoothing });
        }
        let mut network = Self { architecture, stages: Vec::new(), slots: Vec::new(), dim: 0 };
        let mut size = Size::Maps(input);
        // What `flatten` made features of, for the order of weights in files.
        let mut maps = size;
        for index in 0..network.architecture.layers.len() {
            let layer = network.architecture.layers[index];
            if !layer.is_sane() {
                return Err(NetworkError::Layer { index: index + 1, layer: layer.to_string() });
            }
            let output = layer.output(size).filter(|output| !output.is_empty());
            let output = output.ok_or_else(|| NetworkError::Misfit {
                index: index + 1,
                layer: layer.to_string(),
                input: size,
            })?;
            let params = network.add_slots(index, layer, size, maps)?;
            network.stages.push(Stage { layer, input: size, output, params });
            match layer {
                Layer::Flatten | Layer::Activation(_) | Layer::Dropout { .. } => {}
                _ => maps = output,
            }
            size = output;
        }
        if size != Size::Features(classes) {
            return Err(NetworkError::Classes { output: size, classes });
        }
        if network.dim == 0 {
            return Err(NetworkError::Nothing);
        }
        Ok(network)
    }

    fn add_slots(
        &mut self,
        index: usize,
        layer: Layer,
        size: Size,
        maps: Size,
    ) -> Result<Option<Params>, NetworkError> {
        let (kind, weights, biases) = match (layer, size) {
            (Layer::Conv { channels, window }, Size::Maps(shape)) => {
                let (size, input) = (window.size, shape.channels);
                let kind = SlotKind::Conv { size, input, output: channels };
                let count = size.checked_mul(size).and_then(|area| area.checked_mul(input));
                (kind, count.and_then(|count| count.checked_mul(channels)), channels)
            }
            (Layer::Linear { features }, Size::Features(input)) => {
                let kind = SlotKind::Linear { input: maps, output: features };
                (kind, input.checked_mul(features), features)
            }
            _ => return Ok(None),
        };
        let too_large = NetworkError::TooLarge { most: MOST };
        let weights = weights.filter(|count| *count <= MOST).ok_or(too_large.clone())?;
        let weights = self.dim..self.dim + weights;
        let biases = weights.end..weights.end + biases;
        if biases.end > MOST {
            return Err(too_large);
        }
        self.dim = biases.end;
        self.slots.push(Slot { name: format!("{index}.weight"), kind, range: weights.clone() });
        let kind = SlotKind::Bias(biases.len());
        self.slots.push(Slot { name: format!("{index}.bias"), kind, range: biases.clone() });
        Ok(Some(Params { weights, biases }))
    }

    /// Number of parameters.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// One image.
    #[must_use]
    pub fn input(&self) -> Shape {
        self.architecture.input
    }

    /// Kinds of image.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.architecture.classes
    }

    /// What a prediction costs.
    #[must_use]
    pub fn loss(&self) -> Loss {
        self.architecture.loss
    }

    /// The description it was made of.
    #[must_use]
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// Layers in their places.
    #[must_use]
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Tensors of the flat parameter vector, in its order.
    #[must_use]
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Whether losses have second derivatives everywhere.
    #[must_use]
    pub fn is_smooth(&self) -> bool {
        self.architecture.layers.iter().all(|layer| layer.is_smooth())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IMAGE: Shape = Shape { height: 8, width: 6, channels: 2 };

    fn network(layers: &[&str]) -> Result<Network, NetworkError> {
        let layers = layers.iter().map(|layer| layer.parse().expect("a layer")).collect();
        let loss = Loss::CrossEntropy;
        Network::new(Architecture { input: IMAGE, classes: 3, layers, loss })
    }

    #[test]
    fn parameters_lie_layer_by_layer() {
        let network = network(&["conv 4 3", "relu", "max-pool 2", "flatten", "linear 3"]).unwrap();
        let slots: Vec<(&str, Range<usize>)> =
            network.slots().iter().map(|slot| (slot.name.as_str(), slot.range.clone())).collect();
        assert_eq!(
            slots,
            [("0.weight", 0..72), ("0.bias", 72..76), ("4.weight", 76..148), ("4.bias", 148..151)]
        );
        // 8x6 becomes 6x4, then 3x2; the linear layer remembers what was flattened.
        let maps = Size::Maps(Shape { height: 3, width: 2, channels: 4 });
        assert_eq!(network.slots()[2].kind, SlotKind::Linear { input: maps, output: 3 });
        assert_eq!(network.dim(), 151);
    }

    #[test]
    fn layers_that_do_not_fit_are_named() {
        let misfit = network(&["conv 4 7", "flatten", "linear 3"]).unwrap_err();
        assert_eq!(misfit.to_string(), "layer 1 (`conv 4 7`) cannot take 8x6x2");
        let misfit = network(&["conv 4 3", "linear 3"]).unwrap_err();
        assert_eq!(misfit.to_string(), "layer 2 (`linear 3`) cannot take 6x4x4");
        assert_eq!(misfit.hint(), "put `flatten` before it");
        let misfit = network(&["flatten", "conv 4 3"]).unwrap_err();
        assert_eq!(misfit.to_string(), "layer 2 (`conv 4 3`) cannot take 96 features");
        let classes = network(&["flatten", "linear 4"]).unwrap_err();
        assert_eq!(classes.to_string(), "the last layer makes 4 features, and there are 3 classes");
        let mut zero =
            network(&["max-pool 2", "flatten", "linear 3"]).unwrap().architecture().clone();
        zero.layers[0] = Layer::MaxPool(crate::Window { size: 2, stride: 0, padding: 0 });
        let sizeless = Network::new(zero).unwrap_err();
        assert_eq!(
            sizeless.to_string(),
            "layer 1 (`max-pool 2 stride=0`) has a size that cannot be"
        );
        let large = network(&["flatten", "linear 99999999", "linear 3"]).unwrap_err();
        assert_eq!(large, NetworkError::TooLarge { most: MOST });
    }
}
