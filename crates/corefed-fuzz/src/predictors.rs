//! Predictors from disk.

use corefed_core::{Family, Writing};
use corefed_data::EncodeOptions;
use corefed_report::console;
use corefed_run::{
    Audited, FittedModel, Given, GivenPredictor, Limits, Silent, Stop, Units, Unknown, predict,
};

use crate::scratch;

/// A search may take this many seconds of an input's ten.
const TIME_LIMIT: f64 = 0.5;

/// Reads a predictor, audits it on rows, and lets it predict them.
pub(crate) fn predictor(bytes: &[u8]) {
    let path = scratch::file("predictor.json", bytes);
    let file = match GivenPredictor::read(&path) {
        Ok(file) => file,
        Err(error) => {
            let _ = (error.to_string(), error.hint());
            return;
        }
    };
    let options =
        EncodeOptions { l2: 0.1, ..EncodeOptions::new("agent", "sick", Family::Logistic) };
    let given = Given {
        path: &path,
        file: &file,
        data: scratch::tiny(),
        written: Writing::default(),
        agent: None,
        target: None,
        options: Some(&options),
        units: if bytes.len().is_multiple_of(2) { Units::Raw } else { Units::Standardised },
        positive: None,
        radius: None,
        ceiling: None,
        weights: None,
    };
    if let Ok((case, parameters)) = given.case() {
        let losses = case.losses();
        let limits = Limits { tolerance: 0.01, time_limit: TIME_LIMIT };
        let (stop, audited) = (Stop::default(), Audited::given("audit", &parameters));
        if let Ok((audit, certificate)) =
            case.audit(&case.problem(&*losses), &audited, limits, &stop, &mut Silent)
        {
            let _ = console::predictor(&audit);
            let certificate = corefed_verify::AnyCertificate::Core(Box::new(certificate));
            let checked = corefed_verify::check_files(&certificate, &[scratch::tiny()]);
            assert!(checked.is_ok(), "issued, and refused: {:?}", checked.err());
        }
    }
    if let Ok(model) = FittedModel::find(&path, None) {
        let _ = predict(&model, scratch::tiny(), Unknown::default(), None, Writing::default());
    }
}
