//! From a spec to text, with every default spelled out.

mod train;

use corefed_data::{Corruption, DivideBy, Method};

use crate::document::Document;
use crate::keys::{audit, compare, network, partition, root};
use crate::toml_text;
use crate::{
    Ceiling, Compare, Correction, Layers, Model, NetworkAuditSpec, NetworkSpec, PartitionSpec,
    Search, Spec,
};

impl Spec {
    /// The spec as TOML, with every default spelled out; [`Spec::parse`] reads it back as it is.
    #[must_use]
    pub fn to_toml(&self) -> String {
        document(self).to_toml()
    }

    /// What one table of that says, a line for each key: how rows were divided, say, with `partition`.
    #[must_use]
    pub fn lines_of(&self, table: &str) -> Vec<String> {
        document(self).lines(table)
    }
}

/// The tables of a spec, in the order of the reference.
pub(crate) fn document(spec: &Spec) -> Document {
    let mut document = Document::default();
    terms(&mut document, spec);
    if !spec.columns.is_empty() {
        document.begin(&root::COLUMNS);
        for (name, kind) in &spec.columns {
            document.named(name, toml_text::text(kind.name()));
        }
    }
    if let Model::Network(own) = &spec.model {
        document.begin(&network::SECTION);
        computed(&mut document, own);
        document.begin(&audit::SECTION);
        audited(&mut document, &own.audit);
    }
    if let Some(how) = &spec.partition {
        document.begin(&partition::SECTION);
        divide(&mut document, how);
    }
    if !spec.corrupt.is_empty() {
        document.begin(&partition::CORRUPT);
        for (agent, steps) in spec.corrupt.iter().filter(|(_, steps)| !steps.is_empty()) {
            let steps = steps.iter().map(Corruption::to_string);
            document.named(agent, toml_text::list(steps.map(|step| toml_text::text(&step))));
        }
    }
    if let Some(train) = &spec.train {
        train::put(&mut document, train);
    }
    if let Some(compare) = &spec.compare {
        contest(&mut document, compare);
    }
    document
}

/// A ceiling as the value of a key.
pub(crate) fn ceiling_text(ceiling: &Ceiling) -> String {
    match ceiling {
        Ceiling::Fixed(value) => toml_text::number(*value),
        other => toml_text::text(&other.to_string()),
    }
}

fn terms(document: &mut Document, spec: &Spec) {
    document.begin(&root::SECTION);
    document.text(&root::NAME, &spec.name);
    document.text(&root::DATA, &spec.data.to_string());
    document.put(&root::SEED, spec.seed.to_string());
    let columns = [
        (&root::AGENT, &spec.agent),
        (&root::TARGET, &spec.target),
        (&root::EXPOSURE, &spec.exposure),
    ];
    for (key, column) in columns {
        if let Some(column) = column {
            document.text(key, column);
        }
    }
    document.text(&root::MODEL, &spec.model.to_string());
    document.put(&root::CEILING, ceiling_text(&spec.ceiling));
    document.number(&root::RADIUS, spec.radius);
    document.text(&root::WEIGHTS, &spec.weights.to_string());
    document.text(&root::AVERAGE, &spec.average.to_string());
    document.number(&root::L2, spec.l2);
    document.flag(&root::INTERCEPT, spec.intercept);
    document.flag(&root::RAW, spec.raw);
    let allow = spec.allow.iter().map(|check| toml_text::text(check.name()));
    document.put(&root::ALLOW, toml_text::list(allow));
    document.choice(&root::SEPARATOR, &spec.written.separator);
    document.choice(&root::DECIMAL, &spec.written.decimal);
    document.choice(&root::MISSING, &spec.missing);
    document.put(&root::NA, toml_text::list(spec.na.iter().map(|word| toml_text::text(word))));
    document.number(&root::TOLERANCE, spec.tolerance);
    document.number(&root::TIME_LIMIT, spec.time_limit);
    document.number(&root::SAMPLE, spec.sample);
    document.number(&root::HELD_OUT, spec.held_out);
    document.number(&root::VALIDATION, spec.validation);
    document.flag(&root::TEST, spec.test);
}

