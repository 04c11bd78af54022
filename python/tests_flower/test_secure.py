"""Rules whose server sees sums only, against the same rules with every answer in the open."""

import os

import numpy as np
import pytest
from flwr.serverapp.strategy import DifferentialPrivacyServerSideFixedClipping as Wrapper
from summed import CENTRES, RATE, START, grid, lines, model, train

from corefed import InputError, flower
from corefed.flower import own_page
from corefed.flower.own_history import OwnHistory
from corefed.secure import Ring

#: Guards that compare agents are off, as they are with secure sums.
OPEN = {"share_cap": None, "norm_cap": None, "ceiling_spread": None, "correction": "none"}
RULES = {
    "corefed": lambda **k: flower.CoreFed(ceilings=5.0, **k),
    "without memory": lambda **k: flower.CoreFed(ceilings=5.0, memory=1.0, **k),
    "weights": lambda **k: flower.CoreFed(
        ceilings={"Aachen": 4.0, "Bergen": 6.0, "Coimbra": 5.0, "Dresden": 7.5},
        weights={"Aachen": 1.0, "Bergen": 2.0, "Coimbra": 0.5, "Dresden": 1.5},
        **k,
    ),
    "floor": lambda **k: flower.CoreFed(ceilings=3.0, floor=0.5, **k),
    "momentum": lambda **k: flower.CoreFed(
        ceilings=5.0, server_momentum=0.5, server_step=0.7, first_step=0.4, **k
    ),
    "clip": lambda **k: flower.CoreFed(ceilings=5.0, clip=0.1, **k),
    "fedavg": lambda **k: flower.FedAvg(ceilings=5.0, average="equal", **k),
    "propfair": lambda **k: flower.PropFair(ceilings=5.0, average="equal", **k),
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("dtype", "near"), [(np.float64, 1e-12), (np.float32, 1e-6)])
def test_the_model_is_that_of_answers_in_the_open(rule, dtype, near, tmp_path):
    plain = train(RULES[rule](**OPEN), grid(tmp_path, plain=True), dtype=dtype)
    secure = train(RULES[rule](secure=True), grid(tmp_path), dtype=dtype)
    assert np.abs(plain - np.array(START)).max() > 0.01
    assert secure.dtype == dtype
    np.testing.assert_allclose(secure, plain, rtol=0, atol=near)


def test_one_step_is_the_formula_within_the_error_of_the_fixed_point(tmp_path):
    found = train(flower.CoreFed(ceilings=5.0, secure=True), grid(tmp_path), rounds=1)
    at = np.array(list(CENTRES.values()), float)
    gaps = np.array(START) - at
    pulls = 5.0 / (5.0 - (gaps**2).sum(1) / 2)
    expected = np.array(START) - RATE * (pulls @ gaps) / pulls.sum()
    # Both sums are off by at most this, and the step is one over the other.
    off = Ring(len(at), 4096.0).error
    step = np.abs(expected - np.array(START)).max()
    np.testing.assert_allclose(found, expected, rtol=0, atol=off * (1 + step) / pulls.sum() + 1e-15)


def test_records_hold_sums_and_nothing_of_one_agent(tmp_path):
    run = tmp_path / "run"
    strategy = flower.CoreFed(ceilings=5.0, secure=True, run=run)
    net = grid(tmp_path / "keep")
    end = train(strategy, net, rounds=3)
    rows = lines(run / "sums.jsonl")
    assert [row["round"] for row in rows] == [0, 1, 2, 3]
    at = np.array(list(CENTRES.values()), float)
    for row, met in ((rows[0], np.array(START)), (rows[-1], end)):
        utilities = 5.0 - ((met - at) ** 2).sum(1) / 2
        assert row["log_welfare"] == pytest.approx(np.log(utilities).sum(), rel=1e-13)
        assert row["kappa_bound"] == pytest.approx((5.0 / utilities).mean(), rel=1e-13)
        assert (row["agents"], row["floored"]) == (4, 0)
    for agent in lines(run / "agents.jsonl"):
        numbers = ("loss", "utility", "reported_loss", "weight", "update_norm", "accuracy")
        assert all(agent[key] is None for key in numbers)
    # What the server was sent: names, sealed words, keys and seeds, and nothing else.
    for reply in net.answered:
        content = reply.content
        assert not content.metric_records
        assert set(content) <= {"corefed", "sealed", "public", "seed"}
        for record in content.array_records.values():
            assert [part.dtype for part in record.values()] == ["uint64"]


