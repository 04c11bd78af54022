//! A choice in words: which model, which others would do, and who vetoes the rest.

use std::fmt::Write;

use corefed_documents::{Choice, ChoiceLine, VetoLine};

use crate::columns;
use crate::plain::plain;
use crate::words::percent;

/// More names than this are counted instead of listed in a cell.
const MOST_NAMES: usize = 4;
/// More names than this are counted in the sentence, and more models than this listed only if nobody vetoes
/// them.
const MOST_MODELS: usize = 30;

/// One sentence, then one line per model.
#[must_use]
pub fn choice(choice: &Choice) -> String {
    let choice = &*plain(choice);
    let core: Vec<&str> = choice.core().map(|line| line.model.as_str()).collect();
    let mut text = match choice.chosen.as_slice() {
        [one] => format!("Take {one}: no group can veto it.\n"),
        several => format!(
            "Take any of {}: no group can veto them, and they are equally hard to give up.\n",
            several.join(", ")
        ),
    };
    let count = choice.models.len();
    // Writing to a String cannot fail.
    let _ = match core.len() {
        all if all == count => writeln!(text, "None of the {count} models can be vetoed.\n"),
        many if many > MOST_MODELS => {
            writeln!(text, "{many} of {count} models cannot be vetoed.\n")
        }
        kept => writeln!(text, "{kept} of {count} models cannot be vetoed: {}.\n", core.join(", ")),
    };
    let shown = |line: &&ChoiceLine| count <= MOST_MODELS || line.veto.is_none();
    let mut rows = vec![["model", "part", "vetoed by", "they prefer"].map(str::to_owned).to_vec()];
    rows.extend(choice.models.iter().filter(shown).map(|line| {
        let (who, what) = match &line.veto {
            None => ("nobody".to_owned(), String::new()),
            Some(VetoLine { coalition, better }) => {
                (named(coalition, choice.agents.len(), "agents"), named(better, count, "models"))
            }
        };
        vec![line.model.clone(), percent(line.measure), who, what]
    }));
    text.push_str(&columns(&rows));
    if count > MOST_MODELS {
        let _ = writeln!(text, "\nWho vetoes the other {} is in the JSON.", count - core.len());
    }
    text.push_str(
        "\nA group vetoes a model if its share of the say and the part of the models that all of it\n\
         prefers sum to more than one. The answer is about the listed models and no others.\n",
    );
    text
}

fn named(names: &[String], all: usize, what: &str) -> String {
    match names.len() {
        few if few <= MOST_NAMES => names.join(", "),
        many if many == all => format!("all {all} {what}"),
        many => format!("{many} of {all} {what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use corefed_core::Prefer;
    use corefed_documents::ChoosingAgent;

    #[test]
    fn the_answer_comes_first_and_every_veto_names_its_group() {
        let line = |model: &str, veto: Option<VetoLine>| ChoiceLine {
            model: model.to_owned(),
            measure: 0.5,
            veto,
            values: vec![1.0, 2.0],
        };
        let veto =
            VetoLine { coalition: vec!["north".to_owned()], better: vec!["core".to_owned()] };
        let agent = |name: &str| ChoosingAgent { name: name.to_owned(), share: 0.5 };
        let told = choice(&Choice {
            file: "u.csv".to_owned(),
            prefer: Prefer::Larger,
            group: None,
            agents: vec![agent("north"), agent("south")],
            models: vec![line("fedavg", Some(veto)), line("core", None)],
            chosen: vec!["core".to_owned()],
        });
        assert!(
            told.starts_with(
                "Take core: no group can veto it.\n1 of 2 models cannot be vetoed: core.\n"
            ),
            "{told}"
        );
        assert!(told.contains("  fedavg  50 %      north         core\n"), "{told}");
        assert!(told.contains("  core    50 %     nobody\n"), "{told}");
    }
}
