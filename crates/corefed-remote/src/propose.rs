//! What a coalition could have, by models of the answers.

use corefed_audit::{Coalition, Program, coalition_program};
use corefed_solve::{Problem, Until};

use crate::bundle::Bundle;
use crate::case::Case;
use crate::model::Model;

/// Times that a program is solved again about nearer answers.
const EXPANSIONS: usize = 4;
/// How well programs of models are solved.
const GAP: f64 = 1e-9;

/// The program of a coalition on models about the answers nearest to where it ends, and those models.
pub(crate) fn propose<'a>(
    case: &Case,
    bundle: &'a Bundle,
    now: &[f64],
    members: Coalition,
    start: &[f64],
) -> (Program, Model<'a>) {
    let members: Vec<usize> = members.members().collect();
    let mut model = Model::about(bundle, case.agents(), start);
    let mut expansions = 0;
    loop {
        let problem = Problem {
            losses: &model,
            ceilings: case.ceilings.clone(),
            weights: case.weights.clone(),
            ball: case.ball.clone(),
            halt: None,
        };
        let program = coalition_program(&problem, now, &members, start, Until::Gap(GAP));
        let nearer = Model::about(bundle, case.agents(), &program.bounds.params);
        expansions += 1;
        if expansions > EXPANSIONS || nearer.same(&model, &members) {
            return (program, nearer);
        }
        model = nearer;
    }
}