def test_the_agents_own_history_is_on_its_own_disk(tmp_path):
    train(flower.CoreFed(ceilings=5.0, secure=True), grid(tmp_path), rounds=3)
    (history,) = (tmp_path / "Aachen").glob("*.history.jsonl")
    rounds = [row for row in lines(history) if "round" in row]
    assert [row["round"] for row in rounds] == [1, 2, 3]
    gap = np.array(START) - CENTRES["Aachen"]
    assert rounds[0]["loss"] == pytest.approx(float(gap @ gap) / 2)
    assert rounds[0]["update_norm"] == pytest.approx(RATE * np.linalg.norm(gap))
    sheet, page = flower.own_report(tmp_path / "Aachen")
    table = np.genfromtxt(sheet, delimiter=",", names=True, dtype=None, encoding="utf-8")
    assert table["loss"].tolist() == [row["loss"] for row in rounds]
    assert "Nobody else has these numbers" in page.read_text()
    with pytest.raises(InputError, match="no history of secure sums"):
        flower.own_report(tmp_path)


def test_the_page_of_an_agent_is_made_from_a_shell(tmp_path, capsys):
    train(flower.CoreFed(ceilings=5.0, secure=True), grid(tmp_path), rounds=1)
    assert own_page.main([str(tmp_path / "Bergen")]) == 0
    assert capsys.readouterr().out.count("written: ") == 2
    assert own_page.main([str(tmp_path)]) == 1
    assert "no history" in capsys.readouterr().err
    assert own_page.main([]) == 2


def test_an_agents_own_folder_is_readable_by_its_owner_only(tmp_path):
    old = tmp_path / "keep/Bergen/00.history.jsonl"
    before = os.umask(0)
    try:
        train(flower.CoreFed(ceilings=5.0, secure=True), grid(tmp_path / "keep"), rounds=1)
        flower.own_report(tmp_path / "keep/Aachen")
        # As earlier versions wrote it.
        old.write_text("")
        OwnHistory(old.parent, "00").opened(1)
    finally:
        os.umask(before)
    own = tmp_path / "keep/Aachen"
    ends = {".".join(path.name.split(".")[1:]) for path in own.iterdir()}
    assert ends == {"key", "sums.json", "history.jsonl", "csv", "html"}
    modes = {path.name: path.stat().st_mode & 0o777 for path in own.iterdir()}
    assert set(modes.values()) == {0o600}, modes
    assert own.stat().st_mode & 0o777 == 0o700
    assert old.stat().st_mode & 0o777 == 0o600


def test_compared_steps_go_by_sums_of_log_utilities(tmp_path):
    # Updates four times too long: a quarter of the step is the right one.
    long = {"stretch": 4 / RATE}
    run = tmp_path / "run"
    searched = flower.CoreFed(ceilings=9.0, memory=1.0, secure=True, search="on", run=run)
    end = train(searched, grid(tmp_path / "a", **long), rounds=1)
    at = np.array(list(CENTRES.values()), float)

    def welfare(model):
        return np.log(9.0 - ((model - at) ** 2).sum(1) / 2).sum()

    pulls = 1 / (9.0 - ((np.array(START) - at) ** 2).sum(1) / 2)
    step = -4 * (pulls @ (np.array(START) - at)) / pulls.sum()
    tried = [np.array(START) + part * step for part in (1, 0.5, 0.25, 0)]
    best = int(np.argmax([welfare(model) for model in tried]))
    np.testing.assert_allclose(end, tried[best], atol=1e-12)
    assert lines(run / "rounds.jsonl")[1]["chosen_part"] == (1, 0.5, 0.25, 0)[best]
    # A model that nothing improves stays.
    away = flower.CoreFed(ceilings=9.0, memory=1.0, secure=True, search="on", run=tmp_path / "stay")
    assert train(away, grid(tmp_path / "b", stretch=-1.0), rounds=1).tolist() == list(START)
    assert lines(tmp_path / "stay/rounds.jsonl")[1]["chosen"] == "stay"


