use corefed_nn::{Architecture, Loss, preset};

use super::*;

pub(crate) const CIFAR: Shape = Shape { height: 32, width: 32, channels: 3 };

pub(crate) fn network(layers: &[&str]) -> Network {
    let layers = layers.iter().map(|layer| layer.parse().expect("a layer")).collect();
    let loss = Loss::CrossEntropy;
    Network::new(Architecture { input: CIFAR, classes: 10, layers, loss }).expect("a network")
}

pub(crate) fn known(name: &str) -> Network {
    Network::new(preset(name, CIFAR, 10).expect("a preset")).expect("a network")
}

#[test]
fn relu_and_pool_go_with_the_product_before() {
    let ops = plan(&known("cnn"));
    assert_eq!(ops.len(), 5);
    let Op::Product(conv) = ops[1] else { panic!("a convolution") };
    assert!(conv.pools && !conv.first);
    assert_eq!(conv.before, Some(Activation::Relu));
    assert_eq!(conv.made(), Shape { height: 5, width: 5, channels: 16 });
    assert_eq!(conv.places(), 100);
    let Op::Product(last) = ops[4] else { panic!("a linear layer") };
    assert_eq!((last.activation, last.input.channels, last.output.channels), (None, 84, 10));
}

#[test]
fn what_no_product_takes_along_stands_alone() {
    let ops = plan(&known("cnn-smooth"));
    // conv, gelu + mean, conv, gelu + mean, linear + gelu, linear + gelu, linear
    assert_eq!(ops.len(), 7);
    let Op::Point(point) = ops[1] else { panic!("a point") };
    assert_eq!((point.activation, point.pool), (Some(Activation::Gelu), Some(Pool::Avg)));
    assert_eq!(point.output, Shape { height: 14, width: 14, channels: 6 });
    let Op::Product(linear) = ops[4] else { panic!("a linear layer") };
    assert!(linear.keeps_input() && linear.before.is_none());

    let ops = plan(&network(&["avg-pool 4", "flatten", "dropout 0.2", "linear 10"]));
    assert!(matches!(
        ops[..],
        [
            Op::Gather(CIFAR),
            Op::Point(Point { first: true, .. }),
            Op::Dropout { len: 192, .. },
            Op::Product(Product { first: false, .. })
        ]
    ));
}

#[test]
fn a_pool_that_is_not_two_by_two_stands_alone() {
    let ops = plan(&network(&["conv 4 3", "relu", "max-pool 3 stride=2", "flatten", "linear 10"]));
    let Op::Product(conv) = ops[0] else { panic!("a convolution") };
    assert!(!conv.pools && conv.activation.is_none());
    assert!(matches!(ops[1], Op::Point(Point { pool: Some(Pool::Max), .. })));
}
