//! One instance: audited, certified, checked, and held against brute force.

use std::ops::ControlFlow;

use corefed_audit::{Certified, Parties, Progress, certify};
use corefed_core::{Certificate, Evidence, Family, Rival, Verdict, Witness, digest_bytes};
use corefed_data::Agent;
use corefed_model::{ConvexLosses, FederationLosses, QuadraticLosses, worst_losses};
use corefed_solve::{Problem, Rule, ball_for, solve};
use corefed_verify::{check_on_data, parse};

use crate::brute_force::BruteForce;
use crate::draws::Draws;
use crate::instance::{CLASSES, Instance, Subject};

/// Brute force is in plain doubles: it may be off by this much, relatively.
const ROUNDING: f64 = 1e-8;

/// What came of an instance.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// No model to audit: no predictor serves everybody, or no ceiling is positive.
    Nothing,
    /// Decided, and nothing speaks against it; and whether brute force, alone, came within a thousandth
    /// of the best rival.
    Decided(Verdict, bool),
    /// Not decided, and why.
    Undecided(String),
    /// A statement that is not true.
    False(String),
    /// A certificate that the checker refuses.
    Refused(String),
}

/// Draws an instance and judges it.
pub(crate) fn judge(seed: u64, number: u64, family: Option<Family>) -> Outcome {
    let mut draws = Draws::new(seed, number);
    let Some(instance) = Instance::draw(&mut draws, family) else { return Outcome::Nothing };
    let model = FederationLosses::new(&instance.federation, instance.family, CLASSES, instance.l2);
    let compressed;
    let losses: &dyn ConvexLosses = if instance.family.is_quadratic() {
        compressed = QuadraticLosses::from_least_squares(&instance.federation, instance.l2);
        &compressed
    } else {
        &model
    };
    let problem = |radius: f64| {
        Problem::new(losses, instance.ceilings.clone(), instance.weights.clone(), radius)
    };
    let Some(incumbent) = incumbent(&instance, &problem(instance.radius), &mut draws) else {
        return Outcome::Nothing;
    };
    let Some(radius) = ball_for(instance.radius, &incumbent) else {
        return Outcome::False("a solution lies outside the ball".to_owned());
    };
    let names: Vec<String> =
        instance.federation.agents().iter().map(|agent| agent.name.clone()).collect();
    let samples: Vec<usize> = instance.federation.agents().iter().map(Agent::samples).collect();
    let parties = Parties {
        names: &names,
        samples: &samples,
        weights: &instance.weights,
        ceilings: &instance.ceilings,
    };
    let digest = digest_bytes(b"campaign");
    let predictor = instance.predictor(radius, incumbent.clone());
    let mut forever = |_: &Progress| ControlFlow::Continue(());
    let certified = certify(
        &problem(radius),
        &instance.federation,
        &predictor,
        &parties,
        &worst_losses(&model, radius),
        &[],
        instance.tolerance,
        &digest,
        &mut forever,
    );
    let Certified { audit, certificate } = match certified {
        Ok(certified) => certified,
        Err(error) => return Outcome::Refused(error.to_string()),
    };
    let text = serde_json::to_string(&certificate).unwrap_or_default();
    let checked = parse(&text).and_then(|read| check_on_data(&read, &instance.federation, &digest));
    if let Err(error) = checked {
        return Outcome::Refused(error.to_string());
    }
    let mut brute = BruteForce::new(&instance, &incumbent, radius);
    brute.offer(&vec![0.0; incumbent.len()]);
    brute.search(&incumbent);
    let alone = brute.found.kappa;
    for point in points(&certificate) {
        brute.offer(&point);
    }
    if let Some(lie) = lie(&certificate, &brute) {
        return Outcome::False(lie);
    }
    match (certificate.claim.verdict, audit.obstacle) {
        (Verdict::Undecided, Some(obstacle)) => {
            Outcome::Undecided(format!("{obstacle:?}, {}", describe(&instance, &certificate)))
        }
        (Verdict::Undecided, None) => Outcome::False("undecided without a reason".to_owned()),
        (verdict, _) => {
            Outcome::Decided(verdict, alone >= (1.0 - 1e-3) * certificate.claim.kappa.lo.0)
        }
    }
}

