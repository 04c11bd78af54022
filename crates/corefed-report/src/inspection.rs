//! A page about a set: columns with their shapes, agents with their numbers, and what looks odd.

use std::fmt::Write;

use corefed_documents::{InspectedAgent, InspectedColumn, Inspection};

use crate::html::{escape, number, short};

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1a1a1a;--soft:#666;--line:#ddd;--fill:#2a6fbb;--paper:#fff}\
@media(prefers-color-scheme:dark){:root{--ink:#eee;--soft:#aaa;--line:#444;--fill:#7ab3ef;--paper:#161616}}\
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:var(--ink);background:var(--paper)}\
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}\
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}.wide{overflow-x:auto}small,.soft{color:var(--soft)}\
svg{display:block}svg rect,svg circle{fill:var(--fill)}svg line{stroke:var(--fill);stroke-width:2}svg text{fill:var(--ink);font-size:12px}";

/// Agents in a picture; more would not be told apart.
const MOST_AGENTS: usize = 60;

/// The whole page, which needs nothing from elsewhere.
#[must_use]
pub fn inspection_page(set: &Inspection) -> String {
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{0}</title><style>{STYLE}</style><h1>{0}</h1><p>{1} rows, {2} columns{3}.</p>",
        escape(&set.name),
        set.rows,
        set.columns.len(),
        match set.agents.len() {
            0 => String::new(),
            agents => format!(", {agents} agents"),
        }
    );
    // Writing to a String cannot fail.
    if !set.odd.is_empty() {
        page.push_str("<h2>What looks odd</h2><ul>");
        for odd in &set.odd {
            let _ = write!(page, "<li>{}</li>", escape(odd));
        }
        page.push_str("</ul>");
    }
    page.push_str("<h2>Columns</h2><div class=\"wide\"><table><tr><th>column<th>holds<th class=\"n\">missing<th class=\"n\">different<th>values</tr>");
    for column in &set.columns {
        let _ = write!(
            page,
            "<tr><td>{}<td>{}<td class=\"n\">{}<td class=\"n\">{}<td>{}</tr>",
            escape(&column.name),
            escape(&column.kind),
            column.missing,
            column.distinct,
            values(column)
        );
    }
    page.push_str("</table></div>");
    agents(&mut page, set);
    page.push_str("</html>\n");
    page
}

/// A histogram, bars of the most frequent texts, or the ends of a range.
fn values(column: &InspectedColumn) -> String {
    if let (Some(mean), Some(deviation)) = (column.mean, column.deviation) {
        let ends = |value: &serde_json::Value| number(value.as_f64().unwrap_or(f64::NAN));
        return format!(
            "{}<small>{} to {}, mean {}, deviation {}</small>",
            histogram(column),
            ends(&column.least),
            ends(&column.most),
            number(mean),
            number(deviation)
        );
    }
    if let (Some(first), Some(last)) = (column.least.as_str(), column.most.as_str()) {
        return format!("<small>{} to {}</small>", escape(first), escape(last));
    }
    let most = column.levels.iter().map(|(_, count)| *count).max().unwrap_or(1).max(1);
    let mut svg = String::new();
    for (k, (text, count)) in column.levels.iter().enumerate() {
        let width = 120.0 * *count as f64 / most as f64;
        let top = 16 * k;
        let text = if text.is_empty() { "(empty)" } else { text };
        let _ = write!(
            svg,
            "<rect x=\"0\" y=\"{}\" width=\"{width:.1}\" height=\"11\"/><text x=\"126\" y=\"{}\">{} {count}</text>",
            top + 2,
            top + 12,
            escape(&short(text, 24))
        );
    }
    let height = 16 * column.levels.len();
    format!(
        "<svg width=\"340\" height=\"{height}\" role=\"img\" aria-label=\"most frequent texts\">{svg}</svg>"
    )
}

fn histogram(column: &InspectedColumn) -> String {
    let most = column.bars.iter().copied().max().unwrap_or(1).max(1);
    let bar = |(k, count): (usize, &usize)| {
        let height = 40.0 * *count as f64 / most as f64;
        format!(
            "<rect x=\"{}\" y=\"{:.1}\" width=\"9\" height=\"{height:.1}\"/>",
            10 * k,
            40.0 - height
        )
    };
    let bars: String = column.bars.iter().enumerate().map(bar).collect();
    format!(
        "<svg width=\"{}\" height=\"40\" role=\"img\" aria-label=\"histogram\">{bars}</svg>",
        10 * column.bars.len()
    )
}

