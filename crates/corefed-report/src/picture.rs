//! Utilities by agent and rule, as one SVG that needs nothing else.

use std::fmt::Write;

use corefed_documents::AuditDocument;

use crate::heat_map::label;

const COLOURS: [&str; 3] = ["#0b7a75", "#b45309", "#7c5cbf"];
const BAR: f64 = 16.0;
const GAP: f64 = 18.0;
const LABELS: f64 = 130.0;
const WIDTH: f64 = 720.0;
const TOP: f64 = 64.0;
/// Width of a number with its margins.
const ROOM: f64 = 48.0;

/// Grouped bars, worst-off visible at a glance; a tick marks what the agent could have alone.
#[must_use]
pub fn draw_utilities(answers: &[AuditDocument]) -> String {
    let agents = answers.first().map_or(0, |answer| answer.agents.len());
    let values = || {
        answers
            .iter()
            .flat_map(|a| &a.agents)
            .flat_map(|a| [a.utility, a.alone.unwrap_or(a.utility)])
    };
    let most = values().fold(0.0, f64::max);
    let least = values().fold(0.0, f64::min);
    let scale = (WIDTH - LABELS - 80.0) / (most - least).max(f64::MIN_POSITIVE);
    let x = |utility: f64| LABELS + (utility - least) * scale;
    let group = BAR * answers.len() as f64 + GAP;
    let height = TOP + group * agents as f64 + 10.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-label=\"Utility of every agent under every rule\" font-family=\"system-ui, sans-serif\" \
         font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"16\" y=\"24\" font-size=\"15\" font-weight=\"600\" fill=\"#111\">Utility of every \
         agent; the dark tick is what it could have alone</text>\n"
    );
    let mut legend = 16.0;
    for (answer, colour) in answers.iter().zip(COLOURS) {
        let name = answer.rule.as_deref().unwrap_or_default();
        let entry = format!("{name}: {}", answer.verdict);
        let _ = writeln!(
            svg,
            "<rect x=\"{legend}\" y=\"36\" width=\"12\" height=\"12\" rx=\"2\" fill=\"{colour}\"/>\
             <text x=\"{}\" y=\"47\" fill=\"#333\">{entry}</text>",
            legend + 18.0
        );
        legend += 36.0 + 7.2 * entry.len() as f64;
    }
    for agent in 0..agents {
        let top = TOP + group * agent as f64;
        let first = &answers[0].agents[agent];
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#111\">{}</text>",
            LABELS - 12.0,
            top + BAR * answers.len() as f64 / 2.0 + 5.0,
            label(&first.name)
        );
        for (k, (answer, colour)) in answers.iter().zip(COLOURS).enumerate() {
            let utility = answer.agents[agent].utility;
            let (from, to) = (x(utility.min(0.0)), x(utility.max(0.0)));
            let y = top + BAR * k as f64;
            // Inside a bar that has room, where the tick cannot cross the number.
            let (at, anchor, ink) = if to - from > ROOM {
                (to - 6.0, "end", "#fff")
            } else {
                (to + 6.0, "start", "#333")
            };
            let _ = writeln!(
                svg,
                "<rect x=\"{from:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{}\" rx=\"2\" \
                 fill=\"{colour}\"/><text x=\"{at:.1}\" y=\"{:.1}\" font-size=\"11\" \
                 text-anchor=\"{anchor}\" fill=\"{ink}\">{utility:.3}</text>",
                y + 1.0,
                to - from,
                BAR - 3.0,
                y + 12.0
            );
        }
        if let Some(alone) = first.alone {
            let _ = writeln!(
                svg,
                "<path d=\"M{:.1} {:.1}v{:.1}\" stroke=\"#111\" stroke-width=\"2\"/>",
                x(alone),
                top - 2.0,
                BAR * answers.len() as f64 + 2.0
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}
