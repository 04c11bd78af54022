use super::*;

const LINEAR: Family = Family::Linear;

#[test]
fn the_agent_column_must_name_two_agents_and_no_row_may_lack_one() {
    let (message, hint) = refused("who,x,y\na,1,5\na,2,6\n", &options(LINEAR));
    assert_eq!(message, "`t.csv`: column `who` names a single agent, `a`");
    assert!(hint.contains("two agents"));
    let (message, _) = refused("who,x,y\na,1,5\n,2,6\n", &options(LINEAR));
    assert_eq!(message, "`t.csv`, line 3, column `who`: the row names no agent");
}

#[test]
fn agent_and_target_must_be_two_present_columns() {
    let same = EncodeOptions { target_column: "who".to_owned(), ..options(LINEAR) };
    let (message, _) = refused("who,x,y\na,1,5\nb,2,6\n", &same);
    assert_eq!(message, "`t.csv`: column `who` is given both for agents and as target");
    let (message, _) = refused("whom,x,y\na,1,5\nb,2,6\n", &options(LINEAR));
    assert_eq!(message, "`t.csv` has no column `who`; it has `whom`, `x`, `y`");
    let (message, _) = refused("who,x,z\na,1,5\nb,2,6\n", &options(LINEAR));
    assert_eq!(message, "`t.csv` has no column `y`; it has `who`, `x`, `z`");
}

#[test]
fn an_agent_with_one_row_is_refused_unless_waived_or_raw() {
    let text = "who,x,y\na,1,0\na,2,1\nb,4,1\n";
    let (message, hint) = refused(text, &options(LINEAR));
    assert_eq!(message, "`t.csv`: agent `b` has a single row");
    assert!(hint.ends_with("or pass `@allow one-sample`"), "{hint}");
    fitted(text, &allowing(&[Check::OneSample], LINEAR));
    fitted(text, &raw(LINEAR));
    // A single row is of a single class: the one waiver covers both.
    fitted(text, &allowing(&[Check::OneSample], Family::Logistic));
}

#[test]
fn an_agent_of_one_class_is_refused_unless_waived_or_linear() {
    let text = "who,x,y\na,1,0\na,2,1\nb,4,1\nb,5,1\n";
    for family in [Family::Logistic, Family::Softmax] {
        for options in [options(family), raw(family)] {
            let (message, hint) = refused(text, &options);
            assert_eq!(message, "`t.csv`: agent `b` has rows of one class only: `1`");
            assert!(hint.ends_with("or pass `@allow one-class`"), "{hint}");
        }
        fitted(text, &allowing(&[Check::OneClass], family));
    }
    fitted(text, &options(LINEAR));
    // All of them are named, not the first.
    let text = "who,x,y\na,1,0\na,2,1\nb,4,1\nb,5,1\nc,1,0\nc,2,0\n";
    let (message, _) = refused(text, &options(Family::Logistic));
    assert_eq!(
        message,
        "`t.csv`: 2 of 3 agents (`b`, `c`) have rows of one class only: `1` (1), `0` (1)"
    );
    let (message, _) = refused("who,x,y\na,1,0\nb,4,1\nc,1,0\nc,2,1\n", &options(LINEAR));
    assert_eq!(message, "`t.csv`: 2 of 3 agents (`a`, `b`) have a single row");
}

#[test]
fn a_constant_column_is_left_out_unless_waived_or_raw() {
    for (cells, value) in [(["0.1", "0.10"], "0.1"), (["red", "red"], "red"), (["?", "?"], "")] {
        let [p, q] = cells;
        let text = format!("who,x,k,y\na,1,{p},5\na,2,{q},6\nb,3,{p},7\nb,9,{p},7\n");
        let encoded = fitted(&text, &options(LINEAR));
        assert_eq!(encoded.federation.design().dim(), 2);
        let expected = Note::Constant { column: "k".to_owned(), value: value.to_owned() };
        assert_eq!(encoded.notes, [expected]);
        let encoded = fitted(&text, &allowing(&[Check::Constant], LINEAR));
        assert_eq!(encoded.federation.design().dim(), 3);
    }
    let text = "who,k,y\na,7,5\na,7,6\nb,7,7\nb,7,7\n";
    let encoded = fitted(text, &allowing(&[Check::Constant], LINEAR));
    assert_eq!(encoded.federation.design().dense_rows(0..4), [0.0; 4], "centred to zero");
    assert_eq!(fitted(text, &raw(LINEAR)).federation.design().dense_rows(0..4), [7.0; 4]);
}

#[test]
fn more_columns_than_rows_need_a_penalty_or_a_waiver() {
    // Two levels each of p and q, x and the intercept: six columns.
    let text = "who,x,p,q,y\na,1,m,u,5\na,3,f,v,5\nb,2,m,u,6\nb,2,f,v,7\n";
    let (message, hint) = refused(text, &options(LINEAR));
    assert_eq!(message, "`t.csv`: 6 encoded columns but only 4 rows, and no `l2` penalty");
    assert_eq!(hint, "drop columns, add `@l2 1e-3`, or pass `@allow wide`");
    fitted(text, &allowing(&[Check::Wide], LINEAR));
    fitted(text, &EncodeOptions { l2: 1e-3, ..options(LINEAR) });
}
