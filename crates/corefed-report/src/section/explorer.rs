//! Pick a group: what would it need, what could it get, would it leave?

use std::fmt::Write;

use corefed_core::{exceeds, gain, scan};

use super::{Block, Section};
use crate::html::escape;
use crate::page::{Exactness, Model, Page};
use crate::sentence::{names, share};
use crate::table::{Cell, Table};

/// Coalitions listed.
const MOST_LISTED: usize = 10;

/// A coalition and how near it is to leaving.
pub(crate) struct Close {
    pub(crate) members: Vec<usize>,
    /// Share of the say times the factor that everybody in it can have.
    pub(crate) reach: f64,
    pub(crate) least_gain: f64,
}

pub(super) fn section(page: &Page) -> Option<Section> {
    // Means over seeds are not a model that a group could leave.
    let first = page.models.first().filter(|_| page.recommended.is_none())?;
    if page.agents.len() < 2 {
        return None;
    }
    let mut blocks = vec![Block::Html(controls(page))];
    let list = closest(page, first);
    if !list.is_empty() {
        blocks.push(Block::Html(format!(
            "<h3>The closest groups under {}</h3>\n",
            escape(&first.name)
        )));
        blocks.push(Block::Table(table(page, first, &list)));
    }
    Some(Section { id: "explorer", title: "Would a group leave?", blocks })
}

fn controls(page: &Page) -> String {
    let exact = page.models.iter().any(|model| model.exactness() == Exactness::Exact);
    let bounded = page.models.iter().any(Model::bounds_every_rival);
    let basis = if exact {
        "The best that every group can do was computed exactly: no other model in the ball gives all of \
         its members more."
    } else if bounded {
        "Kappa is an upper end for every group and every model that the verdict speaks of, and what an \
         agent has alone is exact where it is known. The best model of a larger group was not computed: of those that this page \
         knows, the best is shown."
    } else {
        "For each group this page tries the models it knows. A better one may exist: what is shown is \
         the best found, not exact."
    };
    let mut html = format!(
        "<p>A group leaves when some other model gives each member enough to make up for the group's \
         size: half of the say has to do twice as well. Everybody together does not leave: for them the \
         question is whether another model is better for all. {basis}</p>\n\
         <noscript><p class=\"small\">Picking groups needs JavaScript; the list below does not.</p>\
         </noscript>\n<div id=\"explore\" class=\"explore\" hidden>\n"
    );
    if page.models.len() > 1 {
        html.push_str(
            "<p><label for=\"explore-model\">Under the model </label><select id=\"explore-model\">",
        );
        for (k, model) in page.models.iter().enumerate() {
            // Writing to a String cannot fail.
            let _ = write!(html, "<option value=\"{k}\">{}</option>", escape(&model.name));
        }
        html.push_str("</select></p>\n");
    }
    let _ = write!(
        html,
        "<fieldset><legend>Who would go together?</legend><div id=\"explore-pick\" class=\"pick\"></div>\
         </fieldset>\n<div id=\"explore-answer\" class=\"card\" role=\"status\" aria-live=\"polite\"></div>\n\
         </div>\n"
    );
    html
}

/// The coalitions nearest to leaving, nearest first.
pub(crate) fn closest(page: &Page, model: &Model) -> Vec<Close> {
    let mut found: Vec<Close> = if model.exactness() == Exactness::Exact {
        let close = |c: &crate::Coalition| Close {
            reach: share(page, &c.members) * c.lower,
            least_gain: c.lower,
            members: c.members.clone(),
        };
        // Everybody together does not leave.
        let smaller = model.coalitions.iter().filter(|c| c.members.len() < page.agents.len());
        smaller.map(close).collect()
    } else {
        rivals(page, model).filter_map(|utilities| scanned(page, model, &utilities)).collect()
    };
    found.extend(model.deviation.iter().filter(|d| !d.gains.is_empty()).map(|d| {
        let least_gain = d.gains.iter().copied().fold(f64::INFINITY, f64::min);
        Close {
            reach: share(page, &d.members) * least_gain,
            least_gain,
            members: d.members.clone(),
        }
    }));
    found.sort_by(|a, b| b.reach.total_cmp(&a.reach).then_with(|| a.members.cmp(&b.members)));
    let mut listed: Vec<Close> = Vec::new();
    for close in found {
        if listed.len() < MOST_LISTED && !listed.iter().any(|other| other.members == close.members)
        {
            listed.push(close);
        }
    }
    listed
}

/// Utilities of every other model whose utilities are all known.
fn rivals<'a>(page: &'a Page, model: &'a Model) -> impl Iterator<Item = Vec<f64>> + 'a {
    let models = page.models.iter().map(|other| &other.utilities);
    let all = models.chain(page.rivals.iter().map(|rival| &rival.utilities));
    all.filter(|other| **other != model.utilities)
        .filter_map(|utilities| utilities.iter().copied().collect::<Option<Vec<f64>>>())
}

/// The best coalition for one rival.
fn scanned(page: &Page, model: &Model, rival: &[f64]) -> Option<Close> {
    let now = model.utilities.iter().copied().collect::<Option<Vec<f64>>>()?;
    if now.len() != rival.len() || now.len() != page.agents.len() {
        return None;
    }
    let weights: Vec<f64> = page.agents.iter().map(|agent| agent.weight).collect();
    let found = scan(&now, rival, &weights, &weights.iter().sum());
    let mut members = found.coalition;
    members.sort_unstable();
    let least_gain = members.iter().map(|&k| gain(now[k], rival[k])).fold(f64::INFINITY, f64::min);
    (!members.is_empty()).then_some(Close { reach: found.kappa.value(), least_gain, members })
}

fn table(page: &Page, model: &Model, list: &[Close]) -> Table {
    let exact = model.exactness() == Exactness::Exact;
    let rows = list.iter().map(|close| {
        let share = share(page, &close.members);
        vec![
            Cell::Text(names(page, &close.members)),
            Cell::Text(
                if exceeds(close.reach, model.tolerance) { "leaves" } else { "stays" }.to_owned(),
            ),
            Cell::Factor(close.reach),
            Cell::Factor(close.least_gain),
            Cell::Number(1.0 / share),
            Cell::Share(share),
        ]
    });
    let columns = [
        "group",
        "so it",
        "of what is needed",
        if exact { "possible (exact)" } else { "found (not exact)" },
        "needed",
        "share",
    ];
    Table {
        id: "closest".into(),
        caption: "Groups that come closest to leaving, closest first".into(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}