fn agents(page: &mut String, set: &Inspection) {
    let Some(first) = set.agents.first() else { return };
    page.push_str("<h2>Agents</h2><div class=\"wide\"><table><tr><th>agent<th class=\"n\">rows");
    for class in &set.classes {
        let _ = write!(page, "<th class=\"n\">{}", escape(&short(class, 20)));
    }
    page.push_str("</tr>");
    for agent in &set.agents {
        let _ = write!(page, "<tr><td>{}<td class=\"n\">{}", escape(&agent.name), agent.rows);
        for count in agent.labels.values() {
            let _ = write!(page, "<td class=\"n\">{count}");
        }
        page.push_str("</tr>");
    }
    page.push_str("</table></div>");
    if !first.numbers.is_empty() {
        page.push_str("<h2>Numbers by agent</h2><p class=\"soft\">Dots are means; lines reach one deviation to either side.</p>");
    }
    for k in 0..first.numbers.len() {
        let _ = write!(
            page,
            "<h3>{}</h3>{}",
            escape(&first.numbers[k].column),
            whiskers(&set.agents, k)
        );
    }
    if set.agents.len() > MOST_AGENTS {
        let _ = write!(page, "<p class=\"soft\">The first {MOST_AGENTS} agents are drawn.</p>");
    }
}

/// Mean and deviation of one column, agent by agent.
fn whiskers(agents: &[InspectedAgent], column: usize) -> String {
    let drawn: Vec<(&str, f64, f64)> = agents
        .iter()
        .take(MOST_AGENTS)
        .filter_map(|agent| {
            let own = agent.numbers.get(column).filter(|own| own.count > 0)?;
            Some((agent.name.as_str(), own.mean, own.deviation))
        })
        .collect();
    let least = drawn.iter().map(|(_, mean, d)| mean - d).fold(f64::INFINITY, f64::min);
    let most = drawn.iter().map(|(_, mean, d)| mean + d).fold(f64::NEG_INFINITY, f64::max);
    let span = if most > least { most - least } else { 1.0 };
    let x = |value: f64| 150.0 + 480.0 * (value - least) / span;
    let mut body = String::new();
    for (k, (name, mean, deviation)) in drawn.iter().enumerate() {
        let y = 18 * k + 10;
        let _ = write!(
            body,
            "<text x=\"0\" y=\"{}\">{}</text><line x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{y}\" y2=\"{y}\"/><circle cx=\"{:.1}\" cy=\"{y}\" r=\"4\"/>",
            y + 4,
            escape(&short(name, 20)),
            x(mean - deviation),
            x(mean + deviation),
            x(*mean)
        );
    }
    let foot = 18 * drawn.len() + 16;
    format!(
        "<div class=\"wide\"><svg width=\"640\" height=\"{}\" role=\"img\" aria-label=\"means and deviations by agent\">{body}\
         <text x=\"150\" y=\"{foot}\">{}</text><text x=\"630\" y=\"{foot}\" text-anchor=\"end\">{}</text></svg></div>",
        foot + 6,
        number(least),
        number(most)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use corefed_documents::AgentNumbers;
    use serde_json::{Map, Value};

    #[test]
    fn a_page_shows_columns_agents_and_what_is_odd_and_no_name_acts() {
        let column = InspectedColumn {
            name: "<b>x".to_owned(),
            kind: "number".to_owned(),
            missing: 3,
            distinct: 9,
            least: Value::from(1.0),
            most: Value::from(5.0),
            mean: Some(2.0),
            deviation: Some(1.0),
            bars: vec![1, 4],
            levels: Vec::new(),
        };
        let numbers =
            vec![AgentNumbers { column: "x".to_owned(), count: 4, mean: 2.0, deviation: 1.0 }];
        let agent =
            InspectedAgent { name: "north".to_owned(), rows: 4, labels: Map::new(), numbers };
        let set = Inspection {
            name: "t.csv".to_owned(),
            rows: 4,
            digest: String::new(),
            columns: vec![column],
            target: None,
            classes: Vec::new(),
            agents: vec![agent],
            odd: vec!["column `x` is odd".to_owned()],
        };
        let page = inspection_page(&set);
        for part in
            ["4 rows", "&lt;b&gt;x", "column `x` is odd", "north", "1 to 5", "<circle", "<rect"]
        {
            assert!(page.contains(part), "{part}");
        }
        assert!(!page.contains("<b>x"));
    }
}
