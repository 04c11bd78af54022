//! Listing the bytes that give CSV its structure.

/// Bytes looked at together: one bit each in a word.
const LANES: usize = 64;
/// Gathers the low bits of eight bytes into the top byte of a product: bit `8i` moves to `56 + i`.
const GATHER: u64 = 0x0102_0408_1020_4080;

/// Lists the places of commas, quotes and line ends, ascending.
pub(super) fn list_marks(bytes: &[u8], marks: &mut Vec<usize>) {
    marks.clear();
    let mut chunks = bytes.chunks_exact(LANES);
    let mut base = 0;
    for chunk in chunks.by_ref() {
        // No branch depends on the data, so the compiler compares sixteen bytes or more at once.
        let mut flags = [0_u8; LANES];
        for (flag, &byte) in flags.iter_mut().zip(chunk) {
            *flag = u8::from(is_mark(byte));
        }
        let mut word = 0;
        for (k, eight) in flags.as_chunks::<8>().0.iter().enumerate() {
            word |= (u64::from_le_bytes(*eight).wrapping_mul(GATHER) >> 56) << (8 * k);
        }
        while word != 0 {
            marks.push(base + word.trailing_zeros() as usize);
            word &= word - 1;
        }
        base += LANES;
    }
    let rest = chunks.remainder().iter().enumerate().filter(|(_, byte)| is_mark(**byte));
    marks.extend(rest.map(|(i, _)| base + i));
}

fn is_mark(byte: u8) -> bool {
    matches!(byte, b',' | b'\n' | b'\r' | b'"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_in_every_lane_and_in_the_rest() {
        for length in [1, 63, 64, 65, 200] {
            for place in 0..length {
                for mark in *b",\n\r\"" {
                    let mut bytes = vec![b'+'; length];
                    bytes[place] = mark;
                    let mut marks = vec![7];
                    list_marks(&bytes, &mut marks);
                    assert_eq!(marks, [place], "{length}");
                }
            }
        }
    }
}
