//! Answers as a person reads them.

use std::fmt::Write;

use crate::answer::Answer;
use crate::words;

/// A left-aligned first column and right-aligned others.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            // Writing to a String cannot fail.
            let _ = match column {
                0 => write!(line, "  {cell:<width$}"),
                _ => write!(line, "  {cell:>width$}"),
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The whole answer.
pub(crate) fn render(answer: &Answer) -> String {
    let mut rows = vec![
        ["agent", "samples", "ceiling", "loss", "utility", "alone"].map(str::to_owned).to_vec(),
    ];
    rows.extend(answer.agents.iter().map(|agent| {
        vec![
            agent.name.clone(),
            agent.samples.to_string(),
            format!("{:.4}", agent.ceiling),
            format!("{:.4}", agent.loss),
            format!("{:.4}", agent.utility),
            agent.alone.map_or_else(String::new, |alone| format!("{alone:.4}")),
        ]
    }));
    let what = match answer.rule {
        Some(rule) => format!("{rule} predictor of {}", answer.file),
        None => format!("predictor on {}", answer.file),
    };
    let mut text = format!(
        "{what} ({} model, {} parameters, ball of radius {})\n\n{}\n",
        answer.predictor.family,
        answer.predictor.parameters.len(),
        answer.ball.radius,
        table(&rows)
    );
    let _ = write!(text, "log-welfare {:.6}", answer.log_welfare.0);
    if let Some(fit) = &answer.fit {
        let _ = write!(text, ", gap {:.1e} after {} steps", fit.gap, fit.iterations);
        if !fit.converged {
            text.push_str(" (the gap asked for was not reached)");
        }
    }
    text.push('\n');
    if answer.ball.active {
        let _ = writeln!(
            text,
            "the parameters lie on the sphere of radius {}: a larger --radius would change them",
            answer.ball.radius
        );
    }
    let _ = writeln!(text, "\n{}", words::sentence(answer));
    for line in words::beside(answer) {
        let _ = writeln!(text, "{line}");
    }
    let _ = write!(
        text,
        "{}, headroom {:.4}\n\nassumptions:\n",
        words::intervals(answer.kappa, answer.everybody),
        answer.headroom.0
    );
    for assumption in &answer.assumptions {
        let _ = writeln!(
            text,
            "  {:<8}  {}: {}",
            assumption.status, assumption.statement, assumption.detail
        );
    }
    text
}

/// `A`, `A and B`, `A, B and C`.
pub(crate) fn together(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => format!("{one} alone"),
        [first @ .., last] => format!("{} and {last} together", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_align_names_left_and_numbers_right() {
        let rows = [["agent", "u"], ["Évora", "1.25"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(table(&rows), "  agent     u\n  Évora  1.25\n");
    }

    #[test]
    fn coalitions_read_as_words() {
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(together(&names[..1]), "a alone");
        assert_eq!(together(&names), "a, b and c together");
    }
}
