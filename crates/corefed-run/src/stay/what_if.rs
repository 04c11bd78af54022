//! What would change if somebody left or came.

use corefed_documents::{GainLine, WhatIf, WhatIfLine, WhatIfQuestion};

use super::compared::{Beside, Compared};

impl Compared {
    /// What a question about some agents means for each.
    pub(crate) fn what_if(&self, question: WhatIfQuestion, about: &[usize]) -> WhatIf {
        let n = self.names.len();
        let others: Vec<usize> = (0..n).filter(|agent| !about.contains(agent)).collect();
        let failed = [&others[..], about].into_iter().find_map(|group| self.no_model(group));
        let of_others = others.iter().map(|&agent| (agent, self.of(&others, agent), false));
        let of_about = about.iter().map(|&agent| (agent, self.of(about, agent), true));
        let line = |(agent, apart, about): (usize, Option<&Beside>, bool)| {
            let shared = self.shared[agent].measured();
            let measured = apart.and_then(|beside| beside.measured);
            let gain = self.line(agent, apart.and_then(|beside| beside.gain));
            let name = self.names[agent].clone();
            match question {
                WhatIfQuestion::Without | WhatIfQuestion::Expel => {
                    WhatIfLine { name, about, before: shared, after: measured, gain }
                }
                WhatIfQuestion::With => {
                    let gain = gain.map(turned);
                    WhatIfLine { name, about, before: measured, after: shared, gain }
                }
            }
        };
        let lines = of_others.chain(of_about).map(line).collect();
        WhatIf { question, about: self.named(about), lines, failed }
    }

    /// Why a group has no model.
    fn no_model(&self, group: &[usize]) -> Option<String> {
        let k = self.groups.find(group)?;
        let error = self.beside[k].as_ref().err()?;
        Some(format!("{}: {error}", self.named(group).join(", ")))
    }
}

/// The gain of the way back.
fn turned(gain: GainLine) -> GainLine {
    GainLine { mean: -gain.mean, lo: -gain.hi, hi: -gain.lo, ..gain }
}
