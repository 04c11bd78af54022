//! Parameters as PyTorch keeps them.

use crate::{Network, Size, Slot, SlotKind, TensorError};

/// Some parameters, named and shaped as in PyTorch.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedTensor {
    /// `0.weight` and the like.
    pub name: String,
    /// `[output, input, row, column]`, `[output, input]` or `[output]`.
    pub shape: Vec<usize>,
    /// Row-major.
    pub data: Vec<f32>,
}

impl Network {
    /// Names, shapes and layouts of a PyTorch `nn.Sequential` with the same layers.
    ///
    /// # Panics
    /// If there are not as many parameters as the network has.
    #[must_use]
    pub fn to_tensors(&self, params: &[f32]) -> Vec<NamedTensor> {
        assert_eq!(params.len(), self.dim(), "parameters");
        let tensor = |slot: &Slot| {
            let ours = &params[slot.range.clone()];
            let mut data = vec![0.0; ours.len()];
            slot.kind.pairs(|at, theirs| data[theirs] = ours[at]);
            NamedTensor { name: slot.name.clone(), shape: slot.kind.shape(), data }
        };
        self.slots().iter().map(tensor).collect()
    }

    /// Parameters from tensors in any order.
    pub fn from_tensors(&self, tensors: &[NamedTensor]) -> Result<Vec<f32>, TensorError> {
        let mut params = vec![0.0; self.dim()];
        for slot in self.slots() {
            let (name, shape) = (slot.name.clone(), slot.kind.shape());
            let mut named = tensors.iter().filter(|tensor| tensor.name == name);
            let Some(tensor) = named.next() else {
                return Err(TensorError::Missing { name, shape });
            };
            if named.next().is_some() {
                return Err(TensorError::Twice { name });
            }
            if tensor.shape != shape || tensor.data.len() != slot.range.len() {
                let (found, values) = (tensor.shape.clone(), tensor.data.len());
                return Err(TensorError::Shape { name, found, values, shape });
            }
            if let Some(index) = tensor.data.iter().position(|value| !value.is_finite()) {
                let value = tensor.data[index].to_string();
                return Err(TensorError::NotFinite { name, index, value });
            }
            let ours = &mut params[slot.range.clone()];
            slot.kind.pairs(|at, theirs| ours[at] = tensor.data[theirs]);
        }
        let known = |name: &str| self.slots().iter().any(|slot| slot.name == name);
        match tensors.iter().find(|tensor| !known(&tensor.name)) {
            Some(extra) => Err(TensorError::Extra { name: extra.name.clone() }),
            None => Ok(params),
        }
    }
}

impl SlotKind {
    /// As PyTorch has it.
    fn shape(self) -> Vec<usize> {
        match self {
            Self::Conv { size, input, output } => vec![output, input, size, size],
            Self::Linear { input, output } => vec![output, input.len()],
            Self::Bias(count) => vec![count],
        }
    }

    /// Places of every number here and in PyTorch.
    fn pairs(self, mut visit: impl FnMut(usize, usize)) {
        match self {
            Self::Conv { size, input, output } => {
                let area = size * size;
                for at in 0..area * input * output {
                    let (cell, from, to) = (at / output / input, at / output % input, at % output);
                    visit(at, (to * input + from) * area + cell);
                }
            }
            Self::Linear { input, output } => {
                for at in 0..input.len() * output {
                    let (from, to) = (at / output, at % output);
                    visit(at, to * input.len() + channel_first(input, from));
                }
            }
            Self::Bias(count) => (0..count).for_each(|at| visit(at, at)),
        }
    }
}

/// Where PyTorch's `flatten` puts the number that lies at `at` here.
fn channel_first(size: Size, at: usize) -> usize {
    let maps = size.as_maps();
    let (pixel, channel) = (at / maps.channels, at % maps.channels);
    channel * maps.height * maps.width + pixel
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Case;

    fn network() -> (Network, Vec<f32>) {
        let case = Case::of(&["conv 3 2", "relu", "flatten", "linear 5", "linear 2"], [3, 4, 2], 1);
        (case.network, case.params)
    }

    #[test]
    fn parameters_come_back_as_they_went() {
        let (network, params) = network();
        let mut tensors = network.to_tensors(&params);
        let shapes: Vec<&[usize]> = tensors.iter().map(|tensor| &tensor.shape[..]).collect();
        let expected: [&[usize]; 6] = [&[3, 2, 2, 2], &[3], &[5, 18], &[5], &[2, 5], &[2]];
        assert_eq!(shapes, expected);
        tensors.reverse();
        assert_eq!(network.from_tensors(&tensors).unwrap(), params);
    }

    #[test]
    fn numbers_are_where_pytorch_has_them() {
        let (network, _) = network();
        let params: Vec<f32> = (0..network.dim()).map(|i| i as f32).collect();
        let tensors = network.to_tensors(&params);
        // Output 1, input 1, row 0, column 1 of the convolution: here cell 1, input 1, output 1.
        assert_eq!(tensors[0].data[((2 + 1) * 2) * 2 + 1], ((2 + 1) * 3 + 1) as f32);
        // Maps of 2x3x3: channel 2 of pixel 4 is number 14 here and 16 there. Weights begin at 27.
        assert_eq!(tensors[2].data[3 * 18 + 16], (27 + 14 * 5 + 3) as f32);
    }

    #[test]
    fn wrong_tensors_are_named() {
        let (network, params) = network();
        let good = network.to_tensors(&params);
        let fails = |change: &dyn Fn(&mut Vec<NamedTensor>)| {
            let mut tensors = good.clone();
            change(&mut tensors);
            network.from_tensors(&tensors).unwrap_err().to_string()
        };
        let missing = fails(&|tensors| drop(tensors.remove(1)));
        assert_eq!(missing, "tensor `0.bias` of shape [3] is missing");
        let extra = fails(&|tensors| tensors[5].name = "7.bias".to_owned());
        assert_eq!(extra, "tensor `4.bias` of shape [2] is missing");
        let extra = fails(&|tensors| {
            tensors.push(NamedTensor { name: "9.weight".to_owned(), ..tensors[0].clone() });
        });
        assert_eq!(extra, "tensor `9.weight` belongs to no layer");
        let twice = fails(&|tensors| tensors.push(tensors[0].clone()));
        assert_eq!(twice, "tensor `0.weight` is there twice");
        let shape = fails(&|tensors| tensors[2].shape = vec![18, 5]);
        assert_eq!(
            shape,
            "tensor `3.weight` has shape [18, 5] and 90 values and should have shape [5, 18]"
        );
        let infinite = fails(&|tensors| tensors[2].data[7] = f32::INFINITY);
        assert_eq!(infinite, "value 7 of tensor `3.weight` is inf");
    }
}
