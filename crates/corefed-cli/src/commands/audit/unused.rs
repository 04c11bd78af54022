//! Flags that mean nothing for what is audited: refused, because a flag that is ignored misleads.

use crate::args::AuditArgs;
use crate::failure::Failure;

/// What is audited, as far as flags depend on it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Predictor,
    Predictions,
    Row,
    CrossSite,
    Answers,
}

/// Refuses the first flag that has no effect.
pub(super) fn refuse(args: &AuditArgs, mode: Mode) -> Result<(), Failure> {
    use Mode::{Answers, CrossSite, Predictions, Predictor, Row};
    let flags: [(&str, bool, &[Mode]); 15] = [
        ("--loss", args.loss.is_some(), &[Predictions]),
        ("--clip", args.clip.is_some(), &[Predictions]),
        ("--utilities", args.utilities.is_some(), &[Predictions, CrossSite]),
        ("--positive", args.positive.is_some(), &[Predictor, Predictions]),
        ("--units", args.units.is_some(), &[Predictor]),
        ("--agent", args.table.agent.is_some(), &[Predictor, Predictions]),
        ("--target", args.table.target.is_some(), &[Predictor, Predictions, CrossSite]),
        ("--model", args.table.model.is_some(), &[Predictor]),
        ("--separator", args.table.written.told().separator.is_some(), &[Predictor, Predictions]),
        ("--decimal", args.table.written.told().decimal.is_some(), &[Predictor, Predictions]),
        ("--ceiling", args.terms.ceiling.is_some(), &[Predictor, Predictions, CrossSite, Answers]),
        ("--radius", args.terms.radius.is_some(), &[Predictor, Answers]),
        (
            "--certificate",
            args.saved.certificate.is_some(),
            &[Predictor, Predictions, Row, CrossSite],
        ),
        ("--report", args.saved.report.is_some(), &[Predictor, Predictions, Row, CrossSite]),
        ("--time-limit", args.audit.time_limit.is_some(), &[Predictor, Row, CrossSite]),
    ];
    let encoding = args.encoding.flags().map(|(flag, given)| {
        let both = matches!(flag, "--l2" | "--no-intercept");
        (flag, given, if both { &[Predictor, Answers][..] } else { &[Predictor][..] })
    });
    let all = flags.into_iter().chain(encoding);
    let mut unused = all.filter(|(_, given, modes)| *given && !modes.contains(&mode));
    let Some((flag, _, modes)) = unused.next() else { return Ok(()) };
    let why = match mode {
        Predictor => "a predictor comes with its model",
        Predictions => "models are judged by their predictions alone",
        Row => "a table of utilities has no rows of data, no ceilings and no ball",
        CrossSite => "a cross-site evaluation has metrics by site and model, and no rows",
        Answers => "agents have read their rows, and the folder takes what comes out",
    };
    let needs: Vec<&str> = modes
        .iter()
        .map(|mode| match mode {
            Predictor => "`--predictor`",
            Predictions => "`--predictions`",
            Row => "`--incumbent` alone",
            CrossSite => "a cross-site evaluation",
            Answers => "`--answers`",
        })
        .collect();
    Err(Failure::new(format!("`{flag}` has no effect here: {why}"))
        .hint(format!("drop `{flag}`; it goes with {}", needs.join(" or "))))
}
