//! Labels by agent as a picture.

use std::fmt::Write;

use crate::html::escape;

/// Agents and classes drawn at most: beyond it cells would vanish.
const MOST: usize = 100;
const CELL: f64 = 26.0;
const LEFT: f64 = 130.0;
const TOP: f64 = 96.0;

/// One cell per agent and class, darker where the class makes up more of the agent's rows.
#[must_use]
pub fn draw_labels(agents: &[&str], classes: &[String], counts: &[Vec<usize>]) -> String {
    let (shown_agents, shown_classes) = (agents.len().min(MOST), classes.len().min(MOST));
    let width = LEFT + CELL * shown_classes as f64 + 90.0;
    let height = TOP + CELL * shown_agents as f64 + 34.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
         aria-label=\"Share of every label among the rows of every agent\" \
         font-family=\"system-ui, sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"14\" y=\"22\" font-size=\"14\" font-weight=\"600\" fill=\"#111\">Labels by agent\
         </text>\n"
    );
    // Writing to a String cannot fail.
    for (k, class) in classes.iter().take(MOST).enumerate() {
        let x = LEFT + CELL * (k as f64 + 0.65);
        let _ = writeln!(
            svg,
            "<text transform=\"translate({x:.1} {:.1}) rotate(-50)\" fill=\"#333\">{}</text>",
            TOP - 8.0,
            label(class)
        );
    }
    for (row, (agent, counts)) in agents.iter().zip(counts).take(MOST).enumerate() {
        let y = TOP + CELL * row as f64;
        let total: usize = counts.iter().sum();
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#111\">{}</text>\
             <text x=\"{:.1}\" y=\"{:.1}\" fill=\"#666\">{total}</text>",
            LEFT - 8.0,
            y + 17.0,
            label(agent),
            LEFT + CELL * shown_classes as f64 + 8.0,
            y + 17.0
        );
        for (k, count) in counts.iter().take(MOST).enumerate() {
            let share = *count as f64 / total.max(1) as f64;
            let _ = writeln!(
                svg,
                "<rect x=\"{:.1}\" y=\"{y:.1}\" width=\"{}\" height=\"{}\" rx=\"2\" fill=\"#0b7a75\" \
                 fill-opacity=\"{:.3}\"><title>{} {}: {count} of {total}</title></rect>",
                LEFT + CELL * k as f64,
                CELL - 2.0,
                CELL - 2.0,
                0.04 + 0.96 * share,
                label(agent),
                label(&classes[k])
            );
        }
    }
    let hidden = agents.len() - shown_agents;
    if hidden > 0 {
        let _ = writeln!(
            svg,
            "<text x=\"14\" y=\"{:.1}\" fill=\"#666\">and {hidden} more agents</text>",
            height - 12.0
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// As much of a name as there is room for; names come from users.
pub(crate) fn label(text: &str) -> String {
    let shown: String = text.chars().take(18).filter(|c| !c.is_control()).collect();
    escape(&shown)
}
