use super::*;
use crate::plan::plan;
use crate::plan::tests::known;
use crate::tile::tests::H200;

fn layout(name: &str, crowd: Crowd) -> Layout {
    let network = known(name);
    Layout::new(&plan(&network), network.dim(), crowd, H200, Precision::Tf32)
}

#[test]
fn memory_grows_with_agents_batches_and_momentum() {
    let crowd = Crowd { agents: 4, batch: 32, purpose: Use::Train, momentum: false, drift: false };
    let few = layout("cnn-wide", crowd).bytes;
    let dim = known("cnn-wide").dim();
    // At least weights, rounded and not, what the layers make, and its gradients: of all pixels, where
    // products pool.
    let (pooled, made) = (32 * 8 * 8 * 64, 32 * (16 * 16 * 32 + 512 + 10));
    let numbers = 2 * dim + 5 * pooled + 2 * made;
    assert!(few > 4 * 4 * numbers);
    let many = layout("cnn-wide", Crowd { agents: 64, ..crowd }).bytes;
    assert!(many > 4 * 64 * numbers && many < 6 * 64 * numbers);
    assert!(layout("cnn-wide", Crowd { batch: 64, ..crowd }).bytes > few);
    let ball = layout("cnn-wide", Crowd { momentum: true, ..crowd }).bytes;
    assert_eq!(ball - few, (4 * 4 * stride(dim)).next_multiple_of(256));
    assert!(layout("cnn-wide", Crowd { purpose: Use::Evaluate, ..crowd }).bytes < few);
}

#[test]
fn halves_take_half_the_memory() {
    let network = known("vgg11");
    let (ops, dim) = (plan(&network), network.dim());
    let crowd = Crowd { agents: 2, batch: 32, purpose: Use::Train, momentum: false, drift: false };
    let of = |precision| Layout::new(&ops, dim, crowd, H200, precision);
    let (floats, halves) = (of(Precision::Tf32), of(Precision::Bf16));
    let copies = |each: usize| (each * 2 * stride(dim)).next_multiple_of(256);
    assert_eq!(floats.sum - floats.factors, copies(4));
    assert_eq!(halves.sum - halves.factors, copies(2));
    // Of 64 channels of 16x16 pixels, pooled; gradients are of all pixels.
    let made = |layout: &Layout| {
        let op = &layout.ops[0];
        let (index, gradient) = (op.index.expect("a pool"), op.gradient.expect("a gradient"));
        (index - op.made, gradient - index)
    };
    let numbers = 2 * 32 * 64 * 16 * 16;
    assert_eq!(made(&floats), (4 * numbers, numbers));
    assert_eq!(made(&halves), (2 * numbers, numbers));
    // Logits and their slopes stay floats.
    let last = |layout: &Layout| {
        let op = &layout.ops[10];
        op.gradient.expect("a gradient") - op.made
    };
    assert_eq!(last(&halves), (4 * 2 * 32 * 10_usize).next_multiple_of(256));
    assert!(halves.bytes < floats.bytes);
}

#[test]
fn cohorts_of_about_the_same_size_share_kernels() {
    let places = |agents| {
        Crowd { agents, batch: 1, purpose: Use::Train, momentum: false, drift: false }.places()
    };
    let counts = [1, 2, 3, 4, 5, 6, 7, 9, 13, 48, 50, 65, 128];
    assert_eq!(counts.map(places), [1, 2, 3, 4, 6, 6, 8, 12, 16, 48, 64, 96, 128]);
}

#[test]
fn buffers_do_not_overlap() {
    let crowd = Crowd { agents: 3, batch: 10, purpose: Use::Train, momentum: true, drift: false };
    for name in ["cnn", "cnn-smooth", "vgg11", "mlp"] {
        let layout = layout(name, crowd);
        let mut starts = vec![layout.agents, layout.clock, layout.weights, layout.start];
        starts.extend([layout.params, layout.sum]);
        starts.extend(layout.velocity);
        for op in &layout.ops {
            starts.push(op.made);
            starts.extend(op.raw.iter().chain(&op.index).chain(&op.gradient));
            for product in &op.products {
                if product.tile.partials(product.extent, crowd.agents) > 0 {
                    starts.extend([product.partial, product.arrivals]);
                }
            }
            for direct in &op.directs {
                if direct.cut.counters() > 0 {
                    starts.extend([direct.partial, direct.arrivals]);
                }
            }
        }
        let count = starts.len();
        starts.sort_unstable();
        starts.dedup();
        assert_eq!(starts.len(), count);
        assert!(starts.iter().all(|start| start % 256 == 0 && *start < layout.bytes));
    }
}
