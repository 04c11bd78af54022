//! What travels by mail is read back by its type, to the last bit.

use corefed_core::{
    AgreedModel, CountSummary, Encoding, Family, Feature, Intake, OwnModel, Predictor,
};
use corefed_data::{ColumnMoments, ColumnSummary, TableSummary};
use corefed_documents::Document;
use corefed_remote::{Answers, Asked, Ceiling, Options, Participant, Questions, Setup, Task};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::answer::Told;
use super::gram::OwnGram;
use super::{AnswersFile, MailSession, QuestionsFile, Summary};

/// Any finite number, tiny and huge ones included.
fn finite() -> impl Strategy<Value = f64> {
    any::<f64>().prop_map(|x| if x.is_finite() { x } else { 0.1 + 0.2 })
}

fn numbers() -> impl Strategy<Value = Vec<f64>> {
    vec(finite(), 0..4)
}

fn places() -> impl Strategy<Value = Vec<usize>> {
    vec(0_usize..9, 0..4)
}

fn family() -> impl Strategy<Value = Family> {
    select(Family::ALL.to_vec())
}

fn features() -> impl Strategy<Value = Vec<Feature>> {
    let numeric = (".*", finite(), finite(), option::of(finite())).prop_map(
        |(column, mean, scale, missing)| Feature::Numeric { column, mean, scale, missing },
    );
    let level = (".*", ".*").prop_map(|(column, level)| Feature::Level { column, level });
    vec(prop_oneof![numeric, level, Just(Feature::Intercept)], 0..4)
}

prop_compose! {
    fn predictor()(
        family in family(),
        (l2, radius, parameters) in (finite(), finite(), numbers()),
        (agent_column, target_column, exposure_column) in (".*", ".*", option::of(".*")),
        (classes, features) in (vec(".*", 0..3), features()),
    ) -> AgreedModel {
        let intake = Intake::default();
        let target_scale = None;
        let encoding = Encoding {
            agent_column, target_column, exposure_column, classes, target_scale, intake, features,
        };
        AgreedModel::Known(Predictor { family, l2, radius, encoding, parameters })
    }
}

prop_compose! {
    fn own_model()(
        own in ".*", (l2, radius) in (0.0..9.0, 0.1..9.0), parameters in vec(-0.01..0.01, 1..4),
    ) -> AgreedModel {
        AgreedModel::Own(OwnModel { own, l2, radius, parameters })
    }
}

fn ceiling() -> impl Strategy<Value = Ceiling> {
    prop_oneof![
        finite().prop_map(Ceiling::Absolute),
        finite().prop_map(Ceiling::Initial),
        ".*".prop_map(Ceiling::Declared),
        (finite(), ".*").prop_map(|(value, policy)| Ceiling::Settled { value, policy }),
    ]
}

prop_compose! {
    fn session()(
        predictor in prop_oneof![predictor(), own_model()],
        agents in vec((".*", finite(), ceiling(), 0_usize..99), 0..3),
        (tolerance, trains) in (finite(), any::<bool>()),
        (keys, cells) in (vec(option::of(".*"), 0..3), places()),
    ) -> MailSession {
        let agents = agents.into_iter().map(|(name, weight, ceiling, samples)| {
            Participant { name, weight, ceiling, samples }
        });
        let task = if trains { Task::Train } else { Task::Audit };
        let (agents, options) = (agents.collect(), Options::default());
        MailSession { setup: Setup { predictor, agents, tolerance, task, options }, keys, cells }
    }
}

fn moments() -> impl Strategy<Value = ColumnMoments> {
    (0_usize..9, 0_usize..9, finite(), finite(), finite(), finite()).prop_map(
        |(rows, present, mean, squares, least, most)| ColumnMoments {
            rows,
            present,
            mean,
            squares,
            least,
            most,
        },
    )
}

prop_compose! {
    fn summary()(
        (agent, key, family, raw) in (".*", option::of(".*"), family(), any::<bool>()),
        (agent_column, target_column, exposure_column) in (".*", ".*", option::of(".*")),
        (rows, classes, class_rows) in (0_usize..99, vec(".*", 0..3), places()),
        target in option::of(moments()),
        columns in vec((".*", option::of(moments()), vec(".*", 0..3)), 0..3),
        counts in option::of((finite(), finite(), finite())),
        gram in option::of((features(), finite(), numbers())),
    ) -> Summary {
        let columns = columns.into_iter().map(|(column, numbers, levels)| {
            ColumnSummary { column, numbers, levels }
        });
        let intake = Intake::default();
        let columns = columns.collect();
        let table = TableSummary { rows, classes, class_rows, target, intake, columns };
        let counts = counts
            .map(|(mean, exposure, log_rate)| CountSummary { mean, exposure, log_rate });
        let gram = gram
            .map(|(features, target_mean, products)| OwnGram { features, target_mean, products });
        Summary {
            agent, key, family, agent_column, target_column, exposure_column, raw, table, counts,
            gram,
        }
    }
}

fn back<D: Document>(document: &D) -> D {
    D::parse("the test", &document.to_json().expect("JSON")).expect("the same document")
}

proptest! {
    #[test]
    fn sessions_read_back(document in session()) {
        prop_assert_eq!(back(&document), document);
    }

    #[test]
    fn questions_read_back(
        session in session(),
        (round, points) in (0_usize..99, vec(numbers(), 0..3)),
        asked in vec(option::of((places(), places(), any::<bool>(), any::<bool>())), 0..3),
    ) {
        let asked = asked.into_iter().map(|asked| {
            asked.map(|(gradients, hessians, own, ceiling)| {
                Asked { gradients, hessians, own, ceiling }
            })
        });
        let questions = Questions { round, points, asked: asked.collect() };
        let document = QuestionsFile { session, questions };
        prop_assert_eq!(back(&document), document);
    }

    #[test]
    fn answers_read_back(
        (session, agent, round) in (".*", ".*", 0_usize..99),
        given in option::of((".*", numbers(), vec(numbers(), 0..3), vec(numbers(), 0..3))),
        (own, ceiling) in (option::of(numbers()), option::of(finite())),
        (refused, signature) in (option::of(".*"), option::of(".*")),
        (answered, cells) in (0_usize..99, 0_usize..99),
    ) {
        let answers = given.map(|(points, losses, gradients, hessians)| {
            Answers { round, points, losses, gradients, hessians, own, ceiling }
        });
        let document = AnswersFile {
            session, agent, round, answers, refused, answered, cells, signature,
        };
        prop_assert_eq!(back(&document), document);
    }

    #[test]
    fn records_of_what_was_told_read_back(rounds in btree_map(".*", 0_usize..99, 0..4)) {
        let document = Told { rounds };
        prop_assert_eq!(back(&document), document);
    }

    #[test]
    fn summaries_read_back(document in summary()) {
        prop_assert_eq!(back(&document), document);
    }
}
