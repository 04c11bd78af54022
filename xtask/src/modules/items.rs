//! Items, paths and imports among the tokens of a file.

pub(super) fn is(tokens: &[String], expected: &[&str]) -> bool {
    tokens.len() >= expected.len() && tokens.iter().zip(expected).all(|(a, b)| a == b)
}

/// How many tokens the item takes that begins here, attributes included.
pub(super) fn item(tokens: &[String]) -> usize {
    let import = tokens.iter().take(6).any(|token| token == "use");
    let (mut braces, mut others) = (0, 0);
    for (at, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "{" => braces += 1,
            "}" => braces -= 1,
            "(" | "[" => others += 1,
            ")" | "]" => others -= 1,
            _ => {}
        }
        let closed = token == "}" && !import || token == ";";
        if closed && braces == 0 && others == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

/// The module that an item is.
pub(super) fn declared_module(item: &[String]) -> Option<String> {
    let at = item.iter().position(|token| token == "mod")?;
    let before = item[..at].iter().all(|t| matches!(&**t, "pub" | "(" | ")" | "crate" | "super"));
    item.get(at + 1).filter(|_| before).cloned()
}

/// The path that begins here: names with `::` between them.
pub(super) fn path_at(tokens: &[String]) -> Vec<String> {
    let mut names = Vec::new();
    for pair in tokens.chunks(2) {
        if !pair[0].starts_with(|c: char| c.is_alphabetic() || c == '_') {
            break;
        }
        names.push(pair[0].clone());
        if pair.get(1).is_none_or(|between| between != "::") {
            break;
        }
    }
    names
}

/// Everything that a tree of imports names, with what it is called here.
pub(super) fn imports(tree: &[String]) -> Vec<(Vec<String>, String)> {
    let (mut found, mut prefixes, mut path) = (Vec::new(), Vec::new(), Vec::new());
    let mut alias = None;
    let mut end = |path: &mut Vec<String>, alias: &mut Option<String>| {
        let last = path.last().cloned();
        if let Some(last) = last {
            // `a::{self}` is `a`, and `a::*` mentions `a` without naming anything.
            if last == "self" && path.len() > 1 || last == "*" {
                path.pop();
            }
            let own = if last == "*" { Some(last) } else { path.last().cloned() };
            if let Some(name) = alias.take().or(own) {
                found.push((std::mem::take(path), name));
            }
        }
    };
    let mut tokens = tree.iter();
    // How much of the path belongs to an enclosing group.
    let mut shared = 0;
    while let Some(token) = tokens.next() {
        match token.as_str() {
            "{" => {
                prefixes.push(shared);
                shared = path.len();
            }
            "," | "}" => {
                if path.len() > shared {
                    let mut whole = path.clone();
                    end(&mut whole, &mut alias);
                }
                path.truncate(shared);
                if token == "}" {
                    shared = prefixes.pop().unwrap_or(0);
                    // What is shared with the group was said by its members.
                    path.truncate(shared);
                }
            }
            "as" => alias = tokens.next().cloned(),
            "::" => {}
            name => path.push(name.to_owned()),
        }
    }
    if path.len() > shared {
        end(&mut path, &mut alias);
    }
    found
}
