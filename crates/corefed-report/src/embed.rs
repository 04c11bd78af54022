//! The data behind the page, as JSON that the page's script and its readers' programs share.

use corefed_core::{Number, shown_lines};
use serde_json::{Value, json};

use crate::page::{Model, Page};
use crate::plain::clean;
use crate::rival::Rival;
use crate::section::Section;

/// Everything that is drawn or explored, with all digits.
pub(crate) fn data(page: &Page, sections: &[Section]) -> Value {
    let tables: serde_json::Map<String, Value> = sections
        .iter()
        .flat_map(|section| &section.blocks)
        .filter_map(|block| block.table())
        .map(|table| (table.id.clone(), table.json()))
        .collect();
    let mut data = json!({
        "format": "corefed-report",
        "version": 2,
        "title": page.title,
        "agents": page.agents,
        "models": page.models.iter().map(model).collect::<Vec<_>>(),
        "rivals": page.rivals.iter().map(rival).collect::<Vec<_>>(),
        "tables": tables,
    });
    clean(&mut data);
    // Files are saved as they are.
    data["files"] = json!(page.provenance.downloads);
    data
}

/// JSON that may stand inside a `script` element: no `<` can end it, and nothing is hidden in it.
pub(crate) fn inside_script(value: &Value) -> String {
    shown_lines(&value.to_string().replace('<', "\\u003c")).into_owned()
}

fn model(model: &Model) -> Value {
    let coalitions: Vec<Value> = model
        .coalitions
        .iter()
        .map(|c| json!([c.members, Number(c.lower), Number(c.upper), numbers(&c.gains)]))
        .collect();
    let deviation = model.deviation.as_ref().map(|deviation| {
        json!({
            "members": deviation.members,
            "gains": numbers(&deviation.gains),
            "rival": deviation.rival,
        })
    });
    json!({
        "name": model.name,
        "verdict": model.verdict,
        "kappa": model.kappa,
        "everybody": model.everybody,
        "tolerance": model.tolerance,
        "bounded": model.bounds_every_rival(),
        "headroom": model.headroom.map(Number),
        "utilities": known(&model.utilities),
        "alone": known(&model.alone),
        "deviation": deviation,
        "coalitions": coalitions,
    })
}

fn rival(rival: &Rival) -> Value {
    json!({ "name": rival.name, "utilities": known(&rival.utilities) })
}

fn known(values: &[Option<f64>]) -> Vec<Value> {
    values.iter().map(|value| value.map_or(Value::Null, |value| json!(Number(value)))).collect()
}

fn numbers(values: &[f64]) -> Vec<Number> {
    values.iter().map(|value| Number(*value)).collect()
}
