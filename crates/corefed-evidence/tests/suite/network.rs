//! The whole chain on a network small enough to look everywhere: `a tanh(b x)` with squared error.

use corefed_core::{Seed, uniform};
use corefed_core::{Verdict, Weights, nash_coefficients, scan, utilities};
use corefed_evidence::{
    Ascent, Curvature, Findings, Label, Lanczos, LocalAgent, LocalView, Rivals, Search, Unavailable,
};

/// Four agents whose rows come from other networks of the same kind.
struct Tiny {
    agents: Vec<Vec<(f64, f64)>>,
}

impl Tiny {
    fn new() -> Self {
        let teachers = [(1.0, 2.0), (0.8, 2.5), (-1.0, 0.7), (0.2, -3.0)];
        let rows = |(k, (a, b)): (u64, &(f64, f64))| {
            let mut rng = Seed(8).derive_index(k).rng();
            let mut row = || {
                let x = 4.0 * uniform(&mut rng) - 2.0;
                (x, a * (b * x).tanh() + 0.2 * (uniform(&mut rng) - 0.5))
            };
            (0..30).map(|_| row()).collect()
        };
        Self { agents: (0..).zip(&teachers).map(rows).collect() }
    }

    fn loss(&self, agent: usize, [a, b]: [f64; 2]) -> f64 {
        let rows = &self.agents[agent];
        let square = |(x, y): &(f64, f64)| (a * (b * x).tanh() - y).powi(2);
        rows.iter().map(square).sum::<f64>() / rows.len() as f64
    }

    fn gradient(&self, agent: usize, [a, b]: [f64; 2]) -> [f64; 2] {
        let rows = &self.agents[agent];
        let mut sum = [0.0; 2];
        for (x, y) in rows {
            let t = (b * x).tanh();
            let error = 2.0 * (a * t - y) / rows.len() as f64;
            sum[0] += error * t;
            sum[1] += error * a * (1.0 - t * t) * x;
        }
        sum
    }

    /// `H v` by central differences of gradients.
    fn hessian_times(&self, agent: usize, at: [f64; 2], v: &[f64], out: &mut [f64]) {
        let h = 1e-5;
        let shifted = |s: f64| self.gradient(agent, [at[0] + s * v[0], at[1] + s * v[1]]);
        let (ahead, behind) = (shifted(h), shifted(-h));
        for (out, (p, q)) in out.iter_mut().zip(ahead.iter().zip(behind)) {
            *out = (p - q) / (2.0 * h);
        }
    }

    fn all_losses(&self, at: [f64; 2]) -> Vec<f64> {
        (0..self.agents.len()).map(|agent| self.loss(agent, at)).collect()
    }
}

fn wide(params: &[f32]) -> [f64; 2] {
    [f64::from(params[0]), f64::from(params[1])]
}

impl Rivals for Tiny {
    fn agents(&self) -> usize {
        self.agents.len()
    }

    fn losses(&mut self, params: &[f32]) -> Result<Vec<f64>, Unavailable> {
        Ok(self.all_losses(wide(params)))
    }

    #[expect(clippy::cast_possible_truncation, reason = "parameters are single precision")]
    fn improve(
        &mut self,
        params: &[f32],
        coefficients: &[f64],
        _: usize,
    ) -> Result<Option<Vec<f32>>, Unavailable> {
        let mut at = wide(params);
        for _ in 0..40 {
            let mut step = [0.0; 2];
            for (agent, c) in coefficients.iter().enumerate() {
                let gradient = self.gradient(agent, at);
                step = [step[0] + c * gradient[0], step[1] + c * gradient[1]];
            }
            at = [at[0] - 0.2 * step[0], at[1] - 0.2 * step[1]];
        }
        Ok(Some(vec![at[0] as f32, at[1] as f32]))
    }
}

