"""However a run ends, its folder has a summary and a page, and no verdict on another model."""

import json

from summed import CENTRES, grid, lines, model, train
from test_privacy import private

from corefed import flower, load

NO_VERDICT = "There is no verdict: not everybody measured the model of round"


def ended(run):
    """The summary, the page, and whether there is a verdict."""
    page = (run / "report.html").read_text()
    assert all(name in page for name in CENTRES)
    # It can be compared with its digest; the page can be made again.
    assert "summary.md" in (run / "digests.sha256").read_text()
    return (run / "summary.md").read_text(), page, (run / "audit.json").exists()


def test_a_run_that_measures_nothing_between_has_summary_and_page(tmp_path):
    run = tmp_path / "run"
    strategy = flower.CoreFed(ceilings=5.0, run=run, evaluate_every=0)
    train(strategy, grid(None, plain=True), rounds=3)
    summary, page, judged = ended(run)
    assert not judged
    assert f"{NO_VERDICT} 3. The numbers above are those of round 0" in summary
    assert "corefed after 3 rounds" in summary
    for agent in lines(run / "agents.jsonl")[: len(CENTRES)]:
        cells = f"| {agent['agent']} | 10 | 5.0000 | {agent['loss']:.4f} | {agent['utility']:.4f} |"
        assert cells in summary
    assert "for 3 rounds so far" in page
    assert load(run).header["rounds"] == 3


def test_an_agent_that_is_away_at_the_end_leaves_summary_and_page(tmp_path):
    net = grid(None, plain=True)
    last = list(net.nodes.values())[-1]
    last.fate = lambda message: (
        "lost" if message.content["config"]["server-round"] > 1 else "answer"
    )
    run = tmp_path / "run"
    train(flower.CoreFed(ceilings=5.0, run=run), net, rounds=3)
    summary, _, judged = ended(run)
    assert not judged
    assert f"{NO_VERDICT} 3. The numbers above are those of round 1" in summary


def test_a_budget_that_is_spent_early_leaves_summary_and_page(tmp_path):
    run = tmp_path / "run"
    told = {"ceilings": 5.0, "average": "equal", "run": run, "evaluate_every": 1000}

    def strategy():
        return flower.FedAvg(**told, privacy=private(noise=4.0))

    first = strategy()
    train(first, grid(None, plain=True), rounds=2)
    most = first.private._budget.releases(4.0**-2)
    first.history.close()
    assert ended(run)[2]
    again = strategy()
    train(again, grid(None, plain=True), rounds=most + 6)
    assert again.done == most
    summary, _, judged = ended(run)
    assert not judged, "the verdict of an earlier end is on another model"
    assert not (run / "utilities.csv").exists()
    assert f"{NO_VERDICT} {most}" in summary
    assert "Privacy: the models have spent an epsilon of" in summary.splitlines()[-1]


def test_secure_sums_end_with_a_summary_that_says_what_was_seen(tmp_path):
    run = tmp_path / "run"
    train(flower.CoreFed(ceilings=5.0, secure=True, run=run), grid(tmp_path / "own"), rounds=2)
    summary, _, judged = ended(run)
    assert not judged
    assert "There is no verdict: no model of this run was measured by everybody." in summary
    assert "the server saw sums over agents" in summary.splitlines()[-1]


def test_a_finished_run_that_is_opened_again_keeps_its_verdict(tmp_path):
    run = tmp_path / "run"

    def strategy():
        return flower.CoreFed(ceilings=5.0, run=run, evaluate_every=0)

    first = strategy()
    train(first, grid(None, plain=True), rounds=2)
    first.audit(timeout=1)
    first.history.close()
    before = (run / "audit.json").read_bytes()
    again = strategy()
    again.start(grid(None, plain=True), model(), num_rounds=2, timeout=1)
    again.history.close()
    assert (run / "audit.json").read_bytes() == before
    assert NO_VERDICT not in (run / "summary.md").read_text()
    # One more round, and the verdict would be on another model; also if it is killed at its end.
    killed = strategy()
    killed.finish = lambda: None
    train(killed, grid(None, plain=True), rounds=3)
    killed.history.close()
    assert not (run / "audit.json").exists()
    train(strategy(), grid(None, plain=True), rounds=3)
    assert not ended(run)[2]
    assert f"{NO_VERDICT} 3." in (run / "summary.md").read_text()
    assert json.loads((run / "rounds.jsonl").read_text().splitlines()[-1])["round"] == 3