fn computed(document: &mut Document, own: &NetworkSpec) {
    if let Layers::Own(layers) = &own.layers {
        let layers = layers.iter().map(|layer| toml_text::text(&layer.to_string()));
        document.put(&network::LAYERS, toml_text::list(layers));
    }
    document.number(&network::SMOOTHING, own.smoothing);
    document.choice(&network::INIT, &own.init);
    document.flag(&network::STANDARDISE, own.standardise);
    document.choice(&network::DEVICE, &own.device);
    document.choice(&network::PRECISION, &own.precision);
    document.whole(&network::TOGETHER, own.together);
}

fn audited(document: &mut Document, own: &NetworkAuditSpec) {
    document.number(&audit::LEVEL, own.level);
    document.whole(&audit::BURSTS, own.bursts);
    document.whole(&audit::CLIMBS, own.climbs);
    document.number(&audit::FACTOR, own.factor);
    document.whole(&audit::LANCZOS, own.lanczos);
    document.number(&audit::RADIUS, own.radius);
}

fn divide(document: &mut Document, how: &PartitionSpec) {
    let mut begin = |how: DivideBy, agents: Option<usize>| {
        document.choice(&partition::METHOD, &how);
        if let Some(agents) = agents {
            document.whole(&partition::AGENTS, agents);
        }
    };
    let method = match how {
        PartitionSpec::Method(method) => method,
        PartitionSpec::File(path) => {
            return document.text(&partition::FILE, &path.to_string_lossy());
        }
    };
    match method {
        Method::Iid { agents } => begin(DivideBy::Iid, Some(*agents)),
        Method::LabelDirichlet { agents, alpha, min_samples } => {
            begin(DivideBy::LabelDirichlet, Some(*agents));
            document.number(&partition::ALPHA, *alpha);
            document.whole(&partition::MIN_SAMPLES, *min_samples);
        }
        Method::Shards { agents, shards_per_agent } => {
            begin(DivideBy::Shards, Some(*agents));
            document.whole(&partition::SHARDS, *shards_per_agent);
        }
        Method::QuantitySkew { agents, alpha, min_samples } => {
            begin(DivideBy::QuantitySkew, Some(*agents));
            document.number(&partition::ALPHA, *alpha);
            document.whole(&partition::MIN_SAMPLES, *min_samples);
        }
        Method::Column { column } => {
            begin(DivideBy::Column, None);
            document.text(&partition::COLUMN, column);
        }
        // Nothing is known about how it was made, so only its file can say.
        _ => {}
    }
}

fn contest(document: &mut Document, compare: &Compare) {
    document.begin(&compare::SECTION);
    let rules = compare.rules.iter().map(|contender| {
        let mut pairs = train::rule(contender.rule);
        let own = [
            (compare::CORRECTION.name, named(Correction::NAMES, contender.correction)),
            (compare::SEARCH.name, named(Search::NAMES, contender.search)),
            (compare::SCHEDULE.name, named(&compare::SCHEDULES, contender.schedule)),
        ];
        pairs.extend(own.into_iter().filter_map(|(key, name)| Some((key, toml_text::text(name?)))));
        let first =
            contender.first_step.map(|part| (compare::FIRST_STEP.name, toml_text::number(part)));
        pairs.extend(first);
        pairs.push((compare::LABEL.name, toml_text::text(&contender.label)));
        let pairs: Vec<_> =
            pairs.into_iter().map(|(name, value)| format!("{name} = {value}")).collect();
        format!("{{ {} }}", pairs.join(", "))
    });
    document.put(&compare::RULES, toml_text::list(rules));
    let seeds = compare.seeds.iter().map(u64::to_string);
    document.put(&compare::SEEDS, toml_text::list(seeds));
    if let Some(base) = &compare.base {
        document.text(&compare::BASE, base);
    }
    if let Some(tune) = &compare.tune {
        document.begin(&compare::TUNE);
        document.whole(&compare::BUDGET, tune.budget.get());
        document.choice(&compare::CHOOSING, &tune.seeds);
        document.begin(&compare::GRID);
        for (key, values) in &tune.grid {
            document.named(key, toml_text::list(values.iter().cloned()));
        }
    }
}

/// The name of a choice, if there is one.
fn named<'a, T: PartialEq>(names: &[(&'a str, T)], choice: Option<T>) -> Option<&'a str> {
    let choice = choice?;
    names.iter().find(|(_, known)| *known == choice).map(|(name, _)| *name)
}
