use super::*;
use corefed_core::Seed;

fn agent(name: &str, rows: &[u32]) -> AgentRows {
    AgentRows { name: name.to_owned(), rows: rows.to_vec() }
}

#[test]
fn rows_are_sorted_and_need_not_all_have_an_owner() {
    let partition = Partition::new(5, vec![agent("a", &[4, 0]), agent("b", &[2])]).unwrap();
    assert_eq!(partition.agents()[0].rows, [0, 4]);
    assert_eq!((partition.owned(), partition.rows()), (3, 5));
    assert!(!partition.is_complete());
    assert!(Partition::new(2, vec![agent("a", &[1, 0])]).unwrap().is_complete());
}

#[test]
fn a_row_listed_twice_is_named_with_both_owners() {
    let error = Partition::new(5, vec![agent("a", &[4, 0]), agent("b", &[0])]).unwrap_err();
    assert_eq!(error.to_string(), "row `0` is given to agent `a` and again to agent `b`");
    let error = Partition::new(5, vec![agent("a", &[3, 3])]).unwrap_err();
    assert_eq!(error.to_string(), "row `3` is given to agent `a` and again to agent `a`");
}

#[test]
fn hopeless_requests_are_refused_at_once() {
    let labels = [0; 10];
    let draw = |agents, alpha, min| label_dirichlet(&labels, 1, agents, alpha, min, Seed(1));
    let (agents, minimum, rows) = (4, 3, 10);
    let error = draw(agents, 1.0, minimum).unwrap_err();
    assert_eq!(error, PartitionError::TooFewRows { agents, minimum, rows });
    assert_eq!(
        error.to_string(),
        "`4` agents with at least `3` rows each need more than `10` rows"
    );
    assert!(matches!(draw(2, 1.0, usize::MAX), Err(PartitionError::TooFewRows { .. })));
    assert_eq!(draw(2, 1.0, 0), Err(PartitionError::NoMinimum));
    assert_eq!(draw(0, 1.0, 1), Err(PartitionError::NoAgents));
    for alpha in [0.0, -0.0, -1.0, 1e-10, f64::INFINITY, f64::NAN] {
        for error in
            [draw(2, alpha, 1).unwrap_err(), quantity_skew(10, 2, alpha, 1, Seed(1)).unwrap_err()]
        {
            assert!(matches!(error, PartitionError::Alpha { .. }), "{error}");
        }
    }
    let error = label_dirichlet(&[0, 3], 3, 1, 1.0, 1, Seed(1)).unwrap_err();
    assert_eq!(error, PartitionError::Label { row: 1, label: 3, classes: 3 });
    for agents in [MOST_AGENTS + 1, usize::MAX] {
        let error = iid(1 << 20, agents, Seed(1)).unwrap_err();
        assert_eq!(error, PartitionError::TooManyAgents { agents });
    }
    let error = iid(usize::MAX, 2, Seed(1)).unwrap_err();
    assert_eq!(error, PartitionError::TooManyRows { rows: usize::MAX });
    for shards_per_agent in [0, 6, usize::MAX] {
        let error = shards(&labels, 2, shards_per_agent, Seed(1)).unwrap_err();
        assert_eq!(error, PartitionError::Shards { agents: 2, shards_per_agent, rows: 10 });
    }
}

#[test]
fn a_split_that_is_only_very_unlikely_gives_up() {
    // Ten rows each for ten agents out of a hundred rows: only the exactly even split will do.
    let error = quantity_skew(100, 10, 0.1, 10, Seed(1)).unwrap_err();
    let PartitionError::Unlucky { attempts: 1_000, minimum: 10, best } = error else {
        panic!("{error}")
    };
    assert!(best < 10, "{best}");
}

#[test]
fn groups_are_agents_in_order_of_appearance() {
    let partition = by_groups(&["b", "a", "b", "c", "a"]).unwrap();
    let expected = [agent("b", &[0, 2]), agent("a", &[1, 4]), agent("c", &[3])];
    assert_eq!(partition.agents(), expected);
    assert!(partition.is_complete());
}

#[test]
fn columns_that_name_no_federation_are_refused() {
    let error = by_groups(&["a", "a"]).unwrap_err();
    assert_eq!(error.to_string(), "all `2` rows belong to agent `a`");
    assert_eq!(by_groups(&["a", ""]), Err(PartitionError::UnnamedGroup { row: 1 }));
    let numbers: Vec<String> = (0..=MOST_AGENTS).map(|row| row.to_string()).collect();
    let error = by_groups(&numbers).unwrap_err();
    assert_eq!(error.to_string(), "`1048577` agents are more than the `1048576` that are possible");
    assert!(error.hint().unwrap().contains("number rows"));
    assert!(by_groups::<&str>(&[]).is_err());
}

#[test]
fn names_sort_in_the_order_of_the_agents() {
    let partition = iid(20, 11, Seed(1)).unwrap();
    let names: Vec<_> = partition.agents().iter().map(|agent| agent.name.as_str()).collect();
    assert!(names.is_sorted(), "{names:?}");
    assert_eq!(names[10], "agent-10");
}
