use super::*;

#[test]
fn corruptions_round_trip_through_text_and_json() {
    for text in ["noise:0.5", "labels:0.2", "drop:0.3", "duplicate:0.1", "noise:0", "drop:1"] {
        let corruption: Corruption = text.parse().unwrap();
        assert_eq!(corruption.to_string(), text);
        let json = serde_json::to_string(&corruption).unwrap();
        assert_eq!(json, format!("\"{text}\""));
        assert_eq!(serde_json::from_str::<Corruption>(&json).unwrap(), corruption);
    }
}

#[test]
fn what_is_no_corruption_is_refused_with_an_example() {
    for text in ["", "noise", "noise:", "noise:x", "noises:1", "0.5:noise", "noise:0.5:1"] {
        let error = text.parse::<Corruption>().unwrap_err();
        assert_eq!(error, CorruptError::Syntax { text: text.to_owned() });
        assert!(error.hint().unwrap().contains("`noise:0.5`"));
    }
    for text in ["noise:-1", "noise:nan", "noise:inf", "noise:2e6", "labels:1.1", "drop:-0.1"] {
        let error = text.parse::<Corruption>().unwrap_err();
        assert!(matches!(error, CorruptError::Amount { .. }), "{text}: {error}");
    }
    let error = "duplicate:2".parse::<Corruption>().unwrap_err();
    assert_eq!(error.to_string(), "the amount of `duplicate` must be from `0` to `1`, not `2`");
    assert!(serde_json::from_str::<Corruption>("\"drop:7\"").is_err());
}

#[test]
fn lists_are_read_and_printed_by_agent() {
    let mut list = Corruptions::default();
    assert!(list.is_empty());
    list.add_text("b=noise:0.5,labels:0.2").unwrap();
    list.add_text("x=y=drop:0.5").unwrap();
    list.add("b", Corruption::Drop { rate: 0.25 });
    assert_eq!(list.to_string(), "b=noise:0.5,labels:0.2,drop:0.25\nx=y=drop:0.5");
    let mut again = Corruptions::default();
    list.to_string().lines().for_each(|line| again.add_text(line).unwrap());
    assert_eq!(again, list);
    let json = serde_json::to_string(&list).unwrap();
    assert_eq!(json, r#"{"b":["noise:0.5","labels:0.2","drop:0.25"],"x=y":["drop:0.5"]}"#);
    assert_eq!(list.of("x=y"), [Corruption::Drop { rate: 0.5 }]);
    assert!(list.of("nobody").is_empty());
    for text in ["noise:0.5", "=noise:0.5"] {
        let error = list.add_text(text).unwrap_err();
        assert_eq!(error, CorruptError::NoAgent { text: text.to_owned() });
    }
    assert!(list.add_text("b=").is_err() && list.add_text("b=noise:1,").is_err());
    assert_eq!(list, again, "a refused text leaves the list alone");
}
