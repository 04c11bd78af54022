//! Parameters of a linear model: all weights and then all intercepts in Flower, a block per class with its intercept
//! last in the engine.

use corefed_run::AgentError;

use crate::npy::{NpyError, Stored};
use crate::question::Declined;
use crate::record::Array;

/// How a model's parameters lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) blocks: usize,
    /// Parameters of one block.
    pub(crate) width: usize,
}

impl Layout {
    pub(crate) fn new(blocks: usize, dim: usize) -> Self {
        Self { blocks, width: dim / blocks }
    }

    /// Places in the engine's vector of all numbers of Flower's, in Flower's order.
    pub(crate) fn order(self) -> impl Iterator<Item = usize> + Clone {
        let Self { blocks, width } = self;
        let weights =
            (0..blocks).flat_map(move |block| (0..width - 1).map(move |k| block * width + k));
        weights.chain((0..blocks).map(move |block| block * width + width - 1))
    }

    /// The engine's vector of the arrays of a model. Numbers are counted before room is made for them.
    pub(crate) fn engine(self, arrays: &[(String, Array)]) -> Result<Vec<f64>, Declined> {
        let expected = self.blocks * self.width;
        let stored = arrays.iter().map(|(_, array)| array.stored());
        let stored = stored.collect::<Result<Vec<_>, NpyError>>()?;
        let found = stored.iter().map(Stored::count).sum();
        if found != expected {
            return Err(AgentError::Parameters { found, expected }.into());
        }
        let mut engine = vec![0.0; expected];
        let flat = stored.iter().flat_map(|part| part.numbers().values);
        for (place, value) in self.order().zip(flat) {
            engine[place] = value;
        }
        Ok(engine)
    }

    /// Weights and intercepts of an engine's vector.
    pub(crate) fn arrays(self, engine: &[f64]) -> Vec<(String, Array)> {
        let flat: Vec<f64> = self.order().map(|place| engine[place]).collect();
        let (weight, bias) = flat.split_at(self.blocks * (self.width - 1));
        vec![
            ("weight".to_owned(), Array::of(&[self.blocks, self.width - 1], weight)),
            ("bias".to_owned(), Array::of(&[self.blocks], bias)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_classes_of_two_features_are_turned_there_and_back() {
        let layout = Layout::new(3, 9);
        assert_eq!(layout.order().collect::<Vec<_>>(), [0, 1, 3, 4, 6, 7, 2, 5, 8]);
        let engine: Vec<f64> = (0..9).map(f64::from).collect();
        let arrays = layout.arrays(&engine);
        assert_eq!(arrays[0].1.numbers().unwrap().values, [0.0, 1.0, 3.0, 4.0, 6.0, 7.0]);
        assert_eq!(arrays[1].1.numbers().unwrap().values, [2.0, 5.0, 8.0]);
        assert_eq!(layout.engine(&arrays).unwrap(), engine);
    }

    #[test]
    fn another_number_of_numbers_is_refused_before_they_are_read() {
        let wide = [("weight".to_owned(), Array::of(&[1, 99], &[0.0; 99]))];
        let refused = Layout::new(1, 8).engine(&wide).unwrap_err().to_string();
        assert_eq!(refused, "the model has 99 parameters, the table needs 8");
    }
}