#[test]
fn a_search_of_a_network_finds_what_looking_everywhere_finds() {
    let mut tiny = Tiny::new();
    let weights = Weights::equal(4);
    let (incumbent, ceilings) = ([0.6_f32, 1.2], [1.5; 4]);
    let now = utilities(&ceilings, &tiny.all_losses(wide(&incumbent)));
    assert!(now.iter().all(|u| *u > 0.0), "{now:?}");
    // Everything in [-2, 2] x [-4, 4], in steps of 0.02.
    let mut everywhere = 1.0_f64;
    for i in -100..=100 {
        for j in -200..=200 {
            let there = [f64::from(i) * 0.02, f64::from(j) * 0.02];
            let then = utilities(&ceilings, &tiny.all_losses(there));
            let found = scan(&now, &then, weights.values(), &weights.total());
            everywhere = everywhere.max(found.kappa.value());
        }
    }
    let mut search =
        Search::new(&mut tiny, &incumbent, &ceilings, &weights, 8).expect("finite losses");
    search.train_coalitions(&[0.1, 0.1], 20).expect("four agents");
    search.climb(&Ascent { bursts: 60, changes: 3, random: 4, seed: Seed(3) }).expect("shapes");
    let found = search.finish();
    assert!(everywhere > 1.03, "nothing to find: {everywhere}");
    assert!(found.kappa.0 >= 0.999 * everywhere, "{} < {everywhere}", found.kappa.0);
    assert!(found.kappa.0 <= everywhere * 1.001, "{} > {everywhere}", found.kappa.0);
    let findings = Findings {
        names: &names(4),
        ceilings: &ceilings,
        weights: &weights,
        nonnegative_losses: true,
        search: &found,
        local: None,
        local_map: None,
        block: Err("not asked for".to_owned()),
        no_block: None,
    };
    let audit = findings.conclude(1e-6);
    assert_eq!(audit.verdict, Verdict::Blocked);
    assert!(audit.kappa.hi.0 >= everywhere, "headroom bounds what looking everywhere finds");
}

#[test]
fn an_estimated_ball_about_a_network_holds_where_it_can_be_checked() {
    let tiny = Tiny::new();
    let weights = Weights::equal(4);
    let (at, ceilings) = ([0.5, 1.0], [1.5; 4]);
    let now = utilities(&ceilings, &tiny.all_losses(at));
    let pulls = nash_coefficients(&now, &weights);
    let mut welfare = [0.0; 2];
    let mut curvatures = Vec::new();
    for (agent, pull) in pulls.iter().enumerate() {
        let gradient = tiny.gradient(agent, at);
        welfare = [welfare[0] - pull * gradient[0], welfare[1] - pull * gradient[1]];
        let lanczos = Lanczos { steps: 2, memory_bytes: 1 << 20, seed: Seed(1) };
        let mut product = |v: &[f64], out: &mut [f64]| tiny.hessian_times(agent, at, v, out);
        curvatures.push(lanczos.run(2, &mut product).expect("finite").curvatures());
    }
    let method = "Lanczos at the incumbent";
    let estimated = |value| Curvature::Estimated { value, method };
    let agents: Vec<LocalAgent<'_>> = (0..4)
        .map(|agent| LocalAgent {
            utility: now[agent],
            gradient_norm: tiny.gradient(agent, at).iter().map(|g| g * g).sum::<f64>().sqrt(),
            loss_down: estimated(curvatures[agent].0),
            loss_up: estimated(curvatures[agent].1),
        })
        .collect();
    let gradient_norm = welfare[0].hypot(welfare[1]);
    let view = LocalView { agents: &agents, weights: &weights, gradient_norm };
    let statement = view.largest_radius(1.02, 1.0);
    let corefed_evidence::LocalStatement::Estimated { bound, .. } = &statement else {
        panic!("curvature at one point proves nothing: {statement:?}");
    };
    // The Hessian at the centre says nothing about the ball; on this one, it happens to be enough.
    assert!(bound.radius > 1e-3, "{bound:?}");
    for turn in 0..360 {
        let angle = f64::from(turn).to_radians();
        let there = [at[0] + bound.radius * angle.cos(), at[1] + bound.radius * angle.sin()];
        let then = utilities(&ceilings, &tiny.all_losses(there));
        let kappa = scan(&now, &then, weights.values(), &weights.total()).kappa.value();
        assert!(kappa <= 1.02, "{kappa} at {turn} degrees");
    }
    let search = {
        let (mut rivals, incumbent) = (Tiny::new(), [0.5_f32, 1.0]);
        Search::new(&mut rivals, &incumbent, &ceilings, &weights, 1).expect("finite").finish()
    };
    let findings = Findings {
        names: &names(4),
        ceilings: &ceilings,
        weights: &weights,
        nonnegative_losses: true,
        search: &search,
        local: Some(statement),
        local_map: None,
        block: Err("not asked for".to_owned()),
        no_block: None,
    };
    let audit = findings.conclude(1e-6);
    assert_eq!((audit.local.label, audit.verdict), (Label::Estimated, Verdict::Undecided));
}

fn names(agents: usize) -> Vec<String> {
    (0..agents).map(|agent| format!("agent {agent}")).collect()
}
