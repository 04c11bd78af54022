//! Rust source as tokens, as far as paths need it.

/// Names, `::` and single characters, without comments, literals and lifetimes.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(&c) = chars.get(at) {
        let rest = &chars[at..];
        at += if c.is_whitespace() {
            1
        } else if rest.starts_with(&['/', '/']) {
            rest.iter().position(|c| *c == '\n').unwrap_or(rest.len())
        } else if rest.starts_with(&['/', '*']) {
            block_comment(rest)
        } else if let Some(length) = literal(rest) {
            length
        } else if is_name(c) {
            let length = rest.iter().position(|c| !is_name(*c)).unwrap_or(rest.len());
            found.push(rest[..length].iter().collect());
            length
        } else if rest.starts_with(&[':', ':']) {
            found.push("::".to_owned());
            2
        } else {
            found.push(c.to_string());
            1
        };
    }
    found
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Block comments nest.
fn block_comment(rest: &[char]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        if rest[at..].starts_with(&['/', '*']) {
            (depth, at) = (depth + 1, at + 2);
        } else if rest[at..].starts_with(&['*', '/']) {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    at
}

/// How long the string, character or lifetime is that begins here.
fn literal(rest: &[char]) -> Option<usize> {
    let prefix = rest.iter().take_while(|c| matches!(c, 'b' | 'c' | 'r')).count();
    let hashes = rest[prefix..].iter().take_while(|c| **c == '#').count();
    let quote = prefix + hashes;
    let raw = rest[..prefix].contains(&'r');
    match rest.get(quote) {
        Some('"') if prefix <= 2 && (raw || hashes == 0) => {
            let mut at = quote + 1;
            while at < rest.len() {
                if !raw && rest[at] == '\\' {
                    at += 2;
                    continue;
                }
                let closing = rest[at + 1..].iter().take(hashes).filter(|c| **c == '#').count();
                at += 1;
                if rest[at - 1] == '"' && closing == hashes {
                    return Some(at + hashes);
                }
            }
            Some(at)
        }
        Some('\'') if hashes == 0 && prefix <= 1 => Some(quote + character(&rest[quote..])),
        _ => None,
    }
}

/// A character in quotes, or a lifetime, which has only one.
fn character(rest: &[char]) -> usize {
    match rest {
        [_, '\\', _, tail @ ..] => {
            3 + tail.iter().position(|c| *c == '\'').map_or(tail.len(), |end| end + 1)
        }
        [_, _, '\'', ..] => 3,
        [_, tail @ ..] => 1 + tail.iter().position(|c| !is_name(*c)).unwrap_or(tail.len()),
        [] => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(text: &str) -> String {
        tokens(text).join(" ")
    }

    #[test]
    fn paths_are_names_and_double_colons() {
        assert_eq!(joined("crate::a::B<'a, u8>"), "crate :: a :: B < , u8 >");
    }

    #[test]
    fn comments_are_no_tokens() {
        assert_eq!(joined("a // crate::b\nc /* crate::d /* e */ f */ g /// crate::h"), "a c g");
    }

    #[test]
    fn literals_are_no_tokens() {
        assert_eq!(
            joined(r#"f("crate::a \" crate::b", 'c', '\'', '\u{1F600}', b'd', b"e")"#),
            "f ( , , , , , )"
        );
        assert_eq!(joined("g(r#\"crate::\"a\"\"#, br\"\\\", 'x: loop)"), "g ( , , : loop )");
        assert_eq!(joined("break 'outer; bar"), "break ; bar");
    }

    #[test]
    fn names_that_begin_like_literals_are_names() {
        assert_eq!(joined("rows b c br crate r#type"), "rows b c br crate r # type");
    }
}
