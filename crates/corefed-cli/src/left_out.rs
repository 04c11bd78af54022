//! What a build without some features answers.

use crate::failure::Failure;

/// This build cannot do something, because a feature was left out of it.
pub(crate) fn left_out(what: &str, feature: &str) -> Failure {
    let message = format!("this build cannot {what}: it was built without the feature `{feature}`");
    Failure::new(message).hint(format!(
        "build with `cargo install --path crates/corefed-cli --features {feature}`, or `--features full` for everything"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_feature_and_the_command_that_builds_it_are_named() {
        let failure = left_out("download data", "download");
        let said = failure.to_string();
        assert!(said.contains("cannot download data: it was built without the feature `download`"));
        assert!(said.contains("--features download"), "{said}");
    }
}