fn incumbent(instance: &Instance, problem: &Problem<'_>, draws: &mut Draws) -> Option<Vec<f64>> {
    let dim = problem.losses.dim();
    let optimum = |rule: Rule| solve(problem, rule, 1e-10).ok().map(|found| found.params);
    let inside = |point: Vec<f64>, reach: f64| -> Vec<f64> {
        let norm = corefed_core::linalg::norm_l2(&point);
        let factor = if norm > reach { reach / norm } else { 1.0 };
        point.iter().map(|x| x * factor).collect()
    };
    let reach = 0.999_999 * instance.radius;
    Some(match instance.subject {
        Subject::Optimum(rule) => optimum(rule)?,
        Subject::Moved(rule, by) => {
            let point = optimum(rule)?;
            inside(point.iter().map(|x| x * (1.0 + by * draws.normal())).collect(), reach)
        }
        Subject::Zero => vec![0.0; dim],
        Subject::Random => {
            let length = draws.unit() * reach;
            let point: Vec<f64> = (0..dim).map(|_| draws.normal()).collect();
            inside(point.iter().map(|x| x * instance.radius * 10.0).collect(), length)
        }
    })
}

/// Models that the audit thought of: no worse as rivals than others.
fn points(certificate: &Certificate) -> Vec<Vec<f64>> {
    let rivals = [&certificate.witness, &certificate.improvement].into_iter().flatten();
    let mut points: Vec<Vec<f64>> = rivals
        .filter_map(|witness| match &witness.rival {
            Rival::Parameters(rival) => Some(rival.clone()),
            Rival::Row(_) => None,
        })
        .collect();
    if let Evidence::Conflicts { conflicts, .. } = &certificate.evidence {
        points.extend(conflicts.iter().map(|conflict| conflict.point.clone()));
    }
    points
}

/// What a certificate says that is not so.
fn lie(certificate: &Certificate, brute: &BruteForce<'_>) -> Option<String> {
    let claim = &certificate.claim;
    if claim.kappa.lo.0 > claim.kappa.hi.0 || claim.everybody.lo.0 > claim.everybody.hi.0 {
        return Some(format!("an interval is upside down: {claim:?}"));
    }
    let found = &brute.found;
    if found.kappa > claim.kappa.hi.0 * (1.0 + ROUNDING) {
        let (kappa, who) = (found.kappa, &found.coalition);
        return Some(format!("{who:?} reach {kappa}, above {}", claim.kappa.hi.0));
    }
    if found.everybody > claim.everybody.hi.0 * (1.0 + ROUNDING) {
        return Some(format!("everybody reaches {} in {claim:?}", found.everybody));
    }
    let reached = |witness: &Witness| -> f64 {
        let Rival::Parameters(rival) = &witness.rival else { return f64::NAN };
        let then = brute.utilities(rival);
        let gain = |&i: &usize| match (brute.now[i] > 0.0, then[i] > 0.0) {
            (true, _) => then[i] / brute.now[i],
            (false, true) => f64::INFINITY,
            (false, false) => 0.0,
        };
        witness.coalition.iter().map(gain).fold(f64::INFINITY, f64::min)
    };
    if let Some(witness) = &certificate.witness {
        let share = brute.instance.weights.share(&witness.coalition);
        let falls_short = share * reached(witness) * (1.0 + ROUNDING) < claim.kappa.lo.0;
        if falls_short {
            return Some(format!("the witness does not reach kappa.lo of {claim:?}"));
        }
    }
    if let Some(improvement) = &certificate.improvement
        && reached(improvement) * (1.0 + ROUNDING) < claim.everybody.lo.0
    {
        return Some(format!("the improvement does not reach everybody.lo of {claim:?}"));
    }
    None
}

/// What a reader needs to find out why.
fn describe(instance: &Instance, certificate: &Certificate) -> String {
    let claim = &certificate.claim;
    let evidence = match &certificate.evidence {
        Evidence::FrankWolfe { .. } => "frank-wolfe",
        Evidence::Conflicts { .. } => "conflicts",
        Evidence::Headroom => "headroom",
        Evidence::Listed => "listed",
        Evidence::Unbounded => "unbounded",
    };
    let utilities: Vec<String> =
        certificate.agents.iter().map(|a| format!("{:.2e}±{:.0e}", a.utility, a.margin)).collect();
    format!(
        "{} model, {:?}, radius {:.1e}, l2 {:.1e}, largest target {:.1e}: kappa [{:e}, {:e}], everybody \
         [{:e}, {:e}], tolerance {:.0e}, {evidence}, utilities {}",
        instance.family,
        instance.subject,
        instance.radius,
        instance.l2,
        instance.federation.target().iter().fold(0.0_f64, |most, y| most.max(y.abs())),
        claim.kappa.lo.0,
        claim.kappa.hi.0,
        claim.everybody.lo.0,
        claim.everybody.hi.0,
        claim.tolerance,
        utilities.join(" ")
    )
}
