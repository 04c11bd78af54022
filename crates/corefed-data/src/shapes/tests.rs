use super::*;

#[test]
fn shapes_take_turns_and_fill_the_byte_range_sensibly() {
    let images = draw_shapes(600, Seed(1)).unwrap();
    assert_eq!((images.height(), images.width(), images.channels()), (16, 16, 1));
    assert_eq!((images.len(), images.classes()), (600, 6));
    assert_eq!(images.labels()[..7], [0, 1, 2, 3, 4, 5, 0]);
    let mean = images.pixels().iter().map(|&p| f64::from(p)).sum::<f64>() / (600.0 * 256.0);
    assert!((60.0..140.0).contains(&mean), "{mean}");
}

#[test]
fn the_seed_decides_and_images_do_not_depend_on_their_number() {
    let (few, many) = (draw_shapes(10, Seed(1)).unwrap(), draw_shapes(20, Seed(1)).unwrap());
    assert_eq!(few.pixels(), &many.pixels()[..10 * 256]);
    assert_ne!(draw_shapes(10, Seed(2)).unwrap(), few);
    assert_ne!(many.image(0), many.image(6), "two disks");
}

#[test]
fn shapes_cover_the_areas_of_their_formulas() {
    // Areas in units of the half side: pi, 0.7 pi, 1.7², 4 · 2 · 0.28 - 0.56², three fifths of
    // the square, and half of the base 2 times the height 1.7.
    let square = 1.7 * 1.7;
    let pi = std::f64::consts::PI;
    let areas = [pi, 0.7 * pi, square, 2.0 * 2.0 * 0.56 - 0.56 * 0.56, 0.6 * square, 1.7];
    let points = 1_000_usize;
    for (shape, area) in Shape::ALL.into_iter().zip(areas) {
        let at = |i: usize| (i as f64 + 0.5) / points as f64 * 2.0 - 1.0;
        let inside = (0..points * points).filter(|i| shape.covers(at(i % points), at(i / points)));
        let found = inside.count() as f64 * 4.0 / (points * points) as f64;
        assert!((found - area).abs() < 0.01, "{}: {found}, not {area}", shape.name());
    }
}

/// The class can be seen: the nearest of many other images, moved to mean zero and length one,
/// is mostly of the same shape, and always more often than the one in six of a guess.
#[test]
fn neighbours_are_mostly_of_the_same_shape() {
    let unit = |image: &[u8]| -> Vec<f64> {
        let mean = image.iter().map(|&p| f64::from(p)).sum::<f64>() / 256.0;
        let norm = image.iter().map(|&p| (f64::from(p) - mean).powi(2)).sum::<f64>().sqrt();
        image.iter().map(|&p| (f64::from(p) - mean) / norm).collect()
    };
    let (known, asked) = (draw_shapes(3_000, Seed(1)).unwrap(), draw_shapes(300, Seed(2)).unwrap());
    let units: Vec<_> = (0..known.len()).map(|i| unit(known.image(i))).collect();
    let mut right = [0_u32; 6];
    for i in 0..asked.len() {
        let image = unit(asked.image(i));
        let likeness = |j: &usize| image.iter().zip(&units[*j]).map(|(a, b)| a * b).sum::<f64>();
        let nearest = (0..known.len())
            .max_by(|a, b| likeness(a).total_cmp(&likeness(b)))
            .map(|j| known.labels()[j]);
        if nearest == Some(asked.labels()[i]) {
            right[usize::from(asked.labels()[i])] += 1;
        }
    }
    assert!(right.iter().all(|&count| count > 25), "of 50 each: {right:?}");
}

#[test]
fn counts_beyond_reason_are_refused() {
    for count in [0, MOST + 1, usize::MAX] {
        assert_eq!(draw_shapes(count, Seed(1)), Err(ShapesError::Count { count }));
    }
}
