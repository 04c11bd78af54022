use super::*;

pub(crate) const H200: Machine = Machine { processors: 132, copies: true, clusters: true };

fn extent(rows: usize, cols: usize, reds: usize) -> Extent {
    Extent { rows, cols, reds, vectors: [4, 4, 2], lines: None, lie: Lie::Floats, border: None }
}

#[test]
fn warps_share_tiles_in_pieces_that_tensor_cores_take() {
    for (rows, cols, (along, across)) in TILES {
        assert_eq!(rows % (16 * along), 0);
        assert_eq!(cols % (8 * across), 0);
        // Plain arithmetic needs 8 rows and 4 columns at least.
        assert!(rows / along >= 8 && cols / across >= 4);
    }
}

#[test]
fn every_number_is_in_one_tile() {
    for extent in
        [extent(32_768, 32, 75), extent(32, 512, 4096), extent(76, 6, 50_176), extent(1, 1, 1)]
    {
        for agents in [1, 3, 64] {
            for precision in [Precision::Fp32, Precision::Tf32] {
                let tile = Tile::choose(Kind::Weight, extent, agents, H200, precision);
                let (along, across) = tile.grid(extent);
                assert!(along * tile.rows >= extent.rows && across * tile.cols >= extent.cols);
                assert!((along - 1) * tile.rows < extent.rows);
                assert!(tile.splits <= extent.reds.div_ceil(tile.depth));
            }
        }
    }
}

#[test]
fn halves_are_multiplied_in_tiles_of_halves_unless_they_are_mixed() {
    let floats = Extent { lines: Some(64), ..extent(1024, 512, 4608) };
    let chosen = |lie: Lie, lines: usize| {
        let extent = Extent { lie, lines: Some(lines), ..floats };
        Tile::choose(Kind::Forward, extent, 1, H200, Precision::Bf16)
    };
    let tile = chosen(Lie::Halves, 64);
    assert!(tile.half && tile.copies() && tile.depth / tile.layers >= 16);
    assert!(tile.shared(Kind::Forward) < Tile { half: false, ..tile }.shared(Kind::Forward));
    let tile = chosen(Lie::Floats, 64);
    assert!(!tile.half && tile.copies());
    // What is mixed, or does not come in whole lines, goes through registers.
    for (lie, lines) in [(Lie::Mixed, 64), (Lie::Halves, 24)] {
        let tile = chosen(lie, lines);
        assert!(!tile.half && !tile.copies());
    }
}

#[test]
fn few_tiles_share_their_summands_and_many_do_not() {
    let weights = extent(76, 32, 32_768);
    let tile = Tile::choose(Kind::Weight, weights, 1, H200, Precision::Tf32);
    assert!(tile.splits > 8);
    let many = extent(32_768, 64, 800);
    let tile = Tile::choose(Kind::Forward, many, 64, H200, Precision::Tf32);
    assert_eq!(tile.splits, 1);
}
