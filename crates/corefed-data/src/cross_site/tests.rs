use super::*;

/// As FLARE 2.9 writes it.
const WRITTEN: &str = r#"{"Bonn": {"SRV_server": {"loss": 0.5, "accuracy": 0.75}, "Bonn": {"loss": 0.25, "accuracy": 1}},
 "Aachen": {"Bonn": {"loss": 1e0, "accuracy": 0.5}, "SRV_server": {"loss": 0.125, "accuracy": 0.9}}}"#;

fn parse(text: &str) -> Result<CrossSite, CrossSiteError> {
    CrossSite::parse("results.json", text.as_bytes())
}

#[test]
fn numbers_are_by_model_and_site() {
    let table = parse(WRITTEN).unwrap();
    assert_eq!(table.sites(), ["Aachen", "Bonn"]);
    assert_eq!(table.models(), ["Bonn", "SRV_server"]);
    assert_eq!(table.numbers("loss", true).unwrap(), [[1.0, 0.25], [0.125, 0.5]]);
    assert_eq!(table.numbers("accuracy", false).unwrap(), [[0.5, 1.0], [0.9, 0.75]]);
}

#[test]
fn a_metric_is_named_where_several_are_meant() {
    let table = parse(WRITTEN).unwrap();
    let error = table.metric(None, false).unwrap_err();
    assert_eq!(error.to_string(), "`results.json` has the metrics `accuracy`, `loss`");
    assert_eq!(error.hint().unwrap(), "name one with `@metric METRIC`");
    assert_eq!(table.metric(Some("accuracy"), false).unwrap(), "accuracy");
    assert_eq!(table.metric(Some("loss"), true).unwrap(), "loss");
}

#[test]
fn a_name_says_whether_more_is_better() {
    let one = |metric: &str| {
        let text = r#"{"a": {"x": {"M": 1}}, "b": {"x": {"M": 2}}}"#.replace('M', metric);
        parse(&text).unwrap()
    };
    assert!(one("val_accuracy").metric(None, false).is_ok());
    assert!(one("loss_before").metric(None, true).is_ok());
    let message = |metric: &str, named, ceilings| {
        one(metric).metric(named, ceilings).unwrap_err().to_string()
    };
    assert!(
        message("loss_before", None, false)
            .starts_with("`loss_before` of `results.json` is a loss")
    );
    assert!(message("loss", Some("loss"), false).contains("a ceiling minus a loss"));
    assert!(message("AUC", None, true).contains("and no loss"));
    assert!(message("score", None, false).contains("does not say whether more of it is better"));
    assert!(message("acc_loss", None, false).contains("does not say"));
    assert!(one("score").metric(Some("score"), false).is_ok());
    assert!(one("score").metric(None, true).is_ok());
}

#[test]
fn what_is_missing_or_no_number_is_named() {
    let message =
        |text: &str, losses| parse(text).unwrap().numbers("loss", losses).unwrap_err().to_string();
    assert_eq!(
        message(r#"{"a": {"x": {"loss": 1}, "y": {"loss": 1}}, "b": {"x": {"loss": 1}}}"#, true),
        "`results.json`: site `b` has no `loss` of model `y`"
    );
    for (found, shown) in [("-1", "-1"), ("\"nan\"", "\"nan\""), ("null", "null"), ("[1]", "[1]")] {
        let text = r#"{"a": {"x": {"loss": 1}}, "b": {"x": {"loss": V}}}"#.replace('V', found);
        assert_eq!(
            message(&text, true),
            format!("`results.json`: `loss` of model `x` at site `b` is {shown}")
        );
    }
    let gains = parse(r#"{"a": {"x": {"r": -1}}, "b": {"x": {"r": 0}}}"#).unwrap();
    assert_eq!(gains.numbers("r", false).unwrap(), [[-1.0, 0.0]]);
}

#[test]
fn what_is_not_such_a_table_is_refused_with_the_place() {
    let message = |text: &str| parse(text).unwrap_err().to_string();
    let begin = "`results.json` is not a cross-site evaluation: ";
    assert!(
        message("[1]").starts_with(&format!("{begin}invalid type: sequence, expected an object"))
    );
    assert!(
        message(r#"{"a": {"x": 0.5}, "b": {}}"#).contains("expected an object of results by name")
    );
    assert!(message(r#"{"a": {}, "a": {}}"#).contains("`a` is there twice at line 1"));
    assert!(message(r#"{"a": {"x": {"loss": NaN}}}"#).starts_with(begin));
    assert!(message(&"{\"a\":".repeat(100_000)).starts_with(begin));
    assert_eq!(message("{}"), "`results.json` has results of 0 sites but needs two or more");
    let none = parse(r#"{"a": {}, "b": {}}"#).unwrap();
    assert_eq!(
        none.metric(None, false).unwrap_err().to_string(),
        "`results.json` has no metric that every site measured with every model"
    );
}
