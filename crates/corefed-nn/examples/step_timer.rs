//! Times training steps for `bench/network_step.py`.
//!
//! `step_timer PRESET BATCH HEIGHT WIDTH CHANNELS` reads numbers of steps, one per line, and answers each with the
//! seconds of the fastest step. A step is a gradient and an update without momentum.
#![expect(clippy::print_stdout, reason = "it talks to a script")]

use std::io::{self, BufRead, Write};
use std::time::Instant;

use corefed_core::Seed;
use corefed_nn::{Init, Network, Samples, Shape, preset, sgd_step};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, sizes @ ..] = &arguments[..] else { return Err("PRESET is missing".into()) };
    let sizes = sizes.iter().map(|size| size.parse()).collect::<Result<Vec<usize>, _>>()?;
    let [batch, height, width, channels] = sizes[..] else {
        return Err("sizes are missing".into());
    };
    let input = Shape { height, width, channels };
    let network = Network::new(preset(name, input, 10).ok_or("no such preset")?)?;
    let mut params = network.initial(Seed(1), Init::Kaiming);
    let pixels: Vec<f32> =
        (0..batch * input.len()).map(|i| (i * 37 % 101) as f32 / 50.0 - 1.0).collect();
    let labels: Vec<u8> = (0..10).cycle().take(batch).collect();
    let samples = Samples { pixels: &pixels, labels: &labels };
    let mut workspace = network.workspace(batch);
    let mut gradient = vec![0.0; network.dim()];
    for line in io::stdin().lock().lines() {
        let mut least = f64::INFINITY;
        for _ in 0..line?.trim().parse::<usize>()? {
            let start = Instant::now();
            network.gradient(&params, samples, None, &mut workspace, &mut gradient);
            sgd_step(&mut params, &mut [], &gradient, 0.01, 0.0, 0.0);
            least = least.min(start.elapsed().as_secs_f64());
        }
        println!("{least}");
        io::stdout().flush()?;
    }
    Ok(())
}
