//! What happens to a file on somebody's disk, or at somebody's hands.

use super::random::Random;

/// Changes bytes in one of several ways. The result differs from what it was.
pub(super) fn damage(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    loop {
        let damaged = once(bytes, random);
        if damaged != bytes {
            return damaged;
        }
    }
}

fn once(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.is_empty() {
        return vec![b'x'];
    }
    let at = random.below(bytes.len());
    match random.below(6) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.next().to_le_bytes()[0],
        2 => bytes.truncate(at),
        3 => bytes.insert(at, random.next().to_le_bytes()[0]),
        4 => {
            let end = (at + 1 + random.below(64)).min(bytes.len());
            bytes.drain(at..end);
        }
        _ => edit_digit(&mut bytes, at, random),
    }
    bytes
}

/// The damage that is hardest to see: one digit becomes another.
fn edit_digit(bytes: &mut [u8], at: usize, random: &mut Random) {
    let digit = (at..bytes.len()).chain(0..at).find(|place| bytes[*place].is_ascii_digit());
    if let Some(place) = digit {
        bytes[place] = b'0' + random.next().to_le_bytes()[0] % 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_always_changes_something() {
        let mut random = Random::new(7);
        for length in 0..50 {
            let bytes = vec![b'4'; length];
            assert_ne!(damage(&bytes, &mut random), bytes);
        }
    }
}