def test_the_first_order_bound_follows_from_sums(tmp_path):
    weights = {"Aachen": 1.0, "Bergen": 2.0, "Coimbra": 0.5, "Dresden": 1.5}
    strategy = flower.CoreFed(ceilings=30.0, weights=weights, memory=1.0, secure=True)
    with pytest.raises(InputError, match="no secure sums before"):
        strategy.bound(3.0)
    end = train(strategy, grid(tmp_path), rounds=40)
    at, own = np.array(list(CENTRES.values()), float), np.array(list(weights.values()))
    gradient = -(own / (30.0 - ((end - at) ** 2).sum(1) / 2)) @ (end - at)
    gap = 3.0 * np.linalg.norm(gradient) - gradient @ end
    assert strategy.bound(3.0) == pytest.approx(1 + gap / own.sum(), abs=1e-12)
    assert 1 <= strategy.bound(3.0) < 1.01


@pytest.mark.parametrize(
    ("build", "why"),
    [
        (lambda: flower.AFL(ceilings=3.0, secure=True), "`afl` needs everybody's loss"),
        (lambda: flower.QFFL(ceilings=3.0, learning_rate=0.1, secure=True), "`qffl` needs"),
        (lambda: flower.TERM(ceilings=3.0, secure=True), "`term` needs everybody's loss"),
        (lambda: flower.FedMGDA(ceilings=3.0, secure=True), "`fedmgda` needs everybody's update"),
        (lambda: flower.NashMTL(ceilings=3.0, secure=True), "`nash-mtl` needs everybody's update"),
        (lambda: flower.Newton(ceilings=3.0, secure=True), "`newton` needs everybody's Hessian"),
        (lambda: flower.CoreFed(ceilings="initial:2", secure=True), "rests on everybody's first"),
        (lambda: flower.CoreFed(ceilings=3.0, weights="samples", secure=True), "number of rows"),
        (lambda: flower.FedAvg(ceilings=3.0, secure=True), "number of rows"),
        (lambda: flower.CoreFed(ceilings=3.0, fraction_train=0.5, secure=True), "groups that"),
        (lambda: flower.CoreFed(ceilings=3.0, correction="control", secure=True), "correction"),
        (lambda: flower.CoreFed(ceilings=3.0, step_length="printed", secure=True), "normalised"),
        (lambda: flower.CoreFed(ceilings=3.0, at_ceiling="raise", secure=True), "raised ceiling"),
        (lambda: flower.CoreFed(ceilings=3.0, secure=flower.Secure(limit=1e30)), "no digits"),
    ],
)
def test_what_sums_cannot_do_is_refused_at_once(build, why):
    with pytest.raises(InputError, match=why):
        build()


def test_audits_and_wrappers_are_refused(tmp_path):
    strategy = flower.CoreFed(ceilings=5.0, secure=True)
    train(strategy, grid(tmp_path), rounds=1)
    with pytest.raises(InputError, match="an audit needs everybody's losses"):
        strategy.audit()
    wrapped = Wrapper(flower.CoreFed(ceilings=5.0, secure=True), 1.0, 1.0, 4)
    with pytest.raises(InputError, match="not for a strategy around this one"):
        flower.start(wrapped, grid(tmp_path), model(), num_rounds=1, timeout=1)
