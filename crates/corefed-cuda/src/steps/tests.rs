use super::*;
use crate::plan::plan;
use crate::plan::tests::{known, network};
use crate::tile::tests::H200;

fn kernels(network: &Network, purpose: Use) -> Vec<Kernel> {
    let crowd = Crowd { agents: 3, batch: 64, purpose, momentum: false, drift: false };
    let ops = plan(network);
    let layout = Layout::new(&ops, network.dim(), crowd, H200, Precision::Tf32);
    let outside = Outside {
        pixels: 1 << 40,
        shade: 1 << 41,
        labels: 1 << 42,
        order: 1 << 43,
        losses: 0,
        correct: 0,
        base: 1 << 44,
    };
    let form = Form::new(true, 3, true);
    Recipe { network, ops: &ops, crowd, layout: &layout, precision: Precision::Tf32, form, outside }
        .kernels()
}

#[test]
fn a_step_of_the_small_network_is_fifteen_kernels() {
    // 5 forward, the loss, 5 for weights, 4 for inputs; the chain that must run one by one is 11 long.
    let kernels = kernels(&known("cnn"), Use::Train);
    assert_eq!(kernels.len(), 15);
    let mut depth = vec![0; kernels.len()];
    for (index, kernel) in kernels.iter().enumerate() {
        depth[index] = 1 + kernel.after.iter().map(|before| depth[*before]).max().unwrap_or(0);
    }
    assert_eq!(depth.iter().max(), Some(&11));
    assert!(kernels.iter().all(|kernel| kernel.launch.grid.2 == 3));
}

#[test]
fn kernels_wait_only_for_earlier_ones_and_one_moves_the_clock() {
    for name in ["cnn", "cnn-smooth", "vgg11", "mlp"] {
        for purpose in [Use::Train, Use::Gradient, Use::Evaluate] {
            let kernels = kernels(&known(name), purpose);
            let ticks = |kernel: &&Kernel| {
                kernel.source.name == "tick" || kernel.source.text().contains("TICK = 1")
            };
            assert_eq!(kernels.iter().filter(ticks).count(), 1);
            for (index, kernel) in kernels.iter().enumerate() {
                assert!(kernel.after.iter().all(|before| *before < index));
                assert_eq!(kernel.after.is_empty(), index == 0);
            }
        }
    }
}

#[test]
fn layers_before_the_first_weights_have_no_gradient() {
    let network =
        network(&["avg-pool 2", "dropout 0.1", "conv 4 3", "relu", "flatten", "linear 10"]);
    // gather, pool, dropout, conv with relu, linear, the loss, then linear's input and weights, and
    // conv's weights.
    assert_eq!(kernels(&network, Use::Train).len(), 9);
}
